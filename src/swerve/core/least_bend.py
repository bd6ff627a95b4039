"""The line of least Σ bend²·ds^p between two edges, by Newton's method with the edges as barriers.

The unknowns are offsets from the points of a centre line. The bend at a point asks three neighbours, so that
a step of Gauss and Newton solves a band of five; a barrier
−μ·Σ log(distance to the edges) bends a step away from an edge instead of cutting it off, and μ falls. What is
asked of the line beside that, to stay near a given one, is a square more on the diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve_banded, cholesky_banded

ROUNDS = 60  # steps at most
EASED = 0.6  # times μ from step to step
FIRST, LAST = 30.0, 1e-2  # μ as shares of the cost a point
BAND = 4  # half width of five diagonals of a ring, folded
STIFF = 1e-7  # of the largest entry, on the diagonal
LONGEST = 2.0  # [m] that a point moves in one step
NARROW = 0.02  # [m] of room at least
WIDE, SHORT = 1.0, 2.5  # of ds: the least bent line, and one as quick on steady circles as any
SHORTEST = 1e-3  # [m] of a step
SETTLED = 1e-6  # of the cost, gained in a step


@dataclass(frozen=True)
class Middle:
    """A line between the edges: points (n, 2) [m], `spacing` [m] apart, and what points to the left."""

    points: np.ndarray
    normal: np.ndarray
    spacing: float
    closed: bool


def least_bend(
    middle: Middle,
    low: np.ndarray,
    high: np.ndarray,
    start: np.ndarray,
    near: np.ndarray | None = None,
    pull: np.ndarray | None = None,
    power: float = WIDE,
) -> tuple[np.ndarray, int]:
    """Offsets (n,) between `low` and `high` (n,), sought from `start` (n,) on, and the steps taken. Where
    `pull` (n,) [1/m⁴] is above 0, pulled as strongly to `near` (n,). `power` is that of ds: with more
    of it a line cuts short.
    """
    low, high = np.minimum(low, (low + high) / 2 - NARROW), np.maximum(high, (low + high) / 2 + NARROW)
    share = np.minimum(0.05 * (high - low), 0.2)
    x = np.clip(start, low + share, high - share)
    wanted = np.zeros(len(x)) if near is None else near
    pulled = np.zeros(len(x)) if pull is None else pull * middle.spacing**power
    order = _folded(len(x))

    def cost_of(x: np.ndarray) -> float:
        return float((_misses(*_sides(middle, x), power) ** 2).sum() + (pulled * (x - wanted) ** 2).sum())

    def barrier_of(x: np.ndarray) -> float:
        return -float(np.log((x - low) * (high - x)).sum())

    cost = cost_of(x)
    share_of = FIRST
    steps = 0
    for steps in range(1, ROUNDS + 1):  # noqa: B007
        barrier = share_of * cost / len(x)
        slope, diagonals = _newton(middle, x, power)
        slope += 2 * pulled * (x - wanted) - barrier * (1 / (x - low) - 1 / (high - x))
        diagonals[0] += 2 * pulled + barrier * (1 / (x - low) ** 2 + 1 / (high - x) ** 2)
        diagonals[0] += STIFF * diagonals[0].max()
        step = -_solved(diagonals, slope, order)
        with np.errstate(divide="ignore"):
            room = np.where(step > 0, (high - x) / step, np.where(step < 0, (low - x) / step, np.inf))
        reach = min(1.0, 0.95 * float(room.min()), LONGEST / max(1e-9, float(np.abs(step).max())))
        before = cost + barrier * barrier_of(x)
        for _ in range(8):
            there = x + reach * step
            cost_there = cost_of(there)
            if cost_there + barrier * barrier_of(there) <= before:
                break
            reach *= 0.4
        else:
            there, cost_there = x, cost
        settled = share_of <= LAST and cost - cost_there < SETTLED * cost
        x, cost = there, cost_there
        if settled:
            break
        share_of = max(LAST, EASED * share_of)
    return x, steps


def _sides(middle: Middle, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Steps (n, 2) from the point before to each point of the line, and to the one behind it; an open line
    goes on straight.
    """
    p = middle.points + x[:, None] * middle.normal
    ahead = np.roll(p, -1, axis=0) - p
    if not middle.closed:
        ahead[-1] = ahead[-2]
    back = np.roll(ahead, 1, axis=0)
    if not middle.closed:
        back[0] = ahead[0]
    return back, ahead


def _misses(back: np.ndarray, ahead: np.ndarray, power: float) -> np.ndarray:
    """What is squared (n,): bend·√(ds^power), the bend of the circle through a point and its neighbours."""
    a, b, c = (np.maximum(SHORTEST, np.hypot(*v.T)) for v in (back, ahead, back + ahead))
    across = back[:, 0] * ahead[:, 1] - back[:, 1] * ahead[:, 0]
    return 2 * across / (a * b * c) * ((a + b) / 2) ** (power / 2)


def _newton(middle: Middle, x: np.ndarray, power: float) -> tuple[np.ndarray, np.ndarray]:
    """Slope (n,) of Σ bend²·ds^power, and diagonals (3, n) of its second derivative: entry (i, i + k) at
    [k, i].
    """
    back, ahead = _sides(middle, x)
    miss = _misses(back, ahead, power)
    a, b, c = (np.maximum(SHORTEST, np.hypot(*v.T))[:, None] for v in (back, ahead, back + ahead))
    scale = 2 / (a * b * c) * ((a + b) / 2) ** (power / 2)
    chord, way = (back + ahead) / c**2, 2 / power * (a + b)
    by_back = scale * np.stack([ahead[:, 1], -ahead[:, 0]], axis=-1)
    by_back += miss[:, None] * (back / a / way - back / a**2 - chord)
    by_ahead = scale * np.stack([-back[:, 1], back[:, 0]], axis=-1)
    by_ahead += miss[:, None] * (ahead / b / way - ahead / b**2 - chord)
    normal = middle.normal
    p = -(by_back * np.roll(normal, 1, axis=0)).sum(axis=1)
    q = ((by_back - by_ahead) * normal).sum(axis=1)
    r = (by_ahead * np.roll(normal, -1, axis=0)).sum(axis=1)
    if not middle.closed:
        p[[0, -1]] = q[[0, -1]] = r[[0, -1]] = 0.0
    slope = 2 * (q * miss + np.roll(p * miss, -1) + np.roll(r * miss, 1))
    diagonals = 2 * np.stack(
        [q * q + np.roll(p * p, -1) + np.roll(r * r, 1), q * r + np.roll(p * q, -1), np.roll(p * r, -1)]
    )
    return slope, diagonals


def _folded(n: int) -> np.ndarray:
    """A ring of n numbered from both ends inwards, so that neighbours stay near each other."""
    order = np.empty(n, dtype=int)
    order[0::2] = np.arange((n + 1) // 2)
    order[1::2] = n - 1 - np.arange(n // 2)
    return order


def _solved(diagonals: np.ndarray, values: np.ndarray, order: np.ndarray) -> np.ndarray:
    n = len(values)
    band = np.zeros((BAND + 1, n))
    band[0] = diagonals[0][order]
    for k in range(1, BAND + 1):
        i, j = order[k:], order[: n - k]
        apart = (i - j) % n
        for d in (1, 2):
            band[k, : n - k] += np.where(apart == d, diagonals[d][j], 0.0)
            band[k, : n - k] += np.where(apart == n - d, diagonals[d][i], 0.0)
    found = np.empty(n)
    found[order] = cho_solve_banded((cholesky_banded(band, lower=True), True), values[order])
    return found
