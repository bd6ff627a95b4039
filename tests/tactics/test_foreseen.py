"""What games give up as soon as it can be seen to fail would have failed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from swerve.core.seeding import generator
from swerve.tactics import Asked, Engine, Problem, Search, load_domain
from swerve.tactics.domains.build import GRAVITY
from swerve.tactics.domains.navigation import ACCELERATION, LENGTH, SPEED, WIDTH
from swerve.tactics.domains.pool import BLUE, CUE, RADIUS, STRIPED, TABLE, YELLOW, table

SHOTS = 60


def starts(problem: Problem, body: str, velocity: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """(n, width) states in which a ball has `velocity` (n, 2) and turns by `spin` (n, 3) [rad/s]."""
    rows, slot = np.repeat(problem.start[None], len(velocity), axis=0), problem.world.slot(body)
    rows[:, slot.qvel : slot.qvel + 2] = velocity
    rows[:, slot.qvel + 3 : slot.qvel + 6] = spin  # nothing has turned yet: the ball's axes are the world's
    return rows


def rolled_on(problem: Problem, rows: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """States (steps, n, width) and collisions (steps, n, pairs) of what is left to itself."""
    engine, still = Engine(problem.world, lanes=len(rows)), np.zeros((len(rows), problem.world.model.nv))
    states, touches = [], []
    for _ in range(round(seconds / problem.world.step_seconds)):
        rows, touched = engine.step(rows, still)
        states.append(rows.copy())
        touches.append(touched.copy())
    return np.array(states), np.array(touches)


def gives_up(problem: Problem, rows: np.ndarray) -> np.ndarray:
    scene = problem.scene(rows)
    return np.asarray(problem.lost(scene) | ~problem.valid(scene))


def curving(problem: Problem, body: str, at: str, bend: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and spins about the way of shots about towards a body."""
    random, scene = generator(1, "shots", body), problem.scene(problem.start[None])
    (x, y), speed = (scene.xy(at) - scene.xy(body))[0], random.uniform(1.2, 2.4, SHOTS)
    angle = np.arctan2(y, x) + random.uniform(-0.4, 0.4, SHOTS)
    along = np.column_stack([np.cos(angle), np.sin(angle)])
    rolling = speed[:, None] * np.column_stack([-along[:, 1], along[:, 0]]) / RADIUS
    spin = rolling + random.uniform(-bend, bend, (SHOTS, 1)) * along / RADIUS
    return speed[:, None] * along, np.column_stack([spin, np.zeros(SHOTS)])


def test_shots_that_are_given_up_at_once_run_into_a_striped_ball() -> None:
    problem = load_domain("pool", 990_001)
    states, touches = rolled_on(problem, starts(problem, CUE, *curving(problem, CUE, YELLOW, 3.0)), 0.9)
    scene = problem.scene(states[0])
    given_up, missed = ~problem.valid(scene), problem.lost(scene)
    pairs = [problem.world.pair(CUE, name) for name in STRIPED]
    struck = np.any(touches[:, :, pairs], axis=(0, 2))
    assert struck[given_up].all() and given_up.sum() >= SHOTS / 6
    assert (given_up & struck).sum() >= 0.8 * struck.sum()  # the others by way of a cushion, or yellow
    hit = touches[:, :, problem.world.pair(CUE, YELLOW)].any(axis=0)
    assert not (missed & hit & ~struck).any() and missed.sum() >= SHOTS / 6


def cushions_met(states: np.ndarray, qvel: int, dead: np.ndarray) -> np.ndarray:
    """(n,) cushions that a ball met before step `dead` (n,): its velocity along an axis turned round."""
    velocity = states[:, :, qvel : qvel + 2]
    turned = (velocity[1:] * velocity[:-1] < 0.0).any(axis=2) & (np.abs(velocity[1:]).max(axis=2) > 0.1)
    return np.array([turned[: w - 1, k].sum() for k, w in enumerate(dead)])


@pytest.mark.parametrize("bend", [0.0, 1.0])
@pytest.mark.parametrize("bank", [0, 1])
def test_a_yellow_ball_that_is_given_up_does_not_hit_blue_by_one_cushion(bend: float, bank: int) -> None:
    problem = load_domain("pool", 990_001)
    velocity, spin = curving(problem, YELLOW, BLUE, bend)
    slot, other = problem.world.slot(YELLOW), problem.world.slot(BLUE)
    if bank:  # aimed at about where blue is seen in the upper cushion
        (x, y), (to_x, to_y) = (problem.start[s.qpos : s.qpos + 2] for s in (slot, other))
        aim = np.arctan2(2 * (TABLE[3] - RADIUS) - to_y - y, to_x - x + 0.15) - np.arctan2(to_y - y, to_x - x)
        turn = np.array([[np.cos(aim), np.sin(aim)], [-np.sin(aim), np.cos(aim)]])
        velocity, spin[:, :2] = velocity @ turn, spin[:, :2] @ turn
    rows = starts(problem, YELLOW, velocity, spin)
    rows[:, slot.qpos] -= 0.15  # it counts from 0.1 m on
    rows[:, 0] = 0.6
    given_up = gives_up(problem, rows)
    states, touches = rolled_on(problem, rows, 1.8)
    hit = touches[:, :, problem.world.pair(YELLOW, BLUE)]
    when = np.where(hit.any(axis=0), hit.argmax(axis=0), 0)
    met = cushions_met(states, slot.qvel, when)
    fine = hit.any(axis=0) & (met <= 1)
    assert not (given_up & fine).any()
    assert (fine & (met == bank)).sum() >= 3 and given_up.sum() >= SHOTS / 4


def test_a_ball_that_is_given_up_stops_before_the_cup() -> None:
    problem = load_domain("minigolf-one-bounce", 990_001)
    random, slot = generator(2, "putts"), problem.world.slot("ball")
    angle, speed = random.uniform(0, 2 * np.pi, SHOTS), random.uniform(0.2, 1.8, SHOTS)
    velocity = speed[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    rolls = np.column_stack([-velocity[:, 1], velocity[:, 0], np.zeros(SHOTS)]) / slot.radius
    spins = rolls * random.choice([0.0, 1.0, 1.5], (SHOTS, 1))  # slipping, rolling, and turning too fast
    rows = starts(problem, "ball", velocity, spins)
    rows[:, slot.qpos] += 0.9  # behind the wall: from here to the cup the way is free
    given_up = gives_up(problem, rows)
    states, _ = rolled_on(problem, rows, 5.0)
    holed = np.array([problem.goal(problem.scene(state)) for state in states[::10]]).any(axis=0)
    assert not (given_up & holed).any()
    assert given_up.sum() >= SHOTS / 6 and holed.sum() >= 3


def test_the_reach_of_a_ball_is_that_of_its_rolling() -> None:
    """A ball that rolls is given up where it would stop 1 cm before the mouth, and not 1 cm later."""
    problem = load_domain("minigolf-one-bounce", 990_001)
    assert isinstance(problem.goal, Asked)
    slot, cup = problem.world.slot("ball"), problem.goal.numbers[3:7]
    way = 0.4
    slowing = 5 / 7 * 0.001 * GRAVITY / slot.radius
    for more, kept in ((-0.01, False), (0.01, True)):
        speed = np.sqrt(2 * slowing * (way + more))
        velocity, spin = np.array([[speed, 0.0]]), np.array([[0.0, speed / slot.radius, 0.0]])
        row = starts(problem, "ball", velocity, spin)
        row[0, slot.qpos : slot.qpos + 2] = cup[0] - way, (cup[1] + cup[3]) / 2
        assert bool(gives_up(problem, row)[0]) is not kept


@pytest.mark.parametrize("way", [None, *np.linspace(0, 2 * np.pi, 8, endpoint=False)])
def test_a_robot_that_is_given_up_hits_a_wall_whatever_it_does(way: float | None) -> None:
    problem, random = load_domain("navigation", 990_001), generator(3, "robots")
    slot, (x0, y0, x1, y1) = problem.world.slot("robot"), (0.1, 0.1, LENGTH - 0.1, WIDTH - 0.1)
    rows = np.repeat(problem.start[None], 40 * SHOTS, axis=0)
    rows[:, slot.qpos : slot.qpos + 2] = random.uniform((x0, y0), (x1, y1), (len(rows), 2))
    angle, speed = random.uniform(0, 2 * np.pi, len(rows)), random.uniform(0, SPEED, len(rows))
    rows[:, slot.qvel] = speed * np.cos(angle)
    rows[:, slot.qvel + 1] = speed * np.sin(angle)
    given_up = np.flatnonzero(gives_up(problem, rows))[:SHOTS]
    assert len(given_up) == SHOTS
    engine, rows = Engine(problem.world, lanes=SHOTS), rows[given_up]
    hit = np.zeros(SHOTS, dtype=bool)
    forces = np.zeros((SHOTS, problem.world.model.nv))
    for _ in range(round(1.0 / problem.world.step_seconds)):
        velocity = rows[:, slot.qvel : slot.qvel + 2]
        if way is None:  # brakes
            fast = np.hypot(*velocity.T)[:, None]
            push = (
                -velocity
                / np.maximum(fast, 1e-9)
                * np.minimum(ACCELERATION, fast / problem.world.step_seconds)
            )
        else:
            push = np.tile(ACCELERATION * np.array([np.cos(way), np.sin(way)]), (SHOTS, 1))
        forces[:, slot.dof : slot.dof + 2] = slot.mass * push
        rows, touched = engine.step(rows, forces)
        hit |= touched[:, problem.world.pair("robot", "walls")]
    assert hit.all()


def test_shots_that_missed_stay_in_the_tree_and_nothing_grows_from_them(tmp_path: Path) -> None:
    problem = load_domain("pool", 990_001)
    search = Search(problem, seed=1).grow(iterations=1500)
    search.settle()
    tree = search.tree
    lost = np.flatnonzero(tree.lost[: tree.count])
    assert len(lost) >= 30 and tree.alive[lost].all() and not tree.open[lost].any()
    assert not tree.children[lost].any()
    scene = problem.scene(tree.rows[lost])
    assert problem.lost(scene).all() and problem.valid(scene).all()
    told = search.account.table()["cue ball"]
    assert told["shoot"]["missed"] + told["roll"]["missed"] == len(lost)
    before = tree.sums.copy(), search.tree.alive_nodes
    again = Search.load(search.save(tmp_path / "search.npz"), problem)
    again.reroot(0)
    assert again.tree.alive_nodes == before[1] and (again.tree.sums[:4] == before[0][:4]).all()


def test_balance_leaves_out_what_missed() -> None:
    """A search whose missed putts are rolled back, as if not valid, grows in the same proportions."""
    problem = load_domain("minigolf", 990_001)
    assert isinstance(problem.goal, Asked)
    kept = replace(problem, valid=lambda scene: problem.valid(scene))  # both step by step
    goal = Asked(problem.goal.law, problem.goal.numbers)
    rolled_back = replace(problem, goal=goal, valid=lambda s: problem.valid(s) & ~problem.lost(s))
    trees = [Search(one, "uniform", seed=2).grow(iterations=700).tree for one in (kept, rolled_back)]
    assert trees[0].lost.any() and not trees[1].lost.any()
    assert (trees[0].sums == trees[1].sums).all() and trees[0].alive_nodes > trees[1].alive_nodes


def test_a_blue_ball_that_falls_by_one_cushion_is_not_given_up() -> None:
    """Two of five were, while these had to come as near to the pocket's middle as straight ones. Fifty of
    720 directions, down to the lower cushion."""
    problem, shots, random = load_domain("pool", 990_001), 720, np.random.default_rng(4)
    slot, angle = problem.world.slot(BLUE), np.linspace(0.0, 2 * np.pi, shots, endpoint=False)
    velocity = random.uniform(1.2, 2.4, shots)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    spin = np.column_stack([-velocity[:, 1], velocity[:, 0], np.zeros(shots)]) / RADIUS
    rows = starts(problem, BLUE, velocity, spin)
    rows[:, slot.qpos : slot.qpos + 2] -= random.uniform(0.03, 0.12, (shots, 2))
    rows[:, 0] = 1.0
    rows = rows[520:570]
    given_up = gives_up(problem, rows)
    states, _ = rolled_on(problem, rows, 2.0)
    fell = states[:, :, slot.qpos + 2] < -RADIUS
    met = cushions_met(states, slot.qvel, np.where(fell.any(axis=0), fell.argmax(axis=0), 1))
    others = [problem.world.slot(name).qpos for name in (CUE, YELLOW, *STRIPED)]
    alone = np.abs(states[-1][:, others] - problem.start[others]).max(axis=1) < 1e-3
    fine = fell.any(axis=0) & alone & (met <= 1)
    assert not (given_up & fine).any()
    assert (fine & (met == 1)).sum() >= 3 and given_up.sum() >= 25


@pytest.mark.parametrize("seed", [1, *(pytest.param(k, marks=pytest.mark.long) for k in (0, 2, 3, 4, 5))])
def test_a_blue_ball_behind_a_row_of_striped_ones_is_potted(seed: int) -> None:
    """Where all ways by a cushion counted as missed, nothing was found."""
    random = generator(seed, "banked")
    spots = {CUE: (0.35, 0.35), YELLOW: (1.3, 0.5), BLUE: (1.78, 0.8)}
    spots = {name: np.array(xy) + random.uniform(-0.02, 0.02, 2) for name, xy in spots.items()}
    way = spots[BLUE] - spots[YELLOW]
    across = np.array([-way[1], way[0]]) / np.hypot(*way)
    for k, name in enumerate(STRIPED):
        spots[name] = spots[YELLOW] + 0.6 * way + (k - 1) * 2.05 * RADIUS * across
    search = Search(table(spots), seed=seed)
    while not search.solutions and search.effort.iterations < 20_000:
        search.grow(iterations=1000, solutions=1)
    assert search.solutions
