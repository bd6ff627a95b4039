"""A car that plays clips never stands still on an empty road, whatever the road, and more thought does not
slow it down.

`SWERVE_MANY=1` drives many more roads.
"""

import os

import numpy as np
import pytest

from plain_shapes import touches_anything
from swerve.core.errors import BadInput
from swerve.core.plan import Status
from swerve.race import Leg, Pilot, Setting, Track, drive, generate
from swerve.race.car import LENGTH, WIDTH
from swerve.race.guide import track_guide
from swerve.race.others import Others
from swerve.race.route import RouteSearch, SearchOptions
from town_routes import town_route

MANY = bool(os.environ.get("SWERVE_MANY"))
ROADS, TOWNS = (150, 60) if MANY else (4, 2)
WIDTHS = (6.0, 6.0, 7.0, 8.0, 10.0, 14.0, 20.0)
LONGEST_STAND = 1.0  # [s]


def random_road(seed: int, longest: float) -> Track:
    rng = np.random.default_rng(seed)
    while True:
        try:
            return generate(
                length=rng.uniform(300.0, longest),
                corners=int(rng.integers(3, 21)),
                sharpness=rng.uniform(0.0, 1.0),
                width=float(rng.choice(WIDTHS)),
                seed=int(rng.integers(1_000_000)),
            )
        except BadInput:
            continue


def longest_stand(states: np.ndarray) -> float:
    """Seconds without moving a millimetre a frame."""
    still = np.hypot(*np.diff(states[:, :2], axis=0).T) < 1e-3
    run = longest = 0
    for stands in still:
        run = run + 1 if stands else 0
        longest = max(longest, run)
    return 0.04 * longest


def check_alive(track: Track, tree, nodes: int = 1500) -> float:
    search = SearchOptions(nodes=nodes, weight=1.1)
    result = drive(track, tree, Setting(search, seconds=240.0, planner="tree"), seed=0)
    assert result.finished and not result.crashed, track.name
    assert longest_stand(result.states) < LONGEST_STAND, track.name
    return result.seconds


@pytest.mark.parametrize("seed", range(ROADS))
def test_random_roads_are_driven_without_standing(seed, large):
    check_alive(random_road(seed, 1500.0 if MANY else 700.0), large)


@pytest.mark.parametrize("seed", range(TOWNS))
def test_ways_through_a_town_are_driven_without_standing(seed, large):
    check_alive(town_route(seed, 900.0 if MANY else 400.0), large)


STOOD = [(650.4382870559501, 10, 0.7883498581264761, 6.0, 971689), (800.0, 20, 1.0, 14.0, 3)]


@pytest.mark.parametrize("road", STOOD, ids=["narrow", "winding"])
def test_more_thought_is_never_much_worse(road, large):
    """Roads on which the car once stood for ever: the more nodes, the sooner it arrived not."""
    track = generate(*road)
    times = [check_alive(track, large, nodes) for nodes in ((300, 4000, 40_000) if MANY else (300, 4000))]
    for i, more in enumerate(times):
        assert more <= 1.05 * min(times[: i + 1])


def test_more_thought_helps_on_the_whole(large):
    tracks = [random_road(100 + k, 400.0) for k in range(2)] + [town_route(100, 300.0)]
    quick, thorough = ([check_alive(track, large, nodes) for track in tracks] for nodes in (400, 6000))
    assert np.mean(thorough) <= 1.01 * np.mean(quick)
    assert (np.array(thorough) <= 1.1 * np.array(quick)).all()


def test_waiting_is_for_whoever_is_in_the_way(large):
    """Nobody waits on an empty road, nor for somebody far off; before a bus across the road the car does."""
    track = town_route(1, 300.0)
    search = RouteSearch(large, track, track_guide(large, track), SearchOptions(nodes=2000, weight=1.1))
    waits = set(np.flatnonzero(search.moves.wait).tolist())
    assert [large.clips[k].name for k in waits] == ["stop wait"]
    frames = 300
    across = track.pose(17.0) + np.array([0.0, 0.0, np.pi / 2])
    row = [across[0], across[1], np.cos(across[2]), np.sin(across[2])]
    bus = Others(np.tile(row, (1, frames, 1)), np.array([[12.0, 2.5]]))
    gone = Others(np.tile([500.0, 500.0, 1.0, 0.0], (1, frames, 1)), np.array([[12.0, 2.5]]))
    for others in (None, gone):
        route = search.search(track.pose(8.0), 0, 0, 8.0, track.finish, others=others)
        assert not waits & set(route.clips.tolist()) and route.status is not Status.STUCK
    before = search.search(track.pose(8.0), 0, 0, 8.0, track.finish, others=bus)
    assert before.status is not Status.STUCK and before.ahead >= 100
    end = track.progress(search.nodes.state[: search.kept, :2])[0]
    assert end.max() < 17.0


@pytest.mark.parametrize("seed", range(40 if MANY else 4))
def test_a_car_gets_away_from_any_place(seed, large):
    """Along an edge with a hand's breadth to spare, across the road, or the wrong way round."""
    rng = np.random.default_rng(seed)
    track = generate(length=400, corners=4, sharpness=0.6, width=9.0, seed=seed % 4)
    room = 4.5 - WIDTH / 2 - 0.35
    side, turned = [(room, 0.0), (-room, 0.0), (0.0, np.pi / 2), (0.0, np.pi)][seed % 4]
    begin = rng.uniform(20.0, 200.0)
    pose = track.pose(begin, side) + np.array([0.0, 0.0, turned])
    pilot = Pilot(large, track, Leg(begin, pose=pose), options=SearchOptions(nodes=1500, weight=1.1))
    poses = [pilot.pose]
    while not pilot.arrived and len(poses) < 2500:
        poses.append(pilot.choose(len(poses) - 1).pose)
    assert pilot.arrived, pilot.progress
    nobody, size = np.zeros((0, len(poses), 3)), (LENGTH, WIDTH)
    assert not touches_anything(np.array(poses), size, track.segments, nobody, size)
