"""Where a car's line runs, and the yardstick of its drives: the quasi-steady bound of the best line known.

A line to drive keeps from the edges what the car needs that slips in its bends. The bound knows nothing of
slip and margins: its line keeps half the width of the car, so that it is the same whoever drives and however
sure.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d

from swerve.core.least_bend import SHORT, WIDE

from .car import LENGTH, WIDTH, CarParameters
from .drawn_line import Line, bend_of, given_line, least_bent
from .line_regulator import steady_turn
from .pace import Limits, limits, seconds_along, speeds_along
from .track import Track

SLIP_KNOWN = 3  # times that the line is drawn anew with the slip of the last


def bound_of(
    track: Track,
    parameters: CarParameters | None = None,
    start: np.ndarray | None = None,
    line: np.ndarray | None = None,
) -> float:
    """[s] the quasi-steady bound of a car: of a flying lap, or from `start` to the end of an open track; on
    the least bent line that its width leaves room for, or beside a `line` (k, 2), if that is less.
    """
    return yardstick(track, parameters or CarParameters(), start, line)[0]


def yardstick(
    track: Track, car: CarParameters, start: np.ndarray | None = None, line: np.ndarray | None = None
) -> tuple[float, float]:
    """The bound [s], and the power of ds (`least_bend`) whose own line has the least."""
    state = at_rest(track) if start is None else start
    able, keep = limits(car), np.full((len(track.centre), 2), WIDTH / 2)

    def seconds(power: float, given: np.ndarray | None = None) -> float:
        return _seconds(track, least_bent(track, keep, given, power), able, state)

    own = {power: seconds(power) for power in (WIDE, SHORT)}
    power = min(own, key=lambda p: own[p])
    bound = own[power]
    if line is not None:
        bound = min(bound, seconds(power, given_line(line, track)))
    return bound, power


def fitting_line(
    track: Track, car: CarParameters, used: Limits, margin: float, given: np.ndarray | None, power: float
) -> tuple[Line, np.ndarray]:
    """The line, and what it keeps from the edges (n, 2) [m]: more where the car slips."""
    n = len(track.centre)
    out = np.full((n, 2), WIDTH / 2 + margin)
    drawn = least_bent(track, out, given, power)
    for _ in range(SLIP_KNOWN - 1):
        bend = bend_of(drawn)
        speed = speeds_along(bend, drawn.spacing, used, track.closed, None if track.closed else 0.0)
        slip = np.abs(steady_turn(speed, bend, np.zeros(len(bend)), np.zeros((len(bend), 2)), car)[0])
        slip = maximum_filter1d(slip, 9, mode="wrap" if track.closed else "nearest")
        need = WIDTH / 2 * np.cos(slip) + LENGTH / 2 * np.sin(slip) + margin
        out = np.repeat(_by_track(need, drawn, n)[:, None], 2, axis=1)
        drawn = least_bent(track, out, given, power)
    return drawn, out


def at_rest(track: Track) -> np.ndarray:
    return np.concatenate([track.pose(0.0 if track.closed else 8.0), np.zeros(3)])


def _by_track(values: np.ndarray, line: Line, n: int) -> np.ndarray:
    """Values (m,) at the points of a line as values (n,) at those of its track, the largest nearby."""
    period = n if line.closed else None
    return np.interp(np.arange(n), line.index, values, period=period)


def _seconds(track: Track, line: Line, able: Limits, state: np.ndarray) -> float:
    """[s] of a flying lap of a closed track, or from the start to the finish of an open one."""
    bend, spacing = bend_of(line), line.spacing
    if track.closed:
        return seconds_along(speeds_along(bend, spacing, able, True), spacing, True)
    s = np.interp(line.index, np.arange(len(track.s)), track.s)
    begin = float(track.progress(state[:2])[0])
    part = (s >= begin) & (s <= track.finish)
    speed = float(np.hypot(*state[3:5]))
    if part.sum() < 2:  # from between its last two points, at full throttle
        rest = track.finish - begin
        return 2 * rest / (speed + float(np.sqrt(speed**2 + 2 * able.drive[0, 0] * rest)))
    return seconds_along(speeds_along(bend[part], spacing, able, False, speed), spacing, False)
