"""Shots at first touch: when there is one, and that it goes in."""

import numpy as np
import pytest

from swerve.soccer import Match, Sight, Team, load_field, load_playbook
from swerve.soccer.match.model import HELD
from swerve.soccer.match.referee import State
from swerve.soccer.team import frame, lookahead
from swerve.soccer.team.first_time import MOST, first_touches
from swerve.soccer.team.futures import outcomes

FIELD = load_field("division-b")
ROW = FIELD.row


def crossed(speed=3.5, to=(2.8, 0.8), start=(3.9, -2.4)):
    """The ball on its way from the wing to our robot 1, their keeper at home."""
    robots, ball = np.zeros((12, 6)), np.zeros(8)
    robots[:, 0], robots[:, 1] = np.linspace(-4, -2, 12), -2.5
    robots[0, :2], robots[6, :3] = (-4.3, 0.0), (4.3, 0.0, np.pi)
    robots[1, :3] = *to, -1.0
    way = np.subtract(to, start) / np.hypot(*np.subtract(to, start))
    ball[:2], ball[3:5], ball[6:8] = start, speed * way, speed * way * 5 / 7
    return robots, ball


def candidates(robots, ball, who=1):
    plans = np.zeros((MOST, frame.PLAN_COLUMNS))
    return plans[: first_touches(robots, ball, ROW, who, plans)]


def test_a_cross_can_be_shot_at_first_touch_a_ball_from_behind_cannot():
    robots, ball = crossed()
    found = candidates(robots, ball)
    assert len(found) > 3 and (found[:, frame.FIRST_AT] > 0.1).all()
    assert (np.abs(found[:, frame.AIM_Y]) < 0.45).all() and (found[:, frame.AIM_X] == 4.5).all()
    behind = crossed(start=(-0.5, 0.9))
    assert len(candidates(*behind)) == 0
    late = robots.copy()
    late[1, :2] = -3.0, 0.0
    assert len(candidates(late, ball)) == 0
    shut = robots.copy()
    shut[7:12, :2] = np.column_stack([np.full(5, 4.0), np.linspace(-0.4, 0.4, 5)])
    assert len(candidates(shut, ball)) == 0


def test_the_robot_is_in_time_and_outside_their_area():
    for seed in range(30):
        random = np.random.default_rng(seed)
        robots, ball = crossed(random.uniform(1.5, 5.0), random.uniform((2.2, 0.2), (3.4, 1.6)))
        for plan in candidates(robots, ball):
            speed = np.hypot(*ball[3:5])
            way = np.array([plan[frame.AIM_X], plan[frame.AIM_Y]])
            slowest = speed - 3.0 * plan[frame.FIRST_AT]  # sliding all the way
            low, high = slowest * plan[frame.FIRST_AT], speed * plan[frame.FIRST_AT]
            near = [ball[:2] + share * ball[3:5] / speed for share in np.linspace(max(low, 0), high, 30)]
            stands = [at - HELD * (way - at) / np.hypot(*(way - at)) for at in near]
            gaps = [np.hypot(*(robots[1, :2] - at)) for at in stands]
            assert min(gaps) < 3.0 * plan[frame.FIRST_AT]
            assert any(at[0] < 3.5 - 0.09 or abs(at[1]) > 1.09 for at in stands)


def test_the_future_of_a_shot_at_first_touch_is_played():
    robots, ball = crossed()
    plans = candidates(robots, ball)
    outcomes(robots, ball, ROW, 1, False, plans, len(plans), np.zeros(1), np.inf)
    assert plans[:, frame.WORTH].max() > 0.7  # a goal
    robots[8, :2] = 3.6, -1.5  # in the way of the cross
    outcomes(robots, ball, ROW, 1, False, plans, len(plans), np.zeros(1), np.inf)
    assert plans[:, frame.WORTH].max() < 0.2


@pytest.mark.parametrize("seed", [1, 2])
def test_a_cross_is_put_into_the_goal_without_being_stopped(seed):
    random = np.random.default_rng(seed)
    minds = tuple(
        Team(load_playbook(name), FIELD, side, seed) for side, name in enumerate(("swerve", "reactive"))
    )
    match = Match(FIELD, (minds[0], minds[1]), 600.0, Sight(), seed)
    world, referee = match.world, match.referee
    world.robots[0], world.ball[0] = crossed(random.uniform(3.0, 4.5), random.uniform((2.5, 0.5), (3.1, 1.1)))
    referee.state = State.RUNNING
    referee.rules.start(world, None)
    referee.rules.last = 1
    touched_at = None
    while referee.state is State.RUNNING and referee.t < 3.0:
        match.frame()
        if touched_at is None and referee.rules.kicker is None and match.log.last == 1:
            touched_at = referee.t
        if match.log.kicks[0]:
            break
    assert touched_at is not None and referee.t - touched_at < 0.05
    while referee.state is State.RUNNING and referee.t < 4.0:
        match.frame()
    assert referee.score == [1, 0]


def test_all_that_deciding_needs_is_rehearsed():
    """Nothing compiles, or is loaded, in the middle of a match."""
    used = []
    team = Team(load_playbook("swerve"), FIELD, 0)
    for name in ("first_touches", "outcomes", "propose", "worth_of_having"):
        made = getattr(lookahead, name)

        def noted(*given, name=name, made=made):
            used.append(name)
            return made(*given)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lookahead, name, noted)
            team.rehearse()
        assert name in used
