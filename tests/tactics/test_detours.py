"""Other ways round: passages of known motions are barred, and a tree looks for another one."""

import numpy as np
import pytest
from test_kinodynamic import seeking

from swerve.tactics import adding, branches
from swerve.tactics.detours import narrowest
from swerve.tactics.shorten import Way

ONE = np.ones(2)


def room():
    """20 by 20 cells with a block in the middle: 5 cells of room below it, 5 above."""
    free = np.ones((20, 20), dtype=bool)
    free[8:12, 5:15] = False
    return free


def along(y, x0=1.5, x1=18.5):
    return np.column_stack([np.linspace(x0, x1, 200), np.full(200, y)])


def test_the_narrowest_passage_is_barred_from_obstacle_to_obstacle():
    bar = narrowest(room(), along(3.0), np.zeros(2), ONE)
    rows, columns = np.nonzero(bar)
    assert set(columns) == set(range(6)) and rows.min() >= 7 and rows.max() <= 12
    assert np.ptp(rows) == 2  # one cell, and those beside it


def test_no_bar_holds_the_beginning_or_the_end():
    assert not narrowest(room(), along(3.0, 9.6, 10.4), np.zeros(2), ONE).any()


@pytest.mark.parametrize(("to", "kept"), [(0.45, True), (0.75, False)])
def test_branches_do_not_cross_a_bar(to, kept):
    grid = branches.Grid(np.arange(2), np.zeros(2), ONE, 10)
    tree = branches.sprout(np.full(2, 0.2), np.full(2, 0.2), 1, grid)
    tree.barred.reshape(20, 20)[10:12] = True  # x from 0.5 to 0.6
    tree.tally[branches.BARS] = 1
    end = np.array([[to, 0.2]])
    adding.add(
        tree, 0, np.zeros((1, 1)), end, 0, 1, 0.1, ONE * 1e-6, np.inf, False, end[0], np.full(2, 0.2), 0.0
    )
    assert (tree.tally[branches.COUNT] == 2) == kept


def two_doors(states):
    """A wall with two doors, of which the upper is on the straight way."""
    x, y = states[:, 0], states[:, 1]
    wall = (np.abs(x - 2.0) <= 0.1) & ((y >= 0.4) & ~((y >= 1.6) & (y <= 1.95)))
    return (x >= 0) & (x <= 4) & (y >= 0) & (y <= 2) & ~wall


def line(*corners):
    """States (m, 4) along straight lines."""
    at = np.linspace(0, len(corners) - 1, 100)
    x, y = (np.interp(at, range(len(corners)), [c[k] for c in corners]) for k in (0, 1))
    return np.column_stack([x, y, np.zeros((100, 2))])


ROUND = line((1.0, 1.8), (1.5, 0.2), (2.5, 0.2), (3.0, 1.8))


def looking(goal=(3, 1.8, 0, 0)):
    return seeking(goal, two_doors, (1, 1.8, 0, 0))


def crossings(states):
    """Where along y a motion goes through the wall."""
    return states[np.abs(states[:, 0] - 2.0) < 0.1, 1]


def test_a_way_round_is_barred_until_another_is_found():
    search = looking()
    detours, search.rules.rate[0] = search.detours, 0.6
    search.fruit = Way(np.zeros((99, 2)), ROUND)
    search.best = search.contest.enter(search.fruit)
    search._plant(search.best)
    rounds = 0
    while search.fruit is None:
        search._round()
        search._gather()
        rounds += 1
        assert rounds < 500
    assert crossings(search.fruit.states).min() > 1.5
    search._plant(search.best)
    assert len(detours.bars) == 2
    detours.planted = 0
    planted = [detours.set_out(ROUND, 30.0) for _ in range(4)]
    assert detours.exhausted  # no third way: now other motions on those that are known, every second time
    upper, lower = (bar.ravel() for bar in (detours.bars[1], detours.bars[0]))  # on that of the best one
    for tree, barred in zip(planted, (upper, upper, upper, lower), strict=True):
        assert (tree.barred == barred).all()


def test_no_way_is_looked_for_that_could_not_be_quick_enough():
    detours = looking().detours
    detours.rules.rate[0] = 1.0
    detours.found(line((1.0, 1.8), (3.0, 1.8)))
    detours.set_out(ROUND, 2.0)  # round it is longer
    assert detours.exhausted


def test_where_the_goal_is_a_test_trees_are_planted_without_bars():
    search = looking(two_doors)
    search.detours.found(ROUND)
    assert search.detours.blind and not search.detours.set_out(ROUND, 30.0).barred.any()
