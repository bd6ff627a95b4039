"""How far it is to the goal past what stands in the way, and growth that goes there first."""

import numpy as np
import pytest
from test_kinodynamic import UNICYCLE, past_the_wall, scattered, seeking, stream, unicycle

import swerve
from swerve.tactics import adding, branches, field, picks

GRID = branches.Grid(np.arange(2), np.zeros(2), np.ones(2), 10)


def walled(gap=None):
    """A square of 10 by 10 cells with a wall in column 5, open at row `gap`."""
    free = np.ones((10, 10), dtype=bool)
    free[5] = False
    if gap is not None:
        free[5, gap] = True
    return free


def test_ways_go_through_the_gap_and_not_through_walls_or_corners():
    to, low, side = np.array([9.5, 0.5]), np.zeros(2), np.ones(2)
    open_ = field.spread(np.ones((10, 10), dtype=bool), to, low, side)
    assert open_[0, 0] == 9 and open_[6, 3] == pytest.approx(3 * np.sqrt(2))
    assert np.isinf(field.spread(walled(), to, low, side)[:5]).all()
    far = field.spread(walled(9), to, low, side)
    assert far[0, 0] == pytest.approx(9 + 9 * np.sqrt(2)) and far[6, 0] == 3
    corner = np.ones((3, 3), dtype=bool)
    corner[0, 1] = corner[1, 0] = False
    assert np.isinf(field.spread(corner, np.array([2.5, 2.5]), low, side)[0, 0])


def test_a_goal_that_leaves_an_axis_open_is_a_line():
    far = field.spread(np.ones((10, 10), dtype=bool), np.array([np.nan, 2.5]), np.zeros(2), np.ones(2))
    assert (far[:, 2] == 0).all() and (far[:, 5] == 3).all()


@pytest.mark.parametrize(
    ("axes", "weights", "turning", "columns"),
    [
        ([0, 1], [1, 1, 0.5], [False, False, True], [0, 1]),
        ([3, 1], [1, 0, 1, 1, 1], [False] * 5, [4, 2]),  # what has no weight is no coordinate
        ([0, 2], [1, 1, 1], [True, False, False], [1]),  # the cosine of a column that turns
    ],
)
def test_columns_behind_the_coordinates_of_a_grid(axes, weights, turning, columns):
    found = field.columns_of(np.array(axes), np.array(weights, float), np.array(turning))
    assert found.tolist() == columns


def ahead(search, x, y):
    tree = search.tree
    place = ((np.array([x, y]) - tree.corner) / tree.side).astype(int)
    return tree.ahead[place[0] * 30 + place[1]]


def test_squares_are_picked_the_less_the_longer_the_way_round_the_wall():
    search = seeking([3, 1.5, 0, 0])
    assert ahead(search, 3, 1.5) < ahead(search, 2.0, 0.4) < ahead(search, 1.0, 1.5) < ahead(search, 0.2, 1.9)
    assert ahead(search, 2.0, 1.5) == ahead(search, 2.0, 1.8)  # in the wall: nowhere


def test_nothing_is_said_where_nothing_is_known():
    assert (seeking(past_the_wall).tree.ahead == 1).all()  # a goal that is a test


def test_picks_prefer_what_is_ahead_and_leave_nothing_out():
    points = np.random.default_rng(2).uniform(size=(300, 2))
    tree, picked = scattered(points, GRID), np.empty(600, dtype=np.int64)
    for square in range(100):
        tree.ahead[square] = 0.01 if square >= 80 else 1.0
    picks.pick_sparse(tree, points, stream(5), picked)
    near = points[picked, 0] >= 0.8
    assert 0.5 < near.mean() < 0.95 and len(set((points[picked[~near], 0] * 10).astype(int))) == 8


def test_where_it_will_be_soon_counts_not_where_it_is():
    tree = branches.sprout(np.zeros(2), np.array([0.5, 0.5]), 1, GRID)
    end, before = np.array([[0.55, 0.5]]), np.array([0.5, 0.5])
    adding.add(
        tree, 0, np.zeros((1, 1)), end, 0, 1, 0.1, np.ones(2) * 1e-6, np.inf, False, end[0], before, 4.0
    )
    assert tree.soon[1] == pytest.approx([0.75, 0.5]) and tree.held[75] == 1


def test_growth_that_looks_ahead_needs_fewer_branches(monkeypatch):
    def tried():
        found = (swerve.plan(unicycle, [0.5, 1.8, 0, 0], [3.5, 1.8, 0, 0], seconds=60, seed=k, **UNICYCLE)
                 for k in range(12))  # fmt: skip
        return sum(plan.stats["branches"] for plan in found if plan.solved)

    guided = tried()
    monkeypatch.setattr(field, "look", lambda *_: None)
    assert 0 < guided < 0.8 * tried()


def test_who_gets_nearer_to_the_goal_leads_for_a_few_rounds():
    """The first branches of a round grow from the node that lacks the least, while it is new."""
    tree = scattered(np.random.default_rng(7).uniform(0.0, 1.0, (200, 2)), GRID)
    tree.lack[:200] = np.linspace(2.0, 1.0, 200)
    picked, points = np.empty(16, dtype=np.int64), np.full((16, 2), 0.5)
    led = []
    for _ in range(picks.TRUST + 1):
        picks.pick_sparse(tree, points, stream(2), picked)
        led.append(int((picked[: picks.FOLLOW] == 199).sum()))
    assert led[:-1] == [picks.FOLLOW] * picks.TRUST and led[-1] < picks.FOLLOW
    tree.lack[120], tree.tally[branches.SEEN] = 0.5, 120
    picks.pick_sparse(tree, points, stream(2), picked)
    assert (picked[: picks.FOLLOW] == 120).all()
    tree.active[120] = False
    picks.pick_sparse(tree, points, stream(2), picked)
    assert 120 not in picked


def test_nobody_leads_where_nothing_is_known_of_the_way():
    tree = scattered(np.random.default_rng(7).uniform(0.0, 1.0, (200, 2)), GRID)
    assert picks._leader.py_func(tree) == 0


def test_nodes_of_a_search_lack_what_the_ways_of_their_cells_do():
    search = seeking([3, 1.5, 0, 0])
    search.run(60.0, False)
    tree = search.tree
    lack = tree.lack[1 : tree.tally[branches.COUNT] - 1]
    assert 0.0 < tree.lack[0] < np.inf and (lack < tree.lack[0]).any() and (lack >= 0.0).all()
    for node in (1, 5, 9):
        cell = ((tree.soon[node] - tree.corner) * branches.FINER / tree.side).astype(int)
        assert tree.lack[node] == tree.far[cell[0] * 60 + cell[1]]
