"""The drives behind Adam's tables: one case of a table, driven once with one seed.

A case is driven *as the original did* (goal a far point or the shortest way along the track, estimate by top
speed alone, no detection of duplicates) or *with our guide* (the time the tree itself would need along the
racing line, duplicates detected).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np

from swerve.core.library import MotionLibrary
from swerve.core.seeding import generator
from swerve.core.sweep import sweep
from swerve.race.car import FRAME
from swerve.race.drive import Setting, drive, guide_for
from swerve.race.driven import Drive
from swerve.race.guide import Guide
from swerve.race.route import SearchOptions
from swerve.race.touch import first_contact
from swerve.race.track import Track
from swerve.race.tracks import load_track
from swerve.race.traffic import FAR, Traffic
from swerve.race.trees import load_tree, skids, without_skids

EVEN_SPEED, EVEN_SPACING, EVEN_FIRST = 14.5, 68.0, 60.0  # [m/s], [m], [m]: the mean of the track's own lanes
EVEN_LANES = {-5.4: 0.0, -1.8: 0.5, 1.8: 0.25, 5.4: 0.75}  # [m] left of the centre: phase of the pattern


@dataclass(frozen=True)
class Case:
    """A row of a table: where, with what, how far ahead in frames, at most how many nodes."""

    track: str
    tree: str
    horizon: int
    nodes: int
    theirs: str = "–"  # what the original's table says
    goal: str = "far"
    guided: bool = False  # with our guide instead of the original's estimate
    cars: int | None = None  # None: as many as the track has
    even: bool = False  # cars evenly spaced at one speed instead of the track's own
    seconds: float = 120.0

    @property
    def clips(self) -> int | None:
        """Clips of one second ahead, for the small trees."""
        return (self.horizon + 1) // 25 if self.tree in ("five", "seven") else None

    @property
    def their_seconds(self) -> float | None:
        """The original's time as a number, where it is one."""
        first = self.theirs.split()[0]
        return float(first) if first.replace(".", "", 1).isdigit() else None

    @property
    def label(self) -> str:
        ahead = f"{self.clips} clip{'s' * (self.clips > 1)}" if self.clips else f"{self.horizon} frames"
        nodes = f"{self.nodes // 1000}k" if self.nodes % 1000 == 0 else str(self.nodes)
        crowd = f", {self.cars} cars" if self.cars else ""
        return f"{self.tree}, {ahead}, {nodes}{crowd}" + (", guided" if self.guided else "")


@dataclass(frozen=True)
class Outcome:
    """One drive. `seconds` to the finish, to the crash, or as long as it was to last."""

    case: Case
    seed: int
    cars: int
    finished: bool
    crashed: bool
    seconds: float
    plan_seconds: float
    replans: int
    nodes_kept: float  # a plan, on average
    unseen_contact: bool  # the independent check found a contact that the planner did not
    skid_seconds: float
    max_sideslip: float  # [deg]
    skid_clips: int
    seam_jump: float  # largest |Δu| + |Δv| + |Δω| from a clip to the next
    frame_change: float  # [m/s²] largest change of velocity in a frame, over its duration
    frame_turn: float  # [rad/s²] largest change of yaw rate in a frame, over its duration
    states: np.ndarray  # (n, 6)

    @property
    def survived(self) -> bool:
        return not self.crashed


def run_cases(cases: Sequence[Case], seed: int, trials: int, what: str) -> dict[Case, list[Outcome]]:
    """Drive every case with seeds `seed`, `seed` + 1, …"""
    todo = [(case, seed + k) for case in cases for k in range(trials)]
    done = sweep(run_case, todo, what)
    return {case: done[i * trials : (i + 1) * trials] for i, case in enumerate(cases)}


def run_case(item: tuple[Case, int]) -> Outcome:
    case, seed = item
    track, tree = open_track(case.track), tree_of(case.tree)
    setting = setting_of(case)
    traffic = traffic_of(case, seed)
    driven = drive(track, tree, setting, seed, _guide(case.track, case.tree, case.goal, case.guided), traffic)
    figures = driven.figures()
    contact = first_contact(driven.states[:, :3], track.walls, driven.traffic)
    velocity = np.diff(driven.states[:, 3:], axis=0)
    return Outcome(
        case,
        seed,
        driven.traffic.cars,
        driven.finished,
        driven.crashed,
        driven.seconds,
        float(driven.plan_ms.sum() / 1e3),
        len(driven.plan_ms),
        driven.nodes_kept / max(1, len(driven.plan_ms)),
        contact >= 0 and not driven.crashed,
        figures["skid_seconds"],
        figures["max_sideslip_deg"],
        int(skids(tree)[driven.clips].sum()),
        seam_jump(driven),
        float(np.hypot(velocity[:, 0], velocity[:, 1]).max(initial=0.0) / FRAME),
        float(np.abs(velocity[:, 2]).max(initial=0.0) / FRAME),
        driven.states,
    )


def setting_of(case: Case) -> Setting:
    return Setting(
        SearchOptions(horizon=case.horizon, nodes=case.nodes, duplicates=case.guided),
        goal=case.goal,
        improved=case.guided,
        cars=case.cars,
        seconds=case.seconds,
        planner="tree",
    )


def seam_jump(driven: Drive) -> float:
    """Largest |Δu| + |Δv| + |Δω| [m/s, rad/s] from the end of a clip to the start of the next."""
    clips = [driven.tree.clips[k] for k in driven.clips]
    jumps = [np.abs(b.velocity[0] - a.velocity[-1]).sum() for a, b in pairwise(clips)]
    return float(max(jumps, default=0.0))


class OpenEnded(Track):
    """A track without the wall behind its end.

    The original's goal lies far beyond the finish. A planner that looks past it must not find a dead end
    there, or it would brake, or give up, before a line it is to cross.
    """

    @cached_property
    def segments(self) -> np.ndarray:
        return super().segments[: -1 if not self.closed else None]


@cache
def open_track(name: str) -> Track:
    track = load_track(name)
    return OpenEnded(**{field.name: getattr(track, field.name) for field in dataclasses.fields(Track)})


@cache
def tree_of(name: str) -> MotionLibrary:
    """A tree by name; `large without skids` is that."""
    if name.endswith(" without skids"):
        return without_skids(load_tree(name.removesuffix(" without skids")))
    return load_tree(name)


@cache
def _guide(track: str, tree: str, goal: str, guided: bool) -> Guide:
    return guide_for(tree_of(tree), open_track(track), Setting(goal=goal, improved=guided))


def traffic_of(case: Case, seed: int) -> Traffic | None:
    """Evenly spaced cars at one speed in four lanes, staggered, when the case asks for them.

    So the original's figure of the long straight shows its cars; `seed` shifts the pattern along the road.
    """
    if not case.even:
        return None
    track = open_track(case.track)
    shift = generator(seed, "even traffic").uniform(0.0, 1.0)
    t = FRAME * np.arange(int(case.seconds / FRAME) + 2 * case.horizon)
    lanes = []
    for offset, phase in EVEN_LANES.items():
        first = EVEN_FIRST + EVEN_SPACING * ((shift + phase) % 1.0)
        s = np.arange(first, track.finish, EVEN_SPACING)[:, None] + EVEN_SPEED * t
        lanes.append(track.pose(s, np.full(s.shape, offset)))
        lanes[-1][s > track.length - 1.0, :2] = FAR
    return Traffic(np.concatenate(lanes))
