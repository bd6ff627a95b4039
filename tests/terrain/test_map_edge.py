"""The body keeps to the map, and at a start or a goal by its edge reaches over no farther than there."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.terrain import (
    PathOptions,
    SurfacePath,
    Terrain,
    Trouble,
    Vehicle,
    fastest_path,
    rectangle,
    speed_profile,
)
from swerve.terrain.evaluate import PathProblem
from swerve.terrain.route import Route

CAR = Vehicle()
QUICK = PathOptions(paths=20, keep=2)


def beyond(route, size, vehicle=CAR):
    """How far [m] the body reaches over the sides of a square map: at either end at most, nearer to them than
    its diagonal, and farther away."""
    at = route.path.points[:, :2]
    ahead = route.path.facing(vehicle)[:, :2]
    ahead = ahead / np.linalg.norm(ahead, axis=1, keepdims=True)
    length, width, _ = vehicle.size
    reach = 0.5 * (length * np.abs(ahead) + width * np.abs(ahead[:, ::-1]))
    over = np.maximum(reach - at, at + reach - size).max(axis=1)
    away = np.minimum(*(np.hypot(*(at - end).T) for end in (at[0], at[-1]))) > np.hypot(length, width)
    return max(over[0], over[-1]), over[~away].max(), over[away].max()


@pytest.mark.parametrize(("gap", "passes"), [(1.2, False), (3.0, True)])
def test_the_body_keeps_to_the_map(gap, passes):
    """Finding: a car 2 m wide drove between a wall and the edge of the map 1.2 m away, half of it beyond."""
    wall = rectangle(gap, 90, 200, 91)
    ground = Terrain.from_heights(np.zeros((21, 21)), 10.0).with_regions(wall)
    path = PathProblem(ground, CAR).judged(np.array([[gap / 2, 20], [gap / 2, 90], [gap / 2, 180]]))[1]
    assert path.feasible == passes
    if not passes:
        assert "edge of the map" in path.explain()


@pytest.mark.long
@pytest.mark.parametrize(("gap", "passes"), [(1.2, False), (3.0, True)])
def test_ways_keep_to_the_map(gap, passes):
    wall = rectangle(gap, 90, 200, 91)
    ground = Terrain.from_heights(np.zeros((21, 21)), 10.0).with_regions(wall)
    routes = fastest_path(ground, (100, 20), (100, 180), CAR, options=QUICK)
    assert routes.feasible == passes
    assert not passes or max(beyond(routes.best, 200.0)) < 0.0


def test_a_start_and_a_goal_may_lie_at_the_edge_of_the_map():
    ground = Terrain.from_heights(np.zeros((21, 21)), 10.0)
    for start, goal, most in (((0, 0), (200, 200), 2.13), ((0, 20), (1.5, 180), 2.24)):
        routes = fastest_path(ground, start, goal, CAR, options=QUICK)
        at_ends, near, away = beyond(routes.best, 200.0)
        assert routes.feasible and away < 0.0
        assert near == pytest.approx(routes.best.over_edge(CAR)) and near <= at_ends + 0.1 <= most + 0.1
    with pytest.raises(BadInput, match="half of what the map is wide"):
        fastest_path(ground, (20, 20), (180, 180), Vehicle(width=190.0), options=QUICK)


@pytest.mark.parametrize(("beside", "passes"), [(0.8, False), (1.3, True)])
def test_a_start_on_the_map_gives_no_leave_to_reach_over_its_edge(beside, passes):
    """Finding: less than its diagonal from the start a body might hang over the edge as far as it liked."""
    nimble = Vehicle(half_length=0.4, length=2.0, width=2.0, height_to_half_width=0.0, max_steer=np.pi / 2)
    ground = Terrain.from_heights(np.zeros((21, 21)), 10.0)
    bars = np.array(
        [[100, 1.3], [100.7, beside], [101.4, beside], [102.1, 1.6], [103, 2], [110, 2], [120, 2.0]]
    )
    profile = speed_profile(SurfacePath.from_controls(ground, bars, step=0.1), nimble)
    assert profile.feasible == passes, profile.explain()
    assert passes or profile.first_trouble[1] is Trouble.OBSTACLE


def test_a_body_by_the_edge_is_told_by_how_much_it_reaches_over():
    """Along the edge by half its width, and straight away from it by half its length."""
    ground = Terrain.from_heights(np.zeros((21, 21)), 10.0)
    for goal, over in (((0.0, 30.0), 1.0), ((10.0, 20.0), 2.0)):
        path = SurfacePath.from_controls(ground, [[0.0, 20.0], goal])
        assert Route(path, speed_profile(path, CAR), 0.0).over_edge(CAR) == pytest.approx(over)
    inside = SurfacePath.from_controls(ground, [[5.0, 20.0], [10.0, 20.0]])
    assert Route(inside, speed_profile(inside, CAR), 0.0).over_edge(CAR) == 0.0
