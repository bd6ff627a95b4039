"""How vehicles move now, in three dimensions: the middle of each outline, on the road under its axles."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, kernel

from .fleet import Fleet
from .net import Net

COLUMNS = ("x", "y", "z", "yaw", "pitch", "vx", "vy", "vz", "yaw_rate", "roll")
STANDS_ON = 0.7  # of the wheelbase: between the chord of the axles and the slope under the middle


@kernel
def read_poses(net: Net, heights: np.ndarray, banks: np.ndarray, fleet: Fleet, flat: bool) -> np.ndarray:
    """(10, n) the `COLUMNS`; z is that of the road under the middle.

    `heights` [m] and `banks` [rad] are those of the net's points.
    """
    out = np.zeros((10, len(fleet)))
    for i in range(len(fleet)):
        base, steer, heading = fleet[i].wheelbase, fleet[i].steer, fleet[i].heading
        # the middle of the outline moves a little aside from where the body points
        slip = np.arctan(fleet[i].middle / base * np.tan(steer))
        speed = fleet[i].speed * np.cos(steer) / np.cos(slip)
        out[0, i], out[1, i], out[3, i] = fleet[i].x, fleet[i].y, heading
        out[5, i], out[6, i] = speed * np.cos(heading + slip), speed * np.sin(heading + slip)
        out[8, i] = fleet[i].speed * np.sin(steer) / base
        if fleet[i].strip >= 0 and not flat:
            from_front, reach = base - fleet[i].middle, STANDS_ON * base / 2
            front, lean, off = _ground(net, heights, banks, fleet[i], from_front - reach, reach)
            back, lean_back, off_back = _ground(net, heights, banks, fleet[i], from_front + reach, -reach)
            middle, _, _ = _ground(net, heights, banks, fleet[i], from_front, 0.0)
            rise, lean, off = (front - back) / (2 * reach), (lean + lean_back) / 2, (off + off_back) / 2
            out[2, i], out[7, i] = middle, speed * rise
            out[4, i] = np.arctan(rise)
            # across the body, which may stand askew on the slope
            out[9, i] = np.arctan((lean - rise * np.sin(off)) / np.cos(off) * np.cos(out[4, i]))
    return out


@bare
def _ground(
    net: Net, heights: np.ndarray, banks: np.ndarray, car: np.record, behind: float, ahead: float
) -> tuple[float, float, float]:
    """Height [m] of the road, how it rises to the left of its strip, and how a car is turned from it [rad].

    At a place so far `behind` [m] its front axle along the road, which lies `ahead` [m] of its middle.
    """
    strip, p, station = car.strip, car.segment, car.station - behind
    if station < 0.0 and car.previous >= 0:
        strip = car.previous
        p, station = net.strips[strip + 1].first - 2, net.strips[strip].length + station
    while p > net.strips[strip].first and net.points[p].station > station:
        p -= 1
    this, other = net.points[p], net.points[p + 1]
    step = other.station - this.station
    share = (station - this.station) / step
    heading = this.heading + share * (other.heading - this.heading)
    c, s = np.cos(heading), np.sin(heading)
    dx = car.x + ahead * np.cos(car.heading) - this.x - share * (other.x - this.x)
    dy = car.y + ahead * np.sin(car.heading) - this.y - share * (other.y - this.y)
    share += (dx * c + dy * s) / step
    lean = np.tan(banks[p] + share * (banks[p + 1] - banks[p]))
    height = _between(heights, p, share, net.strips[strip].first, net.strips[strip + 1].first - 1)
    return height + (dy * c - dx * s) * lean, lean, car.heading - heading


@bare
def _between(heights: np.ndarray, p: int, share: float, first: int, last: int) -> float:
    """Height [m] after point p of a strip by a cubic through it and its neighbours, which a crest bends as
    the road does; straight between points where the strip has no more."""
    here, there = heights[p], heights[p + 1]
    straight = here + share * (there - here)
    if p == first or p + 1 == last or share < 0.0 or share > 1.0:
        return straight
    bend = (1.0 - share) * (heights[p - 1] - 2.0 * here + there)
    bend += share * (here - 2.0 * there + heights[p + 2])
    return straight - 0.5 * share * (1.0 - share) * bend
