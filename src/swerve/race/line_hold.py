"""Holding the sliding car on a line frame by frame, with hands that take time: tables, and a rollout.

Like `line_regulator`, but the steering angle is part of the state and its change the command, so that the
regulator itself keeps the wheel calm; a command is held for a frame of 40 ms, as in clips and recordings.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from swerve.core.clips import world_states
from swerve.core.errors import require
from swerve.core.geometry import wrapped
from swerve.core.kernels import NO, kernel
from swerve.core.way import Way

from .body import SlidingCar
from .car import FRAME, MAX_DRIVE, MAX_STEER, MAX_STEER_RATE, SUBSTEPS, CarParameters, advance
from .line_gains import BUSY, ERROR, backwards, hands_of, slowness
from .line_regulator import linearised, passing_times, quasi_steady

QUICKEST = 0.97 * MAX_STEER_RATE * FRAME  # [rad] the wheel turns in a frame
ACROSS, ACROSS_LEAST, ACROSS_MOST = (
    0.15,
    0.3,
    4.0,
)  # [m/s] at which a car moves over: a share of its speed, least, most
FURTHEST = 2.0  # [m] of error across at most that hands answer to
ASKEW = 0.5  # [rad]
FORWARD_SEEN = 3.0  # [m/s] of error in speed at most that the steering answers to
# shares of the line's speed between which hands go over from what is right at the car's own speed to what is
# right at the line's
OWN, LINES = 0.6, 0.85
APPROACH = 0.4  # [rad] at most at which a car that is much slower than its line comes back to it
SLOW, SLOW_STEP, SLOW_LEVELS = 2.0, 2.0, 30  # [m/s] of the table of gains by speed
# columns of a table
X, Y, COURSE, SLIP, U, STEER, DRIVE, BEND, RIGHT, LEFT, AHEAD, GAINS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12


@dataclass(frozen=True)
class Hold:
    """A line to be held: `table` (n, 26) by points `spacing` metres apart: place, course, slip, forward
    speed, steer and drive of the reference, bend, room to the right and left of the line, what lies ahead (2)
    and gains (2, 7). `slow` (m, 7) are gains of the steering by the car's own speed.
    """

    table: np.ndarray
    spacing: float
    slow: np.ndarray

    @property
    def length(self) -> float:
        """[m]"""
        return self.spacing * (len(self.table) - 1)


def hold(way: Way, parameters: CarParameters, calm: float = 1.0) -> Hold:
    """Work out how the car is held on an open `way` at `way.speed`; its widths are the room for the car.
    Hands that are `calm` times as slow, where nothing is about to change, do not follow what sensors only
    seem to see.
    """
    require(way.speed is not None and not way.closed, way.name, None, "must be open and know its speeds")
    clock = passing_times(way)
    steps = max(8, round(clock[-1] / FRAME))
    step = clock[-1] / steps
    station = np.interp(step * np.arange(steps + 1), clock, way.station)
    body = SlidingCar(parameters)
    velocity, slip, controls = quasi_steady(way, station, body)
    pose = way.place(station)
    pose[:, 2] -= slip
    a, b, d = linearised(world_states(pose, velocity), controls, step, body, False)
    gains, ahead = backwards(
        a, b, d, controls[:, 0].copy(), hands_of(slowness(controls[:, 0], step, calm)), ERROR
    )
    at = clock / step
    k = np.minimum(at.astype(int), steps - 1)
    share = (at - k)[:, None]

    def by_point(values: np.ndarray) -> np.ndarray:
        rows = values.reshape(steps + 1, -1)
        return (1 - share) * rows[k] + share * rows[k + 1]

    known = np.column_stack([way.points, way.heading])
    sides = np.column_stack([way.curvature, way.right, way.left])
    parts = [known, by_point(slip), by_point(velocity[:, 0]), by_point(controls), sides]
    table = np.hstack([*parts, by_point(ahead), by_point(gains)])
    return Hold(np.ascontiguousarray(table), way.length / (len(way.points) - 1), slow_gains(parameters, calm))


@lru_cache(maxsize=16)
def slow_gains(parameters: CarParameters, calm: float = 1.0) -> np.ndarray:
    """Gains (m, 7) of the steering of a car that goes straight ahead, one row a speed: the regulator of a
    fast line hardly turns the wheel, and a car that sets off beside it would meet the wall first.
    """
    body, rows = SlidingCar(parameters), np.empty((SLOW_LEVELS, 7))
    for level in range(SLOW_LEVELS):
        speed = SLOW + SLOW_STEP * level
        held_back = parameters.resistance * speed + parameters.drag * speed**2
        controls = np.array([[0.0, min(MAX_DRIVE, held_back / parameters.drive_gain)]])
        a, b, d = linearised(np.array([[0.0, 0.0, 0.0, speed, 0.0, 0.0]]), controls, FRAME, body, False)
        rows[level] = backwards(a, b, d, np.zeros(1), hands_of(np.full(1, min(calm, BUSY))), ERROR)[0][0, 0]
    return rows


@kernel
def locate(x: float, y: float, table: np.ndarray, at: float) -> tuple[float, float]:
    """Point (with its fraction) of the line beside a place, sought from `at` on, and metres to its left."""
    n = len(table)
    j = min(n - 2, max(0, int(at)))
    along = 0.0
    back = 3
    for _ in range(400):
        tx, ty = table[j + 1, 0] - table[j, 0], table[j + 1, 1] - table[j, 1]
        dx, dy = x - table[j, 0], y - table[j, 1]
        along = (dx * tx + dy * ty) / (tx * tx + ty * ty)
        if along >= 1.0 and j < n - 2:
            j += 1
        elif along < 0.0 and j > 0 and back > 0:
            j -= 1
            back -= 1
        else:
            break
    width = np.sqrt(tx * tx + ty * ty)
    return j + min(1.0, max(0.0, along)), (tx * dy - ty * dx) / width


@kernel
def hands(
    s: np.ndarray,
    steer: float,
    table: np.ndarray,
    slow: np.ndarray,
    at: float,
    aside: float,
    factor: float,
    half: float,
) -> tuple[float, float]:
    """Steer [rad] and drive [units] for the next frame of a car in state `s` (6,) whose wheels stand at
    `steer`, beside point `at`: to be `aside` metres left of the line, at `factor` of its speeds.

    A car that is slower than the line's speed by the factor q turns with less slip: of slip and steering,
    what the bend itself asks for stays (`half` the wheelbase tells), and what the tyres ask for goes by q².
    A car that is much slower is steered by the gains of its own speed.
    """
    j = min(len(table) - 2, int(at))
    f = at - j
    a, b = table[j], table[j + 1]
    rx, ry = (1 - f) * a[X] + f * b[X], (1 - f) * a[Y] + f * b[Y]
    course, bend = (1 - f) * a[COURSE] + f * b[COURSE], (1 - f) * a[BEND] + f * b[BEND]
    c, sn = np.cos(s[2]), np.sin(s[2])
    u, v = c * s[3] + sn * s[4], -sn * s[3] + c * s[4]
    fast = (1 - f) * a[U] + f * b[U]
    q = min(1.1, max(0.0, u / fast))
    slip = half * bend + ((1 - f) * a[SLIP] + f * b[SLIP] - half * bend) * q * q
    angle = 2 * half * bend + ((1 - f) * a[STEER] + f * b[STEER] - 2 * half * bend) * q * q
    across = np.cos(course) * (s[1] - ry) - np.sin(course) * (s[0] - rx) - aside
    own = min(len(slow) - 1.001, max(0.0, (u - SLOW) / SLOW_STEP))
    low, share = slow[int(own)], own - int(own)
    gain = (1 - share) * low + share * slow[int(own) + 1]
    lines = min(1.0, max(0.0, (q - OWN) / (LINES - OWN)))
    off = min(APPROACH * gain[2] / gain[1], max(-APPROACH * gain[2] / gain[1], across)) * np.cos(slip)
    across = min(FURTHEST, max(-FURTHEST, across))
    e1 = across * np.cos(slip)
    turned = wrapped(s[2] - course + slip)
    e2 = min(ASKEW, max(-ASKEW, turned))
    e3 = u - factor * fast
    e4 = v - u * np.tan(slip)
    e5 = s[5] - q * fast * bend / np.cos(slip)
    e6 = steer - angle
    near = min(FORWARD_SEEN, max(-FORWARD_SEEN, e3))
    turn = -q * q * ((1 - f) * a[AHEAD] + f * b[AHEAD])
    drive = (1 - f) * (a[DRIVE] - a[AHEAD + 1]) + f * (b[DRIVE] - b[AHEAD + 1])
    for col, value in ((1, e1), (2, e2), (3, near), (4, e4), (5, e5), (6, e6)):
        turn -= ((1 - f) * a[GAINS + col] + f * b[GAINS + col]) * value
    for col, value in ((1, e1), (2, e2), (4, e4), (5, e5), (6, e6)):
        drive -= lines * ((1 - f) * a[GAINS + 7 + col] + f * b[GAINS + 7 + col]) * value
    drive -= ((1 - f) * a[GAINS + 10] + f * b[GAINS + 10]) * e3
    turn_slow = -(gain[1] * off + gain[2] * turned + gain[4] * e4 + gain[5] * e5 + gain[6] * e6)
    turn = lines * turn + (1 - lines) * turn_slow
    new = steer + min(QUICKEST, max(-QUICKEST, turn))
    return min(MAX_STEER, max(-MAX_STEER, new)), min(MAX_DRIVE, max(-MAX_DRIVE, drive))


@kernel
def moved_over(aside: float, wanted: float, speed: float, table: np.ndarray, at: float) -> float:
    """Where beside the line the car is to be a frame later, on its way to `wanted`, if there is room."""
    j = int(at)
    wanted = min(table[j, LEFT], max(-table[j, RIGHT], wanted))
    most = FRAME * min(ACROSS_MOST, ACROSS_LEAST + ACROSS * speed)
    return aside + min(most, max(-most, wanted - aside))


@kernel
def frame_on(s: np.ndarray, steer: float, drive: float, p: np.ndarray) -> None:
    """Move a car (6,) on by a frame, in place."""
    t = (s[0], s[1], s[2], s[3], s[4], s[5])
    throttle, brake = max(0.0, drive), max(0.0, -drive)
    for _ in range(SUBSTEPS):
        t = advance(t, steer, throttle, brake, NO, FRAME / SUBSTEPS, p)
    for k in range(6):
        s[k] = t[k]


@kernel
def rehearse(
    start: np.ndarray,
    steer: float,
    at: float,
    aside: float,
    wanted: float,
    factor: float,
    table: np.ndarray,
    slow: np.ndarray,
    p: np.ndarray,
    states: np.ndarray,
    controls: np.ndarray,
    points: np.ndarray,
) -> int:
    """Drive until the arrays are full or the line ends: states (n + 1, 6), controls (n, 3) and the points of
    the line beside them (n + 1,); returns the frames that were driven.
    """
    half = 0.5 * (p[5] + p[6])
    states[0], points[0] = start, at
    s = start.copy()
    for f in range(len(controls)):
        aside = moved_over(aside, wanted, np.hypot(s[3], s[4]), table, at)
        steer, drive = hands(s, steer, table, slow, at, aside, factor, half)
        controls[f, 0], controls[f, 1], controls[f, 2] = steer, max(0.0, drive), max(0.0, -drive)
        frame_on(s, steer, drive, p)
        states[f + 1] = s
        at, _ = locate(s[0], s[1], table, at)
        points[f + 1] = at
        if at >= len(table) - 2:
            return f + 1
    return len(controls)
