"""What a match leaves behind: rows for a recording, and the figures that people ask for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .calls import state_in_words
from .field import Field
from .model import BALL_COLUMNS, turned_round
from .referee import Referee, State
from .world import Happened, MatchWorld

LEAST_PASS = 0.5  # [m]
AGAIN = 0.1  # [m] from where it kicked the ball, beyond which a robot that touches it has it again


class Log:
    """Grows frame by frame; every `keep`-th is written down, as it was on the field."""

    def __init__(self, field: Field, keep: int = 2):
        n = 2 * field.robots
        self.field, self.keep, self.frames = field, max(1, keep), 0
        self.times: list[float] = []
        self.robots: list[np.ndarray] = []
        self.balls: list[np.ndarray] = []
        self.contact: list[np.ndarray] = []
        self.states: list[int] = []
        self.words: list[str] = []  # the referee's
        self.plays: list[tuple[str, ...]] = []
        self.tactics: list[tuple[str, ...]] = []  # of each robot
        self.owned = np.zeros(2)  # frames of play in which each side had touched the ball last
        self.passes, self.kicks = [0, 0], [0, 0]
        self.pair_frames = np.zeros((n, n))  # that pairs of robots touched
        self.kicker, self.kicked_at, self.last = -1, np.zeros(2), -1
        self.touching = np.zeros(n, dtype=bool)  # who touched another robot since the last row
        self.on = False  # whether the ball might be played when the frame began

    def note(self, world: MatchWorld, happened: Happened, referee: Referee, sides: Sequence[object]) -> None:
        """Take down a frame that has been played."""
        touching = happened.met > 0
        self.pair_frames += touching
        self.touching |= touching.any(axis=0) | touching.any(axis=1)
        on = referee.state not in (State.STOP, State.OVER)
        if (
            on and self.on
        ):  # the frame of a restart's kick ends before the ball has gone far enough to be RUNNING
            self._follow(world, happened)
            if self.last >= 0 and referee.state is State.RUNNING:
                self.owned[self.last // self.field.robots] += 1
        else:
            self.last = self.kicker = -1
        self.on = on
        if self.frames % self.keep == 0:
            self.times.append(referee.t)
            robots, ball = world.robots[0], world.ball[0]
            if referee.turned:
                robots, ball = turned_round(robots, ball)
            self.robots.append(robots.astype(np.float32))
            self.balls.append(ball.astype(np.float32))
            self.contact.append(self.touching.copy())
            self.touching[:] = False
            self.states.append(int(referee.state))
            self.words.append(state_in_words(referee))
            self.plays.append(tuple(_play_of(side) for side in sides))
            self.tactics.append(tuple(word for side in sides for word in self._doing(side)))
        self.frames += 1

    def _follow(self, world: MatchWorld, happened: Happened) -> None:
        """Passes: one kicks, and the next to touch, half a metre on or more, is a mate. Who takes along what
        it has kicked has it again."""
        n = self.field.robots
        if happened.last >= 0:
            went = np.hypot(*(world.ball[0, :2] - self.kicked_at))
            if happened.last == self.kicker and went > AGAIN:
                self.kicker = -1
            elif self.kicker >= 0 and happened.last != self.kicker:
                mates = happened.last // n == self.kicker // n
                self.passes[self.kicker // n] += int(mates and went > LEAST_PASS)
                self.kicker = -1
            self.last = happened.last
        if happened.kicker >= 0:
            self.kicker, self.kicked_at = happened.kicker, world.ball[0, :2].copy()
            self.kicks[happened.kicker // n] += 1

    def _doing(self, side: object) -> list[str]:
        told = getattr(side, "doing", None)
        return list(told()) if told is not None else [""] * self.field.robots

    @property
    def possession(self) -> list[float]:
        """Share of the play in which each side had the ball."""
        whole = max(self.owned.sum(), 1.0)
        return [float(share) for share in self.owned / whole]

    @property
    def most_contact(self) -> float:
        """Share of the time that the pair touched which touched most."""
        return float(self.pair_frames.max() / max(self.frames, 1))

    def tracks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times (k,), robots (k, n, 6) and ball (k, 8) as they were written down."""
        n = 2 * self.field.robots
        robots = np.array(self.robots, dtype=float).reshape(-1, n, 6)
        return np.array(self.times), robots, np.array(self.balls, dtype=float).reshape(-1, BALL_COLUMNS)


def _play_of(side: object) -> str:
    play = getattr(getattr(side, "mind", None), "play", None)
    return str(getattr(play, "name", ""))
