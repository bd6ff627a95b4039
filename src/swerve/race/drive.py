"""Driving a track from the grid to the finish.

Two drivers share the work. On a road of its own a car drives a `Course`, a rehearsed line, frame by frame; so
it does by physics and among rivals of whom nobody knows what they will do. Among cars whose ways are known,
and with the small trees, a pilot plays clips of a move tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swerve.core.clips import body_velocity, world_states
from swerve.core.errors import require
from swerve.core.geometry import wrap
from swerve.core.library import MotionLibrary
from swerve.core.plan import Plan, Status
from swerve.core.seeding import generator

from .car import CONTROL_UNITS, CONTROLS, FRAME, HEIGHT, STATE, WIDTH, CarParameters
from .course import ALONG, plan_course, progress_of
from .guide import Guide, far_guide, track_guide
from .moves import outline_of
from .pilot import Move, Pilot
from .racer import Racer, Reality, Scene, Scripted
from .rivals import KINDS, Rivals
from .route import Route, SearchOptions
from .touch import first_contact
from .track import Track
from .traffic import Traffic, drive_lanes, no_traffic

START = 8.0  # [m] progress at which the car stands when it sets off
LONGEST_DRIVE = 3600.0  # [s]
SKID = np.radians(15.0)  # sideslip that counts as a skid
GOALS = {
    "finish": "the finish line, or a number of laps",
    "progress": "chosen by the car itself: as far along the track as possible until the time is over",
    "far": "a point far to the north, as in the seed",
}
FAR_POINT = (0.0, 100_000.0)  # [m] the seed's goal
PLANNERS = {
    "auto": "a rehearsed line where nobody is in the way or nobody knows who will be, else the move tree",
    "line": "a rehearsed line, and futures tried out beside it",
    "tree": "clips of the move tree",
}
CALM = np.radians(1.0)  # of steering that turns back is no reversal
SECTORS = 3  # of a lap, or of an open track


@dataclass(frozen=True)
class Setting:
    """How to drive: the search, the goal, how long at most, and how many other cars."""

    search: SearchOptions = field(default_factory=lambda: SearchOptions(nodes=4000, weight=1.1))
    goal: str = "finish"
    improved: bool = True
    laps: int = 1
    cars: int | None = None
    seconds: float = 300.0
    margin: float = 0.25  # [m] kept between outlines
    planner: str = "auto"
    rivals: str = "steady"

    def __post_init__(self) -> None:
        require(self.goal in GOALS, "goal", self.goal, f"must be one of {', '.join(GOALS)}")
        require(self.planner in PLANNERS, "planner", self.planner, f"must be one of {', '.join(PLANNERS)}")
        require(self.rivals in KINDS, "rivals", self.rivals, f"must be one of {', '.join(KINDS)}")
        require(self.laps >= 1, "laps", self.laps, "must be at least 1")
        limit = f"must be above 0 and at most {LONGEST_DRIVE:g}"
        require(0 < self.seconds <= LONGEST_DRIVE, "seconds", self.seconds, limit)
        require(self.margin >= 0.05, "margin", self.margin, "must be at least 0.05 m")


@dataclass
class Drive:
    """What happened: states (n, 6) a frame, controls (n − 1, 3), the clips that were played, and times."""

    track: Track
    tree: MotionLibrary
    traffic: Traffic
    states: np.ndarray
    controls: np.ndarray
    clips: np.ndarray
    finished: bool
    crashed: bool
    seconds: float  # to the finish line, or as long as it lasted
    plan_ms: np.ndarray
    nodes_kept: int
    nodes_expanded: int
    nodes_generated: int
    bound: float | None = None  # [s] quasi-steady, where a course was driven
    deviation: float = 0.0  # [m] furthest beside where the car meant to be on its line

    def plan(self) -> Plan:
        """The motion that was chosen, with the driver's inputs where the tree's clips have them."""
        status = Status.SOLVED if self.finished else Status.STUCK if self.crashed else Status.LIMIT
        times = self.tree.dt * np.arange(len(self.states))
        length, width = outline_of(self.tree)
        meta = {
            "wing": "race",
            "scene": self.track.name,
            "kind": "car",
            "size": (length, width, HEIGHT),
            "units": CONTROL_UNITS,
        }
        return Plan(
            status, times, self.states, STATE, self.controls, CONTROLS, self.seconds, self.figures(), meta
        )

    def figures(self) -> dict[str, Any]:
        """The numbers that describe the drive."""
        ms = self.plan_ms if len(self.plan_ms) else np.zeros(1)
        return {
            "finished": self.finished,
            "crashed": self.crashed,
            "time": self.seconds,
            "frames": len(self.states) - 1,
            "nodes_expanded": self.nodes_expanded,
            "nodes_generated": self.nodes_generated,
            "nodes_kept": self.nodes_kept,
            "replans": len(self.plan_ms),
            "plan_ms_p50": float(np.percentile(ms, 50)),
            "plan_ms_p99": float(np.percentile(ms, 99)),
            **motion_figures(self.states, self.tree.dt),
        }

    def lap_figures(self, laps: int = 1) -> dict[str, Any]:
        """What a driver's trainer asks for: times of laps and sectors, and how calm the hands were."""
        along = progress_of(self.track, self.states)
        goal = self.track.finish * (laps if self.track.closed else 1)
        marks = along[0] + (goal - along[0]) * np.arange(1, SECTORS * laps + 1) / (SECTORS * laps)
        if self.track.closed:
            marks = self.track.finish * np.arange(1, SECTORS * laps + 1) / SECTORS
        passed = [self.tree.dt * float(np.argmax(along >= m)) for m in marks if (along >= m).any()]
        splits = np.diff([0.0, *passed]).round(6).tolist()
        return {
            "sectors": splits,
            "lap_seconds": [sum(splits[k : k + SECTORS]) for k in range(0, len(splits), SECTORS)],
            **steering_figures(self.controls, self.tree.dt),
        }


def steering_figures(controls: np.ndarray, dt: float = FRAME) -> dict[str, float]:
    """Of controls (n, 3): how fast the wheel turned at most [rad/s], seams included, and how often a second
    it turned back by more than `CALM`.
    """
    if len(controls) < 2:
        return {"steer_rate_max": 0.0, "steer_reversals_per_second": 0.0}
    steer = controls[:, 0]
    turns, way, last = 0, 0.0, steer[0]
    for angle in steer[1:]:
        if abs(angle - last) < CALM and way * (angle - last) <= 0.0:
            continue
        turns += way * (angle - last) < 0.0
        way, last = angle - last, angle
    return {
        "steer_rate_max": float(np.abs(np.diff(steer)).max() / dt),
        "steer_reversals_per_second": turns / (len(steer) * dt),
    }


def motion_figures(states: np.ndarray, dt: float = FRAME) -> dict[str, float]:
    """Way, top speed and sliding of a car's states (n, 6), `dt` seconds apart."""
    slip = sideslip(states)
    return {
        "distance": float(np.hypot(*np.diff(states[:, :2], axis=0).T).sum()),
        "max_speed": float(np.hypot(states[:, 3], states[:, 4]).max()),
        "max_sideslip_deg": float(np.degrees(slip.max())),
        "skid_seconds": float((slip > SKID).sum() * dt),
    }


def sideslip(states: np.ndarray) -> np.ndarray:
    """Angle (n,) between where the car points and where it goes [rad], 0 at walking pace."""
    course = np.arctan2(states[:, 4], states[:, 3])
    slip = np.abs(wrap(course - states[:, 2]))
    slow = np.hypot(states[:, 3], states[:, 4]) < 3.0
    return np.where(slow, 0.0, slip)


def guide_for(tree: MotionLibrary, track: Track, setting: Setting) -> Guide:
    if setting.goal == "far":
        return far_guide(tree, np.array(FAR_POINT), setting.improved)
    return track_guide(tree, track, setting.improved)


def drive(
    track: Track,
    tree: MotionLibrary,
    setting: Setting | None = None,
    seed: int = 0,
    guide: Guide | None = None,
    traffic: Traffic | None = None,
    car: CarParameters | None = None,
    reality: Reality | None = None,
    start: np.ndarray | None = None,
    line: np.ndarray | None = None,
) -> Drive:
    """Drive `track` with `tree` until the finish, a crash, or the time is over.

    The seed places the other cars, unless `traffic` is given, and the car itself across the road, unless its
    `start`, a state (6,), is given. Frame length and outline are the tree's. `car` is the one that the tree
    was made for, `reality` what may differ from it; `line` (k, 2) a line to drive, not the least bent one.
    """
    setting = setting or Setting()
    if by_line(tree, track, setting, guide, traffic, reality, start):
        return _drive_line(track, tree, setting, seed, traffic, car, reality, start, line)
    require(not track.bridges, "planner", "tree", f"must be line: {track.name} passes over itself")
    frames = int(setting.seconds / tree.dt)
    if traffic is None:
        # a plan made in the last frame looks ahead as far as any other
        seen = frames + setting.search.horizon + int(max(clip.frames for clip in tree.clips))
        traffic = _traffic(track, setting, seen, seed, tree.dt)
    guide = guide if guide is not None else guide_for(tree, track, setting)
    goal = track.finish * (setting.laps if track.closed else 1)
    if setting.goal == "progress" and track.closed:
        goal = np.inf
    target = goal if setting.goal == "finish" else np.inf
    at = 0.0 if track.closed else START
    pose, node = start_pose(track, seed, outline_of(tree)[1], at), None
    if start is not None:
        pose, node = start[:3], nearest_node(tree, start)
    if start is not None or track.start is not None:
        at = float(progress_of(track, pose[None])[0])
    pilot = Pilot(tree, track, guide, setting.search, traffic, setting.margin, pose, node, at, target)
    # compiles on first use, outside the measured times
    pilot.search.prepare()
    pilot.search.search(pose, pilot.node, 0, at, target)
    others, log = traffic.others(), _Log(pilot)
    finished = crashed = False
    while log.frames < frames and not (finished or crashed):
        if pilot.at_transition:
            log.planned(pilot.plan(log.frames), pilot.plan_seconds)
        before = pilot.pose
        move = pilot.choose(log.frames)
        if pilot.status is Status.STUCK:
            way = np.array([before, move.pose])
            crashed = first_contact(way, track.walls, others, log.frames, pilot.outline) >= 0
        log.played(move)
        finished = not crashed and pilot.progress >= goal
    went_on = np.isinf(goal) and not crashed  # there was no finish: to keep going was the task
    return log.drive(track, tree, traffic, finished or went_on, crashed)


def by_line(
    tree: MotionLibrary,
    track: Track,
    setting: Setting,
    guide: Guide | None = None,
    traffic: Traffic | None = None,
    reality: Reality | None = None,
    start: np.ndarray | None = None,
) -> bool:
    """Whether a drive follows a rehearsed line rather than clips."""
    if setting.planner != "auto":
        return setting.planner == "line"
    if not along_road(track, start):
        return False
    able = bool(tree.meta.get("speeds_continuous")) and abs(tree.dt - FRAME) < 1e-9
    if not able or setting.goal != "finish" or not setting.improved or guide is not None:
        return False
    alone = (
        setting.cars == 0 or (setting.cars is None and not track.lanes)
        if traffic is None
        else not traffic.cars
    )
    return bool(alone or setting.rivals != "steady" or (reality is not None and reality.physics))


def _drive_line(
    track: Track,
    tree: MotionLibrary,
    setting: Setting,
    seed: int,
    traffic: Traffic | None,
    car: CarParameters | None,
    reality: Reality | None,
    start: np.ndarray | None,
    line: np.ndarray | None,
) -> Drive:
    reality = reality or Reality()
    if start is None:
        at = 0.0 if track.closed else START
        start = np.concatenate([start_pose(track, seed, WIDTH, at), np.zeros(3)])
    margin = setting.margin + reality.margin
    course = plan_course(track, car, start, setting.laps, margin, reality.caution, line)
    seen = int(setting.seconds / FRAME) + setting.search.horizon
    scene: Scene
    if setting.rivals != "steady" and traffic is None and track.lanes:
        scene = Rivals(track, seen, seed, setting.rivals, setting.cars)
    else:
        scene = Scripted(traffic or _traffic(track, setting, seen, seed, FRAME))
    racer = Racer(course, scene, reality, setting.search.horizon, setting.search.nodes, setting.margin, seed)
    target = track.finish * (setting.laps if track.closed else 1)
    run = racer.run(setting.seconds, target)
    return Drive(
        track,
        tree,
        scene.traffic(),
        run.states,
        run.controls,
        np.zeros(0, np.int32),
        run.finished,
        run.contact >= 0,
        len(run.controls) * FRAME,
        run.thoughts,
        run.nodes,
        run.tried,
        run.tried,
        course.bound * (setting.laps if track.closed else 1),
        racer.deviation,
    )


def start_pose(track: Track, seed: int, width: float = WIDTH, at: float = START) -> np.ndarray:
    """On the grid, anywhere across the middle half of the road, unless the track says where."""
    if track.start is not None:
        return np.array(track.start)
    room = max(0.0, 0.5 * (min(track.left[4], track.right[4]) - width / 2 - 0.6))
    return track.pose(at, generator(seed, "start").uniform(-room, room))


def along_road(track: Track, start: np.ndarray | None = None) -> bool:
    """Whether a start, by default the track's own, faces along the road, so that a line leads on from it."""
    pose = track.start if start is None else start
    if pose is None:
        return True
    road = track.pose(float(track.progress(np.asarray(pose)[:2])[0]))[2]
    return bool(abs(wrap(pose[2] - road)) < ALONG)


def nearest_node(tree: MotionLibrary, state: np.ndarray) -> int:
    """The node of a tree to start from in `state` (6,); refused where none has about its speed."""
    apart = np.abs(body_velocity(state) - tree.node_velocity).sum(axis=1)
    node = int(np.argmin(apart))
    speeds = ", ".join(f"{u:g}" for u in sorted({round(float(u), 3) for u in tree.node_velocity[:, 0]}))
    where = f"start, speed for {tree.name}"
    require(apart[node] < 0.5, where, float(np.hypot(*state[3:5])), f"must be one of {speeds} m/s")
    return node


def _traffic(track: Track, setting: Setting, frames: int, seed: int, dt: float) -> Traffic:
    if setting.cars == 0 or (setting.cars is None and not track.lanes):
        return no_traffic(frames + 1)
    return drive_lanes(track, frames + 1, seed, setting.cars, dt)


class _Log:
    """Collects what was driven."""

    def __init__(self, pilot: Pilot):
        self.poses, self.velocity = [pilot.pose], [pilot.velocity]
        self.controls: list[np.ndarray] = []
        self.clips: list[int] = []
        self.ms: list[float] = []
        self.kept = self.expanded = self.generated = 0

    @property
    def frames(self) -> int:
        return len(self.poses) - 1

    def planned(self, route: Route, seconds: float) -> None:
        self.clips.append(int(route.clips[0]))
        self.ms.append(1e3 * seconds)
        self.kept += route.kept
        self.expanded += route.expanded
        self.generated += route.generated

    def played(self, move: Move) -> None:
        self.poses.append(move.pose)
        self.velocity.append(move.velocity)
        self.controls.append(move.controls if len(move.controls) else np.zeros(3))

    def drive(
        self, track: Track, tree: MotionLibrary, traffic: Traffic, finished: bool, crashed: bool
    ) -> Drive:
        return Drive(
            track,
            tree,
            traffic,
            world_states(np.array(self.poses), np.array(self.velocity)),
            np.array(self.controls).reshape(self.frames, -1) if self.controls else np.zeros((0, 3)),
            np.array(self.clips, dtype=np.int32),
            bool(finished),
            bool(crashed),
            self.frames * tree.dt,
            np.array(self.ms),
            self.kept,
            self.expanded,
            self.generated,
        )
