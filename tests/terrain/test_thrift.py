"""Speeds that save energy, against tables of speeds and a convex programme."""

import numpy as np
import pytest
from plain_paths import FLAT, HILL

from swerve.terrain import (
    PathOptions,
    SurfacePath,
    Terrain,
    Vehicle,
    fastest_path,
    speed_profile,
)
from swerve.terrain.evaluate import PathProblem
from swerve.terrain.scenes import scene

MOUNTAIN = scene("mountain")
BUMPS = [
    *((40.0, 40.0), (82.0, 82.0), (124.0, 124.1), (165.8, 166.4), (207.4, 209.5), (248.1, 254.6)),
    *((287.6, 302.9), (326.0, 353.9), (364.6, 404.1), (405.5, 449.0), (460.0, 460.0)),
]


def test_energy_chooses_its_speeds_as_a_table_of_speeds_does():
    """Against a plain dynamic programme over 400 speeds on the same points, with the same limits."""
    controls = np.array([[50, 60], [300, 250], [500, 200], [800, 500], [950, 900]])
    car = Vehicle()
    path, profile = PathProblem(HILL, car, "energy", step=25.0).judged(controls)
    fastest = speed_profile(path, car)
    g, x = path.geometry, (np.linspace(0, 1, 400) ** 2 * fastest.max_speed) ** 2
    to_go = np.where(x == 0, 0.0, np.inf)
    pace = np.maximum(np.sqrt(x)[:, None] + np.sqrt(x), 1e-3)
    for i in range(len(g) - 2, -1, -1):
        step = g[i, 6]
        forces = [(x - x[:, None]) / (2 * step) + car.gravity * g[k, 0] for k in (i, i + 1)]
        allowed = np.all([(f <= 1.5) & (f >= -0.7 * 9.81) for f in forces], axis=0)
        work = car.mass * step * np.maximum(0.5 * (forces[0] + forces[1]), 0)
        cost = work + 0.005 * car.mass * 2 * step / pace + to_go
        to_go = np.where(allowed, cost, np.inf).min(axis=1)
        to_go[x > fastest.speed[i] ** 2 * 1.0001 + 1e-9] = np.inf
    assert profile.feasible and profile.energy + 0.005 * car.mass * profile.time <= 1.01 * to_go[0]
    assert profile.energy < 0.5 * fastest.energy


def test_the_energy_of_a_way_over_rugged_ground_does_not_depend_on_its_step():
    """Finding: each step was charged the mean of its ends' positive forces, so that coasting over bumps cost:
    on steps a tenth of a cell long this way took 1.4 times what it takes, on those of searches 3.3 times."""
    ground = Terrain.from_heights(np.random.default_rng(910011).normal(0.0, 3.0, (26, 26)), 20.0)
    car = Vehicle(engine_force=8000.0, height_to_half_width=1.0)
    energies = []
    for closer in (0.25, 1.0, 8.0):
        path = SurfacePath.from_controls(ground, BUMPS, step=ground.step / closer)
        profile = speed_profile(path, car, cost="energy")
        assert profile.feasible
        energies.append(profile.energy)
    assert energies[0] == pytest.approx(energies[2], rel=0.03)
    assert energies[1] == pytest.approx(energies[2], rel=0.005)
    gained = car.mass * np.diff(0.5 * profile.speed**2 + car.gravity * path.points[:, 2])
    assert np.maximum(gained, 0.0).sum() == pytest.approx(energies[2], rel=0.002)


@pytest.mark.parametrize(
    ("cost", "joules", "least"), [("energy", 10.0, 172574), ("time+1e-4*energy", 1e4, 763713)]
)
def test_thrifty_speeds_are_those_of_a_convex_programme(cost, joules, least):
    """Against IPOPT on the same points, `joules` to a second. Finding: what straight lines between the levels
    of a table add at every step made mixtures of time and energy 5 % too dear."""
    ground = Terrain.from_heights(np.random.default_rng(910011).normal(0.0, 3.0, (26, 26)), 20.0)
    car = Vehicle(engine_force=8000.0, height_to_half_width=1.0)
    path = SurfacePath.from_controls(ground, BUMPS, step=0.25 * ground.step)
    profile = speed_profile(path, car, cost=cost)
    assert profile.feasible and least * 0.999 <= profile.energy + joules * profile.time <= 1.02 * least


def test_the_cost_of_a_thrifty_way_is_its_energy():
    """Finding: cost and energy of one path differed by 3 to 12 %, and ways stood in the wrong order."""
    options = PathOptions(grid=(4, 4), paths=4, keep=2, step=40.0)
    routes = fastest_path(HILL, (20, 300), (980, 300), Vehicle(), "energy", options)
    assert routes.feasible
    energies = [route.profile.energy for route in routes.found]
    assert [route.cost for route in routes.found] == pytest.approx(energies) and energies == sorted(energies)


def test_a_vehicle_without_brakes_gets_an_answer():
    """Finding: no brakes on flat ground ended in a traceback."""
    path = SurfacePath.from_controls(FLAT, [[100, 100], [500, 120], [900, 100]])
    profile = speed_profile(path, Vehicle(brake_force=0.0))
    assert not profile.feasible and "not drivable" in profile.explain()
    assert speed_profile(path, Vehicle(brake_force=0.0), v_end=None).feasible
