"""Driving: plan at every transition point, play the first clip of the route, plan again.

The plan is made while driving, with the rest of the last route as a floor: what is driven never gets worse
by thinking again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swerve.core.clips import place_poses, world_states
from swerve.core.errors import BadInput, require
from swerve.core.geometry import wrap
from swerve.core.library import MotionLibrary
from swerve.core.plan import Plan, Status
from swerve.core.seeding import generator

from .car import CONTROL_UNITS, CONTROLS, FRAME, HEIGHT, LENGTH, STATE, WIDTH
from .guide import Guide, far_guide, track_guide
from .route import RouteSearch, SearchOptions
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
        times = FRAME * np.arange(len(self.states))
        meta = {
            "wing": "race",
            "scene": self.track.name,
            "kind": "car",
            "size": (LENGTH, WIDTH, HEIGHT),
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
            **motion_figures(self.states),
        }


def motion_figures(states: np.ndarray) -> dict[str, float]:
    """Way, top speed and sliding of a car's states (n, 6)."""
    slip = sideslip(states)
    return {
        "distance": float(np.hypot(*np.diff(states[:, :2], axis=0).T).sum()),
        "max_speed": float(np.hypot(states[:, 3], states[:, 4]).max()),
        "max_sideslip_deg": float(np.degrees(slip.max())),
        "skid_seconds": float((slip > SKID).sum() * FRAME),
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

    The seed places the other cars, unless `traffic` is given, and the car itself across the road.
    """
    require(abs(tree.dt - FRAME) < 1e-9, f"move tree {tree.name}, frame", tree.dt, f"must be {FRAME:g} s")
    setting = setting or Setting()
    frames = int(setting.seconds / FRAME)
    if traffic is None:
        # a plan made in the last frame looks ahead as far as any other
        seen = frames + setting.search.horizon + int(max(clip.frames for clip in tree.clips))
        traffic = _traffic(track, setting, seen, seed)
    guide = guide if guide is not None else guide_for(tree, track, setting)
    search = RouteSearch(tree, track, guide, setting.search, traffic, setting.margin)
    node = int(np.argmin(tree.node_velocity[:, 0]))
    pose = start_pose(track, seed)
    line = track.finish * (setting.laps if track.closed else 1)
    if setting.goal == "progress" and track.closed:
        line = np.inf
    target = line if setting.goal == "finish" else np.inf
    log = _Log(pose, tree, node)
    tail, progress = np.zeros(0, np.int32), START
    search.search(pose, node, 0, progress, target)  # compiles on first use, outside the measured times
    finished = crashed = False
    while log.frames < frames and not (finished or crashed):
        began = time.perf_counter()
        route = search.search(pose, node, log.frames, progress, target, tail)
        log.planned(route, time.perf_counter() - began)
        clip = int(route.clips[0]) if len(route.clips) else _last_resort(search, tree, node)
        tail = route.clips[1:]
        poses = place_poses(tree.clips[clip].pose, pose)
        contact = -1 if len(route.clips) else first_contact(poses, track.walls, traffic, log.frames)
        stop = contact if contact >= 0 else len(poses) - 1
        log.played(clip, poses[: stop + 1], tree)
        crashed = contact >= 0
        pose, node = poses[stop], int(tree.target[clip])
        before = progress
        progress = _advance(track, log.poses[-1], progress)
        finished = not crashed and progress >= line
        if finished:
            log.cut(_line_crossing(track, log, before, len(poses), setting.laps))
    went_on = np.isinf(line) and not crashed  # there was no finish: to keep going was the task
    return log.drive(track, tree, traffic, finished or went_on, crashed)


def start_pose(track: Track, seed: int) -> np.ndarray:
    """On the grid, anywhere across the middle half of the road."""
    room = 0.5 * (min(track.left[4], track.right[4]) - 1.5)
    return track.pose(START, generator(seed, "start").uniform(-room, room))


def _traffic(track: Track, setting: Setting, frames: int, seed: int) -> Traffic:
    if setting.cars == 0 or (setting.cars is None and not track.lanes):
        return no_traffic(frames + 1)
    return drive_lanes(track, frames + 1, seed, setting.cars)


def _advance(track: Track, poses: np.ndarray, progress: float) -> float:
    along, _ = track.progress(poses[-1, :2])
    if not track.closed:
        return float(along)
    return float(along + track.length * np.round((progress - along) / track.length))


def _line_crossing(track: Track, log: _Log, before: float, played: int, laps: int) -> int:
    """The frame of the run at which the finish line is crossed."""
    goal = track.finish * (laps if track.closed else 1)
    along, _ = track.progress(log.poses[-1][:, :2])
    if track.closed:
        along = along + track.length * np.round((before - along) / track.length)
        along = np.where(along < before - 1.0, along + track.length, along)
    over = np.flatnonzero(along >= goal)
    return log.frames - (played - 1) + int(over[0] if len(over) else played - 1)


def _last_resort(search: RouteSearch, tree: MotionLibrary, node: int) -> int:
    """With every way blocked: the clip that ends slowest."""
    choices = tree.out_of(node)
    if len(choices) == 0:
        raise BadInput(f"move tree {tree.name}", tree.node_names[node], "has no clip that leaves node")
    speed = [np.hypot(*tree.clips[k].velocity[-1, :2]) for k in choices]
    return int(choices[int(np.argmin(speed))])


class _Log:
    """Collects what was driven."""

    def __init__(self, pose: np.ndarray, tree: MotionLibrary, node: int):
        self.poses: list[np.ndarray] = []
        self.clips: list[int] = []
        self.ms: list[float] = []
        self.frames = 0
        self.kept = self.expanded = self.generated = 0
        self.states = [world_states(pose[None], tree.node_velocity[node][None])]
        self.controls: list[np.ndarray] = []

    def planned(self, route: Any, seconds: float) -> None:
        self.ms.append(1e3 * seconds)
        self.kept += route.kept
        self.expanded += route.expanded
        self.generated += route.generated

    def played(self, clip: int, poses: np.ndarray, tree: MotionLibrary) -> None:
        move = tree.clips[clip]
        n = len(poses) - 1
        self.poses.append(poses)
        self.clips.append(clip)
        self.frames += n
        self.states.append(world_states(poses, move.velocity[: n + 1])[1:])
        controls = move.controls[:n] if move.controls.size else np.zeros((n, 3))
        self.controls.append(controls)

    def cut(self, frame: int) -> None:
        self.frames = frame

    def drive(
        self, track: Track, tree: MotionLibrary, traffic: Traffic, finished: bool, crashed: bool
    ) -> Drive:
        states = np.vstack(self.states)[: self.frames + 1]
        controls = np.vstack(self.controls)[: self.frames] if self.controls else np.zeros((0, 3))
        return Drive(
            track,
            tree,
            traffic,
            states,
            controls,
            np.array(self.clips, dtype=np.int32),
            finished,
            crashed,
            self.frames * FRAME,
            np.array(self.ms),
            self.kept,
            self.expanded,
            self.generated,
        )
