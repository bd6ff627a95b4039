"""The middle of a ball of which a robot hides a part.

The middle of what is seen is then not the middle of the ball. But its radius in pixels is known, and so is
the colour around: orange must lie inside the circle, carpet and lines outside, and what is dark may be a
robot in front of it and says nothing. The circle that breaks this least is found by trying, coarse to fine.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .scene import CARPET, ORANGE, WHITE
from .table import TILE

WINDOW = 12  # [pixels] around the middle of what is seen


@kernel
def hidden_ball(
    ball: np.ndarray, picture: np.ndarray, parts: np.ndarray, tiles: np.ndarray, cells: np.ndarray
) -> None:
    """Move the pixel of a ball (x, y, confidence, u, v, share) to where its middle must be."""
    height, width = picture.shape[:2]
    u0, v0 = int(np.rint(ball[3])), int(np.rint(ball[4]))
    seen = 0
    kind = np.zeros((2 * WINDOW + 1, 2 * WINDOW + 1), dtype=np.int8)  # 1 ball, −1 field, 0 says nothing
    for j in range(2 * WINDOW + 1):
        for i in range(2 * WINDOW + 1):
            u, v = u0 + i - WINDOW, v0 + j - WINDOW
            if u < 0 or v < 0 or u >= width or v >= height:
                continue
            part = parts[tiles[v // TILE, u // TILE]]
            colour = cells[part[0, picture[v, u, 0]] | part[1, picture[v, u, 1]] | part[2, picture[v, u, 2]]]
            if colour == ORANGE:
                kind[j, i] = 1
                seen += 1
            elif colour in (CARPET, WHITE):
                kind[j, i] = -1
    if seen == 0:
        return
    radius = np.sqrt(seen / ball[5] / np.pi)
    u, v = ball[3] - u0 + WINDOW, ball[4] - v0 + WINDOW
    step = radius / 2
    best = _broken(kind, u, v, radius)
    while step > 0.03:
        moved = False
        for k in range(8):
            x, y = u + step * np.cos(k * np.pi / 4), v + step * np.sin(k * np.pi / 4)
            cost = _broken(kind, x, y, radius)
            if cost < best:
                best, u, v, moved = cost, x, y, True
        if not moved:
            step /= 2
    ball[3], ball[4] = u + u0 - WINDOW, v + v0 - WINDOW


@inner
@inlined
def _broken(kind: np.ndarray, u: float, v: float, radius: float) -> float:
    """Pixels of the ball outside the circle, and of the field inside it, edges counted in parts."""
    total, far = 0.0, (radius + 0.5) ** 2
    for j in range(kind.shape[0]):
        for i in range(kind.shape[1]):
            square = (i - u) ** 2 + (j - v) ** 2
            if kind[j, i] != 0 and square < far:
                inside = min(radius + 0.5 - np.sqrt(square), 1.0)
                total += 1 - inside if kind[j, i] > 0 else inside
            elif kind[j, i] > 0:
                total += 1
    return total
