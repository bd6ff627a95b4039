"""The surface of a road: what lies beside its reference line as the road climbs and banks, and bends across.

An offset lies square to the road as it climbs, turned about it by the superelevation, so that the plan of a
road that does both is shifted along it, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .lines import Line, evaluate, rate, reference_line
from .records import RoadRecord

LEAST_STRETCH = 0.05  # of a line beside a bend, where it would fold over


class Spine(NamedTuple):
    """A road at stations (k,): its reference line, height [m], climb and bank [rad] and how these two change
    [rad/m]; a bank has its right side down."""

    line: Line
    z: np.ndarray
    climb: np.ndarray
    bank: np.ndarray
    climb_rate: np.ndarray
    bank_rate: np.ndarray


class Lift(NamedTuple):
    """How far [m] the ground lies above the plane of a road at some offset, and how that changes along the
    road and to the left [m/m]."""

    height: np.ndarray
    along: np.ndarray
    across: np.ndarray


LEVEL = Lift(*np.zeros(3))


class Beside(NamedTuple):
    """A line beside the reference line: x, y, z [m], heading [rad], and slope and bank [rad] of the ground
    along and across that heading."""

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    heading: np.ndarray
    slope: np.ndarray
    bank: np.ndarray


def spine(road: RoadRecord, s: np.ndarray) -> Spine:
    """A road at s (k,) [m], ascending."""
    line, z = reference_line(road.geometry, s), evaluate(road.elevation, s)
    steep = rate(road.elevation, s)
    bend = rate(road.elevation, s, 2) / (1.0 + steep**2)
    bank, twist = evaluate(road.superelevation, s), rate(road.superelevation, s)
    return Spine(line, z, np.arctan(steep), bank, bend, twist)


def lift(road: RoadRecord, s: np.ndarray, t: np.ndarray) -> Lift:
    """The ground of a road at stations s (k,) and offsets t (k,) [m] as its crossfall and lateral shapes bend
    it; shapes count between those at two stations in proportion."""
    profile, way = road.profile, -1.0 if road.profile.turned else 1.0
    if profile.straight:
        return LEVEL
    out = np.zeros((3, len(s)))
    t = way * np.asarray(t, float)
    for falls, sign in ((profile.left, 1.0), (profile.right, -1.0)):
        own = t * sign > 0
        if falls and own.any():
            fall, turn = evaluate(falls, s[own]), rate(falls, s[own])
            away = np.abs(t[own])
            out[:, own] = -away * np.tan(fall), -away * turn / np.cos(fall) ** 2, -sign * np.tan(fall)
    if profile.shapes:
        at = np.array([start for start, _ in profile.shapes])
        known = np.array([(evaluate(some, t), rate(some, t)) for _, some in profile.shapes])
        last = len(at) - 1
        i = np.clip(np.searchsorted(at, s, side="right") - 1, 0, max(last - 1, 0))
        j, k = np.minimum(i + 1, last), np.arange(len(s))
        long = np.maximum(at[j] - at[i], 1e-9)
        share = np.clip((s - at[i]) / long, 0.0, 1.0)
        one, other = known[i, :, k].T, known[j, :, k].T
        between = (s > at[i]) & (s < at[j])
        height, across = one + share * (other - one)
        out += np.stack([height, np.where(between, (other - one)[0] / long, 0.0), across])
    return Lift(out[0], out[1], way * out[2])


def beside(road: Spine, t: np.ndarray, drift: np.ndarray, over: Lift = LEVEL) -> Beside:
    """The line at offsets t (k,) [m] that change by `drift` [m/m], on ground that lies `over` the plane of
    the road there."""
    line, cb, sb, cc, sc = road.line, *(f(a) for a in (road.bank, road.climb) for f in (np.cos, np.sin))
    flat, rise = t * cb - over.height * sb, t * sb + over.height * cb
    grown = over.along + over.across * drift
    d_flat = drift * cb - grown * sb - rise * road.bank_rate
    d_rise = drift * sb + grown * cb + flat * road.bank_rate
    along, d_along = -rise * sc, -d_rise * sc - rise * cc * road.climb_rate
    up = np.tan(road.climb) + d_rise * cc - rise * sc * road.climb_rate
    on = np.maximum(1.0 - line.curvature * flat + d_along, LEAST_STRETCH)
    aside = d_flat + line.curvature * along
    turn = np.arctan2(aside, on)
    # the ground holds the way along and the way across: how it rises ahead and to the left of the road
    cb, sb = cb - over.across * sb, sb + over.across * cb
    level = on * cb + aside * sb * sc
    ahead, left = (up * cb - aside * sb * cc) / level, (on * sb * cc + up * sb * sc) / level
    c, n = np.cos(line.heading), np.sin(line.heading)
    return Beside(
        line.x - flat * n + along * c,
        line.y + flat * c + along * n,
        road.z + rise * cc,
        line.heading + turn,
        np.arctan(ahead * np.cos(turn) + left * np.sin(turn)),
        np.arctan(left * np.cos(turn) - ahead * np.sin(turn)),
    )
