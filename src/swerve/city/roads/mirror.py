"""Left-hand traffic is right-hand traffic in a mirror."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .roads import LEFT, RIGHT, Roads


def mirror_points(points: np.ndarray, middle: float) -> np.ndarray:
    """Points (..., 2) reflected in the line y = `middle` [m]."""
    return np.stack([points[..., 0], 2 * middle - points[..., 1]], -1)


def mirror_roads(roads: Roads, middle: float) -> Roads:
    """The same network for the other hand, reflected in the line y = `middle` [m].

    What was a left turn across the oncoming traffic is now a right turn; numbers, links and conflicts stay.
    """
    turned = np.where((roads.turn == LEFT) | (roads.turn == RIGHT), -roads.turn, roads.turn)
    crossings = replace(
        roads.crossings,
        corners=mirror_points(roads.crossings.corners, middle),
        ends=mirror_points(roads.crossings.ends, middle),
    )
    return replace(
        roads,
        left_hand=not roads.left_hand,
        y=2 * middle - roads.y,
        heading=-roads.heading,
        curvature=-roads.curvature,
        bank=-roads.bank,
        turn=turned.astype(np.int8),
        crossings=crossings,
    )
