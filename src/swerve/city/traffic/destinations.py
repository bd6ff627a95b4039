"""Where vehicles go: a set of destination roads, the time from everywhere to each, a new one on arrival."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner

from ..roads.roads import CONNECTOR, LANE, Roads
from ..roads.routes import TURN_COST, find_routes
from .fleet import Fleet
from .motion import choose_next
from .net import Net

MOST = 64  # destinations at once; their table holds one number a strip
TRIES = 8  # draws of a destination that can be reached from here
CLOSED = 1e5  # [s] added to ways onto a closed road: nobody takes one who has another
ARRIVED_AT = 0.5  # share of the destination's lane


def make_field(
    roads: Roads, rng: np.random.Generator, rings: np.ndarray, most: int = MOST
) -> tuple[np.ndarray, np.ndarray]:
    """Destination roads (k,), and float32 (k, strips): seconds from the start of a strip to each of them.

    Nobody wants to a road of the `rings` (strips,), or to one that no way leads to, if there are others.
    """
    lanes = np.asarray(roads.kind) == LANE
    good = lanes & ~rings & (np.diff(roads.before_first) > 0)
    known = np.unique(np.asarray(roads.road)[good if good.any() else lanes])
    chosen = np.sort(rng.permutation(known)[:most])
    return chosen.astype(np.int32), times_to(roads, chosen)


def times_to(roads: Roads, chosen: np.ndarray, later: np.ndarray | None = None) -> np.ndarray:
    """float32 (k, strips): seconds from the start of a strip to each of the `chosen` roads, ascending.

    `later` (strips,) [s] is what strips take longer than with nobody about.
    """
    road = np.asarray(roads.road)
    lanes = np.flatnonzero(np.asarray(roads.kind) == LANE)
    targets = lanes[np.isin(road[lanes], chosen)]
    found = find_routes(roads, targets, later).time
    times = np.full((len(chosen), len(road)), np.inf, np.float32)  # to whichever lane of it is nearest
    np.minimum.at(times, np.searchsorted(chosen, road[targets]), found)
    return (times + _own_seconds(roads, later)[None]).astype(np.float32)


def times_to_lanes(roads: Roads, lanes: np.ndarray, later: np.ndarray | None = None) -> np.ndarray:
    """float32 (k, strips): seconds from the start of a strip to the end of each of the `lanes`, strips."""
    return (find_routes(roads, lanes, later).time + _own_seconds(roads, later)[None]).astype(np.float32)


def _own_seconds(roads: Roads, later: np.ndarray | None) -> np.ndarray:
    """[s] that strips take themselves."""
    turning = np.where(np.asarray(roads.kind) == CONNECTOR, TURN_COST[np.asarray(roads.turn) + 1], 0.0)
    return np.asarray(roads.length / roads.limit + turning + (0.0 if later is None else later))


@inner
@bare
def arrive(net: Net, fleet: Fleet, field: np.ndarray, roads: np.ndarray, i: int, seed: int) -> bool:
    """Give a vehicle that has arrived a new destination; whether it has."""
    strip = fleet[i].strip
    if net.strips[strip].kind != LANE or net.strips[strip].road != roads[fleet[i].destination]:
        return False
    if (
        fleet[i].station < ARRIVED_AT * net.strips[strip].length
        or fleet[i].granted >= 0
        or fleet[i].side >= 0
    ):
        return False
    if fleet[i].odometer < fleet[i].arrives_after:
        return False
    last = fleet[i].destination
    new_destination(net, fleet, field, i, seed)
    if fleet[i].destination == last:  # there is nowhere else to go: on to the same place, next time round
        fleet[i].arrives_after = fleet[i].odometer + net.strips[strip].length
    fleet[i].arrivals += 1
    return True


@bare
def new_destination(net: Net, fleet: Fleet, field: np.ndarray, i: int, seed: int) -> None:
    """Draw another destination than the present one, if one is found that a way leads to; a number by
    counting, so that order does not matter."""
    others = field.shape[0] - 1
    last = fleet[i].destination
    for _ in range(TRIES if others > 0 else 0):
        fleet[i].draws += 1
        word = mixed(seed * 1_000_003 + fleet[i].number * 8191 + fleet[i].draws)
        fleet[i].destination = (last + 1 + word % others) % field.shape[0]
        if field[fleet[i].destination, fleet[i].strip] < CLOSED:
            break
        fleet[i].destination = last
    if fleet[i].granted < 0:
        fleet[i].next = choose_next(net, field, fleet[i].strip, fleet[i].destination)


@bare
def mixed(word: int) -> int:
    """A well-mixed number of 31 bits from any number."""
    z = np.uint64(word) * np.uint64(0x9E3779B97F4A7C15)
    z ^= z >> np.uint64(31)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    return int(z >> np.uint64(33))
