"""Several robots planned together in one tree: what none can do alone, the same on any number of threads.

At length: `SWERVE_DRUM_LAYOUTS=40 pytest tests/tactics/test_drum.py -s` tells nodes and how far the drum was
moved on as many layouts of each, by all robots and by one fewer.
"""

import os
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swerve.tactics import Search, SolveOptions, solve
from swerve.tactics.domains.drum import DRUM, TEAMS, build
from swerve.tactics.record import kind_of

LAYOUTS = int(os.environ.get("SWERVE_DRUM_LAYOUTS", 0))


@cache
def together():
    return solve(build(1), seed=1)


def moved(plan):
    """How far the drum got in any branch [m]."""
    tree = plan.tree
    rows = tree.rows[: tree.count][tree.alive[: tree.count]]
    ways = plan.problem.scene(rows).xy(DRUM) - plan.problem.scene(plan.problem.start[None]).xy(DRUM)
    return float(np.hypot(*ways.T).max())


def test_two_robots_bring_a_drum_that_one_cannot_move():
    alone = solve(build(1, pushing=1), options=SolveOptions(nodes=3000), seed=1)
    assert together().solved and together().stats["nodes"] < 3000
    assert not alone.solved and moved(alone) < 0.1 < 1.5 < moved(together())


def test_both_push_at_once_and_each_draws_for_itself():
    plan = together()
    pushing = [pair for pair in plan.skills if all(skill.startswith("push") for skill in pair)]
    apart = [pair for pair in plan.skills if pair[0] != pair[1]]
    assert len(pushing) > 0.3 * len(plan.skills) and apart
    world, controls = plan.problem.world, plan.controls
    left, right = (controls[:, world.slot(name).dof : world.slot(name).dof + 2] for name in TEAMS[2].sides)
    assert left.any() and right.any() and not np.array_equal(left, right)
    assert not controls[:, world.slot(DRUM).dof :][:, :6].any()  # nothing but touch moves the drum


def test_one_robot_pushes_with_less_than_the_friction_of_the_drum_and_all_with_more():
    for robots in TEAMS:
        world = build(0, robots).world
        friction = 0.3 * 9.81 * world.slot(DRUM).mass
        one = 3.0 * world.slot("left").mass
        assert (robots - 1) * one < friction < robots * one


@settings(max_examples=4, deadline=None)
@given(layout=st.integers(0, 10_000), robots=st.sampled_from(sorted(TEAMS)))
def test_the_same_tree_on_one_thread_and_on_two(layout, robots):
    problem = build(layout, robots)
    problem.validate(problem.tactics["default"])
    one, two = (Search(problem, seed=layout, threads=n).grow(nodes=150).tree for n in (1, 2))
    assert one.count == two.count
    assert one.rows[: one.count].tobytes() == two.rows[: two.count].tobytes()
    assert np.array_equal(one.skill[: one.count], two.skill[: two.count])


def test_a_drum_is_drawn_round():
    assert kind_of(build().world, DRUM) == "drum (disc)"


@pytest.mark.skipif(not LAYOUTS, reason="at length with SWERVE_DRUM_LAYOUTS=40")
@pytest.mark.parametrize("robots", TEAMS)
def test_layouts_at_length(robots):
    plans = [solve(build(5000 + k, robots), seed=k) for k in range(LAYOUTS)]
    fewer = [solve(build(5000 + k, robots, pushing=robots - 1), seed=k) for k in range(max(LAYOUTS // 4, 1))]
    nodes = [plan.stats["nodes"] for plan in plans if plan.solved]
    found, farthest = sum(plan.solved for plan in fewer), max(map(moved, fewer))
    print(f"{robots} robots: {len(nodes)} of {LAYOUTS} layouts, median {np.median(nodes):.0f} nodes")
    print(f"{robots - 1} of them: {found} of {len(fewer)}, drum moved {farthest:.3f} m at most")
    assert len(nodes) >= 0.9 * LAYOUTS and not any(plan.solved for plan in fewer)
