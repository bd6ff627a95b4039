"""Who is where: the vehicles of every strip in the order of their front bumpers, made once a step.

A vehicle stands in the order of every strip it touches: the one of its guide point, those its tail has not
left, and in a lane change the lane it comes from. Whoever follows in any of them keeps clear of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import bare, inner, kernel, plain

from ..roads.abreast import OPPOSITE
from ..roads.roads import LANE
from .fleet import Fleet
from .net import Net, across

MAIN, PREVIOUS, EARLIER, SIDE = plain(0), plain(1), plain(2), plain(3)
PLACES = 4
OUT = 2.4  # [m] beside the middle of its lane a vehicle is clear of those in it


class Order(NamedTuple):
    """Entries sorted by strip and front; `first` (strips + 1) says where a strip's entries begin."""

    first: np.ndarray
    vehicle: np.ndarray  # (4 n) int32
    front: np.ndarray  # (4 n) [m] of the bumper on that strip; may lie beyond its end
    place: np.ndarray  # (n, 4) entry of a vehicle as MAIN, PREVIOUS, EARLIER, SIDE, or -1
    scratch: np.ndarray  # (strips + 1)


def empty_order(vehicles: int, strips: int) -> Order:
    return Order(
        np.zeros(strips + 1, np.int32),
        np.zeros(PLACES * vehicles, np.int32),
        np.zeros(PLACES * vehicles),
        np.full((vehicles, PLACES), -1, np.int32),
        np.zeros(strips + 1, np.int32),
    )


@kernel
def sort_entries(net: Net, fleet: Fleet, rows: np.ndarray, order: Order) -> None:
    """Fill `order` from those of the fleet who are on the roads, `rows`, ascending: counting sort by strip,
    insertion sort along it."""
    first, cursor = order.first, order.scratch
    strips = len(first) - 1
    for s in range(strips + 1):
        first[s] = 0
    for i in rows:
        if not is_beside_its_lane(net, fleet, i):
            first[fleet[i].strip + 1] += 1
        if fleet[i].previous >= 0:
            first[fleet[i].previous + 1] += 1
        if fleet[i].earlier >= 0:
            first[fleet[i].earlier + 1] += 1
        if fleet[i].side >= 0:
            first[fleet[i].side + 1] += 1
    for s in range(strips):
        first[s + 1] += first[s]
        cursor[s] = first[s]
    for i in rows:
        for k in range(PLACES):
            order.place[i, k] = -1
        front = fleet[i].station + fleet[i].overhang
        if not is_beside_its_lane(net, fleet, i):
            _insert(order, fleet[i].strip, front, i, MAIN)
        if fleet[i].previous >= 0:
            front += net.strips[fleet[i].previous].length
            _insert(order, fleet[i].previous, front, i, PREVIOUS)
        if fleet[i].earlier >= 0:
            front += net.strips[fleet[i].earlier].length
            _insert(order, fleet[i].earlier, front, i, EARLIER)
        if fleet[i].side >= 0:
            _insert(order, fleet[i].side, _front_on_side(net, fleet, i), i, SIDE)
    for s in range(strips):
        for e in range(first[s], cursor[s]):
            order.place[order.vehicle[e] >> 2, order.vehicle[e] & 3] = e
        for e in range(first[s], cursor[s]):
            order.vehicle[e] >>= 2


@bare
def is_beside_its_lane(net: Net, fleet: Fleet, i: int) -> bool:
    """Whether an emergency vehicle is on the opposite road altogether, tail and all, and stays there."""
    if not is_out(fleet, i):
        return False
    askew = np.sin(fleet[i].heading - net.points[fleet[i].segment].heading)
    tail = fleet[i].lateral - (fleet[i].length - fleet[i].overhang) * askew
    return abs(tail) > OUT and fleet[i].lateral * tail > 0.0


@inner
@bare
def is_out(fleet: Fleet, i: int) -> bool:
    """Whether the front of an emergency vehicle has left its lane for the opposite road, and stays there."""
    return fleet[i].passing > 0 and fleet[i].shift_to != 0.0 and abs(fleet[i].lateral) > OUT


@inner
@bare
def _front_on_side(net: Net, fleet: Fleet, i: int) -> float:
    """Where the far end of the vehicle lies [m] on the lane it comes from, or on the opposite one.

    Against the direction of the opposite lane that is its tail.
    """
    if fleet[i].passing == 0:
        return fleet[i].side_station + fleet[i].overhang
    tail = fleet[i].station + fleet[i].overhang - fleet[i].length
    strip = fleet[i].strip
    if net.strips[strip].kind == LANE:
        return across(net, strip, tail, OPPOSITE)
    return -tail  # it has driven off the start of the opposite lane


@inner
@kernel
def _insert(order: Order, strip: int, front: float, vehicle: int, role: int) -> None:
    """Into the strip's part of the arrays, behind all that are further back. Equal fronts: lower index
    first."""
    e = order.scratch[strip]
    order.scratch[strip] = e + 1
    start = order.first[strip]
    while e > start and order.front[e - 1] > front:
        order.front[e] = order.front[e - 1]
        order.vehicle[e] = order.vehicle[e - 1]
        e -= 1
    order.front[e] = front
    order.vehicle[e] = vehicle * 4 + role
