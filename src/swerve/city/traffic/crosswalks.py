"""What drivers and people tell each other at crosswalks: who cannot stop any more, who waits, who walks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from .fleet import Fleet
from .net import Net

BESIDE = 0.4  # [m] beside a crosswalk, where a car is still in the way
SLOW = 1.5  # [m/s] below which a car is gone round; people wait for a faster one


@dataclass
class Crosswalks:
    """The desk at which a town's traffic and people meet, every array (crosswalks,).

    People who move in the same frame reserve a crosswalk before drivers decide, so nobody steps in front of
    a car that was just let in.
    """

    claims: np.ndarray  # [s] until cars that cannot stop have left it
    due: np.ndarray  # bool: a driver has waited for long to cross it
    taken: np.ndarray  # how many people are on it, or about to step on it
    in_the_way: np.ndarray = field(default_factory=lambda: np.zeros((0, 6)))  # cars that stand over one
    sirens: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  # x, y, heading
    parties: list[object] = field(default_factory=list)  # the batches that meet here


def empty_crosswalks(count: int) -> Crosswalks:
    return Crosswalks(np.zeros(count), np.zeros(count, bool), np.zeros(count, np.int64))


def cars_in_the_way(net: Net, fleet: Fleet) -> np.ndarray:
    """(m, 6) of vehicles that stand, or nearly so, over a crosswalk, as people see them."""
    return seen_by_people(fleet, over_crosswalks(net, fleet, np.arange(len(fleet))))


def seen_by_people(fleet: Fleet, rows: np.ndarray) -> np.ndarray:
    """(m, 6) x, y, heading, length, width, speed of some vehicles."""
    return np.stack([fleet[name][rows] for name in ("x", "y", "heading", "length", "width", "speed")], -1)


@kernel
def over_crosswalks(net: Net, fleet: Fleet, rows: np.ndarray) -> np.ndarray:
    """Those `rows` of vehicles that stand, or nearly so, over a crosswalk."""
    found = np.empty(len(rows), np.int64)
    count = 0
    for i in rows:
        strip = fleet[i].strip
        if strip < 0 or fleet[i].speed > SLOW:
            continue
        front = fleet[i].station + fleet[i].overhang
        over = _is_over_crosswalk(net, strip, front - fleet[i].length, front)
        ahead, behind = fleet[i].next, fleet[i].previous
        if not over and ahead >= 0 and front > net.strips[strip].length - BESIDE:
            reach = front - net.strips[strip].length
            over = _is_over_crosswalk(net, ahead, reach - fleet[i].length, reach)
        if not over and behind >= 0:
            reach = front + net.strips[behind].length
            over = _is_over_crosswalk(net, behind, reach - fleet[i].length, reach)
        if over:
            found[count] = i
            count += 1
    return found[:count]


@inner
@bare
def _is_over_crosswalk(net: Net, strip: int, rear: float, front: float) -> bool:
    for w in range(net.strips[strip].walk_first, net.strips[strip + 1].walk_first):
        if rear < net.walks[w].end + BESIDE and front > net.walks[w].begin - BESIDE:
            return True
    return False
