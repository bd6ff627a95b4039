"""Shadows that robots throw: each takes from the carpet beside it what the lamps would have sent there.

A lamp at height H sees a robot of height h thrown on the carpet as a disc that is drawn out, away from the
lamp, by h/(H − h) of the distance to it. Nearer lamps give more of the light.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .camera import Camera
from .pattern import ROBOT_HEIGHT, ROBOT_RADIUS

SOFT = 0.02  # [m] over which a shadow's edge fades
_TURN = np.linspace(0, 2 * np.pi, 8, endpoint=False)
_RING = 1.1 * (ROBOT_RADIUS + SOFT) * np.column_stack([np.cos(_TURN), np.sin(_TURN)])


def shaded(
    light: np.ndarray,
    camera: Camera,
    ground: np.ndarray,
    lamps: np.ndarray,
    robots: np.ndarray,
    strength: float,
) -> np.ndarray:
    """What robots (n, 2) leave of the `light` (height, width) of a picture that looks at `ground`, if they
    take so much where no lamp (m, 3) shines past them."""
    left = light.copy()
    if strength == 0 or not len(robots):
        return left
    off = robots[:, None] - lamps[None, :, :2]  # (n, m, 2)
    high = lamps[:, 2]
    drawn = off * (ROBOT_HEIGHT / (high - ROBOT_HEIGHT))[None, :, None]
    share = 1 / ((off**2).sum(axis=2) + high**2)
    share /= share.sum(axis=1, keepdims=True)
    ends = np.stack([np.broadcast_to(robots[:, None], drawn.shape), robots[:, None] + drawn], axis=2)
    rim = np.zeros((*share.shape, 2 * len(_RING), 3))
    rim[..., :2] = (ends[:, :, :, None] + _RING).reshape(*share.shape, -1, 2)
    pixels = camera.project(rim.reshape(-1, 3)).reshape(share.size, -1, 2)
    size = np.array([camera.width, camera.height])
    boxes = np.empty((share.size, 4), dtype=np.int64)
    boxes[:, 0::2] = np.clip(np.floor(pixels.min(axis=1)), 0, size)
    boxes[:, 1::2] = np.clip(np.ceil(pixels.max(axis=1)), -1, size - 1)
    _darken(
        left,
        ground,
        np.repeat(robots, len(lamps), axis=0),
        drawn.reshape(-1, 2),
        strength * share.ravel(),
        boxes,
    )
    return left


@kernel
def _darken(
    light: np.ndarray,
    ground: np.ndarray,
    robots: np.ndarray,
    drawn: np.ndarray,
    shares: np.ndarray,
    boxes: np.ndarray,
) -> None:
    for k in range(len(robots)):
        x, y, ex, ey = robots[k, 0], robots[k, 1], drawn[k, 0], drawn[k, 1]
        square = max(ex * ex + ey * ey, 1e-12)
        for v in range(boxes[k, 2], boxes[k, 3] + 1):
            for u in range(boxes[k, 0], boxes[k, 1] + 1):
                px, py = ground[v, u, 0] - x, ground[v, u, 1] - y
                along = min(max((px * ex + py * ey) / square, 0.0), 1.0)
                px, py = px - along * ex, py - along * ey
                away = np.sqrt(px * px + py * py) - ROBOT_RADIUS
                if away < SOFT:
                    light[v, u] *= np.float32(1 - shares[k] * min((SOFT - away) / (2 * SOFT), 1.0))
