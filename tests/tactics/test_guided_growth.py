"""Where a problem tells how far states are from its goal, balanced growth goes there first, and not only."""

import numpy as np
import pytest
from test_file import written

from swerve.tactics import Chance, Search, SolveOptions, guided, load_domain
from swerve.tactics.domains.conditions import Condition
from swerve.tactics.guided import Guided
from swerve.tactics.select import Balanced
from swerve.tactics.tree import FINER, LEVELS, Decisions, Tree

IN_THE_BOX = {"body": "ball", "inside": [1, -0.4, 1.6, 0.4]}


@pytest.fixture
def problem(tmp_path):
    return load_domain(str(written(tmp_path)))


def states(problem, *balls):
    """Rows with the ball at these places, at rest."""
    rows = np.tile(problem.start, (len(balls), 1))
    at = problem.world.slot("ball").qpos
    rows[:, at : at + 2] = balls
    return problem.scene(rows)


@pytest.mark.parametrize(
    ("asked", "lack"),
    [
        (IN_THE_BOX, [0.5, 0.0, 0.5]),
        ({"body": "ball", "near": [1.0, 0.0], "within": 0.2}, [0.3, 0.0, np.hypot(0.9, 0.8) - 0.2]),
        ({"body": "ball", "slower": 0.1}, [0, 0, 0]),
        ({"body": "ball", "faster": 1.0}, [0.1, 0.1, 0.1]),
        ({"body": "ball", "above": 0.5215}, [0.5, 0.5, 0.5]),
        ({"body": "ball", "below": -0.4785}, [0.5, 0.5, 0.5]),
        ({"after": 2.0}, [0.1, 0.1, 0.1]),
        ({"not": {"after": 2.0}}, [0, 0, 0]),
        ({"all": [IN_THE_BOX, {"body": "ball", "faster": 1.0}]}, [0.6, 0.1, 0.6]),
        ({"any": [IN_THE_BOX, {"body": "ball", "faster": 1.0}]}, [0.1, 0.0, 0.1]),
    ],
)  # fmt: skip
def test_how_far_states_are_from_where_a_condition_holds(problem, asked, lack):
    scene, condition = states(problem, (0.5, 0.0), (1.2, 0.0), (1.9, 0.8)), Condition.model_validate(asked)
    np.testing.assert_allclose(condition.lack(scene), lack, atol=1e-9)
    assert ((condition.lack(scene) == 0) >= condition.holds(scene)).all()


def fan(lacks, hopeful=True):
    """A root with one leaf a number, which lacks that; if `hopeful`, all branches led nearer so far."""
    tree, n = Tree(np.zeros(3), 1, 0, 1, 1), len(lacks)
    flags = np.zeros((n, 1), dtype=bool)
    decided = Decisions(np.zeros((n, 1), dtype=np.int16), flags, np.zeros((n, 1)), np.zeros((n, 1)))
    nodes = tree.add(
        np.zeros(n, dtype=int), np.zeros((n, 3)), np.zeros((n, 0), dtype=bool), decided,
        np.ones(n, dtype=bool), np.ones(n, dtype=bool),
    )  # fmt: skip
    tree.lack[nodes], tree.level[nodes] = lacks, np.minimum(np.array(lacks) * 10 * FINER, LEVELS * FINER - 1)
    tree.gained[:] = 10_000 if hopeful else 0
    return tree


def picks(tree, by_lack, n=4000):
    """How often each node is picked, first in a round."""
    balanced, counts = Balanced(mu=1e9), np.zeros(tree.count, dtype=int)
    selection = Guided(balanced) if by_lack else balanced
    for k in range(n):
        counts[selection.pick(tree, 1, Chance(1, np.array([k])))[0]] += 1
    return counts[1:]


def test_guided_picks_prefer_what_lacks_least_and_leave_nothing_out():
    lacks = np.linspace(0.1, 3.0, 30)
    even, by_lack = picks(fan(lacks), False), picks(fan(lacks), True)
    assert even.max() < 1.5 * even.mean()
    assert by_lack[:3].mean() > 3 * by_lack[15:].mean()
    assert by_lack.min() > 0.1 * even.mean()


def test_a_crowd_of_one_level_does_not_take_all_picks(monkeypatch):
    """Forty copies of a dead end that seems near, and one node that seems further off."""
    lacks = [0.5] * 40 + [0.9]
    last = picks(fan(lacks), True)[-1]
    assert last > picks(fan(lacks), False)[-1]
    monkeypatch.setattr(guided, "SELDOM", 0.0)
    assert last > 3 * picks(fan(lacks), True)[-1]


def test_what_lacks_as_much_and_comes_no_nearer_is_picked_less():
    """The same crowd, of which no branch leads nearer, beside one node."""
    lacks = [0.5] * 40 + [0.9]
    assert picks(fan(lacks, hopeful=False), True)[-1] > 1.5 * picks(fan(lacks), True)[-1]
    led = fan(lacks, hopeful=False)
    led.gained[led.level[1]] = 10_000  # what the crowd lacks leads nearer, what the other lacks does not
    assert 1.5 * picks(led, True)[-1] < picks(fan(lacks, hopeful=False), True)[-1]


def test_time_that_passes_without_getting_nearer_counts(problem):
    search = Search(problem, options=SolveOptions(lanes=1), seed=1).grow(iterations=2000)
    tree, guide = search.tree, search.guide
    opened = np.flatnonzero(tree.open[: tree.count] & tree.alive[: tree.count])
    lack = problem.lack(problem.scene(tree.rows[opened]))
    np.testing.assert_allclose(tree.lack[opened], lack + guide.pace * tree.rows[opened, 0])
    assert guide.pace * problem.horizon == pytest.approx(lack[0]) and len(opened) > 5


def test_shipped_domains_are_not_guided():
    assert load_domain("soccer").lack is None  # its figures are those of the thesis's planner


def test_the_best_nodes_stay_so_however_large_the_tree_is():
    """Best of sixteen drawn, as it was, the best of a thousand came once in three hundred picks."""
    counts = picks(fan(np.linspace(0.1, 3.0, 1000)), True)
    assert counts[0] > 0.04 * counts.sum() and counts[:30].sum() > 0.2 * counts.sum()
    assert (counts[500:] > 0).mean() > 0.3


def test_a_node_of_which_nothing_comes_gives_way():
    tree = fan([0.5, 0.8])
    fresh = picks(tree, True)
    tree.children[1] = 20
    assert fresh[0] > fresh[1]
    assert picks(tree, True)[0] < picks(tree, True)[1]


def test_an_evaluation_below_zero_is_improved(tmp_path):
    """Levels counted from it were columns beyond the array."""
    terms = [{"distance": ["ball", [1.3, 0.0]], "weight": 1.0}, {"time": True, "weight": -100.0}]
    problem = load_domain(str(written(tmp_path, evaluate=terms, anytime=True)))
    search = Search(problem, options=SolveOptions(lanes=1), seed=1).grow(iterations=1500)
    tree = search.tree
    assert tree.lack[: tree.count].min() < -1.0
    assert tree.level[: tree.count].min() >= 0 and tree.level[: tree.count].max() < LEVELS * FINER
    assert tree.crowd.sum() > 10
