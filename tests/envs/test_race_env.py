"""Environments of the race: the checkers' interface, our own physics, one and many alike."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from swerve.core.errors import BadInput  # noqa: E402
from swerve.envs import RaceEnv, RaceVectorEnv  # noqa: E402
from swerve.envs.expert import steady  # noqa: E402
from swerve.race import load_track  # noqa: E402
from swerve.race.body import SlidingCar  # noqa: E402
from swerve.race.tracks import generate  # noqa: E402


def ring(radius=40.0, width=10.0):
    from swerve.race.track import Track

    turn = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    return Track.from_centre(
        "ring", radius * np.stack([np.cos(turn), np.sin(turn)], -1), width / 2, width / 2, closed=True
    )


def test_the_checker_of_gymnasium_is_content_and_the_names_are_registered():
    one = gymnasium.make("swerve.envs:Race-v0", track="sharp-cornered", disable_env_checker=True)
    check_env(one.unwrapped, skip_render_check=True)
    many = gymnasium.make_vec("swerve.envs:Race-v0", num_envs=3, vectorization_mode="vector_entry_point")
    seen, _ = many.reset(seed=1)
    assert isinstance(many.unwrapped, RaceVectorEnv) and many.observation_space.contains(seen)


def test_a_car_of_the_batch_drives_as_the_sliding_car_does():
    many = RaceVectorEnv(5, "cornered")
    many.reset(seed=2)
    cars = SlidingCar().start(5)
    cars.state[:] = many.state[:, :6]
    rng = np.random.default_rng(1)
    for _ in range(10):
        actions = rng.uniform(-1, 1, (5, 2)) * [0.4, 1.0]
        _, _, ended, _, _ = many.step(actions)
        assert not ended.any()
        pedal = 100.0 * actions[:, 1]
        cars.step(np.stack([0.6 * actions[:, 0], pedal.clip(0), (-pedal).clip(0)], -1), 0.04)
        np.testing.assert_allclose(many.state[:, :6], cars.state, atol=1e-12)
        np.testing.assert_allclose(many.state[:, 6], cars.wheel, atol=1e-12)


def test_one_car_and_many_give_the_same_trajectories():
    many = RaceVectorEnv(6, ["cornered", "final"])
    seen, _ = many.reset(seed=3)
    singles = []
    for k in range(6):
        one = RaceEnv(["cornered", "final"])
        one.reset(seed=0)
        one.batch.state[:] = many.state[k]
        singles.append(one)
    done = np.zeros(6, bool)
    for _ in range(120):
        actions = steady(seen)
        seen, reward, ended, cut, _ = many.step(actions)
        for k in np.flatnonzero(~done):
            own, got, over, late, _ = singles[k].step(actions[k])
            np.testing.assert_array_equal(own, seen[k])
            assert (got, over, late) == (reward[k], ended[k], cut[k])
        done |= ended | cut
    assert not done.all()


def test_the_same_seed_gives_the_same_drive_and_another_one_another():
    def drive(seed):
        many = RaceVectorEnv(4)
        seen, _ = many.reset(seed=seed)
        total = np.zeros(4)
        for _ in range(50):
            seen, reward, *_ = many.step(steady(seen))
            total += reward
        return total

    np.testing.assert_array_equal(drive(5), drive(5))
    assert (drive(5) != drive(6)).any()


def test_rewards_are_the_way_made_and_leaving_the_road_ends_it():
    env = RaceEnv(ring(), random_start=False, seconds=30.0)
    env.reset(seed=0)
    first, way, over = env.batch.state[0, 7], 0.0, False
    while not over:  # straight on at full throttle, off a bend of 40 m
        _, reward, over, cut, info = env.step([0.0, 1.0])
        way += reward
        assert not cut
    assert way == pytest.approx(0.1 * (info["station"] - first) - 5.0)
    place = np.hypot(*env.batch.state[0, :2])
    assert 41.0 < place < 45.0  # a corner is past the edge at 45 m, the middle is not


def test_the_finish_ends_an_open_track_and_time_cuts_a_closed_one():
    env = RaceEnv("cornered", random_start=False)
    seen, _ = env.reset(seed=0)
    over = cut = False
    while not (over or cut):
        seen, reward, over, cut, info = env.step(steady(seen))
    assert over and reward > -1.0 and info["station"] >= load_track("cornered").finish
    ringed = RaceEnv(ring(), seconds=4.0)
    seen, _ = ringed.reset(seed=1)
    for frame in range(1, 101):
        seen, _, over, cut, _ = ringed.step(steady(seen))
        assert not over and cut == (frame == 100)


def test_who_is_over_starts_anew_in_the_next_step():
    many = RaceVectorEnv(3, seconds=0.2)
    many.reset(seed=0)
    for _ in range(4):
        assert not many.step(np.zeros((3, 2)))[3].any()
    assert many.step(np.zeros((3, 2)))[3].all()
    _, reward, ended, cut, _ = many.step(np.ones((3, 2)))
    assert (reward == 0).all() and not ended.any() and not cut.any() and (many.state[:, 9] == 0).all()


def test_who_is_over_can_start_anew_at_once():
    many = RaceVectorEnv(3, seconds=0.2)
    many.reset(seed=0)
    many.state[1, 9] = -1.0  # starts a frame later than the others
    for _ in range(5):
        *_, cut, _ = many.step(np.zeros((3, 2)))
    assert cut.tolist() == [True, False, True]
    seen = many.restart()
    assert many.state[:, 9].tolist() == [0.0, 4.0, 0.0] and many.observation_space.contains(seen)
    *_, cut, _ = many.step(np.zeros((3, 2)))
    assert cut.tolist() == [False, True, False] and many.state[:, 9].tolist() == [1.0, 5.0, 1.0]


def test_the_steady_driver_stays_on_roads_it_has_not_seen():
    tracks = [generate(seed=seed) for seed in range(60, 66)]
    many = RaceVectorEnv(60, tracks, seconds=20.0)
    seen, _ = many.reset(seed=4)
    left = 0
    for _ in range(400):
        seen, reward, ended, _, _ = many.step(steady(seen))
        left += int((ended & (reward < -1.0)).sum())
    assert left <= 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"num_envs": 0}, "num_envs: must be at least 1"),
        ({"seconds": 0.0}, "seconds: must be at least"),
        ({"track": []}, "track: must be at least one"),
        ({"track": "nowhere"}, "nowhere"),
    ],
)
def test_bad_settings_are_named(given, words):
    with pytest.raises(BadInput, match=words):
        RaceVectorEnv(**given)


def test_bad_actions_are_named():
    many = RaceVectorEnv(2)
    many.reset(seed=0)
    with pytest.raises(BadInput, match="actions: must be of shape"):
        many.step(np.zeros((3, 2)))
    with pytest.raises(BadInput, match="actions: must be finite"):
        many.step(np.full((2, 2), np.nan))
