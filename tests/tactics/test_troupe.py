"""An MJCF scene among others: a plan plays out as planned, and whoever comes along pushes its bodies."""

import numpy as np
import pytest

from swerve.core.world import World
from swerve.race.body import SlidingCar
from swerve.tactics import PlanForces, Troupe, load_domain, replay, solve


@pytest.fixture(scope="module")
def plan():
    return solve(load_domain("navigation"), seed=1)


def test_a_plan_played_in_a_world_goes_as_planned(plan):
    step = plan.problem.world.step_seconds
    world = World(dt=6 * step)
    troupe = Troupe(plan.problem.world, plan.problem.start)
    world.add(troupe, PlanForces(plan))
    frames = len(plan.controls) // 6
    for _ in range(frames):
        world.step()
    rows, _ = replay(plan)
    assert (troupe.row == rows[6 * frames]).all()
    robot = troupe.names.index(plan.problem.ego)
    assert troupe.motion().x[robot] == pytest.approx(plan["x"][6 * frames])
    assert not world.contacts  # what they do to each other is theirs


def test_a_car_that_runs_into_a_robot_pushes_it(plan):
    world = World(dt=6 * plan.problem.world.step_seconds)
    troupe = Troupe(plan.problem.world, plan.problem.start, place=(50.0, 0.0))
    world.add(troupe)
    robot = troupe.names.index(plan.problem.ego)
    before = troupe.motion()
    car = SlidingCar().start(1)
    car.put(before.x[robot : robot + 1] - 6.0, before.y[robot : robot + 1], np.zeros(1), 8.0)
    world.add(car, name="car")
    for _ in range(20):
        world.step()
    assert world.contacts and world.contacts[0].kinds[1] == "car"
    assert troupe.motion().x[robot] > before.x[robot] + 0.5
    assert np.isfinite(troupe.row).all()
