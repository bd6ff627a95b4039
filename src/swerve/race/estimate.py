"""Where the car is and what car it is, from sensors that are noisy: an extended Kalman filter around the
car's own physics.

What is thought of a car is its state (6,) and by which fraction each of its constants is off (11,). The
constants stay what they are: at first they may be off by as much as the stated mismatch, and with every
manoeuvre that they show in they are known better. So what is seen is soon told apart from what only seems to
be, and hands need not follow the noise.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from swerve.core.geometry import wrap
from swerve.core.kernels import kernel

from .car import CarParameters
from .line_hold import frame_on

NOISE = np.array([0.5, 0.5, 0.05, 1.0, 1.0, 0.1])  # of x, y [m], heading, vx, vy [m/s], yaw rate at --noise 1
LEAST_NOISE = 1e-3  # of sensors that are said to be perfect
LEAST_MISMATCH = 0.02  # that of a driver who thinks to know the car
# of vx, vy and yaw rate, by which a frame of physics is off at a mismatch of 1 for no reason that the
# constants tell: next to nothing, but a filter that doubts nothing ends up deaf
STRAY = np.array([0.0, 0.0, 0.0, 0.001, 0.001, 0.001])
FURTHEST = 3.0  # times the mismatch that a constant is believed to be off: narrower bounds bend the others
MOST = 0.9  # and at most, as a fraction
CONSTANTS = len(fields(CarParameters))
KNOWN = 6 + CONSTANTS
NUDGE = np.concatenate([[1e-3, 1e-3, 1e-4, 1e-3, 1e-3, 1e-4], np.full(CONSTANTS, 1e-3)])


@kernel
def frame_of(thought: np.ndarray, steer: float, drive: float, p: np.ndarray, car: np.ndarray) -> None:
    """Move what is thought of a car (17,) on by a frame, in place; `car` (11,) is overwritten."""
    for k in range(len(p)):
        car[k] = p[k] * (1.0 + thought[6 + k])
    frame_on(thought, steer, drive, car)


@kernel
def foretold(
    thought: np.ndarray, spread: np.ndarray, steer: float, drive: float, p: np.ndarray, stray: np.ndarray
) -> None:
    """Move what is thought of a car (17,) and its `spread` (17, 17) on by a frame, in place.

    Constants stay: of the slope of a frame only the rows of the state (6, 17) are not those of an identity.
    """
    slope, moved = np.empty((6, KNOWN)), np.empty((6, KNOWN))
    up, down, car = np.empty(KNOWN), np.empty(KNOWN), np.empty(CONSTANTS)
    for k in range(KNOWN):
        for i in range(KNOWN):
            up[i] = down[i] = thought[i]
        up[k] += NUDGE[k]
        down[k] -= NUDGE[k]
        frame_of(up, steer, drive, p, car)
        frame_of(down, steer, drive, p, car)
        for i in range(6):
            slope[i, k] = (up[i] - down[i]) / (2 * NUDGE[k])
    frame_of(thought, steer, drive, p, car)
    for i in range(6):
        for j in range(KNOWN):
            moved[i, j] = 0.0
            for k in range(KNOWN):
                moved[i, j] += slope[i, k] * spread[k, j]
    for i in range(6):
        for j in range(6, KNOWN):
            spread[i, j] = spread[j, i] = moved[i, j]
        for j in range(6):
            spread[i, j] = stray[i] ** 2 if i == j else 0.0
            for k in range(KNOWN):
                spread[i, j] += moved[i, k] * slope[j, k]


class Belief:
    """What a driver believes of a car that was in `state` (6,), seen with `noise` (as a fraction of `NOISE`),
    whose constants are `known` (11,) but for the fraction `mismatch` of each at most.
    """

    def __init__(self, state: np.ndarray, known: np.ndarray, noise: float, mismatch: float):
        self.known, self.most = known, max(LEAST_MISMATCH, mismatch)
        self.noise = max(LEAST_NOISE, noise) * NOISE
        self.furthest = min(MOST, FURTHEST * self.most)
        self.stray = self.most * STRAY
        self.thought = np.append(state, np.zeros(CONSTANTS))
        doubt = np.full(CONSTANTS, self.most / np.sqrt(3.0))  # as far off as evenly drawn ones are
        self.spread = np.diag(np.concatenate([self.noise, doubt]) ** 2)

    @property
    def state(self) -> np.ndarray:
        """(6,)"""
        return self.thought[:6]

    @property
    def constants(self) -> np.ndarray:
        """(11,) as the driver now believes them to be."""
        return self.known * (1.0 + self.thought[6:])

    def look(self, seen: np.ndarray) -> None:
        """Take in the state (6,) that is seen."""
        off = seen - self.state
        off[2] = wrap(off[2])
        gain = np.linalg.solve(self.spread[:6, :6] + np.diag(self.noise**2), self.spread[:6]).T
        self.thought += gain @ off
        np.clip(self.thought[6:], -self.furthest, self.furthest, out=self.thought[6:])
        self.spread -= gain @ self.spread[:6]
        self.spread = (self.spread + self.spread.T) / 2

    def move(self, steer: float, drive: float) -> None:
        """Think a frame ahead, in which the car is given `steer` [rad] and `drive` [units]."""
        foretold(self.thought, self.spread, steer, drive, self.known, self.stray)
