"""Trees are the same for the same seed, solutions replay bit for bit, and selections do as they promise."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import Chance, Search, SolveOptions, load_domain, replay, solve
from swerve.tactics.arrival import time_to_reach
from swerve.tactics.nearest import Nearest
from swerve.tactics.nodes_near import DRAWS
from swerve.tactics.pools import INNER, LEAF
from swerve.tactics.select import Balanced
from swerve.tactics.tree import Decisions, Tree


@pytest.fixture(scope="module")
def navigation():
    return load_domain("navigation")


def grown(problem, planner=None, threads=1):
    return solve(problem, planner, SolveOptions(iterations=1500), seed=3, threads=threads).tree


@pytest.mark.parametrize("planner", ["rrt", "bgt", "hybrid", "uniform"])
def test_the_same_seed_gives_the_same_tree_on_any_number_of_threads(navigation, planner):
    one = grown(navigation, planner=planner, threads=1)
    two = grown(navigation, planner=planner, threads=2)
    assert one.count == two.count > 400
    for name in ("rows", "parent", "skill", "memory", "forces", "alive"):
        assert np.array_equal(getattr(one, name)[: one.count], getattr(two, name)[: two.count])
    other = solve(navigation, planner, seed=4, options=SolveOptions(iterations=500)).tree
    few = min(one.count, other.count)
    assert not np.array_equal(other.rows[:few], one.rows[:few])


def test_nodes_replay_alone_and_in_another_order(navigation):
    """Every node follows from its parent by its forces, stepped one at a time in any order."""
    from swerve.tactics import Engine

    tree = grown(navigation)
    engine = Engine(navigation.world)
    for node in np.random.default_rng(0).permutation(np.arange(1, tree.count))[:200]:
        row, touched = engine.step(tree.rows[tree.parent[node]][None], tree.forces[node][None])
        assert np.array_equal(row[0], tree.rows[node])
        assert np.array_equal(touched[0], tree.touched[node])


def test_a_solution_reaches_the_goal_without_touching(navigation):
    plan = solve(navigation, seed=1)
    assert plan.solved
    rows, touched = replay(plan)
    assert np.array_equal(rows, plan.rows)
    scene = navigation.scene(rows, touched)
    assert navigation.goal(scene)[-1] and navigation.valid(scene).all()


def test_several_solutions_and_the_best_of_them(navigation):
    plan = solve(navigation, seed=1, options=SolveOptions(solutions=4))
    assert plan.stats["solutions"] >= 4
    assert plan.duration == min(float(plan.tree.rows[node, 0]) for node in plan.solutions)


def test_limits_hold(navigation):
    assert solve(navigation, "bgt", SolveOptions(iterations=500)).stats["iterations"] == 500
    assert solve(navigation, "rrt", SolveOptions(nodes=300)).stats["nodes"] <= 300 + navigation.lanes
    assert not solve(navigation, "rrt", SolveOptions(budget=1e-6)).solved


def test_without_rollback_the_tree_keeps_its_stale_branches(navigation):
    kept = solve(navigation, "bgt", seed=2, options=SolveOptions(iterations=3000, roll_back=False))
    rolled = solve(navigation, "bgt", seed=2, options=SolveOptions(iterations=3000))
    assert kept.stats["rolled_back"] == 0 < rolled.stats["rolled_back"]
    assert rolled.stats["nodes"] < kept.stats["nodes"]


@pytest.mark.parametrize(
    ("planner", "options", "word"),
    [
        ("astar", {}, "planner"),
        ("bgt", {"mu": 0.0}, "mu"),
        ("hybrid", {"hybrid_p": 1.5}, "hybrid-p"),
        (None, {"tactic": "deterministic"}, "tactic"),
        (None, {"nodes": 0}, "nodes"),
        (None, {"lanes": 0}, "lanes"),
        (None, {"budget": 0.0}, "budget"),
        (None, {"measure": "beauty"}, "measure"),
        (None, {"anytime": True}, "anytime"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(navigation, planner, options, word):
    with pytest.raises(BadInput, match=word):
        solve(navigation, planner, SolveOptions(**options))


def test_nearest_is_exact(navigation):
    """The indexed search finds what comparing all nodes finds."""
    tree = grown(navigation, planner="rrt")
    exploring = navigation.exploring
    nearest = Nearest(navigation.world, "robot", exploring.sample, exploring.speed, exploring.acceleration)
    picked, samples = nearest.pick(tree, 10, Chance(9, np.arange(10)))
    slot = navigation.world.slot("robot")
    nodes = np.flatnonzero(tree.open[: tree.count])
    for node, sample in zip(picked, samples, strict=True):
        times = [
            time_to_reach(
                *(sample - tree.rows[k, slot.qpos : slot.qpos + 2]),
                *tree.rows[k, slot.qvel : slot.qvel + 2],
                exploring.speed,
                exploring.acceleration,
                np.inf,
            )
            for k in nodes
        ]
        assert times[int(np.flatnonzero(nodes == node)[0])] == min(times)
        nodes = nodes[nodes != node]  # it grows now, and is not picked again before that is settled


def test_samples_are_those_that_looking_at_all_nodes_would_choose(navigation):
    """Samples that are given up early, because they lie nearer than another, would not have been used."""
    tree, exploring = grown(navigation, planner="rrt"), navigation.exploring
    how = exploring.speed, exploring.acceleration
    nearest = Nearest(navigation.world, "robot", exploring.sample, *how)
    nearest.pick(tree, 1, Chance(8, np.arange(1)))
    nodes = np.flatnonzero(tree.open[: tree.count])
    nearest.reach[nodes[::2]] = 0.4  # branches from these failed
    before = nearest.aims[1].copy()
    nodes = nodes[nearest.growing[nodes] == 0]
    picked, used = nearest.pick(tree, 6, Chance(9, np.arange(6)))
    drawn = exploring.sample(Chance(9, np.arange(6)).several(DRAWS)).reshape(6, DRAWS, 2)
    slot = navigation.world.slot("robot")
    for lane in range(6):
        best, chosen = -1.0, None
        for sample in drawn[lane]:
            gaps = sample - tree.rows[nodes, slot.qpos : slot.qpos + 2]
            velocities = tree.rows[nodes, slot.qvel : slot.qvel + 2]
            times = [time_to_reach(*g, *v, *how, np.inf) for g, v in zip(gaps, velocities, strict=True)]
            k = int(np.argmin(times))
            chosen = chosen or (nodes[k], sample)
            if times[k] > nearest.reach[nodes[k]]:
                continue
            apart = min(times[k], *(time_to_reach(*(sample - aim), 0.0, 0.0, *how, np.inf) for aim in before))
            if apart > best:
                best, chosen = apart, (nodes[k], sample)
        assert picked[lane] == chosen[0] and used[lane] == pytest.approx(chosen[1])
        before, nodes = np.vstack([before, chosen[1]]), nodes[nodes != chosen[0]]


def test_samples_lie_where_neither_the_tree_nor_another_lane_goes(navigation):
    """Of two corners to explore, lanes that pick together take one each, and none stays by the root."""
    exploring = navigation.exploring
    corners = np.array([[0.2, 2.2], [4.8, 0.2]])

    def sampler(chance):
        which = (chance.uniform() * 3).astype(int)
        return np.vstack([corners, navigation.scene(navigation.start[None]).xy("robot")])[which]

    tree = Tree(navigation.start, 3, 1, 1, 1)
    blank = np.zeros((1, 1))
    decided = Decisions(np.zeros((1, 1), np.int16), np.zeros((1, 1), bool), blank, np.zeros((1, 3)))
    yes = np.ones(1, bool)
    tree.add(np.zeros(1, int), navigation.start[None], np.zeros((1, 1), bool), decided, yes, yes)
    for seed in range(5):
        nearest = Nearest(navigation.world, "robot", sampler, exploring.speed, exploring.acceleration)
        _, samples = nearest.pick(tree, 2, Chance(seed, np.arange(2)))
        assert {tuple(s) for s in samples} == {tuple(c) for c in corners}


def test_a_sample_in_the_goal_is_used_at_once(navigation):
    exploring = navigation.exploring
    x0, y0, x1, y1 = exploring.goal
    nearest = Nearest(
        navigation.world, "robot", exploring.sample, exploring.speed, exploring.acceleration, exploring.goal
    )
    tree = Tree(navigation.start, 3, 1, 1, 1)
    used = np.array([nearest.pick(tree, 1, Chance(1, np.array([k])))[1][0] for k in range(60)])
    inside = (used[:, 0] > x0) & (used[:, 0] < x1) & (used[:, 1] > y0) & (used[:, 1] < y1)
    assert inside.mean() > 0.5  # of two dozen draws each, a tenth are made there


def test_places_that_the_index_draws_itself_are_those_of_a_sampler(navigation):
    """With a goal and without one."""
    exploring = navigation.exploring
    for places in (exploring.sample, replace(exploring, goal=None).sample):
        how = (exploring.speed, exploring.acceleration, exploring.goal)
        own = Nearest(navigation.world, "robot", places, *how)
        asked = Nearest(navigation.world, "robot", lambda chance, places=places: places(chance), *how)
        tree = grown(navigation, planner="rrt")
        for k in range(4):
            found = [index.pick(tree, 3, Chance(2, np.arange(3 * k, 3 * k + 3))) for index in (own, asked)]
            assert np.array_equal(found[0][0], found[1][0]) and np.array_equal(found[0][1], found[1][1])
            own.tell(found[0][0][:2], np.array([True, False]))
            asked.tell(found[0][0][:2], np.array([True, False]))
        assert len(own.aims[0]) >= 4 and np.array_equal(own.aims[1], asked.aims[1])


def test_places_are_drawn_from_boxes_of_any_kind():
    """Boxes that were arrays were refused by what is true of an array."""
    area, goal = (0.0, 0.0, 1.0, 1.0), (2.0, 2.0, 3.0, 4.0)
    drawn = [
        Chance(3, np.arange(200)).point_or(kind(area), kind(goal), 0.4) for kind in (tuple, list, np.array)
    ]
    assert np.array_equal(drawn[0], drawn[1]) and np.array_equal(drawn[0], drawn[2])
    assert 50 < (drawn[0] > 2.0).all(axis=1).sum() < 110


def test_time_to_reach_is_a_trapezoid():
    assert time_to_reach(0.0, 0.0, 0.0, 0.0, 2.0, 3.0, np.inf) == 0.0
    straight = time_to_reach(4.0, 0.0, 0.0, 0.0, 2.0, 3.0, np.inf)
    assert straight == pytest.approx(4 / 2 + 2 / 3, rel=0.01)
    assert time_to_reach(0.3, 0.0, 0.0, 0.0, 2.0, 3.0, np.inf) == pytest.approx(2 * np.sqrt(0.1), rel=0.01)
    away = time_to_reach(1.0, 0.0, -1.0, 0.0, 2.0, 3.0, np.inf)
    assert away > time_to_reach(1.0, 0.0, 0.0, 0.0, 2.0, 3.0, np.inf) + 1 / 3
    assert time_to_reach(1.0, 1.0, 0.0, 0.0, 2.0, 3.0, np.inf) == pytest.approx(
        time_to_reach(np.sqrt(2), 0.0, 0.0, 0.0, 2.0, 3.0, np.inf), rel=0.01
    )


def sprout(tree, nodes):
    """A node below one of a tree of nothing."""
    blank = np.zeros((1, 1))
    decided = Decisions(np.zeros((1, 1), np.int16), np.zeros((1, 1), bool), blank, blank)
    tree.add(nodes, np.zeros((1, 3)), np.zeros((1, 0), bool), decided, np.ones(1, bool), np.ones(1, bool))


@pytest.mark.parametrize("mu", [0.5, 5.0, 50.0])
def test_balanced_growth_keeps_its_ratio(mu):
    """Grown one by one with nothing in the way, leaf depth over branching settles at μ."""
    tree = Tree(np.zeros(3), 1, 0, 1, 1)
    selection = Balanced(mu)
    for k in range(6000):
        nodes, _ = selection.pick(tree, 1, Chance(1, np.array([k])))
        sprout(tree, nodes)
    assert tree.balance == pytest.approx(mu, rel=0.2)
    children = np.bincount(tree.parent[1 : tree.count], minlength=tree.count)
    leaves = np.flatnonzero(children == 0)
    assert set(tree.pool[LEAF, : tree.pooled[LEAF]]) == set(leaves)
    assert set(tree.pool[INNER, : tree.pooled[INNER]]) == set(np.flatnonzero(children))
    depth = tree.depth[leaves].mean() / children[children > 0].mean()
    assert tree.balance == pytest.approx(depth)


def test_a_node_whose_branches_all_fail_is_left_alone_sooner_or_later():
    """Some hits in pool cannot be saved by any spin; they took most of the picks."""
    tree = Tree(np.zeros(3), 1, 0, 1, 1)
    sprout(tree, np.array([0]))
    sprout(tree, np.array([1]))
    for node, lived in ((0, 0.1), (1, 0.0)):
        tree.children[node] += 40
        tree.tell(np.full(40, node), np.arange(40) < 40 * lived)
    nodes, _ = Balanced(1e-9).pick(tree, 2000, Chance(1, np.arange(2000)))
    assert set(nodes) == {0, 1}  # never quite
    assert 0.02 < (nodes == 1).mean() < 0.1  # one in twenty


def test_a_search_counts_the_branches_that_live(navigation):
    tree = Search(navigation, "bgt", seed=2).grow(iterations=2000).tree
    tried, lived = tree.children[: tree.count], tree.lived[: tree.count]
    assert 20 < lived.sum() < tried[tree.open[: tree.count]].sum() and (lived <= tried).all()
    assert not lived[~tree.open[: tree.count]].any()


def test_anytime_returns_the_best_state_and_gets_better(navigation):
    from dataclasses import replace

    def far(scene):
        return scene.xy("robot")[:, 0]

    problem = replace(navigation, evaluate=far)
    costs = []
    for iterations in (30, 90, 1500):
        plan = solve(problem, "rrt", seed=1, options=SolveOptions(anytime=True, iterations=iterations))
        scene = problem.scene(plan.tree.rows[: plan.tree.count])
        assert plan.cost == pytest.approx(far(scene)[1:][plan.tree.alive[1 : plan.tree.count]].min())
        assert plan.status.usable
        costs.append(plan.cost)
    assert costs[2] < costs[1] < costs[0]
    far = time_to_reach(1.0, 0.5, -1.0, 0.3, 2.0, 3.0, np.inf)
    assert far <= time_to_reach(1.0, 0.5, -1.0, 0.3, 2.0, 3.0, np.inf, 1.5 * far) <= 1.5 * far
    assert time_to_reach(1.0, 0.5, -1.0, 0.3, 2.0, 3.0, np.inf, 0.9 * far) == far
