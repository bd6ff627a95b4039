"""The line of least ∫ c² ds, seen from above, inside the edges of a closed road: smooth, and slower than the
fastest. As in `lapline`, each stage has the line found before as its reference, with even knots along it.
"""

from __future__ import annotations

import numpy as np

from swerve.core.least_bend import Middle, least_bend

from .lap_reference import FINE, Road, coefficients_of, dense, reference_along

GAPS = (4.0, 2.0, 2.0)  # [m] between the knots of a stage


def least_bent(road: Road, points: np.ndarray, half_width: float) -> tuple[np.ndarray, int]:
    """Dense points (m, 2) of the line, and the steps taken, from a line (n, 2) of the road."""
    line, steps = points, 0
    for stage, gap in enumerate(GAPS):
        reference = reference_along(road, line, gap, half_width, stage > 0)
        low, high = reference.bounds
        q = reference.points
        spacing = float(np.hypot(*(np.roll(q, -1, axis=0) - q).T).mean())
        middle = Middle(q, reference.across[:, 0], spacing, road.closed)
        offsets, more = least_bend(middle, low, high, np.zeros(len(q)))
        line = q + offsets[:, None] * middle.normal
        line = dense(coefficients_of(line, road.closed), FINE, road.closed)
        steps += more
    return line, steps
