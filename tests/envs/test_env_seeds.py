"""Seeds of batches: every body has a chance of its own, and starts as it would alone."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from swerve.core.errors import BadInput  # noqa: E402
from swerve.envs import (  # noqa: E402
    MinigolfEnv,
    MinigolfVectorEnv,
    RaceEnv,
    RaceVectorEnv,
    RideEnv,
    RideVectorEnv,
    SoccerEnv,
    SoccerVectorEnv,
    parallel,
)

GAMES = {
    "Race": (RaceEnv, RaceVectorEnv, {"track": ["cornered", "final"], "seconds": 0.4}),
    "Ride": (RideEnv, RideVectorEnv, {"seconds": 2.0}),
    "Minigolf": (MinigolfEnv, MinigolfVectorEnv, {"layouts": [1, 2, 3], "seconds": 0.4}),
    "Soccer": (SoccerEnv, SoccerVectorEnv, {"layouts": [1, 2, 3], "seconds": 0.2}),
}


@pytest.mark.parametrize("single, batch, given", GAMES.values(), ids=GAMES)
def test_everybody_starts_and_starts_anew_as_alone_with_its_own_seed(single, batch, given):
    many, seeds = batch(3, **given), [5, 99, 1000]
    seen, _ = many.reset(seed=seeds)
    alone = [single(**given) for _ in seeds]
    for one, seed, row in zip(alone, seeds, seen, strict=True):
        np.testing.assert_array_equal(one.reset(seed=seed)[0], row)
    rng, over = np.random.default_rng(1), np.zeros(3, bool)
    for _ in range(30):
        actions = rng.uniform(-1, 1, many.action_space.shape)
        seen, reward, ended, cut, _ = many.step(actions)
        for k, one in enumerate(alone):
            told = (one.reset()[0], 0.0, False, False) if over[k] else one.step(actions[k])[:4]
            np.testing.assert_array_equal(told[0], seen[k])
            assert told[1:] == (reward[k], ended[k], cut[k])
        over = ended | cut
    assert many._starts.min() > 1


@pytest.mark.parametrize("batch, given", [game[1:] for game in GAMES.values()], ids=GAMES)
def test_one_seed_is_that_of_the_first_and_the_next_have_the_next(batch, given):
    three, two = batch(3, **given), batch(2, **given)
    first = three.reset(seed=7)[0]
    np.testing.assert_array_equal(first[:2], two.reset(seed=7)[0])
    np.testing.assert_array_equal(first, three.reset(seed=[7, 8, 9])[0])
    same = three.reset(seed=[4, 4, 4])[0]
    assert (same == same[0]).all() and len(np.unique(first, axis=0)) > 1
    again = three.reset(seed=[None, 4, None])[0]
    np.testing.assert_array_equal(again[1], same[1])


def test_who_is_masked_out_goes_on():
    many = RaceVectorEnv(3)
    many.reset(seed=1)
    seen, *_ = many.step(np.ones((3, 2)))
    again, _ = many.reset(options={"reset_mask": np.array([False, True, False])})
    assert np.array_equal(again[[0, 2]], seen[[0, 2]]) and not np.array_equal(again[1], seen[1])


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: RaceVectorEnv(3).reset(seed=[1, 2]), "seed: must be one, or 3"),
        (lambda: RaceVectorEnv(1).reset(seed=1.5), "seed: must be one, or 1"),
        (lambda: RaceVectorEnv(1).reset(seed=-1), "seed: must be a whole number from 0"),
        (lambda: RaceVectorEnv(2.5), "num_envs: must be at least 1, and whole"),
        (lambda: RaceVectorEnv(1, track=5), "track: must be at least one name or track"),
        (lambda: RideVectorEnv(1, path="1"), "path: must be the number"),
        (lambda: SoccerVectorEnv(1, layouts=5), "layouts: must be whole numbers"),
        (lambda: SoccerVectorEnv(1, layouts=[-1]), "layouts: must be whole numbers"),
        (lambda: SoccerVectorEnv(1, goalie="no"), "goalie: must be true or false"),
    ],
)
def test_what_makes_no_sense_is_named(make, words):
    with pytest.raises(BadInput, match=words):
        make()


def test_a_step_needs_a_reset_before_it():
    with pytest.raises(gymnasium.error.ResetNeeded):
        RaceVectorEnv(1).step(np.zeros((1, 2)))


def test_actions_of_nobody_and_of_another_shape_are_named():
    pytest.importorskip("pettingzoo")
    herd = parallel("Herd-v0", riders=2)
    herd.reset(seed=1)
    with pytest.raises(BadInput, match="names nobody"):
        herd.step({"rider_7": np.zeros(2)})
    with pytest.raises(BadInput, match="action of rider_0"):
        herd.step({"rider_0": np.zeros(3)})
