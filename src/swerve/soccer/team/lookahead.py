"""The attacker that looks ahead: all it could do is played forward, in many futures, and the best chosen.

Every candidate is played once; the best few are then played again with the small errors a kick has, so that
what works only if it is perfect is worth less. No frame plays more than so many seconds of futures: a thought
goes on over several, each with the world as it is by then, and until the first is done the attacker already
turns towards what looks best so far.
"""

from __future__ import annotations

from dataclasses import dataclass

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
A_FRAME = 40.0  # [s] of futures that one frame plays: a thought takes about three of them
RESTING_EVERY = 15  # frames between thoughts about a ball that rests
KEEP = 0.03  # that another plan must be better by
CARRY_MOST, CARRY_LIMIT = 0.5, 0.75  # [m] after which the ball is not carried on, and is kicked in any case
CARRY_TIME, NOT_BEFORE = 3.0, -0.25  # [s] for so long, and not near our goal (share of half the field)
RID_SPEED = 2.5  # [m/s]


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

    def think(
        self, robots: np.ndarray, ball: np.ndarray, situation: np.ndarray, who: int, plan: np.ndarray
    ) -> None:
        """Put the best thing to do into `plan` (11,)."""
        resting = situation[KIND] != State.RUNNING
        holds = has_ball(robots, who, ball[X], ball[Y])
        t = situation[CLOCK]
        if not holds and not resting:
            if np.hypot(*(robots[who, :2] - ball[:2])) > HELD + LET_GO:
                self.who, self.thought = -1, None
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

    def _rid(self, robots: np.ndarray, who: int, plan: np.ndarray) -> bool:
        """Before it has carried the ball too far it kicks it away as it stands, unless towards our goal."""
        x, y, heading = robots[who, : HEADING + 1]
        if who == 0 or (x < 0 and np.cos(heading) < 0):
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
        safe = ball[X] > NOT_BEFORE * self.field[HALF_LENGTH]
        may_carry = not resting and safe and carried < CARRY_MOST and t - self.since < CARRY_TIME
        plans = np.zeros((MOST, PLAN_COLUMNS))
        count = propose(robots, ball, self.field, who, may_carry, plans[: MOST - 1])
        if plan[WHAT] == 0:
            return Thought(plans, count, -1)
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
