"""The regulator of `line_hold`: gains and feed-forward, backwards through a line.

With e the six errors of `deviation.error_of`, s the steering angle beyond the reference's, w its change and q
the drive, a step is

    e' = A·e + B·(s + w, q) + d,    s' = s + w + δ_k − δ_(k+1)

and going backwards through the line gives (w, q) = −K·(e, s) − h, what lies ahead included.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d

from swerve.core.kernels import kernel

# what an error is worth: along, across [m], heading [rad], forward, sideways [m/s], yaw rate [rad/s], steer
ERROR = np.diag([0.0, 1 / 0.15**2, 1 / 0.3**2, 1 / 0.3**2, 1 / 2.0**2, 1 / 1.0**2, 1 / 0.4**2])
HANDS = np.diag([1 / 0.03**2, 1 / 40.0**2])  # change of steer [rad] in a frame, drive [units]
SETTLE = 100  # frames that are held behind the end of a line
BUSY = 1.5  # times as slow as hands are at most where a bend begins or ends
TURNING = 0.03  # [rad/s] of the steering of a line that make it busy
BEFORE, BEHIND = 2.5, 1.0  # [s] of calm before a line gets busy, and afterwards


def hands_of(slowness: np.ndarray) -> np.ndarray:
    """What commands cost (k, 2, 2) of hands that are `slowness` (k,) times as slow."""
    cost = np.tile(HANDS, (len(slowness), 1, 1))
    cost[:, 0, 0] *= slowness**2
    return cost


def slowness(steer: np.ndarray, step: float, calm: float) -> np.ndarray:
    """How many times as slow (k,) hands are that hold a line of `steer` (k,) [rad] every `step` seconds:
    `calm` times where it is steady, `BUSY` times at most around where it is not.
    """
    turning = np.abs(np.gradient(steer)) / step
    size = round((BEFORE + BEHIND) / step) | 1
    shift = round((BEFORE - BEHIND) / 2 / step)
    busy = np.roll(maximum_filter1d(np.pad(turning, (0, shift), mode="edge"), size), -shift)[: len(turning)]
    share = np.clip(busy / TURNING, 0.0, 1.0)
    return calm + (min(calm, BUSY) - calm) * share


@kernel
def backwards(
    a: np.ndarray,
    b: np.ndarray,
    d: np.ndarray,
    steer: np.ndarray,
    hands: np.ndarray,
    error: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Gains (k, 2, 7) and feed-forward (k, 2) of every step; `hands` (k, 2, 2) is what its commands cost.

    Products are written out: `@` and rows set whole take Numba three times as long to compile.
    """
    count = len(a)
    gains, ahead = np.empty((count, 2, 7)), np.empty((count, 2))
    value, slope = error.copy(), np.zeros(7)
    full, entry, lack = np.zeros((7, 7)), np.zeros((7, 2)), np.zeros(7)
    bp, bf, m, turned = np.zeros((2, 7)), np.zeros((2, 7)), np.zeros((2, 2)), np.zeros(2)
    loop, ahead_of, kept = np.zeros((7, 7)), np.zeros((7, 7)), np.zeros(7)
    for step in range(count - 1 + SETTLE, -1, -1):
        k = min(step, count - 1)
        for i in range(6):
            for j in range(6):
                full[i, j] = a[k, i, j]
            full[i, 6] = b[k, i, 0]
            entry[i, 0], entry[i, 1], lack[i] = b[k, i, 0], b[k, i, 1], d[k, i]
        full[6, 6] = entry[6, 0] = 1.0
        lack[6] = steer[k] - steer[min(k + 1, count - 1)]
        _across(entry, value, bp)
        for i in range(2):
            turned[i] = 0.0
            for r in range(7):
                turned[i] += bp[i, r] * lack[r] + entry[r, i] * slope[r]
            for j in range(2):
                m[i, j] = hands[k, i, j]
                for r in range(7):
                    m[i, j] += bp[i, r] * entry[r, j]
            for j in range(7):
                bf[i, j] = 0.0
                for r in range(7):
                    bf[i, j] += bp[i, r] * full[r, j]
        det = m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]
        for j in range(7):
            gains[k, 0, j] = (m[1, 1] * bf[0, j] - m[0, 1] * bf[1, j]) / det
            gains[k, 1, j] = (m[0, 0] * bf[1, j] - m[1, 0] * bf[0, j]) / det
        ahead[k, 0] = (m[1, 1] * turned[0] - m[0, 1] * turned[1]) / det
        ahead[k, 1] = (m[0, 0] * turned[1] - m[1, 0] * turned[0]) / det
        for i in range(7):
            kept[i] = slope[i]
            for j in range(7):
                loop[i, j] = full[i, j] - entry[i, 0] * gains[k, 0, j] - entry[i, 1] * gains[k, 1, j]
                kept[i] += value[i, j] * lack[j]
        _across(loop, value, ahead_of)
        for i in range(7):
            slope[i] = 0.0
            for r in range(7):
                slope[i] += loop[r, i] * kept[r]
            for j in range(i + 1):  # symmetric: a half of it, and its mirror image
                total = error[i, j]
                for r in range(7):
                    total += ahead_of[i, r] * loop[r, j]
                for r in range(2):
                    for c in range(2):
                        total += gains[k, r, i] * hands[k, r, c] * gains[k, c, j]
                value[i, j] = value[j, i] = total
    return gains, ahead


@kernel
def _across(left: np.ndarray, right: np.ndarray, out: np.ndarray) -> None:
    """The product of `left` transposed with `right`, into `out`."""
    for i in range(left.shape[1]):
        for j in range(right.shape[1]):
            out[i, j] = 0.0
            for r in range(left.shape[0]):
                out[i, j] += left[r, i] * right[r, j]
