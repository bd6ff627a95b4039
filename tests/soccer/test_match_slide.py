"""Sight knows how the ball spins: a kicked one slides, and where it gets to follows from that."""

import numpy as np
import pytest

from swerve.core.seeding import generator
from swerve.soccer import MatchWorld, Sight, load_field
from swerve.soccer.match.ball import free
from swerve.soccer.match.model import BVX, BVY, DRIBBLE, HELD, KICK, TOLD_VX, UX, UY, VX
from swerve.soccer.match.sight import Tracker


def watched(latency=3, seed=740):
    """A world whose robots stand aside, and what sight makes of it."""
    world = MatchWorld(load_field("division-b"))
    world.robots[0, :, 0], world.robots[0, :, 1] = np.linspace(-4, 4, 12), -2.7
    return world, Tracker(world, Sight(latency=latency), generator(seed, "sight"))


def play(world, tracker, frames, commands):
    """So many frames; what was believed of the ball at the beginning of each, and the truth."""
    believed, true = [], []
    for k in range(frames):
        told = commands(k)
        tracker.look()
        believed.append(tracker.believed()[1][0])
        true.append(world.ball[0].copy())
        tracker.sent(told)
        world.step(told)
    return np.array(believed), np.array(true)


def kicker(world, speed, at, heading=0.0):
    """Robot 1 with the ball at its front; it kicks in frame `at`."""
    world.robots[0, 1] = -3.0, 1.0, heading, 0.0, 0.0, 0.0
    world.place_ball(-3.0 + HELD * np.cos(heading), 1.0 + HELD * np.sin(heading))

    def commands(k):
        told = np.zeros((12, 6))
        told[1, DRIBBLE], told[1, KICK] = 1.0, speed if k == at else 0.0
        return told

    return commands


@pytest.mark.parametrize("speed", [2.0, 4.0, 6.0])
def test_a_kicked_ball_slides_until_it_rolls(speed):
    world, tracker = watched()
    believed, true = play(world, tracker, 70, kicker(world, speed, 12, 0.4))
    off = np.hypot(*(believed[:, UX : UY + 1] - true[:, UX : UY + 1]).T)
    assert off[21:].max() < 0.15  # the kick is seen from frame 16 on
    assert np.hypot(*true[21, UX : UY + 1]) < 0.8 * np.hypot(*true[21, BVX : BVY + 1])  # it slides then


def test_where_a_kicked_ball_will_be_is_known():
    """A sixth of a second after it was kicked, 0.4 s ahead: of one taken for rolling by 0.2 m too far."""
    world, tracker = watched()
    believed, true = play(world, tracker, 23, kicker(world, 4.0, 12))
    known, rolling, ball = believed[-1:].copy(), believed[-1:].copy(), true[-1:].copy()
    rolling[0, UX : UY + 1] = rolling[0, BVX : BVY + 1]
    for one in (known, rolling, ball):
        free(one, 0.4)
    assert rolling[0, 0] - ball[0, 0] > 0.15
    assert np.hypot(*(known[0, :2] - ball[0, :2])) < 0.04


def test_a_dribbled_ball_rolls_with_its_robot():
    world, tracker = watched()
    world.robots[0, 1, VX] = 1.0
    kicker(world, 0.0, -1)
    world.robots[0, 1, VX] = world.ball[0, BVX] = world.ball[0, UX] = 1.0
    told = np.zeros((12, 6))
    told[1, DRIBBLE], told[1, TOLD_VX] = 1.0, 1.0
    believed, _ = play(world, tracker, 40, lambda k: told)
    assert np.abs(believed[20:, UX] - 1.0).max() < 0.3


def test_a_ball_that_bounces_off_a_robot_keeps_its_spin():
    """It rolls at a robot's back, comes off it with its old spin, and is soon much slower for that."""
    world, tracker = watched()
    world.robots[0, 1, :3] = 0.0, 1.0, 0.0
    world.place_ball(-1.0, 1.0)
    world.ball[0, BVX] = world.ball[0, UX] = 3.0
    believed, true = play(world, tracker, 34, lambda k: np.zeros((12, 6)))
    back = int(np.argmax(true[:, BVX] < 0)) + 7  # seen off the robot for some frames
    assert true[back, BVX] < -0.3 and true[back, UX] > 1.5
    assert abs(believed[back, UX] - true[back, UX]) < 0.3
    known, ball = believed[back : back + 1].copy(), true[back : back + 1].copy()
    free(known, 0.4)
    free(ball, 0.4)
    assert np.hypot(*(known[0, :2] - ball[0, :2])) < 0.05


def test_a_ball_put_elsewhere_by_hand_lies_there():
    world, tracker = watched(latency=0)
    play(world, tracker, 10, lambda k: np.zeros((12, 6)))
    world.place_ball(2.0, 1.5)
    believed, _ = play(world, tracker, 2, lambda k: np.zeros((12, 6)))
    assert np.hypot(*(believed[0, :2] - [2.0, 1.5])) < 0.02
    assert np.hypot(*believed[0, BVX : BVY + 1]) < 0.01


def test_a_hidden_ball_that_slides_goes_on_as_it_slides():
    world, tracker = watched(latency=0)

    class Blind(Tracker):
        blind = False

        def picture(self):
            self.hidden[-1] = self.blind
            return super().picture()

    tracker = Blind(world, Sight(latency=0), generator(3, "sight"))
    play(world, tracker, 22, kicker(world, 4.0, 8))
    tracker.blind = True
    believed, true = play(world, tracker, 18, lambda k: np.zeros((12, 6)))
    assert np.hypot(*(believed[-1, :2] - true[-1, :2])) < 0.03
    assert np.hypot(*(true[-1, :2] - true[0, :2])) > 0.7  # it went a long way in the dark
