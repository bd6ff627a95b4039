"""How vehicles move now, in three dimensions: the middle of each outline, on the road under its axles."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, kernel

from .fleet import Fleet
from .net import Net

COLUMNS = ("x", "y", "z", "yaw", "pitch", "vx", "vy", "vz", "yaw_rate", "roll")


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
            front = _at(net, heights, fleet[i].strip, fleet[i].segment, fleet[i].station)
            lean = _at(net, banks, fleet[i].strip, fleet[i].segment, fleet[i].station)
            rear, strip, p = fleet[i].station - base, fleet[i].strip, fleet[i].segment
            if rear < 0.0 and fleet[i].previous >= 0:
                strip = fleet[i].previous
                rear, p = net.strips[strip].length + rear, net.strips[strip + 1].first - 2
            back, lean_back = _at(net, heights, strip, p, rear), _at(net, banks, strip, p, rear)
            # beside the middle of a banked strip it is higher or lower; in a bend the rear is further inside
            askew = np.sin(heading - _direction(net, fleet[i].strip, fleet[i].segment, fleet[i].station))
            askew = (askew + np.sin(heading - _direction(net, strip, p, rear))) / 2
            front += fleet[i].lateral * np.tan(lean)
            back += (fleet[i].lateral - base * askew) * np.tan(lean_back)
            out[2, i] = back + (front - back) * fleet[i].middle / base
            out[4, i] = np.arctan((front - back) / base)
            out[9, i] = lean_back + (lean - lean_back) * fleet[i].middle / base
            out[7, i] = speed * (front - back) / base
    return out


@bare
def _direction(net: Net, strip: int, p: int, station: float) -> float:
    """Heading [rad] of a strip at a place, looked for from point p backwards."""
    while p > net.strips[strip].first and net.points[p].station > station:
        p -= 1
    share = (station - net.points[p].station) / (net.points[p + 1].station - net.points[p].station)
    return net.points[p].heading + share * (net.points[p + 1].heading - net.points[p].heading)


@bare
def _at(net: Net, values: np.ndarray, strip: int, p: int, station: float) -> float:
    """Values of points at a place on a strip, looked for from point p backwards; straight beyond its ends."""
    while p > net.strips[strip].first and net.points[p].station > station:
        p -= 1
    share = (station - net.points[p].station) / (net.points[p + 1].station - net.points[p].station)
    return values[p] + share * (values[p + 1] - values[p])
