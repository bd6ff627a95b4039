"""Planning over a user's function, compiled or not, in an occupancy map, and over any MJCF."""

from dataclasses import replace

import matplotlib.image
import numba
import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

import swerve
from swerve.core.errors import BadInput
from swerve.tactics import OccupancyMap, adding, branches, picks
from swerve.tactics.rollout import Model, on_the_way
from swerve.tactics.seek import Asked, Seek

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


def seeking(goal, valid=past_the_wall, start=(1, 1.5, 0, 0), seed=1):
    """A search of `swerve.plan` that has not begun; the goal is a state or a test."""
    root, limits = np.array(start, float), np.array(UNICYCLE["controls"], float)
    test, state = (goal, np.zeros(0)) if callable(goal) else (None, np.array(goal, float))
    model = Model.of(unicycle, valid, test, root, limits[:, 0], 0.1)
    space = UNICYCLE["space"]
    asked = Asked(model, root, state, limits, space, space.numbers(), 0.25, 0.25, 0.1, seed)
    return Seek(asked, swerve.PlanOptions().growing())


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
    asked = (unicycle, [1, 1.5, 0, 0], [3, 1.5, 0, 0])
    firsts = (swerve.plan(*asked, seconds=60, seed=seed, **UNICYCLE) for seed in range(40))
    seed, first = next((k, found) for k, found in enumerate(firsts) if found.cost > 9.0)  # a random way
    some = swerve.PlanOptions(iterations=8_000)
    plan, again = (
        swerve.plan(*asked, seconds=600, seed=seed, improve=True, options=some, **UNICYCLE) for _ in range(2)
    )
    assert first.solved and plan.stats["first_cost"] == first.cost
    assert plan.cost < min(9.0, 0.7 * first.cost)  # at 0.5 m/s, 2.5 m round the wall
    assert past_the_wall(plan.states).all() and (np.abs(plan.controls) <= [0.5, 1.0]).all()
    assert np.allclose(plan.states[1:], unicycle(plan.states[:-1], plan.controls, 0.1))
    assert np.array_equal(plan.states, again.states)  # work counts, not seconds


def test_a_goal_that_is_reached_and_lost_again_does_not_end_the_search():
    """Motions are found in every round, and none of them can be bent to end at so small a goal."""
    options = swerve.PlanOptions(capture=3.0, iterations=3_000)
    exact = {**UNICYCLE, "tolerance": 1e-9}
    plan = swerve.plan(unicycle, [1, 1.5, 0, 0], [1.2, 1.5, 0, 0], seconds=60, options=options, **exact)
    assert plan.stats["branches"] >= 3_000 or plan.solved


def test_a_goal_may_be_smaller_than_what_random_controls_hit():
    capture = swerve.PlanOptions(capture=0.25)
    exact = {**UNICYCLE, "tolerance": 1e-3}
    plan = swerve.plan(unicycle, [1, 1.5, 0, 0], [3, 1.5, 0, 0], seconds=60, options=capture, **exact)
    assert plan.solved and np.abs(plan.states[-1, :2] - [3, 1.5]).max() <= 1e-3


def test_balanced_growth_and_a_goal_that_leaves_columns_open():
    goal = [2.5, np.nan]
    bgt = swerve.PlanOptions(planner="bgt")
    assert bgt.mu is None  # adapts
    for options in (bgt, replace(bgt, mu=5.0), swerve.PlanOptions(planner="rrt"), swerve.PlanOptions()):
        plan = swerve.plan(drive, [1, 1], goal, controls=RANGES, space=SPACE, seconds=60, options=options)
        assert plan.solved and abs(plan.states[-1, 0] - 2.5) <= 0.1
    with pytest.raises(BadInput, match="says nothing"):
        swerve.plan(drive, [1, 1], [np.nan, np.nan], controls=RANGES, space=SPACE)
    with pytest.raises(BadInput, match="planner"):
        swerve.PlanOptions(planner="prm")


def stream(seed):
    return np.array([seed], dtype=np.uint64)


def test_every_pick_of_balanced_growth_has_its_own_mu():
    """In a chain, whose ratio is its depth, picks that want less go to inner nodes, others to the leaf."""
    tree = branches.sprout(np.zeros(1), np.zeros(1), 1)
    tree.active[:11], tree.children[:10] = True, 1
    tree.tally[[branches.COUNT, branches.LEAVES, branches.DEEP, branches.DEEPEST]] = 11, 1, 10, 10
    picked = np.empty(50, dtype=np.int64)
    picks.pick_balanced(tree, 5.0, stream(4), picked)
    assert (picked < 10).mean() > 0.9 and len(set(picked)) > 5
    picks.pick_balanced(tree, 20.0, stream(4), picked)
    assert (picked == 10).mean() > 0.7  # 20 draws of 11 nodes
    picks.pick_balanced(tree, 0.0, stream(4), picked)
    assert 0.1 < (picked == 10).mean() < 0.9  # between one and twice the depth, some of each


def scattered(points, grid=None):
    tree = branches.sprout(points[0], points[0], 1, grid)
    n = len(points)
    tree.states[:n], tree.points[:n], tree.active[:n] = points, points, True
    tree.soon[:n] = points[:, tree.axes]
    tree.tally[branches.COUNT] = n
    adding.index(tree, np.full(points.shape[1], 1e-6), np.inf, stream(1))
    return tree


def test_the_index_finds_a_node_about_as_near_as_the_nearest():
    random = np.random.default_rng(3)
    points = random.uniform(size=(400, 3))
    tree = scattered(points)
    asked, found = random.uniform(size=(200, 3)), np.empty(200, dtype=np.int64)
    picks.pick_near(tree, asked, found)
    off = np.linalg.norm(points[found] - asked, axis=1)
    least = np.linalg.norm(points[None] - asked[:, None], axis=2).min(axis=1)
    assert (off <= picks.SLACK * least + 1e-12).all() and (off == least).mean() > 0.7


def test_growth_goes_where_the_tree_is_sparse_and_shuns_where_it_fails():
    """300 nodes in one corner and ten all over: picks go to the ten, but not where branches fail."""
    random = np.random.default_rng(5)
    points = np.vstack([random.uniform(0.0, 0.1, (300, 2)), random.uniform(0.15, 1.0, (10, 2))])
    grid = branches.Grid(np.arange(2), np.zeros(2), np.ones(2), 10)
    tree, picked = scattered(points, grid), np.empty(400, dtype=np.int64)
    assert tree.held.sum() == 310 and tree.tally[branches.SQUARES] == (tree.held > 0).sum()
    picks.pick_sparse(tree, points, stream(2), picked[:100])
    assert (picked[:100] >= 300).mean() > 0.8
    lone = branches.square_of.py_func(tree, 305)
    tree.failed[lone], tree.picked[:] = 1000.0, 0
    picks.pick_sparse(tree, np.full((400, 2), 0.05), stream(3), picked)
    there = [branches.square_of.py_func(tree, k) == lone for k in picked]
    assert np.mean(there) < 0.02


def test_a_motion_does_not_depend_on_how_many_rounds_are_made_at_a_time(monkeypatch):
    ask = {"seconds": 60, "seed": 6, **UNICYCLE}
    one = swerve.plan(unicycle, [1, 1.5, 0, 0], [3, 1.5, 0, 0], **ask)
    monkeypatch.setattr("swerve.tactics.seek.SHORT", 0.0)  # a look at the clock after every round
    other = swerve.plan(unicycle, [1, 1.5, 0, 0], [3, 1.5, 0, 0], **ask)
    assert one.solved and np.array_equal(one.states, other.states)
    assert one.stats["branches"] == other.stats["branches"]


@pytest.mark.parametrize(
    ("space", "what"),
    [
        (swerve.Space([2, 1], [-1, -1]), "space, low"),  # it hung, whatever the seconds
        (swerve.Space([-1, -1], [2, 1], [-1, 1]), "space, weights"),
        (swerve.Space([-1, np.nan], [2, 1]), "space, low"),
        (swerve.Space([-1, -1], [np.inf, 1]), "space, high"),
        (swerve.Space([-1, -1], [2, 1], angles=(2,)), "space, angles"),
    ],
)
def test_a_space_that_cannot_be_is_refused(space, what):
    with pytest.raises(BadInput, match=what):
        swerve.plan(drive, [0, 0], [1, 0], controls=RANGES, space=space, seconds=1)


@pytest.mark.parametrize(
    "given",
    [
        {"controls": [(-np.inf, np.inf)]},
        {"seconds": np.nan},
        {"seconds": -1},
        {"dt": np.inf},
        {"goal": [np.inf, 0]},
    ],
)
def test_numbers_that_cannot_be_are_refused(given):
    rest = {"goal": [1, 0], "controls": RANGES, "space": SPACE} | given
    with pytest.raises(BadInput, match=next(iter(given))):
        swerve.plan(drive, [0, 0], **rest)


def test_what_users_get_wrong_is_named():
    def short(states, controls, dt):
        return states[:, :1]

    with pytest.raises(BadInput, match="step"):
        swerve.plan(short, [1, 1], [3, 3], controls=RANGES, space=SPACE)
    with pytest.raises(BadInput, match="controls"):
        swerve.plan(drive, [1, 1], [3, 3], space=SPACE)
    with pytest.raises(BadInput, match="goal"):
        swerve.plan(drive, [1, 1], [3], controls=RANGES, space=SPACE)


def test_no_step_jumps_over_a_wall_of_a_map_one_cell_thick():
    blocked = np.zeros((80, 80), dtype=bool)
    blocked[:, 40] = True  # a wall of 5 cm from edge to edge
    there = OccupancyMap(blocked, np.full((80, 80), 4.0), 0.05, (0.0, 0.0)).free()
    few = swerve.PlanOptions(iterations=3_000, hold=(1, 3))
    fast = [(-1.5, 1.5), (-1.5, 1.5)]  # 15 cm a step
    asked = {"controls": fast, "space": SPACE, "seconds": 60, "options": few}
    assert not swerve.plan(drive, [1, 2], [3, 2], valid=there, **asked).solved
    hidden = swerve.plan(drive, [1, 2], [3, 2], valid=lambda states: there(states), **asked)
    assert hidden.solved  # nobody knows of cells
    asked["options"] = replace(few, between=5)
    assert not swerve.plan(drive, [1, 2], [3, 2], valid=lambda states: there(states), **asked).solved


def test_compiled_models_are_looked_at_between_steps_too():
    @numba.njit
    def beyond(states):
        return np.abs(states[:, 0] - 2.0) > 0.02  # a wall of 4 cm

    @numba.njit
    def quick(states, controls, dt):
        return states + dt * controls

    before, after = np.array([[1.9, 0.0], [1.5, 0.0]]), np.array([[2.1, 0.0], [1.7, 0.0]])
    for between, clear in ((0, [True, True]), (5, [False, True])):
        model = Model.of(quick, beyond, None, before[0], np.zeros(2), 0.1, between)
        assert model.compiled and model.clear(before, after).tolist() == clear


def test_ways_between_states_turn_the_short_way_round():
    before, after = np.array([[0.0, 3.0]]), np.array([[1.0, -3.0]])
    middle = on_the_way(before, after, np.array([False, True]), 0.5)
    assert middle[0, 0] == 0.5 and np.cos(middle[0, 1]) == pytest.approx(-1.0)


def test_a_margin_of_a_map_is_kept_to_the_edges_of_its_cells():
    random = np.random.default_rng(4)
    blocked = random.random((30, 30)) < 0.05
    clearance = 0.1 * distance_transform_edt(~np.pad(blocked, 1, constant_values=True))[1:-1, 1:-1]
    places = random.uniform(0, 3, (2000, 2))
    low = 0.1 * np.argwhere(blocked)[:, ::-1]
    off = np.maximum(np.maximum(low[None] - places[:, None], places[:, None] - low[None] - 0.1), 0)
    edges = np.minimum(places, 3.0 - places).min(axis=1)  # outside is blocked
    least = np.minimum(np.hypot(off[..., 0], off[..., 1]).min(axis=1), edges)
    for margin in (0.0, 0.14, 0.28):
        free = OccupancyMap(blocked, clearance, 0.1, (0.0, 0.0)).free(margin)
        assert np.array_equal(free(places), least > margin)


def test_columns_of_a_cart_may_have_any_name():
    line = swerve.Space([-1, -1], [4, 4], columns=("x", "v"))
    plan = swerve.plan(drive, [1, 1], [3, 3], controls=RANGES, space=line, seconds=60)
    assert plan.solved and plan.columns == ("state x", "v")
    for columns in (("q",), ("q", "q"), ("t", "q")):
        with pytest.raises(BadInput, match="space, columns"):
            swerve.plan(drive, [1, 1], [3, 3], controls=RANGES, space=replace(line, columns=columns))


def test_who_is_there_already_stays():
    plan = swerve.plan(drive, [1, 1], [1, 1.05], controls=RANGES, space=SPACE, improve=True)
    assert plan.solved and plan.cost == 0.0 and plan.states.tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("seed", -1),
        ("seed", 1.5),
        ("seed", True),
        ("tolerance", np.inf),
        ("tolerance", 0),
        ("tolerance", "a"),
        ("seconds", np.nan),
    ],
)
def test_numbers_that_cannot_be_are_named_in_a_line(what, value):
    with pytest.raises(BadInput, match=f"^{what}: .*, got {value!r}$") as told:
        swerve.plan(drive, [1, 1], [3, 3], controls=RANGES, space=SPACE, **{what: value})
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("name", ["tries", "iterations", "between"])
def test_counts_are_whole(name):
    with pytest.raises(BadInput, match=f"{name}: must be a whole number, got 1.5"):
        swerve.PlanOptions(**{name: 1.5})


@pytest.mark.parametrize("improve", [False, True])
@pytest.mark.parametrize("goal", [[1, 1], [1.05, np.nan], lambda states: states[:, 0] < 2.0])
def test_who_stands_at_the_goal_does_not_move(goal, improve):
    asked = {"controls": RANGES, "space": SPACE, "improve": improve, "seconds": 60}
    plan = swerve.plan(drive, [1, 1], goal, **asked)
    assert plan.solved and plan.cost == 0.0 and plan.states.tolist() == [[1.0, 1.0]]
    assert plan.controls.shape == (0, 2)


@pytest.mark.parametrize("improve", [False, True])
def test_one_step_from_the_goal_is_a_motion_of_one_step(improve):
    """And as none is shorter, the rest of the time is not waited for."""
    asked = {"controls": RANGES, "space": SPACE, "improve": improve, "seconds": 60}
    plan = swerve.plan(drive, [1, 1], [1.15, 1.0], **asked)
    assert plan.solved and len(plan) == 2 and plan.stats["seconds"] < 60
    assert np.hypot(*(plan.states[-1] - [1.15, 1.0])) <= 0.1


@pytest.mark.parametrize("capture", [1.0, np.inf])
def test_a_start_from_which_motions_would_be_bent_at_once_is_left_all_the_same(capture):
    """All nodes were taken to be at the goal, and none grew."""
    options = swerve.PlanOptions(capture=capture, iterations=20_000)
    asked = {"controls": RANGES, "space": SPACE, "tolerance": 1e-3, "seconds": 60, "options": options}
    for seed in range(880_300, 880_305):
        plan = swerve.plan(drive, [1, 1], [1.15, 1.0], seed=seed, **asked)
        assert plan.solved and np.hypot(*(plan.states[-1] - [1.15, 1.0])) <= 1e-3


def test_a_mechanism_is_told_in_words_what_does_not_fit():
    cart = (
        '<mujoco><worldbody><body><joint name="x" type="slide"/><geom size="0.1"/></body></worldbody>'
        '<actuator><motor joint="x" ctrlrange="-1 1" ctrllimited="true"/></actuator></mujoco>'
    )
    robot = swerve.Mechanism(cart)
    aim = robot.state({"x": 1.0}, elsewhere=np.nan)
    with pytest.raises(BadInput, match=r"controls: must be .*, one an actuator"):
        swerve.plan(robot, robot.start, aim, controls=[(-1, 1), (-1, 1)])
    with pytest.raises(BadInput, match="start: must be a state of the mechanism"):
        swerve.plan(robot, [0, 0], aim)
    with pytest.raises(BadInput, match=r"^MJCF nowhere\.xml: no such file"):
        swerve.Mechanism("nowhere.xml")


def in_place(states, controls, dt):
    controls *= 2.0
    states += dt * controls
    return states


@numba.njit
def in_place_compiled(states, controls, dt):
    controls *= 2.0
    states += dt * controls
    return states


@numba.njit
def past_a_thin_wall(states):
    result = np.empty(len(states), dtype=np.bool_)
    for k in range(len(states)):
        result[k] = not (1.95 < states[k, 0] < 2.05 and states[k, 1] < 3.0)
    return result


@pytest.mark.parametrize("step", [in_place, pytest.param(in_place_compiled, marks=pytest.mark.long)])
def test_a_step_may_work_in_place(step):
    """Its plan begins at the start, each state follows from the one before, and no wall is jumped over."""
    options = swerve.PlanOptions(between=8, iterations=20_000)
    found = swerve.plan(
        step, [1, 1], [3, 1], controls=RANGES, space=SPACE, valid=past_a_thin_wall, seed=2, options=options
    )
    assert found.solved and found.states[0].tolist() == [1, 1]
    assert np.allclose(np.diff(found.states, axis=0), 0.2 * found.controls)
    (k,) = np.flatnonzero((found.states[:-1, 0] < 2) & (found.states[1:, 0] > 2))
    (x0, y0), (x1, y1) = found.states[k : k + 2]
    assert y0 + (2 - x0) / (x1 - x0) * (y1 - y0) > 2.9
