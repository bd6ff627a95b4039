"""What the sides know: late and noisy pictures, a Kalman filter each body and axis, and the world itself run
forward over the latency.

The filters of robots are those of `swerve.tactics.loop.tracker`, for all at once; the ball's knows whether
it slides (`slide`). From the filtered picture a side's own robots do what they were told since, others go on
as they did, and the ball does what balls do, touches included: the same compiled world predicts it. Pictures
tell the height of a ball in flight, as several cameras together can.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from .model import (
    BALL_COLUMNS,
    BVX,
    BVZ,
    COIN,
    DRIBBLE,
    FRAME,
    HEADING,
    NOTES,
    SPEED,
    SPIN,
    TOLD_SPIN,
    UX,
    VX,
    VY,
    X,
    Z,
)
from .slide import (
    BY,
    FREE,
    GUESSES,
    SURPRISE,
    TOUCHED,
    UNKNOWN,
    begin_anew,
    best_of,
    go_on,
    guess_anew,
    keep,
    nearest_robot,
    weigh,
)
from .world import MatchWorld, advance

BLIND = 10.0  # times as hard what is not seen may be pushed
FLOWN = 0.1  # [m/s] standard deviation of a velocity that a flight tells
CARRIED = 0.2  # [m] beyond where it could drive, at which a robot must have been carried
PUSHES = (8.0, 80.0)  # [m/s², rad/s²] not foreseen of robots: how they move and turn


@dataclass(frozen=True)
class Sight:
    """How badly one sees: standard deviations of places [m] and headings [rad], and latency in frames."""

    place: float = 0.001
    ball: float = 0.002
    heading: float = 0.006
    latency: int = 3


class Tracker:
    """Pictures in, what both sides believe out."""

    def __init__(self, world: MatchWorld, sight: Sight, random: np.random.Generator):
        n = world.robots.shape[1]
        self.world, self.sight, self.random, self.n = world, sight, random, n
        self.pictures: deque[tuple[np.ndarray, np.ndarray, np.ndarray]] = deque()  # see `look`
        self.hidden = np.zeros(n + 1, dtype=bool)  # whom the newest picture does not show
        self.flies = np.full(3, np.nan)  # [m/s] of the ball, where the newest picture tells its flight
        self.coming: tuple[int, np.ndarray, np.ndarray] | None = None  # see `look`
        self.told: deque[np.ndarray] = deque(maxlen=max(sight.latency, 1))
        self.mean = np.zeros((n + 1, 3, 2))
        self.spread = np.zeros((n + 1, 3, 2, 2))
        self.noise = np.full((n + 1, 3), max(sight.place, 1e-5))
        self.noise[:n, 2], self.noise[n] = max(sight.heading, 1e-5), max(sight.ball, 1e-5)
        self.guesses = np.zeros((GUESSES, BALL_COLUMNS))  # of the ball, which differ by how it spins
        self.scores = np.zeros(GUESSES)  # of them, the least is the best
        self.seen = False

    def look(self) -> None:
        """Take a picture, and take in the one that has arrived. `coming` is what the next frame will know at
        most: a picture's age then [frames], the picture, and whom it does not show."""
        self.pictures.append((self.picture(), self.hidden.copy(), self.flies.copy()))
        whole = len(self.pictures) > self.sight.latency
        due = self.pictures.popleft() if whole else self.pictures[0]
        self.coming = len(self.pictures) or 1, *(self.pictures[0] if self.pictures else due)[:2]
        picture, hidden, flies = due
        if not self.seen:
            self.mean[:, :, 0], self.seen = picture, True
            self.spread[:, :, 0, 0], self.spread[:, :, 1, 1] = self.noise**2, UNKNOWN
        else:
            self.take_in(picture, hidden, FRAME)
        if np.isfinite(flies).all():
            self.mean[self.n, :, 0], self.mean[self.n, :, 1] = picture[self.n], flies
            self.spread[self.n] = np.diag([self.noise[self.n, 0] ** 2, FLOWN**2])

    def take_in(self, picture: np.ndarray, hidden: np.ndarray, seconds: float) -> None:
        """Follow everybody into a picture (n + 1, 3), so long after the last."""
        take_in(
            self.mean,
            self.spread,
            self.guesses,
            self.scores,
            picture,
            hidden,
            self.noise,
            self.world.row,
            seconds,
        )

    def picture(self) -> np.ndarray:
        """What is seen (n + 1, 3): x, y and heading of robots, the ball's place and height."""
        robots, ball = self.world.robots[0], self.world.ball[0]
        truth = np.concatenate([robots[:, :3], ball[None, :3]])
        return truth + self.noise * self.random.standard_normal(truth.shape)

    def sent(self, commands: np.ndarray) -> None:
        """Remember what all robots (n, 6) were told: it is still to be seen."""
        self.told.append(commands.copy())

    def believed(self) -> tuple[np.ndarray, np.ndarray]:
        """Robots (2, n, 6) and ball (2, 8) now, as blue and as yellow believe they are."""
        n = self.n
        robots, ball = np.empty((2, n, 6)), np.zeros((2, BALL_COLUMNS))
        robots[:, :, X : HEADING + 1] = self.mean[:n, :, 0]
        robots[:, :, VX : SPIN + 1] = self.mean[:n, :, 1]
        ball[:, : Z + 1], ball[:, BVX : BVZ + 1] = self.mean[n, :, 0], self.mean[n, :, 1]
        ball[:, UX : UX + 2] = self.guesses[np.argmin(self.scores), UX : UX + 2]
        flying = ball[:, Z] > 0.05
        ball[~flying, Z] = ball[~flying, BVZ] = 0.0
        if self.sight.latency == 0:
            return robots, ball
        others = np.zeros((n, 6))
        others[:, :2], others[:, TOLD_SPIN] = robots[0, :, VX : VY + 1], robots[0, :, SPIN]
        others[:, DRIBBLE] = 1.0
        touched, met, notes = np.zeros((2, n), np.uint8), np.zeros((2, n, n)), np.zeros((2, NOTES))
        notes[1, COIN] = 1.0  # of two that are as near, each side believes in its own
        for told in self.told:
            commands = np.stack([others, others])
            commands[0, : n // 2], commands[1, n // 2 :] = told[: n // 2], told[n // 2 :]
            touched[:] = 0
            advance(robots, ball, commands, self.world.row, FRAME, 2, touched, met, notes)
        return robots, ball


@kernel
def take_in(
    mean: np.ndarray,
    spread: np.ndarray,
    guesses: np.ndarray,
    scores: np.ndarray,
    seen: np.ndarray,
    hidden: np.ndarray,
    noise: np.ndarray,
    field: np.ndarray,
    h: float,
) -> None:
    """One frame of all filters: `mean` (m, 3, 2), `spread` (m, 3, 2, 2); the last body is the ball, of which
    there are `guesses` (3, 8) with their `scores` (3,), the least the best. Who is `hidden` (m,) goes on as
    it did, and may have been pushed harder; a robot that is seen where it cannot have driven begins anew."""
    ball = len(mean) - 1
    begin_anew(mean, guesses, best_of(scores))
    was = nearest_robot(mean, BY)
    meets = go_on(mean, guesses, field, h)
    for i in range(ball):
        far_x = seen[i, 0] - mean[i, 0, 0] - h * mean[i, 0, 1]
        far_y = seen[i, 1] - mean[i, 1, 0] - h * mean[i, 1, 1]
        if not hidden[i] and np.hypot(far_x, far_y) > CARRIED + 2 * SPEED * h:
            for a in range(3):
                mean[i, a, 0], mean[i, a, 1] = seen[i, a], 0.0
                spread[i, a, 0, 0], spread[i, a, 1, 1] = noise[i, a] ** 2, UNKNOWN
                spread[i, a, 0, 1] = spread[i, a, 1, 0] = 0.0
            continue
        harder = BLIND if hidden[i] else 1.0
        for a in range(3):
            mean[i, a, 0] += h * mean[i, a, 1]
            _widen(spread[i, a], harder * PUSHES[1 if a == HEADING else 0], h)
            if not hidden[i]:
                gap = seen[i, a] - mean[i, a, 0]
                if a == HEADING:  # headings go round
                    gap -= 2 * np.pi * np.round(gap / (2 * np.pi))
                _correct(mean[i, a], spread[i, a], gap, noise[i, a])
    best = best_of(scores)
    vx, vy = mean[ball, 0, 1], mean[ball, 1, 1]
    keep(mean, guesses, best)
    near = nearest_robot(mean, BY)
    near = near if near >= 0 else was
    push = (BLIND if hidden[ball] else 1.0) * (TOUCHED if meets or near >= 0 else FREE)
    hit = False
    for a in range(3):
        _widen(spread[ball, a], push, h)
        gap = seen[ball, a] - mean[ball, a, 0]
        hit = hit or abs(gap) > SURPRISE * np.sqrt(spread[ball, a, 0, 0] + noise[ball, a] ** 2)
    if hidden[ball]:
        return
    weigh(guesses, scores, seen[ball], spread[ball], noise[ball])
    best = best_of(scores)
    for a in range(3):
        p = spread[ball, a]
        if hit:
            p[0, 0] += UNKNOWN * h * h
            p[0, 1] = p[1, 0] = UNKNOWN * h
            p[1, 1] = UNKNOWN
        whole = p[0, 0] + noise[ball, a] ** 2
        g0, g1 = p[0, 0] / whole, p[1, 0] / whole
        for k in range(GUESSES):
            gap = seen[ball, a] - guesses[k, a]
            guesses[k, a] += g0 * gap
            guesses[k, BVX + a] += g1 * gap
        _narrow(p, g0, g1)
    keep(mean, guesses, best)
    if hit:
        guess_anew(mean, guesses, scores, best, near, vx, vy)
        keep(mean, guesses, best_of(scores))


@inner
@bare
def _widen(p: np.ndarray, push: float, h: float) -> None:
    """The spread (2, 2) of a place and a velocity after `h` seconds, pushed by so much [m/s²]."""
    q = push * push
    p00 = p[0, 0] + h * (p[0, 1] + p[1, 0]) + h * h * p[1, 1] + q * h**4 / 4
    p01 = p[0, 1] + h * p[1, 1] + q * h**3 / 2
    p[0, 0], p[0, 1], p[1, 0], p[1, 1] = p00, p01, p01, p[1, 1] + q * h * h


@inner
@bare
def _correct(mean: np.ndarray, p: np.ndarray, gap: float, noise: float) -> None:
    """Take in a place that was seen `gap` away from where it was expected."""
    whole = p[0, 0] + noise * noise
    g0, g1 = p[0, 0] / whole, p[1, 0] / whole
    mean[0] += g0 * gap
    mean[1] += g1 * gap
    _narrow(p, g0, g1)


@inner
@bare
def _narrow(p: np.ndarray, g0: float, g1: float) -> None:
    """The spread (2, 2) after a place was taken in with these gains."""
    p11 = p[1, 1] - g1 * p[0, 1]
    p[0, 0], p[0, 1] = (1 - g0) * p[0, 0], (1 - g0) * p[0, 1]
    p[1, 0], p[1, 1] = p[0, 1], p11
