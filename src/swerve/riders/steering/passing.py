"""Riders that pass obstacles: along their lines, and where several come to one gap, one behind the other. Who
is behind lets those ahead go first, and rides into nobody that stands."""

from __future__ import annotations

import numpy as np

from swerve.core.geometry import wrap
from swerve.core.kernels import kernel
from swerve.core.way import Way

from ..maps.trials import DECIDE
from .clear import BRAKING, DELAY, STANDOFF, braked, safe_speed
from .gaps import AHEAD, ALONG, FREE, Lines

BESIDE = 0.35  # [m] between riders that pass each other
LOOKED = 40.0  # [m] ahead
FIRM = 1.5  # times the speed that would just let the other go first
BEFORE = 1.8  # [m] between the middle of a rider and what is closed, where it stands
STOPPING = 1.5  # [m] more that is left between riders who are about to stand
SOON = 3.0  # [s] before a touch from when on riders brake firmly
STANDS = 2.5  # [m/s] below which somebody is about to stand
SLOWER, GENTLY = 2.0, 1.5  # [m/s] than whoever rides ahead, at most; times the difference that is asked for
LEAST = 0.3  # share of the other's speed that is kept meanwhile


def passing_speed(
    lines: Lines,
    station: np.ndarray,
    offset: np.ndarray,
    now: np.ndarray,
    usual: np.ndarray,
    wanted: np.ndarray,
    size: tuple[float, float],
) -> np.ndarray:
    """Speeds (n,) [m/s] to ask of riders at `station` and `offset` (n,) who are as fast as `now`, ride at
    `usual` where nothing is in the way and want `wanted` (n,); `size` are length and width [m] of a rider."""
    if not lines.near.any():
        return wanted
    through = np.minimum(lines.speed(usual, now), wanted)
    closed = safe_speed(lines.rest - BEFORE, np.zeros(len(now)))
    firm = np.where(lines.rest < FREE, np.minimum(closed, through), through)
    gentle = np.full(len(now), np.inf)
    if len(now) > 1:
        order, spare = np.argsort(station, kind="stable"), np.where(lines.rest < FREE, STOPPING, 0.0)
        room = (size[0] + STANDOFF + spare) * lines.stretch
        beside = size[1] + BESIDE
        _queue(order, station, offset, now, lines.offset, room, beside, lines.round_trip, firm, gentle)
    told = np.minimum(braked(now, through, firm), np.maximum(now + GENTLY * (gentle - now), 0.0))
    return np.where(lines.near, told, wanted)


def lay_along(
    reference: np.ndarray,
    lines: Lines,
    way: Way | None,
    station: np.ndarray,
    speed: np.ndarray,
) -> None:
    """Lay the `reference` (n, m, 3) of riders who have obstacles before them along their lines; they are at
    `station` (n,) of the way and as fast as `speed` (n,) [m/s]."""
    rows = np.flatnonzero(lines.near)
    if not len(rows):
        return
    gone = speed[rows, None] * DECIDE * np.arange(1, reference.shape[1] + 1)
    gone *= lines.stretch[rows, None]
    cell = np.minimum(gone / ALONG, AHEAD - 1e-6)
    k, share = cell.astype(int), cell % 1.0
    aside, slope = (
        (1 - share) * np.take_along_axis(part[rows], k, axis=1)
        + share * np.take_along_axis(part[rows], k + 1, axis=1)
        for part in (lines.offset, lines.slope)
    )
    if way is None:
        reference[rows] = np.dstack([station[rows, None] + gone, aside, np.arctan(slope)])
    else:
        reference[rows] = way.place(station[rows, None] + gone, aside)
        reference[rows, :, 2] = wrap(reference[rows, :, 2] + np.arctan(slope))


@kernel
def _queue(order, station, offset, speed, lines, room, beside, round_trip, firm, gentle):
    """Lower the limits (n,) [m/s] of riders for those ahead whose `lines` come nearer than `beside` [m]:
    `firm` ones for who stands or is come upon, `gentle` ones else: who brakes hard in a turn may fall."""
    (n, cells), step = lines.shape, ALONG
    brake = BRAKING * DELAY
    for a in range(n):
        i = order[a]
        taken = room[i]  # [m] that those ahead of it need for themselves
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
                if abs(lines[i, h] - theirs) < beside:
                    meets = max(at - ahead, 0.0)
                    break
            if meets < 0.0:
                continue
            theirs = max(speed[j], 0.0)
            short = taken - ahead + (STANDOFF if theirs < STANDS else 0.0)
            taken += room[i]
            left = max((ahead + meets) / max(speed[i], 2.0), 0.5)
            if meets < 2.0 * step:  # behind it already
                square = max((theirs + brake) ** 2 - 2 * BRAKING * short, brake * brake)
                allowed = np.sqrt(square) - brake
            elif short > 0.0:
                allowed = max(theirs - FIRM * short / left, LEAST * theirs)
            else:
                continue
            nearing = (speed[i] - theirs) * SOON > ahead - (room[i] - STANDOFF)
            if theirs < STANDS or nearing:
                firm[i] = min(firm[i], allowed)
            else:
                gentle[i] = min(gentle[i], max(allowed, theirs - SLOWER))
