"""What lies between two points of a path: narrow strips of bad ground, and corners."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.terrain import (
    PathOptions,
    SurfacePath,
    Terrain,
    Vehicle,
    fastest_path,
    rectangle,
    speed_profile,
)
from swerve.terrain.closely import told_closely
from swerve.terrain.evaluate import PathProblem
from swerve.terrain.limits import MOBILITY
from swerve.terrain.refine import survey


@pytest.mark.parametrize("as_raster", [False, True])
def test_no_strip_of_ice_is_too_narrow_to_be_seen(as_raster):
    """Finding: mobility was read every tenth of a cell alone, so that it depended on where ice narrower than
    that lay whether a path over it could be driven."""
    cell, rows = 90.0, 11
    slope = np.tile(0.1 * cell * np.arange(rows), (rows, 1))
    plain = Terrain.from_heights(slope, cell)
    way = [[450.0, 90.0], [450.0, 450.0], [450.0, 810.0]]
    assert speed_profile(SurfacePath.from_controls(plain, way), Vehicle()).feasible
    for south in np.linspace(440.0, 460.0, 9):
        if as_raster:
            raster = np.ones((901, 11))
            raster[round(south)] = 0.02
            ground = replace(plain, mobility=raster)
        else:
            ground = plain.with_regions(rectangle(-1.0, south, 901.0, south + 0.5, 0.02))
        path = SurfacePath.from_controls(ground, way)
        assert not speed_profile(path, Vehicle()).feasible, south
        assert (path.geometry[:, MOBILITY] == 0.02).sum() <= 3


def test_what_is_passed_beside_ice_is_not_ice():
    ice = rectangle(455.0, 300.0, 900.0, 600.0, 0.02)
    ground = Terrain.from_heights(np.zeros((11, 11)), 90.0).with_regions(
        ice, rectangle(0, 500, 449, 501, 0.5)
    )
    path = SurfacePath.from_controls(ground, [[450.0, 90.0], [450.0, 450.0], [450.0, 810.0]])
    assert (path.geometry[:, MOBILITY] == 1.0).all()


@pytest.mark.parametrize("on", [[100.0, 190.0], [10.0, 10.0]])
def test_a_corner_cannot_be_driven(on):
    """Finding: three control points on top of each other make a corner that had no curvature at all, and was
    driven at 16 m/s, as was a turn on the spot."""
    flat = Terrain.from_heights(np.zeros((11, 11)), 20.0)
    corner = [[10.0, 10.0], [100.0, 10.0], [100.0, 10.0], [100.0, 10.0], on]
    profile = speed_profile(SurfacePath.from_controls(flat, corner), Vehicle())
    assert not profile.feasible and "steering" in profile.explain()
    straight = [*corner[:4], [190.0, 10.0]]
    assert speed_profile(SurfacePath.from_controls(flat, straight), Vehicle()).feasible


@pytest.mark.parametrize("offset", np.linspace(0.0, 0.1, 4))
def test_no_ditch_of_a_fine_map_is_too_narrow_to_be_seen(offset):
    """Finding: on cells of 0.1 m paths were seen every half metre, and ditches were jumped over."""
    y = 0.1 * np.arange(101)
    ditch = np.where(np.abs(y - 5.0) < 0.16, -1.0, 0.0)
    ground = Terrain.from_heights(np.tile(ditch[:, None], (1, 101)), 0.1)
    path = SurfacePath.from_controls(ground, [[5.0, 2.0 + offset], [5.0, 5.0], [5.0, 8.0 + offset]])
    assert not speed_profile(path, Vehicle()).feasible


@pytest.mark.parametrize("seed", [23, 39, 56])
def test_a_way_that_is_lost_between_its_points_is_mended(seed):
    """Finding: the search learnt what it could pass between two points, and ways that tip over there were
    called drivable."""
    rough = Terrain.from_heights(np.random.default_rng(seed).normal(0.0, 3.0, (11, 11)), 20.0)
    problem, car = PathProblem(rough, Vehicle(), scale=25.0), Vehicle()
    surveyed = survey(problem, np.column_stack([np.linspace(10, 190, 7)] * 2))
    assert surveyed.drivable
    closely = speed_profile(SurfacePath.from_controls(rough, surveyed.controls, step=rough.step / 50), car)
    assert not closely.feasible
    route = told_closely(problem, [surveyed.controls])[0]
    closely = speed_profile(SurfacePath.from_controls(rough, route.path.controls, step=rough.step / 50), car)
    assert route.feasible and closely.feasible and closely.time == pytest.approx(route.cost, rel=0.02)


@pytest.mark.long
@pytest.mark.parametrize("vehicle", [Vehicle(), Vehicle(least_wheel_load=0.2)])
def test_found_ways_can_be_driven_between_their_points_too(vehicle):
    rough = Terrain.from_heights(np.random.default_rng(7).normal(0.0, 4.0, (21, 21)), 20.0)
    few = PathOptions(grid=(6, 6), paths=10, keep=2)
    routes = fastest_path(rough, (20, 20), (380, 380), vehicle, options=few)
    assert routes.feasible
    for route in routes.found:
        closely = SurfacePath.from_controls(rough, route.path.controls, step=rough.step / 50)
        profile = speed_profile(closely, vehicle)
        assert profile.feasible and profile.time == pytest.approx(route.profile.time, rel=0.02)
