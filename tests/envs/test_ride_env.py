"""`Ride-v0`: Gymnasium's interface, the riders' own motion, one and many alike."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from swerve.core.way import Way  # noqa: E402
from swerve.envs import RideEnv, RideExpert, RideVectorEnv  # noqa: E402


def ring(radius=60.0):
    turn = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    return Way.through(radius * np.stack([np.cos(turn), np.sin(turn)], -1), closed=True)


def test_the_checker_of_gymnasium_is_content_and_the_names_are_registered():
    one = gymnasium.make("swerve.envs:Ride-v0", disable_env_checker=True)
    check_env(one.unwrapped, skip_render_check=True)
    many = gymnasium.make_vec("swerve.envs:Ride-v0", num_envs=3, vectorization_mode="vector_entry_point")
    seen, _ = many.reset(seed=1)
    assert isinstance(many.unwrapped, RideVectorEnv) and many.observation_space.contains(seen)


def test_one_rider_and_many_give_the_same_trajectories():
    many = RideVectorEnv(4)
    many.reset(seed=3)
    singles = [RideEnv() for _ in range(4)]
    for k, one in enumerate(singles):
        one.reset(seed=3 + k)
    rng, done = np.random.default_rng(1), np.zeros(4, bool)
    for _ in range(15):
        actions = rng.uniform(-0.1, 0.1, (4, 2))
        seen, reward, ended, _, _ = many.step(actions)
        for k in np.flatnonzero(~done):
            own, got, over, _, _ = singles[k].step(actions[k])
            np.testing.assert_array_equal(own, seen[k])
            assert (got, over) == (reward[k], ended[k])
        done |= ended
    assert not done.all()


@pytest.mark.parametrize("path", [3, ring()], ids=["curve", "closed"])
def test_the_navigator_keeps_to_the_path_and_chance_does_not(path):
    many = RideVectorEnv(8, path, seconds=10.0)
    many.reset(seed=5)
    expert, off = RideExpert(many), []
    for _ in range(60):
        _, _, ended, cut, _ = many.step(expert())
        assert not (ended & (abs(many.offset) > 4)).any() and not cut.any()
        off.append(np.median(abs(many.offset)))
    assert off[-1] < 0.3
    many.reset(seed=5)
    rng = np.random.default_rng(2)
    assert any(many.step(np.where(rng.random((8, 2)) < 0.8, 1.0, -1.0))[2].any() for _ in range(60))


def test_who_is_over_starts_anew_and_episodes_are_cut_off():
    many = RideVectorEnv(3, ring(), seconds=0.5)
    many.reset(seed=1)
    expert = RideExpert(many)
    cuts = [many.step(expert())[3].all() for _ in range(12)]
    assert cuts == [False] * 4 + [True] + [False] * 5 + [True, False]
    assert (abs(many.offset) < 1).all()


def test_the_expert_comes_back_to_its_path_from_aside():
    many = RideVectorEnv(20, seconds=8.0)
    many.reset(seed=5)
    expert = RideExpert(many)
    many.offset = np.where(np.arange(20) % 2, 2.5, -2.5)
    many.riders.pose[:] = many.way.place(many.station, many.offset)[:, :3]
    for _ in range(50):
        many.step(expert())
    assert np.abs(many.offset).mean() < 0.15  # 0.6 m while it was told to be on it at once
