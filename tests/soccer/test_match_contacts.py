"""Robots and ball in one world: momentum, kicks, the dribbler's grip, walls, and no overlaps."""

import numpy as np
import pytest

from swerve.soccer import MatchWorld, load_field
from swerve.soccer.match import model
from swerve.soccer.match.touch import overlap, strike

FIELD = load_field("division-b")


@pytest.fixture
def world():
    """Everybody out of the way, in two rows."""
    world = MatchWorld(FIELD)
    world.robots[0, :, 0] = np.tile(np.linspace(-3, 3, 6), 2)
    world.robots[0, :, 1] = np.repeat([2.5, -2.5], 6)
    return world


def told(**columns):
    """Commands for robot 0."""
    commands = np.zeros((12, 6))
    for name, value in columns.items():
        commands[0, getattr(model, name)] = value
    return commands


def put(world, robot, x, y, heading=0.0, vx=0.0):
    world.robots[0, robot] = x, y, heading, vx, 0.0, 0.0


@pytest.mark.parametrize("heading, bounce", [(np.pi / 2, model.SHELL), (0.0, model.FACE)])
def test_a_ball_and_a_robot_keep_their_momentum(world, heading, bounce):
    put(world, 0, 0, 0, heading, vx=0.5)
    world.place_ball(0.09, 0)
    world.ball[0, model.BVX] = -4.0
    touched, notes = np.zeros((1, 12), np.uint8), np.zeros((1, model.NOTES))
    strike(world.robots, world.ball, 0, 0, False, touched, notes)
    robot, ball = world.robots[0, 0, model.VX], world.ball[0, model.BVX]
    whole = 0.5 * model.ROBOT_MASS - 4.0 * model.BALL_MASS
    assert touched[0, 0] and model.BALL_MASS * ball + model.ROBOT_MASS * robot == pytest.approx(whole)
    assert ball - robot == pytest.approx(bounce * 4.5)  # as a rigid impact with that restitution


def test_robots_share_their_momentum_when_they_meet(world):
    put(world, 0, 0, 0, vx=1.0)
    put(world, 1, 0.17, 0)
    commands = told(TOLD_VX=1.0)
    happened = world.step(commands, 1e-4)
    first, second = world.robots[0, :2, model.VX]
    assert first + second == pytest.approx(1.0, abs=1e-2)
    assert second - first == pytest.approx(model.BETWEEN, abs=1e-2)
    assert happened.met[0, 1] == pytest.approx(1.0, abs=1e-2) and (happened.met > 0).sum() == 1


def test_a_kick_is_as_fast_as_asked_but_no_faster_than_the_kicker(world):
    for asked, got in ((3.0, 3.0), (20.0, model.KICK_SPEED)):
        put(world, 0, 0, 0)
        world.place_ball(model.HELD, 0)
        happened = world.step(told(KICK=asked), 1e-3)
        assert happened.kicker == happened.last == 0
        assert world.ball[0, model.BVX] == pytest.approx(got, abs=0.01)


def test_a_chip_flies_over_a_robot_and_a_kick_does_not(world):
    for name, over in (("CHIP", True), ("KICK", False)):
        put(world, 0, 0, 0)
        put(world, 1, 0.9, 0)
        world.place_ball(model.HELD, 0)
        world.step(told(**{name: 5.0}))
        touched = [world.step(told()).touched[1] for _ in range(30)]
        assert any(touched) != over


def face_off(world, first, second, gaps, turns, **columns):
    """After a frame in which both have the ball between their mouths: the ball, and who kicked and touched
    it."""
    for robot, away, heading in ((first, gaps[0], turns[0]), (second, gaps[1], np.pi + turns[1])):
        put(world, robot, *(-(model.HELD + away) * np.array([np.cos(heading), np.sin(heading)])), heading)
    world.place_ball(0, 0)
    commands = np.zeros((12, 6))
    for name, values in columns.items():
        commands[[first, second], getattr(model, name)] = values
    happened = world.step(commands)
    return world.ball[0].copy(), happened.kicker, happened.last


def test_of_two_who_have_the_ball_neither_colour_has_the_last_word(world):
    random = np.random.default_rng(5)
    for _ in range(20):
        gaps, turns = random.uniform(0.001, 0.009, 2), random.uniform(-0.2, 0.2, 2)
        for column, most in (("KICK", 6.5), ("CHIP", 6.5), ("DRIBBLE", 1.0)):
            values = random.uniform(0.3, 1.0, 2) * most
            one = face_off(world, 1, 7, gaps, turns, **{column: values})
            put(world, 1, -3, 2.8), put(world, 7, 3, 2.8)
            other = face_off(world, 7, 1, gaps, turns, **{column: values})
            swapped = {-1: -1, 1: 7, 7: 1}
            assert np.allclose(one[0], other[0], atol=1e-9)
            assert one[1:] == (swapped[other[1]], swapped[other[2]])
            if column == "KICK":
                assert one[1] == (1, 7)[int(np.argmax(values))]


def test_kicks_of_two_at_once_add_up(world):
    ball, kicker, _ = face_off(world, 1, 7, (0.009, 0.009), (0.0, 0.0), KICK=(4.0, 3.0))
    assert ball[model.BVX] < 1.0 and kicker == 1  # the rest of the first, and what the other gives back
    put(world, 7, 3, 2.5)
    ball, _, _ = face_off(world, 1, 2, (0.011, 0.011), (1.0, -np.pi - 1.0), KICK=(6.5, 6.5))
    fast = np.hypot(*ball[model.BVX : model.BVY + 1])
    assert model.KICK_SPEED - 0.2 < fast <= model.KICK_SPEED  # both forward, and no faster than one


def test_the_dribbler_holds_the_ball_on_gentle_ways_and_loses_it_on_rough_ones(world):
    for spin, holds in ((4.0, True), (10.0, False)):
        put(world, 0, 0, 0)
        world.place_ball(model.HELD, 0)
        for _ in range(60):
            world.step(told(TOLD_SPIN=spin, DRIBBLE=1.0))
        away = np.hypot(*(world.ball[0, :2] - world.robots[0, 0, :2]))
        assert (away < model.HELD + model.REACH) == holds


def test_without_the_dribbler_a_robot_that_backs_off_leaves_the_ball(world):
    for dribble in (0.0, 1.0):
        put(world, 0, 0, 0)
        world.place_ball(model.HELD, 0)
        for _ in range(40):
            world.step(told(TOLD_VX=-0.5, DRIBBLE=dribble))
        assert (world.ball[0, 0] < -0.1) == (dribble > 0)


def test_nobody_overlaps_and_nothing_leaves_however_they_drive(world):
    random = np.random.default_rng(3)
    world.robots[0, :, :2] = random.uniform(-0.8, 0.8, (12, 2))
    world.place_ball(0.0, 0.0)
    deepest = 0.0
    for k in range(600):
        if k % 20 == 0:
            commands = random.uniform(-1, 1, (12, 6)) * [4, 4, 12, 0, 0, 1]
            commands[:, model.KICK] = random.uniform(0, 6.5, 12) * (random.random(12) < 0.3)
        world.step(commands)
        if k < 5:
            continue  # they began on top of each other
        places = world.robots[0, :, :2]
        gaps = np.hypot(*(places[:, None] - places[None]).T) + 9 * np.eye(12)
        deepest = max(deepest, 2 * model.ROBOT_RADIUS - gaps.min())
    assert deepest < 0.004
    limits = np.array([FIELD.length, FIELD.width]) / 2 + FIELD.margin
    assert (np.abs(world.robots[0, :, :2]) <= limits - model.ROBOT_RADIUS + 1e-9).all()
    assert (np.abs(world.ball[0, :2]) <= limits - model.BALL_RADIUS + 1e-9).all()


def test_a_goal_has_sides_and_a_back(world):
    world.place_ball(FIELD.length / 2 - 0.3, 0.0)
    world.ball[0, model.BVX : model.BVY + 1] = 5.0, 0.0
    for _ in range(120):
        world.step(told())
        x = world.ball[0, 0]
        assert x <= FIELD.length / 2 + FIELD.goal_depth
    world.place_ball(FIELD.length / 2 + 0.09, FIELD.goal_width / 2 + 0.15)
    world.ball[0, model.BVY] = -5.0
    for _ in range(60):
        world.step(told())
    assert world.ball[0, 1] > FIELD.goal_width / 2  # it did not go in through the side


@pytest.mark.parametrize("speed", [6.5, 8.0, 9.4])
def test_no_ball_goes_through_the_back_of_a_goal(world, speed):
    for start in np.linspace(4.0, 4.03, 12):
        world.place_ball(start, 0.1)
        world.ball[0, model.BVX] = speed
        for _ in range(20):
            world.step(np.zeros((12, 6)))
        assert world.ball[0, 0] < FIELD.length / 2 + FIELD.goal_depth


def test_no_ball_is_pressed_through_the_side_of_a_goal(world):
    put(world, 0, 4.6, 0.6 + model.HELD, -np.pi / 2)
    world.place_ball(4.6, 0.6)
    for _ in range(60):
        world.step(told(TOLD_VY=-1.0))
    assert world.ball[0, 1] > FIELD.goal_width / 2


def test_a_ball_that_a_dribbler_catches_in_the_air_falls_and_one_on_a_lid_rolls_off(world):
    put(world, 0, 0.0, 0.0)
    world.place_ball(model.HELD, 0.0)
    world.ball[0, model.Z] = 0.035
    world.step(told(DRIBBLE=1.0), 0.2)
    assert world.ball[0, model.Z] == 0.0
    world.place_ball(0.02, 0.01)
    world.ball[0, model.Z] = 0.2
    for _ in range(120):
        world.step(told())
    assert world.ball[0, model.Z] == 0.0 and np.hypot(*world.ball[0, :2]) > model.ROBOT_RADIUS


def squeeze(world, first, second, push):
    """Two face each other with the ball between their fronts, and drive on for a second."""
    put(world, first, -model.HELD - 0.05, 0.0, 0.0)
    put(world, second, model.HELD + 0.05, 0.0, np.pi)
    world.place_ball(0, 0)
    commands = np.zeros((12, 6))
    commands[first, model.TOLD_VX], commands[second, model.TOLD_VX] = push[0], -push[1]
    last = []
    for _ in range(60):
        last.append(world.step(commands).last)
        ball = world.ball[0, :2]
        heads = world.robots[0, [first, second], model.HEADING]
        off = ball - world.robots[0, [first, second], :2]
        ahead = off[:, 0] * np.cos(heads) + off[:, 1] * np.sin(heads)
        assert (ahead > model.HELD - 1e-4).all()  # it reaches into neither
    return world.robots[0, [first, second]].copy(), world.ball[0].copy(), last


def test_a_ball_between_two_fronts_holds_both_off(world):
    robots, ball, last = squeeze(world, 1, 7, (1.0, 1.0))
    assert abs(ball[0]) < 0.003 and np.allclose(robots[:, 0], [-model.HELD, model.HELD], atol=0.003)
    assert np.allclose(robots[:, model.VX], 0.0, atol=0.003)  # nobody stores up speed against it
    assert min(last.count(1), last.count(7)) > 15  # neither colour alone is named


def test_of_two_who_press_the_ball_the_colour_does_not_matter(world):
    for push in ((1.0, 0.2), (2.5, 1.0)):
        one = squeeze(world, 1, 7, push)
        put(world, 1, -3, 2.8), put(world, 7, 3, 2.8)
        other = squeeze(world, 7, 1, push)
        assert np.allclose(one[0], other[0], atol=0.006) and np.allclose(one[1], other[1], atol=0.006)


def depths(world, who):
    """How far the ball reaches into each of them [m], below 0 where it does not."""
    return np.array([overlap.py_func(world.robots, world.ball, 0, i)[0] for i in who])


def test_three_who_press_the_ball_from_all_sides_hold_each_other_off(world):
    """Fronts and backs, dribbling or not, for a second each: nobody is in the ball or in another, and the
    ball is thrown no faster than something pressed out between two such robots."""
    random, who, all_at_once = np.random.default_rng(750500), (0, 6, 1), 0
    for _ in range(20):
        ways = random.uniform(0, 2 * np.pi) + np.array([0, 2.09, 4.19]) + random.uniform(-0.15, 0.15, 3)
        fast, commands = random.uniform(0.3, 1.5, 3), np.zeros((12, 6))
        for i, way in zip(who, ways, strict=True):
            away = model.HELD + random.uniform(0.03, 0.2)
            put(world, i, away * np.cos(way), away * np.sin(way), random.uniform(-np.pi, np.pi))
        commands[list(who), model.DRIBBLE] = random.integers(2, size=3)
        world.place_ball(0, 0)
        for _ in range(60):
            to = world.ball[0, :2] - world.robots[0, list(who), :2]
            commands[list(who), :2] = fast[:, None] * to / np.hypot(*to.T)[:, None]
            world.step(commands)
            deep = depths(world, who)
            apart = world.robots[0, list(who), :2] - world.robots[0, [6, 1, 0], :2]
            assert deep.max() < 1e-5 and np.hypot(*apart.T).min() > 2 * model.ROBOT_RADIUS - 1e-5
            assert np.hypot(*world.ball[0, model.BVX : model.BVY + 1]) < 2 * fast.max() + 0.5
            all_at_once += (deep > -1e-4).all()
    assert all_at_once > 10


def test_a_robot_that_presses_the_ball_to_the_wall_is_held_off(world):
    wall = FIELD.length / 2 + FIELD.margin
    put(world, 0, wall - 0.4, 1.5)
    world.place_ball(wall - 0.25, 1.5)
    for k in range(90):
        world.step(told(TOLD_VX=2.0, DRIBBLE=float(k % 2)))
        assert world.ball[0, 0] - world.robots[0, 0, 0] > model.HELD - 1e-4
        assert world.ball[0, 0] <= wall - model.BALL_RADIUS + 1e-9
    assert world.robots[0, 0, model.VX] < 0.1


def test_a_coin_decides_who_of_two_as_near_had_the_ball():
    """Both drive into the ball alike: neither colour is always named, and a seed names the same again."""

    def named(seed):
        world = MatchWorld(FIELD, seed)
        world.robots[0, :, 0], world.robots[0, :, 1] = np.tile(np.linspace(-3, 3, 6), 2), 2.5
        world.robots[0, 6:, 1] = -2.5
        who = []
        for _ in range(40):
            _, kicker, last = face_off(world, 1, 7, (0.005, 0.005), (0.0, 0.0), KICK=(3.0, 3.0))
            assert kicker == last
            who.append(kicker)
        return who

    first = named(4)
    assert first == named(4) != named(5)
    assert 8 <= first.count(1) <= 32 and first.count(1) + first.count(7) == 40
