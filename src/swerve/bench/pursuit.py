"""A pure pursuit with the same car, as a baseline: aim at a point of the line ahead, keep to a speed for the
bend that comes, and turn the wheel no quicker than hands do. Its few settings are tried on a small grid.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from swerve.core.geometry import wrap
from swerve.race.car import FRAME, MAX_DRIVE, MAX_STEER, MAX_STEER_RATE, Car
from swerve.race.course import progress_of
from swerve.race.line import racing_line
from swerve.race.touch import first_contact
from swerve.race.track import Track
from swerve.race.traffic import no_traffic

AHEADS = (0.15, 0.25, 0.4)  # [s] of driving to the point that is aimed at
SIDES = (5.0, 7.0, 9.0, 11.0, 13.0, 15.0)  # [m/s²] to the side that it dares
BRAKES = (5.0, 7.5)  # [m/s²] that it counts on
NEAREST = 3.0  # [m] to the point that is aimed at, at least
LONGEST = 400.0  # [s]


def best_pursuit(track: Track) -> float:
    """[s] of the quickest setting that touches nothing; infinite where none gets round."""
    times = [pursue(track, *setting) for setting in product(AHEADS, SIDES, BRAKES)]
    return min(times)


def pursue(track: Track, ahead: float, side: float, brake: float) -> float:
    """[s] from the grid to the finish, infinite if it touches a wall or does not arrive."""
    line = track.centre + racing_line(track)[:, None] * track.normal
    points = np.vstack([line, line]) if track.closed else line
    step = np.hypot(*np.diff(points, axis=0).T)
    s = np.concatenate([[0.0], np.cumsum(step)])
    heading = np.unwrap(np.arctan2(*np.diff(points, axis=0).T[::-1]))
    bend = np.abs(np.gradient(np.append(heading, heading[-1]), s))
    speed = np.sqrt(side / np.maximum(bend, 1e-4))
    for k in range(len(s) - 2, -1, -1):
        speed[k] = min(speed[k], np.sqrt(speed[k + 1] ** 2 + 2 * brake * step[k]))
    car, begin = Car(), 0.0 if track.closed else 8.0
    at = int(np.searchsorted(s, begin))
    state = np.concatenate([points[at], [heading[at]], np.zeros(3)])
    states, wheel = [state], 0.0
    for _ in range(int(LONGEST / FRAME)):
        at += int(np.argmin(np.hypot(*(points[at : at + 12] - state[:2]).T)))
        if at >= len(points) - 3 or (track.closed and s[at] > s[len(line)] + 5.0):
            break
        pace = float(np.hypot(state[3], state[4]))
        aim = (
            points[min(len(points) - 1, int(np.searchsorted(s, s[at] + NEAREST + ahead * pace)))] - state[:2]
        )
        turn = wrap(np.arctan2(aim[1], aim[0]) - state[2])
        wanted = np.clip(np.arctan(4.0 * np.sin(turn) / np.hypot(*aim)), -MAX_STEER, MAX_STEER)
        wheel += float(np.clip(wanted - wheel, -MAX_STEER_RATE * FRAME, MAX_STEER_RATE * FRAME))
        drive = float(np.clip(60.0 * (speed[min(at + 2, len(speed) - 1)] - pace), -MAX_DRIVE, MAX_DRIVE))
        for _ in range(4):
            state = car.step(state, wheel, max(drive, 0.0), max(-drive, 0.0), FRAME / 4)
        states.append(state)
    driven = np.array(states)
    over = np.flatnonzero(progress_of(track, driven) >= track.finish)
    if len(over) == 0 or first_contact(driven[: over[0] + 1, :3], track.walls, no_traffic()) >= 0:
        return float("inf")
    return float(over[0] * FRAME)
