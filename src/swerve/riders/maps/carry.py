"""How a difference of state carries on: what a rider's lean is off the map's nearest state shows in its way.

The nearest state is never quite the rider's own. To first order, a difference d (3,) of roll, yaw rate and
roll rate moves the place and state after k ticks of 0.1 s by d · C[k]. The matrices C are fitted to the map's
own trajectories, speed by speed: every later moment of every trial is one more observation of a state, the
turn still to make and what came of it. A rider between two of the map's speeds rides between what both say,
each drawn out from the speed of its state to the rider's. Between a trial that falls and one that does not
nobody rides: those that stay up have the say, and those that fall only where all about it do.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.kernels import kernel

from ..bodies.threads import in_slices
from .nearest import Index, find_beside, speed_below, turn_below
from .trials import DECIDE, Tracks

EVERY = 3  # ticks between the moments of a trial that are used
LEAST = 1e-6  # share of trials that stay up by which a rider is told to, too
TUMBLING = 1.0  # [s] before a fall that teach nothing: what happens there bends every straight rule


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

    @property
    def speeds(self) -> np.ndarray: ...

    @property
    def paces(self) -> np.ndarray: ...

    @property
    def index(self) -> Index: ...

    def nearest(self, states: np.ndarray, level: np.ndarray | None = None) -> np.ndarray: ...

    def between(self, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...


def predict(
    map_: Trials,
    states: np.ndarray,
    turns: np.ndarray,
    seconds: float,
    corrected: bool = True,
    threads: int = 1,
    beside: np.ndarray | None = None,
) -> np.ndarray:
    """(n, 3) x, y, yaw after `seconds` from `states` (n, 4) with `turns` (n,), seen from the start.

    The nearest state answers, between its two nearest turns; what the state differs from it is carried
    on unless `corrected` is false. Times are taken to the nearest 0.1 s. Who knows the stored states that are
    `beside` them (n, 2) tells it.
    """
    if not 0 <= seconds <= map_.seconds:
        raise BadInput("seconds", seconds, f"must lie within 0 and {map_.seconds:g}")
    tick = round(seconds / DECIDE)
    moments = slice(tick, tick + 1)
    return ways_from(map_, np.atleast_2d(states), turns, moments, corrected, threads, beside)[:, 0]


def ways_from(
    map_: Trials,
    states: np.ndarray,
    turns: np.ndarray,
    ticks: slice,
    corrected: bool = True,
    threads: int = 1,
    beside: np.ndarray | None = None,
) -> np.ndarray:
    """(n, k, 3) x, y, yaw at some `ticks` of 0.1 s, from `states` (n, 4) with `turns` (n,): what the map says
    at its speeds below and above, each drawn out to the speed of the state."""
    poses, carry, falls = map_.samples.pose, map_.carry, np.isfinite(map_.tracks.fell)
    if not corrected:
        carry = np.zeros_like(carry)
    states, turns = np.ascontiguousarray(states, float), np.ascontiguousarray(turns, float)
    out = np.empty((len(states), ticks.stop - ticks.start, 3))
    rule = (poses, falls, carry, map_.states, map_.speeds, map_.turns, ticks.start)
    known, near = beside is not None, np.empty((len(states), 2), np.int64) if beside is None else beside

    def part(rows: slice) -> None:
        if not known:
            find_beside(states[rows], map_.speeds, map_.index, near[rows])
        _ways(states[rows], near[rows], turns[rows], *rule, out[rows])

    in_slices(part, len(states), threads)
    return out


@kernel
def _ways(states, beside, turns, poses, falls, carry, stored, speeds, actions, first, out):
    off, has = np.empty(3), np.zeros((2, 2))
    for i in range(len(states)):
        low, above = speed_below(speeds, states[i, 3])
        action, share = turn_below(actions, turns[i])
        upright = 0.0  # share of what is told by trials that stay up
        for side in range(2):
            weight = 1.0 - above if side == 0 else above
            has[side, 0], has[side, 1] = weight * (1.0 - share), weight * share
            for turn in range(2):
                if not falls[beside[i, side] * len(actions) + action + turn]:
                    upright += has[side, turn]
        out[i] = 0.0
        for side in range(2):
            level, near = min(low + side, len(speeds) - 1), beside[i, side]
            row = near * len(actions) + action
            if upright > LEAST:
                for turn in range(2):
                    has[side, turn] = 0.0 if falls[row + turn] else has[side, turn] / upright
            weight = has[side, 0] + has[side, 1]
            if weight == 0.0:
                continue
            for j in range(3):
                off[j] = weight * (states[i, j] - stored[near, j])
            drawn = states[i, 3] / stored[near, 3]
            for k in range(out.shape[1]):
                tick = first + k
                for c in range(3):
                    said = has[side, 0] * poses[row, tick, c] + has[side, 1] * poses[row + 1, tick, c]
                    for j in range(3):
                        said += off[j] * carry[level, tick, j, c]
                    out[i, k, c] += said * drawn if c < 2 else said


def outcomes(map_: Trials) -> np.ndarray:
    """(s·a, m, 6) x, y, yaw seen from the start, roll, yaw rate, roll rate: at every tick of every trial."""
    samples = map_.samples
    state = np.stack([samples.lean[..., 0], samples.velocity[..., 2], samples.lean[..., 1]], axis=-1)
    return np.concatenate([samples.pose, state], axis=-1)


def fit_carry(map_: Trials) -> np.ndarray:
    """C (k, m, 3, 6) for every speed and tick; at tick 0 it is the difference itself. Least squares with a
    trace of damping."""
    return np.array([_fit_level(map_, level) for level in range(len(map_.speeds))])


def _fit_level(map_: Trials, level: int) -> np.ndarray:
    all_, actions = outcomes(map_), map_.actions
    samples = all_.shape[1]
    tick = map_.samples.dt
    upright = np.minimum(map_.tracks.fell - TUMBLING, map_.seconds)  # [s] so long a trial counts
    mine = np.repeat(map_.paces == map_.speeds[level], actions)
    rows, at = np.nonzero((np.arange(0, samples) * tick <= upright[:, None] + 1e-9) & mine[:, None])
    keep = at % EVERY == 0
    rows, at = rows[keep], at[keep]
    start = all_[rows, at]
    left = map_.turns[rows % actions] - start[:, 2]
    keep = (left >= map_.turns[0]) & (left <= map_.turns[-1])
    rows, at, start, left = rows[keep], at[keep], start[keep], left[keep]
    pace = np.full(len(rows), map_.speeds[level])
    nearest = map_.nearest(np.column_stack([start[:, 3:], pace]), np.full(len(rows), level))
    low, share = map_.between(left)
    told = nearest * actions + low
    off = start[:, 3:] - map_.states[nearest, :3]
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
        shares = share[seen][:, None]
        said = (1 - shares) * all_[told[seen], k] + shares * all_[told[seen] + 1, k]
        d = off[seen]
        square = d.T @ d
        damped = square + 1e-6 * np.trace(square) * np.eye(3) + 1e-12 * np.eye(3)
        carry[k] = np.linalg.solve(damped, d.T @ (came - said))
    return carry
