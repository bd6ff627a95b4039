"""Where in a picture bodies can be: boxes about them, and the patches that need painting."""

from __future__ import annotations

import numpy as np

from .camera import Camera
from .pattern import BALL_RADIUS, ROBOT_HEIGHT, ROBOT_RADIUS
from .table import PATCH

AROUND = 14  # [pixels] around bodies at which detection looks, too
_TURN = np.linspace(0, 2 * np.pi, 8, endpoint=False)
_RING = 1.08 * np.column_stack([np.cos(_TURN), np.sin(_TURN)])  # corners of the octagon lie outside


def nowhere(camera: Camera) -> np.ndarray:
    """No patch of a camera's pictures."""
    return np.zeros((-(-camera.height // PATCH), -(-camera.width // PATCH)), dtype=np.bool_)


def patches_of(boxes: np.ndarray, patches: np.ndarray) -> None:
    """Mark the patches that detection looks at for bodies in those boxes."""
    patches[:] = False
    for left, right, top, bottom in boxes.tolist():
        if left <= right and top <= bottom:
            rows = slice(max(top - AROUND, 0) // PATCH, (bottom + AROUND) // PATCH + 1)
            patches[rows, max(left - AROUND, 0) // PATCH : (right + AROUND) // PATCH + 1] = True


def boxes_of(camera: Camera, robots: np.ndarray, ball: np.ndarray | None) -> np.ndarray:
    """First and last column and row (n + 1, 4) in which each robot and then the ball can be."""
    n = len(robots)
    at = np.zeros((n + 1, 2, 2))  # first and last moment
    at[:n] = robots[:, [0, -1], :2]
    radius, low, high = np.full(n + 1, ROBOT_RADIUS), np.zeros(n + 1), np.full(n + 1, ROBOT_HEIGHT)
    if ball is not None:
        at[n], radius[n] = ball[[0, -1], :2], BALL_RADIUS
        low[n], high[n] = ball[:, 2].min() - BALL_RADIUS, ball[:, 2].max() + BALL_RADIUS
    points = np.empty((n + 1, 2, 2, len(_RING), 3))  # body, moment, low or high, place on the ring
    points[..., :2] = at[:, :, None, None] + radius[:, None, None, None, None] * _RING
    points[:, :, 0, :, 2], points[:, :, 1, :, 2] = low[:, None, None], high[:, None, None]
    pixels = camera.project(points.reshape(-1, 3)).reshape(n + 1, -1, 2)
    first, last = np.floor(pixels.min(axis=1)) - 2, np.ceil(pixels.max(axis=1)) + 2
    size = np.array([camera.width, camera.height])
    boxes = np.empty((n + 1, 4), dtype=np.int64)
    boxes[:, 0::2] = np.clip(first, 0, size)
    boxes[:, 1::2] = np.clip(last, -1, size - 1)
    if ball is None:
        boxes[n] = 0, -1, 0, -1
    return boxes
