"""Hallway and maze: when plans are made again, and which of them count as collided."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from swerve.tactics import load_domain
from swerve.tactics.domains.hallway import keeping_off
from swerve.tactics.loop import (
    PlayOptions,
    corridor,
)
from swerve.tactics.loop.corridor import AGAIN, ASTRAY, GRACE, Navigator
from swerve.tactics.loop.execute import Execution
from swerve.tactics.loop.frames import Thought
from swerve.tactics.planar import PlanarEngine
from swerve.tactics.scene import Action
from swerve.tactics.shape import rectangles


def test_a_navigator_plans_again_where_the_world_leads_it_astray(monkeypatch):
    problem = load_domain("hallway", 1)
    mind = Navigator(problem, PlayOptions(interval=2.0), 1)
    slot, rows = problem.world.slot(mind.robot), np.tile(problem.start, (200, 1))
    plan = SimpleNamespace(problem=problem, rows=rows, contacts=np.zeros((0, 0), dtype=bool))

    def planned(estimate):
        mind.plans, mind.due, mind.execution = mind.plans + 1, 10**6, Execution(plan, mind.robot)
        return Thought()

    monkeypatch.setattr(mind, "_plan", planned)
    for off, plans in ((0.0, 1), (0.5 * ASTRAY, 1), (1.5 * ASTRAY, 2)):
        row = problem.start.copy()
        row[slot.qpos] += off
        mind.frames = max(mind.frames, 5)
        mind.think(row, None)
        assert mind.plans == plans


def test_a_plan_that_ends_elsewhere_is_followed_by_another(monkeypatch):
    """Where plans are made once and for all, the robot stood at its end until the drive was given up."""
    problem = load_domain("hallway", 1)
    mind, rows = Navigator(problem, PlayOptions(interval=np.inf), 1), np.tile(problem.start, (20, 1))
    plan = SimpleNamespace(problem=problem, rows=rows, contacts=np.zeros((0, 0), dtype=bool), duration=0.3)
    plan.solved, plan.stats = True, {"nodes": 20}
    monkeypatch.setattr(mind, "_found", lambda *_: plan)
    made = []
    for _ in range(100):
        mind.think(problem.start, None)
        made.append(mind.plans)
    assert np.diff(np.flatnonzero(np.diff(made))).tolist() == 3 * [len(rows) - 1 + AGAIN]


def test_metadata_say_that_plans_were_made_once_and_for_all():
    """They said null, which is the game's own interval."""
    kept = json.loads(json.dumps(PlayOptions(interval=np.inf, t_lod=0.5).as_dict(), allow_nan=False))
    assert kept["interval"] == "inf" and kept["t_lod"] == 0.5


def test_plans_may_be_made_once_and_for_all(monkeypatch):
    monkeypatch.setattr(corridor, "LONGEST", 0.7)
    played = [
        corridor.trial("hallway", PlayOptions(interval=interval, uncertainty=0.0), 4).intervals
        for interval in (np.inf, 0.3)
    ]
    assert played == [1, 2]


def test_every_plan_in_which_something_was_touched_counts(monkeypatch):
    class Touchy:
        def __init__(self, inner):
            self.inner, self.frames = inner, 0

        row = property(lambda self: self.inner.row)
        touched = property(lambda self: np.full_like(self.inner.touched, 20 <= self.frames < 28))

        def step(self, commands):
            self.inner.step(commands)
            self.frames += 1

    inner = corridor.world_of
    monkeypatch.setattr(corridor, "world_of", lambda *about: Touchy(inner(*about)))
    monkeypatch.setattr(corridor, "LONGEST", 0.6)
    played = corridor.trial("hallway", PlayOptions(t_lod=0.0, nodes=50), 4)
    assert played.collided == played.intervals == 2  # the second was made because of the touch, and touched


def gaps(problem, rows):
    """From the robot to the obstacle nearest to it."""
    world = problem.world
    places = {name: problem.scene(rows).xy(name) for name in world.by_name if name != "walls"}
    radius = {name: world.slot(name).radius for name in places}
    here = places.pop("robot")
    off = [np.hypot(*(there - here).T) - radius["robot"] - radius[name] for name, there in places.items()]
    return np.min(off, axis=0)


@pytest.mark.parametrize("game", ["hallway", "maze"])
def test_what_keeps_off_is_clear_of_all_obstacles_for_as_long_as_it_looks(game):
    problem, random = load_domain(game, 3), np.random.default_rng(5)
    margin, until = 0.05, 0.7
    rows = np.tile(problem.start, (400, 1))
    rows[:, 0] = random.uniform(0.0, 1.0, 400)
    for name in problem.world.by_name:
        if name != "walls":
            place = problem.world.slot(name)
            there = random.uniform((0.0, 0.0), (6.0, 2.8), (400, 2))
            rows[:, place.qpos : place.qpos + 2] = there - place.base[:2]
    looks = (rows[:, 0] >= GRACE) & (rows[:, 0] <= until)
    clear = keeping_off(problem, GRACE, margin, until).valid(problem.scene(rows))
    assert np.array_equal(clear, ~looks | (gaps(problem, rows) >= margin))
    assert 20 < (~clear).sum() < 200
    touched = np.zeros((400, len(problem.world.watch)), dtype=bool)
    touched[:, 0] = True  # a wall
    clear = keeping_off(problem, GRACE, margin, until).valid(problem.scene(rows, touched))
    assert np.array_equal(clear, rows[:, 0] < GRACE)


def test_plans_keep_a_margin_from_what_moves_where_there_is_a_way_like_that():
    """Without one they go by within a centimetre of obstacles, which stray farther in a tenth of a second."""
    problem, found = load_domain("hallway", 11), {}
    for margin in (None, 0.0, 0.03, 5.0):
        mind = Navigator(problem, PlayOptions(margin=margin, t_lod=1.5), 2)
        mind._plan(problem.start)
        found[margin] = mind.execution.plan
    plain, none, kept, impossible = found.values()
    near = [
        gaps(problem, p.rows[(p.rows[:, 0] >= GRACE) & (p.rows[:, 0] <= 1.5)]).min() for p in (plain, kept)
    ]
    assert near[0] < 0.03 <= near[1] and kept.solved
    for other in (none, impossible):  # nobody can keep 5 m off: then the way without
        assert other.solved and np.array_equal(plain.rows, other.rows)


@pytest.mark.parametrize("margin, t_lod, searches", [(0.03, None, 3), (0.03, 0.2, 3), (0.03, GRACE, 2)])
def test_where_no_time_is_left_for_a_margin_nothing_is_searched_twice(margin, t_lod, searches):
    mind = Navigator(load_domain("hallway", 2), PlayOptions(margin=margin, t_lod=t_lod), 2)
    assert len(mind.searches) == searches


@pytest.mark.parametrize("game", ["hallway", "maze"])
def test_walls_let_obstacles_get_to_both_ends_of_their_lanes(game):
    """In the maze six of ten stood against a horseshoe for ever: their lanes ended 2 cm in its wall."""
    problem = load_domain(game, 7)
    world = problem.world
    (pace,) = problem.tactics["default"][1].skills.values()
    here = np.zeros((1, 2)), np.zeros(1)
    walls = rectangles(world.model, world.model.body("walls").id, *here)
    low, high = np.min(walls, axis=1), np.max(walls, axis=1)
    for name, (x, *ends) in zip(pace.bodies, pace.lanes, strict=True):
        ends.append(float(problem.scene(problem.start[None]).xy(name)[0, 1]))
        for y in np.linspace(min(ends), max(ends), 50):
            off = np.hypot(*np.maximum(np.maximum(low - (x, y), (x, y) - high), 0.0).T)
            assert off.min() > world.slot(name).radius + 0.02


@pytest.mark.parametrize("game", ["hallway", "maze"])
def test_where_nobody_strays_obstacles_do_what_plans_expect(game):
    """Also when they turn back at the ends of their lanes."""
    problem = load_domain(game, 7)
    reality = corridor.world_of(game, PlayOptions(uncertainty=0.0), 7)
    (pace,) = problem.tactics["default"][1].skills.values()
    model, rows, turned = PlanarEngine(problem.world), problem.start[None].copy(), set()
    for _ in range(150):
        action = Action(problem.scene(rows))
        pace.act(action.scene, np.zeros((1, len(pace.variables))), action)
        rows, _ = model.step(rows, action.forces)
        reality.step({})
        for name in pace.bodies:
            one, other = (problem.scene(r) for r in (rows, reality.row[None]))
            assert np.hypot(*(one.xy(name) - other.xy(name))[0]) < 0.05
            if one.velocity(name)[0, 1] * problem.start[problem.world.slot(name).qvel + 1] < 0:
                turned.add(name)
    assert len(turned) > 5
