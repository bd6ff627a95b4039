"""How a road rises and leans beside a line, as a search for laps asks it: along the line, and across it.

At every knot the ground is looked at in several places across the road. Its slopes along the line and across,
and its bend along, are polynomials in how far to the side (`lap_knots`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .lap_reference import Reference, Road

PLACES = 5  # across the road, where the ground is looked at
LEAST = 0.5  # [m] to either side
AHEAD = 0.25  # [m] between places whose slopes tell the bend


def hills_beside(road: Road, reference: Reference) -> np.ndarray:
    """Coefficients (n, 3, PLACES) of polynomials in the offset [m]: slope along the reference, slope across,
    bend along; none, (0, 3, PLACES), where the road neither rises nor leans."""
    if road.normals is None:
        return np.zeros((0, 3, PLACES))
    low, high = reference.bounds
    middle = 0.5 * (low + high)
    low, high = np.minimum(np.minimum(low, middle), -LEAST), np.maximum(np.maximum(high, middle), LEAST)
    nodes = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, PLACES))
    offsets = low + nodes[:, None] * (high - low)
    across = reference.across[:, 0]
    along = np.column_stack([across[:, 1], -across[:, 0]])
    values = np.empty((len(low), PLACES, 3))
    for k, offset in enumerate(offsets):
        place = reference.points + offset[:, None] * across
        before, after = (_slopes(road.normals, place + far * along, along, across) for far in (-AHEAD, AHEAD))
        values[:, k, :2] = 0.5 * (before + after)
        values[:, k, 2] = (after[:, 0] - before[:, 0]) / (2.0 * AHEAD)
    size = np.maximum(-low, high)
    powers = np.arange(PLACES)
    matrix = (offsets.T / size[:, None])[:, :, None] ** powers
    found = np.linalg.solve(matrix, values) / size[:, None, None] ** powers[:, None]
    return np.ascontiguousarray(found.transpose(0, 2, 1))


def _slopes(
    normals: Callable[[np.ndarray], np.ndarray], points: np.ndarray, along: np.ndarray, across: np.ndarray
) -> np.ndarray:
    """(n, 2) slopes of the ground at points (n, 2), in two directions (n, 2) each."""
    up = normals(points)
    rises = -up[:, :2] / up[:, 2:]
    return np.column_stack([(rises * along).sum(1), (rises * across).sum(1)])
