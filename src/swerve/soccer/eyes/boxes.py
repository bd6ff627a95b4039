"""Where in a picture bodies can be: boxes about them, and strips of rows from which they can be told."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

from .camera import Camera, project
from .moving import SPOTS, Moving
from .pattern import BALL_RADIUS, CENTRE_DOT, DOTS, ROBOT_HEIGHT, ROBOT_RADIUS, SIDE_DOT

AROUND = 14  # [pixels] around a ball at which detection looks, too
RIM = 1.0  # [pixels] around a dot that hold some of its light
_TURN = np.linspace(0, 2 * np.pi, 8, endpoint=False)
_RING = 1.08 * np.column_stack([np.cos(_TURN), np.sin(_TURN)])  # corners of the octagon lie outside
_RADII = np.array([CENTRE_DOT] + [SIDE_DOT] * len(DOTS))
_STEP = 0.01  # [m] by which the size of pixels is tried


def boxes_of(camera: Camera, bodies: Moving) -> np.ndarray:
    """First and last column and row (n + 1, 4) in which each robot and then the ball can be."""
    boxes: np.ndarray = _boxes(
        camera.lens, camera.attitude, camera.place, bodies.robots, bodies.ball, camera.width, camera.height
    )
    if not bodies.with_ball:
        boxes[-1] = 0, -1, 0, -1
    return boxes


def everywhere(height: int, width: int) -> np.ndarray:
    """Whole rows."""
    strips = np.zeros((height, 3), dtype=np.int64)
    strips[:, 0], strips[:, 2] = np.arange(height), width
    return strips


def telling(camera: Camera, bodies: Moving, boxes: np.ndarray) -> np.ndarray:
    """Strips in order that hold every dot of every robot, and the ball with what is around it."""
    where = camera.lens, camera.attitude, camera.place
    return joined(_telling(*where, bodies.robots, bodies.slack, boxes, camera.width, camera.height))


@kernel
def _boxes(
    lens: np.ndarray,
    attitude: np.ndarray,
    place: np.ndarray,
    robots: np.ndarray,
    ball: np.ndarray,
    width: int,
    height: int,
) -> np.ndarray:
    n, last, corners = len(robots), len(ball) - 1, len(_RING)
    points = np.empty(((n + 1) * 4 * corners, 3))
    k = 0
    for i in range(n + 1):
        radius, low, high = ROBOT_RADIUS, 0.0, ROBOT_HEIGHT
        if i == n:
            radius = BALL_RADIUS
            low, high = ball[:, 2].min() - BALL_RADIUS, ball[:, 2].max() + BALL_RADIUS
        for moment in (0, last):
            at = robots[i, moment] if i < n else ball[moment]
            for z in (low, high):
                for c in range(corners):
                    points[k, 0], points[k, 1] = at[0] + radius * _RING[c, 0], at[1] + radius * _RING[c, 1]
                    points[k, 2] = z
                    k += 1
    pixels = project(lens, attitude, place, points)
    boxes = np.empty((n + 1, 4), dtype=np.int64)
    for i in range(n + 1):
        mine = pixels[i * 4 * corners : (i + 1) * 4 * corners]
        for axis, size in ((0, width), (1, height)):
            first, after = np.floor(mine[:, axis].min()) - 2, np.ceil(mine[:, axis].max()) + 2
            boxes[i, 2 * axis] = int(min(max(first, 0.0), float(size)))
            boxes[i, 2 * axis + 1] = int(min(max(after, -1.0), float(size - 1)))
    return boxes


@kernel
def strips_of(boxes: np.ndarray, first: int = 0, step: int = 1) -> np.ndarray:
    """Strips (row, first column, column after the last) that make up boxes, of every `step`th pixel."""
    strips, count = np.empty((256, 3), dtype=np.int64), 0
    for k in range(len(boxes)):
        left, after = -((first - boxes[k, 0]) // step), (boxes[k, 1] - first) // step + 1
        if left < after:
            for v in range(-((first - boxes[k, 2]) // step), (boxes[k, 3] - first) // step + 1):
                strips, count = _strip(strips, count, v, left, after)
    return strips[:count]


@kernel
def clear(picture: np.ndarray, strips: np.ndarray) -> None:
    """Make strips of a picture black."""
    for k in range(len(strips)):
        for u in range(strips[k, 1], strips[k, 2]):
            for c in range(3):
                picture[strips[k, 0], u, c] = 0


@kernel
def copy(values: np.ndarray, source: np.ndarray, strips: np.ndarray) -> None:
    """Take over strips of the source."""
    for k in range(len(strips)):
        for u in range(strips[k, 1], strips[k, 2]):
            values[strips[k, 0], u] = source[strips[k, 0], u]


@kernel
def joined(strips: np.ndarray) -> np.ndarray:
    """Strips in order of rows and columns, those that meet as one."""
    if len(strips) == 0:
        return strips
    rows = strips[:, 0].max() + 1
    begins = np.zeros(rows + 1, dtype=np.int64)
    for k in range(len(strips)):
        begins[strips[k, 0] + 1] += 1
    for v in range(rows):
        begins[v + 1] += begins[v]
    filled = begins[:rows].copy()
    ordered = np.empty_like(strips)
    for k in range(len(strips)):
        v = strips[k, 0]
        i = filled[v]
        while i > begins[v] and ordered[i - 1, 1] > strips[k, 1]:
            ordered[i, 0], ordered[i, 1], ordered[i, 2] = v, ordered[i - 1, 1], ordered[i - 1, 2]
            i -= 1
        ordered[i, 0], ordered[i, 1], ordered[i, 2] = v, strips[k, 1], strips[k, 2]
        filled[v] += 1
    count = 0
    for k in range(1, len(ordered)):
        if ordered[k, 0] == ordered[count, 0] and ordered[k, 1] <= ordered[count, 2]:
            ordered[count, 2] = max(ordered[count, 2], ordered[k, 2])
        else:
            count += 1
            for c in range(3):
                ordered[count, c] = ordered[k, c]
    return ordered[: count + 1]


@kernel
def _telling(
    lens: np.ndarray,
    attitude: np.ndarray,
    place: np.ndarray,
    robots: np.ndarray,
    slack: np.ndarray,
    boxes: np.ndarray,
    width: int,
    height: int,
) -> np.ndarray:
    n, spots = len(robots), len(SPOTS)
    points = np.empty((n * (spots + 2), 3))
    points[:, 2] = ROBOT_HEIGHT
    for i in range(n):
        robot = robots[i, robots.shape[1] // 2]
        k = i * (spots + 2)
        for d in range(spots):
            points[k + d, 0] = robot[0] + robot[2] * SPOTS[d, 0] - robot[3] * SPOTS[d, 1]
            points[k + d, 1] = robot[1] + robot[3] * SPOTS[d, 0] + robot[2] * SPOTS[d, 1]
        points[k + spots, 0], points[k + spots, 1] = robot[0] + _STEP, robot[1]
        points[k + spots + 1, 0], points[k + spots + 1, 1] = robot[0], robot[1] + _STEP
    pixels = project(lens, attitude, place, points)
    strips = np.empty((256, 3), dtype=np.int64)
    count = 0
    for i in range(n):
        if boxes[i, 0] > boxes[i, 1] or boxes[i, 2] > boxes[i, 3]:
            continue
        k = i * (spots + 2)
        xu, xv = (
            (pixels[k + spots, 0] - pixels[k, 0]) / _STEP,
            (pixels[k + spots, 1] - pixels[k, 1]) / _STEP,
        )
        yu, yv = (
            (pixels[k + spots + 1, 0] - pixels[k, 0]) / _STEP,
            (pixels[k + spots + 1, 1] - pixels[k, 1]) / _STEP,
        )
        fine = np.sqrt(abs(xu * yv - xv * yu))  # pixels a metre
        for d in range(spots):
            radius = _RADII[d] + slack[i] + RIM / fine
            strips, count = _disc(strips, count, pixels[k + d], radius, xu, xv, yu, yv, width, height)
    last = boxes[n]
    if last[0] <= last[1] and last[2] <= last[3]:
        for v in range(max(last[2] - AROUND, 0), min(last[3] + AROUND + 1, height)):
            strips, count = _strip(
                strips, count, v, max(last[0] - AROUND, 0), min(last[1] + AROUND + 1, width)
            )
    return strips[:count]


@inner
@kernel
def _disc(
    strips: np.ndarray,
    count: int,
    middle: np.ndarray,
    radius: float,
    xu: float,
    xv: float,
    yu: float,
    yv: float,
    width: int,
    height: int,
) -> tuple[np.ndarray, int]:
    """Strips of a disc, which the lens makes an ellipse: pixels p = J·x with |x| ≤ radius, pᵀ(JJᵀ)⁻¹p ≤
    radius²."""
    uu, uv, vv = xu * xu + yu * yu, xu * xv + yu * yv, xv * xv + yv * yv
    high = radius * np.sqrt(vv)
    for v in range(max(int(np.ceil(middle[1] - high)), 0), min(int(middle[1] + high) + 1, height)):
        down = v - middle[1]
        along = uv / vv * down
        wide = np.sqrt(max((uu * vv - uv * uv) * (radius * radius - down * down / vv) / vv, 0.0))
        first = max(int(np.ceil(middle[0] + along - wide)), 0)
        after = min(int(np.floor(middle[0] + along + wide)) + 1, width)
        if first < after:
            strips, count = _strip(strips, count, v, first, after)
    return strips, count


@inner
@kernel
def _strip(strips: np.ndarray, count: int, v: int, first: int, after: int) -> tuple[np.ndarray, int]:
    if count == len(strips):
        strips = np.vstack((strips, np.empty_like(strips)))
    strips[count, 0], strips[count, 1], strips[count, 2] = v, first, after
    return strips, count + 1
