"""The attacker that looks ahead: all it could do is played forward, one future after another, and the best
chosen.

Every candidate is played once; the best few are then played again with the small errors a kick has, so that
what works only if it is perfect is worth less. No frame plays more than so many seconds of futures: a thought
goes on over several, each with the world as it is by then, and until the first is done the attacker already
turns towards what looks best so far.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..match.field import HALF_LENGTH
from ..match.model import BVX, BVY, HEADING, HELD, X, Y
from ..match.referee import State
from ..match.rules import LET_GO
from .first_time import MOST as MOST_FIRST
from .first_time import first_touches
from .frame import (
    AIM_X,
    AIM_Y,
    CARRY_UNTIL,
    CLEAR,
    CLOCK,
    FIRST_AT,
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
from .worth import worth_of_having

ERRORS = np.array([0.0, 0.015, -0.015, 0.035, -0.035])  # [rad] by which kicks miss
FEW = 10  # candidates that are looked at twice
A_FRAME = 40.0  # [s] of futures that one frame plays: a thought takes about three of them
RESTING_EVERY = 15  # frames between thoughts about a ball that rests
KEEP = 0.03  # that another plan must be better by
CARRY_MOST, CARRY_LIMIT = 0.5, 0.75  # [m] after which the ball is not carried on, and is kicked in any case
CARRY_TIME, NOT_BEFORE = 3.0, -0.25  # [s] for so long, and not near our goal (share of half the field)
FREE = 1.0  # [m] from their nearest, where it is carried there, too
RID_SPEED = 2.5  # [m/s]
FIRST_EVERY, FIRST_FEW = 3, 4  # frames between thoughts about a ball that comes; shots looked at twice
FIRST_FIXED = 0.12  # [s] before it is there that a shot is fixed
FIRST_LATE = -0.15  # [s] when it has been missed
FIRST_LEAST = 0.1  # worth of a shot at first touch


@dataclass
class Thought:
    """A choice in the making: `count` candidates in `plans`, of which `done` have been played; then the `few`
    best, the rows `order` of them. `going_on` is the row of what is being done, −1 if nothing is."""

    plans: np.ndarray
    count: int
    going_on: int
    done: int = 0
    order: np.ndarray | None = None
    few: np.ndarray | None = None


class Lookahead:
    """Thinks for whoever has the ball, and sticks to a plan until another is clearly better."""

    def __init__(self, field: np.ndarray, robots: int, a_frame: float = A_FRAME):
        self.field, self.n, self.a_frame = field, robots, a_frame
        self.thought: Thought | None = None
        self.frames = 0
        self.who = -1
        self.since = -1.0  # when the attacker got the ball
        self.carried_from = np.zeros(2)
        self.receiver = -1
        self.keeper = 0  # robot that keeps goal, −1 where a play has none

    def think(
        self, robots: np.ndarray, ball: np.ndarray, situation: np.ndarray, who: int, plan: np.ndarray
    ) -> None:
        """Put the best thing to do into `plan` (11,)."""
        resting = situation[KIND] != State.RUNNING
        holds = has_ball(robots, who, ball[X], ball[Y])
        t = situation[CLOCK]
        if holds and not resting and who == self.receiver and plan[FIRST_AT] > t + FIRST_LATE:
            return  # it arrives, and goes on at once
        if not holds and not resting:
            if np.hypot(*(robots[who, :2] - ball[:2])) > HELD + LET_GO:
                self.who, self.thought = -1, None
                self._receive(robots, ball, who, t, plan)
            return
        if self.who != who:
            self.who, self.since, self.carried_from = who, t, ball[:2].copy()
            self.thought, plan[:] = None, 0.0
        if resting and situation[STOPPED] == 0 and plan[WHAT] > 0 and self.thought is None:
            return  # lined up by now: no more changes
        if (
            not resting
            and np.hypot(*(ball[:2] - self.carried_from)) > CARRY_LIMIT
            and self._rid(robots, who, plan)
        ):
            return
        self.frames += 1
        if self.thought is None:
            if resting and plan[WHAT] > 0 and self.frames % RESTING_EVERY != 0:
                return
            self.thought = self._begin(robots, ball, who, resting, t, plan)
        self._go_on(self.thought, robots, ball, who, resting, t, plan)

    def _receive(self, robots: np.ndarray, ball: np.ndarray, who: int, t: float, plan: np.ndarray) -> None:
        """A ball that comes: shoot as it arrives, if that is better than to stop it."""
        going_on = plan[FIRST_AT] - t
        if who != self.receiver or going_on < FIRST_LATE:
            self.frames = self.frames if who == self.receiver else -1  # at once
            plan[FIRST_AT], self.receiver = 0.0, who
        elif going_on < FIRST_FIXED:
            return
        self.frames += 1
        if who == self.keeper or self.frames % FIRST_EVERY != 0:
            return
        plans = np.zeros((MOST_FIRST + 1, PLAN_COLUMNS))
        count = first_touches(robots, ball, self.field, who, plans[:MOST_FIRST])
        if plan[FIRST_AT] > 0:
            plans[count], plans[count, FIRST_AT] = plan, going_on
            count += 1
        few, tried = plans[:count], ERRORS[:1]
        for most, errors in ((FIRST_FEW, ERRORS), (0, ERRORS)):
            outcomes(robots, ball, self.field, who, False, few, len(few), tried, self.a_frame / 3)
            order = np.argsort(-few[:, WORTH], kind="stable")
            few, tried = few[order[: most or 1]], errors
        if not len(few) or few[0, WORTH] < FIRST_LEAST:
            plan[FIRST_AT] = 0.0
            return
        place = ball[:2] + few[0, FIRST_AT] * ball[BVX : BVY + 1]
        if few[0, WORTH] > worth_of_having(robots, self.field, *place):
            plan[:] = few[0]
            plan[FIRST_AT] += t

    def _rid(self, robots: np.ndarray, who: int, plan: np.ndarray) -> bool:
        """Before it has carried the ball too far it kicks it away as it stands, unless towards our goal."""
        x, y, heading = robots[who, : HEADING + 1]
        if who == self.keeper or (x < 0 and np.cos(heading) < 0):
            return False
        plan[:] = 0.0
        plan[WHAT], plan[MATE], plan[TOLERANCE], plan[SPEED_OUT] = CLEAR, -1, 0.5, RID_SPEED
        plan[AIM_X], plan[AIM_Y] = x + 2 * np.cos(heading), y + 2 * np.sin(heading)
        return True

    def _begin(
        self, robots: np.ndarray, ball: np.ndarray, who: int, resting: bool, t: float, plan: np.ndarray
    ) -> Thought:
        """All that could be done from here, and what is being done, as far as it has got."""
        carried = np.hypot(*(ball[:2] - self.carried_from))
        nearest = np.hypot(*(robots[self.n :, :2] - ball[:2]).T).min()
        safe = ball[X] > NOT_BEFORE * self.field[HALF_LENGTH] or nearest > FREE
        may_carry = not resting and safe and carried < CARRY_MOST and t - self.since < CARRY_TIME
        plans = np.zeros((MOST, PLAN_COLUMNS))
        count = propose(robots, ball, self.field, who, who == self.keeper, may_carry, plans[: MOST - 1])
        if plan[WHAT] == 0 or (plan[SPEED_OUT] == 0 and plan[CARRY_UNTIL] <= t):
            return Thought(plans, count, -1)  # nothing is being done, or the ball is only held by now
        plans[1 : count + 1] = plans[:count].copy()
        plans[0] = plan
        plans[0, CARRY_UNTIL] = max(plan[CARRY_UNTIL] - t, 0.0)
        return Thought(plans, count + 1, 0)

    def _go_on(
        self,
        thought: Thought,
        robots: np.ndarray,
        ball: np.ndarray,
        who: int,
        resting: bool,
        t: float,
        plan: np.ndarray,
    ) -> None:
        """Play as many futures as a frame may; when all are played, choose."""
        if thought.few is None:
            part = thought.plans[thought.done : thought.count]
            thought.done += outcomes(
                robots, ball, self.field, who, resting, part, len(part), ERRORS[:1], self.a_frame
            )
            if thought.done == thought.count:
                order = np.argsort(-thought.plans[: thought.count, WORTH], kind="stable")[:FEW]
                if thought.going_on >= 0 and thought.going_on not in order:
                    order[-1] = thought.going_on
                thought.order, thought.few, thought.done = order, thought.plans[order], 0
            if plan[WHAT] == 0:
                best = int(np.argmax(thought.plans[: thought.done or thought.count, WORTH]))
                plan[:] = thought.plans[best]
                plan[CARRY_UNTIL] = 0.0
                if not resting:
                    plan[SPEED_OUT] = 0.0  # turn that way, no more, until it has been thought through
            return
        part = thought.few[thought.done :]
        thought.done += outcomes(
            robots, ball, self.field, who, resting, part, len(part), ERRORS, self.a_frame
        )
        if thought.done == len(thought.few) and thought.order is not None:
            self._choose(thought.few, thought.order == thought.going_on, t, plan)
            self.thought = None

    @staticmethod
    def _choose(few: np.ndarray, going_on: np.ndarray, t: float, plan: np.ndarray) -> None:
        best = int(np.argmax(few[:, WORTH] + KEEP * going_on))
        if going_on[best]:
            plan[WORTH] = few[best, WORTH]
            return
        plan[:] = few[best]
        plan[CARRY_UNTIL] = t + plan[CARRY_UNTIL] if plan[CARRY_UNTIL] > 0 else 0.0
