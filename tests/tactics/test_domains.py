"""Every domain is solved, and every solution holds in a fresh engine, bit for bit."""

import os
from dataclasses import replace
from functools import cache

import mujoco
import numpy as np
import pytest

from swerve.studies import tactics_bars
from swerve.tactics import (
    DOMAINS,
    Action,
    Body,
    Engine,
    Role,
    SolveOptions,
    World,
    load_domain,
    picture,
    replay,
    solve,
)
from swerve.tactics.domains.build import ball as ball_part
from swerve.tactics.domains.build import floor as floor_part
from swerve.tactics.domains.build import mjcf
from swerve.tactics.domains.pool import FELT, IVORY, MASS, RADIUS

SEEDS = range(11, 11 + int(os.environ.get("SWERVE_GAME_SEEDS", "2")))  # more for a thorough look
SOLVED = (*(name for name in DOMAINS if name != "dice"), "dice-20")
LAYOUT = {"hallway": 1, "maze": 6, "drum-3": 201}  # the hallway of 0 is not solved within 12,000 nodes


@cache
def solved(name, layout):
    """A plan that several tests look at."""
    return solve(load_domain(name, layout), seed=layout)


@pytest.mark.parametrize("name", SOLVED)
def test_solutions_replay_bit_for_bit_and_hold(name):
    plan = solved(name, LAYOUT.get(name, 0))
    problem = plan.problem
    assert plan.solved
    rows, touched = replay(plan)
    assert np.array_equal(rows, plan.rows)
    assert np.array_equal(touched, plan.contacts)
    scene = problem.scene(rows, touched)
    assert problem.goal(scene)[-1] and not problem.goal(scene)[:-1].any()
    assert problem.valid(scene)[1:].all()
    assert np.diff(plan.times) == pytest.approx(problem.world.step_seconds)


def test_a_plain_mujoco_loop_gives_the_same_states():
    """Navigation needs no friction impulses, so `mj_step` alone must reproduce its plan."""
    problem = load_domain("navigation")
    plan = solve(problem, seed=2)
    model, data = problem.world.model, mujoco.MjData(problem.world.model)
    nq, nv = model.nq, model.nv
    data.qpos[:], data.qvel[:] = problem.start[1 : 1 + nq], problem.start[1 + nq : 1 + nq + nv]
    for k, forces in enumerate(plan.controls, 1):
        data.qfrc_applied[:] = forces
        for _ in range(problem.world.substeps):
            mujoco.mj_step(model, data)
        assert np.array_equal(data.qpos, plan.rows[k, 1 : 1 + nq])
        assert np.array_equal(data.qvel, plan.rows[k, 1 + nq : 1 + nq + nv])


@pytest.mark.parametrize("name", DOMAINS)
def test_layouts_differ_by_seed_and_start_valid(name):
    one, two = load_domain(name, 1), load_domain(name, 2)
    assert not np.array_equal(one.start, two.start)
    assert np.array_equal(one.start, load_domain(name, 1).start)
    for problem in (one, two):
        problem.validate(problem.tactics_for("default", problem.planner))


def test_a_putt_is_what_moves_the_ball():
    """Nothing but the robot's touch sets the golf ball in motion."""
    plan = solved("minigolf", 0)
    scene = plan.problem.scene(plan.rows, plan.contacts)
    moving = np.flatnonzero(scene.speed("ball") > 0.2)[0]
    assert plan.contacts[moving, plan.problem.world.pair("robot", "ball")]
    before = plan.controls[:, plan.problem.world.slot("ball").dof :][:, :6]
    assert not before.any()


def test_a_head_on_pool_shot_passes_its_speed_on():
    world = World(
        mjcf(floor_part(), ball_part("one", RADIUS, MASS), ball_part("two", RADIUS, MASS)),
        [
            Body("floor", Role.STATIC, FELT, floor=True),
            Body("one", Role.PASSIVE, IVORY),
            Body("two", Role.PASSIVE, IVORY),
        ],
        [("one", "two")],
    )
    one, two = world.slot("one"), world.slot("two")
    row = world.initial.copy()
    row[one.qpos], row[one.qvel] = -0.2, 2.0
    engine = Engine(world)
    for _ in range(60):
        before = row
        row, touched = (out[0] for out in engine.step(row[None], np.zeros((1, world.model.nv))))
        if touched.any():
            break
    assert touched.any()
    assert row[two.qvel] >= 0.95 * before[one.qvel]


def test_soccer_opponents_act_by_their_rules():
    """Two branches with the same ball have the same opponents, whatever the attacker does."""
    problem = load_domain("soccer")
    tree = solve(problem, seed=1, options=SolveOptions(iterations=1500, solutions=9)).tree
    children = np.flatnonzero(np.bincount(tree.parent[1 : tree.count]) > 1)
    slot = problem.world.slot("goalie")
    for node in children[:20]:
        mine = np.flatnonzero(tree.parent[: tree.count] == node)
        assert np.ptp(tree.forces[mine, slot.dof], axis=0) == 0.0


@pytest.mark.parametrize(("name", "least"), [("minigolf-one-bounce", 1), ("minigolf-two-bounces", 2)])
def test_bouncing_courses_need_their_bounces(name, least):
    """Whichever way the ball is sent off, it is never holed with fewer bounces."""
    angles, speeds = np.meshgrid(np.linspace(-3.1, 3.1, 63), [2.0, 4.0, 6.0])
    found = False
    for seed in (1, 2):
        problem = load_domain(name, seed)
        slot = problem.world.slot("ball")
        rows = np.tile(problem.start, (angles.size, 1))
        rows[:, problem.world.slot("robot").qpos] -= 5.0  # out of the way
        rows[:, slot.qvel] = (speeds * np.cos(angles)).ravel()
        rows[:, slot.qvel + 1] = (speeds * np.sin(angles)).ravel()
        engine = Engine(problem.world, len(rows))
        bounces = np.zeros(len(rows), dtype=int)
        before, holed = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
        for _ in range(150):
            rows, touched = engine.step(rows, np.zeros((len(rows), problem.world.model.nv)))
            scene = problem.scene(rows, touched)
            dropped = scene.position("ball")[:, 2] < 0.01
            assert (bounces[dropped] >= least).all()
            holed |= problem.goal(scene)
            touching = scene.touching("ball", "walls")
            bounces += touching & ~before
            before = touching
        found |= bool(holed.any())
    assert found


def later(plan, seconds):
    """The state `seconds` after the end of a plan, with nobody doing anything."""
    world, row = plan.problem.world, plan.rows[-1]
    engine = Engine(world)
    for _ in range(round(seconds / world.step_seconds)):
        row = engine.step(row[None], np.zeros((1, world.model.nv)))[0][0]
    return plan.problem.scene(row[None])


def test_a_holed_ball_stays_in_the_cup():
    """The first review found 12 of 35 plans whose ball rolled out again, seeds 11 to 13 among them."""
    for seed in SEEDS:
        plan = solve(load_domain("minigolf", seed), seed=seed)
        assert plan.solved
        scene = later(plan, 5.0)
        assert plan.problem.goal(scene).all() and scene.speed("ball")[0] < 0.01


def test_a_pocketed_ball_is_below_the_bed_and_stays_there():
    for seed in SEEDS:
        plan = solve(load_domain("pool", seed), seed=seed)
        assert plan.solved
        assert plan.problem.scene(plan.rows[-1:]).position("blue ball")[0, 2] < -RADIUS
        assert later(plan, 5.0).position("blue ball")[0, 2] < -RADIUS


def test_straight_shots_at_yellow_meet_a_striped_ball():
    blocked = []
    for seed in range(20):
        problem = load_domain("pool", seed)
        scene = problem.scene(problem.start[None])
        cue, yellow = scene.xy("cue ball")[0], scene.xy("yellow ball")[0]
        way = yellow - cue
        hits = np.linspace(-0.95, 0.95, 21) * 2 * RADIUS
        aside = np.array([-way[1], way[0]]) / np.hypot(*way)
        ways = way + hits[:, None] * aside
        unit = ways / np.hypot(*ways.T)[:, None]
        met = np.zeros(len(hits), dtype=bool)
        for name in ("striped 1 ball", "striped 2 ball", "striped 3 ball"):
            to = scene.xy(name)[0] - cue
            met |= np.abs(unit[:, 0] * to[1] - unit[:, 1] * to[0]) < 2 * RADIUS
        blocked.append(met.all())
    assert np.mean(blocked) > 0.5


@pytest.fixture(scope="module")
def past_the_bar():
    return solved("minigolf", 0)


def test_a_bar_keeps_turning_at_its_rate(past_the_bar):
    plan = past_the_bar
    spin = plan.problem.scene(plan.rows, plan.contacts).spin("bar")
    assert spin[1:] == pytest.approx(1.5, abs=0.02)


def test_pictures_draw_a_bar_along_its_motion(past_the_bar, tmp_path, monkeypatch):
    """Drawn at its end only, as it was, the ball seems to have rolled through it."""
    plan, drawn = past_the_bar, []
    boxes = picture.boxes

    def noted(axes, pose, long, wide, **style):
        drawn.append((pose, long, style["alpha"]))
        boxes(axes, pose, long, wide, **style)

    monkeypatch.setattr(picture, "boxes", noted)
    picture.draw_tree(plan, tmp_path / "tree.png")
    scene, long = plan.problem.scene(plan.rows), plan.problem.world.size("bar")[0]
    bars = [(pose, faint) for pose, length, faint in drawn if length == long]
    headings, faint = np.array([pose[2] for pose, _ in bars]), np.array([faint for _, faint in bars])
    turned = scene.heading("bar")
    assert len(bars) == picture.MOMENTS and (np.diff(faint) > 0).all()
    assert (headings[0], headings[-1]) == (turned[0], turned[-1])
    assert np.diff(headings) == pytest.approx((turned[-1] - turned[0]) / (picture.MOMENTS - 1), abs=0.05)
    assert all(np.allclose(pose[:2], scene.xy("bar")[0]) for pose, _ in bars)


def test_dribbling_away_gains_distance_with_the_ball():
    from swerve.tactics.skills import DribbleAway, has_ball

    problem = load_domain("soccer", 3)
    world, start = problem.world, problem.start.copy()
    robot, ball, other = (world.slot(name) for name in ("attacker", "ball", "left defender"))
    start[robot.qpos : robot.qpos + 3] = 1.0, 0.0, 0.0
    start[ball.qpos : ball.qpos + 2] = 1.0 + robot.radius + ball.radius + 0.004, 0.0
    start[other.qpos : other.qpos + 2] = 1.0, 0.8
    skill = DribbleAway("attacker", "ball", ("left defender",))
    engine, rows = Engine(world), start[None]
    variables = np.array([[1.0, -1.0, 1.0]])
    for _ in range(45):
        action = Action(problem.scene(rows))
        assert skill.act(problem.scene(rows), variables, action).all()
        rows, _ = engine.step(rows, action.forces)
    scene = problem.scene(rows)
    assert has_ball(scene, "attacker", "ball").all()
    assert scene.distance("attacker", np.array([[1.0, 0.8]]))[0] > 1.0


def standing(seed, count, distances):
    """An attacker with the ball at its mouth, and a defender that stands some way off in front of it."""
    problem = load_domain("soccer", seed)
    world, rows = problem.world, np.tile(problem.start, (count, 1))
    robot, ball, other = (world.slot(name) for name in ("attacker", "ball", "left defender"))
    rows[:, robot.qpos : robot.qpos + 3] = 0.6, 0.0, 0.0
    rows[:, ball.qpos : ball.qpos + 2] = 0.6 + robot.radius + ball.radius + 0.004, 0.0
    rows[:, other.qpos : other.qpos + 2] = 0.0, 0.0
    rows[:, other.qpos] = rows[:, ball.qpos] + distances
    for name, y in (("right defender", 1.5), ("goalie", -1.5)):
        slot = world.slot(name)
        rows[:, slot.qpos : slot.qpos + 2] = 2.5, y
    return problem, rows


def test_chips_fly_over_a_standing_robot():
    """Robots are 0.15 m tall; the ball passes over the one that it is chipped over, and does not touch it."""
    assert load_domain("soccer", 1).world.size("attacker")[2] == pytest.approx(0.15)
    assert tactics_bars.chips(1, 60) >= 0.9


def test_a_dribbler_can_lose_the_ball():
    """Sharp turns at speed throw the ball off; driving gently keeps it."""
    from swerve.tactics import Chance
    from swerve.tactics.skills import Dribble, has_ball

    kept = {}
    for name, skill in (
        ("wild", Dribble("attacker", "ball", seconds=(0.2, 0.5), speed=2.0, acceleration=6.0)),
        ("gentle", Dribble("attacker", "ball", seconds=(1.0, 2.0), speed=0.3, acceleration=0.5)),
    ):
        n = 40
        problem, rows = standing(1, n, np.full(n, 2.0))
        engine, had = Engine(problem.world, n), np.ones(n, dtype=bool)
        variables = np.zeros((n, 3))
        busy = np.zeros(n, dtype=bool)
        for k in range(180):
            scene = problem.scene(rows)
            fresh = np.flatnonzero(~busy)
            variables[fresh] = skill.start(scene.take(fresh), Chance(k, fresh))
            action = Action(scene)
            busy = skill.act(scene, variables, action)
            rows, _ = engine.step(rows, action.forces)
            had &= has_ball(problem.scene(rows), "attacker", "ball")
        kept[name] = had.mean()
    assert kept["wild"] < 0.8 and kept["gentle"] > 0.9


def works_at_a_tenth_of_the_step(plan):
    fine = plan.problem.world.at_step(plan.problem.world.timestep / 10)
    rest = np.zeros((60, plan.controls.shape[1]))  # a ball that crosses the mouth has yet to drop
    times = np.append(plan.times, plan.times[-1] + fine.step_seconds * np.arange(1, 61))
    states = np.vstack([plan.states, np.repeat(plan.states[-1:], 60, axis=0)])
    longer = replace(plan, times=times, states=states, controls=np.vstack([plan.controls, rest]))
    rows, _ = replay(longer, fine)
    return plan.problem.goal(plan.problem.scene(rows)).any()


def test_pool_plans_work_at_a_tenth_of_the_step():
    """Not every one: where a ball just grazes another, the step decides. `tactics-bars` counts them."""
    plans = [solve(load_domain("pool"), seed=seed) for seed in (101, 102, 103)]
    assert sum(works_at_a_tenth_of_the_step(plan) for plan in plans) >= 2
