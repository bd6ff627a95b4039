"""An MJCF scene among others: a plan plays out as planned, and whoever comes along pushes its bodies."""

import numpy as np
import pytest

from swerve.core.contact import Touch
from swerve.core.world import World
from swerve.race.body import SlidingCar
from swerve.tactics import Body, PlanForces, Role, Troupe, load_domain, replay, solve
from swerve.tactics import World as Scenery


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


def test_what_hangs_on_joints_is_not_shifted():
    """A push wrote a shift in metres onto the angle of the joint, and onto the next body's."""
    hinge = '<joint type="hinge" axis="0 0 1"/><geom type="box" size=".3 .02 .1"/>'
    model = f"""<mujoco><worldbody><body name="bar" pos="2 1 .1" euler="0 0 30">{hinge}
      <body name="flap" pos=".3 0 0"><joint type="slide" axis="1 0 0"/><geom size=".1"/></body>
      <body name="tip" pos="0 .3 0"><geom size=".1"/></body></body></worldbody></mujoco>"""
    troupe = Troupe(Scenery(model, [Body(name, Role.PASSIVE) for name in ("bar", "flap", "tip")]))
    assert np.isfinite(troupe.motion().yaw_rate).all()
    before = troupe.row.copy()
    kick, none = np.full((3, 3), 0.5), np.zeros((3, 3))
    troupe.touched(Touch(np.arange(3), np.arange(3), np.arange(3), none, none, none[:, 0], kick, kick[:, :2]))
    changed = np.flatnonzero(troupe.row != before)
    assert changed.tolist() == [troupe.world.slot("bar").qvel] and troupe.row[changed] == 0.5


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
