"""Two fidelities frame by frame: what the engine confirms of a tree on the planar model."""

from types import SimpleNamespace

import numpy as np
import pytest

from swerve.tactics.domains import duel
from swerve.tactics.domains.duel_judge import Judge
from swerve.tactics.loop.outlook import Outlook
from swerve.tactics.loop.proof import STEPS, heads
from swerve.tactics.loop.striker import NODES
from swerve.tactics.plan import SolveOptions
from swerve.tactics.tree import NOBODY


@pytest.fixture
def mind():
    problem = duel.build("blue")
    world, row = problem.world, problem.start.copy()
    mine, other, ball = (world.slot(name) for name in ("blue", "yellow", "ball"))
    row[mine.qpos : mine.qpos + 3] = -(mine.radius + ball.radius + 0.004), 0.0, 0.0
    row[other.qpos : other.qpos + 2] = 0.6, 0.1
    found = Outlook(
        problem, Judge(problem.world, "blue"), NODES, options=SolveOptions(fidelity="both"), seed=1
    )
    found._begin_anew(row, found)
    found.grow(NODES)
    return found


def standing(mind):
    tree = mind.search.tree
    nodes = np.flatnonzero(tree.alive[: tree.count])
    return tree, nodes, mind.judge.values(tree.rows[nodes], 0.0)


def test_chains_begin_where_something_was_chosen():
    """Root, a chain of three with a choice at its end, two chains from there, one more from the root."""
    parent, is_open = np.array([-1, 0, 1, 2, 3, 3, 5, 0]), np.zeros(8, dtype=bool)
    is_open[[0, 3]] = True
    assert heads(parent, is_open, 8).tolist() == [0, 1, 1, 1, 4, 5, 5, 7]
    is_open[0] = False  # a root that is tried through cannot be grown from, but chains begin there
    assert heads(parent, is_open, 8).tolist() == [0, 1, 1, 1, 4, 5, 5, 7]


def test_a_promise_that_the_engine_does_not_keep_hides_no_other(mind):
    """One that failed came first in every frame, as long as the tree lived; nothing else was tried."""
    tree, nodes, values = standing(mind)
    asked = []
    mind.proof.verifier = SimpleNamespace(
        seconds=0.0, retrace=lambda tree, node, *_, **__: asked.append(node) or NOBODY
    )
    for _ in range(4):
        before = len(asked)
        assert mind.proof.best(nodes, values, 0.0) == (None, 0.0)
        frame = asked[before:]
        assert len(frame) == 1 or tree.depth[frame].sum() <= STEPS
    chains = heads(tree.parent, tree.open, tree.count)[asked]
    assert len(asked) == len(set(chains)) >= 4
    assert 1 - values[nodes == asked[0]][0] == max(1 - values[nodes != 0])


def test_what_is_found_is_worth_it_in_the_engine(mind):
    tree, nodes, values = standing(mind)
    size, seconds = tree.count, mind.search.engine.seconds
    node, worth = mind.proof.best(nodes, values, 0.0)
    assert node >= size and mind.search.engine.seconds > seconds
    assert worth == 1 - mind.judge.values(tree.rows[[node]], 0.0)[0] > 0
    spent = mind.search.engine.seconds
    _, nodes, values = standing(mind)
    assert mind.proof.best(nodes, values, 0.0)[1] >= worth
    assert mind.search.engine.seconds >= spent


def test_what_was_tried_is_known_by_its_new_numbers(mind):
    tree, nodes, values = standing(mind)
    node, _ = mind.proof.best(nodes, values, 0.0)
    before = {tuple(tree.rows[k]) for k in mind.proof.made}
    way = mind.proof.reroot(int(tree.path(node)[1]), tree.path(node)[1:])
    tree = mind.search.tree
    assert way[0] == 0 and (np.diff(way) > 0).all()
    assert len(mind.proof.made) and {tuple(tree.rows[k]) for k in mind.proof.made} <= before
    assert (mind.proof.tried < tree.count).all()


def test_what_the_engine_has_made_is_not_made_again(mind):
    """Of a way that grows on from the engine's nodes only the rest is made, and is the same."""
    tree, verifier, horizon = mind.search.tree, mind.search.verifier, mind.problem.horizon
    for node in np.flatnonzero(tree.open[: tree.count])[1:12]:
        mind.proof._again(tree.path(int(node)), 0, np.array([node]), np.zeros(0, dtype=np.int64))
    for _ in range(3):
        mind.grow(NODES)
    ways = [tree.path(int(node)) for node in np.flatnonzero(tree.alive[: tree.count])]
    made = [int(np.isin(way[1:], mind.proof.made).sum()) for way in ways]
    grown = [(way, done) for way, done in zip(ways, made, strict=True) if 0 < done == len(way) - 6]
    assert len(grown) > 3
    for way, done in grown:
        ends = [
            verifier.retrace(tree, int(way[-1]), horizon, to_goal=False, done=already)
            for already in (0, done)
        ]
        whole, rest = map(tree.path, ends)
        assert np.array_equal(rest[: done + 1], way[: done + 1])
        assert len(whole) == len(rest) and np.array_equal(tree.rows[whole], tree.rows[rest])
    asked = promised(mind, int(way[-1]))
    assert asked == [(int(way[-1]), done)]


def promised(mind, node):
    """Of which nodes and from which step on the engine makes ways, if one node alone promises anything."""
    asked = []
    mind.proof.verifier = SimpleNamespace(
        seconds=0.0, retrace=lambda tree, node, *_, done, **__: asked.append((node, done)) or NOBODY
    )
    mind.proof.best(np.array([node]), np.zeros(1), 0.0)
    return asked


def test_of_a_long_way_as_much_is_made_as_a_frame_has_time_for(mind):
    mind.grow(5 * NODES)
    tree = mind.search.tree
    node = int(np.argmax(tree.depth[: tree.count] * tree.alive[: tree.count]))
    way = tree.path(node)
    assert len(way) > STEPS + 10
    assert promised(mind, node) == [(way[STEPS], 0)]
    assert promised(mind, node) == []  # not again


def test_the_rest_of_a_long_way_is_made_in_the_next_frame(mind):
    """All of it counted as tried once its first steps were made: in one frame in sixty that hid a shot."""
    mind.grow(5 * NODES)
    tree, proof = mind.search.tree, mind.proof
    ends = np.flatnonzero(tree.alive[: tree.count] & (tree.depth[: tree.count] == STEPS + 30))
    confirmed = 0
    for end in ends.tolist():
        found = proof.verifier.retrace(tree, end, mind.problem.horizon, to_goal=False)
        if found == NOBODY:
            continue
        confirmed += 1
        proof.best(np.array([end]), np.zeros(1), 0.0)
        copied = tree.path(tree.count - 1)  # the engine's steps, and the rest as it was planned
        assert not tree.open[copied[STEPS + 1 :]].any() and np.isin(copied[1 : STEPS + 1], proof.made).all()
        assert np.array_equal(tree.rows[copied[STEPS + 1 :]], tree.rows[tree.path(end)[STEPS + 1 :]])
        proof.best(copied[-1:], np.zeros(1), 0.0)  # the next frame
        made = tree.path(tree.count - 1)
        assert np.array_equal(made[: STEPS + 1], copied[: STEPS + 1])
        assert np.array_equal(tree.rows[made], tree.rows[tree.path(found)])
    assert confirmed > 5


def test_a_rest_that_the_engine_does_not_confirm_hides_nothing_that_it_has_made(mind):
    """Steps that were made and the rest below them are of one chain, all of which counted as tried."""
    mind.grow(5 * NODES)
    tree, proof = mind.search.tree, mind.proof
    for end in np.flatnonzero(tree.alive[: tree.count] & (tree.depth[: tree.count] == STEPS + 30)).tolist():
        proof.best(np.array([end]), np.zeros(1), 0.0)
        if len(proof.made) and not tree.open[proof.made[-1]]:
            break
    assert tree.count - 1 not in proof.made and tree.depth[tree.count - 1] > STEPS
    assert promised(mind, tree.count - 1)  # and fails
    for node in proof.made.tolist():
        assert proof.best(np.array([node]), np.zeros(1), 0.0) == (node, 1.0)
