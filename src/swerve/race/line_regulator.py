"""How to hold the sliding car on a way at its speeds: a reference motion, and a regulator with preview.

The reference is quasi-steady: at every point the sideslip, steering and drive with which the car would go
round a circle of that bend at that speed and acceleration. It is no motion that the car can make (slip takes
half a second to build up), so what it lacks is told to the regulator: with the car's own physics linearised
around the reference, the errors x and commands u of step k obey x' = A·x + B·u + d, and going backwards
through the way gives

    u = −K·x − h,   K = G·BᵀPA,   h = G·Bᵀ(P·d + p),   G = (R + BᵀPB)⁻¹

with the value xᵀPx + 2pᵀx of what is still to come: h steers into a bend before it begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.clips import world_states
from swerve.core.errors import BadInput, require
from swerve.core.way import Way

from .body import SlidingCar
from .car import MAX_DRIVE, MAX_STEER, CarParameters
from .deviation import error_of

STEP = 0.05  # [s] of the regulator
SLOWEST = 4.0  # [m/s] of the reference; the car cannot slide at walking pace
# what an error is worth: along, across [m], heading [rad], forward, sideways [m/s], yaw rate [rad/s]
ERROR_WEIGHT = np.diag([0.0, 1 / 0.1**2, 1 / 0.3**2, 1 / 0.3**2, 1 / 2.0**2, 1 / 1.0**2])
CONTROL_WEIGHT = np.diag([1 / 0.1**2, 1 / 40.0**2])  # steer [rad], drive [units]
SETTLE = 200  # steps that are held behind the end of an open way
NUDGE = np.array([1e-4, 1e-4, 1e-5, 1e-4, 1e-4, 1e-5, 1e-5, 1e-2])  # of six errors, steer and drive


@dataclass(frozen=True)
class Regulator:
    """Over k equal steps in time along a way: `station` (k,) [m], `slip` (k,) [rad], `velocity` (k, 3)
    forward, sideways [m/s] and yaw rate [rad/s], `controls` (k, 2) steer [rad] and drive [units], negative
    for the brake, with the feed-forward in them, and `gains` (k, 2, 6) from `error_of` to what is taken off
    them. `time` [s] is that of the whole way, `step` [s] of one step."""

    station: np.ndarray
    slip: np.ndarray
    velocity: np.ndarray
    controls: np.ndarray
    gains: np.ndarray
    time: float
    step: float
    closed: bool

    def between(self, clock: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Steps before and behind moments `clock` (n,) [s], and the share of the way between them."""
        at = clock / self.step
        k = len(self.slip)
        at = at % k if self.closed else np.clip(at, 0.0, k - 1.0)
        i = np.minimum(at.astype(np.int64), k - 1 if self.closed else k - 2)
        return i, (i + 1) % k, at - i


def regulator(way: Way, body: SlidingCar) -> Regulator:
    """Work out how cars like `body` are held on `way` at `way.speed`."""
    if way.speed is None:
        raise BadInput(f"{way.name}, speed", None, "must be known at every point to be driven")
    clock = passing_times(way)
    steps = max(8, round(clock[-1] / STEP))
    step = clock[-1] / steps
    moments = step * np.arange(steps if way.closed else steps + 1)
    full = np.append(way.station, way.length) if way.closed else way.station
    station = np.interp(moments, clock, full)
    velocity, slip, controls = quasi_steady(way, station, body)
    pose = way.place(station)
    pose[:, 2] -= slip
    state = world_states(pose, velocity)
    a, b, d = linearised(state, controls, step, body, way.closed)
    gains, ahead = _backwards(a, b, d, way.closed)
    return Regulator(station, slip, velocity, controls - ahead, gains, float(clock[-1]), step, way.closed)


def passing_times(way: Way) -> np.ndarray:
    """When each point is passed [s], with the end of a closed way (m + 1,) or without (m,)."""
    if way.speed is None:
        raise BadInput(f"{way.name}, speed", None, "must be known at every point")
    speed = np.maximum(way.speed, SLOWEST)
    full = np.append(speed, speed[0]) if way.closed else speed
    step = way.length / (len(full) - 1)
    return np.concatenate([[0.0], np.cumsum(2 * step / (full[1:] + full[:-1]))])


def steady_turn(
    speed: np.ndarray, bend: np.ndarray, gain: np.ndarray, pull: np.ndarray, p: CarParameters
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sideslip [rad], steer [rad] and drive [N] of a car that goes round `bend` [1/m] at `speed` [m/s] and
    gains `gain` [m/s²], against a `pull` (n, 2) [m/s²] of the hill along and to the left of its path.

    Both axles bear half of the side force Y (the yaw rate is steady), so with ρ = b·ω/u

        β = ρ + ½Y/C_r,   δ = β + ρ − ½Y/C_f

    and the side force itself, across the body and not the path, holds the car back by Y·sin β.
    """
    along, across = gain - pull[:, 0], speed**2 * bend - pull[:, 1]
    half, load = 0.5 * (p.front_axle + p.rear_axle), 0.5 * p.mass * p.gravity
    slip = np.zeros_like(speed)
    for _ in range(8):  # the slip turns the forces, which make the slip
        u, v = speed * np.cos(slip), speed * np.sin(slip)
        side = (
            p.mass * (along * np.sin(slip) + across * np.cos(slip))
            + p.resistance * v
            + p.drag * v * np.abs(v)
        )
        front = side * p.rear_axle / (2 * half)
        rear = side - front
        turn = np.arctan2(half * speed * bend, u)
        slip = turn + rear / (p.rear_stiffness * load)
        steer = slip + turn - front / (p.front_stiffness * load)
    drive = (
        p.mass * (along * np.cos(slip) - across * np.sin(slip)) + p.resistance * u + p.drag * u * np.abs(u)
    )
    return slip, steer, drive


def quasi_steady(
    way: Way, station: np.ndarray, body: SlidingCar
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Velocities (k, 3), slip (k,) and controls (k, 2) of the reference."""
    assert way.speed is not None
    speeds = np.maximum(way.speed, SLOWEST)
    speed, bend = way.at(speeds, station), way.at(way.curvature, station)
    step = way.length / (len(speeds) if way.closed else len(speeds) - 1)
    square = np.pad(speeds**2, 1, mode="wrap" if way.closed else "edge")
    gain = way.at((square[2:] - square[:-2]) / (4 * step), station)
    pose, pull = way.place(station), np.zeros((len(station), 2))
    if body.ground is not None:
        _, gx, gy = body.ground(pose[:, 0], pose[:, 1])
        weight = -body.parameters.gravity / (1.0 + gx * gx + gy * gy)
        c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
        pull = weight[:, None] * np.stack([c * gx + s * gy, c * gy - s * gx], axis=-1)
    slip, steer, drive = steady_turn(speed, bend, gain, pull, body.parameters)
    tightest = float(np.abs(bend).max())
    base = body.parameters.front_axle + body.parameters.rear_axle
    require(base * tightest < MAX_STEER, f"{way.name}, bend", tightest, "is too tight for the steering")
    steer = np.clip(steer, -MAX_STEER, MAX_STEER)  # at speeds beyond what the lock holds, all of it
    velocity = np.stack([speed * np.cos(slip), speed * np.sin(slip), speed * bend], axis=-1)
    drive = np.clip(drive / body.parameters.drive_gain, -MAX_DRIVE, MAX_DRIVE)
    return velocity, slip, np.stack([steer, drive], axis=-1)


def linearised(
    state: np.ndarray, controls: np.ndarray, step: float, body: SlidingCar, closed: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A (k, 6, 6), B (k, 6, 2) and d (k, 6) of every step, by differences through the car's physics."""
    k = len(state)
    after = np.roll(state, -1, axis=0)
    if not closed:
        after[-1] = _moved(state[-1:], controls[-1:], step, body)[0]
    columns = np.empty((k, 6, 8))
    c, s = np.cos(state[:, 2]), np.sin(state[:, 2])
    for n in range(8):
        ends = []
        for sign in (1.0, -1.0):
            nudge = np.zeros(8)
            nudge[n] = sign * NUDGE[n]
            start = state.copy()
            start[:, 0] += c * nudge[0] - s * nudge[1]
            start[:, 1] += s * nudge[0] + c * nudge[1]
            start[:, 2] += nudge[2]
            # velocities are errors in the body's own frame, which the heading turns
            cn, sn = np.cos(nudge[2]), np.sin(nudge[2])
            vx, vy = state[:, 3], state[:, 4]
            start[:, 3] = cn * vx - sn * vy + np.cos(start[:, 2]) * nudge[3] - np.sin(start[:, 2]) * nudge[4]
            start[:, 4] = sn * vx + cn * vy + np.sin(start[:, 2]) * nudge[3] + np.cos(start[:, 2]) * nudge[4]
            start[:, 5] += nudge[5]
            ends.append(error_of(_moved(start, controls + nudge[6:], step, body), after))
        columns[:, :, n] = (ends[0] - ends[1]) / (2 * NUDGE[n])
    lacks = error_of(_moved(state, controls, step, body), after)
    columns[:, :, 0] = 0.0  # errors along the way are not carried on: the station is read off the way
    columns[:, 0] = 0.0
    lacks[:, 0] = 0.0
    return columns[:, :, :6], columns[:, :, 6:], lacks


def _moved(state: np.ndarray, controls: np.ndarray, step: float, body: SlidingCar) -> np.ndarray:
    """States (k, 6) a step later, the wheels already turned."""
    cars = body.start(len(state))
    cars.restore(np.column_stack([state, controls[:, 0], np.zeros(len(state))]))
    cars.step(pedals(controls), step)
    return cars.state


def pedals(controls: np.ndarray) -> np.ndarray:
    """Commands (..., 3) steer, throttle and brake from steer and drive (..., 2)."""
    drive = controls[..., 1]
    return np.stack([controls[..., 0], np.maximum(drive, 0.0), np.maximum(-drive, 0.0)], axis=-1)


def _backwards(a: np.ndarray, b: np.ndarray, d: np.ndarray, closed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Gains K (k, 2, 6) and feed-forward h (k, 2) of every step."""
    count = len(a)
    gains, ahead = np.empty((count, 2, 6)), np.empty((count, 2))
    value, slope = ERROR_WEIGHT.copy(), np.zeros(6)
    order = list(range(count - 1, -1, -1))
    # round a closed way the second lap meets what the first left; behind an open one all goes on as it was
    for k in (order + order) if closed else [count - 1] * SETTLE + order:
        bp = b[k].T @ value
        inverse = np.linalg.inv(CONTROL_WEIGHT + bp @ b[k])
        gains[k] = inverse @ bp @ a[k]
        ahead[k] = inverse @ (bp @ d[k] + b[k].T @ slope)
        loop = a[k] - b[k] @ gains[k]
        slope = loop.T @ (value @ d[k] + slope)
        value = ERROR_WEIGHT + gains[k].T @ CONTROL_WEIGHT @ gains[k] + loop.T @ value @ loop
        value = (value + value.T) / 2
    return gains, ahead
