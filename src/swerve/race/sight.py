"""Many cars on tracks at once: a frame of all of them, and what each sees of its track.

A row of a batch is x, y, heading, vx, vy, yaw rate, front wheels, station, track, frames. An observation is
`COLUMNS`, then the curvature [1/m, times 20] at `AHEAD` metres before the car.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel, plain
from swerve.core.quick import cosine_sine, direction

from .car import (
    FRAME,
    LENGTH,
    MAX_DRIVE,
    MAX_STEER,
    MAX_STEER_RATE,
    SLIDING_ABOVE,
    SUBSTEPS,
    WIDTH,
    nearly_rolling,
    sliding,
)
from .road import Roads, between, follow, spot

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
BLOCK = 16  # cars that move together


@inner
@bare
def _frame(cars: np.ndarray, car: np.ndarray) -> None:
    """A frame of the `BLOCK` cars in `cars`, which holds rows of their x, y, heading, vx, vy, yaw rate, front
    wheels, wheels wanted, throttle and brake one after another: `car.advance` in a forward gear."""
    dt = FRAME / SUBSTEPS
    reach = MAX_STEER_RATE * dt
    for _ in range(SUBSTEPS):
        slow = False
        for i in range(BLOCK):
            vx, vy, yaw = cars[3 * BLOCK + i], cars[4 * BLOCK + i], cars[5 * BLOCK + i]
            wheel = cars[6 * BLOCK + i]
            wheel = min(wheel + reach, max(wheel - reach, cars[7 * BLOCK + i]))
            c, s = cosine_sine(cars[2 * BLOCK + i])
            ahead, across = c * vx + s * vy, -s * vx + c * vy
            turn = direction((car[5] + car[6]) * 0.5 * yaw, ahead)
            slip = direction(across, ahead)
            turn, slip = (0.0 if ahead == 0.0 else turn), (0.0 if ahead == 0.0 else slip)
            throttle, brake = cars[8 * BLOCK + i], cars[9 * BLOCK + i]
            straight = cosine_sine(wheel)[0]
            slid = sliding(vx, vy, yaw, c, s, turn, slip, wheel, straight, throttle, brake, dt, car)
            cars[6 * BLOCK + i] = wheel
            cars[10 * BLOCK + i], cars[11 * BLOCK + i], cars[12 * BLOCK + i] = slid
            slow |= vx * vx + vy * vy < SLIDING_ABOVE * SLIDING_ABOVE
        if slow:
            _roll(cars, dt, car)
        for i in range(BLOCK):
            for k in range(3):
                now = cars[(10 + k) * BLOCK + i]
                cars[(3 + k) * BLOCK + i] = now
                cars[k * BLOCK + i] += dt * now


@inner
@bare
def _roll(cars: np.ndarray, dt: float, car: np.ndarray) -> None:
    """The part of `_frame` for who is at walking pace."""
    for i in range(BLOCK):
        vx, vy, yaw = cars[3 * BLOCK + i], cars[4 * BLOCK + i], cars[5 * BLOCK + i]
        if vx * vx + vy * vy < SLIDING_ABOVE * SLIDING_ABOVE:
            c, s = cosine_sine(cars[2 * BLOCK + i])
            wheel, throttle, brake = cars[6 * BLOCK + i], cars[8 * BLOCK + i], cars[9 * BLOCK + i]
            slid = (cars[10 * BLOCK + i], cars[11 * BLOCK + i], cars[12 * BLOCK + i])
            new = nearly_rolling(slid, vx, vy, yaw, c, s, wheel, throttle, brake, dt, car)
            cars[10 * BLOCK + i], cars[11 * BLOCK + i], cars[12 * BLOCK + i] = new


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
    cars = np.zeros(13 * BLOCK)
    for begin in range(0, len(state), BLOCK):
        here = min(BLOCK, len(state) - begin)
        for i in range(here):
            for j in range(7):
                cars[j * BLOCK + i] = state[begin + i, j]
            pedal = min(1.0, max(-1.0, actions[begin + i, 1])) * MAX_DRIVE
            cars[7 * BLOCK + i] = min(1.0, max(-1.0, actions[begin + i, 0])) * MAX_STEER
            cars[8 * BLOCK + i], cars[9 * BLOCK + i] = max(pedal, 0.0), max(-pedal, 0.0)
        _frame(cars, car)
        for i in range(begin, begin + here):
            if not skip[i]:
                for j in range(7):
                    state[i, j] = cars[j * BLOCK + i - begin]
                _judge(roads, state, i, reward, ended)


@inner
@bare
def _judge(roads: Roads, state: np.ndarray, i: int, reward: np.ndarray, ended: np.ndarray) -> None:
    """Where a car has got to, what that is worth, and whether it is over."""
    k, before = int(state[i, 8]), state[i, 7]
    station, offset, heading = follow(roads, k, state[i, 0], state[i, 1], before)
    state[i, 7] = station
    state[i, 9] += 1.0
    c, s = cosine_sine(state[i, 2] - heading)
    half = 0.5 * (WIDTH * abs(c) + LENGTH * abs(s))
    at = spot(roads, k, station)
    off = offset + half > between(roads, at, plain(4)) or half - offset > between(roads, at, plain(5))
    reward[i] = 0.1 * (station - before) - (CRASH if off else 0.0)
    ended[i] = off or (not roads.closed[k] and station >= roads.finish[k])


@kernel
def observe(roads: Roads, state: np.ndarray, out: np.ndarray) -> None:
    """What every car sees, into `out` (n, SIZE)."""
    known = len(COLUMNS)
    for i in range(len(state)):
        k, station, heading = int(state[i, 8]), state[i, 7], state[i, 2]
        c, s = cosine_sine(heading)
        at = spot(roads, k, station)
        road = between(roads, at, plain(2))
        dx, dy = state[i, 0] - between(roads, at, plain(0)), state[i, 1] - between(roads, at, plain(1))
        cr, sr = cosine_sine(road)
        offset = cr * dy - sr * dx
        out[i, 0] = (c * state[i, 3] + s * state[i, 4]) / 20.0
        out[i, 1] = (c * state[i, 4] - s * state[i, 3]) / 20.0
        out[i, 2] = state[i, 5] / 2.0
        out[i, 3] = state[i, 6] / MAX_STEER
        out[i, 4], out[i, 5] = s * cr - c * sr, c * cr + s * sr
        out[i, 6] = (between(roads, at, plain(4)) - offset) / 10.0
        out[i, 7] = (between(roads, at, plain(5)) + offset) / 10.0
        for j in range(len(AHEAD)):
            out[i, known + j] = 20.0 * between(roads, spot(roads, k, station + AHEAD[j]), plain(3))
        for j in range(known + len(AHEAD)):
            out[i, j] = min(LIMIT, max(-LIMIT, out[i, j]))
