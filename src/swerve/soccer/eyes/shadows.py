"""Shadows that robots throw: each takes from the carpet beside it what the lamps would have sent there.

A lamp at height H sees a robot of height h thrown on the carpet as a disc that is drawn out, away from the
lamp, by h/(H − h) of the distance to it. Nearer lamps give more of the light.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .camera import Camera, project
from .moving import Moving
from .pattern import ROBOT_HEIGHT, ROBOT_RADIUS

SOFT = 0.02  # [m] over which a shadow's edge fades
_TURN = np.linspace(0, 2 * np.pi, 8, endpoint=False)
_RING = 1.1 * (ROBOT_RADIUS + SOFT) * np.column_stack([np.cos(_TURN), np.sin(_TURN)])


def shadows_of(
    camera: Camera, lamps: np.ndarray, bodies: Moving, strength: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of each robot at each lamp (m, 3): where it stands (k, 2), how its shadow is drawn out (k, 2), the
    share of light that it takes (k,), if all lamps' together is `strength`, and the box (k, 4) of pixels."""
    robots = bodies.places if strength > 0 else bodies.places[:0]
    where = camera.lens, camera.attitude, camera.place, camera.width, camera.height
    return _shadows(*where, lamps, robots, strength)


@kernel
def _shadows(
    lens: np.ndarray,
    attitude: np.ndarray,
    place: np.ndarray,
    width: int,
    height: int,
    lamps: np.ndarray,
    robots: np.ndarray,
    strength: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    n, m, corners = len(robots), len(lamps), len(_RING)
    at, drawn, shares = np.empty((n * m, 2)), np.empty((n * m, 2)), np.empty(n * m)
    rim = np.zeros((2 * n * m * corners, 3))
    for i in range(n):
        total = 0.0
        for j in range(m):
            k, high = i * m + j, lamps[j, 2]
            dx, dy = robots[i, 0] - lamps[j, 0], robots[i, 1] - lamps[j, 1]
            along = ROBOT_HEIGHT / (high - ROBOT_HEIGHT)
            at[k, 0], at[k, 1] = robots[i, 0], robots[i, 1]
            drawn[k, 0], drawn[k, 1] = dx * along, dy * along
            shares[k] = 1 / (dx * dx + dy * dy + high * high)
            total += shares[k]
            for c in range(2 * corners):
                part, turn = c // corners, c % corners
                rim[2 * k * corners + c, 0] = at[k, 0] + part * drawn[k, 0] + _RING[turn, 0]
                rim[2 * k * corners + c, 1] = at[k, 1] + part * drawn[k, 1] + _RING[turn, 1]
        for j in range(m):
            shares[i * m + j] *= strength / total
    pixels = project(lens, attitude, place, rim)
    boxes = np.empty((n * m, 4), dtype=np.int64)
    for k in range(n * m):
        mine = pixels[2 * k * corners : 2 * (k + 1) * corners]
        for axis, size in ((0, width), (1, height)):
            first, last = np.floor(mine[:, axis].min()), np.ceil(mine[:, axis].max())
            boxes[k, 2 * axis] = int(min(max(first, 0.0), float(size)))
            boxes[k, 2 * axis + 1] = int(min(max(last, -1.0), float(size - 1)))
    return at, drawn, shares, boxes


@kernel
def darken(
    light: np.ndarray,
    ground: np.ndarray,
    robots: np.ndarray,
    drawn: np.ndarray,
    shares: np.ndarray,
    boxes: np.ndarray,
    strips: np.ndarray,
    first: int,
    step: int,
) -> None:
    """Lay shadows on strips (row, first, after) of the `light`, whose pixel i is the camera's
    `first + step·i`."""
    begins = np.zeros(len(light) + 1, dtype=np.int64)
    for s in range(len(strips)):
        begins[strips[s, 0] + 1] = s + 1
    for v in range(len(light)):
        begins[v + 1] = max(begins[v + 1], begins[v])
    for k in range(len(robots)):
        x, y, ex, ey = robots[k, 0], robots[k, 1], drawn[k, 0], drawn[k, 1]
        square = max(ex * ex + ey * ey, 1e-12)
        left, after = -((first - boxes[k, 0]) // step), (boxes[k, 1] - first) // step + 1
        for v in range(-((first - boxes[k, 2]) // step), (boxes[k, 3] - first) // step + 1):
            for s in range(begins[v], begins[v + 1]):
                for u in range(max(strips[s, 1], left), min(strips[s, 2], after)):
                    px, py = ground[v, u, 0] - x, ground[v, u, 1] - y
                    along = min(max((px * ex + py * ey) / square, 0.0), 1.0)
                    px, py = px - along * ex, py - along * ey
                    away = np.sqrt(px * px + py * py) - ROBOT_RADIUS
                    if away < SOFT:
                        light[v, u] *= np.float32(1 - shares[k] * min((SOFT - away) / (2 * SOFT), 1.0))
