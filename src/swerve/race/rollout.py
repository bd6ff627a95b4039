"""Rollouts: what becomes of cars that are given controls, by the batch, and how to judge the result.

Controls (frames, 3) are steer [rad], throttle and brake, each held for a frame; negative throttle is the
reverse gear. A clip keeps its controls, so playing them from its start gives it again, digit by digit.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from swerve.core.clips import Clip
from swerve.core.kernels import kernel

from .car import FRAME, SUBSTEPS, CarParameters, advance

SLOW = 3.0  # [m/s] below this the angle of motion says little


def play(
    controls: np.ndarray, start: np.ndarray | float, parameters: CarParameters | None = None
) -> np.ndarray:
    """States (frames + 1, 6) of a car that starts at `start`, a state (6,) or a forward speed [m/s]."""
    state = np.array(start, dtype=np.float64)
    if state.ndim == 0:
        state = straight(state.item(), 1)[0]
    out = np.empty((len(controls) + 1, 6))
    _play(state, np.ascontiguousarray(controls), (parameters or CarParameters()).packed(), out)
    return out


def clip_of(name: str, controls: np.ndarray, start: float, parameters: CarParameters | None = None) -> Clip:
    """The clip that `controls` drive from straight driving at `start` [m/s]."""
    return Clip.from_states(name, play(controls, start, parameters), FRAME, controls)


def mirrored(controls: np.ndarray) -> np.ndarray:
    """The same drive to the other side. The car is symmetric, so its path is mirrored exactly."""
    return controls * [-1.0, 1.0, 1.0]


def straight(speed: float, n: int) -> np.ndarray:
    """States (n, 6) of cars at the origin that drive along x."""
    states = np.zeros((n, 6))
    states[:, 3] = speed
    return states


def ends(controls: np.ndarray, starts: np.ndarray, packed: np.ndarray) -> np.ndarray:
    """Forward, sideways and yaw velocity and heading (n, 4) of n cars after `controls` (n, frames, 3)."""
    out = np.empty((len(controls), 4))
    _ends(starts, np.ascontiguousarray(controls), packed, out)
    return out


def sideslip(velocity: np.ndarray) -> float:
    """Largest angle between where the car points and where it goes [rad], over moments (n, 3) of its
    velocity at which it is faster than `SLOW`.
    """
    u, v = velocity[:, 0], velocity[:, 1]
    return float(np.abs(np.arctan2(v, np.abs(u)))[np.hypot(u, v) > SLOW].max(initial=0.0))


def amplification(controls: np.ndarray, start: np.ndarray | float, packed: np.ndarray) -> float:
    """How much a small error in sideways velocity and yaw rate grows until the end: the largest singular
    value of ∂(v, ω, φ)_end / ∂(v, ω)_start. `start` is a state (6,) or a forward speed [m/s].
    """
    step = 1e-3
    starts = np.tile(straight(float(start), 1)[0] if np.ndim(start) == 0 else start, (4, 1))
    starts[[0, 1], 4] += step, -step
    starts[[2, 3], 5] += step, -step
    after = ends(np.repeat(controls[None], 4, axis=0), starts, packed)[:, 1:]
    return float(np.linalg.norm(np.stack([after[0] - after[1], after[2] - after[3]]) / (2 * step), 2))


@lru_cache(maxsize=1024)
def natural_amplification(speed: float, frames: int, packed: tuple[float, ...]) -> float:
    """The same for driving straight on: what no clip of that length can be blamed for."""
    drag, resistance, gain = packed[0], packed[1], packed[10]
    hold = [0.0, (drag * speed * speed + resistance * speed) / gain, 0.0]
    return amplification(np.tile(hold, (frames, 1)), speed, np.array(packed))


@kernel
def _frame(
    s: tuple[float, float, float, float, float, float], control: np.ndarray, p: np.ndarray
) -> tuple[float, float, float, float, float, float]:
    for _ in range(SUBSTEPS):
        s = advance(s, control[0], control[1], control[2], control[1] < 0.0, FRAME / SUBSTEPS, p)
    return s


@kernel
def _ends(starts: np.ndarray, controls: np.ndarray, p: np.ndarray, out: np.ndarray) -> None:
    for i in range(starts.shape[0]):
        a = starts[i]
        s = (a[0], a[1], a[2], a[3], a[4], a[5])
        for k in range(controls.shape[1]):
            s = _frame(s, controls[i, k], p)
        c, d = np.cos(s[2]), np.sin(s[2])
        out[i, 0] = c * s[3] + d * s[4]
        out[i, 1] = -d * s[3] + c * s[4]
        out[i, 2] = s[5]
        out[i, 3] = s[2]


@kernel
def _play(start: np.ndarray, controls: np.ndarray, p: np.ndarray, out: np.ndarray) -> None:
    s = (start[0], start[1], start[2], start[3], start[4], start[5])
    out[0] = start
    for k in range(controls.shape[0]):
        s = _frame(s, controls[k], p)
        for j in range(6):
            out[k + 1, j] = s[j]
