"""Dice fall through spheres into a logo: by collisions and pushes in flight, and by nothing else."""

import json

import mujoco
import numpy as np
import pytest

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.core.show.view import look
from swerve.tactics import Action, Chance, Engine, SolveOptions, load_domain, replay, solve
from swerve.tactics.domains.dice import EDGE, PITCH, PUSH, STILL, TURN, distances, logo
from swerve.tactics.picture import draw_tree
from swerve.tactics.record import ending_upright, record


@pytest.fixture(scope="module")
def plan():
    return solve(load_domain("dice-60"), seed=0, options=SolveOptions(nodes=1000))


@pytest.fixture(scope="module")
def fall(plan):
    return plan.problem.tactics["default"][0].skills["fall"]


@pytest.fixture(scope="module")
def columns(plan, fall):
    slots = [plan.problem.world.slot(name) for name in fall.bodies]
    return np.array([(slot.qpos, slot.qvel, slot.dof) for slot in slots])


def test_sixty_dice_come_to_rest_at_their_places(plan, fall, columns):
    assert plan.solved
    rows, _ = replay(plan)
    assert np.array_equal(rows, plan.rows)
    distance, speed = distances(rows, columns, fall.targets)
    assert distance[-1].mean() < EDGE
    assert speed[-1].max() < STILL
    assert plan.stats["mean_distance_in_edges"] == pytest.approx(distance[-1].mean() / EDGE)
    assert distance[0].mean() > 40 * EDGE  # they began far above


def test_the_plan_is_the_best_of_the_branches_that_came_to_rest(plan):
    tree, evaluate = plan.tree, plan.problem.evaluate
    ends = list(plan.solutions)
    assert len(ends) >= 10
    assert plan.cost == pytest.approx(evaluate(plan.problem.scene(tree.rows[ends])).min())


def test_a_die_in_flight_makes_a_state_worse_however_near_the_others_lie(plan, columns):
    row = plan.rows[-1].copy()
    row[columns[7, 1] + 2] = 1.0
    value = plan.problem.evaluate(plan.problem.scene(np.stack([plan.rows[-1], row])))
    assert value[1] > value[0] + 100


def test_pushes_are_no_larger_than_told(plan):
    model = plan.problem.world.model
    mass, inertia = model.body("die 1").mass[0], model.body("die 1").inertia[0]
    forces = plan.controls.reshape(len(plan.controls), -1, 6)
    assert 0.9 * PUSH * mass < np.linalg.norm(forces[..., :3], axis=-1).max() <= PUSH * mass * (1 + 1e-9)
    assert np.linalg.norm(forces[..., 3:], axis=-1).max() <= TURN * inertia * (1 + 1e-9)
    assert not forces[..., 2].any()  # gravity is left alone


def test_dice_hit_spheres_and_each_other_and_are_not_pushed_while_they_touch(plan):
    """Watched substep by substep in a plain MuJoCo loop, which must end in the same state.

    The contacts and their forces are the engine's own, those of the substep before each push.
    """
    world, start = plan.problem.world, plan.problem.start
    model, data = world.model, mujoco.MjData(world.model)
    spheres = model.body("spheres").id
    data.qpos[:] = start[1 : 1 + model.nq]
    by_sphere, by_die, held, checked = set(), set(), set(), 0
    for forces in plan.controls:
        for body in held:
            assert not forces[model.body_dofadr[body] :][:6].any()
        checked += len(held)
        data.qfrc_applied[:] = forces
        for _ in range(world.substeps):
            mujoco.mj_step(model, data)
            held = set()
            for k, pair in enumerate(np.sort(model.geom_bodyid[data.contact.geom], axis=1).tolist()):
                wrench = np.zeros(6)
                mujoco.mj_contactForce(model, data, k, wrench)
                if wrench[0] > 1e-6:
                    held |= {body for body in pair if body > spheres}
                    by_sphere |= {pair[1]} if pair[0] == spheres else set()
                    by_die |= set(pair) if pair[0] > spheres else set()
    assert np.array_equal(data.qpos, plan.rows[-1, 1 : 1 + model.nq])
    assert len(by_sphere) >= 20 and len(by_die) >= 20  # a third of them, at least
    assert checked > 1000
    assert data.contact.dist.min() > -0.05 * EDGE  # at rest they lie on, not in, each other


def test_without_pushes_there_is_no_logo(plan, fall, columns):
    problem = plan.problem
    rows, engine = problem.start[None], Engine(problem.world)
    still = np.zeros((1, problem.world.model.nv))
    for _ in range(180):
        rows, _ = engine.step(rows, still)
    distance, speed = distances(rows, columns, fall.targets)
    assert speed.max() < STILL
    assert distance.mean() > 2 * EDGE


def test_a_push_brings_a_die_to_its_place_at_rest(fall):
    """In free fall, at full strength: the guidance ends above the place and without sideways speed."""
    problem = load_domain("dice-1")
    skill = problem.tactics["default"][0].skills["fall"]
    world, slot = problem.world, problem.world.slot("die 1")
    row = problem.start.copy()
    row[slot.qpos : slot.qpos + 3] = skill.targets[0, 0] + 0.05, skill.targets[0, 1] - 0.05, 1.5
    row[slot.qvel] = 0.3
    rows, engine = row[None], Engine(world)
    variables = np.array([[9.0, 1.0]])
    while rows[0, slot.qpos + 2] > 3 * EDGE:
        action = Action(problem.scene(rows))
        skill.act(problem.scene(rows), variables, action)
        rows, _ = engine.step(rows, action.forces)
    assert np.abs(rows[0, slot.qpos : slot.qpos + 2] - skill.targets[0]).max() < 0.1 * EDGE
    assert np.abs(rows[0, slot.qvel : slot.qvel + 2]).max() < 0.1


def test_strengths_are_drawn_for_every_die(plan, fall):
    drawn = fall.start(plan.problem.scene(np.tile(plan.problem.start, (3, 1))), Chance(1, np.arange(3)))
    assert drawn.shape == (3, 61) and len(np.unique(drawn)) == drawn.size
    assert (drawn[:, 1:] >= fall.strength[0]).all() and (drawn[:, 1:] <= fall.strength[1]).all()


@pytest.mark.parametrize("count", [1, 7, 60, 400])
def test_the_logo_has_a_place_for_each_die(count):
    places = logo(count)
    assert places.shape == (count, 2)
    gaps = np.linalg.norm(places[:, None] - places, axis=-1)[~np.eye(count, dtype=bool)]
    assert gaps.min(initial=np.inf) > 0.99 * PITCH
    turned = {tuple(place) for place in np.round(-places / PITCH, 3)}
    same = len(turned & {tuple(place) for place in np.round(places / PITCH, 3)})
    assert same >= 0.9 * count or count < 20  # an S looks the same upside down


def test_another_seed_begins_elsewhere_and_a_bad_count_is_refused():
    one, two = load_domain("dice-20", 1), load_domain("dice-20", 2)
    assert not np.array_equal(one.start, two.start)
    for name in ("dice-0", "dice-1001"):
        with pytest.raises(BadInput, match="dice"):
            load_domain(name)
    with pytest.raises(BadInput, match="domain"):
        load_domain("dice-many")
    with pytest.raises(BadInput, match="measure: dice-20 has no one body"):
        solve(one, options=SolveOptions(measure="curvature"))


def test_the_same_tree_on_two_threads():
    problem = load_domain("dice-20")
    one, two = (
        solve(problem, seed=5, threads=threads, options=SolveOptions(nodes=400)) for threads in (1, 2)
    )
    assert one.tree.count == two.tree.count
    assert np.array_equal(one.tree.rows[: one.tree.count], two.tree.rows[: two.tree.count])
    assert np.array_equal(one.rows, two.rows)


def test_recorded_dice_lie_with_a_face_up(plan, tmp_path):
    recording = record(plan, {"scene": "dice-60"})
    assert set(recording["kind"]) == {"die (cube)"}
    last = recording["t"] == recording.times[-1]
    w, x, y, z = (recording[name][last] for name in ("qw", "qx", "qy", "qz"))
    upward = 1 - 2 * (x * x + y * y)
    assert (upward > 0.99).sum() >= 50
    assert np.abs(np.arctan(z / w)).max() < np.pi / 8 + 0.1  # half the heading: within 45° of the grid
    turns = np.random.default_rng(0).normal(size=(5, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    assert np.linalg.norm(ending_upright(turns), axis=1) == pytest.approx(1.0)
    assert draw_tree(plan, tmp_path / "tree.png").stat().st_size > 10_000


def test_the_command_tells_how_near_they_lie_and_its_recording_shows_squares(tmp_path, capsys):
    command = ["plan", "dice-20", "--nodes", "400", "--json", "--out", str(tmp_path)]
    assert run(command) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["solved"] and 0 < result["mean_distance_in_edges"] < 1
    assert result["nodes"] < 500
    view = look(Recording.read(result["recording"]))
    assert {body.shape for body in view.bodies} == {"cube"} and len(view.bodies) == 20
    assert view.ego is None and not view.sliding.any()
    assert sum(area.role == "goal" for area in view.areas) == 20
