"""States, seeds and limits that come from somebody else: what cannot be is named before a kernel reads it."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import Runner, Search, load_domain
from swerve.tactics.chance import number_of


@pytest.fixture(scope="module")
def soccer():
    return load_domain("soccer")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda row: row, "states, shape"),  # one dimension too few
        (lambda row: np.tile(row, (2, 1)), "states, shape"),
        (lambda row: row[None, :-3], "states, shape"),  # would be read past its end
        (lambda row: row[None] * np.nan, "must be numbers"),
        (lambda row: row[None] + 1e11, "must be numbers"),
    ],
)
def test_a_runner_refuses_what_are_no_states(soccer, spoil, said):
    runner = Runner(soccer.world, soccer.tactics["default"], seed=1)
    with pytest.raises(BadInput, match=said):
        runner.act(spoil(soccer.start))
    assert runner.steps == 0


def test_a_runner_takes_states_however_they_lie(soccer):
    """As single numbers of half the size, or as a part of a wider table."""
    wide = np.zeros((2, 2 * soccer.world.width))
    wide[:, ::2] = np.float32(soccer.start)
    plain = np.tile(np.float32(soccer.start), (2, 1)).astype(float)
    acts = [
        Runner(soccer.world, soccer.tactics["default"], 1, branches=2).act(rows)
        for rows in (plain, plain.astype(np.float32), wide[:, ::2], np.asfortranarray(plain))
    ]
    assert all(np.array_equal(acts[0], forces) for forces in acts[1:])


def test_what_goes_with_states_is_checked_too(soccer):
    runner = Runner(soccer.world, soccer.tactics["default"])
    with pytest.raises(BadInput, match="touched"):
        runner.act(soccer.start[None], np.zeros((1, 1), dtype=bool))
    with pytest.raises(BadInput, match="sample"):
        runner.act(soccer.start[None], sample=np.zeros((2, 2)))
    with pytest.raises(BadInput, match="seconds"):
        runner.run(soccer.start, np.nan)
    with pytest.raises(BadInput, match="branches"):
        Runner(soccer.world, soccer.tactics["default"], branches=0)


def test_a_search_begins_at_states_of_its_world_alone(soccer):
    search = Search(soccer, seed=1).grow(iterations=50)
    for start in (soccer.start[:3], soccer.start * np.nan):
        with pytest.raises(BadInput, match="restart, start"):
            search.restart(start)
    assert search.tree.alive_nodes > 10  # still there


def test_limits_may_be_any_number_and_measures_are_known(soccer):
    search = Search(soccer, seed=1).grow(iterations=10.5).grow(nodes=10.5)
    assert search.effort.iterations >= 11
    with pytest.raises(BadInput, match="measure"):
        search.plan("beauty")


def test_any_whole_number_from_zero_is_a_seed(soccer):
    assert [number_of(seed) for seed in (0, 7, 2**64 - 1)] == [0, 7, 2**64 - 1]
    large = [number_of(seed) for seed in (2**64, 2**64 + 1, 10**23)]
    assert len({0, 1, *large}) == 5 and max(large) < 2**64
    assert Search(soccer, seed=10**23).grow(iterations=20).seed == large[2]
    for seed in (-1, 1.5, True, "1"):
        with pytest.raises(BadInput, match="seed"):
            Search(soccer, seed=seed)
