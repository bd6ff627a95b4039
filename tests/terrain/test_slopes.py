"""How costs change with a path, by profiles in reverse, against differences."""

import itertools

import numpy as np
import pytest
from plain_paths import HILL

from swerve.terrain import (
    Terrain,
    Trouble,
    Vehicle,
    rectangle,
)
from swerve.terrain.evaluate import PathProblem
from swerve.terrain.measure import TROUBLED
from swerve.terrain.refine import survey
from swerve.terrain.scenes import watched_from
from swerve.terrain.ways import plane_points


def by_differences(problem, controls, h):
    """How the cost changes with the inner control points (n, 2)."""
    differences = np.zeros_like(controls)
    for k, axis in itertools.product(range(1, len(controls) - 1), range(2)):
        moved = np.stack([controls, controls])
        moved[:, k, axis] += [h, -h]
        one, two = problem.smooth(moved)
        differences[k, axis] = (one - two) / (2 * h)
    return differences


def test_a_way_that_stalls_is_led_to_the_pass():
    """Finding: what a stalled climb cost had no slope, and to crawl up to it cost more than to be stuck, so
    that surveys ended where they began and on steep ground most candidates were lost."""

    def ridge(x, y):
        return 80 * np.exp(-(((x - 500) / 120) ** 2)) * (1 - 0.7 * np.exp(-(((y - 700) / 150) ** 2)))

    ground = Terrain.from_function(ridge, (1000.0, 1000.0), 25.0)
    problem = PathProblem(ground, Vehicle(), scale=60.0)
    way = np.column_stack([np.linspace(50, 950, 7), np.full(7, 400.0)])
    trouble = problem.judged(way)[1].trouble
    assert set(trouble) == {Trouble.NONE, Trouble.STALLS}
    assert problem.slope(way)[1][2:5, 1].sum() < 0.0  # it gets cheaper towards the pass
    for judge, brief in ((problem, False), (problem.coarser(3.0), True)):
        assert survey(judge, way, brief, unstick=True).drivable


@pytest.mark.parametrize("cost", ["time", "distance"])
def test_the_slope_is_that_of_the_cost(cost):
    """The profile in reverse against differences, on a path that drives, brakes and bends at its limits."""
    controls = np.array([[50, 60], [300, 250], [500, 200], [640, 380], [800, 500], [950, 900.0]])
    problem = PathProblem(HILL, Vehicle(engine_force=6000), cost)
    _, slope = problem.slope(controls)
    differences = by_differences(problem, controls, 0.02)
    assert slope[1:-1] == pytest.approx(differences[1:-1], abs=0.03 * np.abs(slope).max())


def test_the_slope_counts_watchers_and_walls_once():
    """Finding: what exposure and closed ground cost stood in one side of differences alone, so that the slope
    was millions of times too steep where a watcher sees, and a hundred times beside walls."""
    controls = np.array([[50, 60], [300, 250], [500, 200], [640, 380], [800, 500], [950, 900.0]])
    x, y = plane_points(controls, 40)[70] + np.array([0.0, 2.0])
    walled, watched = (
        HILL.with_regions(rectangle(x, y, x + 3.0, y + 60.0)),
        watched_from(HILL, (500.0, 700.0)),
    )
    for ground, cost, scale in ((watched, "exposure", 1.0), (walled, "distance", 1e4)):
        problem = PathProblem(ground, Vehicle(engine_force=6000), cost, scale=scale)
        _, slope = problem.slope(controls)
        differences = by_differences(problem, controls, 0.01)
        assert slope[1:-1] == pytest.approx(differences[1:-1], abs=0.2 * np.abs(differences).max())


def test_the_slope_of_energy_points_downhill():
    """Thrifty speeds jump where another limit takes over: the slope is that of the cost at these speeds."""
    controls = np.array([[50, 60], [300, 250], [500, 200], [640, 380], [800, 500], [950, 900.0]])
    for cost, scale in (("energy", 1e5), ("time+1e-5*energy", 60.0)):
        problem = PathProblem(HILL, Vehicle(engine_force=6000), cost, scale=scale)
        before, slope = problem.slope(controls)
        differences = by_differences(problem, controls, 1.0)
        slope[[0, -1]] = 0.0
        alike = (slope * differences).sum() / np.linalg.norm(slope) / np.linalg.norm(differences)
        assert alike > 0.8 and 0.5 < np.linalg.norm(slope) / np.linalg.norm(differences) < 2.0
        assert problem.smooth((controls - slope / np.abs(slope).max())[None])[0] < before


CRESTS = [
    *((20.0, 20.0), (111.25, 1.29), (222.25, 0.34), (333.35, 0.05), (440.07, 0.0), (557.24, 7.86)),
    *((645.31, 116.71), (664.92, 223.64), (680.04, 322.67), (774.09, 455.12), (892.32, 539.31)),
    *((971.12, 682.82), (997.32, 781.31), (999.64, 888.6), (980.0, 980.0)),
]


def test_the_slope_holds_where_a_step_allows_one_acceleration_alone():
    """Finding: both ends of a step can hold its speeds at once; the slope passed them on along the path, was
    off a hundredfold, and descents stalled 2 % above what they could reach."""
    drawn = np.random.default_rng(5003).uniform([100, 100, 20, 60], [900, 900, 110, 160], (9, 4))

    def height(x, y):
        return np.sum([h * np.exp(-((x - a) ** 2 + (y - b) ** 2) / s**2) for a, b, h, s in drawn], axis=0)

    ground = Terrain.from_function(height, (1050.0, 1050.0), 25.0, (-25.0, -25.0))
    way = np.array(CRESTS)
    problem = PathProblem(ground, Vehicle(), step=7.5)
    assert problem.measures(way[None])[0, TROUBLED] == 0
    _, slope = problem.slope(way)
    h = 1e-4
    for k, axis in itertools.product(range(1, len(way) - 1), range(2)):
        moved = np.stack([way, way])
        moved[:, k, axis] += [h, -h]
        one, two = problem.smooth(moved)
        assert slope[k, axis] == pytest.approx((one - two) / (2 * h), abs=0.1)
