"""Two robots that press for the same ball can hold each other off it for as long as both go on. Who has
been held off so for a moment steps back for another, of a length that is drawn: not both return at once."""

from __future__ import annotations

import numpy as np

from ..match.model import BALL_RADIUS, BVX, BVY, HELD, REACH, ROBOT_RADIUS
from .frame import CHIP, CLOSE, KICK, TO_X, TO_Y

PATIENCE, BACK = 0.4, (0.4, 1.2)  # [s] of pressing before stepping back; of being back, at least and at most
STEP_BACK = 0.12  # [m]
TOUCH, REST = 0.015, 0.15  # [m] between robots, [m/s] of a ball that nobody gets
NEAR = 2 * ROBOT_RADIUS + 2 * BALL_RADIUS  # [m] from a ball that is pressed for


class Standoff:
    """Watches one team's attacker from frame to frame."""

    def __init__(self, random: np.random.Generator):
        self.random = random
        self.held, self.back, self.last = 0.0, 0.0, 0.0

    def bend(
        self, intents: np.ndarray, robots: np.ndarray, ball: np.ndarray, who: int, playing: bool, t: float
    ) -> None:
        """Change what robot `who` is about to do, if it has pressed for a ball in vain; ours come first."""
        passed, self.last = min(max(t - self.last, 0.0), 0.1), t
        x, y = robots[who, :2] if who >= 0 else (0.0, 0.0)
        away = float(np.hypot(ball[0] - x, ball[1] - y))
        if who < 0 or not playing or not HELD + REACH < away < NEAR or np.hypot(*ball[BVX : BVY + 1]) > REST:
            self.held = self.back = 0.0
            return
        others = robots[len(robots) // 2 :, :2] - (x, y)
        gaps = np.hypot(*others.T)
        nearest = int(gaps.argmin())
        if self.back <= 0.0:
            self.held = self.held + passed if gaps[nearest] < 2 * ROBOT_RADIUS + TOUCH else 0.0
            if self.held > PATIENCE:
                self.held, self.back = 0.0, self.random.uniform(*BACK)
        if self.back > 0.0:
            self.back -= passed
            off = max(2 * ROBOT_RADIUS + STEP_BACK - gaps[nearest], 0.0)
            intents[who, TO_X : TO_Y + 1] = robots[who, :2] - off * others[nearest] / max(gaps[nearest], 1e-9)
            intents[who, [CLOSE, KICK, CHIP]] = 0.0
