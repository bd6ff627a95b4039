"""Random maps with walls across them, and a check of a drive against the walls that knows nothing of the
planner: places 5 cm apart on a spline through the path, the body as a rectangle, separating axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline


@dataclass(frozen=True)
class WalledMap:
    size: float
    walls: list[np.ndarray]  # (4, 2) corners
    start: tuple[float, float]
    goal: tuple[float, float]
    gap: float


def walled_map(rng: np.random.Generator, width: float, first: float = 1.5) -> WalledMap:
    """One to three walls of 0.2 to 20 m across a map of 100 m to 20 km, each with a gap of 1.5 widths, the
    first one with `first` widths."""
    size = float(np.exp(rng.uniform(np.log(100), np.log(20000))))
    count = int(rng.integers(1, 4)) if size > 250 else 1
    gap = 1.5 * width
    walls = []
    upright = bool(rng.random() < 0.5)
    for k in range(count):
        thick = float(np.exp(rng.uniform(np.log(0.2), np.log(min(20.0, 0.1 * size)))))
        y = size * (k + 1 + rng.uniform(-0.15, 0.15)) / (count + 1)
        slant = rng.uniform(-0.1, 0.1)
        x = size * rng.uniform(0.2, 0.8)
        hole = 0.5 * (gap if k else first * width) / np.cos(np.arctan(slant))
        for x0, x1 in ((-0.1 * size, x - hole), (x + hole, 1.1 * size)):
            ends = np.array([[x0, y + slant * (x0 - x)], [x1, y + slant * (x1 - x)]])
            along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
            across = 0.5 * thick * np.array([-along[1], along[0]])
            corners = np.array([ends[0] - across, ends[1] - across, ends[1] + across, ends[0] + across])
            walls.append(corners[:, ::-1] if upright else corners)
    a, b = (rng.uniform(0.05, 0.95) * size, 0.03 * size), (rng.uniform(0.05, 0.95) * size, 0.97 * size)
    if upright:
        a, b = a[::-1], b[::-1]
    return WalledMap(size, walls, a, b, gap)


def touches(points: np.ndarray, walls: list[np.ndarray], length: float, width: float) -> bool:
    """Whether a body driven through points (n, 2) touches a wall (4, 2) anywhere."""
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    curve = CubicSpline(along, points)
    at = np.arange(0.0, along[-1], 0.05)
    for part in np.array_split(at, max(1, len(at) // 50000)):
        place, ahead = curve(part), curve(part, 1)
        ahead = ahead / np.linalg.norm(ahead, axis=1, keepdims=True)
        for wall in walls:
            low, high = wall.min(axis=0) - length, wall.max(axis=0) + length
            near = ((place > low) & (place < high)).all(axis=1)
            if near.any() and _overlap(place[near], ahead[near], wall, length, width).any():
                return True
    return False


def _overlap(
    place: np.ndarray, ahead: np.ndarray, wall: np.ndarray, length: float, width: float
) -> np.ndarray:
    """(n,) whether rectangles and a convex polygon have a point in common: no separating axis."""
    left = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    separate = np.zeros(len(place), bool)
    for axis, half in ((ahead, length / 2), (left, width / 2)):
        shadow = ((wall[None] - place[:, None]) * axis[:, None]).sum(-1)
        separate |= (shadow.min(axis=1) > half) | (shadow.max(axis=1) < -half)
    for side in np.roll(wall, -1, axis=0) - wall:
        normal = np.array([-side[1], side[0]]) / np.linalg.norm(side)
        shadow = wall @ normal
        reach = np.abs(ahead @ normal) * length / 2 + np.abs(left @ normal) * width / 2
        middle = place @ normal
        separate |= (middle - reach > shadow.max()) | (middle + reach < shadow.min())
    return ~separate
