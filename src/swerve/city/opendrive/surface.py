"""The surface of a road: what lies beside its reference line as the road climbs and banks.

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


def beside(road: Spine, t: np.ndarray, drift: np.ndarray) -> Beside:
    """The line at offsets t (k,) [m] that change by `drift` [m/m]."""
    line, cb, sb, cc, sc = road.line, *(f(a) for a in (road.bank, road.climb) for f in (np.cos, np.sin))
    flat, rise = t * cb, t * sb
    d_flat, d_rise = drift * cb - rise * road.bank_rate, drift * sb + flat * road.bank_rate
    along, d_along = -rise * sc, -d_rise * sc - rise * cc * road.climb_rate
    up = np.tan(road.climb) + d_rise * cc - rise * sc * road.climb_rate
    on = np.maximum(1.0 - line.curvature * flat + d_along, LEAST_STRETCH)
    aside = d_flat + line.curvature * along
    turn = np.arctan2(aside, on)
    # the ground holds the way along and the way across: how it rises ahead and to the left of the road
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
