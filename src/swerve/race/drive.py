"""Driving a track from the grid to the finish.

Two drivers share the work. On a road of its own a car drives a `Course`, a rehearsed line, frame by frame; so
it does by physics and among rivals of whom nobody knows what they will do. Among cars whose ways are known,
and with the small trees, a pilot plays clips of a move tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from swerve.core.clips import world_states
from swerve.core.errors import require
from swerve.core.library import MotionLibrary
from swerve.core.plan import Status

from .car import FRAME, WIDTH
from .course import plan_course, progress_of
from .driven import Drive
from .entry import START, Entry, along_road, check_start, nearest_node, start_pose
from .guide import Guide, far_guide, track_guide
from .moves import outline_of
from .pilot import Leg, Move, Pilot
from .racer import Racer
from .rivals import KINDS, Recorded, Rivals
from .route import Route, SearchOptions
from .scene import Scene, Scripted
from .touch import first_contact
from .track import Track
from .traffic import Traffic, drive_lanes, no_traffic
from .trees import car_of

LONGEST_DRIVE = 3600.0  # [s]
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
    entry: Entry | None = None,
) -> Drive:
    """Drive `track` with `tree` until the finish, a crash, or the time is over.

    The seed places the other cars, unless `traffic` is given, and the car itself across the road, unless the
    `entry` says where it starts. Frame length and outline are the tree's. Of `traffic` the driver knows what
    it will do, unless `setting.rivals` says that it is not steady: then only what it did so far.
    """
    setting, entry = setting or Setting(), entry or Entry()
    start = entry.start
    if start is not None:
        check_start(track, np.asarray(start, dtype=np.float64))
    if by_line(tree, track, setting, guide, traffic, entry):
        why = f"must be tree: a car that starts so on {track.name} does not face along the road"
        require(along_road(track, start), "planner", "line", why)
        return _drive_line(track, tree, setting, seed, traffic, entry)
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
    leg = Leg(at, target, pose, node)
    pilot = Pilot(tree, track, leg, guide, setting.search, traffic, setting.margin)
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
    entry: Entry | None = None,
) -> bool:
    """Whether a drive follows a rehearsed line rather than clips."""
    entry = entry or Entry()
    if setting.planner != "auto":
        return setting.planner == "line"
    if not along_road(track, entry.start):
        return False
    able = bool(tree.meta.get("speeds_continuous")) and abs(tree.dt - FRAME) < 1e-9
    if not able or setting.goal != "finish" or not setting.improved or guide is not None:
        return False
    alone = (
        setting.cars == 0 or (setting.cars is None and not track.lanes)
        if traffic is None
        else not traffic.cars
    )
    return bool(alone or setting.rivals != "steady" or entry.reality.physics or track.bridges)


def _drive_line(
    track: Track,
    tree: MotionLibrary,
    setting: Setting,
    seed: int,
    traffic: Traffic | None,
    entry: Entry,
) -> Drive:
    reality, start = entry.reality, entry.start
    if start is None:
        at = 0.0 if track.closed else START
        start = np.concatenate([start_pose(track, seed, WIDTH, at), np.zeros(3)])
    margin = setting.margin + reality.margin
    course = plan_course(
        track,
        entry.car or car_of(tree),
        start,
        setting.laps,
        margin,
        reality.caution,
        entry.line,
        calm=reality.calm,
    )
    seen = int(setting.seconds / FRAME) + setting.search.horizon
    scene: Scene
    if setting.rivals != "steady" and traffic is None and track.lanes:
        scene = Rivals(track, seen, seed, setting.rivals, setting.cars)
    elif setting.rivals != "steady" and traffic is not None:
        scene = Recorded(track, traffic)
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
        bool(run.finished),
        run.contact >= 0,
        len(run.controls) * FRAME,
        run.thoughts,
        run.nodes,
        run.tried,
        run.tried,
        course.bound * (setting.laps if track.closed else 1),
        racer.deviation,
        course.line,
        course.tried,
    )


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
