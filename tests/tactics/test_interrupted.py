"""Ctrl-C while a search grows: it comes when the tree is whole, and the search goes on as if it had not."""

import signal

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import Search, grow, load_domain


@pytest.fixture
def press(monkeypatch):
    """Have Ctrl-C pressed so often at the worst moment of the third round: joined, and not yet counted."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)

    def pressing(times):
        kernel, rounds = grow.join, [0]

        def join(*given):
            result = kernel(*given)
            rounds[0] += 1
            for _ in range(times if rounds[0] == 3 else 0):
                signal.raise_signal(signal.SIGINT)
            return result

        monkeypatch.setattr(grow, "join", join)

    yield pressing
    signal.signal(signal.SIGINT, usual)


def same(one, other):
    rows = [search.tree.rows[: search.tree.count] for search in (one, other)]
    return np.array_equal(*rows) and one.solutions == other.solutions


def test_ctrl_c_leaves_a_search_whole(press):
    problem = load_domain("soccer")
    undisturbed = Search(problem, seed=4).grow(iterations=400)
    search = Search(problem, seed=4)
    press(1)
    with pytest.raises(KeyboardInterrupt):
        search.grow(iterations=400)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    done = search.effort.iterations
    assert 0 < done < 400
    assert same(search.grow(iterations=400 - done), undisturbed)


def test_a_search_that_was_torn_is_not_grown(press, tmp_path):
    """Pressed twice it comes at once; the tree, which may be anything then, is not used any more."""
    problem = load_domain("minigolf")
    search = Search(problem, seed=4)
    press(2)
    with pytest.raises(KeyboardInterrupt):
        search.grow(iterations=400)
    for use in (
        lambda: search.grow(iterations=10),
        lambda: search.save(tmp_path / "s"),
        lambda: search.reroot(0),
    ):
        with pytest.raises(BadInput, match="middle of a round"):
            use()
    search.restart(problem.start)
    assert search.grow(iterations=50).tree.alive_nodes > 10


def test_what_nobody_hears_stays_unheard(press):
    """A process that a shell told to ignore Ctrl-C goes on ignoring it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    press(1)
    assert Search(load_domain("minigolf"), seed=4).grow(iterations=300).effort.iterations >= 300
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
