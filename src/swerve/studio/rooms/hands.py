"""A person's hands as a mind of the world: what the page last said of wheel and pedals.

Silence means that nobody is there any more: then the car is braked to a halt.
"""

from __future__ import annotations

import time

import numpy as np

from swerve.core.view import View

from .room import Message, number

SILENCE = 0.4  # [s] while keys are held the page speaks every 20 ms
TURNING, RETURNING = 3.5, 6.0  # [1/s] how fast a key turns the wheel, and how fast it comes back
BRAKES = 0.05  # of the brake's way that count as braking
CALM = 14.0  # [m/s] above which a key turns the wheel less


class Hands:
    """Commands (1, 3) steer, throttle and brake; `full` is what full wheel, throttle and brake are."""

    def __init__(self, full: tuple[float, float, float], rolling: float = 0.06):
        self.full, self.rolling = np.array(full), rolling
        self.wanted = {"steer": 0.0, "throttle": 0.0, "brake": 0.0, "back": 0.0}
        self.heard = -np.inf  # [s] when somebody last said something with keys held
        self.wheel = 0.0
        self.reaction: float | None = None  # [s] of the person's own time, since `watch`
        self._watched_since: float | None = None
        self.held = np.zeros(3)  # what was last commanded

    def hear(self, message: Message) -> None:
        """What the page says of the keys, the gamepad or the wheel."""
        for name, low in (("steer", -1.0), ("throttle", 0.0), ("brake", 0.0), ("back", 0.0)):
            self.wanted[name] = number(message, name, low, 1.0, 0.0)
        self.heard = time.monotonic()
        if self._watched_since is not None and self.wanted["brake"] > BRAKES:
            self.reaction, self._watched_since = self.heard - self._watched_since, None

    def watch(self) -> None:
        """From now on, note when the brake is pressed; not if it is already.

        By the clock of whoever sits there: the world may run slower than that.
        """
        brakes = self.wanted["brake"] > BRAKES
        self.reaction, self._watched_since = None, None if brakes else time.monotonic()

    def choose(self, view: View, dt: float) -> np.ndarray:
        held = any(self.wanted.values())
        if held and time.monotonic() - self.heard > SILENCE:
            self.wanted = dict.fromkeys(self.wanted, 0.0)
            held = False
        speed = float(view.mine.speed[0])
        aim = self.wanted["steer"] * min(1.0, CALM / max(speed, 1.0))
        rate = (TURNING if abs(aim) > abs(self.wheel) else RETURNING) * dt
        self.wheel += float(np.clip(aim - self.wheel, -rate, rate))
        throttle = self.wanted["throttle"] - self.wanted["back"]
        brake = max(self.wanted["brake"], 0.0 if throttle else self.rolling)
        self.held = self.full * [self.wheel, throttle, brake]
        return self.held[None]
