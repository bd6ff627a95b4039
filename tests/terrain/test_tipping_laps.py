"""Laps of cars that tip over before they slide: their line is another one than that of flat cars."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.terrain import Vehicle
from swerve.terrain.circuit import Circuit

FLAT_CAR = Vehicle.racing_car()
TALL = replace(FLAT_CAR, height_to_half_width=2.0)  # lifts its wheels at 0.5 g, and its tyres hold 1.22 g


def oval(lean=0.0):
    a = np.linspace(0.0, 2 * np.pi, 120, endpoint=False)
    centre = np.column_stack([70 * np.cos(a), 35 * np.sin(a), 0 * a])
    return Circuit(centre, np.full(120, 5.0), np.full(120, 5.0), bank=lean * np.cos(2 * a))


@pytest.mark.parametrize("lean", [0.0, pytest.param(0.2, marks=pytest.mark.long)])
def test_a_tall_car_has_a_line_of_its_own(lean):
    track = oval(lean)
    lap = track.fastest_line(TALL)
    assert lap.profile.feasible and lap.least_margin > -0.02
    assert max(lap.profile.tip_use.max(), lap.profile.friction_use.max()) <= 1.001
    slower_grip = track.fastest_line(replace(FLAT_CAR, friction=TALL.tip_ratio))
    others = [
        track.fastest_line(FLAT_CAR).path.points,
        track.least_bend_line(TALL).path.points,
        slower_grip.path.points,
    ]
    assert lap.profile.time < 0.99 * min(track.judged(line, TALL).time for line in others)


def test_what_never_tips_has_the_line_of_a_flat_car():
    """A car that slides before its wheels lift: the same line, found in as many steps."""
    low, flat = (oval().fastest_line(replace(FLAT_CAR, height_to_half_width=h)) for h in (0.5, 0.0))
    assert low.iterations == flat.iterations
    np.testing.assert_array_equal(low.path.points, flat.path.points)


def test_a_stage_of_a_tall_car():
    t = np.linspace(0.0, 1.0, 40)
    centre = np.column_stack([250 * t, 20 * np.sin(4 * np.pi * t), 0 * t])
    track = Circuit(centre, np.full(40, 4.0), np.full(40, 4.0), closed=False)
    lap, plain = track.fastest_line(TALL), track.fastest_line(FLAT_CAR)
    assert lap.profile.feasible
    assert lap.profile.time < 0.97 * track.judged(plain.path.points, TALL).time
