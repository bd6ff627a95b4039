"""What a profile from bare points tells, held against the same worked out plainly from its own speeds."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from swerve.core.errors import BadInput
from swerve.terrain import SurfacePath, Terrain, Vehicle, speed_profile
from swerve.terrain.limits import C_Q, C_R, K_Q, K_R, K_T, STEP

CARS = {
    "of points": Vehicle.racing_car(),
    "that tips over": Vehicle(engine_force=9000.0, drag=0.8, downforce=1.5, height_to_half_width=1.2),
    "that keeps its loads": Vehicle(engine_force=9000.0, least_wheel_load=0.2, power=90e3),
}


def ring(count=400, lift=0.0):
    a = np.linspace(0.0, 2 * np.pi, count, endpoint=False)
    radius = 90 + 25 * np.cos(3 * a)
    return np.column_stack([radius * np.cos(a), radius * np.sin(a), lift * np.sin(2 * a)])


def paths():
    hills = Terrain.from_function(lambda x, y: 4 * np.sin(x / 30) * np.cos(y / 25), (200.0, 200.0), 5.0)
    yield SurfacePath.from_points(ring(lift=3.0), closed=True)
    yield SurfacePath.from_controls(hills, [[20, 20], [90, 60], [110, 150], [180, 180]])


@pytest.mark.parametrize("car", CARS.values(), ids=CARS)
def test_all_that_is_told_follows_from_speeds(car):
    for path in paths():
        told = speed_profile(path, car)
        assert told.feasible
        x, g = told.speed**2, path.geometry
        n, steps = len(x), len(x) if path.closed else len(x) - 1
        here, there = np.arange(steps), (np.arange(steps) + 1) % n
        a = (x[there] - x[here]) / (2 * g[here, STEP])
        after = a if path.closed else np.append(a, a[-1])
        before = np.roll(after, 1) if path.closed else np.concatenate([a[:1], a])
        resist = car.gravity * g[:, K_T] + car.drag / car.mass * x
        side = car.gravity * g[:, K_Q] + g[:, C_Q] * x
        load = car.gravity * g[:, K_R] + (g[:, C_R] + car.downforce / car.mass) * x
        took = 2 * g[here, STEP] / (told.speed[here] + told.speed[there])
        work = np.maximum(a + 0.5 * (resist[here] + resist[there]), 0.0) * g[here, STEP]
        assert told.time == pytest.approx(took.sum(), rel=1e-9)
        assert told.energy == pytest.approx(car.mass * work.sum(), rel=1e-9)
        assert told.length == pytest.approx(g[here, STEP].sum(), rel=1e-9)
        np.testing.assert_allclose(told.clock, np.concatenate([[0.0], np.cumsum(took)])[:n], rtol=1e-9)
        np.testing.assert_allclose(told.acceleration, after, atol=1e-9)
        np.testing.assert_allclose(told.drive_force, car.mass * (after + resist), atol=1e-6)
        np.testing.assert_allclose(told.side_force, car.mass * side, atol=1e-6)
        np.testing.assert_allclose(told.normal_force, car.mass * load, rtol=1e-9)
        force = np.maximum(abs(after + resist), abs(before + resist))
        np.testing.assert_allclose(
            told.friction_use, np.hypot(force, side) / (car.friction * load), rtol=1e-9
        )
        np.testing.assert_allclose(told.wheel_loads.sum(axis=0), car.mass * load, rtol=1e-9)
        angle = path.orientation(car)[0]
        sine, cosine = np.sin(angle), np.cos(angle)
        along, across = (
            [(f + resist) * u + side * v for f in (after, before)]
            for u, v in ((cosine, -sine), (sine, cosine))
        )
        roll, pitch, least = 1 / car.tip_ratio, car.pitch_ratio, car.least_wheel_load * car.gravity
        tips, pitches = (weight * np.abs(rows) for weight, rows in ((roll, across), (pitch, along)))
        np.testing.assert_allclose(told.tip_use, tips.max(axis=0) / load, atol=1e-6)
        shift = (tips + pitches if least else pitches).max(axis=0)
        np.testing.assert_allclose(told.load_use, shift / (load - least), atol=1e-6)
        front_left = 0.25 * car.mass * (load - pitch * along[0] - roll * across[0])
        grounded = (told.wheel_loads > 0.0).all(axis=0)
        assert grounded.sum() > 0.5 * n
        np.testing.assert_allclose(told.wheel_loads[0][grounded], front_left[grounded], atol=1e-3 * car.mass)


@pytest.mark.parametrize("closed", [True, False])
def test_curve_through_points_is_scipys(closed):
    points = ring(200, lift=2.0)
    normals = np.tile([0.1, -0.2, 1.0], (200, 1))
    path = SurfacePath.from_points(points, normals, closed=closed)
    row = np.vstack([points, points[:1]]) if closed else points
    knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(row, axis=0), axis=1))])
    spline = CubicSpline(knots, row, bc_type="periodic" if closed else "not-a-knot")
    first, second = spline(knots[:200], 1), spline(knots[:200], 2)
    pace = np.linalg.norm(first, axis=1, keepdims=True)
    t = first / pace
    r = normals - (normals * t).sum(1, keepdims=True) * t
    r /= np.linalg.norm(r, axis=1, keepdims=True)
    np.testing.assert_allclose(path.tangents, t, atol=1e-10)
    np.testing.assert_allclose(path.normals, r, atol=1e-10)
    np.testing.assert_allclose(
        path.geometry[:, C_Q], (second * np.cross(r, t)).sum(1) / pace[:, 0] ** 2, atol=1e-12
    )
    np.testing.assert_allclose(path.geometry[:, C_R], (second * r).sum(1) / pace[:, 0] ** 2, atol=1e-10)
    fine = spline(np.linspace(knots[0], knots[-1], 200_001))
    assert path.length == pytest.approx(np.linalg.norm(np.diff(fine, axis=0), axis=1).sum(), rel=1e-5)


@pytest.mark.parametrize(
    ("points", "why"),
    [
        ([[0, 0], [1, 0], [1, 0], [2, 0]], "coincide, at index"),
        ([[0, 0], [1, np.nan], [2, 0], [3, 0]], "not finite"),
        ([[0, 0], [1, 0], [2, 0], [-np.inf, 0]], "not finite"),
        ([[0, 0], [1e200, 0], [2, 0], [3, 0]], "too far apart"),
    ],
)
def test_points_that_are_no_path_are_refused(points, why):
    with pytest.raises(BadInput, match=why):
        SurfacePath.from_points(points)
