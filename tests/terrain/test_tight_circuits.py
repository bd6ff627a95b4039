"""Circuits as tight as a vehicle steers, stages from rest, roads that cannot be driven."""

import math
from dataclasses import replace

import numpy as np
import pytest
from known_circuits import CAR, ring

from swerve.core.errors import BadInput
from swerve.terrain import Vehicle, lapline
from swerve.terrain.circuit import Circuit


def test_a_small_ring_is_driven_on_its_inner_circle():
    """Finding: a ring of radius 9 m was driven 17 % slower than its inner circle."""
    track = ring(radius=9.0, width=3.0, n=60)
    inner = 9.0 - 3.0 + 1.0
    lap = track.fastest_line(CAR, car_width=2.0)
    assert lap.profile.time == pytest.approx(2 * np.pi * math.sqrt(inner / 12), rel=0.01)


def test_an_open_stage_is_driven_from_rest_to_full_speed():
    """A straight stage has a known time; a corner is cut from the outside to the inside."""
    s = np.linspace(0, 400, 60)
    car = Vehicle(engine_force=6000, height_to_half_width=0.0)
    straight = Circuit(np.column_stack([s, 0 * s, 0 * s]), np.full(60, 4.0), np.full(60, 4.0), closed=False)
    lap = straight.fastest_line(car)
    assert lap.profile.time == pytest.approx(math.sqrt(2 * 400 / 3.0), rel=0.01)
    assert lap.profile.speed[0] == 0 and lap.profile.speed[-1] == pytest.approx(
        math.sqrt(2 * 3 * 400), rel=0.01
    )
    turn = np.clip((s - 150) / 60, 0, 1) * np.pi / 2
    step = s[1]
    corner = np.column_stack([np.cumsum(np.cos(turn)) * step, np.cumsum(np.sin(turn)) * step, 0 * s])
    bent = Circuit(corner, np.full(60, 4.0), np.full(60, 4.0), closed=False, v_start=20.0)
    lap = bent.fastest_line(car)
    assert lap.profile.feasible and lap.least_margin > -0.01 and not lap.profile.closed
    assert lap.profile.time < 0.95 * bent.profile(bent.centre, car).time
    middle = lap.offset[len(lap.offset) // 2 - 20 : len(lap.offset) // 2 + 20]
    assert middle.max() > 2.5 and lap.profile.speed[0] == pytest.approx(20.0)
    with pytest.raises(BadInput, match="closed"):
        bent.least_bend_line(car)


def test_a_road_too_steep_says_why():
    a = np.linspace(0.0, 2 * np.pi, 60, endpoint=False)
    centre = np.column_stack([60 * np.cos(a), 60 * np.sin(a), 40 * np.sin(a)])
    track = Circuit(centre, np.full(60, 6.0), np.full(60, 6.0))
    lap = track.fastest_line(Vehicle(engine_force=500.0, height_to_half_width=0.0))
    assert not lap.profile.feasible and "not drivable" in lap.profile.explain()


@pytest.mark.parametrize(("radius", "room"), [(5.0, 3.5), (6.0, 4.0)])
def test_tight_roads_are_driven_as_tightly_as_the_steering_allows(radius, room):
    """Findings: a ring of 5 m with room out to 7.5 m was called undrivable (the car turns within 5.5 m), and
    one of 6 m got a line that bent too much between its knots. Told every metre, and found at 32 knots, the
    lap was 0.26 % too slow: splines bend more at their points than between them."""
    a = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    centre = radius * np.column_stack([np.cos(a), np.sin(a), 0 * a])
    kart = Circuit(centre, np.full(32, room), np.full(32, room))
    assert kart.profile(kart.centre, CAR).feasible == (radius > 5.5)
    lap = kart.fastest_line(CAR)
    assert lap.profile.feasible and lap.least_margin > -0.01 and 33.98 < lap.profile.length < 47.2
    tightest = math.sqrt(27 + 2.25)  # [m] what the steering allows, of the wheels turned by 30°
    assert lap.profile.time < 1.001 * 2 * math.pi * math.sqrt(tightest / 12)


def hairpin(radius, room, leg=20.0):
    """A stage of two legs and half a circle between them."""
    a, out = np.linspace(0, np.pi, 12), np.arange(0.0, leg, 2.0)
    bend = np.column_stack([leg + radius * np.sin(a), radius - radius * np.cos(a)])
    line = np.vstack(
        [np.column_stack([out, 0 * out]), bend, np.column_stack([out[:0:-1], 0 * out[1:] + 2 * radius])]
    )
    room = np.full(len(line), room)
    return Circuit(np.column_stack([line, 0 * line[:, 0]]), room, room, closed=False)


@pytest.fixture(scope="module")
def beside():
    """A hairpin of 3 m, and how it is driven."""
    track = hairpin(3.0, 4.0)
    return track, track.fastest_line(CAR)


def test_a_stage_whose_middle_is_too_tight_is_driven_beside_it(beside):
    """Finding: a hairpin of 3 m was called not drivable beside a drivable line."""
    track, lap = beside
    assert not track.judged(track.centre, CAR).feasible
    a = np.linspace(0, np.pi, 60)
    wide = np.column_stack([20 + 5.7 * np.sin(a), 3 - 5.7 * np.cos(a)])
    legs = [np.column_stack([np.arange(0.0, 19.5, 0.5), np.full(39, y)]) for y in (-2.7, 8.7)]
    plain = track.judged(np.vstack([legs[0], wide, legs[1][::-1]]), CAR)
    assert plain.feasible and lap.profile.feasible and lap.least_margin > -0.01
    assert lap.profile.time < plain.time


def test_a_known_line_is_never_lost(beside):
    """It is the answer, or what the answer was made of, where the search finds nothing as quick."""
    track, lap = beside
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("swerve.terrain.circuit.gentlest_line", lambda road, line, *_: line)
        assert not track.fastest_line(CAR).profile.feasible
        patch.setattr(lapline, "SPARE_STEER", ())
        again = track.fastest_line(CAR, known=lap.line[:, :2])
    assert again.profile.time == pytest.approx(lap.profile.time, rel=1e-4)


def test_the_room_beside_a_bend_is_measured_far_outside_of_it():
    """Finding: 5 m outside a bend of 1 m, places were taken for places on the other side."""
    track = hairpin(1.0, 6.0)
    a = np.linspace(0.2, np.pi - 0.2, 40)
    beside = np.column_stack([20 + 6.5 * np.sin(a), 1 - 6.5 * np.cos(a)])
    room, offset = track.margins(beside, 0.0)
    assert offset == pytest.approx(-5.5, abs=0.05) and room == pytest.approx(0.5, abs=0.05)


def test_hairpins_as_tight_as_the_wheels_turn_are_cut():
    """Finding: where a line bent too much for the next knots, the middle of the road was driven, 12 % slower
    than the line that uses its width."""
    straight, arc = np.linspace(0.0, 80.0, 12, endpoint=False), np.linspace(-np.pi / 2, np.pi / 2, 24)[:-1]
    half = np.vstack(
        [
            np.column_stack([straight, 0 * straight - 7.0]),
            7.0 * np.column_stack([np.cos(arc), np.sin(arc)]) + [80, 0],
        ]
    )
    rows = np.vstack([half, [80.0, 0.0] - half])
    road = Circuit(np.column_stack([rows, 0 * rows[:, 0]]), np.full(len(rows), 2.8), np.full(len(rows), 2.8))
    lap = road.fastest_line(CAR)
    middle = road.profile(road.centre, CAR).time
    assert lap.profile.feasible and 0.0 < lap.least_margin < 0.01 and lap.profile.time < 0.88 * middle


def test_a_small_ring_is_driven_along_its_inside():
    """Finding: a ring of 9 m was driven 17 % slower than its inner circle."""
    a = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    small = Circuit(9 * np.column_stack([np.cos(a), np.sin(a), 0 * a]), np.full(32, 3.0), np.full(32, 3.0))
    assert small.fastest_line(CAR).profile.time < 1.001 * 2 * math.pi * math.sqrt(7.0 / 12)


def test_without_friction_it_is_not_the_engine_that_stalls():
    """Finding: on a flat straight the climb was called too steep for the engine."""
    s = np.linspace(0, 100, 20)
    track = Circuit(np.column_stack([s, 0 * s, 0 * s]), np.full(20, 4.0), np.full(20, 4.0), closed=False)
    assert "too slippery" in track.judged(track.centre, replace(CAR, friction=0.0)).explain()
