"""Shapes in plain NumPy, written apart from the product, for tests that check it from outside.

Poses are (t, 3) x, y, heading; boxes are poses with full length and width; segments (s, 4) x0, y0, x1, y1.
"""

import numpy as np


def corners(poses: np.ndarray, length: float, width: float) -> np.ndarray:
    """(t, 4, 2) around every box."""
    x, y, heading = np.asarray(poses, dtype=float).T
    ahead = np.stack([np.cos(heading), np.sin(heading)], axis=1) * (length / 2)
    aside = np.stack([-np.sin(heading), np.cos(heading)], axis=1) * (width / 2)
    middle = np.stack([x, y], axis=1)
    return np.stack(
        [middle + ahead + aside, middle - ahead + aside, middle - ahead - aside, middle + ahead - aside], 1
    )


def segments_cross(p: np.ndarray, q: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether p–q meets a–b (arrays of points, broadcast); touching counts."""

    def side(u, v, w):
        return (v[..., 0] - u[..., 0]) * (w[..., 1] - u[..., 1]) - (v[..., 1] - u[..., 1]) * (
            w[..., 0] - u[..., 0]
        )

    d1, d2, d3, d4 = side(p, q, a), side(p, q, b), side(a, b, p), side(a, b, q)
    return (d1 * d2 <= 0) & (d3 * d4 <= 0) & _boxes_overlap(p, q, a, b)


def _boxes_overlap(p, q, a, b):
    low1, high1, low2, high2 = np.minimum(p, q), np.maximum(p, q), np.minimum(a, b), np.maximum(a, b)
    return ((low1 <= high2) & (low2 <= high1)).all(axis=-1)


def inside(points: np.ndarray, boxes: np.ndarray, length: float, width: float) -> np.ndarray:
    """Whether `points` (..., 2) lie in `boxes` (..., 3)."""
    d = points - boxes[..., :2]
    c, s = np.cos(boxes[..., 2]), np.sin(boxes[..., 2])
    along, aside = c * d[..., 0] + s * d[..., 1], -s * d[..., 0] + c * d[..., 1]
    return (np.abs(along) <= length / 2) & (np.abs(aside) <= width / 2)


def boxes_touch_segments(poses: np.ndarray, length: float, width: float, segments: np.ndarray) -> np.ndarray:
    """(t, s): by sides that cross, or an end that lies inside."""
    c = corners(poses, length, width)
    p, q = c[:, None], np.roll(c, -1, axis=1)[:, None]
    a, b = segments[None, :, None, :2], segments[None, :, None, 2:]
    crossing = segments_cross(p, q, a, b).any(axis=-1)
    return crossing | inside(segments[None, :, :2], np.asarray(poses)[:, None], length, width)


def boxes_touch(
    p: np.ndarray, size: tuple[float, float], q: np.ndarray, other: tuple[float, float]
) -> np.ndarray:
    """(t,): box by box, by sides that cross, or one inside the other."""
    a, b = corners(p, *size), corners(q, *other)
    crossing = segments_cross(
        a[:, :, None], np.roll(a, -1, 1)[:, :, None], b[:, None], np.roll(b, -1, 1)[:, None]
    ).any(axis=(1, 2))
    return (
        crossing
        | inside(np.asarray(q)[:, :2], np.asarray(p), *size)
        | inside(np.asarray(p)[:, :2], np.asarray(q), *other)
    )


def point_to_segments(points: np.ndarray, segments: np.ndarray) -> np.ndarray:
    """Distances (n, s)."""
    a, b = segments[:, :2], segments[:, 2:]
    d = b - a
    square = np.maximum((d * d).sum(1), 1e-300)
    along = np.clip(((points[:, None] - a) * d).sum(-1) / square, 0, 1)
    foot = a + along[..., None] * d
    return np.hypot(*np.moveaxis(points[:, None] - foot, -1, 0))


def boxes_to_segments(poses: np.ndarray, length: float, width: float, segments: np.ndarray) -> float:
    """The least distance between any of the boxes and any of the segments, 0 when they touch."""
    if boxes_touch_segments(poses, length, width, segments).any():
        return 0.0
    c = corners(poses, length, width)
    nearest = point_to_segments(c.reshape(-1, 2), segments).min()
    sides = np.concatenate([c, np.roll(c, -1, axis=1)], axis=2).reshape(-1, 4)
    return float(min(nearest, point_to_segments(segments.reshape(-1, 2), sides).min()))


def boxes_apart(p: np.ndarray, size: tuple[float, float], q: np.ndarray, other: tuple[float, float]) -> float:
    """The least distance between box i of `p` and box i of `q` over all i, 0 when they touch."""
    if boxes_touch(p, size, q, other).any():
        return 0.0
    a, b = corners(p, *size), corners(q, *other)
    best = np.inf
    for one, two in ((a, b), (b, a)):
        start, end = two[:, None], np.roll(two, -1, axis=1)[:, None]
        d = end - start
        along = np.clip(((one[:, :, None] - start) * d).sum(-1) / (d * d).sum(-1), 0, 1)
        away = one[:, :, None] - start - along[..., None] * d
        best = min(best, float(np.hypot(away[..., 0], away[..., 1]).min()))
    return best


def touches_anything(
    poses: np.ndarray,
    size: tuple[float, float],
    segments: np.ndarray,
    cars: np.ndarray,
    other: tuple[float, float],
    between: int = 8,
) -> bool:
    """Whether a path (n, 3) meets a wall or one of `cars` (k, n, 3), looking between frames too."""
    dense = between_frames(poses, between)
    low, high = dense[:, :2].min(axis=0) - 10, dense[:, :2].max(axis=0) + 10
    ends = segments.reshape(-1, 2, 2)
    near = segments[((ends.max(1) >= low) & (ends.min(1) <= high)).all(1)]
    for start in range(0, len(dense), 80):
        part = dense[start : start + 81]
        close = near[point_to_segments(near.reshape(-1, 2, 2).mean(1), _chords(part)).min(1) < 12.0]
        if len(close) and boxes_touch_segments(part, *size, close).any():
            return True
    for car in cars:
        path = between_frames(car[: len(poses)], between)
        n = min(len(path), len(dense))
        close = np.hypot(*(path[:n, :2] - dense[:n, :2]).T) < 8.0
        if close.any() and boxes_touch(dense[:n][close], size, path[:n][close], other).any():
            return True
    return False


def _chords(poses: np.ndarray) -> np.ndarray:
    every = poses[::20, :2] if len(poses) > 20 else poses[[0, -1], :2]
    every = np.vstack([every, poses[-1:, :2]])
    return np.hstack([every[:-1], every[1:]])


def between_frames(poses: np.ndarray, between: int) -> np.ndarray:
    """Poses at every 1/between of a frame; headings take the short way."""
    heading = np.unwrap(poses[:, 2])
    table = np.column_stack([poses[:, :2], heading])
    at = np.linspace(0, len(poses) - 1, (len(poses) - 1) * between + 1)
    low = np.minimum(at.astype(int), len(poses) - 2)
    return table[low] + (at - low)[:, None] * (table[low + 1] - table[low])
