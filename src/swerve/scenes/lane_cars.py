"""Cars that keep to a lane of a way and to whoever is ahead: plain bodies with a driver's rule.

The intelligent-driver model (Treiber, Hennecke & Helbing 2000): at speed v behind a gap g closing at Δv,

    a = A·(1 − (v/v₀)⁴ − (s*/g)²)      s* = S + T·v + v·Δv / (2·√(A·B))
"""

from __future__ import annotations

import numpy as np

from swerve.core.bodies import PlainBodies, PlainBody
from swerve.core.view import View
from swerve.core.way import Way
from swerve.riders.steering.clear import LOOK, Spots

NAMES = ("x", "y", "yaw", "vx", "vy", "yaw_rate", "brake")
OUTLINE = (4.4, 1.8, 1.5)  # [m]
PUSH, BRAKE = 1.5, 2.0  # [m/s²] A and B
HARDEST = 8.0  # [m/s²] of braking
STAND, HEADWAY = 2.5, 1.4  # S [m], T [s]
AIM = 0.8  # [s] ahead that a driver looks along the lane
BESIDE = 0.5  # [m] to either side of the car that must be free ahead


def lane_cars(way: Way, stations: np.ndarray, offsets: np.ndarray, speeds: np.ndarray) -> PlainBodies:
    """A batch of cars on a way. Commands (n, 2): acceleration [m/s²] and curvature [1/m]."""
    body = PlainBody("car", OUTLINE, NAMES, (0.0,) * len(NAMES), _drive, mass=1400.0)
    cars = body.start(len(stations))
    x, y, heading = way.place(stations, offsets).T
    cars.rows[:, 3] = speeds
    cars.put(x, y, heading)
    return cars


def _drive(rows: np.ndarray, commands: np.ndarray, dt: float) -> np.ndarray:
    """Wheels that roll without slip; what a knock made of the velocity across is gone within the frame."""
    rows = rows.copy()
    c, s = np.cos(rows[:, 2]), np.sin(rows[:, 2])
    speed = rows[:, 3] * c + rows[:, 4] * s
    later = np.maximum(speed + commands[:, 0] * dt, 0.0)
    mean = 0.5 * (speed + later)
    turned = mean * commands[:, 1] * dt
    rows[:, 0] += mean * dt * np.cos(rows[:, 2] + turned / 2)
    rows[:, 1] += mean * dt * np.sin(rows[:, 2] + turned / 2)
    rows[:, 2] += turned
    rows[:, 3], rows[:, 4] = later * np.cos(rows[:, 2]), later * np.sin(rows[:, 2])
    rows[:, 5], rows[:, 6] = later * commands[:, 1], commands[:, 0] < -0.3
    return rows


class LaneDrivers:
    """One mind for `lane_cars`: each keeps its offset (n,) [m] to the left of the way and likes its own speed
    (n,) [m/s]."""

    def __init__(self, way: Way, offsets: np.ndarray, speeds: np.ndarray):
        self.way, self.offsets, self.speeds = way, offsets, speeds

    def choose(self, view: View, dt: float) -> np.ndarray:
        mine, way = view.mine, self.way
        spots = Spots.of(way, mine, view.everyone.outline[view.first : view.stop])
        gap, closing = self._ahead(view, spots)
        v = mine.along
        wish = STAND + np.maximum(0.0, HEADWAY * v + v * closing / (2 * np.sqrt(PUSH * BRAKE)))
        push = PUSH * (1 - (v / self.speeds) ** 4 - (wish / np.maximum(gap, 0.1)) ** 2)
        aim = way.place(spots.station + np.maximum(4.0, AIM * v), self.offsets)
        dx, dy = aim[:, 0] - mine.x, aim[:, 1] - mine.y
        c, s = np.cos(mine.yaw), np.sin(mine.yaw)
        bend = 2 * (c * dy - s * dx) / (dx * dx + dy * dy)
        return np.column_stack([np.clip(push, -HARDEST, PUSH), np.clip(bend, -0.15, 0.15)])

    def _ahead(self, view: View, mine: Spots) -> tuple[np.ndarray, np.ndarray]:
        """Gap [m] to whoever is ahead in the lane, and how fast [m/s] it closes, (n,) each."""
        gap, closing = np.full(len(view.mine), np.inf), np.zeros(len(view.mine))
        first, rows = view.near(LOOK)
        if len(rows) == 0:
            return gap, closing
        everyone, me = view.everyone, np.repeat(np.arange(len(gap)), np.diff(first))
        spots = Spots.of(self.way, everyone.motion[rows], everyone.outline[rows])
        ahead = spots.station - mine.station[me]
        wide = spots.half_width + mine.half_width[me] + BESIDE
        in_way = (ahead > 0) & (np.abs(spots.offset - self.offsets[me]) < wide)
        room = np.where(in_way, ahead - spots.half_length - mine.half_length[me], np.inf)
        for i in range(len(gap)):
            own = slice(first[i], first[i + 1])
            if own.stop > own.start:
                k = own.start + int(np.argmin(room[own]))
                if np.isfinite(room[k]):
                    gap[i], closing[i] = room[k], mine.speed[i] - spots.speed[k]
        return gap, closing
