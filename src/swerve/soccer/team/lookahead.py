"""The attacker that looks ahead: all it could do is played forward, in many futures, and the best chosen.

Every candidate is played once; the best few are then played again with the small errors a kick has, so that
what works only if it is perfect is worth less.
"""

from __future__ import annotations

import numpy as np

from ..match.field import HALF_LENGTH
from ..match.model import HEADING, HELD, X, Y
from ..match.referee import State
from ..match.rules import LET_GO
from .frame import (
    AIM_X,
    AIM_Y,
    CARRY_UNTIL,
    CLEAR,
    CLOCK,
    KIND,
    MATE,
    PLAN_COLUMNS,
    SPEED_OUT,
    STOPPED,
    TOLERANCE,
    WHAT,
    WORTH,
    has_ball,
)
from .futures import outcomes
from .propose import MOST, propose

ERRORS = np.array([0.0, 0.015, -0.015, 0.035, -0.035])  # [rad] by which kicks miss
FEW = 10  # candidates that are looked at twice
EVERY = 3  # frames between thoughts
KEEP = 0.03  # that another plan must be better by
CARRY_MOST, CARRY_LIMIT = 0.5, 0.75  # [m] after which the ball is not carried on, and is kicked in any case
CARRY_TIME, NOT_BEFORE = 3.0, -0.25  # [s] for so long, and not near our goal (share of half the field)
RID_SPEED = 2.5  # [m/s]


class Lookahead:
    """Thinks for whoever has the ball, and sticks to a plan until another is clearly better."""

    def __init__(self, field: np.ndarray, robots: int):
        self.field, self.n = field, robots
        self.plans = np.zeros((MOST, PLAN_COLUMNS))
        self.frames = 0
        self.who = -1
        self.since = -1.0  # when the attacker got the ball
        self.carried_from = np.zeros(2)

    def think(
        self, robots: np.ndarray, ball: np.ndarray, situation: np.ndarray, who: int, plan: np.ndarray
    ) -> None:
        """Put the best thing to do into `plan` (11,)."""
        resting = situation[KIND] != State.RUNNING
        holds = has_ball(robots, who, ball[X], ball[Y])
        t = situation[CLOCK]
        if not holds and not resting:
            if np.hypot(*(robots[who, :2] - ball[:2])) > HELD + LET_GO:
                self.who = -1
            return
        if resting and situation[STOPPED] == 0 and plan[WHAT] > 0 and self.who == who:
            return  # lined up by now: no more changes
        if self.who != who:
            self.who, self.since, self.carried_from = who, t, ball[:2].copy()
            plan[:] = 0.0
        if (
            not resting
            and np.hypot(*(ball[:2] - self.carried_from)) > CARRY_LIMIT
            and self._rid(robots, who, plan)
        ):
            return
        self.frames += 1
        if plan[WHAT] > 0 and (self.frames % (EVERY if not resting else 15)) != 0:
            return
        self._choose(robots, ball, who, resting, t, plan)

    def _rid(self, robots: np.ndarray, who: int, plan: np.ndarray) -> bool:
        """Before it has carried the ball too far it kicks it away as it stands, unless towards our goal."""
        x, y, heading = robots[who, : HEADING + 1]
        if who == 0 or (x < 0 and np.cos(heading) < 0):
            return False
        plan[:] = 0.0
        plan[WHAT], plan[MATE], plan[TOLERANCE], plan[SPEED_OUT] = CLEAR, -1, 0.5, RID_SPEED
        plan[AIM_X], plan[AIM_Y] = x + 2 * np.cos(heading), y + 2 * np.sin(heading)
        return True

    def _choose(
        self, robots: np.ndarray, ball: np.ndarray, who: int, resting: bool, t: float, plan: np.ndarray
    ) -> None:
        carried = np.hypot(*(ball[:2] - self.carried_from))
        safe = ball[X] > NOT_BEFORE * self.field[HALF_LENGTH]
        may_carry = not resting and safe and carried < CARRY_MOST and t - self.since < CARRY_TIME
        count = propose(robots, ball, self.field, who, may_carry, self.plans[: MOST - 1])
        if plan[WHAT] > 0:  # what was planned goes on, as far as it has got
            self.plans[count] = plan
            self.plans[count, CARRY_UNTIL] = max(plan[CARRY_UNTIL] - t, 0.0)
            count += 1
        outcomes(robots, ball, self.field, who, resting, self.plans, count, ERRORS[:1])
        going_on = count - 1 if plan[WHAT] > 0 else -1
        order = np.argsort(-self.plans[:count, WORTH], kind="stable")[:FEW]
        if going_on >= 0 and going_on not in order:
            order[-1] = going_on
        few = self.plans[order]
        outcomes(robots, ball, self.field, who, resting, few, len(few), ERRORS)
        worth = few[:, WORTH] + KEEP * (order == going_on)
        best = int(np.argmax(worth))
        if order[best] == going_on:
            plan[WORTH] = few[best, WORTH]
            return
        plan[:] = few[best]
        plan[CARRY_UNTIL] = t + plan[CARRY_UNTIL] if plan[CARRY_UNTIL] > 0 else 0.0
