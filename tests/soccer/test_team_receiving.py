"""How a pass is taken: onto the ball's way before the ball, and where the passer aims."""

import numpy as np

from swerve.soccer import Match, Sight, Team, load_field, load_playbook
from swerve.soccer.match.model import HELD
from swerve.soccer.match.referee import State
from swerve.soccer.team import frame

FIELD = load_field("division-b")


def passed(aside, speed=3.0, facing=np.pi, far=2.0):
    """Seconds until blue's robot 2 has a ball that is rolled past it, `aside` [m] from its middle, or None;
    everybody else is far away."""
    team, other = Team(load_playbook("swerve"), FIELD, 0), Team(load_playbook("reactive"), FIELD, 1)
    match = Match(FIELD, (team, other), 600.0, Sight(place=0.0, ball=0.0, heading=0.0, latency=0), 1)
    world = match.world
    world.robots[0, :, 0], world.robots[0, :, 1] = np.linspace(-4, -3, 12), -2.8
    world.robots[0, 2, :3] = 1.0, aside, facing
    world.place_ball(1.0 - far, 0.0)
    world.ball[0, 3] = world.ball[0, 6] = speed
    match.referee.state = State.RUNNING
    match.referee.rules.start(world, None)
    team.mind.expecting, team.mind.expected = 2, 9.0
    for k in range(90):
        match.frame()
        if frame.has_ball(world.robots[0], 2, *world.ball[0, :2]):
            return (k + 1) / 60
    return None


def test_a_ball_that_passes_beside_a_mate_is_stopped():
    for aside in (0.0, 0.1, -0.15, 0.2):
        assert passed(aside) is not None, aside


def test_there_is_time_to_come_towards_a_slow_ball():
    rolls = 2.0 - HELD
    assert passed(0.0, speed=2.0) < 0.85 * rolls / 2.0


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
