"""`Chase-v0`: cars of agents among a town's own minds; contacts are the referee's, the ends are told once."""

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from swerve.city.referee import corners_off_road
from swerve.envs import ChaseBatch, ChaseExpert

QUIET = {"people": 0, "cyclists": 0, "sirens": 0}


def test_who_runs_into_somebody_is_over_and_stays_so():
    many = ChaseBatch(cars=2, vehicles=4, metres=300.0, **QUIET)
    many.reset(3)
    many.cars[1].state[0, :3] = many.ways[0].place(np.array([many.station[0] + 8.0]))[0, :3]
    many.world.refresh()
    for _ in range(30):
        _, reward, over, _ = many.step(np.array([[0.0, 1.0], [0.0, -1.0]]))
        if many.touched[0]:
            break
    pair = {int(member.ids[0]) for member in many.members}
    assert [{contact.a, contact.b} for contact in many.world.contacts] == [pair]
    assert over[0] and -5.0 < reward[0] < -4.0
    _, reward, over, _ = many.step(np.ones((2, 2)))
    assert (reward == 0.0).all() and over[0] and many.cars[0].brake[0] == 100.0


def test_who_leaves_the_road_is_over_and_observations_keep_to_their_space():
    many = ChaseBatch(cars=1, vehicles=0, metres=300.0, **QUIET)
    seen = many.reset(1)
    assert (seen[0, 17:] == 10.0).all()  # nobody else is there
    for _ in range(60):
        assert many.observation_space.contains(seen[0])
        seen, reward, over, _ = many.step(np.array([[0.5, 1.0]]))
        if over[0]:
            break
    assert over[0] and reward[0] < -4.0 and not many.touched[0]


def test_the_pilot_makes_its_way_and_the_same_actions_give_the_same_drive():
    many = ChaseBatch(cars=1, vehicles=10, metres=100.0, **QUIET)
    many.reset(4)
    expert, actions, rewards, over = ChaseExpert(many), [], [], [False]
    while not over[0]:
        actions.append(expert())
        _, reward, over, cut = many.step(actions[-1])
        rewards.append(reward[0])
        assert not cut
    assert many.station[0] >= 100.0 and not many.world.contacts
    assert sum(rewards) == pytest.approx(0.1 * (many.station[0] - 12.0))
    many.reset(4)
    assert [many.step(action)[1][0] for action in actions] == rewards


def test_between_the_lanes_that_cross_in_a_junction_is_the_road():
    many = ChaseBatch(cars=1, vehicles=0, metres=400.0, **QUIET)
    many.reset(2)
    way, car = many.ways[0], many.cars[0]
    near = np.meshgrid(np.arange(20.0, 390.0, 0.5), [-0.2, 0.0, 0.2, -0.8], [-0.3, 0.0, 0.3])
    at, share, askew = (part.ravel() for part in near)  # 0.8 of the width aside is beyond its edge
    left, right = way.at(way.left, at), way.at(way.right, at)
    aside = 0.5 * (left - right) + share * (left + right)
    x, y, yaw = way.place(at)[:, :3].T
    poses = np.stack([x - aside * np.sin(yaw), y + aside * np.cos(yaw), yaw + askew])
    size = np.tile(car.outline[:, :2], (len(at), 1)).T
    flagged = corners_off_road(many.roads, *poses, *size)
    told = []
    for k in np.flatnonzero(flagged & ((share > -0.5) | (askew == 0.0))):
        car.state[0, :3], many.station[0] = poses[:, k], at[k]
        told.append((share[k] < -0.5, many._off_road()[0]))
    assert set(told) == {(False, False), (True, True)}
