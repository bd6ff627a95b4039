"""What a team makes of a game controller's commands: the situation that it decides in.

>>> heard = Heard(side=0)
>>> heard.hear(Ruling(stage=1, command=5, counter=1, since=0.0))  # a kick-off of blue's is prepared
>>> heard.situation(np.zeros(8), t=0.0)[:2].tolist() == [float(State.KICK_OFF), 1.0]
True
"""

from __future__ import annotations

import numpy as np

from .league.packets import Ruling
from .match.referee import KICK_WITHIN, State

HALT, STOP, NORMAL_START, FORCE_START = range(4)
AFTER = 13  # the stage after a game
TIMEOUTS = (12, 13)
PREPARED = {4: State.KICK_OFF, 6: State.PENALTY, 8: State.FREE_KICK, 10: State.FREE_KICK}  # yellow's
MOVED = 0.08  # [m] after which a kick has been taken


class Heard:
    """Remembers what was said last, and where the ball was then."""

    def __init__(self, side: int):
        self.side = side
        self.ruling: Ruling | None = None
        self.kind, self.mine = State.RUNNING, False
        self.spot: np.ndarray | None = None  # [m] of the kick that is to be taken
        self.since: float | None = None  # [s] when it could be

    @property
    def flipped(self) -> bool:
        """Whether blue attacks towards −x."""
        return self.ruling is not None and self.ruling.blue_on_positive_half

    @property
    def halted(self) -> bool:
        return self.ruling is not None and self.ruling.command in (HALT, *TIMEOUTS)

    def hear(self, ruling: Ruling) -> None:
        before, self.ruling = self.ruling, ruling
        if before is not None and (before.counter, before.command) == (ruling.counter, ruling.command):
            return
        command = ruling.command
        if command == NORMAL_START and self.kind is not State.RUNNING:
            self.since = None  # what was prepared may be kicked now
            return
        self.spot = self.since = None
        coming = ruling.coming if command == STOP and ruling.coming is not None else command
        self.kind, self.mine = State.RUNNING, False
        if coming & ~1 in PREPARED:
            self.kind, self.mine = PREPARED[coming & ~1], (coming & 1 == 1) == (self.side == 0)
        elif command not in (NORMAL_START, FORCE_START):
            self.kind = State.FREE_KICK  # a stop, or a ball that is being placed: keep away from it

    def situation(self, ball: np.ndarray, t: float) -> np.ndarray:
        """As `team.frame` names its columns, (7,)."""
        said = self.ruling
        if said is None:  # no referee: play on
            return np.array([State.RUNNING, 0.0, 0.0, 0.0, 0.0, 0.0, t])
        waits = said.command not in (NORMAL_START, FORCE_START) and not (
            said.command & ~1 in PREPARED and self.kind is State.FREE_KICK
        )
        spot = self._spot(ball, waits)
        if self.kind is not State.RUNNING and not waits:
            self.since = t if self.since is None else self.since
            if np.hypot(*(ball[:2] - spot)) > MOVED or t - self.since > KICK_WITHIN:
                self.kind, self.mine = State.RUNNING, False
        sign = 1.0 if self.side == 0 else -1.0
        lead = said.score[self.side] - said.score[1 - self.side]
        return np.array([self.kind, self.mine, *(sign * spot), waits, lead, t], dtype=float)

    def _spot(self, ball: np.ndarray, waits: bool) -> np.ndarray:
        """Where the ball is, or where it will be put; it stays there once it may be kicked."""
        if self.spot is None or waits:
            placed = self.ruling.placement if self.ruling is not None else None
            if placed is not None and np.isfinite(placed).all() and np.abs(placed).max() < 20.0:
                self.spot = -placed if self.flipped else placed.copy()
            elif self.kind is State.KICK_OFF:
                self.spot = np.zeros(2)
            else:
                self.spot = ball[:2].copy()
        return self.spot
