"""A pure pursuit with the same car, as a baseline: aim at a point of the line ahead, keep to a speed for
the bend that comes, and turn the wheel no quicker than hands do. Its few settings are tried on a grid:
which line it follows (how far that keeps from the edges), how far ahead it aims, and what it dares
sideways and on the brakes.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from swerve.core.geometry import wrapped
from swerve.core.kernels import kernel
from swerve.race.car import FRAME, MAX_DRIVE, MAX_STEER, MAX_STEER_RATE, WIDTH, CarParameters
from swerve.race.course import progress_of
from swerve.race.driven import sideslip
from swerve.race.line import racing_line
from swerve.race.line_hold import frame_on
from swerve.race.touch import first_contact
from swerve.race.track import Track
from swerve.race.traffic import no_traffic

EDGES = (0.8, 1.6)  # [m] from the side of the car on its line to the edge of the road
AHEADS = (0.1, 0.2, 0.35)  # [s] of driving to the point that is aimed at
NEAREST = (3.0,)  # [m] to that point at least
GAINS = (1.0, 2.0, 4.0)  # on the steering: a car that slides needs more than one that rolls
SIDES = (5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0)  # [m/s²] to the side that it dares
BRAKES = (5.0, 7.5)  # [m/s²] that it counts on
SPACING = 1.0  # [m] between points of its line
LONGEST = 400.0  # [s]


class Setting(NamedTuple):
    edge: float
    ahead: float
    nearest: float
    gain: float
    side: float
    brake: float


def best_pursuit(track: Track, slip: float = np.pi) -> float:
    """[s] of the quickest setting that touches nothing and slides by less than `slip` [rad]; infinite where
    none gets round.
    """
    lines = {edge: line_of(track, edge) for edge in EDGES}
    best = float("inf")
    for setting in (Setting(*row) for row in product(EDGES, AHEADS, NEAREST, GAINS, SIDES, BRAKES)):
        best = min(best, pursue(track, lines[setting.edge], setting, best, slip))
    return best


def line_of(track: Track, edge: float) -> np.ndarray:
    """The least bent line (n, 2) that keeps `edge` metres from the edges, twice round where it is closed."""
    out = np.full((len(track.centre), 2), WIDTH / 2 + edge)
    points = track.centre + racing_line(track, keep_out=out)[:, None] * track.normal
    points = np.vstack([points, points]) if track.closed else points
    s = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    even = np.arange(0.0, s[-1], SPACING)
    return np.column_stack([np.interp(even, s, column) for column in points.T])


def pursue(
    track: Track, line: np.ndarray, setting: Setting, best: float = np.inf, slip: float = np.pi
) -> float:
    """[s] from the grid to the finish, infinite if it touches a wall, does not arrive before `best` or slides
    by `slip` [rad].
    """
    speed = speeds(line, setting)
    begin = track.pose(0.0 if track.closed else 8.0)
    at = int(np.argmin(np.hypot(*(line[:40] - begin[:2]).T)))
    heading = np.arctan2(*(line[at + 1] - line[at])[::-1])
    start = np.array([*line[at], heading, 0.0, 0.0, 0.0])
    states = np.empty((int(min(LONGEST, best) / FRAME) + 2, 6))
    aim = setting.ahead, setting.nearest, setting.gain
    count = _drive(start, at, line, speed, *aim, CarParameters().packed(), states)
    driven = states[:count]
    over = np.flatnonzero(progress_of(track, driven) >= track.finish)
    if len(over) == 0:
        return float("inf")
    driven = driven[: over[0] + 1]
    if sideslip(driven).max() >= slip or first_contact(driven[:, :3], track.walls, no_traffic()) >= 0:
        return float("inf")
    return float(over[0] * FRAME)


def speeds(line: np.ndarray, setting: Setting) -> np.ndarray:
    """[m/s] (n,) that a setting dares along a line."""
    heading = np.unwrap(np.arctan2(*np.gradient(line, axis=0).T[::-1]))
    bend = np.abs(np.gradient(heading)) / SPACING
    bend = np.convolve(np.pad(bend, 2, mode="edge"), np.full(5, 0.2), mode="valid")
    speed = np.sqrt(setting.side / np.maximum(bend, 1e-4))
    for k in range(len(line) - 2, -1, -1):
        speed[k] = min(speed[k], np.sqrt(speed[k + 1] ** 2 + 2 * setting.brake * SPACING))
    return speed


@kernel
def _drive(
    start: np.ndarray,
    at: int,
    line: np.ndarray,
    speed: np.ndarray,
    ahead: float,
    nearest: float,
    gain: float,
    p: np.ndarray,
    states: np.ndarray,
) -> int:
    """Fill `states` (n, 6) until they are full or the line ends; returns how many there are."""
    s, wheel, n = start.copy(), 0.0, len(line)
    states[0] = s
    wheelbase = p[5] + p[6]
    for k in range(1, len(states)):
        while (
            at < n - 2
            and (line[at + 1, 0] - s[0]) ** 2 + (line[at + 1, 1] - s[1]) ** 2
            < (line[at, 0] - s[0]) ** 2 + (line[at, 1] - s[1]) ** 2
        ):
            at += 1
        pace = np.hypot(s[3], s[4])
        aim = at + int((nearest + ahead * pace) / SPACING) + 1
        if aim >= n or at >= n - 3:
            return k
        dx, dy = line[aim, 0] - s[0], line[aim, 1] - s[1]
        turn = wrapped(np.arctan2(dy, dx) - s[2])
        wanted = gain * np.arctan(2.0 * wheelbase * np.sin(turn) / np.hypot(dx, dy))
        wanted = min(MAX_STEER, max(-MAX_STEER, wanted))
        most = MAX_STEER_RATE * FRAME
        wheel += min(most, max(-most, wanted - wheel))
        drive = 60.0 * (speed[min(at + 2, n - 1)] - pace)
        frame_on(s, wheel, min(MAX_DRIVE, max(-MAX_DRIVE, drive)), p)
        states[k] = s
    return len(states)
