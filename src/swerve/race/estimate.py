"""Where the car is, from sensors that are noisy: an extended Kalman filter around the car's own physics.

What was expected counts the more, the noisier the sensors are; the places that are seen one after the other
tell of the speed too. How far the physics is off is known by its size alone.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .line_hold import frame_on

NOISE = np.array([0.5, 0.5, 0.05, 1.0, 1.0, 0.1])  # of x, y [m], heading, vx, vy [m/s], yaw rate at --noise 1
# the same by which a frame of the physics is off at a mismatch of 1: tyres push sideways with up to 3 g
STRAY = np.array([0.01, 0.01, 0.01, 0.6, 0.6, 0.6])
LEAST_STRAY = 0.02  # of a mismatch, that of a driver who thinks to know the car
NUDGE = np.array([1e-3, 1e-3, 1e-4, 1e-3, 1e-3, 1e-4])


@kernel
def foretold(
    thought: np.ndarray, spread: np.ndarray, steer: float, drive: float, p: np.ndarray, stray: np.ndarray
) -> None:
    """Move what is thought of a car, a state (6,) and its `spread` (6, 6), on by a frame, in place."""
    slope = np.empty((6, 6))
    up, down = np.empty(6), np.empty(6)
    for k in range(6):
        up[:], down[:] = thought, thought
        up[k] += NUDGE[k]
        down[k] -= NUDGE[k]
        frame_on(up, steer, drive, p)
        frame_on(down, steer, drive, p)
        slope[:, k] = (up - down) / (2 * NUDGE[k])
    frame_on(thought, steer, drive, p)
    spread[:] = slope @ spread @ slope.T
    for k in range(6):
        spread[k, k] += stray[k] ** 2


def seen(thought: np.ndarray, spread: np.ndarray, off: np.ndarray, noise: np.ndarray) -> None:
    """Take in by how much (6,) what is seen with `noise` (6,) is `off` what was thought; in place."""
    gain = np.linalg.solve(spread + np.diag(noise**2), spread).T
    thought += gain @ off
    spread -= gain @ spread
    spread[:] = (spread + spread.T) / 2


def stray_of(mismatch: float) -> np.ndarray:
    """By how much (6,) a frame of physics may be off whose constants are off by the fraction `mismatch`."""
    return max(LEAST_STRAY, mismatch) * STRAY
