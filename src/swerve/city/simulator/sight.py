"""What a driver sees: own place in the lane, the way ahead, who is on it, and the next light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..roads.lights import RED
from ..roads.roads import CONNECTOR, LIGHT, Roads
from ..traffic.net import Net
from ..traffic.traffic import Traffic
from .outsiders import DriverCar, likely_next

FAR = 150.0  # [m] that a driver looks ahead
NOBODY = np.inf
CROSSES_WITHIN = 1.0  # [s] in which someone will be on the own way
SPARE = 1.0  # [m] kept from those who cross


@dataclass(frozen=True)
class Sight:
    """One moment. Gaps [m] run from the own front bumper to the other's rear along the way, or to where
    someone crosses it (whose speed counts as none); infinite when nobody is there."""

    time: float  # [s]
    x: float
    y: float
    heading: float
    speed: float  # [m/s]
    strip: int  # own strip or -1 off the road
    station: float  # [m]
    lateral: float  # [m] left of the middle of the strip
    limit: float  # [m/s] there
    way: tuple[int, ...]  # strips ahead, the own one first
    gap: float = NOBODY
    leader: int = -1  # character id of whoever is ahead, -1 nobody or somebody without one
    leader_speed: float = 0.0  # [m/s]
    leader_brakes: bool = False
    stop_line: float = NOBODY  # [m] to the next stop line
    light_is_red: bool = False  # of that line; yellow counts
    crosswalk: float = NOBODY  # [m] to the next crosswalk with people on it


def look(
    car: DriverCar, traffic: Traffic, who: np.ndarray, time: float, busy: np.ndarray | None = None
) -> Sight:
    """What the driver of `car` sees.

    `who` gives the character of every row of `traffic.everyone`, `busy` the crosswalks with people on them.
    """
    roads = traffic.town.roads
    x, y, heading = car.pose
    here = (time, x, y, heading, car.speed, *car.on)
    own = Sight(*here, 0.0, ())
    if car.on.strip < 0:
        return own
    way, offsets = _way_ahead(roads, car)
    gap, row = _ahead(traffic, car, who, way, offsets)
    crossing, crosser = _crossing(traffic, car, who, way, offsets)
    line, red = _next_line(roads, car, way, offsets, time)
    walk = NOBODY if busy is None else _next_crosswalk(traffic.net, car, way, offsets, busy)
    everyone = traffic.everyone
    leader, speed, brakes = -1, 0.0, False
    if row >= 0:
        leader, speed, brakes = int(who[row]), float(everyone.speed[row]), bool(everyone.brake[row])
    if crossing < gap:
        gap, leader, speed, brakes = crossing, int(who[crosser]), 0.0, False
    return Sight(
        *here, float(roads.limit[car.on.strip]), tuple(way), gap, leader, speed, brakes, line, red, walk,
    )  # fmt: skip


def _way_ahead(roads: Roads, car: DriverCar) -> tuple[list[int], list[float]]:
    """Strips within sight, and where each begins [m] from the start of the own one."""
    way, offsets = [car.on.strip], [0.0]
    while offsets[-1] + roads.length[way[-1]] < car.on.station + FAR and len(way) < 12:
        ahead = likely_next(roads, way[-1], car.inputs.indicator if len(way) < 3 else 0)
        if ahead < 0:
            break
        offsets.append(offsets[-1] + float(roads.length[way[-1]]))
        way.append(ahead)
    return way, offsets


def _ahead(
    traffic: Traffic, car: DriverCar, who: np.ndarray, way: list[int], offsets: list[float]
) -> tuple[float, int]:
    """Gap [m] to the nearest body ahead on the way, and its row among everyone."""
    everyone = traffic.everyone
    begins = np.full(len(traffic.net.strips), np.nan)
    begins[way] = offsets
    front = car.on.station + car.length / 2
    nearest, row = NOBODY, -1
    for strip, station in (
        (everyone.strip, everyone.station),
        (everyone.side, everyone.side_station),
    ):
        rear = (
            np.where((strip >= 0) & everyone.driving, begins[strip], np.nan)
            + station
            + everyone.overhang
            - everyone.length
        )
        ahead = np.where(
            np.isnan(rear) | (who == car.character) | (rear + everyone.length < front), np.inf, rear - front
        )
        best = int(np.argmin(ahead)) if len(ahead) else -1
        if best >= 0 and ahead[best] < nearest:
            nearest, row = float(ahead[best]), best
    return (nearest, row) if nearest < FAR else (NOBODY, -1)


def _crossing(
    traffic: Traffic, car: DriverCar, who: np.ndarray, way: list[int], offsets: list[float]
) -> tuple[float, int]:
    """Gap [m] to the nearest place where someone inside a junction is on the own way, and the row."""
    net, everyone = traffic.net, traffic.everyone
    own_front = car.on.station + car.length / 2
    nearest, row = NOBODY, -1
    for strip, begin in zip(way, offsets, strict=True):
        if net.strips["kind"][strip] != CONNECTOR:
            continue
        first, last = net.strips["conflict_first"][strip], net.strips["conflict_first"][strip + 1]
        for conflict in net.conflicts[first:last]:
            gap = begin + float(conflict["begin"]) - SPARE - own_front
            if conflict["parting"] or gap < 0.0 or gap >= nearest:
                continue
            rows = np.flatnonzero((everyone.strip == conflict["other"]) & (who != car.character))
            front = everyone.station[rows] + everyone.overhang[rows]
            soon = front + CROSSES_WITHIN * everyone.speed[rows] > conflict["other_begin"]
            rows = rows[soon & (front - everyone.length[rows] < conflict["other_end"])]
            if len(rows):
                nearest, row = gap, int(rows[0])
    return nearest, row


def _next_line(
    roads: Roads, car: DriverCar, way: list[int], offsets: list[float], time: float
) -> tuple[float, bool]:
    """Distance [m] of the front bumper to the next stop line, and whether its light is not green."""
    for strip, begin in zip(way[1:], offsets[1:], strict=True):
        if roads.kind[strip] == CONNECTOR and roads.control[strip] == LIGHT:
            state = roads.lights.state(time)[roads.light[strip]]
            return begin - car.on.station - car.length / 2, bool(state in (RED, 1))
    return NOBODY, False


def _next_crosswalk(
    net: Net, car: DriverCar, way: list[int], offsets: list[float], busy: np.ndarray
) -> float:
    """Distance [m] of the front bumper to the next crosswalk on which people are."""
    front = car.on.station + car.length / 2
    for strip, begin in zip(way, offsets, strict=True):
        for walk in net.walks[net.strips["walk_first"][strip] : net.strips["walk_first"][strip + 1]]:
            distance = begin + float(walk["begin"]) - front
            if distance > 0.0 and busy[walk["crosswalk"]]:
                return distance
    return NOBODY
