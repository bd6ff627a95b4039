"""Driving a track from the grid to the finish: a pilot is asked frame by frame, and its moves are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swerve.core.clips import world_states
from swerve.core.errors import require
from swerve.core.geometry import wrap
from swerve.core.library import MotionLibrary
from swerve.core.plan import Plan, Status
from swerve.core.seeding import generator

from .car import CONTROL_UNITS, CONTROLS, FRAME, HEIGHT, STATE, WIDTH
from .guide import Guide, far_guide, track_guide
from .moves import outline_of
from .pilot import Move, Pilot
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

    def __post_init__(self) -> None:
        require(self.goal in GOALS, "goal", self.goal, f"must be one of {', '.join(GOALS)}")
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
) -> Drive:
    """Drive `track` with `tree` until the finish, a crash, or the time is over.

    The seed places the other cars, unless `traffic` is given, and the car itself across the road. Frame
    length and outline are the tree's.
    """
    setting = setting or Setting()
    frames = int(setting.seconds / tree.dt)
    if traffic is None:
        # a plan made in the last frame looks ahead as far as any other
        seen = frames + setting.search.horizon + int(max(clip.frames for clip in tree.clips))
        traffic = _traffic(track, setting, seen, seed, tree.dt)
    guide = guide if guide is not None else guide_for(tree, track, setting)
    line = track.finish * (setting.laps if track.closed else 1)
    if setting.goal == "progress" and track.closed:
        line = np.inf
    target = line if setting.goal == "finish" else np.inf
    pose = start_pose(track, seed, outline_of(tree)[1])
    pilot = Pilot(
        tree, track, guide, setting.search, traffic, setting.margin, pose, progress=START, target=target
    )
    # compiles on first use, outside the measured times
    pilot.search.search(pose, pilot.node, 0, START, target)
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
        finished = not crashed and pilot.progress >= line
    went_on = np.isinf(line) and not crashed  # there was no finish: to keep going was the task
    return log.drive(track, tree, traffic, finished or went_on, crashed)


def start_pose(track: Track, seed: int, width: float = WIDTH) -> np.ndarray:
    """On the grid, anywhere across the middle half of the road."""
    room = max(0.0, 0.5 * (min(track.left[4], track.right[4]) - width / 2 - 0.6))
    return track.pose(START, generator(seed, "start").uniform(-room, room))


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
