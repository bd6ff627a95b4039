"""Filling the streets: vehicles on lanes, apart from each other and slow enough for what is ahead."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput

from ..roads.roads import LANE, Roads
from .fleet import Fleet
from .following import JAM
from .net import Net

BETWEEN = 3.0  # [m] least gap at the start
START_BRAKING = 1.5  # [m/s²] the first speed lets everyone stop this gently
START_SHARE = 0.8  # of the speed limit


def room_for(roads: Roads, longest: float = 5.7) -> int:
    """How many vehicles of at most so many metres find a place on the lanes."""
    lengths = roads.length[roads.kind == LANE]
    return int(_slots(lengths, longest + BETWEEN).sum())


def _slots(lengths: np.ndarray, slot: float) -> np.ndarray:
    return np.floor((lengths - 2.0) / slot).astype(int).clip(0)


def place_vehicles(net: Net, fleet: Fleet, rng: np.random.Generator) -> None:
    """Put every vehicle on a lane: evenly by length of lane, in random order, on the middle of it."""
    n = len(fleet)
    lanes = np.flatnonzero(net.strips["kind"][:-1] == LANE)
    slot = float(fleet.length.max(initial=4.5)) + BETWEEN
    room = _slots(net.strips["length"][lanes], slot)
    outside = net.strips["ring"][lanes] < 0  # a ring that is full cannot move
    if room[outside].sum() >= n:
        room[~outside] = 0
    if room.sum() < n:
        raise BadInput("vehicles", n, f"there is room for {room.sum()} on these roads")
    lane = np.repeat(lanes, room)
    place = np.concatenate([np.arange(k) for k in room]) if len(room) else np.zeros(0, int)
    chosen = np.sort(rng.permutation(len(lane))[:n])
    lane, place = lane[chosen], place[chosen]
    pitch = (net.strips["length"][lane] - 2.0) / np.floor((net.strips["length"][lane] - 2.0) / slot)
    jitter = rng.random(n) * (pitch - slot)
    front = 1.0 + place * pitch + slot - BETWEEN / 2 + jitter
    order = rng.permutation(n)  # kinds of vehicles anywhere
    lane, front = lane[order], front[order]
    fleet.strip[:] = lane
    fleet.station[:] = np.minimum(front, net.strips["length"][lane] - 0.5) - fleet.overhang
    stand_on_middle(net, fleet)
    fleet.speed[:] = _first_speeds(net, fleet)


def stand_on_middle(net: Net, fleet: Fleet) -> None:
    """Pose every vehicle so that its front axle is on the middle of its strip, at its station."""
    strip, station = fleet.strip, fleet.station
    gaps = net.strips["first"][strip + 1] - net.strips["first"][strip] - 1
    at = station / net.strips["length"][strip] * gaps
    i = np.clip(at.astype(np.int64), 0, gaps - 1)
    share = at - i
    p = (net.strips["first"][strip] + i).astype(np.int32)
    heading = net.points["heading"][p] + share.clip(0, 1) * (
        net.points["heading"][p + 1] - net.points["heading"][p]
    )
    guide_x = net.points["x"][p] + share * (net.points["x"][p + 1] - net.points["x"][p])
    guide_y = net.points["y"][p] + share * (net.points["y"][p + 1] - net.points["y"][p])
    back = fleet.wheelbase - fleet.middle
    fleet.segment[:] = p
    fleet.lateral[:] = 0.0
    fleet.heading[:] = heading
    fleet.x[:] = guide_x - back * np.cos(heading)
    fleet.y[:] = guide_y - back * np.sin(heading)


def _first_speeds(net: Net, fleet: Fleet) -> np.ndarray:
    """From which each can stop behind the next on its lane, even if that stood, and at the stop line."""
    front = fleet.station + fleet.overhang
    order = np.lexsort((front, fleet.strip))
    room = net.strips["length"][fleet.strip] - front
    follower, leader = order[:-1], order[1:]
    same = fleet.strip[follower] == fleet.strip[leader]
    gap = front[leader] - fleet.length[leader] - front[follower]
    room[follower[same]] = np.minimum(room[follower[same]], gap[same])
    speed = np.sqrt(2 * START_BRAKING * (room - JAM - 1.0).clip(0))
    bend = np.minimum(net.points["pace"][fleet.segment], net.points["pace"][fleet.segment + 1])
    return np.minimum.reduce([speed, START_SHARE * net.strips["limit"][fleet.strip], bend, fleet.max_speed])
