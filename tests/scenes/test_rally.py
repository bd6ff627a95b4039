"""Rally: the ground is what its slopes say, the vehicle asks no more than the car has, the lap is real."""

import numpy as np
import pytest

from swerve.race.envelope import measure
from swerve.scenes import rally
from swerve.scenes.rally_course import HALF_WIDTH, STEEPEST, Course
from swerve.terrain.profile import speed_profile


@pytest.fixture(scope="module")
def course():
    return Course.drawn(3)


@pytest.fixture(scope="module")
def trials():
    return measure()


@pytest.fixture(scope="module")
def plain(course, trials):
    """The least bent line, driven by the car's stand-in."""
    return course.circuit.least_bend_line(rally.stand_in(trials, 10.0), rally.ROOM)


def test_the_same_seed_draws_the_same_circuit(course):
    again, other = Course.drawn(3), Course.drawn(4)
    assert (again.way.points == course.way.points).all() and (again.way.z == course.way.z).all()
    assert other.way.length != course.way.length
    assert np.abs(course.way.grade).max() <= STEEPEST + 1e-9
    assert course.track.tightest_radius > HALF_WIDTH  # the edges do not fold


def test_slopes_are_those_of_the_heights(course):
    rng = np.random.default_rng(0)
    way = course.way
    station, offset = rng.uniform(0, way.length, 300), rng.uniform(-0.9, 0.9, 300) * HALF_WIDTH
    x, y = way.place(station, offset)[:, :2].T
    z, gx, gy = course.ground(x, y)
    h = 1e-4
    assert gx == pytest.approx((course.ground(x + h, y)[0] - course.ground(x - h, y)[0]) / (2 * h), abs=1e-6)
    assert gy == pytest.approx((course.ground(x, y + h)[0] - course.ground(x, y - h)[0]) / (2 * h), abs=1e-6)
    assert z == pytest.approx(way.at(way.z, station), abs=0.1)  # no bank


def test_the_vehicle_asks_no_more_than_the_car_did(trials):
    vehicle = rally.stand_in(trials, 10.0)
    force = dict(vehicle.force_curve)
    for k, speed in enumerate(trials.speed):
        q = np.linspace(0.0, 10.0, 50)
        asked = np.minimum(force[speed] / vehicle.mass, np.sqrt(np.maximum(100.0 - q**2, 0.0)))
        have = trials.drive_at(k, q / rally.MARGIN) + vehicle.drag * speed**2 / vehicle.mass
        held = np.isfinite(have) & (have > 0)
        assert (asked[held] <= rally.MARGIN * have[held] + 1e-2).all()
        assert force[speed] == 0.0 or held[:-1].all()


def test_both_lines_have_the_same_room_and_the_ways_keep_the_times(course, trials, plain):
    vehicle = rally.stand_in(trials, 10.0)
    circuit = course.circuit
    again = circuit.least_bend_line(rally.stand_in(trials, 8.0), rally.ROOM)
    assert (again.line == plain.line).all()  # least bend knows no vehicle
    assert plain.least_margin > -0.03
    way = plain.way()
    line = np.column_stack([way.points, way.z])
    assert speed_profile(circuit.path(line), vehicle).time == pytest.approx(plain.profile.time, rel=2e-3)
    assert way.speed is not None
    step = np.hypot(way.length / len(way.points), way.length / len(way.points) * way.grade)
    assert (step / way.speed).sum() == pytest.approx(plain.profile.time, rel=2e-3)


def test_a_stretch_of_the_lap_is_driven_on_the_line_and_over_the_hills(course, plain, monkeypatch):
    monkeypatch.setattr(rally, "_lines", lambda seed: (course, plain, plain))
    world = rally.build(3)
    for _ in range(80):
        world.step()
    assert not world.contacts and not rally.finished(world) and world.lap_time() is None
    rows = np.array(world.rows)
    assert rows[-1, 1] > 60.0 and np.abs(rows[:, 2]).max() < 0.3
    recording = world.recording()
    car, wheel = recording["parent"] != 0, recording["parent"] == 0
    assert wheel.sum() == 4 * car.sum()
    ground, gx, gy = course.ground(recording["x"][car], recording["y"][car])
    assert recording["z"][car] == pytest.approx(ground + 0.7)
    up = 1 - 2 * (recording["qx"][car] ** 2 + recording["qy"][car] ** 2)
    assert up == pytest.approx(1 / np.sqrt(1 + gx**2 + gy**2), abs=1e-6)
    assert up.min() < 1 - 1e-4
