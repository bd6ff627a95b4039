"""Other ways round: passages of known motions are barred, and a tree looks for another one."""

import numpy as np
import pytest
from test_kinodynamic import UNICYCLE, unicycle

import swerve
from swerve.tactics import branches, kinodynamic
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
    branches.add(
        tree, 0, np.zeros((1, 1)), end, 0, 1, 0.1, ONE * 1e-6, np.inf, False, end[0], np.full(2, 0.2), 0.0
    )
    assert (tree.tally[branches.COUNT] == 2) == kept


def two_doors(states):
    """A wall with two doors, of which the upper is on the straight way."""
    x, y = states[:, 0], states[:, 1]
    wall = (np.abs(x - 2.0) <= 0.1) & ((y >= 0.4) & ~((y >= 1.6) & (y <= 1.95)))
    return (x >= 0) & (x <= 4) & (y >= 0) & (y <= 2) & ~wall


def searched(goal):
    limits = np.array(UNICYCLE["controls"], float)
    return kinodynamic._Search(
        unicycle, np.array([1, 1.8, 0, 0.0]), goal, limits, UNICYCLE["space"], two_doors, 0.25, 0.1, 1,
        swerve.PlanOptions(planner="rrt"),
    )  # fmt: skip


def line(*corners):
    """States (m, 4) along straight lines."""
    at = np.linspace(0, len(corners) - 1, 100)
    x, y = (np.interp(at, range(len(corners)), [c[k] for c in corners]) for k in (0, 1))
    return np.column_stack([x, y, np.zeros((100, 2))])


ROUND = line((1.0, 1.8), (1.5, 0.2), (2.5, 0.2), (3.0, 1.8))


def test_a_way_round_is_barred_until_another_is_found():
    search = searched([3, 1.8, 0, 0])
    detours, search.best = search.detours, Way(np.zeros((99, 2)), ROUND)
    search.effort["steps"], search.rules.rate[0], rounds = 1 << 40, 0.6, 0
    while search.challenger is None and rounds < 500:
        assert search._scouts()
        rounds += 1
    assert search.challenger is not None
    crossing = search.challenger.states[np.abs(search.challenger.states[:, 0] - 2.0) < 0.1, 1]
    assert len(crossing) and crossing.min() > 1.5
    assert len(detours.bars) == 2 and not search._scouts()  # first the challenger is mended
    search.challenger = None
    detours.set_out(ROUND, 30.0)
    assert detours.exhausted and detours.tree is not None
    assert (detours.tree.barred.reshape(60, 60) == detours.bars[1]).all()  # its own way is open again


def test_no_way_is_looked_for_that_could_not_be_quick_enough():
    detours = searched([3, 1.8, 0, 0]).detours
    detours.rules.rate[0] = 1.0
    detours.bar(line((1.0, 1.8), (3.0, 1.8)))
    detours.set_out(ROUND, 2.0)  # round it is longer
    assert detours.exhausted


def test_nothing_is_done_where_the_goal_is_a_test():
    search = searched(two_doors)
    search.best = Way(np.zeros((99, 2)), ROUND)
    assert search.detours.over and not search._scouts()
