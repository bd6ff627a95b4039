"""Restarts are taken at once, whatever the plan; who has the ball is its team's attacker."""

import numpy as np
import pytest

from swerve.soccer import Match, Sight, State, Team, load_field, load_playbook
from swerve.soccer.match.model import BALL_RADIUS, BVX, FRAME, HELD, ROBOT_RADIUS, VX
from swerve.soccer.match.referee import KEEP_AWAY, NEARLY, SETTLE
from swerve.soccer.team.frame import AIM_X, AIM_Y, MATE, PASS, SPEED_OUT, TOLERANCE, WHAT
from swerve.soccer.team.intercept import intercepts
from swerve.soccer.team.plays import Playbook

FIELD = load_field("division-b")
KICKS = (State.KICK_OFF, State.FREE_KICK, State.PENALTY)
LONGEST = 3.0  # [s] that a kick takes once it may be taken


def match_of(blue, yellow, seconds, seed):
    books = [book if isinstance(book, Playbook) else load_playbook(book) for book in (blue, yellow)]
    sides = tuple(Team(book, FIELD, side, seed) for side, book in enumerate(books))
    return Match(FIELD, sides, seconds, Sight(), seed)


def restart(match, kind, side, x, y):
    """The game is stopped, and goes on with a kick from there."""
    match.referee._stop(kind, side, np.array([x, y]))
    match.world.place_ball(x, y)


def waits(match, frames):
    """[s] that each kick of the game had to wait for."""
    found, since = [], None
    for _ in range(frames):
        match.frame()
        if match.referee.state in KICKS:
            since = match.referee.t if since is None else since
        elif since is not None:
            found.append(match.referee.t - since)
            since = None
    return found


def passing(monkeypatch):
    """Whoever looks ahead passes to the mate after the next."""

    def think(self, robots, ball, situation, who, plan):
        plan[:] = 0.0
        mate = 1 + (who + 1) % 5
        plan[WHAT], plan[MATE], plan[SPEED_OUT], plan[TOLERANCE] = PASS, mate, 3.0, 0.05
        plan[AIM_X], plan[AIM_Y] = robots[mate, :2]

    monkeypatch.setattr("swerve.soccer.team.lookahead.Lookahead.think", think)


@pytest.mark.parametrize("seed", [2, 3])
def test_a_kick_that_is_a_pass_is_taken_by_whoever_lined_up_for_it(seed, monkeypatch):
    passing(monkeypatch)
    match = match_of("swerve", "reactive", 600.0, seed)
    restart(match, State.FREE_KICK, 0, 0.5, -1.0 + 0.5 * seed)
    assert waits(match, 300)[0] < LONGEST


@pytest.mark.long
@pytest.mark.parametrize("yellow", ["swerve", "reactive"])
def test_no_restart_takes_long(yellow):
    found = waits(match_of("swerve", yellow, 240.0, 11), 240 * 60)
    assert len(found) > 15 and max(found) < LONGEST and np.median(found) < 1.0


def test_a_kicker_that_follows_rules_keeps_to_its_plan_while_mates_move():
    """Its mates run about, so that the best of them is another in every few frames."""
    roles = ["goalie", "attack", *({"mark": {"rank": k}} for k in (1, 2, 3, 4))]
    plays = [{"name": "all", "when": ["always"], "roles": roles}]
    book = Playbook.model_validate({"name": "marks", "attacker": "reactive", "plays": plays})
    match = match_of("swerve", book, 600.0, 5)
    restart(match, State.FREE_KICK, 1, 0.02, -0.1)
    plans = set()
    for _ in range(400):
        match.frame()
        if match.referee.state is State.RUNNING:
            break
        if match.referee.state is State.FREE_KICK:
            plans.add(tuple(match.sides[1].plan))
    assert match.referee.state is State.RUNNING and match.log.kicks[1] == 1
    assert len(plans) <= 2  # the first may still be that of the stop


@pytest.mark.parametrize("speed", [0.0, 1.0, 2.5])
def test_who_has_the_ball_needs_no_time_to_get_it(speed):
    """Also in motion, the ball not quite at its front; a mate who waits for it is not sooner there."""
    robots, ball = np.zeros((12, 6)), np.zeros(8)
    robots[:, 0], robots[:, 1] = np.linspace(-4, 4, 12), 2.5
    robots[3, 0], robots[3, 1], robots[3, VX] = -HELD - 0.005, 0.0, speed
    robots[5, :2], robots[5, 2] = (0.6, 0.05), np.pi
    ball[BVX] = ball[6] = speed
    times, places = np.empty(12), np.empty((12, 2))
    intercepts(robots, ball, FIELD.row, times, places)
    assert times[3] == 0.0 and places[3].tolist() == [0.0, 0.0] and (np.delete(times, 3) > 0.05).all()


def test_a_pass_that_its_kicker_missed_is_not_waited_for(monkeypatch):
    """The kicker has the ball as before: it stays its to play."""
    passing(monkeypatch)
    team = Team(load_playbook("swerve"), FIELD, 0)
    robots, ball = np.zeros((12, 6)), np.zeros(8)
    robots[:, 0], robots[:, 1] = np.linspace(-3, 3, 12), np.where(np.arange(12) % 2, 1.5, -1.5)
    robots[2, :3] = -HELD, 0.0, np.arctan2(robots[4, 1], robots[4, 0])
    robots[2, :2] = -HELD * np.cos(robots[2, 2]), -HELD * np.sin(robots[2, 2])
    kicked, attackers = 0, []
    for k in range(60):
        told = team.decide(robots, ball, np.array([State.RUNNING, 0, 0, 0, 0, 0, k * FRAME]))
        kicked += told[2, 3] > 0
        attackers.append(team.mind.attacker)
    assert kicked > 0 and set(attackers) == {2}


def test_a_kicker_goes_round_the_ball_without_taking_it_along():
    """It comes fast, from where it is to kick to, its dribbler and its shell leave the ball alone."""
    for seed in range(3):
        match = match_of("swerve", "reactive", 600.0, seed)
        restart(match, State.FREE_KICK, 0, -1.0, 1.0)
        match.world.robots[0, 1, :4] = -0.2, 1.0 + 0.05 * seed, np.pi, -1.5
        match.referee.state = State.FREE_KICK  # at once
        for _ in range(300):
            match.frame()
            if match.referee.state is State.RUNNING:
                break
        assert match.log.kicks[0] == 1 and not match.referee.fouls[0]


@pytest.mark.parametrize(
    "place, spot, at", [("division-b", (4.3, 2.8), (4.55, 3.1)), ("seed", (2.825, -1.825), (3.1, -2.1))]
)
def test_who_is_caught_in_a_corner_gets_out_past_the_ball(place, spot, at):
    field = load_field(place)
    sides = tuple(Team(load_playbook("swerve"), field, side, 3) for side in (0, 1))
    match = Match(field, sides, 600.0, Sight(), 3)
    match.world.robots[0, field.robots + 1, :2] = at
    restart(match, State.FREE_KICK, 0, *spot)
    frames = 0
    while match.referee.state is State.STOP:
        match.frame()
        frames += 1
    away = np.hypot(*(match.world.robots[0, field.robots :, :2] - spot).T) - ROBOT_RADIUS
    assert away.min() > KEEP_AWAY - NEARLY and frames * FRAME < SETTLE[1] - 0.5
    assert np.hypot(*(match.world.ball[0, :2] - spot)) < BALL_RADIUS
