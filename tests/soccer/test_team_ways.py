"""Where robots go: round others, out of the areas, to good places, without running into anybody."""

import numpy as np
import pytest

from swerve.soccer import MatchWorld, load_field
from swerve.soccer.match.model import FRAME, ROBOT_RADIUS
from swerve.soccer.team import frame, navigate
from swerve.soccer.team.evaluate import WEIGHTS, supporters
from swerve.soccer.team.intercept import intercepts
from swerve.soccer.team.skills import blocking_place, guard_goal, marking_place

FIELD = load_field("division-b")
ROW = FIELD.row


def far_away(count=12):
    """Robots in a row outside the field."""
    robots = np.zeros((count, 6))
    robots[:, 0], robots[:, 1] = np.linspace(-3, 3, count), 3.2
    return robots


def drive(world, goals, seconds, others=None):
    """Six of ours go to goals (6, 2), the rest stand; places of all, frame by frame, and who met."""
    intents = np.zeros((6, frame.INTENT_COLUMNS))
    intents[:, :2], intents[:, frame.FASTEST], intents[:, frame.SPIN_MOST] = goals, 3.0, 8.0
    waypoints = np.zeros((6, navigate.WAYPOINTS, 2))
    streams = np.arange(1, 7).astype(np.uint64) * np.uint64(977)
    places, met = [], 0
    for _ in range(round(seconds / FRAME)):
        commands = np.zeros((12, 6))
        navigate.navigate(world.robots[0], world.ball[0], ROW, intents, waypoints, streams, commands[:6])
        met += int((world.step(commands).met > 0).sum())
        places.append(world.robots[0, :, :2].copy())
    return np.array(places), met


def test_a_robot_goes_round_a_wall_of_others():
    world = MatchWorld(FIELD)
    world.robots[0] = far_away()
    world.robots[0, 0, :2] = -1.5, 0.0
    world.robots[0, 6:, :2] = np.column_stack([np.zeros(6), np.linspace(-0.5, 0.5, 6)])
    world.place_ball(3.0, 2.0)
    goals = world.robots[0, :6, :2].copy()
    goals[0] = 1.5, 0.0
    places, met = drive(world, goals, 4.0)
    assert np.hypot(*(places[-1, 0] - goals[0])) < 0.03 and met == 0


def test_six_that_change_places_hardly_touch():
    world = MatchWorld(FIELD)
    world.robots[0] = far_away()
    angles = np.arange(6) * np.pi / 3
    ring = 1.5 * np.column_stack([np.cos(angles), np.sin(angles)])
    world.robots[0, :6, :2] = ring
    places, met = drive(world, -ring + [0.01, 0.02], 6.0)
    assert np.hypot(*(places[-1, :6] + ring).T).max() < 0.1 and met <= 3  # frames, of 360


@pytest.mark.parametrize("keeper", [False, True])
def test_only_the_keeper_crosses_its_area(keeper):
    world = MatchWorld(FIELD)
    world.robots[0] = far_away()
    world.robots[0, 0, :2] = -4.0, 1.3
    intents = np.zeros((6, frame.INTENT_COLUMNS))
    intents[:, :2], intents[:, frame.FASTEST] = world.robots[0, :6, :2], 3.0
    intents[0, :2], intents[0, frame.IN_AREA] = (-4.0, -1.3), float(keeper)
    waypoints, streams = np.zeros((6, navigate.WAYPOINTS, 2)), np.arange(1, 7).astype(np.uint64)
    inside = False
    for _ in range(300):
        commands = np.zeros((12, 6))
        navigate.navigate(world.robots[0], world.ball[0], ROW, intents, waypoints, streams, commands[:6])
        world.step(commands)
        x, y = world.robots[0, 0, :2]
        inside = inside or (x < -3.55 and abs(y) < 0.95)
    assert inside == keeper and np.hypot(x + 4.0, y + 1.3) < 0.03


@pytest.mark.parametrize(("place", "ball"), [((3.1, 0.3), (1.5, 0.0)), ((4.0, -1.4), (0.0, 1.5))])
def test_nobody_follows_a_ball_into_their_area(place, ball):
    """Going for a ball that rolls in, a robot keeps up with it, but stops before the area by its radius."""
    world = MatchWorld(FIELD)
    world.robots[0] = far_away()
    world.robots[0, 0, :2], world.robots[0, 0, 3:5] = place, ball
    intents = np.zeros((6, frame.INTENT_COLUMNS))
    intents[:, :2], intents[:, frame.FASTEST] = world.robots[0, :6, :2], 3.0
    intents[0, :2] = frame.out_of_area(ROW, *place, ROBOT_RADIUS + 0.03)
    intents[0, frame.CLOSE], intents[0, frame.WITH_VX], intents[0, frame.WITH_VY] = 1.0, *ball
    waypoints, streams = np.zeros((6, navigate.WAYPOINTS, 2)), np.arange(1, 7).astype(np.uint64)
    for _ in range(90):
        commands = np.zeros((12, 6))
        navigate.navigate(world.robots[0], world.ball[0], ROW, intents, waypoints, streams, commands[:6])
        world.step(commands)
        x, y = world.robots[0, 0, :2]
        assert x < 3.5 - ROBOT_RADIUS or abs(y) > 1.0 + ROBOT_RADIUS
    assert np.hypot(*(world.robots[0, 0, :2] - place)) > 0.1  # it went as far as it may


def test_times_to_the_ball_are_those_it_takes():
    """A robot that starts when its time says gets there neither much sooner nor much later."""
    robots = far_away()
    robots[0, :2], robots[1, :2] = (-1.0, 0.0), (2.0, 0.0)
    ball = np.zeros(8)
    times, places = np.empty(12), np.empty((12, 2))
    intercepts(robots, ball, ROW, times, places)
    assert times[0] < times[1] and places[0] == pytest.approx((0, 0))
    ball[3] = ball[6] = 2.0  # it rolls towards robot 1
    intercepts(robots, ball, ROW, times, places)
    assert times[1] < times[0] and 0.5 < places[1, 0] < 1.6


def test_supporters_stand_free_apart_and_where_they_can_be_passed_to():
    robots = far_away()
    robots[6:, :2] = np.column_stack([np.full(6, 1.5), np.linspace(-2.5, 0.5, 6)])  # open on the left
    places = np.array([[1.0, 0.0], [1.0, 0.0]])
    supporters(robots, np.zeros(8), ROW, WEIGHTS, np.array([-1, -1]), places)
    assert np.hypot(*(places[0] - places[1])) >= 1.1
    for x, y in places:
        assert frame.clearance(robots, 6, 12, -1, 0.0, 0.0, x, y) > 0
        assert frame.out_of_area(ROW, x, y, 0.2) == (x, y)


def test_supporters_stay_on_the_side_where_they_are():
    robots, nobody = far_away(), np.array([-1])
    robots[6:, :2] = np.column_stack([np.full(6, 1.5), np.linspace(-1.0, 1.0, 6)])  # both wings are open
    for side in (-1.0, 1.0):
        robots[2, :2] = 1.0, 2.0 * side
        place = np.array([[1.0, 0.0]])
        supporters(robots, np.zeros(8), ROW, WEIGHTS, np.array([2]), place)
        assert np.sign(place[0, 1]) == side
        robots[2, :2] = 1.0, -2.0 * side
        other, alone = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]])
        supporters(robots, np.zeros(8), ROW, WEIGHTS, np.array([2]), other)
        supporters(robots, np.zeros(8), ROW, WEIGHTS, nobody, alone)
        assert np.sign(other[0, 1]) == -side and alone[0, 0] == other[0, 0]


@pytest.mark.parametrize("name", ["division-b", "seed"])
def test_both_wings_are_looked_at_alike(name):
    field, random = load_field(name), np.random.default_rng(5)
    n, half, mirror = field.robots, field.row[:2], np.array([1.0, -1.0])
    for _ in range(40):
        robots, ball, who = np.zeros((2 * n, 6)), np.zeros(8), np.array([2, 3, -1])
        robots[:, :2] = random.uniform(-0.9, 0.9, (2 * n, 2)) * half
        ball[:2] = random.uniform((-1, -1.5), (2, 1.5))
        places = random.uniform(-0.8, 0.8, (3, 2)) * half
        mirrored = places * mirror
        supporters(robots, ball, field.row, WEIGHTS, who, places)
        robots[:, 1], ball[1] = -robots[:, 1], -ball[1]
        supporters(robots, ball, field.row, WEIGHTS, who, mirrored)
        assert np.allclose(places, mirrored * mirror)


def test_an_opening_is_as_wide_as_geometry_says_and_closes_behind_a_keeper():
    robots = far_away()
    angle, at = frame.opening(robots, ROW, 2.5, 0.0)
    assert angle == pytest.approx(2 * 0.47 / 2.0, rel=0.05) and at == pytest.approx(0.0, abs=0.05)
    robots[6, :2] = 4.3, 0.2
    narrower, at = frame.opening(robots, ROW, 2.5, 0.0)
    assert narrower < 0.75 * angle and at < 0
    robots[6, :2] = 2.7, 0.0
    assert frame.opening(robots, ROW, 2.5, 0.0)[0] < 0.12


def test_blockers_stand_between_ball_and_goal_outside_the_area():
    ball = np.zeros(8)
    for place in ((0.0, 0.0), (2.0, 2.0), (-3.0, -2.5), (-4.4, 2.9)):
        ball[:2] = place
        x, y = blocking_place(ball, ROW, 0.0)
        assert frame.out_of_area(ROW, x, y, ROBOT_RADIUS) == (x, y)
        to_ball, to_me = np.array(place) - (-4.5, 0.0), np.array([x, y]) - (-4.5, 0.0)
        assert to_ball @ to_me / np.hypot(*to_ball) / np.hypot(*to_me) > 0.99
    left, right = blocking_place(ball * 0, ROW, 0.5), blocking_place(ball * 0, ROW, -0.5)
    assert np.hypot(left[0] - right[0], left[1] - right[1]) == pytest.approx(0.21, abs=0.03)


def test_the_keeper_is_where_a_shot_will_cross():
    robots, ball = far_away(), np.zeros(8)
    robots[0, :2] = -4.35, 0.0
    ball[:5] = -2.0, 0.0, 0.0, -5.0, 0.7
    intents = np.zeros((6, frame.INTENT_COLUMNS))
    guard_goal(intents, 0, robots, ball, ROW)
    x, y = intents[0, :2]
    assert y == pytest.approx((x + 2.0) / -5.0 * 0.7, abs=1e-6) and x < -3.5


def test_a_marker_stands_between_its_opponent_and_the_goal():
    robots, ball = far_away(), np.zeros(8)
    robots[7, :2], robots[8, :2] = (-2.0, 1.0), (-1.0, -1.0)
    ball[:2] = robots[9, :2]
    for rank, man in ((1, 7), (2, 8)):
        x, y = marking_place(robots, ball, ROW, rank)
        gap = np.hypot(*(robots[man, :2] - (x, y)))
        nearer = np.hypot(x + 4.5, y) < np.hypot(robots[man, 0] + 4.5, robots[man, 1])
        assert nearer and 2 * ROBOT_RADIUS < gap < 0.4
