"""Many cars on tracks at once: a frame of all of them, and what each sees of its track.

A row of a batch is x, y, heading, vx, vy, yaw rate, front wheels, station, track, frames. An observation is
`COLUMNS`, then the curvature [1/m, times 20] at `AHEAD` metres before the car.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import NO, kernel

from .car import FRAME, LENGTH, MAX_DRIVE, MAX_STEER, MAX_STEER_RATE, SUBSTEPS, WIDTH, advance
from .road import Roads, follow, value_at

COLUMNS = (
    "forward speed / 20 m/s",
    "speed to the left / 20 m/s",
    "yaw rate [rad/s] / 2",
    "front wheels / 0.6 rad",
    "heading against the track: sine",
    "heading against the track: cosine",
    "room to the left edge / 10 m",
    "room to the right edge / 10 m",
)
AHEAD = np.array([4.0, 8.0, 14.0, 20.0, 28.0, 38.0, 50.0, 65.0, 85.0])
SIZE = len(COLUMNS) + len(AHEAD)
LIMIT = 10.0  # no number of an observation is larger
CRASH = 5.0
STATE = 10


@kernel
def race(
    roads: Roads,
    state: np.ndarray,
    actions: np.ndarray,
    skip: np.ndarray,
    car: np.ndarray,
    reward: np.ndarray,
    ended: np.ndarray,
) -> None:
    """A frame of every car that is not to be skipped: `state` (n, STATE) moves on."""
    dt = FRAME / SUBSTEPS
    reach = MAX_STEER_RATE * dt
    for i in range(len(state)):
        if skip[i]:
            continue
        k, before = int(state[i, 8]), state[i, 7]
        wanted = min(1.0, max(-1.0, actions[i, 0])) * MAX_STEER
        pedal = min(1.0, max(-1.0, actions[i, 1])) * MAX_DRIVE
        wheel = state[i, 6]
        s = (state[i, 0], state[i, 1], state[i, 2], state[i, 3], state[i, 4], state[i, 5])
        for _ in range(SUBSTEPS):
            wheel = min(wheel + reach, max(wheel - reach, wanted))
            s = advance(s, wheel, max(pedal, 0.0), max(-pedal, 0.0), NO, dt, car)
        for j in range(6):
            state[i, j] = s[j]
        state[i, 6] = wheel
        station, offset, heading = follow(roads, k, s[0], s[1], before)
        state[i, 7] = station
        state[i, 9] += 1.0
        askew = s[2] - heading
        half = 0.5 * (WIDTH * abs(np.cos(askew)) + LENGTH * abs(np.sin(askew)))
        off = offset + half > value_at(roads, k, 4, station) or half - offset > value_at(roads, k, 5, station)
        reward[i] = 0.1 * (station - before) - (CRASH if off else 0.0)
        ended[i] = off or (not roads.closed[k] and station >= roads.finish[k])


@kernel
def observe(roads: Roads, state: np.ndarray, out: np.ndarray) -> None:
    """What every car sees, into `out` (n, SIZE)."""
    known = len(COLUMNS)
    for i in range(len(state)):
        k, station, heading = int(state[i, 8]), state[i, 7], state[i, 2]
        c, s = np.cos(heading), np.sin(heading)
        road = value_at(roads, k, 2, station)
        dx = state[i, 0] - value_at(roads, k, 0, station)
        dy = state[i, 1] - value_at(roads, k, 1, station)
        offset = np.cos(road) * dy - np.sin(road) * dx
        out[i, 0] = (c * state[i, 3] + s * state[i, 4]) / 20.0
        out[i, 1] = (c * state[i, 4] - s * state[i, 3]) / 20.0
        out[i, 2] = state[i, 5] / 2.0
        out[i, 3] = state[i, 6] / MAX_STEER
        out[i, 4], out[i, 5] = np.sin(heading - road), np.cos(heading - road)
        out[i, 6] = (value_at(roads, k, 4, station) - offset) / 10.0
        out[i, 7] = (value_at(roads, k, 5, station) + offset) / 10.0
        for j in range(len(AHEAD)):
            out[i, known + j] = 20.0 * value_at(roads, k, 3, station + AHEAD[j])
        for j in range(known + len(AHEAD)):
            out[i, j] = min(LIMIT, max(-LIMIT, out[i, j]))
