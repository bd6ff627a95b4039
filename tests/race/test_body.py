"""The sliding car in a world: the same physics as `Car`, hills, wheels, and walls it cannot pass."""

import numpy as np
import pytest

from swerve.core.attitude import quaternion, turned
from swerve.core.broadphase import WallMap
from swerve.core.errors import BadInput
from swerve.core.world import World
from swerve.race.body import SlidingCar
from swerve.race.car import MAX_STEER_RATE, Car


def _arms(cars):
    """(4 n, 3) from the middle of cars to their wheels, in the cars' own frames."""
    parts, whole = cars.parts(), cars.motion()
    m, w = whole[parts.parent], parts.motion
    back = quaternion(m.yaw, m.pitch, m.roll) * [1.0, -1.0, -1.0, -1.0]
    return turned(back, np.column_stack([w.x - m.x, w.y - m.y, w.z - m.z]))


def test_a_batch_moves_as_the_car_does():
    cars = SlidingCar().start(3)
    cars.put(
        np.zeros(3), np.array([0.0, 10.0, 20.0]), np.array([0.0, 1.0, -2.0]), np.array([5.0, 15.0, 30.0])
    )
    state = cars.state.copy()
    cars.wheel[:] = 0.2
    command = np.array([0.2, 30.0, 0.0])
    cars.step(np.tile(command, (3, 1)), 0.1)
    for _ in range(10):
        state = Car().step(state, *command, 0.01)
    assert cars.state == pytest.approx(state)
    halves = SlidingCar().start(3)
    halves.restore(np.column_stack([state, np.full(3, 0.2), np.zeros(3)]))
    halves.step(np.tile(command, (3, 5, 1)), 0.1)
    cars.step(np.tile(command, (3, 1)), 0.1)
    assert halves.state == pytest.approx(cars.state)


def test_the_wheels_turn_no_faster_than_hands_do():
    car = SlidingCar().start(1)
    car.put(np.zeros(1), np.zeros(1), np.zeros(1), 10.0)
    car.step(np.array([[0.6, 0.0, 0.0]]), 0.05)
    assert car.motion().extras["steer"][0] == pytest.approx(MAX_STEER_RATE * 0.05)


def test_a_hill_tilts_the_car_and_pulls_it_down():
    slope = 0.2

    def ground(x, y):
        return slope * x, np.full_like(x, slope), np.zeros_like(x)

    cars = SlidingCar(ground=ground).start(2)
    cars.put(np.zeros(2), np.array([0.0, 9.0]), np.array([0.0, np.pi / 2]), np.array([10.0, 0.0]))
    before = cars.motion()
    assert before.pitch == pytest.approx([np.arctan(slope), 0.0])
    assert before.roll == pytest.approx([0.0, -np.arctan(slope)])  # facing north, the right side is higher
    assert before.vz[0] == pytest.approx(2.0)
    cars.step(np.zeros((2, 3)), 0.5)
    flat = SlidingCar().start(1)
    flat.put(np.zeros(1), np.zeros(1), np.zeros(1), 10.0)
    flat.step(np.zeros((1, 3)), 0.5)
    lost = flat.state[0, 3] - cars.state[0, 3]
    assert lost == pytest.approx(0.5 * 9.8 * slope / (1 + slope**2), rel=0.02)
    wheels = cars.parts()
    assert len(wheels.names) == 8 and (wheels.parent == [0] * 4 + [1] * 4).all()
    lift = wheels.motion.z[0] - wheels.motion.z[2]
    assert lift == pytest.approx(2.0 * np.sin(np.arctan(slope)), rel=1e-6)
    arms = [_arms(some) for some in (cars, flat)]  # a body does not change its shape on a hill
    assert arms[0][:4] == pytest.approx(arms[1], abs=1e-9)


def test_a_wall_stops_it_and_a_standing_car_is_pushed():
    world = World(dt=0.1, walls=WallMap(np.array([[60.0, -30.0, 60.0, 30.0]])))
    cars = SlidingCar().start(2)
    cars.put(np.array([0.0, 20.0]), np.zeros(2), np.zeros(2), np.array([20.0, 0.0]))
    world.add(cars, walls=True)
    world.run(4.0)
    assert ("car", "car") in [c.kinds for c in world.contacts]
    assert cars.state[:, 0].max() < 60.0 - 2.0
    assert cars.state[1, 0] > 25.0
    assert cars.state[1, 0] - cars.state[0, 0] > 3.9


def test_wrong_commands_are_named():
    with pytest.raises(BadInput, match=r"commands: must be \(2, 3\)"):
        SlidingCar().start(2).step(np.zeros((2, 2)), 0.1)
