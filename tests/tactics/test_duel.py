"""One against one in the loop: what a state is worth, who thinks what, and games that repeat."""

import numpy as np
import pytest
from plain_duel import holding

from swerve.cli.choices import Opponent
from swerve.core.recording import Recording
from swerve.core.seeding import generator
from swerve.tactics.chance import Chance
from swerve.tactics.domains import build as make
from swerve.tactics.domains import duel, duel_judge
from swerve.tactics.loop import Command, MujocoReality, PlayOptions, opponents, soccer
from swerve.tactics.loop.frames import Loop, Thought
from swerve.tactics.loop.pitch import ASIDE
from swerve.tactics.loop.play import OPPONENTS
from swerve.tactics.loop.reality import Drive
from swerve.tactics.loop.record import record, replay
from swerve.tactics.loop.sense import Noise, one
from swerve.tactics.loop.striker import Reactive
from swerve.tactics.machine import OneEngine
from swerve.tactics.runner import Runner
from swerve.tactics.scene import Action
from swerve.tactics.skills import Attack, GoRound
from swerve.tactics.tactic import Tactic


@pytest.fixture(scope="module")
def problem():
    return duel.build("blue")


def test_five_things_make_a_state_good(problem):
    judge = duel_judge.Judge(problem.world, "blue")
    lost = holding(problem)
    lost[problem.world.slot("blue").qpos] -= 0.2
    rows = np.array(
        [
            holding(problem),
            holding(problem, opponent=(0.3, 0.0)),  # the opponent is nearer
            lost,
            holding(problem, ball=(0.0, 1.2), opponent=(0.5, 1.2)),  # at the border
            holding(problem, heading=np.pi),  # looks the wrong way
            holding(problem, t=0.2),  # too short to be a plan
            holding(problem, opponent=(-1.0, 0.0)),  # a shot would go in
        ]
    )
    values = judge.values(rows, 0.0)
    assert (values[1:6] > values[0] + 0.05).all() and values[5] == 1.0 and values[6] < 0 < values[0]


def test_a_shot_is_worth_what_it_passes_everything_by(problem):
    judge = duel_judge.Judge(problem.world, "blue")
    opens = [
        judge.opening(holding(problem, heading, opponent=opponent))
        for heading, opponent in (
            (0.0, (-1.0, 0.0)),
            (0.1, (-1.0, 0.0)),
            (0.2, (-1.0, 0.0)),  # past the post
            (0.0, (0.5, 0.05)),  # at the opponent
            (0.12, (0.5, -0.15)),  # past it
            (np.pi, (-1.0, 0.0)),  # the wrong way
        )
    ]
    assert opens[0] == 1.0 and 0 < opens[1] < 1 and opens[4] > 0 and opens[2] == opens[3] == opens[5] == 0
    coming = holding(problem, 0.12, opponent=(0.5, -0.15))
    coming[problem.world.slot("yellow").qvel + 1] = 2.0  # into the way of the ball
    assert judge.opening(coming) == 0.0
    lost = holding(problem, opponent=(-1.0, 0.0))
    lost[problem.world.slot("blue").qpos] -= 0.1
    assert judge.opening(lost) == 0.0 and judge.flight(lost) == 0.0
    assert judge.flight(holding(problem, opponent=(-1.0, 0.0))) == pytest.approx(2.0 / duel_judge.STRENGTH)


def test_a_dribbler_goes_sideways_facing_the_goal_and_after_a_ball_it_lost(problem):
    skill = problem.tactics["default"][0].skills["facing the goal"]
    world, random = problem.world, Chance(3, np.array([0]))
    mine = world.slot("blue")
    for row, ahead in ((holding(problem), None), (holding(problem, ball=(0.0, 0.0)), 0.2)):
        if ahead is not None:
            row[world.slot("ball").qpos] += ahead
        action = Action(one(world, row))
        memory = np.array([[row[mine.qpos], 0.5, 2.0, 0.0, row[0] + 0.5]])
        busy = skill.act(one(world, row), memory, action)
        push = action.forces[0, mine.dof : mine.dof + 2]
        assert busy[0] and (push[1] > abs(push[0]) if ahead is None else push[0] > abs(push[1]))
    assert skill.start(one(world, row), random).shape == (1, 5)


@pytest.mark.parametrize("angle", [0.0, 0.9, -0.6])
def test_a_game_begins_alike_for_both(problem, angle):
    row, world = problem.start.copy(), problem.world
    duel.kick_off(row, world, (0.2, -0.1), angle)
    (blue, yellow), ball = (row[world.slot(name).qpos :][:3] for name in duel.TEAMS), (0.2, -0.1)
    assert blue[:2] - ball == pytest.approx(ball - yellow[:2])
    assert np.hypot(*(blue[:2] - ball)) == pytest.approx(duel.APART / 2) and blue[0] < ball[0] < yellow[0]
    for x, y, heading in (blue, yellow):
        ahead = np.cos(heading) * (ball[0] - x) + np.sin(heading) * (ball[1] - y)
        assert ahead == pytest.approx(duel.APART / 2)


def test_kick_offs_of_a_match_are_not_all_head_on():
    reality = soccer.world_of(PlayOptions(), 5)
    mine, angles = reality.world.slot("blue").qpos + 2, []
    for _ in range(20):
        angles.append(float(reality.row[mine]))
        reality._kick_off()
    assert min(angles) < -0.3 and max(angles) > 0.3 and max(np.abs(angles)) <= ASIDE


def test_of_two_kicks_at_once_neither_comes_first(problem):
    drive, found = Drive(kicker=0.0, sideways=0.0), []
    row = holding(problem, opponent=(0.1155, 0.0))
    row[problem.world.slot("yellow").qpos + 2] = np.pi
    for names in (duel.TEAMS, duel.TEAMS[::-1]):
        reality = MujocoReality(problem.world, row, generator(1, "reality"), drive=drive, ball="ball")
        reality.step({name: Command(kick=4.0) for name in names})
        found.append(reality.row[problem.world.slot("ball").qvel :][:2])
    assert np.array_equal(*found) and abs(found[0][0]) < 0.5


def test_in_which_order_robots_are_told_is_all_the_same(problem):
    row, found = holding(problem, opponent=(0.1155, 0.02)), []
    row[problem.world.slot("yellow").qpos + 2] = np.pi
    for names in (duel.TEAMS, duel.TEAMS[::-1]):
        reality = MujocoReality(problem.world, row, generator(1, "reality"), ball="ball")
        for k in range(3):
            reality.step({n: Command(0.1, 0.2, 1.0, True, 4.0 * (k == 2 and n == "blue")) for n in names})
        reality.step({n: Command(kick=3.0) for n in names})
        found.append(reality.row)
    assert np.array_equal(*found)


def test_a_duel_is_worth_who_has_less_to_do_before_a_shot(problem):
    judge, yellow = duel_judge.Judge(problem.world, "blue"), problem.world.slot("yellow").qpos + 2
    rows = np.array([holding(problem, opponent=(0.1, 0.06))] * 3)
    rows[:, yellow] = -np.pi / 2, -np.pi / 2, np.pi  # across, and at our goal
    rows[1] = holding(problem, 0.5, opponent=(0.1, 0.06))  # blue looks past the goal
    rows[1, yellow] = -np.pi / 2
    best, off, late = judge.values(rows, 0.0)
    assert best < off < 1.0 and best < late < 1.0


def test_a_state_in_which_the_other_has_shot_at_our_goal_is_none_to_plan_with(problem):
    ball, fair = problem.world.slot("ball").qvel, []
    for vx, vy in ((-4.0, 0.0), (-4.0, 2.0), (4.0, 0.0), (-1.0, 0.0)):
        row = holding(problem, ball=(0.5, 0.0))
        row[ball : ball + 2] = vx, vy
        fair.append(bool(problem.valid(one(problem.world, row))[0]))
    assert fair == [False, True, True, True]


def test_the_other_is_expected_to_do_what_the_reactive_one_does(problem):
    world, row = problem.world, problem.start.copy()
    make.place(row, world, "yellow", 0.4, 0.5, np.pi / 2)
    make.place(row, world, "blue", -0.5, 0.3)
    expected = Tactic("expected", {"attack": Attack("yellow", "ball", "blue", -2.0, 0.35)}, {}, "attack")
    kicked = []
    for tactic in (expected, duel.build("yellow").tactics["reactive"][0]):
        rows, _ = Runner(world, (tactic,), seed=1).run(row, 1.5)
        v = rows[:, world.slot("ball").qvel :][:, :2]
        at = int(np.argmax(np.hypot(*v.T) > 3.0))
        kicked.append((at, np.arctan2(*v[at + 1][::-1])))
    (early, one_way), (late, other_way) = kicked
    assert early > 0 and abs(early - late) <= 6 and abs(np.sin(one_way - other_way)) < 0.2


def test_a_robot_goes_round_a_ball_until_it_faces_the_goal(problem):
    world, row = problem.world, problem.start.copy()
    make.place(row, world, "blue", 0.3, 0.4, -np.pi / 2)
    make.place(row, world, "yellow", -1.5, -1.0)
    skill = GoRound("blue", "ball", (2.0, 0.0, 2.0, 0.0), seconds=(3.0, 3.0))
    rows, _ = Runner(world, (Tactic("round", {"round": skill}, {}, "round"),), seed=1).run(row, 1.5)
    last = rows[-1]
    assert duel_judge.Judge(world, "blue").opening(last) == 1.0
    assert np.hypot(*last[world.slot("ball").qpos :][:2]) < 0.3


def test_a_shot_is_clear_where_nobody_stands_in_the_way(problem):
    judge = duel_judge.Judge(problem.world, "blue")
    rows = np.array([holding(problem, opponent=(0.3, 0.0)), holding(problem, opponent=(-1.0, 0.0))])
    assert judge.all_clear(rows).tolist() == [0.0, 1.0]


def test_which_of_two_reactive_ones_is_ours_is_all_the_same(problem):
    """So neither can be better at it: who of them wins is which colour does, and ours has each in turn."""
    ways = []
    for ours, turned in (("blue", False), ("yellow", False), ("blue", True)):
        problems = [duel.build(name) for name in (ours, *(t for t in duel.TEAMS if t != ours))]
        minds = [Reactive(each, k, soccer.DRIVE) for k, each in enumerate(problems)]
        reality, camera = soccer.world_of(PlayOptions(), 834009), generator(834009, "camera")
        told = tuple(minds[::-1] if turned else minds)
        loop = Loop(problems[0], reality, told, camera, drive=soccer.DRIVE)
        ways.append(np.array(loop.run(1.4).truth))
    speeds = np.hypot(*ways[0][:, problem.world.slot("ball").qvel :][:, :2].T)
    assert speeds.max() > 3.0 and np.array_equal(ways[0], ways[1]) and np.array_equal(ways[0], ways[2])


def test_the_engine_moves_few_bodies_alike_without_what_is_for_many(problem):
    """Two robots press a ball: to the last digits, which such a duel then makes much of."""
    row, model, ways = holding(problem, opponent=(0.1115, 0.01)), problem.world.model, []
    forces = np.zeros((1, model.nv))
    forces[0, [problem.world.slot(name).dof for name in duel.TEAMS]] = 4.0, -4.0
    flags = model.opt.disableflags
    assert flags & duel.TOO_FEW == duel.TOO_FEW
    for without in (flags, flags & ~duel.TOO_FEW):
        model.opt.disableflags = without
        engine, states = OneEngine(problem.world), [row[None]]
        for _ in range(15):
            states.append(engine.step(states[-1], forces)[0])
        ways.append(np.array(states))
    model.opt.disableflags = flags
    assert np.abs(ways[0] - ways[1]).max() < 1e-9
    mine, ball = (problem.world.slot(name) for name in ("blue", "ball"))
    assert ways[0][:, 0, mine.qvel].max() > 0.02 and np.ptp(ways[0][:, 0, ball.qpos]) > 0.0005


@pytest.mark.parametrize("seed", [930300, 930305])
def test_no_colour_has_an_advantage(problem, seed):
    """The world turned by half a turn, each colour in the other's place, moves as its image: to the bit until
    somebody is at the ball, to less than a millimetre after."""
    ways, world = [], problem.world
    for side in (1.0, -1.0):
        minds = tuple(Reactive(duel.build(name), 1, soccer.DRIVE) for name in duel.TEAMS)
        reality, where = soccer.world_of(PlayOptions(), seed), generator(seed, "where")
        (x, y), angle = where.uniform(-0.3, 0.3, 2), float(where.uniform(-ASIDE, ASIDE))
        duel.kick_off(reality.row, world, (float(side * x), float(side * y)), angle)
        still = Noise().times(0.0)
        loop = Loop(problem, reality, minds, generator(seed, "camera"), still, drive=soccer.DRIVE)
        ways.append(np.array(loop.run(0.8).truth))
    for name, image in (("ball", "ball"), *zip(duel.TEAMS, duel.TEAMS[::-1], strict=True)):
        here, there = (world.slot(each).qpos for each in (name, image))
        off = np.hypot(*(ways[0][:, here : here + 2] + ways[1][:, there : there + 2]).T)
        assert off[:30].max() == 0.0 and off.max() < 1e-3
    ball, *robots = (ways[0][-1, world.slot(name).qpos :][:2] for name in ("ball", *duel.TEAMS))
    assert all(np.hypot(*(robot - ball)) < 0.13 for robot in robots)  # both are at it


def test_games_repeat_and_every_frame_replays(monkeypatch):
    monkeypatch.setattr(soccer, "LONGEST", 1.2)
    options = PlayOptions(nodes=60)
    first, two = (soccer.trial("soccer", options, 3) for _ in range(2))
    assert np.array_equal(first.log.truth, two.log.truth) and first.log.frames == 72
    assert first.score().intervals == 0  # there is no collision rate in a game of collisions
    assert first.problem.ego == "yellow"
    recording = record(first.log, first.problem, {})
    rows = replay(recording, soccer.world_of(options, 3), first.problem.world)
    assert np.array_equal(rows, np.array(first.log.truth))


def test_the_other_may_chase_the_ball_or_guard_its_goal(problem):
    """Yellow is far from the ball: one goes straight at it, one along its goal's line."""
    world, row = problem.world, holding(problem, opponent=(1.2, 0.8))
    goal = duel.build("yellow")
    told = {
        name: opponents.KINDS[name](goal, 1, soccer.DRIVE).think(row, None).command
        for name in ("chase", "guard")
    }
    here = row[world.slot("yellow").qpos :][:2]
    way = row[world.slot("ball").qpos :][:2] - here
    chase, guard = (np.array([told[name].vx, told[name].vy]) for name in ("chase", "guard"))
    assert chase @ way > 0.99 * np.hypot(*chase) * np.hypot(*way) > 0
    assert guard[0] > 0 > guard[1]  # back to its line, and down to where the ball is before it
    assert told["guard"].kick == told["chase"].kick == 0


@pytest.mark.parametrize(("heading", "kicks"), [(np.pi, True), (0.0, False)])
def test_who_chases_shoots_when_it_faces_the_goal(problem, heading, kicks):
    world, row = problem.world, holding(problem)
    mine, other = world.slot("blue"), world.slot("yellow")
    ball, reach = row[world.slot("ball").qpos :][:2], mine.radius + world.slot("ball").radius + 0.004
    row[other.qpos : other.qpos + 3] = *(ball - reach * np.array([np.cos(heading), np.sin(heading)])), heading
    row[mine.qpos : mine.qpos + 2] = 1.0, -1.0
    chaser = opponents.KINDS["chase"](duel.build("yellow"), 1, soccer.DRIVE)
    assert (chaser.think(row, None).command.kick > 0) is kicks


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_games_against_any_opponent_repeat(monkeypatch, opponent):
    monkeypatch.setattr(soccer, "LONGEST", 0.3)
    options = PlayOptions(nodes=40, opponent=opponent)
    first, two = (soccer.trial("soccer", options, 4) for _ in range(2))
    assert np.array_equal(first.log.truth, two.log.truth) and first.log.frames == 18
    assert set(OPPONENTS) == set(opponents.KINDS) == set(Opponent)


class Waiting:
    """Waits, and may take no time, or any."""

    def __init__(self, robot, deadline):
        self.robot, self.deadline = robot, deadline

    def think(self, estimate, tracker):
        return Thought(deadline=self.deadline)


@pytest.mark.parametrize(("deadlines", "late"), [((0.0, np.inf), True), ((np.inf, 0.0), False)])
def test_late_frames_of_the_other_are_not_ours(problem, deadlines, late):
    minds = tuple(Waiting(name, deadline) for name, deadline in zip(duel.TEAMS, deadlines, strict=True))
    loop = Loop(problem, soccer.world_of(PlayOptions(), 1), minds, generator(1, "camera"), latency=0.0)
    loop.run(0.1)
    assert (loop.log.missed > 0) is late


@pytest.mark.long
@pytest.mark.parametrize("opponent", ["reactive", "chase"])
def test_whole_games_replay_frame_for_frame(opponent, tmp_path):
    """Kick-offs and the file in between."""
    options = PlayOptions(opponent=opponent)
    played = soccer.trial("soccer", options, 813003)
    path = record(played.log, played.problem, {}).write(tmp_path / "game.parquet")
    rows = replay(Recording.read(path), soccer.world_of(options, 813003), played.problem.world)
    assert np.array_equal(rows, np.array(played.log.truth))
    assert played.success or played.conceded
