"""Keeping clear of others along a way: how fast a rider may be behind whoever is ahead, and how far aside.

Behind a body at speed v_j with a gap g to spare a rider can still slow down to v_j if it is no faster than

    v = −b·τ + √((v_j + b·τ)² + 2·b·g)

with braking b that takes τ to tell: then g = τ·(v − v_j) + (v² − v_j²) / 2b. Whoever is ahead now counts, and
whoever of another batch is predicted to be there by the time the rider comes. Of two riders whose ways cross
the one who has the other on its right waits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.motion import Motion
from swerve.core.view import View
from swerve.core.way import Way

LOOK = 60.0  # [m] how far riders look round
BRAKING = 2.5  # [m/s²] that a rider plans with
DELAY = 0.6  # [s] until it tells
PRESSED = 3.0  # times the difference that a rider asks for who is too fast: speed follows a wish slowly
STANDOFF = 1.2  # [m] kept from whoever is ahead
CORRIDOR = 0.3  # [m] to either side of a rider that must be free ahead
ABREAST = 0.6  # [m] kept between riders side by side
FORESEEN = np.arange(1, 9) * 0.5  # [s]
ALONG = 2.0  # [s] of it for those who go the same way or come towards one: a street may bend before they meet
BETWEEN = 3  # moments a step that are looked at where ways cross; who rides beside one swings in and out
FELLOWS = "cyclist"  # kinds that end so keep the same rule: whoever comes from the right goes first
WAITS = 5.0  # [m] more room that is left to who goes first
ALIKE = 0.94  # cosine between the directions of riders that follow each other rather than cross
PRESSING = 0.7  # [s] before a meeting from when on riders brake, whoever goes first


@dataclass(frozen=True)
class Spots:
    """Bodies as a way has them: station and offset of their middles [m], half extents along and across it
    [m], speed along it [m/s]; every field (m,)."""

    station: np.ndarray
    offset: np.ndarray
    half_length: np.ndarray
    half_width: np.ndarray
    speed: np.ndarray

    @classmethod
    def of(cls, way: Way, motion: Motion, outline: np.ndarray) -> Spots:
        station, offset = way.locate(np.column_stack([motion.x, motion.y]))
        heading = way.place(station)[:, 2]
        c, s = np.abs(np.cos(motion.yaw - heading)), np.abs(np.sin(motion.yaw - heading))
        length, width = outline[:, 0] / 2, outline[:, 1] / 2
        along = motion.vx * np.cos(heading) + motion.vy * np.sin(heading)
        return cls(station, offset, c * length + s * width, s * length + c * width, along)


def keep_clear(
    view: View, way: Way, station: np.ndarray, offset: np.ndarray, wanted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Speeds (n,) [m/s] that riders at `station` and `offset` (n,) of a way may have at most, and shifts (n,)
    [m] to the left that keep them from whoever is beside them; `wanted` (n,) are the offsets they head for.
    """
    n = len(station)
    limit, shift = np.full(n, np.inf), np.zeros(n)
    first, rows = view.near(LOOK)
    if len(rows) == 0:
        return limit, shift
    everyone, me = view.everyone, np.repeat(np.arange(n), np.diff(first))
    mine = Spots.of(way, view.mine, everyone.outline[view.first : view.stop])
    known, at = np.unique(rows, return_inverse=True)
    spots = Spots.of(way, everyone.motion[known], everyone.outline[known])
    ahead = _round(spots.station[at] - station[me], way)
    aside = spots.offset[at] - offset[me]
    wide = spots.half_width[at] + mine.half_width[me]
    long = spots.half_length[at] + mine.half_length[me]
    course = spots.offset[at] - wanted[me]
    in_way = np.minimum(np.abs(aside), np.abs(course)) < wide + CORRIDOR
    blocked = in_way & (ahead > 0)
    gap = ahead - long - STANDOFF - _queued(me, ahead, blocked, 2 * spots.half_length[at] + STANDOFF)
    np.minimum.at(limit, me[blocked], safe_speed(gap[blocked], spots.speed[at][blocked]))

    beside = (np.abs(ahead) < long + 0.5) & ~(in_way & (np.abs(ahead) > long))
    short = np.where(beside, np.maximum(ABREAST + wide - np.abs(aside), 0.0), 0.0)
    own = (rows >= view.first) & (rows < view.stop)
    np.add.at(shift, me, -np.sign(aside) * short * np.where(own, 0.5, 1.0))

    behind = np.zeros((n, len(everyone)), dtype=bool)
    behind[me, rows] = in_way & (ahead <= 0)
    _foreseen(view, way, station, offset, mine, behind, limit)
    return limit, shift


def _queued(me: np.ndarray, ahead: np.ndarray, blocked: np.ndarray, room: np.ndarray) -> np.ndarray:
    """(m,) [m] of way that others ahead of a rider need for themselves before each body ahead of it: riders
    look past the one in front, and brake as soon as it must."""
    taken = np.zeros(len(me))
    rows = np.flatnonzero(blocked)
    rows = rows[np.lexsort((ahead[rows], me[rows]))]
    before = np.cumsum(room[rows]) - room[rows]
    new = np.concatenate([[True], me[rows][1:] != me[rows][:-1]]) if len(rows) else np.zeros(0, bool)
    taken[rows] = before - before[new][np.cumsum(new) - 1] if len(rows) else 0.0
    return taken


def safe_speed(gap: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """The most (m,) [m/s] behind bodies at `speed` with `gap` [m] to spare."""
    brake = BRAKING * DELAY
    theirs = np.maximum(speed, 0.0) + brake
    square = np.maximum(theirs**2 + 2 * BRAKING * gap, brake**2)
    return np.sqrt(square) - brake


def braked(speed: np.ndarray, wanted: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """Speeds (n,) [m/s] to ask of riders at `speed` that want `wanted` and may have `limit`."""
    hard = np.maximum(speed + PRESSED * (limit - speed), 0.0)
    return np.minimum(wanted, np.where(limit < speed, hard, limit))


def _foreseen(
    view: View,
    way: Way,
    station: np.ndarray,
    offset: np.ndarray,
    mine: Spots,
    behind: np.ndarray,
    limit: np.ndarray,
) -> None:
    """Lower the `limit` of riders whose way others are predicted to cross or enter."""
    seen = view.foresee(FORESEEN, within=LOOK)
    if len(seen) == 0:
        return
    m, times = len(seen), len(FORESEEN)
    poses = np.concatenate([seen.motion.pose[:, None], seen.poses], axis=1).transpose(1, 0, 2).reshape(-1, 3)
    velocity = np.tile([seen.motion.vx, seen.motion.vy], times + 1)
    spots = Spots.of(way, Motion.planar(*poses.T, *velocity), np.tile(seen.outline, (times + 1, 1)))
    at, across, half_long, half_wide, along = (field.reshape(-1, m) for field in vars(spots).values())
    fellow = np.array([str(kind).endswith(FELLOWS) for kind in seen.kinds])
    crosses = np.abs(along[0]) < ALIKE * np.maximum(seen.motion.speed, 1e-9)
    on_left = across[0] > offset[:, None]  # has one on its right, and waits
    goes_first, waits = fellow & crosses & on_left, fellow & ~on_left
    along = np.where(crosses & fellow, 0.0, along)  # who waits at a crossing follows nobody
    spare = STANDOFF + np.where(waits & crosses, WAITS, 0.0)
    known = behind[:, seen.rows]
    for k, t in enumerate(FORESEEN):
        long = half_long[k + 1] + mine.half_length[:, None]
        wide = half_wide[k + 1] + mine.half_width[:, None]
        moved = _round(at[k + 1] - at[k], way)
        for share in np.arange(1, BETWEEN + 1) / BETWEEN:
            now = t - (1 - share) * FORESEEN[0]
            ahead = _round(at[k] + share * moved - station[:, None], way)
            aside = across[k] + share * (across[k + 1] - across[k]) - offset[:, None]
            come = (mine.speed * now)[:, None]  # where the rider is by then
            meet = (np.abs(aside) < wide + CORRIDOR) & (ahead > 0) & (ahead < come + long + spare) & ~known
            if now > PRESSING:
                meet &= ~goes_first
            if now > ALONG or share < 1.0:
                meet &= crosses
            i, j = np.nonzero(meet)
            np.minimum.at(limit, i, safe_speed(ahead[i, j] - long[i, j] - STANDOFF, along[k + 1][j]))


def _round(ahead: np.ndarray, way: Way) -> np.ndarray:
    """Distances along a way; round a closed one, the shorter."""
    if not way.closed:
        return ahead
    return ahead - way.length * np.round(ahead / way.length)
