"""The route search against itself in plain Python without a broad phase, as the thesis had it.

The setting: a ring road of 200 wall segments, 30 moving cars, a tree of ten clips of 25 frames, duplicates
detected, growth until 45,000 nodes are kept. The reference grows the same tree on fewer nodes, tests every
piece of a clip against every wall and every car, and must arrive at the same route cost.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from swerve.core.clips import Clip
from swerve.core.library import MotionLibrary
from swerve.core.progress import track as show_progress
from swerve.race import Setting, drive, generate, load_track, load_tree
from swerve.race.car import FRAME
from swerve.race.guide import Guide, track_guide
from swerve.race.route import RouteSearch, SearchOptions
from swerve.race.track import Track
from swerve.race.traffic import Traffic

from .plain_route import plain_search
from .pursuit import best_pursuit

KEPT = 45_000
REFERENCE_KEPT = 1_500
ROUNDS = 20
PURSUED: dict[str, tuple[float, int, float, float, int] | None] = {  # by name, or as they are generated
    "cornered": None,
    "sharp-cornered": None,
    "1500 m, 12 corners, sharpness 1, 6 m, seed 1": (1500.0, 12, 1.0, 6.0, 1),
    "800 m, 20 corners, sharpness 1, 14 m, seed 3": (800.0, 20, 1.0, 14.0, 3),
    "500 m, 10 corners, sharpness 0.8, 6 m, seed 8": (500.0, 10, 0.8, 6.0, 8),
}


def run() -> dict[str, Any]:
    tree, track, traffic, guide = setting()
    start = track.pose(2.0)
    search = RouteSearch(tree, track, guide, _options(KEPT), traffic)
    route = search.search(start, 0)  # compiles
    times = []
    for _ in show_progress(range(ROUNDS), "search"):
        began = time.perf_counter()
        route = search.search(start, 0)
        times.append(time.perf_counter() - began)
    seconds = float(np.median(times))

    small = RouteSearch(tree, track, guide, _options(REFERENCE_KEPT), traffic)
    quick = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        ours = small.search(start, 0)
        quick.append(time.perf_counter() - began)
    began = time.perf_counter()
    theirs = plain_search(small, start, 0)
    plain = time.perf_counter() - began
    return {
        "kept_nodes_per_second": route.kept / seconds,
        "expansions_per_second": route.expanded / seconds,
        "ms_45000_kept": 1e3 * seconds * KEPT / route.kept,
        "ratio_to_plain_python": plain / float(np.median(quick)),
        "same_route_cost": bool(abs(ours.cost - theirs.cost) < 1e-6 and ours.kept == theirs.kept),
        "route_cost": ours.cost,
        "plain_python_route_cost": theirs.cost,
        "kept": route.kept,
        "generated": route.generated,
        "reference_kept": theirs.kept,
        "ms_plain_python": 1e3 * plain,
        "wall_segments": len(track.segments),
        "moving_cars": traffic.cars,
        "clips": len(tree.clips),
        "pursuit": against_pursuit(),
    }


def against_pursuit() -> dict[str, dict[str, float | None]]:
    """Seconds of the planner and of the best pure pursuit on tracks without other cars; none where no setting
    of the pursuit gets round.
    """
    large, setting = load_tree("large"), Setting(cars=0)
    times: dict[str, dict[str, float | None]] = {}
    for name, form in show_progress(list(PURSUED.items()), "pursuit"):
        place = load_track(name) if form is None else generate(*form)
        pursuit = best_pursuit(place)
        times[name] = {
            "planner_s": drive(place, large, setting).seconds,
            "pursuit_s": pursuit if np.isfinite(pursuit) else None,
        }
    return times


def setting() -> tuple[MotionLibrary, Track, Traffic, Guide]:
    """Tree, ring road, cars and guide."""
    angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    half = np.full(100, 7.0)
    track = Track("ring", 100 * np.column_stack([np.cos(angle), np.sin(angle)]), half, half, closed=True)
    speed = np.tile([8.0, 11.0, 14.0], 10)[:, None]
    offset = np.tile([-4.5, 0.0, 4.5], 10)[:, None]
    s = np.linspace(25.0, track.length, 30, endpoint=False)[:, None] + speed * FRAME * np.arange(1500)
    traffic = Traffic(track.pose(s, np.broadcast_to(offset, s.shape)))
    turns = [(20.0, 0.0), (12.0, 0.0)]
    turns += [(v, sign * bend) for v, bend in ((20, 6), (18, 12), (16, 24), (12, 40)) for sign in (1, -1)]
    clips = tuple(_arc(v, np.radians(bend)) for v, bend in turns)
    none = np.zeros(len(clips), dtype=np.int64)
    tree = MotionLibrary("ten", clips, none, none, ("any",), np.array([[18.0, 0.0, 0.0]]))
    return tree, track, traffic, track_guide(tree, track, improved=False)


def _options(nodes: int) -> SearchOptions:
    return SearchOptions(horizon=1000, nodes=nodes, exhaustive=True)


def _arc(speed: float, turn: float, frames: int = 25) -> Clip:
    """Driving along an arc."""
    heading = np.linspace(0.0, turn, frames + 1)
    middle = (heading[1:] + heading[:-1]) / 2
    step = speed * FRAME * np.column_stack([np.cos(middle), np.sin(middle)])
    pose = np.column_stack([np.vstack([[0, 0], np.cumsum(step, axis=0)]), heading])
    velocity = np.tile([speed, 0.0, turn / (frames * FRAME)], (frames + 1, 1))
    return Clip(f"{speed:g} m/s {np.degrees(turn):+.0f}°", FRAME, pose, velocity)
