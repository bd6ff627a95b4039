"""Looking ahead: what is worth a lot, what is worth nothing, and that it is chosen."""

from dataclasses import replace

import numpy as np
import pytest

from swerve.soccer import Playbook, Team, load_field, load_playbook
from swerve.soccer.match.model import HELD, KICK
from swerve.soccer.match.referee import State
from swerve.soccer.team import frame
from swerve.soccer.team.futures import outcomes
from swerve.soccer.team.lookahead import Lookahead
from swerve.soccer.team.propose import MOST, propose
from swerve.soccer.team.reactive import shoot, shoot_or_pass

ROW = load_field("division-b").row
RUNNING = np.array([State.RUNNING, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0])


def staged(x, y, heading=0.0):
    """Our robot 1 with the ball at (x, y), everybody else far behind."""
    robots, ball = np.zeros((12, 6)), np.zeros(8)
    robots[:, 0], robots[:, 1] = -4.2, np.linspace(-2.8, 2.8, 12)
    ball[:2] = x, y
    robots[1, :3] = x - HELD * np.cos(heading), y - HELD * np.sin(heading), heading
    return robots, ball


def worth_of(robots, ball, **columns):
    plans = np.zeros((1, frame.PLAN_COLUMNS))
    plans[0, frame.MATE], plans[0, frame.TOLERANCE] = -1, 0.05
    for name, value in columns.items():
        plans[0, getattr(frame, name)] = value
    outcomes(robots, ball, ROW, 1, False, plans, 1, np.zeros(1), np.inf)
    return plans[0, frame.WORTH]


SHOT = {"WHAT": frame.SHOT, "AIM_X": 4.5, "SPEED_OUT": 6.0}


def test_a_shot_at_an_empty_goal_is_a_goal_and_a_wall_stops_it():
    robots, ball = staged(2.0, 0.0)
    assert worth_of(robots, ball, **SHOT) > 0.9
    robots[7:10, :2] = np.column_stack([np.full(3, 2.6), [-0.18, 0.0, 0.18]])
    assert worth_of(robots, ball, **SHOT) < 0.1  # theirs, though far from our goal
    assert worth_of(robots, ball, **SHOT | {"AIM_Y": 3.0}) < 0.1  # beside the goal is out


def test_turning_round_first_takes_time_that_a_keeper_uses():
    robots, ball = staged(2.0, 0.0)
    robots[6, :2] = 4.3, -0.45
    at_once = worth_of(robots, ball, **SHOT | {"AIM_Y": 0.42})
    robots, ball = staged(2.0, 0.0, heading=3.0)
    robots[6, :2] = 4.3, -0.45
    assert at_once > 0.9 and worth_of(robots, ball, **SHOT | {"AIM_Y": 0.42}) < at_once


def test_who_stands_at_the_very_edge_of_their_area_still_shoots():
    """What could be done there is told apart, also by who only brakes at the edge."""
    robots, ball = staged(3.402 + HELD, 0.0)
    assert worth_of(robots, ball, **SHOT | {"AIM_Y": 0.3}) > 0.9
    robots, ball = staged(3.37 + HELD, 0.0)
    robots[1, 3] = ball[3] = ball[6] = 0.25
    assert worth_of(robots, ball, **SHOT | {"AIM_Y": 0.3}) > 0.9
    inside, ball = staged(3.45 + HELD, 0.0)
    assert worth_of(inside, ball, **SHOT | {"AIM_Y": 0.3}) < 0.1


def test_a_pass_that_arrives_is_worth_more_than_one_that_is_cut_off():
    robots, ball = staged(0.0, 0.0)
    robots[2, :3] = 2.0, 1.0, 3.6
    passing = {"WHAT": frame.PASS, "AIM_X": 2.0, "AIM_Y": 1.0, "SPEED_OUT": 3.5, "MATE": 2}
    free = worth_of(robots, ball, **passing)
    robots[8, :2] = 1.0, 0.5
    cut = worth_of(robots, ball, **passing)
    over = worth_of(robots, ball, **passing | {"THROUGH_AIR": 1.0, "SPEED_OUT": 3.7})
    assert free > 0.2 and cut < 0.1 and over > cut


def test_proposals_are_within_the_field_and_fit_their_table():
    robots, ball = staged(1.0, 0.0)
    robots[2:6, :2] = [[2.0, 1.0], [2.0, -1.0], [-0.5, 0.8], [4.4, 2.9]]
    plans = np.zeros((MOST, frame.PLAN_COLUMNS))
    count = propose(robots, ball, ROW, 1, False, True, plans)
    assert 40 < count < MOST
    assert (np.abs(plans[:count, frame.AIM_X]) <= 4.5).all() and (
        np.abs(plans[:count, frame.AIM_Y]) < 3.0
    ).all()
    assert set(plans[:count, frame.WHAT]) == {frame.SHOT, frame.PASS, frame.CARRY, frame.CLEAR}
    kept = propose(robots, ball, ROW, 0, True, True, plans)
    assert not {frame.SHOT, frame.CARRY} & set(plans[:kept, frame.WHAT])  # a keeper neither


def test_nothing_is_aimed_beyond_the_lines_nor_at_where_the_ball_is():
    plans = np.zeros((MOST, frame.PLAN_COLUMNS))
    for x, y in ((-2.1, 2.4), (-3.0, -2.8), (2.8, 1.75)):
        robots, ball = staged(x, y)
        robots[2:6, :2] = [[x + 0.5, y - 0.3], [2.0, -1.0], [-0.5, 0.8], [4.4, 2.9]]
        count = propose(robots, ball, ROW, 1, False, True, plans)
        aims = plans[:count, [frame.AIM_X, frame.AIM_Y]]
        assert (np.abs(aims) <= [4.5, 2.99]).all()
        assert np.hypot(*(aims - [x, y]).T).min() > 0.6
        assert 2 not in plans[:count, frame.MATE]  # too near


def test_a_keeper_far_ahead_on_a_small_field_knows_something_to_do():
    """Simulators of others say how large their fields are: here mates are near, and every clearance short."""
    small = replace(load_field("seed"), length=4.0, width=2.6)
    team, robots, ball = Team(load_playbook("swerve"), small, 0, 1), np.zeros((10, 6)), np.zeros(8)
    robots[:, 0], robots[:, 1] = np.linspace(-1.9, -1.0, 10), np.linspace(-1.0, 1.0, 10)
    robots[0, :2], robots[1:5, :2] = [1.1, 0.0], [[1.2, 0.4], [1.2, -0.4], [0.8, 0.4], [0.8, -0.4]]
    ball[0] = 1.1 + HELD
    for k in range(4):
        team.decide(robots, ball, np.array([State.RUNNING, 0, 0, 0, 0, 0, k / 60], dtype=float))
    assert team.plan[frame.WHAT] == frame.CLEAR and team.plan[frame.AIM_X] > 1.9


def test_of_theirs_one_goes_for_the_ball_not_all_at_once():
    robots, ball = staged(0.0, 0.0)
    robots[2, :3] = 2.5, 2.0, 3.9
    passing = {"WHAT": frame.PASS, "AIM_X": 2.5, "AIM_Y": 2.0, "SPEED_OUT": 4.5, "MATE": 2}
    robots[8:10, :2] = (0.3, -1.0), (0.8, -0.6)  # both nearer to its way than their hold would let them be
    assert worth_of(robots, ball, **passing) > 0.15
    robots[10, :2] = 1.25, 1.0  # on its way
    assert worth_of(robots, ball, **passing) < 0.1


def test_whoever_of_them_has_the_ball_first_goes_for_it_not_who_has_most_time_to_spare():
    robots, ball = staged(0.0, 0.0)
    robots[2, :3] = 2.6, 0.0, np.pi
    passing = {"WHAT": frame.PASS, "AIM_X": 2.6, "SPEED_OUT": 3.5, "MATE": 2}
    robots[9, :2] = 3.8, 0.35  # behind the mate, with much time
    alone = worth_of(robots, ball, **passing)
    robots[8, :2] = 1.4, 0.4  # before it, just in time
    assert worth_of(robots, ball, **passing) < 0.1 < alone - 0.1


def test_a_ball_is_carried_before_our_goal_where_nobody_is_near_and_let_go_before_they_are():
    offered = []
    for away in (2.0, 0.7):
        robots, ball = staged(-2.5, 0.0)
        robots[7, :2] = -2.5 + away, 0.0
        mind, plan = Lookahead(ROW, 6, 0.5), np.zeros(frame.PLAN_COLUMNS)
        mind.think(robots, ball, RUNNING, 1, plan)
        offered.append(frame.CARRY in mind.thought.plans[: mind.thought.count, frame.WHAT])
    assert offered == [True, False]
    held = []
    for away in (2.0, 0.7):
        robots, ball = staged(0.0, 0.0)
        robots[7, :2] = away, 0.0
        held.append(worth_of(robots, ball, WHAT=frame.CARRY, AIM_X=4.5, CARRY_UNTIL=0.1))
    assert held[0] > held[1] + 0.03


def test_holding_the_ball_is_not_gone_on_with_when_its_time_is_over():
    robots, ball = staged(0.0, 0.0)
    robots[7, :2] = 0.9, 0.0
    mind, plan = Lookahead(ROW, 6), np.zeros(frame.PLAN_COLUMNS)
    plan[[frame.WHAT, frame.AIM_X, frame.MATE, frame.WORTH]] = frame.CARRY, 4.5, -1, 5.0
    mind.who, mind.carried_from = 1, np.zeros(2)
    mind.think(robots, ball, RUNNING, 1, plan)
    assert mind.thought is None or mind.thought.going_on < 0
    thought_through(mind, robots, ball, plan)
    assert plan[frame.SPEED_OUT] > 0 or plan[frame.CARRY_UNTIL] > RUNNING[frame.CLOCK]


def test_the_best_is_chosen_and_kept():
    robots, ball = staged(2.0, 0.0)
    mind, plan = Lookahead(ROW, 6), np.zeros(frame.PLAN_COLUMNS)
    thought_through(mind, robots, ball, plan)
    assert plan[frame.WHAT] in (frame.SHOT, frame.CARRY) and plan[frame.WORTH] > 0.8
    first = plan.copy()
    for _ in range(2):
        thought_through(mind, robots, ball, plan)
    assert plan[frame.AIM_Y] == first[frame.AIM_Y]


def thought_through(mind, robots, ball, plan):
    for frames in range(1, 40):
        mind.think(robots, ball, RUNNING, 1, plan)
        if mind.thought is None:
            return frames
    raise AssertionError("it never came to an end")


def test_a_frame_plays_no_more_futures_than_it_may_and_kicks_nothing_before_the_thought_is_done():
    robots, ball = staged(2.0, 0.3)
    plans = np.zeros((40, frame.PLAN_COLUMNS))
    count = propose(robots, ball, ROW, 1, False, False, plans)
    done = outcomes(robots, ball, ROW, 1, False, plans, count, np.zeros(1), 5.0)
    assert 1 < done < count and plans[:done, frame.WORTH].all() and not plans[done:, frame.WORTH].any()
    chosen = []
    for most, frames in ((1e9, (2, 2)), (6.0, (5, 40))):
        mind, plan = Lookahead(ROW, 6, most), np.zeros(frame.PLAN_COLUMNS)
        mind.think(robots, ball, RUNNING, 1, plan)
        assert plan[frame.WHAT] > 0 and plan[frame.SPEED_OUT] == 0
        assert frames[0] <= 1 + thought_through(mind, robots, ball, plan) <= frames[1]
        chosen.append(plan)
    assert (chosen[0] == chosen[1]).all()  # how long it took makes no difference while nothing moves


def test_rules_without_foresight_shoot_at_gaps_and_pass_when_there_is_none():
    robots, ball = staged(2.0, 0.0)
    plan = np.zeros(frame.PLAN_COLUMNS)
    shoot(robots, ball, ROW, plan)
    assert plan[frame.WHAT] == frame.SHOT and abs(plan[frame.AIM_Y]) < 0.1
    robots[7:12, :2] = np.column_stack([np.full(5, 2.4), np.linspace(-0.3, 0.3, 5)])
    robots[3, :2] = 2.0, 1.8
    shoot_or_pass(robots, ball, ROW, 1, plan)
    assert plan[frame.WHAT] == frame.PASS and plan[frame.MATE] == 3


@pytest.mark.parametrize("attacker", ["physics", "reactive", "shoot"])
def test_every_attacker_kicks_at_an_open_goal(attacker):
    book = load_playbook("swerve").model_copy(update={"attacker": attacker})
    team = Team(book, load_field("division-b"), 0)
    robots, ball = staged(2.5, 0.0)
    for _ in range(8):
        commands = team.decide(robots, ball, RUNNING)
        if commands[1, 3] > 0:
            break
    assert commands[1, 3] > 5.0 and not commands[[0, 2, 3, 4, 5], 3].any()


@pytest.mark.parametrize("attacker", ["physics", "reactive", "shoot"])
def test_robot_0_attacks_as_others_do_where_nobody_keeps_goal(attacker):
    play = {"name": "all", "when": ["always"], "roles": ["attack", "support", "support"]}
    team = Team(Playbook(name="mine", attacker=attacker, plays=(play,)), load_field("division-b"), 0)
    robots, ball = staged(2.5, 0.0)
    robots[[0, 1]] = robots[[1, 0]]
    for _ in range(8):
        commands = team.decide(robots, ball, RUNNING)
        if commands[0, 3] > 0:
            break
    assert commands[0, 3] > 5.0 and not commands[1:, 3].any()


def test_a_ball_lost_before_our_goal_costs_more_than_one_at_theirs():
    worths = []
    for x in (-3.0, 2.0):
        robots, ball = staged(x, 0.0)
        robots[7:10, :2] = np.column_stack([np.full(3, x + 0.5), [-0.18, 0.0, 0.18]])
        worths.append(worth_of(robots, ball, **SHOT))
    assert worths[0] < worths[1] - 0.1 and worths[0] < 0


def test_nothing_is_carried_before_our_goal_nor_too_far():
    mind = Lookahead(ROW, 6)
    for y in (-1.5, 0.0, 1.5):
        robots, ball = staged(-2.5, y)
        robots[7, :2] = -1.9, y
        plan = np.zeros(frame.PLAN_COLUMNS)
        mind.who = -1
        mind.think(robots, ball, RUNNING, 1, plan)
        thought_through(mind, robots, ball, plan)
        assert plan[frame.WHAT] not in (frame.NOTHING, frame.CARRY)
    robots, ball = staged(1.0, 0.0, heading=0.8)
    mind.carried_from = np.array([0.2, 0.0])  # it had the ball there, 80 cm ago
    mind.think(robots, ball, RUNNING, 1, plan)
    way = np.arctan2(plan[frame.AIM_Y], plan[frame.AIM_X] - 1.0)
    assert plan[frame.WHAT] == frame.CLEAR and way == pytest.approx(0.8, abs=0.1)


@pytest.mark.parametrize("attacker", ["physics", "reactive"])
def test_a_ball_that_rolls_towards_their_area_in_ones_mouth_is_shot(attacker):
    """It is had already: where it would be met if it rolled on does not matter."""
    book = load_playbook("swerve").model_copy(update={"attacker": attacker})
    team = Team(book, load_field("division-b"), 0)
    kicks = []
    while len(kicks) < 20 and max(kicks, default=0.0) <= 5.0:
        robots, ball = staged(3.45, 0.0)
        robots[1, 0] -= 0.006
        robots[1, 3] = ball[3] = ball[6] = 0.6
        kicks.append(team.decide(robots, ball, RUNNING)[1, KICK])
    assert kicks[-1] > 5.0
