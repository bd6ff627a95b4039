"""Plane geometry for kernels: angles, boxes, segments, polylines. A box: centre, unit axis, half extents."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from .kernels import inlined, inner, kernel

TURN = 2 * np.pi  # [rad]
Angle = TypeVar("Angle", float, np.ndarray)


def wrap(angle: Angle) -> Angle:
    """The same angles within [-π, π) [rad].

    >>> wrap(0.1), wrap(np.array([np.pi, -np.pi, 7.0])).round(3).tolist()
    (0.1, [-3.142, -3.142, 0.717])
    """
    if isinstance(angle, np.ndarray):
        return angle - TURN * np.floor(angle / TURN + 0.5)
    return float(angle - TURN * math.floor(angle / TURN + 0.5))


@inlined
def wrapped(angle: float) -> float:
    """`wrap` for kernels: the same angle within [-π, π) [rad]."""
    return angle - TURN * np.floor(angle / TURN + 0.5)  # np, not math: that makes an integer of it


@inlined
def box_hits_segment(
    cx: float,
    cy: float,
    ax: float,
    ay: float,
    half_length: float,
    half_width: float,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
) -> bool:
    """Whether a segment touches a box with axis (ax, ay): separating axes of box and segment."""
    u0, v0 = ax * (x0 - cx) + ay * (y0 - cy), -ay * (x0 - cx) + ax * (y0 - cy)
    u1, v1 = ax * (x1 - cx) + ay * (y1 - cy), -ay * (x1 - cx) + ax * (y1 - cy)
    if min(u0, u1) > half_length or max(u0, u1) < -half_length:
        return False
    if min(v0, v1) > half_width or max(v0, v1) < -half_width:
        return False
    du, dv = u1 - u0, v1 - v0
    return abs(u0 * dv - v0 * du) <= half_length * abs(dv) + half_width * abs(du)


@kernel
def box_gap(
    cx: float,
    cy: float,
    ax: float,
    ay: float,
    half_length: float,
    half_width: float,
    ox: float,
    oy: float,
    bx: float,
    by: float,
    other_length: float,
    other_width: float,
) -> float:
    """A lower bound of the distance between two boxes; at most 0 exactly when they touch.

    The largest gap along the four axes of the boxes.
    """
    dx, dy = ox - cx, oy - cy
    c = abs(ax * bx + ay * by)
    s = abs(ax * by - ay * bx)
    g0 = abs(ax * dx + ay * dy) - half_length - (c * other_length + s * other_width)
    g1 = abs(-ay * dx + ax * dy) - half_width - (s * other_length + c * other_width)
    g2 = abs(bx * dx + by * dy) - other_length - (c * half_length + s * half_width)
    g3 = abs(-by * dx + bx * dy) - other_width - (s * half_length + c * half_width)
    return max(max(g0, g1), max(g2, g3))


@inner
@inlined
def boxes_stay_apart(
    cx: float,
    cy: float,
    ax: float,
    ay: float,
    half_length: float,
    half_width: float,
    ox: float,
    oy: float,
    bx: float,
    by: float,
    other_length: float,
    other_width: float,
    margin: float,
    ux: float,
    uy: float,
    least: float,
    stray: float,
) -> float:
    """Frames for which two boxes surely stay `margin` apart; at most 0 exactly when they are not.

    u is the first box's mean step towards the other's [m/frame], and no point of either strays from its
    box's mean step by more than `stray` in sum. Along an axis n on which there is a gap g beyond the margin
    they stay apart for g / (max(±n·u, least) + stray) frames; the best of the four axes of the boxes counts.
    """
    dx, dy = ox - cx, oy - cy
    c = abs(ax * bx + ay * by)
    s = abs(ax * by - ay * bx)
    reach = margin + half_length + c * other_length + s * other_width
    first = _closing(ax * dx + ay * dy, reach, ax * ux + ay * uy, least, stray)
    reach = margin + half_width + s * other_length + c * other_width
    second = _closing(ax * dy - ay * dx, reach, ax * uy - ay * ux, least, stray)
    reach = margin + other_length + c * half_length + s * half_width
    third = _closing(bx * dx + by * dy, reach, bx * ux + by * uy, least, stray)
    reach = margin + other_width + s * half_length + c * half_width
    fourth = _closing(bx * dy - by * dx, reach, bx * uy - by * ux, least, stray)
    return max(max(first, second), max(third, fourth))


@inner
@inlined
def _closing(distance: float, reach: float, speed: float, least: float, stray: float) -> float:
    """Time until a gap along one axis can be closed; negative without a gap."""
    towards = speed if distance > 0.0 else -speed
    return (abs(distance) - reach) / (max(towards, least) + stray)


@kernel
def point_segment_distance(px: float, py: float, x0: float, y0: float, x1: float, y1: float) -> float:
    dx, dy = x1 - x0, y1 - y0
    square = dx * dx + dy * dy
    along = 0.0 if square == 0.0 else ((px - x0) * dx + (py - y0) * dy) / square
    along = min(1.0, max(0.0, along))
    return float(np.hypot(px - x0 - along * dx, py - y0 - along * dy))


def outlines(poses: np.ndarray, length: float, width: float) -> np.ndarray:
    """Corners (n, 4, 2) of boxes at `poses` (n, 3) x, y, heading, counter-clockwise from front left."""
    poses = np.atleast_2d(poses)
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * [length / 2, width / 2]
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    turn = np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], -2)
    return corners @ turn + poses[:, None, :2]


def arc_length(points: np.ndarray, closed: bool = False) -> np.ndarray:
    """Way along a polyline (n, 2) to each point (n,); with `closed` also back to the first (n+1,)."""
    if closed:
        points = np.vstack([points, points[:1]])
    return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])


def resample(points: np.ndarray, spacing: float, closed: bool = False) -> np.ndarray:
    """Columns of `points` (n, k), the first two x and y, at even distances of about `spacing`."""
    s = arc_length(points[:, :2], closed)
    full = np.vstack([points, points[:1]]) if closed else points
    count = max(2, round(s[-1] / spacing))
    at = np.linspace(0, s[-1], count, endpoint=False) if closed else np.linspace(0, s[-1], count + 1)
    return np.stack([np.interp(at, s, full[:, k]) for k in range(points.shape[1])], axis=1)


def directions(points: np.ndarray, closed: bool = False) -> np.ndarray:
    """Unit tangents (n, 2) of a polyline by central differences."""
    if closed:
        step = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    else:
        step = np.gradient(points, axis=0)
    with np.errstate(invalid="ignore"):  # where a line runs back on itself there is none
        return step / np.hypot(*step.T)[:, None]
