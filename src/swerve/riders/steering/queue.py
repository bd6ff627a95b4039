"""Riders that come to one gap: who is behind lets those ahead go first, and rides into nobody that stands."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .clear import BRAKING, DELAY, STANDOFF

BESIDE = 0.95  # [m] between the lines of riders that pass each other
LOOKED = 40.0  # [m] ahead
FIRM = 1.5  # times the speed that would just let the other go first
LEAST = 0.3  # share of the other's speed that is kept meanwhile


def queue_up(
    station: np.ndarray,
    offset: np.ndarray,
    speed: np.ndarray,
    lines: np.ndarray,
    step: float,
    length: float,
    round_trip: float,
) -> np.ndarray:
    """(n,) [m/s] how fast riders of `length` [m] may be for the sake of those ahead. They are at `station`
    and `offset` (n,), ride at `speed` (n,) and follow `lines` (n, m), offsets every `step` [m]; `round_trip`
    [m] is the length of a closed way, of others infinite."""
    limit = np.full(len(station), np.inf)
    if len(station) > 1:
        order = np.argsort(station, kind="stable")
        _queue(order, station, offset, speed, lines, step, length + STANDOFF, round_trip, limit)
    return limit


@kernel
def _queue(order, station, offset, speed, lines, step, room, round_trip, limit):
    n, cells = lines.shape
    brake = BRAKING * DELAY
    for a in range(n):
        i = order[a]
        for more in range(1, n):
            b = a + more
            j = order[b % n]
            ahead = station[j] - station[i]
            if b >= n:
                if round_trip == np.inf:
                    break
                ahead += round_trip
            if ahead > LOOKED:
                break
            meets = -1.0
            for h in range(cells):
                at = h * step
                if at + step < ahead:
                    continue
                back = min(max(int((at - ahead) / step), 0), cells - 1)
                theirs = offset[j] if back == 0 else lines[j, back]
                if abs(lines[i, h] - theirs) < BESIDE:
                    meets = max(at - ahead, 0.0)
                    break
            if meets < 0.0:
                continue
            theirs = max(speed[j], 0.0)
            short = room - ahead
            if meets < 2.0 * step:  # behind it already
                square = max((theirs + brake) ** 2 - 2 * BRAKING * short, brake * brake)
                limit[i] = min(limit[i], np.sqrt(square) - brake)
            elif short > 0.0:
                left = max((ahead + meets) / max(speed[i], 2.0), 0.5)
                limit[i] = min(limit[i], max(theirs - FIRM * short / left, LEAST * theirs))
