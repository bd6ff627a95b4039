"""The kernels of a descent by slopes: one search along a step, and what is learnt of the curvature by it.

A search asks for the cost of three or four paths, each in a fraction of a millisecond: handing them over from
Python one by one would take as long again, with one thread waiting for the other.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .measure import CLOSED_POINTS, INTRUSION, MEASURES, TROUBLED, VIOLATION, slope_of
from .regions import Ground

STEEP = 0.7  # the share of its slope that may be left where a step ends
FALLS = 1e-4  # the share of what its slope promises that a step has to gain
TIED = 1e-10  # cosine of a step and the change of slope along it, below which they tell no curvature


@kernel
def along(
    controls: np.ndarray,
    move: np.ndarray,
    cost: float,
    falls: float,
    bisections: int,
    step: float,
    ground: Ground,
    car: np.ndarray,
    drive: np.ndarray,
    x_start: float,
    x_end: float,
    weights: np.ndarray,
    clearance: float,
    penalty: float,
    must_drive: bool,
    there: np.ndarray,
    slope: np.ndarray,
    best: np.ndarray,
    best_controls: np.ndarray,
) -> tuple[float, int, int]:
    """A path cheaper than `cost` along a `move` (m, 2) of the inner control points (m, 2), beyond which it
    gets steeper no more: by bisection, as Lewis and Overton (2013) do where costs have kinks.

    Fills `there` and `slope` (m, 2) and gives the cost, infinite if nothing is cheaper, and how many paths
    were judged, and how many of them with a slope. What fulfils all limits and costs less than `best[0]` is
    kept there.
    """
    m, extent = len(controls), ground.frame
    measures, at, here = np.empty(MEASURES), controls.copy(), np.empty_like(controls)
    near, far, share, found = 0.0, np.inf, 1.0, np.inf
    judged = sloped = 0
    violation = penalty if must_drive else 0.0
    wrong = TROUBLED if must_drive else CLOSED_POINTS
    for _ in range(bisections):
        for i in range(1, m - 1):
            at[i, 0] = min(max(controls[i, 0] + share * move[i, 0], extent[0]), extent[4])
            at[i, 1] = min(max(controls[i, 1] + share * move[i, 1], extent[1]), extent[5])
        most = cost + FALLS * share * falls
        slope_of(
            at, step, ground, car, drive, x_start, x_end, weights, clearance, penalty, violation, most,
            measures, here,
        )  # fmt: skip
        judged += 1
        base = 0.0
        for k in range(4):
            base += weights[k] * measures[k]
        if measures[wrong] == 0.0 and base < best[0]:
            best[0] = base
            best_controls[:] = at
        now = base + 10.0 * (penalty * measures[INTRUSION] + violation * measures[VIOLATION])
        if not now < most:
            far = share
        else:
            sloped += 1
            if now < found:
                found = now
                there[:], slope[:] = at, here
            left = 0.0
            for i in range(1, m - 1):
                left += here[i, 0] * move[i, 0] + here[i, 1] * move[i, 1]
            if left >= STEEP * falls:
                break
            near = share
        share = 2.0 * near if far == np.inf else 0.5 * (near + far)
    return found, judged, sloped


@kernel
def bend(inverse: np.ndarray, moved: np.ndarray, change: np.ndarray, fresh: bool) -> None:
    """Let the inverse of second derivatives (k, k) know how the slope changed over a move (BFGS); if it is
    `fresh`, it knew nothing. It stays as it is where the curvature along the move is not positive."""
    k = len(moved)
    curve = far = much = 0.0
    for i in range(k):
        curve += moved[i] * change[i]
        far += moved[i] * moved[i]
        much += change[i] * change[i]
    if curve <= TIED * np.sqrt(far) * np.sqrt(much):
        return
    if fresh:
        inverse[:] = 0.0
        for i in range(k):
            inverse[i, i] = curve / much
    turned = np.zeros(k)
    across = 0.0
    for i in range(k):
        for j in range(k):
            turned[i] += inverse[i, j] * change[j]
        across += change[i] * turned[i]
    for i in range(k):
        share = (moved[i] * (1.0 + across / curve) - turned[i]) / curve
        for j in range(k):
            inverse[i, j] += share * moved[j] - moved[i] * turned[j] / curve
