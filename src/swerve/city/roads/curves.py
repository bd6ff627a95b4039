"""The shapes of strips: turns that a wheelbase can follow, gentle shifts, and loops at dead ends.

A turn is a curvature that ramps up, stays and ramps down once (clothoid, arc, clothoid): the wheel is turned
and turned back, once. All curves are sampled at even distances.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from swerve.core import geometry

SPACING = 1.0  # [m] between points of curved strips
RAMP = 0.25  # share of a turn's length in which its curvature rises, and falls
LOOP_RADIUS = 7.0  # [m] of turning loops at dead ends
_STRAIGHT = np.radians(4.0)  # [rad] below this a turn is a shift
_ROUND = np.radians(175.0)  # [rad] above this there is no corner to cut
_FINE = 0.02  # [m] step of integration


class Curve(NamedTuple):
    """Points at even distances: x, y [m], heading [rad] (unwrapped), curvature [1/m], and the length [m]."""

    x: np.ndarray
    y: np.ndarray
    heading: np.ndarray
    curvature: np.ndarray
    length: float


Pose = tuple[float, float, float]  # x, y [m], heading [rad]
Pieces = list[tuple[float, float, float]]  # length [m], curvature [1/m] at its start and end


def wrap(angle: float) -> float:
    """The same angle in (-π, π]."""
    return -geometry.wrap(-float(angle))


def join(start: Pose, end: Pose, run: float = 0.0, least: float = 6.0) -> Curve:
    """A curve from one pose to another, turning at most once where that is possible.

    It stays straight over `run` [m] at both ends, unless the turn would then be tighter than `least` [m].
    """
    turn = wrap(end[2] - start[2])
    dx, dy = end[0] - start[0], end[1] - start[1]
    if abs(turn) > _STRAIGHT:
        before, after = _tangents(start, end, turn)
        shape = _turn_shape(turn)
        room = min(before, after)
        tangent = max(room - run, min(room, least / shape[1]))
        if room > 1.0 and abs(turn) < _ROUND:
            length = tangent / shape[0]
            peak = turn / (length * (1 - RAMP))
            pieces = [
                (before - tangent, 0.0, 0.0),
                (RAMP * length, 0.0, peak),
                ((1 - 2 * RAMP) * length, peak, peak),
                (RAMP * length, peak, 0.0),
                (after - tangent, 0.0, 0.0),
            ]
            return aim(_integrate(pieces, start), end)
    aside = dy * np.cos(start[2]) - dx * np.sin(start[2])
    if abs(aside) < 1e-4 and abs(turn) < 1e-5:
        return line(start[:2], end[:2])
    return _shift(start, end)


def missing_room(start: Pose, end: Pose, least: float) -> float:
    """How much longer [m] both straights would have to be for a turn no tighter than `least` [m]."""
    turn = wrap(end[2] - start[2])
    if abs(turn) <= _STRAIGHT or abs(turn) >= _ROUND:
        return 0.0
    before, after = _tangents(start, end, turn)
    return max(0.0, least / _turn_shape(turn)[1] - min(before, after))


def line(start: tuple[float, float], end: tuple[float, float]) -> Curve:
    """A straight: two points are enough."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    heading = np.arctan2(dy, dx)
    return Curve(
        np.array([start[0], end[0]]),
        np.array([start[1], end[1]]),
        np.full(2, heading),
        np.zeros(2),
        float(np.hypot(dx, dy)),
    )


def turning_loop(start: Pose, aside: float, radius: float = LOOP_RADIUS) -> Curve:
    """A U-turn to the left that ends beside its start, `aside` [m] away and heading back.

    Lanes closer than a turning circle need a loop: a swing to the right, a long left turn, a swing back.
    Loops of lanes beside each other lie inside each other when their radii [m] differ as the lanes do.
    """
    local = _loop_shape(round(aside, 6), round(radius, 6))
    c, s = np.cos(start[2]), np.sin(start[2])
    x, y = start[0] + c * local.x - s * local.y, start[1] + s * local.x + c * local.y
    end = (start[0] - s * aside, start[1] + c * aside, start[2] + np.pi)
    return aim(Curve(x, y, local.heading + start[2], local.curvature, local.length), end)


def beside(curve: Curve, offset: float) -> Curve:
    """The curve `offset` [m] to the left of another, sampled evenly anew."""
    x = curve.x - offset * np.sin(curve.heading)
    y = curve.y + offset * np.cos(curve.heading)
    if len(curve.x) == 2 and not curve.curvature.any():
        return Curve(x, y, curve.heading, curve.curvature, curve.length)
    curvature = curve.curvature / (1.0 - offset * curve.curvature)
    return evenly(x, y, curve.heading, curvature)


def evenly(x: np.ndarray, y: np.ndarray, heading: np.ndarray, curvature: np.ndarray) -> Curve:
    """Points of a densely sampled curve at even distances of about `SPACING`."""
    step = np.hypot(np.diff(x), np.diff(y))
    bend = np.abs(np.diff(heading))
    step = step * np.where(
        bend < 1e-9, 1.0, (bend / 2) / np.sin(np.maximum(bend, 1e-9) / 2)
    )  # arcs, not chords
    station = np.concatenate([[0.0], np.cumsum(step)])
    count = max(2, int(np.ceil(station[-1] / SPACING - 1e-9)) + 1)
    at = np.linspace(0.0, station[-1], count)
    x, y, heading, curvature = (np.interp(at, station, v) for v in (x, y, heading, curvature))
    return Curve(x, y, heading, curvature, float(station[-1]))


def reverse(curve: Curve) -> Curve:
    """The same curve driven the other way."""
    return Curve(
        curve.x[::-1], curve.y[::-1], curve.heading[::-1] + np.pi, -curve.curvature[::-1], curve.length
    )


def _tangents(start: Pose, end: Pose, turn: float) -> tuple[float, float]:
    """Ways [m] from the start and to the end, straight on, to where both directions cross."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    before = (dx * np.sin(end[2]) - dy * np.cos(end[2])) / np.sin(turn)
    after = (dy * np.cos(start[2]) - dx * np.sin(start[2])) / np.sin(turn)
    return float(before), float(after)


@lru_cache(maxsize=4096)
def _turn_shape(turn: float) -> tuple[float, float]:
    """Of a turn of unit length: its tangent length, and its smallest radius by tangent length."""
    unit = _profile([(RAMP, 0.0, 1.0), (1 - 2 * RAMP, 1.0, 1.0), (RAMP, 1.0, 0.0)], 1e-3)
    heading = unit[1] * turn / (1 - RAMP)
    y = np.trapezoid(np.sin(heading), unit[0])
    tangent = float(y / np.sin(turn))
    return tangent, float((1 - RAMP) / abs(turn) / tangent)


@lru_cache(maxsize=64)
def _loop_shape(aside: float, radius: float) -> Curve:
    """A turning loop from the origin along +x."""
    k = 1.0 / radius
    ramp = 3.0  # [m] in which the curvature goes from none to k

    def half(angle: float) -> Pieces:
        """Up to the middle of the loop: a swing right by `angle`, then left by as much and a quarter."""
        swing = max(0.0, angle * radius - ramp)
        left = (angle + np.pi / 2) * radius - ramp / 2
        return [(ramp, 0.0, -k), (swing, -k, -k), (ramp, -k, 0.0), (ramp, 0.0, k), (left, k, k)]

    def height(pieces: Pieces) -> float:
        return 2.0 * float(_integrate(pieces, (0.0, 0.0, 0.0)).y[-1])

    least = ramp / radius
    if height(half(least)) >= aside:
        most = brentq(lambda a: height(half(a)) - aside, least, np.radians(80), xtol=1e-12)
        first = half(most)
    else:
        quarter = [(ramp, 0.0, k), (np.pi / 2 * radius - ramp, k, k), (ramp, k, 0.0)]
        straight = aside / 2 - height(quarter) / 2
        if straight >= 0.0:
            first = [*quarter, (straight, 0.0, 0.0)]
        else:  # between the two: a swing that is shorter than its ramps

            def gentle(peak: float) -> Pieces:
                left = (np.pi / 2 + ramp * peak) * radius - ramp / 2
                return [(ramp, 0.0, -peak), (ramp, -peak, 0.0), (ramp, 0.0, k), (left, k, k)]

            first = gentle(brentq(lambda p: height(gentle(p)) - aside, -k, k, xtol=1e-12))
    back = [(length, b, a) for length, a, b in reversed(first)]
    return _integrate([*first, *back], (0.0, 0.0, 0.0))


def _profile(pieces: Pieces, fine: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Station, heading and curvature, densely, of pieces (length, curvature from, curvature to)."""
    stations, headings, curvatures = [np.zeros(1)], [np.zeros(1)], [np.array([pieces[0][1]])]
    s0 = h0 = 0.0
    for length, k0, k1 in pieces:
        if length <= 1e-9:
            continue
        u = np.linspace(0.0, length, max(2, int(np.ceil(length / fine)) + 1))[1:]
        slope = (k1 - k0) / length
        stations.append(s0 + u)
        headings.append(h0 + k0 * u + slope * u * u / 2)
        curvatures.append(k0 + slope * u)
        s0, h0 = s0 + length, float(headings[-1][-1])
    return np.concatenate(stations), np.concatenate(headings), np.concatenate(curvatures)


def _integrate(pieces: Pieces, start: Pose) -> Curve:
    """The curve of a curvature profile, from a pose on."""
    station, heading, curvature = _profile(pieces, _FINE)
    heading = heading + start[2]
    step = np.diff(station)
    middle = (heading[1:] + heading[:-1]) / 2
    sag = 1.0 - (np.diff(heading) ** 2) / 24.0
    x = start[0] + np.concatenate([[0.0], np.cumsum(step * sag * np.cos(middle))])
    y = start[1] + np.concatenate([[0.0], np.cumsum(step * sag * np.sin(middle))])
    count = max(2, int(np.ceil(station[-1] / SPACING - 1e-9)) + 1)
    at = np.linspace(0.0, station[-1], count)
    x, y, heading, curvature = (np.interp(at, station, v) for v in (x, y, heading, curvature))
    return Curve(x, y, heading, curvature, float(station[-1]))


def aim(curve: Curve, end: Pose) -> Curve:
    """Spread what integration missed of the end (micrometres) over the curve."""
    share = np.linspace(0.0, 1.0, len(curve.x))
    missed = wrap(end[2] - curve.heading[-1])
    return curve._replace(
        x=curve.x + share * (end[0] - curve.x[-1]),
        y=curve.y + share * (end[1] - curve.y[-1]),
        heading=curve.heading + share * missed,
    )


def _shift(start: Pose, end: Pose) -> Curve:
    """A quintic between two poses with no curvature at its ends: for lanes that do not quite meet."""
    reach = np.hypot(end[0] - start[0], end[1] - start[1])
    u = np.linspace(0.0, 1.0, max(16, int(reach / 0.1)))
    h0, h1 = start[2], start[2] + wrap(end[2] - start[2])
    # position, first and second derivative of the quintic Hermite weights for ends and end directions
    ends = np.array([1 - 10 * u**3 + 15 * u**4 - 6 * u**5, 10 * u**3 - 15 * u**4 + 6 * u**5])
    ends1 = np.array([-30 * u**2 + 60 * u**3 - 30 * u**4, 30 * u**2 - 60 * u**3 + 30 * u**4])
    ends2 = np.array([-60 * u + 180 * u**2 - 120 * u**3, 60 * u - 180 * u**2 + 120 * u**3])
    way = np.array([u - 6 * u**3 + 8 * u**4 - 3 * u**5, -4 * u**3 + 7 * u**4 - 3 * u**5])
    way1 = np.array([1 - 18 * u**2 + 32 * u**3 - 15 * u**4, -12 * u**2 + 28 * u**3 - 15 * u**4])
    way2 = np.array([-36 * u + 96 * u**2 - 60 * u**3, -24 * u + 84 * u**2 - 60 * u**3])
    px, py = np.array([start[0], end[0]]), np.array([start[1], end[1]])
    tx, ty = reach * np.cos([h0, h1]), reach * np.sin([h0, h1])
    x, y = px @ ends + tx @ way, py @ ends + ty @ way
    x1, y1 = px @ ends1 + tx @ way1, py @ ends1 + ty @ way1
    x2, y2 = px @ ends2 + tx @ way2, py @ ends2 + ty @ way2
    heading = np.unwrap(np.arctan2(y1, x1))
    heading += h0 - heading[0]
    curvature = (x1 * y2 - y1 * x2) / np.hypot(x1, y1) ** 3
    return aim(evenly(x, y, heading, curvature), end)
