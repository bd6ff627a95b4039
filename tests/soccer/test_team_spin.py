"""How a ball spins is told from how it moves, and where it gets to from that."""

import numpy as np

from swerve.soccer import Match, Sight, Team, load_field, load_playbook
from swerve.soccer.match.ball import free
from swerve.soccer.match.model import BVX, BVY, FRAME, UX
from swerve.soccer.match.referee import State
from swerve.soccer.team.spin import Spin

FAR = np.full((12, 6), 9.0)


def test_a_kicked_ball_slides_until_it_rolls():
    true, spin = np.zeros((1, 8)), Spin()
    true[0, BVX] = 3.5
    off = []
    for _ in range(40):
        told = true[0].copy()
        told[6:8] = told[3:5]  # what sight makes of it
        off.append(abs(spin.believed(FAR, told)[UX] - true[0, UX]))
        free(true, FRAME)
    assert max(off) < 0.3 and max(off[25:]) < 0.1
    assert abs(np.hypot(*true[0, 3:5]) - 3.5 * 5 / 7) < 0.1  # it rolls by now


def test_a_ball_in_the_air_and_one_at_a_front_do_not_slide():
    for height, where in ((0.3, 9.0), (0.0, 0.09)):
        spin, ball, robots = Spin(), np.zeros(8), FAR.copy()
        ball[2], ball[BVX] = height, 2.0
        robots[3, :2] = where, 0.0
        spin.believed(robots, ball)
        assert spin.believed(robots, ball)[UX] == 2.0


def test_a_team_knows_where_a_kicked_ball_will_be():
    """A sixth of a second after it was kicked, 0.4 s ahead."""
    field = load_field("division-b")
    minds = tuple(Team(load_playbook("swerve"), field, side, 1) for side in (0, 1))
    match = Match(field, (minds[0], minds[1]), 600.0, Sight(), 740)
    world = match.world
    world.robots[0, :, 0], world.robots[0, :, 1] = np.linspace(-4, 4, 12), -2.7
    world.ball[0, :2], world.ball[0, BVX] = (-3.0, 1.0), 4.0
    match.referee.state = State.RUNNING
    believed = []
    spin, team = Spin(), minds[0]
    team.decide = lambda robots, ball, situation: (
        believed.append((ball.copy(), spin.believed(robots, ball))) or np.zeros((6, 6))
    )
    minds[1].decide = lambda robots, ball, situation: np.zeros((6, 6))
    for _ in range(10):
        match.frame()
    true = world.ball.copy()
    seen, known = (ball[None].copy() for ball in believed[-1])
    for ball, seconds in ((true, 0.4), (seen, 0.4 + FRAME), (known, 0.4 + FRAME)):
        free(ball, seconds)
    assert seen[0, 0] - true[0, 0] > 0.2  # what sight alone would have it do
    assert abs(known[0, 0] - true[0, 0]) < 0.06
    assert abs(known[0, BVY]) < 0.1
