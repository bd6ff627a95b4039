"""The route search against exhaustive enumeration, its limits, and what is the same in every search."""

from itertools import pairwise

import numpy as np
import pytest

from swerve.core.clips import Clip, place_poses
from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary, keep
from swerve.core.plan import Status
from swerve.race.car import FRAME
from swerve.race.guide import far_guide, track_guide
from swerve.race.route import RouteSearch, SearchOptions
from swerve.race.track import Track
from swerve.race.tracks import generate
from swerve.race.traffic import Traffic
from test_collide import place_with

POINT = np.array([300.0, 20.0])


def arc(speed: float, degrees: float, frames: int) -> Clip:
    heading = np.linspace(0.0, np.radians(degrees), frames + 1)
    middle = (heading[1:] + heading[:-1]) / 2
    step = speed * FRAME * np.column_stack([np.cos(middle), np.sin(middle)])
    pose = np.column_stack([np.vstack([[0, 0], np.cumsum(step, axis=0)]), heading])
    return Clip(f"{speed:g} {degrees:g}", FRAME, pose, np.tile([speed, 0.0, 0.0], (frames + 1, 1)))


def small_tree(rng: np.random.Generator, clips: int = 4) -> MotionLibrary:
    """Two nodes, each with clips of random speed, turn and duration that lead to either."""
    made, source = [], []
    for node in (0, 1):
        for k in range(clips):
            turn = 0.0 if k == 0 else rng.uniform(-40, 40)
            made.append(arc(rng.uniform(8, 25), turn, int(rng.integers(12, 26))))
            source.append(node)
    target = rng.integers(0, 2, len(made))
    return MotionLibrary("small", tuple(made), np.array(source), target, ("a", "b"), np.zeros((2, 3)))


class EveryRoute:
    """All routes up to the horizon, by recursion. Whether a clip is free is asked clip by clip."""

    def __init__(self, tree: MotionLibrary, track: Track, horizon: int, estimate, reached=None):
        self.tree, self.horizon, self.estimate, self.reached = tree, horizon, estimate, reached
        self.single = []
        for k, clip in enumerate(tree.clips):
            alone = keep(tree, [k])
            guide = far_guide(alone, POINT, improved=False)
            options = SearchOptions(horizon=clip.frames, nodes=4, duplicates=False)
            self.single.append(RouteSearch(alone, track, guide, options))
        self.count = 0

    def best(self, pose: np.ndarray, node: int, frame: int = 0) -> float:
        """Least cost of a route that ends at the horizon or the goal; infinite if all are blocked."""
        least = np.inf
        for k in self.tree.out_of(node):
            self.count += 1
            if self.single[k].search(pose, node).status is Status.STUCK:
                continue
            end = place_poses(self.tree.clips[k].pose[-1:], pose)[0]
            late = frame + self.tree.clips[k].frames
            if late >= self.horizon or (self.reached is not None and self.reached(end)):
                least = min(least, late + self.estimate(end))
            else:
                least = min(least, self.best(end, int(self.tree.target[k]), late))
        return least


def poses_of(tree: MotionLibrary, clips: np.ndarray, pose: np.ndarray) -> list[np.ndarray]:
    ends = [pose]
    for k in clips:
        ends.append(place_poses(tree.clips[k].pose[-1:], ends[-1])[0])
    return ends


@pytest.mark.parametrize("seed", range(8))
def test_route_is_as_good_as_the_best_of_all_routes_to_a_far_point(seed):
    rng = np.random.default_rng(seed)
    tree = small_tree(rng)
    walls = np.column_stack(
        [rng.uniform([5, -25], [60, 25], (6, 2)), rng.uniform([5, -25], [60, 25], (6, 2))]
    )
    walls = walls[np.minimum(np.hypot(walls[:, 0], walls[:, 1]), np.hypot(walls[:, 2], walls[:, 3])) > 6]
    walls = np.vstack([walls, [[-30.0, -30.0, -30.0, 30.0]]])
    track, start = place_with(walls), np.array([0.0, 0.0, rng.uniform(-0.3, 0.3)])
    top = max(np.hypot(*np.diff(clip.pose[:, :2], axis=0).T).max() for clip in tree.clips)
    every = EveryRoute(tree, track, 70, lambda end: np.hypot(*(POINT - end[:2])) / top)
    best = every.best(start, 0)
    guide = far_guide(tree, POINT, improved=False)
    options = SearchOptions(horizon=70, nodes=20_000, duplicates=False)
    route = RouteSearch(tree, track, guide, options).search(start, 0)
    if np.isinf(best):
        assert route.status is Status.STUCK
        return
    assert route.status is Status.HORIZON
    assert route.cost == pytest.approx(best, abs=1e-6)
    end = poses_of(tree, route.clips, start)[-1]
    frames = sum(tree.clips[k].frames for k in route.clips)
    assert route.cost == pytest.approx(frames + np.hypot(*(POINT - end[:2])) / top, abs=1e-6)
    assert route.expanded < every.count  # it did not look at everything
    assert all(tree.target[a] == tree.source[b] for a, b in pairwise(route.clips))


@pytest.mark.parametrize("seed", range(6))
def test_route_to_the_finish_is_the_best_of_all_routes(seed):
    """With the simple estimate, which must never promise too little time, nothing better is overlooked."""
    rng = np.random.default_rng(100 + seed)
    tree = small_tree(rng, 3)
    track = generate(length=100, corners=1, sharpness=0.0, width=20, seed=seed)
    start, begin = track.pose(track.finish - 55.0), track.finish - 55.0
    top = max(np.hypot(*np.diff(clip.pose[:, :2], axis=0).T).max() for clip in tree.clips)

    def along(end):
        return float(track.progress(end[:2])[0])

    every = EveryRoute(
        tree,
        track,
        10_000,
        lambda end: -(along(end) - track.finish) / top,
        lambda end: along(end) >= track.finish,
    )
    best = every.best(start, 0)
    guide = track_guide(tree, track, improved=False)
    options = SearchOptions(horizon=10_000, nodes=50_000, duplicates=False)
    route = RouteSearch(tree, track, guide, options).search(start, 0, 0, begin, track.finish)
    if np.isinf(best):
        assert route.status is Status.STUCK
        return
    assert route.status is Status.SOLVED
    assert route.cost == pytest.approx(best, abs=0.05)  # the map of progress is in cells


@pytest.mark.parametrize("closed", [False, True])
def test_simple_estimate_never_exceeds_the_frames_that_a_route_needs(closed, seven):
    if closed:
        angle = np.linspace(0, 2 * np.pi, 300, endpoint=False)
        ring = np.column_stack([90 * np.cos(angle), 60 * np.sin(angle)])
        track = Track.from_centre("ring", ring, 8.0, 8.0, closed=True)
    else:
        track = generate(length=500, corners=4, sharpness=0.4, seed=3)
    guide = track_guide(seven, track, improved=False)
    search = RouteSearch(seven, track, guide, SearchOptions(horizon=4000, nodes=30_000, weight=1.5))
    target = track.finish
    pose = track.pose(8.0)
    route = search.search(pose, 0, 0, 8.0, target)
    assert route.status is Status.SOLVED
    single = RouteSearch(seven, track, guide, SearchOptions(horizon=1, nodes=50, duplicates=False))
    to_go = sum(seven.clips[k].frames for k in route.clips)
    progress = 8.0
    for k in route.clips:
        frames = seven.clips[k].frames
        to_go -= frames
        pose = place_poses(seven.clips[k].pose[-1:], pose)[0]
        alone = RouteSearch(keep(seven, [k]), track, guide, single.options)
        before = place_poses(_back(seven.clips[k]), pose)[0]
        estimate = alone.search(before, 0, 0, progress, target).cost - frames
        at = float(track.progress(pose[:2])[0])
        progress = at + track.length * round((progress - at) / track.length) if closed else at
        assert estimate <= to_go + 1e-6
        if to_go:
            assert estimate > 0.4 * (to_go - 25) - 5  # and it says something


def _back(clip: Clip) -> np.ndarray:
    """The clip's start as seen from its end."""
    x, y, heading = clip.pose[-1]
    c, s = np.cos(heading), np.sin(heading)
    return np.array([[-c * x - s * y, s * x - c * y, -heading]])


@pytest.mark.parametrize("offset", [-0.9, -0.3, 0.3, 1.2])
def test_estimate_is_steady_across_the_line_of_a_closed_track(offset, seven):
    """Just before and just behind the start line differ by metres, not by a lap."""
    angle = np.linspace(0, 2 * np.pi, 300, endpoint=False)
    track = Track.from_centre(
        "ring", 100 * np.column_stack([np.cos(angle), np.sin(angle)]), 9.0, 9.0, closed=True
    )
    guide = track_guide(seven, track, improved=False)
    straight = keep(seven, [next(k for k, clip in enumerate(seven.clips) if clip.name == "straight")])
    length = straight.clips[0].pose[-1, 0]
    search = RouteSearch(straight, track, guide, SearchOptions(horizon=1, nodes=9, duplicates=False))
    end = track.pose(track.length + offset)
    before = place_poses(np.array([[-length, 0.0, 0.0]]), end)[0]
    cost = search.search(before, 0, 0, track.length - length, 2 * track.length).cost
    lap = float(guide.lap[1])
    assert cost - straight.clips[0].frames == pytest.approx(lap - offset / guide.goal[2], abs=2.5)


def busy_scene(seven):
    track = generate(length=600, corners=5, sharpness=0.3, seed=4)
    t = np.arange(400) * FRAME
    s = np.arange(60.0, 560.0, 50.0)[:, None] + 9.0 * t
    offset = np.where(np.arange(10) % 2, 3.5, -3.5)[:, None]
    traffic = Traffic(np.ascontiguousarray(track.pose(s, np.broadcast_to(offset, s.shape))))
    return track, traffic, track_guide(seven, track)


def test_same_question_same_route(seven):
    track, traffic, guide = busy_scene(seven)
    options = SearchOptions(horizon=150, nodes=3000)
    search = RouteSearch(seven, track, guide, options, traffic)
    first = search.search(track.pose(8.0), 0, 0, 8.0, track.finish)
    other = search.search(track.pose(90.0), 0, 20, 90.0, track.finish)  # leaves its traces in the memory
    again = search.search(track.pose(8.0), 0, 0, 8.0, track.finish)
    fresh = RouteSearch(seven, track, guide, options, traffic).search(
        track.pose(8.0), 0, 0, 8.0, track.finish
    )
    assert other.cost != first.cost
    for route in (again, fresh):
        assert route.clips.tolist() == first.clips.tolist()
        assert (route.cost, route.kept, route.expanded, route.generated) == (
            first.cost,
            first.kept,
            first.expanded,
            first.generated,
        )


def test_duplicates_save_nodes_and_cost_little(seven):
    track, traffic, _ = busy_scene(seven)
    start = track.pose(8.0)
    simple = track_guide(seven, track, improved=False)
    cost, kept = {}, {}
    for duplicates in (False, True):
        options = SearchOptions(horizon=150, nodes=400_000, duplicates=duplicates)
        route = RouteSearch(seven, track, simple, options, traffic).search(start, 0, 0, 8.0, track.finish)
        assert route.status is Status.HORIZON
        cost[duplicates], kept[duplicates] = route.cost, route.kept
    assert kept[True] < kept[False]
    assert cost[False] - 1e-9 <= cost[True] <= cost[False] + 5  # [frames] a cell of 0.5 m and 2.5° away


def test_tail_of_the_last_route_never_makes_the_plan_worse(seven):
    track, traffic, guide = busy_scene(seven)
    search = RouteSearch(seven, track, guide, SearchOptions(horizon=150, nodes=4000), traffic)
    start = track.pose(8.0)
    first = search.search(start, 0, 0, 8.0, track.finish)
    k = int(first.clips[0])
    pose = place_poses(seven.clips[k].pose[-1:], start)[0]
    late, node = seven.clips[k].frames, int(seven.target[k])
    progress = float(track.progress(pose[:2])[0])
    for nodes in (8, 20, 60, 4000):
        small = RouteSearch(seven, track, guide, SearchOptions(horizon=150, nodes=nodes), traffic)
        alone = small.search(pose, node, late, progress, track.finish)
        with_tail = small.search(pose, node, late, progress, track.finish, tail=first.clips[1:])
        assert len(with_tail.clips) >= min(len(first.clips) - 1, len(alone.clips), nodes - 1)
        if nodes == 4000:
            assert with_tail.cost <= alone.cost + 1e-9
        else:  # cut short, it still leads at least as far ahead as the tail did
            ahead = sum(seven.clips[c].frames for c in with_tail.clips)
            assert ahead >= 0.6 * min(sum(seven.clips[c].frames for c in first.clips[1:]), 25 * (nodes - 2))


def test_blocked_tail_is_dropped(seven):
    track, traffic, guide = busy_scene(seven)
    search = RouteSearch(seven, track, guide, SearchOptions(horizon=100, nodes=3000), traffic)
    turn = next(k for k, clip in enumerate(seven.clips) if clip.name == "sharp left")
    start = track.pose(8.0)
    into_the_wall = np.full(6, turn, dtype=np.int32)
    route = search.search(start, 0, 0, 8.0, track.finish, tail=into_the_wall)
    plain = search.search(start, 0, 0, 8.0, track.finish)
    assert route.status is plain.status and route.cost == pytest.approx(plain.cost, abs=1e-9)


@pytest.mark.parametrize("nodes", [2, 3, 17, 500])
@pytest.mark.parametrize("duplicates", [True, False])
def test_node_limit_is_respected(nodes, duplicates, seven):
    track, traffic, guide = busy_scene(seven)
    options = SearchOptions(horizon=2000, nodes=nodes, duplicates=duplicates)
    search = RouteSearch(seven, track, guide, options, traffic)
    route = search.search(track.pose(8.0), 0, 0, 8.0, np.inf)
    assert route.kept <= nodes and route.generated >= route.kept - 1
    assert route.status is Status.LIMIT and len(route.clips) >= 1


@pytest.mark.parametrize(
    "wrong", [{"horizon": 0}, {"nodes": 0}, {"weight": -1.0}, {"weight": float("nan")}, {"nodes": -5}]
)
def test_impossible_options_are_refused(wrong):
    with pytest.raises(BadInput, match=next(iter(wrong))):
        SearchOptions(**wrong)
