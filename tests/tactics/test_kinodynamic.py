"""Planning over a user's function, compiled or not, in an occupancy map, and over any MJCF."""

from dataclasses import replace

import matplotlib.image
import numba
import numpy as np
import pytest

import swerve
from swerve.core.errors import BadInput
from swerve.tactics import OccupancyMap, branches

SPACE = swerve.Space([0, 0], [4, 4], columns=("a", "b"))
RANGES = [(-1, 1), (-1, 1)]


def drive(states, controls, dt):
    return states + dt * controls


@numba.njit
def unicycle(states, controls, dt):
    after = states.copy()
    for k in range(len(states)):
        after[k, 0] += states[k, 3] * np.cos(states[k, 2]) * dt
        after[k, 1] += states[k, 3] * np.sin(states[k, 2]) * dt
        after[k, 2] += controls[k, 1] * dt
        after[k, 3] = min(max(states[k, 3] + controls[k, 0] * dt, -0.5), 0.5)
    return after


@numba.njit
def past_the_wall(states):
    result = np.empty(len(states), dtype=np.bool_)
    for k in range(len(states)):
        x, y = states[k, 0], states[k, 1]
        result[k] = 0.0 <= x <= 4.0 and 0.0 <= y <= 2.0 and not (1.8 <= x <= 2.2 and y >= 0.8)
    return result


UNICYCLE = {
    "controls": [(-0.5, 0.5), (-1.0, 1.0)],
    "space": swerve.Space([0, 0, -np.pi, -0.5], [4, 2, np.pi, 0.5], (1, 1, 0.5, 0.5), (2,)),
    "valid": past_the_wall,
    "tolerance": 0.25,
}


def test_a_users_function_is_planned_round_the_walls_of_a_map(tmp_path):
    shades = np.ones((40, 40))
    shades[:30, 18:22] = 0.0  # a wall from the top, open at the bottom
    matplotlib.image.imsave(tmp_path / "map.png", shades, cmap="gray", vmin=0, vmax=1)
    text = "image: map.png\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\n"
    text += "occupied_thresh: 0.65\nfree_thresh: 0.2\n"
    (tmp_path / "map.yaml").write_text(text)
    free = OccupancyMap.read(tmp_path / "map.yaml").free(0.05)
    assert free(np.array([[1.0, 3.0], [2.0, 3.0], [2.0, 0.5], [-1.0, 0.0]])).tolist() == [
        True,
        False,
        True,
        False,
    ]
    options = {"controls": RANGES, "space": SPACE, "valid": free}
    plan = swerve.plan(drive, [1, 3], [3, 3], tolerance=0.2, seconds=60, seed=1, **options)
    assert plan.solved and free(plan.states).all()
    assert np.hypot(*(plan.states[-1] - [3, 3])) <= 0.2
    assert np.allclose(plan.states[1:], drive(plan.states[:-1], plan.controls, 0.1))
    with pytest.raises(BadInput, match="start"):
        swerve.plan(drive, [2, 3], [3, 3], **options)


def test_improving_makes_a_motion_much_shorter_and_it_still_holds():
    first = swerve.plan(unicycle, [1, 1.5, 0, 0], [3, 1.5, 0, 0], seconds=60, seed=2, **UNICYCLE)
    some = swerve.PlanOptions(iterations=20_000)
    plan = swerve.plan(
        unicycle, [1, 1.5, 0, 0], [3, 1.5, 0, 0], seconds=600, seed=2, improve=True, options=some, **UNICYCLE
    )
    again = swerve.plan(
        unicycle, [1, 1.5, 0, 0], [3, 1.5, 0, 0], seconds=600, seed=2, improve=True, options=some, **UNICYCLE
    )
    assert first.solved and plan.stats["first_cost"] == first.cost
    assert plan.cost < 9.0 < first.cost  # at 0.5 m/s, 2.5 m round the wall; the first takes a random way
    assert past_the_wall(plan.states).all() and (np.abs(plan.controls) <= [0.5, 1.0]).all()
    assert np.allclose(plan.states[1:], unicycle(plan.states[:-1], plan.controls, 0.1))
    assert np.array_equal(plan.states, again.states)  # work counts, not seconds


def test_a_goal_may_be_smaller_than_what_random_controls_hit():
    capture = swerve.PlanOptions(capture=0.25)
    exact = {**UNICYCLE, "tolerance": 1e-3}
    plan = swerve.plan(unicycle, [1, 1.5, 0, 0], [3, 1.5, 0, 0], seconds=60, options=capture, **exact)
    assert plan.solved and np.abs(plan.states[-1, :2] - [3, 1.5]).max() <= 1e-3


def test_balanced_growth_and_a_goal_that_leaves_columns_open():
    goal = [2.5, np.nan]
    bgt = swerve.PlanOptions(planner="bgt")
    assert bgt.mu is None  # adapts
    for options in (bgt, replace(bgt, mu=5.0), swerve.PlanOptions()):
        plan = swerve.plan(drive, [1, 1], goal, controls=RANGES, space=SPACE, seconds=60, options=options)
        assert plan.solved and abs(plan.states[-1, 0] - 2.5) <= 0.1
    with pytest.raises(BadInput, match="says nothing"):
        swerve.plan(drive, [1, 1], [np.nan, np.nan], controls=RANGES, space=SPACE)
    with pytest.raises(BadInput, match="planner"):
        swerve.PlanOptions(planner="prm")


def test_every_pick_of_balanced_growth_has_its_own_mu():
    """In a chain, whose ratio is its depth, picks that want less go to inner nodes, others to the leaf."""
    tree = branches.sprout(np.zeros(1), np.zeros(1), 1)
    tree.active[:11], tree.children[:10] = True, 1
    tree.tally[[branches.COUNT, branches.LEAVES, branches.DEEP]] = 11, 1, 10
    mu, drawn = np.repeat([5.0, 20.0], 50), np.random.default_rng(4).random((100, 200))
    picked = np.empty(100, dtype=np.int64)
    branches.pick_balanced(tree, drawn, mu, picked)
    assert (picked[:50] < 10).all() and len(set(picked[:50])) > 5
    assert (picked[50:] == 10).all()


def test_the_index_finds_a_node_about_as_near_as_the_nearest():
    random = np.random.default_rng(3)
    points = random.uniform(size=(400, 3))
    tree = branches.sprout(points[0], points[0], 1)
    tree.states[:400], tree.points[:400], tree.active[:400] = points, points, True
    tree.tally[branches.COUNT] = 400
    branches.index(tree, np.arange(400), np.full(3, 1e-3), np.inf)
    asked, found = random.uniform(size=(200, 3)), np.empty(200, dtype=np.int64)
    branches.pick_near(tree, asked, 0.0, found)
    off = np.linalg.norm(points[found] - asked, axis=1)
    least = np.linalg.norm(points[None] - asked[:, None], axis=2).min(axis=1)
    assert (off <= branches.SLACK * least + 1e-12).all() and (off == least).mean() > 0.7


def test_what_users_get_wrong_is_named():
    def short(states, controls, dt):
        return states[:, :1]

    with pytest.raises(BadInput, match="step"):
        swerve.plan(short, [1, 1], [3, 3], controls=RANGES, space=SPACE)
    with pytest.raises(BadInput, match="controls"):
        swerve.plan(drive, [1, 1], [3, 3], space=SPACE)
    with pytest.raises(BadInput, match="goal"):
        swerve.plan(drive, [1, 1], [3], controls=RANGES, space=SPACE)
