"""How a pass is taken: onto the ball's way before the ball, and where the passer aims."""

import numpy as np

from swerve.soccer import Match, Sight, Team, load_field, load_playbook
from swerve.soccer.match.model import HELD
from swerve.soccer.match.referee import State
from swerve.soccer.team import frame
from swerve.soccer.team.futures import outcomes

FIELD = load_field("division-b")


def passed(aside, speed=3.0, far=2.0, to=1.0):
    """Seconds until blue's robot 2, `aside` [m] from its way, has a ball that is rolled past it, or None;
    everybody else is far away."""
    team, other = Team(load_playbook("swerve"), FIELD, 0), Team(load_playbook("reactive"), FIELD, 1)
    match = Match(FIELD, (team, other), 600.0, Sight(place=0.0, ball=0.0, heading=0.0, latency=0), 1)
    world = match.world
    world.robots[0, :, 0], world.robots[0, :, 1] = np.linspace(-4, -3, 12), -2.8
    world.robots[0, 2, :3] = to, aside, np.pi
    world.place_ball(to - far, 0.0)
    world.ball[0, 3] = speed
    match.referee.state = State.RUNNING
    match.referee.rules.start(world, None)
    team.mind.expecting, team.mind.expected = 2, 9.0
    for k in range(90):
        match.frame()
        if frame.has_ball(world.robots[0], 2, *world.ball[0, :2]):
            return (k + 1) / 60
    return None


def test_a_ball_that_passes_beside_a_mate_is_stopped():
    for aside, speed in ((-0.15, 4.0), (0.35, 5.0)):
        assert passed(aside, speed) is not None, (aside, speed)


def test_also_before_the_area_into_which_it_would_roll():
    assert passed(0.35, 5.0, to=2.6) is not None


def test_there_is_time_to_come_towards_a_slow_ball():
    slides, rolls = 2.0 * 2 / 7 / 3.0, 2.0 * 5 / 7  # [s], [m/s]
    waits = slides + (2.0 - HELD - slides * (2.0 + rolls) / 2) / rolls
    assert passed(0.0, speed=2.0) < 0.7 * waits


def test_a_mate_who_will_be_passed_to_goes_where_the_pass_does():
    team = Team(load_playbook("swerve"), FIELD, 0)
    robots, ball = np.zeros((12, 6)), np.zeros(8)
    robots[:, 0], robots[:, 1] = np.linspace(-4, -2, 12), -2.5
    robots[1, :3], ball[:2] = (-HELD, 0.0, 0.0), (0.0, 0.0)
    robots[2, :2], robots[6, :2] = (2.0, 1.0), (4.3, 0.0)
    situation = np.array([State.RUNNING, *[0.0] * 6])
    team.decide(robots, ball, situation)
    assert team.mind.attacker == 1 and 2 in team.mind.holder
    team.plan[:] = 0.0
    team.plan[frame.WHAT], team.plan[frame.MATE], team.plan[frame.SPEED_OUT] = frame.PASS, 2, 3.0
    team.plan[frame.AIM_X : frame.AIM_Y + 1] = 2.5, 0.5
    team._send_receiver(robots, ball, situation)
    role = int(np.flatnonzero(team.mind.holder == 2)[0])
    assert team.wanted[role].tolist() == [2.5, 0.5]
    situation[0] = State.FREE_KICK
    team.wanted[:] = 0.0
    team._send_receiver(robots, ball, situation)
    assert not team.wanted.any()


def test_in_the_futures_it_goes_there_while_the_passer_still_turns():
    robots, ball = np.zeros((12, 6)), np.zeros(8)
    robots[:, 0], robots[:, 1] = np.linspace(-4, -2, 12), -2.5
    robots[6, :3] = 4.3, 0.0, np.pi
    plan = np.zeros((1, frame.PLAN_COLUMNS))
    plan[0, [frame.WHAT, frame.MATE, frame.TOLERANCE, frame.SPEED_OUT]] = frame.PASS, 2, 0.04, 5.0
    plan[0, frame.AIM_X] = 2.5
    worth = []
    for heading in (0.0, 2.5):
        robots[1, :3], robots[2, :3] = (
            (-HELD * np.cos(heading), -HELD * np.sin(heading), heading),
            (2.5, 1.1, 4.0),
        )
        outcomes(robots, ball, FIELD.row, 1, False, plan, 1, np.zeros(1), 9.0)
        worth.append(plan[0, frame.WORTH])
    assert worth[0] < 0.15 < worth[1] - 0.05
