"""A driver who follows a line at its speeds: any way, any number of sliding cars, to the limit of grip.

driver = LineDriver(lap.way(), body)
world.add(cars, driver)
"""

from __future__ import annotations

import numpy as np

from swerve.core.clips import world_states
from swerve.core.motion import Motion
from swerve.core.view import View
from swerve.core.way import Way

from .body import SlidingCar
from .car import MAX_DRIVE, MAX_STEER
from .deviation import error_of
from .line_regulator import passing_times, pedals, regulator

HAND = 0.02  # [s] between two corrections of steering and pedals
RETURN = 1.0  # [s] in which a car is expected to be back on its line, for whoever asks


class LineDriver:
    """A `Chooser` for sliding cars like `body`: holds each on `way` at `way.speed`.

    Steering and pedals come from a regulator around the car's own physics (`line_regulator`). Within a frame
    the driver rehearses with a car of its own what the next hand movement will meet, so a frame of 0.1 s
    holds five of them. `station` (n,) [m] and `offset` (n,) [m] to the left tell where the cars are on the
    way, `laps` (n,) how often they have passed its end.
    """

    def __init__(self, way: Way, body: SlidingCar | None = None):
        self.way, self.body = way, body or SlidingCar()
        self.plan = regulator(way, self.body)
        self._clock = passing_times(way)
        self._stations = np.append(way.station, way.length) if way.closed else way.station
        self.station = np.zeros(0)
        self.offset = np.zeros(0)
        self.laps = np.zeros(0, np.int64)

    def choose(self, view: View, dt: float) -> np.ndarray:
        """Commands (n, m, 3) steer, throttle, brake for m parts of the frame."""
        mine = view.mine
        if len(self.station) != len(mine):
            self.station = self._first_station(mine)
            self.laps = np.zeros(len(mine), np.int64)
        parts = max(1, round(dt / HAND))
        cars = self.body.start(len(mine))
        wheel = mine.extras.get("steer", np.zeros(len(mine)))
        cars.restore(
            np.column_stack([mine.x, mine.y, mine.yaw, mine.vx, mine.vy, mine.yaw_rate, wheel, 0.0 * wheel])
        )
        commands = np.empty((len(mine), parts, 3))
        station, self.offset = self._locate(cars.state, self.station)
        self.laps += (self.station - station) > self.way.length / 2 if self.way.closed else 0
        self.station = station
        for k in range(parts):
            if k:
                station, _ = self._locate(cars.state, station)
            commands[:, k] = self._hands(cars.state, station)
            cars.step(commands[:, k], dt / parts)
        return commands

    def foresee(self, times: np.ndarray) -> np.ndarray | None:
        """Poses (n, k, 3) at `times` (k,) [s] from when it chose: along the line at its speeds, and back onto
        it; None before it has seen its cars."""
        t = np.asarray(times, dtype=np.float64)[None, :]
        if len(self.station) == 0:
            return None
        now = np.interp(self.station, self._stations, self._clock)[:, None]
        clock = now + t
        if self.way.closed:
            clock = clock % self._clock[-1]
        station = np.interp(clock, self._clock, self._stations)
        poses = self.way.place(station, self.offset[:, None] * np.exp(-t / RETURN))
        i, j, share = self.plan.between(clock)
        poses[..., 2] -= (1 - share) * self.plan.slip[i] + share * self.plan.slip[j]
        return poses

    def rolling(self, station: np.ndarray) -> np.ndarray:
        """Cars (n, 8) for `SlidingCars.restore` that go along the line at stations (n,) [m]."""
        station = np.asarray(station, dtype=np.float64)
        state, controls, _ = self._wanted(station % self.way.length if self.way.closed else station)
        return np.column_stack([state, controls[:, 0], np.zeros(len(station))])

    def _hands(self, state: np.ndarray, station: np.ndarray) -> np.ndarray:
        """Commands (n, 3) for cars in `state` (n, 6) at stations."""
        wanted, controls, gains = self._wanted(station)
        error = error_of(state, wanted)
        error[:, 0] = 0.0
        controls = controls - (gains @ error[..., None])[..., 0]
        return pedals(np.clip(controls, [-MAX_STEER, -MAX_DRIVE], [MAX_STEER, MAX_DRIVE]))

    def _wanted(self, station: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States (n, 6) that cars at stations should be in, controls (n, 2) and gains (n, 2, 6) there."""
        plan = self.plan
        i, j, share = plan.between(np.interp(station, self._stations, self._clock))
        part = share[:, None]
        pose = self.way.place(station)
        pose[:, 2] -= (1 - share) * plan.slip[i] + share * plan.slip[j]
        state = world_states(pose, (1 - part) * plan.velocity[i] + part * plan.velocity[j])
        controls = (1 - part) * plan.controls[i] + part * plan.controls[j]
        gains = (1 - part[..., None]) * plan.gains[i] + part[..., None] * plan.gains[j]
        return state, controls, gains

    def _locate(self, state: np.ndarray, expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        station, _ = self.way.locate(state[:, :2], expected)
        station = station % self.way.length if self.way.closed else np.clip(station, 0.0, self.way.length)
        pose = self.way.place(station)
        d = state[:, :2] - pose[:, :2]
        return station, np.cos(pose[:, 2]) * d[:, 1] - np.sin(pose[:, 2]) * d[:, 0]

    def _first_station(self, motion: Motion) -> np.ndarray:
        """Where the cars join the way: its nearest point."""
        station, _ = self.way.locate(np.stack([motion.x, motion.y], axis=-1))
        return station % self.way.length if self.way.closed else station
