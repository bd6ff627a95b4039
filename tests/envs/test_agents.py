"""Environments of many agents: PettingZoo's interface, the wings' own motion, batches and agents alike."""

import sys

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from gymnasium.error import ResetNeeded

from swerve.core.bodies import PlainBody
from swerve.core.errors import BadInput
from swerve.envs import ChaseBatch, CityBatch, HerdBatch, HerdExpert, own_way, parallel

QUIET = {"vehicles": 5, "people": 0, "cyclists": 0, "sirens": 0}
SMALL = {
    "Chase-v0": {"cars": 2, "metres": 150.0, "seconds": 1.0, **QUIET},
    "City-v0": {"vehicles": 6, "seconds": 1.0},
    "Herd-v0": {"riders": 5, "seconds": 1.0},
}


@pytest.mark.parametrize("name", SMALL)
def test_the_checker_of_pettingzoo_is_content(name):
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import parallel_api_test

    parallel_api_test(parallel(name, **SMALL[name]), num_cycles=25)


@pytest.mark.parametrize(
    "name, batch", [("Chase-v0", ChaseBatch), ("City-v0", CityBatch), ("Herd-v0", HerdBatch)]
)
def test_agents_see_what_the_batch_sees(name, batch):
    pytest.importorskip("pettingzoo")
    env, many = parallel(name, **SMALL[name]), batch(**SMALL[name])
    seen, _ = env.reset(seed=4)
    np.testing.assert_array_equal(np.stack(list(seen.values())), many.reset(4))
    rng = np.random.default_rng(1)
    for k in range(10):
        actions = rng.uniform(-1, 1, (many.count, 2))
        seen, reward, ended, cut, _ = env.step(dict(zip(env.agents, actions, strict=True)))
        table, got, over, late = many.step(actions)
        np.testing.assert_array_equal(np.stack(list(seen.values())), table)
        assert list(reward.values()) == got.tolist() and list(ended.values()) == over.tolist()
        assert all(cut.values()) == late == (k == 9)
    assert env.agents == []


@pytest.mark.parametrize("make", [CityBatch, HerdBatch])
def test_observations_are_within_their_space_and_repeat_themselves(make):
    def drive():
        many, rows = make(), []
        seen = many.reset(7)
        rng = np.random.default_rng(3)
        for _ in range(20):
            assert many.observation_space.contains(seen[0]) and abs(seen).max() <= 10
            seen, reward, *_ = many.step(rng.uniform(-1, 1, (many.count, 2)))
            rows.append(reward)
        return np.array(rows)

    np.testing.assert_array_equal(drive(), drive())


def test_drivers_stand_when_they_are_told_to_and_drive_on_by_themselves():
    many = CityBatch(vehicles=20)
    seen = many.reset(2)
    for _ in range(60):
        seen, going, *_ = many.step(own_way(seen))
    for _ in range(100):
        seen, reward, *_ = many.step(np.tile([-1.0, 0.0], (20, 1)))
    lanes = seen[:, 3] == 0
    stands = seen[lanes, 0] < 0.01  # who has leave to enter a junction goes through
    assert going.mean() > 0.05 and lanes.any() and stands.mean() > 0.8 and reward.mean() < 0.01


def test_paces_between_standing_and_ones_own_are_all_different():
    def way(pace):
        many = CityBatch(vehicles=4)
        many.reset(2)
        return sum(many.step(np.tile([pace, 0.0], (4, 1)))[1].sum() for _ in range(50))

    slow, middle, fast, own = (way(pace) for pace in (-0.5, 0.0, 0.5, 1.0))
    assert 1.3 * slow < middle < 0.9 * fast and fast < 0.95 * own


def test_who_touches_somebody_pays_for_it_as_the_referee_sees_it():
    many = CityBatch(vehicles=12)
    seen = many.reset(3)
    for _ in range(20):
        seen, reward, *_ = many.step(own_way(seen))
    assert reward.min() > -1.0 and not many.world.contacts
    motion, names = many.traffic.motion(), ("x", "y", "yaw", "vx", "vy")
    place = (motion.x[5], motion.y[5], motion.yaw[5], 0.0, 0.0)
    many.world.add(PlainBody("wreck", (4.0, 1.8, 1.4), names, place, lambda rows, *_: rows).start(1))
    _, reward, *_ = many.step(own_way(seen))
    assert np.flatnonzero(reward < -4.0).tolist() == [5]


def test_gaps_ahead_and_behind_are_those_of_the_same_pair():
    many = CityBatch(vehicles=60)
    many.reset(1)
    for _ in range(30):
        seen, *_ = many.step(own_way(np.zeros((60, 1))))
    ahead, behind = np.sort(seen[:, 6]), np.sort(seen[:, 8])
    np.testing.assert_array_equal(ahead, behind)
    assert (ahead < 2.0).any()


def test_riders_that_are_not_there_are_far_away():
    seen = HerdBatch(riders=3).reset(1)[:, 6:].reshape(3, 4, 4)
    assert (seen[:, 2:] == 10.0).all() and (abs(seen[:, :2]) < 10.0).all()


def test_the_herd_s_own_law_does_better_than_chance():
    def total(act):
        many = HerdBatch(riders=8)
        many.reset(5)
        agent = act(many)
        return sum(many.step(agent())[1].sum() for _ in range(100))

    rng = np.random.default_rng(0)
    by_law, by_chance = total(HerdExpert), total(lambda many: lambda: rng.uniform(-1, 1, (8, 2)))
    assert by_law > by_chance + 5


@pytest.mark.parametrize(
    "make, settings, told",
    [
        (ChaseBatch, {"cars": 0}, "cars"),
        (ChaseBatch, {"metres": 5.0, **QUIET}, "metres"),
        (CityBatch, {"vehicles": 0}, "vehicles"),
        (CityBatch, {"emergency": 99}, "emergency"),
        (HerdBatch, {"riders": 1}, "riders"),
        (HerdBatch, {"seconds": "x"}, "seconds"),
        (CityBatch, {"seconds": None}, "seconds"),
        (HerdBatch, {"spacing": np.nan}, "spacing"),
        (HerdBatch, {"spacing": 2.0}, "2.66 m: a rider is 1.66 m long"),
    ],
)
def test_what_makes_no_sense_is_refused(make, settings, told):
    with pytest.raises(BadInput, match=told):
        make(**settings)


def test_a_step_needs_a_reset_and_who_is_given_no_action_has_zeros():
    pytest.importorskip("pettingzoo")
    env, other = (parallel("Herd-v0", riders=3) for _ in range(2))
    with pytest.raises(ResetNeeded):
        env.step({})
    env.reset(seed=1)
    other.reset(seed=1)
    given, zeros = {"rider_1": np.ones(2)}, {f"rider_{k}": np.full(2, k == 1) for k in range(3)}
    assert env.step(given)[1] == other.step(zeros)[1]


def test_names_and_shapes_are_checked_and_a_missing_library_is_told(monkeypatch):
    many = CityBatch(vehicles=3)
    with pytest.raises(BadInput, match="must be of shape"):
        many.step(np.zeros((2, 2)))
    with pytest.raises(BadInput, match="must be one of Chase-v0, City-v0, Herd-v0"):
        parallel("Zoo-v0")
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "swerve.envs.agents", raising=False)
    with pytest.raises(BadInput, match="pettingzoo is not installed"):
        parallel("City-v0")
