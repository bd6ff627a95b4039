"""States as points whose Euclidean distances are a planner's distances: weighted, angles on circles."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, kernel


@kernel
def points_of(states: np.ndarray, weights: np.ndarray, turning: np.ndarray) -> np.ndarray:
    """Points (b, e) of states (b, d)."""
    e = 0
    for k in range(len(weights)):
        if weights[k] != 0.0:
            e += 2 if turning[k] else 1
    points = np.empty((len(states), e))
    for k in range(len(states)):
        embed(states, k, weights, turning, points[k])
    return points


@kernel
def close(
    states: np.ndarray, aim: np.ndarray, weights: np.ndarray, turning: np.ndarray, tolerance: float
) -> np.ndarray:
    """(b,) whether states lie within the tolerance of a point, NaN where anything will do."""
    result = np.empty(len(states), dtype=np.bool_)
    near(states, aim, weights, turning, tolerance, result)
    return result


@inlined
def near(
    states: np.ndarray,
    aim: np.ndarray,
    weights: np.ndarray,
    turning: np.ndarray,
    tolerance: float,
    result: np.ndarray,
) -> None:
    """Note in the first of `result` whether states lie within the tolerance of a point, NaN where anything
    will do."""
    for k in range(len(states)):
        off, e = 0.0, 0
        for i in range(len(weights)):
            if weights[i] == 0.0:
                continue
            if turning[i]:
                if not np.isnan(aim[e]):
                    off += (weights[i] * np.cos(states[k, i]) - aim[e]) ** 2
                    off += (weights[i] * np.sin(states[k, i]) - aim[e + 1]) ** 2
                e += 2
            else:
                if not np.isnan(aim[e]):
                    off += (weights[i] * states[k, i] - aim[e]) ** 2
                e += 1
        result[k] = off <= tolerance * tolerance


@inlined
def embed(states: np.ndarray, k: int, weights: np.ndarray, turning: np.ndarray, point: np.ndarray) -> None:
    """The point (e,) of a state: columns with a weight, times it; turning ones as cosine and sine."""
    e = 0
    for i in range(len(weights)):
        if weights[i] == 0.0:
            continue
        if turning[i]:
            point[e] = weights[i] * np.cos(states[k, i])
            point[e + 1] = weights[i] * np.sin(states[k, i])
            e += 2
        else:
            point[e] = weights[i] * states[k, i]
            e += 1


@kernel
def box(
    low: np.ndarray, high: np.ndarray, weights: np.ndarray, turning: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the points of states between `low` and `high` (d,) begin, and how far they reach, (e,) each."""
    e = 0
    for k in range(len(weights)):
        if weights[k] != 0.0:
            e += 2 if turning[k] else 1
    corner, extent = np.empty(e), np.empty(e)
    e = 0
    for k in range(len(weights)):
        if weights[k] == 0.0:
            continue
        for _ in range(2 if turning[k] else 1):
            corner[e] = weights[k] * (-1.0 if turning[k] else low[k])
            extent[e] = weights[k] * (2.0 if turning[k] else high[k] - low[k])
            e += 1
    return corner, extent
