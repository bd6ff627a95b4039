"""Tactics: what a role wants, what it would cost each robot to take it, and what its robot then does.

A role is a tactic and a few numbers; all roles of a play are worked out together, before anybody has one.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

from ..match.ball import free_one
from ..match.field import AREA_DEPTH, AREA_HALF, HALF_LENGTH, HALF_WIDTH
from ..match.model import BALL_COLUMNS, BALL_RADIUS, BVX, BVY, ROBOT_RADIUS, VX, VY, X, Y
from ..match.referee import BEHIND_PENALTY, KEEP_AWAY, State
from .frame import (
    BALL_GAP,
    CLOSE,
    FASTEST,
    FIRST_AT,
    IN_AREA,
    KIND,
    MINE,
    SPOT_X,
    SPOT_Y,
    STOPPED,
    TO_X,
    TO_Y,
    has_ball,
    out_of_area,
    travel,
)
from .receiving import receive
from .skills import (
    aim_and_kick,
    blocking_place,
    first_time,
    get_ball,
    go_to,
    guard_goal,
    marking_place,
    take_kick,
)

GOALIE, ATTACK, SUPPORT, BLOCK, MARK, HOLD = range(6)
TACTICS = {"goalie": GOALIE, "attack": ATTACK, "support": SUPPORT, "block": BLOCK, "mark": MARK, "hold": HOLD}
RUNNING, KICK_OFF, PENALTY = int(State.RUNNING), int(State.KICK_OFF), int(State.PENALTY)
KEEP = 0.35  # [s] by which another robot must be better before a role changes hands
ATTACK_WEIGHT = 3.0
NEVER = 1e3
OFF_AREA = 0.03  # [m] that robots keep off defence areas: their edges count
CAUGHT = 0.1  # [m] by which a robot is too near a kick to be only at the edge of where it may be
PAST = ROBOT_RADIUS + BALL_RADIUS + 2 * ROBOT_RADIUS + 0.01  # [m] from the ball, its kicker in between
STOP_SPEED = 1.5  # [m/s] while the game is stopped


@kernel
def role_places(
    roles: np.ndarray,
    robots: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    supporting: np.ndarray,
    places: np.ndarray,
) -> None:
    """Where each role (k, 4: tactic and numbers) wants its robot: `places` (k, 2)."""
    supporters = 0
    for k in range(len(roles)):
        tactic = int(roles[k, 0])
        if tactic == GOALIE:
            places[k, 0], places[k, 1] = -field[HALF_LENGTH], 0.0
        elif tactic == ATTACK:
            places[k, 0], places[k, 1] = ball[X], ball[Y]
        elif tactic == SUPPORT:
            at = min(supporters, len(supporting) - 1)
            places[k, 0], places[k, 1] = supporting[at, 0], supporting[at, 1]
            supporters += 1
        elif tactic == BLOCK:
            places[k, 0], places[k, 1] = blocking_place(ball, field, roles[k, 1])
        elif tactic == MARK:
            places[k, 0], places[k, 1] = marking_place(robots, ball, field, int(roles[k, 1]))
        else:
            places[k, 0] = roles[k, 1] * field[HALF_LENGTH]
            places[k, 1] = roles[k, 2] * field[HALF_WIDTH]


@kernel
def role_costs(
    roles: np.ndarray,
    places: np.ndarray,
    robots: np.ndarray,
    times: np.ndarray,
    holder: np.ndarray,
    situation: np.ndarray,
    banned: int,
    costs: np.ndarray,
) -> None:
    """`costs` (k, n) [s] of giving each role to each of our robots; `holder` (k,) has it now, `times` (n,)
    are those to the ball. Robot 0 is the keeper; `banned` may not touch the ball."""
    for k in range(len(roles)):
        tactic = int(roles[k, 0])
        for i in range(costs.shape[1]):
            dx, dy = places[k, 0] - robots[i, X], places[k, 1] - robots[i, Y]
            gap = max(np.hypot(dx, dy), 1e-6)
            cost = travel(gap, (robots[i, VX] * dx + robots[i, VY] * dy) / gap)
            if tactic == ATTACK:
                running = situation[KIND] == RUNNING
                cost = ATTACK_WEIGHT * (times[i] if running else cost)
                if i == banned:
                    cost += NEVER / 10
            if (tactic == GOALIE) != (i == 0):
                cost += NEVER
            costs[k, i] = cost - (KEEP if holder[k] == i else 0.0)


@kernel
def act(
    roles: np.ndarray,
    places: np.ndarray,
    holder: np.ndarray,
    robots: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    situation: np.ndarray,
    meetings: np.ndarray,
    plan: np.ndarray,
    t: float,
    expecting: int,
    met: np.ndarray,
    intents: np.ndarray,
) -> None:
    """Write the intents (n, 13) of our robots; `meetings` (n, 2) is where each would meet the ball, and a
    pass is on its way to robot `expecting`, if not −1, who keeps in `met` (1,) when it is to be there."""
    kicks = situation[MINE] > 0 and situation[KIND] != RUNNING
    come = np.empty((1, BALL_COLUMNS))
    for k in range(len(roles)):
        i, tactic = int(holder[k]), int(roles[k, 0])
        if i < 0:
            continue
        face = np.arctan2(ball[Y] - robots[i, Y], ball[X] - robots[i, X])
        if tactic == GOALIE:
            _keep_goal(intents, i, robots, ball, field, situation, meetings, plan, t)
        elif tactic == ATTACK and kicks:
            take_kick(intents, i, robots, ball, plan, situation[STOPPED] == 0)
        elif tactic == ATTACK and situation[KIND] == RUNNING:
            has = has_ball(robots, i, ball[X], ball[Y])  # then it need not roll on to where they would meet
            if plan[FIRST_AT] > 0.0:
                come[0] = ball
                free_one(come, 0, max(plan[FIRST_AT] - t, 0.0))
                first_time(intents, i, robots, come[0], plan)
            elif has:
                aim_and_kick(intents, i, robots, ball, plan, t)
            elif i == expecting and receive(intents, i, robots, ball, field, t, met, come):
                pass
            elif _in_area(field, meetings[i, 0], meetings[i, 1]):
                x, y = out_of_area(field, ball[X], ball[Y], ROBOT_RADIUS + 0.05)
                go_to(intents, i, x, y, face)
            else:
                get_ball(intents, i, robots, ball, meetings[i, 0], meetings[i, 1])
        elif tactic == ATTACK:
            x, y = blocking_place(ball, field, 0.0)
            dx, dy = x - ball[X], y - ball[Y]
            away = max(np.hypot(dx, dy), 1e-6)
            gap = KEEP_AWAY + 2.2 * ROBOT_RADIUS
            go_to(intents, i, ball[X] + gap * dx / away, ball[Y] + gap * dy / away, face)
        else:
            go_to(intents, i, places[k, 0], places[k, 1], face)
        _obey(intents, i, tactic, robots, field, situation)


@inner
@kernel
def _in_area(field: np.ndarray, x: float, y: float) -> bool:
    """Whether a ball there can only be reached from inside a defence area."""
    return abs(x) > field[HALF_LENGTH] - field[AREA_DEPTH] - 0.02 and abs(y) < field[AREA_HALF] + 0.02


@inner
@kernel
def _keep_goal(
    intents: np.ndarray,
    i: int,
    robots: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    situation: np.ndarray,
    meetings: np.ndarray,
    plan: np.ndarray,
    t: float,
) -> None:
    """Guard the goal; fetch a slow ball from the area and get it away."""
    guard_goal(intents, i, robots, ball, field)
    slow = np.hypot(ball[BVX], ball[BVY]) < 1.0
    inside = ball[X] < 0 and _in_area(field, ball[X], ball[Y])
    if situation[KIND] == RUNNING and inside and ball[X] > -field[HALF_LENGTH]:
        if has_ball(robots, i, ball[X], ball[Y]):
            aim_and_kick(intents, i, robots, ball, plan, t)
        elif slow:
            get_ball(intents, i, robots, ball, meetings[i, 0], meetings[i, 1])
        intents[i, IN_AREA] = 1.0


@inner
@kernel
def _obey(
    intents: np.ndarray, i: int, tactic: int, robots: np.ndarray, field: np.ndarray, situation: np.ndarray
) -> None:
    """Bend an intent to the rules: distance to the ball, own half, behind a penalty, out of the areas."""
    stopped, running = situation[STOPPED] > 0, situation[KIND] == RUNNING
    kicker = tactic == ATTACK and situation[MINE] > 0 and not running
    if stopped:
        intents[i, FASTEST] = min(intents[i, FASTEST], STOP_SPEED)
        intents[i, CLOSE] = 0.0
    if not running and not kicker:
        intents[i, BALL_GAP] = KEEP_AWAY + 2 * ROBOT_RADIUS + BALL_RADIUS
    if not kicker and situation[KIND] == KICK_OFF:
        intents[i, TO_X] = min(intents[i, TO_X], -ROBOT_RADIUS - 0.1)
    if not kicker and situation[KIND] == PENALTY:
        if situation[MINE] > 0:
            intents[i, TO_X] = min(intents[i, TO_X], situation[SPOT_X] - BEHIND_PENALTY - 0.15)
        elif tactic == GOALIE:
            intents[i, TO_X] = -field[HALF_LENGTH] + ROBOT_RADIUS
        else:
            intents[i, TO_X] = max(intents[i, TO_X], situation[SPOT_X] + BEHIND_PENALTY + 0.15)
    if intents[i, BALL_GAP] > 0.3:
        dx, dy = intents[i, TO_X] - situation[SPOT_X], intents[i, TO_Y] - situation[SPOT_Y]
        away = np.hypot(dx, dy)
        if away < intents[i, BALL_GAP] + 0.03:
            grow = (intents[i, BALL_GAP] + 0.03) / max(away, 1e-6)
            intents[i, TO_X] = situation[SPOT_X] + dx * grow
            intents[i, TO_Y] = situation[SPOT_Y] + dy * grow
    if intents[i, IN_AREA] == 0 and not kicker:
        x, y = out_of_area(field, intents[i, TO_X], intents[i, TO_Y], ROBOT_RADIUS + OFF_AREA)
        intents[i, TO_X], intents[i, TO_Y] = x, y
    end, side = field[HALF_LENGTH] + 0.15, field[HALF_WIDTH] + 0.15
    intents[i, TO_X] = min(max(intents[i, TO_X], -end), end)
    intents[i, TO_Y] = min(max(intents[i, TO_Y], -side), side)
    if intents[i, BALL_GAP] > 0.3:
        dx, dy = intents[i, TO_X] - situation[SPOT_X], intents[i, TO_Y] - situation[SPOT_Y]
        if np.hypot(dx, dy) < intents[i, BALL_GAP]:  # pressed against the edge: in front of the kick, then
            away = max(np.hypot(situation[SPOT_X], situation[SPOT_Y]), 1e-6)
            gap = intents[i, BALL_GAP] + 0.03
            intents[i, TO_X] = situation[SPOT_X] * (1 - gap / away)
            intents[i, TO_Y] = situation[SPOT_Y] * (1 - gap / away)
        dx, dy = robots[i, X] - situation[SPOT_X], robots[i, Y] - situation[SPOT_Y]
        away = max(np.hypot(dx, dy), 1e-6)
        grow = intents[i, BALL_GAP] / away
        if away < intents[i, BALL_GAP] - CAUGHT and (
            abs(situation[SPOT_X] + dx * grow) > end or abs(situation[SPOT_Y] + dy * grow) > side
        ):
            intents[i, BALL_GAP] = PAST  # behind the ball, before a wall: out of there leads past the ball
