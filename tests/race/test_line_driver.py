"""The driver of lines: circles near the limit, a lap as fast as its speeds say, and an honest forecast."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.way import Way
from swerve.core.world import World
from swerve.race import CarParameters, LineDriver
from swerve.race.body import SlidingCar
from swerve.race.car import Car
from swerve.race.envelope import SPEEDS, measure
from swerve.race.pace import limits


def circle(radius, speed, wobble=0.0):
    a = np.linspace(0, 2 * np.pi, 4000, endpoint=False)
    r = radius * (1.0 + wobble * np.cos(3 * a))
    points = np.column_stack([r * np.cos(a), r * np.sin(a)])
    return Way.through(points, closed=True, speed=speed)


@pytest.fixture(scope="module")
def trials():
    return measure()


def drive(way, seconds, cars=1, body=None):
    """Drive from the start of the way; the driver, and offsets and speeds (frames, cars) on the way."""
    body = body or SlidingCar()
    driver, batch = LineDriver(way, body), body.start(cars)
    batch.restore(driver.rolling(np.linspace(0.0, way.length / 2, cars)))
    world = World(record=False)
    world.add(batch, driver)
    seen = []
    for _ in range(round(seconds / world.dt)):
        world.step()
        seen.append((driver.offset, batch.motion().speed, np.abs(batch.motion().extras["slip"])))
    offset, speed, slip = np.array(seen).swapaxes(0, 1)
    return world, driver, offset, speed, slip


def test_what_circles_hold_is_what_the_balance_of_forces_says(trials):
    """Once slow circles counted as lost, because the pedal did not make up for what the sliding takes."""
    able = limits(CarParameters())
    slow = (trials.speed >= 12.0) & (trials.speed <= 24.0)
    balance = np.interp(trials.speed, able.speed, able.lateral)
    np.testing.assert_allclose(trials.lateral[slow], balance[slow], rtol=0.06)
    state = np.array([10.0 * np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])])
    for _ in range(2000):  # a constant wheel and a constant pedal, nothing else
        state = Car().step(state, 0.458, 94.9, 0.0, 0.01)
    held = np.hypot(*state[0, 3:5]) * state[0, 5]
    assert trials.lateral[trials.speed == 10.0][0] == pytest.approx(held, rel=0.05)


@pytest.mark.parametrize("radius", [20.0, 60.0])
def test_a_circle_at_nine_tenths_of_the_limit_is_held(trials, radius):
    side = np.interp(np.sqrt(14.0 * radius), SPEEDS, trials.lateral)
    speed = np.sqrt(0.9 * side * radius)
    _, _, offset, driven, slip = drive(circle(radius, speed), 6.0, cars=2)
    assert np.abs(offset).max() < 0.1
    assert driven == pytest.approx(speed, rel=0.01)
    assert slip.max() > np.radians(12)  # it really slides


def test_a_lap_takes_what_its_speeds_say():
    way = circle(40.0, 16.0, wobble=0.2)
    way = replace(way, speed=14.0 + 3.0 * np.cos(6 * np.pi * way.station / way.length))
    said = LineDriver(way).plan.time
    _, driver, offset, _, _ = drive(way, said + 0.1)  # it notes where a frame began
    assert np.abs(offset).mean() < 0.05 and np.abs(offset).max() < 0.3
    assert driver.laps[0] + driver.station[0] / way.length == pytest.approx(1.0, abs=0.01)


def test_a_car_that_was_pushed_comes_back():
    way, body = circle(40.0, 15.0), SlidingCar()
    driver, cars = LineDriver(way, body), body.start(1)
    rows = driver.rolling(np.zeros(1))
    rows[:, 0] += 1.0
    cars.restore(rows)
    world = World(record=False)
    world.add(cars, driver)
    world.step()
    assert abs(driver.offset[0]) == pytest.approx(1.0, abs=0.1)
    for _ in range(40):
        world.step()
    assert abs(driver.offset[0]) < 0.05


def test_it_foresees_where_it_will_be():
    world, driver, *_ = drive(circle(40.0, 15.0, wobble=0.1), 3.0)
    times = np.array([0.5, 1.0])
    world.step()  # the driver speaks of the frame at whose start it chose
    foreseen = driver.foresee(times)
    for _ in range(4):
        world.step()
    half = world.members[0].motion
    for _ in range(5):
        world.step()
    full = world.members[0].motion
    for k, motion in enumerate((half, full)):
        assert foreseen[0, k, :2] == pytest.approx([motion.x[0], motion.y[0]], abs=0.3)
        assert abs(np.angle(np.exp(1j * (foreseen[0, k, 2] - motion.yaw[0])))) < 0.05


def test_a_way_without_speeds_or_too_tight_is_refused():
    with pytest.raises(BadInput, match="speed"):
        LineDriver(Way.through([[0, 0], [50, 0]]))
    with pytest.raises(BadInput, match="too tight"):
        LineDriver(circle(2.5, 4.0))


def test_trials_know_what_the_drive_can_hold(trials):
    # in a bend the side force of a sliding car holds it back
    k = int(np.argmin(np.abs(SPEEDS - 20.0)))
    straight, turning = trials.drive_at(k, np.array([0.0, 12.0]))
    assert straight == pytest.approx((10000 - 20 * 20 - 4 * 400) / 1500, rel=0.01)
    assert turning < straight - 2.0
    assert trials.lateral[k] < 29.4  # the cap of the tyres is never reached
    assert trials.top_speed == pytest.approx(47.56, abs=0.01)
