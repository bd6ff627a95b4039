"""The planar model moves as the engine does, and what is found on it is confirmed by the engine."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.tactics import SolveOptions, Tactic, load_domain
from swerve.tactics.domains.conditions import Condition
from swerve.tactics.domains.lawful import test_of as law_of
from swerve.tactics.engine import Engine
from swerve.tactics.loop.reality import rolled, with_materials
from swerve.tactics.machine import OneEngine
from swerve.tactics.plan import replay
from swerve.tactics.planar import Planar, PlanarEngine
from swerve.tactics.planar_touch import into_box, off_box
from swerve.tactics.search import Search
from swerve.tactics.skills import DriveToPoint


@pytest.fixture(scope="module")
def course():
    return load_domain("minigolf-one-bounce", 3)


@pytest.mark.parametrize("velocity", [(1.0, 0.0), (1.2, 2.4), (-2.0, 2.0)])
def test_a_ball_rolls_and_bounces_as_in_the_engine(course, velocity):
    slot, rows = course.world.slot("ball"), course.start[None].copy()
    rows[0, slot.qpos : slot.qpos + 2], rows[0, slot.qvel : slot.qvel + 2] = (0.5, 0.9), velocity
    full, planar, quick = Engine(course.world), PlanarEngine(course.world), rows.copy()
    none = np.zeros((1, course.world.model.nv))
    for _ in range(90):
        rows, _ = full.step(rows, none)
        quick, _ = planar.step(quick, none)
    assert np.hypot(*(rows - quick)[0, slot.qpos : slot.qpos + 2]) < 0.01
    assert rows[0, 0] == pytest.approx(quick[0, 0])


@pytest.mark.parametrize("model", [Engine, PlanarEngine])
def test_a_wall_that_gives_way_leaves_a_ball_its_roll(course, model):
    """It keeps turning towards the wall after the bounce, instead of being slowed by it."""
    slot, turning, speeds = course.world.slot("ball"), [], []
    for share in (1.0, 0.0):
        world = with_materials(course.world, {"walls.upright": share, "walls.friction": 0.4})
        row = course.start[None].copy()
        row[0, slot.qpos : slot.qpos + 2], row[0, slot.qvel : slot.qvel + 2] = (0.5, 1.7), (0.0, 2.0)
        rolled(world, "ball", row[0])
        engine, none = model(world), np.zeros((1, world.model.nv))
        while row[0, slot.qvel + 1] > 0:
            row, _ = engine.step(row, none)
        scene = course.scene(row)
        turning.append(abs(float(row[0, slot.qvel + 3])))
        speeds.append(float(scene.velocity("ball")[0, 1]))
    assert turning[1] > 0.9 * 2.0 / slot.radius > 1.2 * turning[0]
    assert speeds[0] == pytest.approx(speeds[1], abs=0.05)


def test_a_robot_strikes_a_ball_as_in_the_engine(course):
    world = course.world
    ball, robot = world.slot("ball"), world.slot("robot")
    rows = course.start[None].copy()
    rows[0, robot.qpos : robot.qpos + 2] = rows[0, ball.qpos : ball.qpos + 2] - (0.25, 0.02)
    rows[0, robot.qvel] = 1.5
    full, planar, quick = Engine(world), PlanarEngine(world), rows.copy()
    none, met = np.zeros((1, world.model.nv)), np.zeros(2, dtype=bool)
    for _ in range(20):
        rows, touched = full.step(rows, none)
        quick, noted = planar.step(quick, none)
        met |= (touched[0, world.pair("robot", "ball")], noted[0, world.pair("robot", "ball")])
    assert met.all()
    speeds = [r[0, ball.qvel : ball.qvel + 2] for r in (rows, quick)]
    assert np.hypot(*(speeds[0] - speeds[1])) < 0.05 * np.hypot(*speeds[0])


def test_what_is_surely_off_a_box_is_not_in_it():
    """The quick answer never differs from how deep it is, on edges and corners, too."""
    random, reach, box = np.random.default_rng(5), 0.09, np.array([-0.3, 0.1, 0.4, 0.13])
    told, outside = 0, 0
    places = np.concatenate(
        [random.uniform(-0.6, 0.6, (3000, 2)), [(-0.3 - reach, 0.11), (0.4 + reach, 0.1), (0.0, 0.1 - reach)]]
    )
    for x, y in places:
        off, deep = off_box.py_func(x, y, reach, box), into_box.py_func(x, y, reach, *box)[0] > 0.0
        assert not (off and deep)
        told, outside = told + off, outside + (not deep)
    assert 0.9 * outside < told


def test_beyond_the_horizon_others_are_passed_through():
    problem = load_domain("hallway", 1)
    world = problem.world
    mine, other = world.slot("robot"), world.slot("obstacle 1")
    rows = np.tile(problem.start, (2, 1))
    rows[1, 0] = 1.0
    rows[:, other.qpos : other.qpos + 2] = rows[:, mine.qpos : mine.qpos + 2] + (0.15, 0.0)
    from swerve.tactics.planar import step

    touched = np.zeros((2, len(world.watch)), dtype=bool)
    forces = np.zeros((2, world.model.nv))
    step.over(forces, rows, touched, np.empty((2, 0)), Planar(world, t_lod=0.5).numbers)
    column = world.pair("robot", "obstacle 1")
    assert touched[:, column].tolist() == [True, False]


@pytest.mark.parametrize("domain", ["minigolf-one-bounce", "soccer"])
def test_both_fidelities_give_a_motion_of_the_engine(domain):
    problem = load_domain(domain, 4)
    search = Search(problem, None, SolveOptions(fidelity="both"), seed=4)
    plan = search.grow(nodes=20_000, iterations=40_000, solutions=1).plan()
    assert plan.solved and search.planar_seconds > 0
    rows, _ = replay(plan)
    assert np.array_equal(rows, plan.rows)
    alone = Search(problem, None, SolveOptions(fidelity="planar"), seed=4)
    found = alone.grow(nodes=20_000, iterations=40_000, solutions=1).plan()
    assert found.solved and alone.engine.seconds == 0.0


def test_both_fidelities_retrace_choices_of_skills_that_sample_nothing():
    """All that the planar model found was thrown away: the engine was given the first choice alone."""
    problem = load_domain("navigation", 0)
    points = {"a": (3.5, 1.8), "b": (0.4, 1.8), "f": (2.0, 1.8)}
    skills = {name: DriveToPoint("robot", point, speed=1.5, near=0.1) for name, point in points.items()}
    chosen = Tactic("line", skills, {"a": {"f": 1}, "f": {"a": 1, "b": 1}, "b": {"f": 1}}, "a")
    goal = law_of([Condition(body="robot", near=(0.4, 1.8), within=0.12)], problem.world)
    problem = replace(problem, tactics={"default": (chosen,)}, goal=goal, lack=None, planner="bgt", mu=None)
    search = Search(problem, None, SolveOptions(fidelity="both"), seed=1)
    plan = search.grow(nodes=3000, iterations=6000, solutions=1).plan()
    assert plan.solved and {names[0] for names in plan.skills if names[0]} == {"a", "f", "b"}
    assert np.array_equal(replay(plan)[0], plan.rows)


def test_one_branch_is_stepped_bit_for_bit_as_many_are(course):
    rows, random = course.start[None].copy(), np.random.default_rng(1)
    one, many, other = OneEngine(course.world), Engine(course.world), rows.copy()
    for _ in range(20):
        forces = random.normal(0.0, 2.0, (1, course.world.model.nv))
        rows, touched = one.step(rows, forces)
        other, noted = many.step(other, forces)
        assert np.array_equal(rows, other) and np.array_equal(touched, noted)


def test_what_is_more_than_planar_is_refused():
    with pytest.raises(BadInput, match=r"fidelity: pool has more than discs"):
        Search(load_domain("pool"), None, SolveOptions(fidelity="planar"))
    with pytest.raises(BadInput, match="fidelity: must be one of full, planar, both"):
        SolveOptions(fidelity="coarse")
