"""Bodies in the town that the city's own minds do not move: the driver's car, people who follow a script.

Traffic keeps clear of a guest as of any vehicle: wherever its outline lies on a strip, now or within the next
second of its motion, a row stands in that strip's order. A guest may be anywhere: across two lanes, against
the direction, in the middle of a junction.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..roads.crossings import Crossings
from ..roads.roads import CONNECTOR, LANE, Roads
from ..traffic.fleet import Fleet, empty_fleet

REACH = 1.45  # [m] beside the middle of a strip that vehicles need
REACH_OF_PERSON = 2.0  # [m] the same, past someone on foot
AHEAD = (0.0, 0.5, 1.0)  # [s] at which the motion is looked at
SPACING = 0.5  # [m] between points of the outline
FACING = 0.5  # cosine of the angle to a strip within which a body drives along it
STOPPING = 5.0  # [m/s²] with which a car that people may step in front of could brake


@dataclass
class Guest:
    """A body with an outline: sizes [m], middle x, y [m], heading [rad], velocity [m/s], acceleration along
    the body [m/s²], yaw rate [rad/s], and the lamps that others see."""

    character: int
    kind: str
    length: float
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0  # [m] of the ground under it
    heading: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    acceleration: float = 0.0
    yaw_rate: float = 0.0
    brake: bool = False
    indicator: int = 0
    emergency: bool = False
    strip: int = field(default=-1, init=False)  # along which it moves, found by `on_strips`
    station: float = field(default=0.0, init=False)  # [m] of its middle there
    lateral: float = field(default=0.0, init=False)  # [m] left of that strip's middle

    @property
    def speed(self) -> float:
        """Along the body [m/s]; negative backwards."""
        return self.vx * float(np.cos(self.heading)) + self.vy * float(np.sin(self.heading))

    def frame(self) -> dict[str, np.ndarray]:
        """Its row of a recorded frame."""
        moving = float(np.hypot(self.vx, self.vy))
        values = {
            "id": self.character,
            "x": self.x,
            "y": self.y,
            "z": self.z + self.height / 2,
            "heading": self.heading,
            "direction": float(np.arctan2(self.vy, self.vx)) if moving > 0 else self.heading,
            "speed": moving,
            "length": self.length,
            "width": self.width,
            "height": self.height,
        }
        flags: dict[str, np.ndarray] = {
            "kind": np.array([self.kind], dtype=object),
            "brake": np.array([self.brake]),
            "indicator": np.array([self.indicator], np.int8),
            "emergency": np.array([self.emergency]),
        }
        return {name: np.array([value]) for name, value in values.items()} | flags


def on_strips(guest: Guest, roads: Roads) -> Fleet:
    """Rows for `Traffic.welcome`: one for every strip on which the guest is or soon will be.

    Also notes on the guest which strip it moves along.
    """
    times = np.repeat(AHEAD, len(_outline(guest)))
    points = np.concatenate([_outline(guest, t) for t in AHEAD])
    low, high = points.min(axis=0), points.max(axis=0)
    x, y = (float(value) for value in (low + high) / 2)
    strips, starts = roads.near(x, y, float(np.hypot(*(high - low))) / 2 + REACH_OF_PERSON)
    if len(strips) == 0:
        guest.strip = -1
        return empty_fleet(0)
    station, lateral, heading = _project(roads, strips, starts, points)
    length = roads.length[strips][:, None]
    if guest.kind == "pedestrian":
        reach = np.full((len(strips), 1), REACH_OF_PERSON)
    else:
        reach = np.minimum(REACH, roads.width[strips] / 2)[:, None]
    inside = (np.abs(lateral) < reach) & (station >= 0.0) & (station <= length)
    along = guest.vx * np.cos(heading) + guest.vy * np.sin(heading)  # of the body, at every point's place
    forward = along.mean(axis=1).clip(0.0)
    rear = np.where(inside, station - forward[:, None] * times, np.inf).min(axis=1) - SPACING / 2
    _note_own_strip(guest, roads, strips, station, lateral, heading)
    taken = np.flatnonzero(inside.any(axis=1))
    rows = empty_fleet(len(taken))
    rows.autonomous[:] = False
    rows.strip[:], rows.speed[:] = strips[taken], forward[taken]
    rows.length[:], rows.width[:] = guest.length, guest.width
    rows.station[:] = rear[taken] + guest.length
    rows.segment[:] = roads.first[strips[taken]]
    own = rows.strip == guest.strip
    rows.next[own] = likely_next(roads, guest.strip, guest.indicator) if own.any() else -1
    return rows


def likely_next(roads: Roads, strip: int, indicator: int) -> int:
    """The strip a driver on `strip` will take, by its indicator (-1 right, 0, 1 left), or -1 at an end."""
    ways = roads.after[roads.after_first[strip] : roads.after_first[strip + 1]]
    if len(ways) == 0:
        return -1
    fits = np.abs(roads.turn[ways].astype(int) - indicator)
    return int(ways[np.argmin(fits)])


def crossing_claims(guest: Guest, crossings: Crossings) -> np.ndarray:
    """(crosswalks) [s] until the guest, where it can no longer stop before a crosswalk, has left it."""
    corners = np.asarray(crossings.corners)
    if len(corners) == 0:
        return np.zeros(0)
    c, s = np.cos(guest.heading), np.sin(guest.heading)
    dx, dy = corners[..., 0] - guest.x, corners[..., 1] - guest.y
    along, aside = dx * c + dy * s, -dx * s + dy * c
    speed = max(guest.speed, 0.0)
    stopping = speed * speed / (2 * STOPPING) + 0.5 * speed
    half = guest.width / 2 + 0.5
    meets = (aside.min(axis=1) < half) & (aside.max(axis=1) > -half)
    meets &= (along.min(axis=1) - guest.length / 2 < stopping) & (along.max(axis=1) > -guest.length / 2)
    left = along.max(axis=1) + guest.length / 2
    return np.where(meets, left / max(speed, 2.0) + 0.5, 0.0)


def _outline(guest: Guest, later: float = 0.0) -> np.ndarray:
    """Points (k, 2) over the body's outline, where it will be after some seconds at this rate."""
    speed = guest.speed
    if guest.acceleration * speed < 0:
        later_moving = min(later, -speed / guest.acceleration)
        way = speed * later_moving + 0.5 * guest.acceleration * later_moving**2
    else:
        way = speed * later
    turned = guest.heading + guest.yaw_rate * later
    middle = guest.heading + 0.5 * guest.yaw_rate * later
    a = np.linspace(-0.5, 0.5, max(2, int(np.ceil(guest.length / SPACING)) + 1)) * guest.length
    b = np.linspace(-0.5, 0.5, max(2, int(np.ceil(guest.width / SPACING)) + 1)) * guest.width
    along, aside = (grid.ravel() for grid in np.meshgrid(a, b))
    x = guest.x + way * np.cos(middle) + along * np.cos(turned) - aside * np.sin(turned)
    y = guest.y + way * np.sin(middle) + along * np.sin(turned) + aside * np.cos(turned)
    return np.stack([x, y], -1)


def _project(
    roads: Roads, strips: np.ndarray, starts: np.ndarray, points: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Station, lateral [m] and the strip's heading there, each (strips, points)."""
    which = np.broadcast_to(strips[:, None], (len(strips), len(points)))
    station = np.broadcast_to(starts[:, None], which.shape)
    for _ in range(3):
        x, y, heading = roads.place(which, station)
        station = station + (points[:, 0] - x) * np.cos(heading) + (points[:, 1] - y) * np.sin(heading)
    x, y, heading = roads.place(which, station)
    lateral = (points[:, 1] - y) * np.cos(heading) - (points[:, 0] - x) * np.sin(heading)
    return station, lateral, heading


def _note_own_strip(
    guest: Guest,
    roads: Roads,
    strips: np.ndarray,
    station: np.ndarray,
    lateral: np.ndarray,
    heading: np.ndarray,
) -> None:
    """The strip under the body's middle that it faces along; of several the one that goes on from before."""
    now = slice(0, station.shape[1] // len(AHEAD))
    at, aside = station[:, now].mean(axis=1), lateral[:, now].mean(axis=1)
    faces = np.cos(heading[:, now].mean(axis=1) - guest.heading) > FACING
    kind = roads.kind[strips]
    on = faces & (at >= 0.0) & (at <= roads.length[strips]) & (np.abs(aside) < roads.width[strips] / 2 + 1.0)
    if not on.any():
        guest.strip = -1
        return
    last = guest.strip
    ways = (
        roads.after[roads.after_first[last] : roads.after_first[last + 1]]
        if last >= 0
        else np.zeros(0, np.int32)
    )
    wished = likely_next(roads, last, guest.indicator) if last >= 0 else -1
    score = np.abs(aside) - 0.8 * (strips == last) - 0.4 * np.isin(strips, ways) - 0.2 * (strips == wished)
    score = np.where(on, score + 0.5 * (kind == CONNECTOR) - 0.5 * (kind == LANE), np.inf)
    best = int(np.argmin(score))
    guest.strip, guest.station, guest.lateral = int(strips[best]), float(at[best]), float(aside[best])
