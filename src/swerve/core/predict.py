"""Predictors: where bodies get from here, by a command, at given times.

A move tree, a mobility map, a rollout of physics, a lane and a straight line are the same to whoever asks.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from .motion import Motion

RUBBING = 5.0  # [m/s²] by which what was thrown or pushed over the ground comes to a halt
STRAIGHT = 1e-6  # [rad/s] below which a turn is a straight line
GRIP = 15.0  # [m/s²] beyond which no ground holds a body in its turn: it spins


@runtime_checkable
class Predictor(Protocol):
    """Stored or computed knowledge of where a body gets."""

    def foresee(self, motion: Motion, commands: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Poses (n, k, 3) x, y, yaw in the world of n bodies in `motion`, each by its own of `commands`
        (n, …), at `times` (k,) [s] from now."""
        ...


class GoingOn:
    """Bodies that go on as they move now, turning at their present rate: the predictor of last resort.

    >>> one = Motion.planar(x=[0.0], y=[0.0], vx=[2.0])
    >>> GoingOn().foresee(one, np.zeros((1, 0)), np.array([0.5, 1.0]))[0, :, 0]
    array([1., 2.])
    """

    def foresee(self, motion: Motion, commands: np.ndarray, times: np.ndarray) -> np.ndarray:
        return going_on(motion, times)


def going_on(motion: Motion, times: np.ndarray) -> np.ndarray:
    """Poses (n, k, 3): arcs of constant speed and yaw rate; whoever `fell` or spins slides to a halt."""
    t = np.asarray(times, dtype=np.float64)[None, :]
    rate = motion.yaw_rate[:, None]
    turned = rate * t
    safe = np.where(np.abs(rate) < STRAIGHT, 1.0, rate)
    bent = np.abs(rate) >= STRAIGHT
    # the integral of a velocity that turns with the body
    ahead = np.where(bent, np.sin(turned) / safe, t)
    aside = np.where(bent, (1.0 - np.cos(turned)) / safe, 0.0)
    vx, vy = motion.vx[:, None], motion.vy[:, None]
    out = np.empty((len(motion), t.shape[1], 3))
    out[..., 0] = motion.x[:, None] + vx * ahead - vy * aside
    out[..., 1] = motion.y[:, None] + vy * ahead + vx * aside
    out[..., 2] = motion.yaw[:, None] + turned
    down = np.flatnonzero(motion.fell | (motion.speed * np.abs(motion.yaw_rate) > GRIP))
    if len(down):
        out[down] = sliding_on(motion[down], times)
    return out


def sliding_on(motion: Motion, times: np.ndarray) -> np.ndarray:
    """Poses (n, k, 3) of bodies that nothing drives any more: they rub to a halt."""
    t = np.asarray(times, dtype=np.float64)[None, :]
    speed = motion.speed[:, None]
    slides = np.minimum(t, speed / RUBBING)
    way = slides - RUBBING * slides**2 / (2 * np.maximum(speed, 1e-9))  # [s] at the speed they have now
    out = np.empty((len(motion), t.shape[1], 3))
    out[..., 0] = motion.x[:, None] + motion.vx[:, None] * way
    out[..., 1] = motion.y[:, None] + motion.vy[:, None] * way
    out[..., 2] = motion.yaw[:, None]
    return out


def slide(velocity: np.ndarray, dt: float) -> np.ndarray:
    """Ways (n, 2) [m] in `dt` of such bodies; their `velocity` (n, 2) becomes that at its end."""
    speed = np.hypot(*velocity.T)
    slower = np.maximum(speed - RUBBING * dt, 0.0)
    lasts = np.minimum(dt, speed / RUBBING)
    share = 1 / np.maximum(speed, 1e-9)
    way: np.ndarray = velocity * ((speed + slower) / 2 * lasts * share)[:, None]
    velocity *= (slower * share)[:, None]
    return way
