"""No ball lies still before robots that might play it: each goes up to a ball that is out of its reach."""

import numpy as np
import pytest

from swerve.soccer import Match, Sight, State, Team, load_field, load_playbook
from swerve.soccer.match.model import FRAME

FIELD = load_field("division-b")
STILL, NEAR = 0.05, 0.3  # [m] within which a ball lies still; from it, where a robot might play it


def game(seed, seconds):
    sides = tuple(Team(load_playbook("swerve"), FIELD, side, seed) for side in (0, 1))
    return Match(FIELD, sides, seconds, Sight(), seed)


def longest_still(match, frames):
    """[s] that the ball lay still in play with a robot near it, at the longest."""
    at, since, longest = None, 0.0, 0.0
    for _ in range(frames):
        match.frame()
        ball, robots, t = match.world.ball[0, :2], match.world.robots[0, :, :2], match.referee.t
        played = match.referee.state is State.RUNNING and np.hypot(*(robots - ball).T).min() < NEAR
        if not played or at is None or np.hypot(*(ball - at)) > STILL:
            at, since = (ball.copy() if played else None), t
        longest = max(longest, t - since)
    return longest


@pytest.mark.parametrize("ours, theirs", [(0.119, 0.122), (0.122, 0.119), (0.124, 0.124)])
def test_two_who_meet_at_a_ball_out_of_reach_go_on_playing(ours, theirs):
    """They nearly touch; each has the ball before its mouth, and neither within its reach."""
    match = game(1, 600.0)
    world, referee = match.world, match.referee
    for robot, away, faces in ((1, ours, 0.64), (7, theirs, np.pi - 0.64)):
        world.robots[0, robot, :3] = 1.0 - away * np.cos(faces), 0.5 - away * np.sin(faces), faces
    world.place_ball(1.0, 0.5)
    referee.state = State.RUNNING
    referee.rules.start(world, None)
    assert longest_still(match, 150) < 1.0


@pytest.mark.parametrize("seconds", [12, pytest.param(240, marks=pytest.mark.long)])
@pytest.mark.parametrize("seed", [2, 4])
def test_no_ball_lies_still_before_a_robot(seed, seconds):
    assert longest_still(game(seed, seconds), round(seconds / FRAME)) < 2.0


@pytest.mark.parametrize(
    "x, y, apart", [(3.829, 1.0275, 0.19), (-4.408, 1.0275, 0.18), (3.4725, -0.775, 0.19)]
)
def test_two_who_press_for_a_ball_beside_a_defence_area_do_not_press_on(x, y, apart):
    """Both stand outside, shoulder to shoulder; neither gets to the one place from where it can be had."""
    match = game(5, 600.0)
    world, referee = match.world, match.referee
    beside = abs(y) > 1.0
    out, along = (
        np.array([[0, np.sign(y)], [1, 0]]) if beside else np.array([[-np.sign(x), 0], [0, 1]], dtype=float)
    )
    for robot, sign in ((1, -0.5), (7, 0.5)):
        place = np.array([x, y]) + 0.1 * out + sign * apart * along
        world.robots[0, robot, :3] = *place, np.arctan2(y - place[1], x - place[0])
    world.place_ball(x, y)
    referee.state = State.RUNNING
    referee.rules.start(world, None)
    assert longest_still(match, 240) < 2.5
    assert (match.log.pair_frames[1, 7] + match.log.pair_frames[7, 1]) * FRAME < 1.5
