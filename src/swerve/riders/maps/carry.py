"""How a difference of state carries on: what a rider's lean is off the map's nearest state shows in its way.

The nearest state is never quite the rider's own. To first order, a difference d (3,) of roll, yaw rate and
roll rate moves the place and state after k ticks of 0.1 s by d · C[k]. The matrices C are fitted to the map's
own trajectories: every later moment of every trial is one more observation of a state, the turn still to make
and what came of it.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from swerve.core.errors import BadInput

from .trials import DECIDE, Tracks

EVERY = 3  # ticks between the moments of a trial that are used


class Trials(Protocol):
    """What of a mobility map tells where turns lead."""

    @property
    def turns(self) -> np.ndarray: ...

    @property
    def states(self) -> np.ndarray: ...

    @property
    def tracks(self) -> Tracks: ...

    @property
    def actions(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def samples(self) -> Tracks: ...

    @property
    def carry(self) -> np.ndarray: ...

    def nearest(self, states: np.ndarray) -> np.ndarray: ...

    def between(self, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...


def predict(
    map_: Trials, states: np.ndarray, turns: np.ndarray, seconds: float, corrected: bool = True
) -> np.ndarray:
    """(n, 3) x, y, yaw after `seconds` from `states` (n, 3) with `turns` (n,), seen from the start.

    The nearest state answers, between its two nearest turns; what the state differs from it is carried
    on unless `corrected` is false. Times are taken to the nearest 0.1 s.
    """
    if not 0 <= seconds <= map_.seconds:
        raise BadInput("seconds", seconds, f"must lie within 0 and {map_.seconds:g}")
    tick = round(seconds / DECIDE)
    return ways_from(map_, np.atleast_2d(states), turns, slice(tick, tick + 1), corrected)[:, 0]


def ways_from(
    map_: Trials, states: np.ndarray, turns: np.ndarray, ticks: slice, corrected: bool = True
) -> np.ndarray:
    """(n, k, 3) x, y, yaw at some `ticks` of 0.1 s, from `states` (n, 3) with `turns` (n,)."""
    low, share = map_.between(turns)
    nearest = map_.nearest(states)
    at, row = map_.samples.pose[:, ticks], nearest * map_.actions + low
    said = (1 - share)[:, None, None] * at[row] + share[:, None, None] * at[row + 1]
    if not corrected:
        return said
    off = states - map_.states[nearest]
    carry = map_.carry[ticks, :, :3].transpose(1, 0, 2)
    return said + (off @ carry.reshape(3, -1)).reshape(said.shape)


def outcomes(map_: Trials) -> np.ndarray:
    """(s·a, m, 6) x, y, yaw seen from the start, roll, yaw rate, roll rate: at every tick of every trial."""
    samples = map_.samples
    state = np.stack([samples.lean[..., 0], samples.velocity[..., 2], samples.lean[..., 1]], axis=-1)
    return np.concatenate([samples.pose, state], axis=-1)


def fit_carry(map_: Trials) -> np.ndarray:
    """C (m, 3, 6) for every tick; C[0] is the difference itself. Least squares with a trace of damping."""
    all_, actions = outcomes(map_), map_.actions
    samples = all_.shape[1]
    tick = map_.samples.dt
    upright = np.minimum(map_.tracks.fell - map_.tracks.dt, map_.seconds)  # [s] so long a trial counts
    rows, at = np.nonzero(np.arange(0, samples) * tick <= upright[:, None] + 1e-9)
    keep = at % EVERY == 0
    rows, at = rows[keep], at[keep]
    start = all_[rows, at]
    left = map_.turns[rows % actions] - start[:, 2]
    keep = (left >= map_.turns[0]) & (left <= map_.turns[-1])
    rows, at, start, left = rows[keep], at[keep], start[keep], left[keep]
    nearest = map_.nearest(start[:, 3:])
    low, share = map_.between(left)
    told = nearest * actions + low
    off = start[:, 3:] - map_.states[nearest]
    told_fell = np.minimum(upright[told], upright[told + 1])
    carry = np.zeros((samples, 3, 6))
    carry[0, :, 3:] = np.eye(3)
    c, s = np.cos(start[:, 2]), np.sin(start[:, 2])
    for k in range(1, samples):
        seen = ((at + k) * tick <= upright[rows] + 1e-9) & (k * tick <= told_fell + 1e-9) & (at + k < samples)
        if seen.sum() < 50:  # too few to go by: the last matrix stays
            carry[k] = carry[k - 1]
            continue
        came = all_[rows[seen], at[seen] + k] - np.pad(start[seen, :3], ((0, 0), (0, 3)))
        ahead, aside = came[:, 0].copy(), came[:, 1].copy()
        came[:, 0] = c[seen] * ahead + s[seen] * aside
        came[:, 1] = c[seen] * aside - s[seen] * ahead
        said = (1 - share[seen])[:, None] * all_[told[seen], k] + share[seen][:, None] * all_[
            told[seen] + 1, k
        ]
        d = off[seen]
        square = d.T @ d
        damped = square + 1e-6 * np.trace(square) * np.eye(3) + 1e-12 * np.eye(3)
        carry[k] = np.linalg.solve(damped, d.T @ (came - said))
    return carry
