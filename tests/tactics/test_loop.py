"""The closed loop: what is seen, what is believed, what is told, and a world that replays."""

import json
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from swerve.cli.main import run
from swerve.core.recording import Recording
from swerve.core.seeding import generator
from swerve.tactics import SolveOptions, load_domain
from swerve.tactics.domains import duel
from swerve.tactics.domains.minigolf import lay, play_on
from swerve.tactics.engine import Engine
from swerve.tactics.loop import (
    Camera,
    Command,
    MujocoReality,
    Noise,
    PlayOptions,
    Tracker,
    corridor,
    golf,
    outlook,
    safest,
    soccer,
    with_materials,
)
from swerve.tactics.loop.corridor import ASTRAY, Navigator
from swerve.tactics.loop.execute import Execution
from swerve.tactics.loop.foresee import gone_on, rolled_on, taken_in
from swerve.tactics.loop.frames import Loop, Thought
from swerve.tactics.loop.golf import bar_course, shot, world_of
from swerve.tactics.loop.golfer import Golfer
from swerve.tactics.loop.pymunk_world import Carpet, PymunkReality
from swerve.tactics.loop.reality import FRAME
from swerve.tactics.loop.record import replay
from swerve.tactics.loop.tracker import WINDOW
from swerve.tactics.machine import OneEngine
from swerve.tactics.planar import PlanarEngine

pytest.importorskip("pymunk")


@pytest.fixture(scope="module")
def course():
    return lay(3, 1)


@pytest.fixture(scope="module")
def problem(course):
    return play_on(course)


def rolling(problem, velocity, place=(0.5, 0.4)):
    row, slot = problem.start.copy(), problem.world.slot("ball")
    row[slot.qpos : slot.qpos + 2], row[slot.qvel : slot.qvel + 2] = place, velocity
    return row


def test_what_is_seen_is_late_and_noisy(problem):
    camera = Camera(problem.world, generator(1, "camera"), Noise(), latency=0.05)
    reality = MujocoReality(problem.world, rolling(problem, (1.0, 0.0)), generator(1, "reality"))
    slot, seen, truth = problem.world.slot("ball"), [], []
    for _ in range(30):
        truth.append(reality.row[slot.qpos])
        seen.append(camera.look(reality.row))
        reality.step({})
    assert seen[:3] == [None] * 3 and seen[3].t == pytest.approx(0.0, abs=1e-9)
    errors = np.array([s.poses["ball"][0] for s in seen[3:]]) - truth[:-3]
    assert 0.0003 < errors.std() < 0.004 and errors.any()


def test_the_tracker_knows_where_a_ball_is_now_through_a_bounce(problem, course):
    reality = PymunkReality(problem.world, course, rolling(problem, (1.2, 2.4), (0.4, 0.9)))
    camera = Camera(problem.world, generator(2, "camera"), Noise(), latency=0.05)
    tracker = Tracker(problem.world, problem.start, Noise(), latency=0.05)
    slot, gaps, turned = problem.world.slot("ball"), [], False
    for _ in range(60):
        seen = camera.look(reality.row)
        if seen is not None:
            tracker.update(seen)
        estimate = tracker.estimate(reality.row[0])
        gaps.append(np.hypot(*(estimate - reality.row)[slot.qpos : slot.qpos + 2]))
        turned |= bool(reality.row[slot.qvel + 1] < -0.3)
        reality.step({})
    assert turned and np.median(gaps[20:]) < 0.012 and gaps[-1] < 0.02


def test_a_robot_is_followed_by_what_it_was_told_until_something_holds_it_up(problem, course):
    """Better than the camera sees it, while it obeys; where it is seen, when it is held."""
    slot, drive = problem.world.slot("robot"), golf.PUTTING
    gaps = {}
    for held in (False, True):
        reality = PymunkReality(problem.world, course, problem.start)
        camera = Camera(problem.world, generator(4, "camera"), Noise(), 0.05)
        tracker, start = Tracker(problem.world, problem.start, Noise(), 0.05, drive), reality.row.copy()
        mine = []
        for frame in range(50):
            seen = camera.look(reality.row)
            if seen is not None:
                tracker.update(seen)
            estimate = tracker.estimate(reality.row[0])
            if frame > 10:
                mine.append(np.hypot(*(estimate - reality.row)[slot.qpos : slot.qpos + 2]))
            command = Command(0.0, 1.2 * np.sin(frame / 6.0), 0.0)
            reality.step({"robot": command})
            if held:
                reality.row[slot.qpos : slot.qpos + 2] = start[slot.qpos : slot.qpos + 2]
            tracker.sent({"robot": command})
        gaps[held] = float(np.sqrt(np.mean(np.square(mine))))
    assert gaps[False] < Noise().place * 1.2 and gaps[True] < 0.1


@pytest.mark.parametrize(("heading", "flies"), [(0.0, True), (np.pi, False)])
def test_a_ball_that_was_kicked_is_known_to_fly_before_it_is_seen_to(heading, flies):
    """A robot believed the ball at its mouth for as long as pictures take, planned with it and kicked it."""
    world = duel.build("blue").world
    row, noise, mine, ball = world.initial.copy(), Noise(0.0, 0.0), world.slot("blue"), world.slot("ball")
    row[mine.qpos : mine.qpos + 3] = -(mine.radius + ball.radius + 0.004), 0.0, heading
    row[ball.qpos : ball.qpos + 2] = 0.0
    reality = MujocoReality(world, row, generator(1, "reality"), ball="ball")
    camera = Camera(world, generator(1, "camera"), noise, latency=0.05)
    tracker = Tracker(world, row, noise, latency=0.05)
    errors = []
    for k in range(12):
        seen = camera.look(reality.row)
        if seen is not None:
            tracker.update(seen)
        estimate = tracker.estimate(float(reality.row[0]))
        errors.append(float(np.hypot(*(estimate - reality.row)[ball.qpos : ball.qpos + 2])))
        told = {"blue": Command(kick=5.0 * (k in (7, 8)))}
        reality.step(told)
        tracker.sent(told)
    assert (reality.row[ball.qvel] > 3.0) == flies
    assert max(errors[8:]) < 0.03  # it is 0.08 m a frame elsewhere


def test_the_rate_of_a_bar_is_known_to_a_percent_after_a_second():
    course = lay(0, 0)
    problem = play_on(course)
    reality, camera = world_of(course, PlayOptions(), 0), Camera(problem.world, generator(3, "camera"))
    tracker = Tracker(problem.world, problem.start, Noise(), 0.05)
    for _ in range(WINDOW + 5):
        seen = camera.look(reality.row)
        if seen is not None:
            tracker.update(seen)
        reality.step({})
    assert tracker.rate("bar") == pytest.approx(1.5, rel=0.01)


def test_a_real_robot_follows_its_command_but_not_at_once(problem, course):
    for reality in (
        PymunkReality(problem.world, course, problem.start),
        MujocoReality(problem.world, problem.start, generator(1, "reality")),
    ):
        slot = problem.world.slot("robot")
        reality.step({"robot": Command(0.5, 0.2, 1.0)})
        assert 0 < reality.row[slot.qvel] < 0.45
        for _ in range(20):
            reality.step({"robot": Command(0.5, 0.2, 1.0)})
        assert reality.row[slot.qvel : slot.qvel + 3] == pytest.approx([0.5, 0.2, 1.0], abs=0.02)


def test_the_pymunk_world_bounces_rolls_and_keeps_a_ball_in_the_cup(problem, course):
    slot, carpet = problem.world.slot("ball"), Carpet()
    reality = PymunkReality(problem.world, course, rolling(problem, (0.0, 3.0), (0.4, 1.4)))
    speeds = []
    for _ in range(12):
        reality.step({})
        speeds.append(reality.row[slot.qvel + 1])
    assert min(speeds) < 0 and -min(speeds) < carpet.bounce * max(speeds)
    x, y = course.hole
    reality = PymunkReality(problem.world, course, rolling(problem, (1.5, 0.0), (x - 0.6, y)))
    for _ in range(150):
        reality.step({})
    assert reality.row[slot.qpos + 2] < 0 and problem.goal(problem.scene(reality.row[None]))[0]


def test_other_materials_make_another_world(problem):
    changed = with_materials(problem.world, {"ball.restitution": 0.5, "floor.rolling": 0.002})
    assert changed.by_name["ball"].material.restitution == 0.5
    assert changed.by_name["floor"].material.rolling == 0.002
    assert problem.world.by_name["ball"].material.restitution != 0.5


def test_a_putt_follows_its_plan_and_every_frame_replays(course):
    trial = shot(course, PlayOptions(), seed=7)
    log, world = trial.log, trial.problem.world
    slot = world.slot("robot")
    gaps = [
        np.hypot(*(plan - truth)[slot.qpos : slot.qpos + 2])
        for plan, truth in zip(log.planned, log.truth, strict=True)
        if plan is not None
    ]
    assert len(gaps) > 60 and np.median(gaps) < 0.09  # its own radius
    from swerve.tactics.loop.record import record

    recording = record(log, trial.problem, {})
    assert {"ball", "ball estimate", "ball plan"} <= set(recording["kind"])
    rows = replay(recording, world_of(course, PlayOptions(), 7), world)
    assert np.array_equal(rows, np.array(log.truth))


def test_the_same_seed_gives_the_same_game(course):
    one, two = (shot(course, PlayOptions(nodes=300), seed=5) for _ in range(2))
    assert np.array_equal(one.log.truth, two.log.truth) and one.success == two.success


def test_play_answers_as_promised(tmp_path, capsys):
    arguments = ["play", "minigolf-one-bounce", "--reality", "pymunk", "--nodes", "400", "--seed", "3"]
    assert run([*arguments, "--json", "--out", str(tmp_path)]) == 0
    result = json.loads(capsys.readouterr().out)
    fields = ("success_rate", "interval_95", "collision_rate", "planning_seconds", "nodes_per_plan")
    assert set(fields) | {"frames", "frames_missed", "recording"} <= set(result)
    recording = Recording.read(result["recording"])
    assert len(recording.times) == result["frames"]
    assert result["latency_ms"] == pytest.approx(1000 * 3 * FRAME)
    assert (tmp_path / "play.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["cricket"], "game: must be one of minigolf"),
        (["minigolf", "--noise", "-1"], "noise: must be zero or more"),
        (["minigolf", "--latency", "5000"], "latency: must be within 0 and 1 s"),
        (["minigolf", "--interval", "0.5"], "interval: minigolf plans once"),
        (["minigolf", "--parameters", "nowhere.json"], "no such file"),
    ],
)
def test_bad_input_is_one_line(arguments, word, tmp_path, capsys):
    assert run(["play", *arguments, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err.strip()
    assert word in error and "\n" not in error and not list(tmp_path.iterdir())


def test_frames_are_sixty_a_second(problem):
    reality = MujocoReality(problem.world, problem.start, generator(1, "reality"))
    reality.step({})
    assert reality.row[0] == pytest.approx(FRAME)


@pytest.mark.parametrize("reality", ["pymunk", "mujoco"])
def test_a_bar_across_the_way_stops_the_ball_in_either_reality(reality):
    for angle, through in ((np.pi / 2, False), (0.0, True)):
        course = bar_course(1.4, 5.0)
        course = replace(course, bar=replace(course.bar, angle=angle, rate=0.0))
        problem = play_on(course)
        world = world_of(course, PlayOptions(reality=reality), 0)
        slot = problem.world.slot("ball")
        row = rolling(problem, (2.0, 0.0), (0.8, 0.9))
        if reality == "mujoco":
            world.row = row
        else:
            world = PymunkReality(problem.world, course, row)
        for _ in range(40):
            world.step({})
        assert (world.row[slot.qpos] > course.bar.at[0] + 0.1) == through


def test_a_wrong_rate_reaches_the_plan_but_not_the_world():
    course = bar_course(1.4, 5.0, 3)
    trial = shot(course, PlayOptions(rate_noise=0.5, nodes=300), 3)
    slot = trial.problem.world.slot("bar")
    rates = {round(float(row[slot.qvel]), 2) for row in trial.log.truth}
    assert rates == {round(course.bar.rate, 2)}
    golfer = Golfer(trial.problem, 3, options=SolveOptions(nodes=50, iterations=50), rate_error=0.5)
    camera = Camera(trial.problem.world, generator(3, "camera"), Noise(), 0.0)
    tracker = Tracker(trial.problem.world, trial.problem.start, Noise(), 0.0)
    world = world_of(course, PlayOptions(), 3)
    for _ in range(WINDOW + 6):
        tracker.update(camera.look(world.row))
        golfer.think(tracker.estimate(world.row[0]), tracker)
        world.step({})
    assert golfer.plan.problem.start[slot.qvel] == pytest.approx(1.5 * course.bar.rate, rel=0.05)


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


def test_plans_may_be_made_once_and_for_all(monkeypatch):
    monkeypatch.setattr(corridor, "LONGEST", 0.7)
    played = [
        corridor.trial("hallway", PlayOptions(interval=interval, uncertainty=0.0), 4).intervals
        for interval in (np.inf, 0.3)
    ]
    assert played == [1, 2]


class _Still:
    """A model in which nothing moves."""

    seconds = 0.0

    def __init__(self, world):
        pass

    def step(self, rows, forces):
        return rows, None


@pytest.mark.parametrize(
    ("scatter", "best"),
    [(safest.USUAL, 3), (safest.Scatter(1.0, 0.025, 0.03), 2), (safest.Scatter(0.5, 0.025, 0.016), 2)],
)
def test_the_putt_that_likely_errors_do_not_spoil_is_played(monkeypatch, problem, scatter, best):
    """One works only if it is well aside, the other if it is nearly as planned and not slow: which is safer
    depends on how strikes come out."""
    monkeypatch.setattr(safest, "PlanarEngine", _Still)
    slot, rows = problem.world.slot("ball"), np.tile(problem.start, (4, 1))
    rows[1:3, slot.qvel : slot.qvel + 2], rows[3, slot.qvel + 1] = (3.0, 0.0), 3.0
    rows[:, 0] = 0.0, 0.0, 0.1, 0.1

    def goal(scene):
        vx, vy = scene.velocity("ball").T[:2]
        aside = np.abs(np.where(vx > vy, np.arctan2(vy, vx), np.arctan2(vx, vy)))
        return np.where(vx > vy, aside > 0.02, (aside < 0.015) & (vy > 2.0))

    tree = SimpleNamespace(rows=rows, path=lambda node: np.array([0, node]))
    search = SimpleNamespace(
        solutions=[2, 3], tree=tree, world=problem.world, on_plane=True, planar_seconds=0.0,
        problem=SimpleNamespace(goal=goal, scene=problem.scene),
    )  # fmt: skip
    search.plan = lambda: search.solutions[0]
    assert safest.safest(search, "robot", "ball", scatter) == best


def test_a_filter_does_what_its_equations_say():
    random, h = np.random.default_rng(4), 1 / 60
    x, q, r, seen = (
        random.normal(size=(3, 2)),
        np.array([2.0, 3.0, 0.5]),
        np.full(3, 0.01),
        random.normal(size=3),
    )
    p = np.array([a @ a.T for a in random.normal(size=(3, 2, 2))])
    f, shape = np.array([[1, h], [0, 1]]), np.array([[h**4 / 4, h**3 / 2], [h**3 / 2, h**2]])
    x1, p1 = x @ f.T, f @ p @ f.T + q[:, None, None] * shape
    gain = p1[:, :, 0] / (p1[:, 0, 0] + r)[:, None]
    x2, p2 = x1 + gain * (seen - x1[:, 0])[:, None], p1 - gain[:, :, None] * p1[:, 0, None, :]
    gone_on(x, p, h, q)
    assert np.allclose(x, x1) and np.allclose(p, p1)
    taken_in(x, p, seen, r)
    assert np.allclose(x, x2) and np.allclose(p, p2)


def test_a_ball_that_meets_a_box_is_thrown_back_once():
    place, velocity, box = np.array([0.9, 0.0]), np.array([3.0, 0.3]), np.array([[1.0, -1.0]])
    rolled_on(place, velocity, 4, 1 / 60, box, box + 2.0)
    assert place[0] < 1.0 and -3.0 < velocity[0] < -1.5 and 0.2 < velocity[1] < 0.3


@pytest.mark.parametrize(
    ("game", "held", "words"),
    [
        ("minigolf-one-bounce", '{"ball.frictin": 1}', ["ball.frictin", "restitution"]),
        ("minigolf-one-bounce", '{"nobody.friction": 1}', ["nobody.friction", "walls"]),
        ("minigolf-one-bounce", '{"ball.friction": NaN}', ["friction", "nan"]),
        ("hallway", '{"ball.friction": 1}', ["hallway", "minigolf"]),
    ],
)
def test_parameters_that_a_game_does_not_have_are_refused_in_a_line(game, held, words, tmp_path, capsys):
    path = tmp_path / "p.json"
    path.write_text(held)
    code = run(["play", game, "--parameters", str(path), "--out", str(tmp_path / "out")])
    said = capsys.readouterr().err
    assert code == 2 and said.count("\n") == 1 and not (tmp_path / "out").exists()
    assert all(word in said for word in [*words, *([str(path)] if "NaN" not in held else [])])


@pytest.mark.parametrize(
    ("game", "options", "word"),
    [
        ("soccer", ["--driven", "action"], "driven"),
        ("soccer", ["--rate-noise", "0.5"], "rate-noise"),
        ("hallway", ["--rate-noise", "0.1"], "rate-noise"),
        ("minigolf-one-bounce", ["--rate-noise", "0.1"], "rate-noise"),
        ("minigolf", ["--opponent", "chase"], "opponent"),
        ("hallway", ["--opponent", "guard"], "opponent"),
        ("minigolf", ["--rate-noise", "nan"], "rate-noise"),
        ("minigolf", ["--noise", "inf"], "noise"),
        ("soccer", ["--attacker", "reactive", "--nodes", "7"], "nodes"),
        ("soccer", ["--attacker", "reactive", "--planner", "bgt"], "planner"),
    ],
)
def test_options_that_a_game_does_not_read_are_refused(game, options, word, tmp_path, capsys):
    assert run(["play", game, *options, "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert word in said and said.count("\n") == 1


def test_soccer_plans_with_the_planner_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(outlook, "Search", lambda problem, planner, *_, **__: asked.append(planner))
    with pytest.raises(AttributeError):  # there is no search
        soccer.trial("soccer", PlayOptions(planner="uniform"), 0)
    assert asked == ["uniform"]


class Watcher:
    robot = "robot"

    def __init__(self):
        self.seen = []

    def think(self, estimate, tracker):
        self.seen.append(tracker.seen_at)
        return Thought(Command(1.0))


def test_nobody_acts_before_anything_is_seen(problem, course):
    watcher, slot = Watcher(), problem.world.slot("robot")
    loop = Loop(problem, world_of(course, PlayOptions(), 1), (watcher,), generator(1, "camera"), latency=0.2)
    log = loop.run(0.3)
    assert len(watcher.seen) == log.frames - 12 and None not in watcher.seen
    assert all(np.array_equal(row[slot.qpos :][:2], log.truth[0][slot.qpos :][:2]) for row in log.truth[:13])
    loop.restart()
    loop.frame()
    assert len(watcher.seen) == log.frames - 13


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


def test_engines_are_timed_by_the_processor(monkeypatch, problem):
    def wall():
        raise AssertionError("counts others' work, too")

    monkeypatch.setattr(time, "perf_counter", wall)
    for engine in (Engine(problem.world), OneEngine(problem.world), PlanarEngine(problem.world)):
        engine.step(problem.start[None], np.zeros((1, problem.world.model.nv)))
        assert engine.seconds > 0
