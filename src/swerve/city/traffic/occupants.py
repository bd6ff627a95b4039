"""Bodies of other batches on the roads: a sliding car, cyclists, a person who fell, a robot.

Drivers keep clear of them as of any vehicle: wherever the outline of such a body lies on a strip, now or on
its predicted way, a row stands in that strip's order. Such a body may be anywhere: across two lanes, against
the direction, in the middle of a junction. One that drives along a strip is a leader with its speed; one that
crosses is a block, from when it arrives until it has left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import bare, inner, kernel
from swerve.core.view import SAME_LEVEL, Seen

from ..roads.crossings import Crossings
from ..roads.roads import CONNECTOR, Roads
from .fleet import Fleet, empty_fleet
from .net import Net

HORIZON = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5])  # [s] at which the way of a body is looked at
REACH = 1.45  # [m] beside the middle of a strip that vehicles need
REACH_OF_PERSON = 2.0  # [m] the same, past someone on foot
SPACING = 0.9  # [m] between points of an outline
FACING = 0.5  # cosine of the angle to a strip within which a body drives along it
STOPPING = 5.0  # [m/s²] with which a car that people may step in front of could brake
FAST = 2.5  # [m/s] above which people wait for a body to pass a crosswalk
SQUARE, SAMPLES, WIDEST = 6.0, 3.0, 4.5  # [m] of the grid in which strips are found
MOST_STRIPS = 48  # that one body can touch


class StripMap(NamedTuple):
    """Strips by place: those of square keys[k] are `strip[start[k]:start[k + 1]]`, each with a point near."""

    keys: np.ndarray
    start: np.ndarray
    strip: np.ndarray
    point: np.ndarray
    heights: np.ndarray  # [m] of the net's points
    turn: np.ndarray  # of strips


def map_strips(roads: Roads) -> StripMap:
    """Done once a town, when the first foreign body comes."""
    counts = np.ceil(roads.length / SAMPLES).astype(np.int64) + 1
    strips = np.repeat(np.arange(len(roads), dtype=np.int64), counts)
    rank = np.arange(len(strips)) - np.repeat(np.cumsum(counts) - counts, counts)
    stations = rank / (counts - 1)[strips] * roads.length[strips]
    x, y, _ = roads.place(strips, stations)
    gaps = roads.first[strips + 1] - roads.first[strips] - 1
    point = roads.first[strips] + np.clip((stations / roads.length[strips] * gaps).astype(int), 0, gaps - 1)
    keys, which, points = [], [], []
    for dx in (-WIDEST, 0.0, WIDEST):
        for dy in (-WIDEST, 0.0, WIDEST):
            keys.append(_keys(x + dx, y + dy))
            which.append(strips)
            points.append(point)
    table = np.stack([np.concatenate(keys), np.concatenate(which), np.concatenate(points)], -1)
    table = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    new = np.ones(len(table), bool)
    new[1:] = (np.diff(table[:, 0]) != 0) | (np.diff(table[:, 1]) != 0)
    table = table[new]
    found, start = np.unique(table[:, 0], return_index=True)
    return StripMap(
        found,
        np.append(start, len(table)),
        table[:, 1].copy(),
        table[:, 2].copy(),
        np.asarray(roads.z, float),
        roads.turn.astype(np.int64),
    )


def _keys(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.floor(x / SQUARE).astype(np.int64) * (1 << 31) + np.floor(y / SQUARE).astype(np.int64)


def find_occupants(net: Net, strips: StripMap, seen: Seen) -> tuple[Fleet, np.ndarray]:
    """Rows of a fleet for bodies seen with poses at `HORIZON`, and (rows,) which of them each stands for."""
    motion = seen.motion
    body = np.stack(
        [
            motion.x, motion.y, motion.z - seen.outline[:, 2] / 2, motion.yaw, motion.vx, motion.vy,
            seen.outline[:, 0], seen.outline[:, 1],
        ],
        -1,
    )  # fmt: skip
    small = seen.outline[:, 0] < 1.0
    signs = np.asarray(motion.extra("indicator"), np.int64)
    rows = empty_fleet(4 * len(seen) + 8)
    owner = np.empty(len(rows), np.int64)
    while True:
        count = _fill(net, strips, body, small, signs, np.ascontiguousarray(seen.poses), HORIZON, rows, owner)
        if count <= len(rows):
            break
        rows, owner = empty_fleet(count), np.empty(count, np.int64)
    rows, owner = rows[:count].view(Fleet), owner[:count]
    rows.brake[:] = np.asarray(motion.extra("brake"), bool)[owner]
    rows.emergency &= np.asarray(motion.extra("emergency"), bool)[owner]
    return rows, owner


@kernel
def _fill(
    net: Net,
    strips: StripMap,
    body: np.ndarray,
    small: np.ndarray,
    signs: np.ndarray,
    poses: np.ndarray,
    times: np.ndarray,
    rows: Fleet,
    owner: np.ndarray,
) -> int:
    """Write rows as far as there is room; how many there are."""
    count = 0
    at = np.empty((MOST_STRIPS, 8))
    for b in range(len(body)):
        found = _sweep(net, strips, body[b], small[b], poses[b], times, at)
        own = _own_strip(at, found)
        for f in range(found):
            if at[f, 4] > times[-1]:
                continue  # near it, never on it
            if count < len(rows):
                strip = int(at[f, 0])
                rows[count].strip = strip
                rows[count].segment = net.strips[strip].first
                rows[count].foreign = True
                rows[count].autonomous = False
                rows[count].speed = at[f, 1]
                rows[count].length = at[f, 3] - at[f, 2]
                rows[count].width = body[b, 7]
                rows[count].station = at[f, 3]
                rows[count].arrives, rows[count].leaves = at[f, 4], at[f, 5]
                rows[count].x, rows[count].y, rows[count].heading = body[b, 0], body[b, 1], body[b, 3]
                rows[count].emergency = f == own
                rows[count].next = likely_way(net, strips.turn, strip, signs[b]) if f == own else -1
                rows[count].indicator = signs[b]
                owner[count] = b
            count += 1
    return count


@inner
@bare
def _sweep(
    net: Net,
    strips: StripMap,
    body: np.ndarray,
    small: bool,
    poses: np.ndarray,
    times: np.ndarray,
    at: np.ndarray,
) -> int:
    """The strips on a body's way: at (·, 8) strip, speed along it, rear and front [m], arrives, leaves [s],
    and how far beside its middle the body is now and whether it faces along it (infinite where not)."""
    found = 0
    length, width = body[6], body[7]
    along, across = max(1, int(np.ceil(length / SPACING))), max(1, int(np.ceil(width / SPACING)))
    step = times[1] - times[0]
    for k in range(len(times)):
        x, y, yaw = poses[k, 0], poses[k, 1], poses[k, 2]
        vx, vy = body[4], body[5]
        if k > 0:
            vx, vy = (x - poses[k - 1, 0]) / step, (y - poses[k - 1, 1]) / step
        c, s = np.cos(yaw), np.sin(yaw)
        for a in range(along + 1):
            for d in range(across + 1):
                ahead, aside = (a / along - 0.5) * length, (d / across - 0.5) * width
                px, py = x + ahead * c - aside * s, y + ahead * s + aside * c
                middle = k == 0 and 2 * a // (along + 1) == 1 and 2 * d // (across + 1) == 1
                e = _square(strips.keys, px, py)
                if e < 0:
                    continue
                for n in range(strips.start[e], strips.start[e + 1]):
                    strip = strips.strip[n]
                    p, share = _segment(net, strip, strips.point[n], px, py)
                    dx, dy = net.points[p + 1].x - net.points[p].x, net.points[p + 1].y - net.points[p].y
                    long = np.hypot(dx, dy)
                    beside = ((py - net.points[p].y) * dx - (px - net.points[p].x) * dy) / long
                    spare = share * long
                    if (share < 0.0 or share > 1.0) or abs(beside) > WIDEST:
                        continue
                    ground = strips.heights[p] + share * (strips.heights[p + 1] - strips.heights[p])
                    if abs(ground - body[2]) > SAME_LEVEL:
                        continue
                    f = 0
                    while f < found and at[f, 0] != strip:
                        f += 1
                    if f == found:
                        if found == MOST_STRIPS:
                            continue
                        found += 1
                        at[f, 0], at[f, 1], at[f, 2], at[f, 3] = strip, -1.0, np.inf, -np.inf
                        at[f, 4], at[f, 5], at[f, 6], at[f, 7] = np.inf, 0.0, np.inf, 0.0
                    faces = middle and (dx * c + dy * s) / long > FACING
                    if faces and abs(beside) < 0.5 * net.strips[strip].width + 1.0:
                        at[f, 6] = abs(beside) + (0.5 if net.strips[strip].kind == CONNECTOR else -0.5)
                    reach = REACH_OF_PERSON if small else min(REACH, 0.5 * net.strips[strip].width)
                    if abs(beside) >= reach:
                        continue
                    forward = max(0.0, (vx * dx + vy * dy) / long)
                    if at[f, 1] < 0.0:
                        at[f, 1] = forward
                    forward = at[f, 1]
                    station = net.points[p].station + spare - forward * times[k]
                    at[f, 2], at[f, 3] = min(at[f, 2], station - 0.2), max(at[f, 3], station + 0.2)
                    at[f, 4] = min(at[f, 4], times[k])
                    at[f, 5] = np.inf if k == len(times) - 1 else times[k] + step
    return found


@inner
@bare
def _segment(net: Net, strip: int, p: int, x: float, y: float) -> tuple[int, float]:
    """Point of the strip behind a place, and the share of the segment, beyond 0 to 1 only at its ends."""
    low, high = net.strips[strip].first, net.strips[strip + 1].first - 2
    back = False
    while True:
        ax, ay = net.points[p].x, net.points[p].y
        dx, dy = net.points[p + 1].x - ax, net.points[p + 1].y - ay
        share = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)
        if share > 1.0 and p < high and not back:
            p += 1
        elif share < 0.0 and p > low:
            p -= 1
            back = True
        elif share > 1.0 and back:
            return p, 1.0  # in the wedge outside a bend
        else:
            return p, share


@inner
@bare
def _square(keys: np.ndarray, x: float, y: float) -> int:
    """Where the square of a place stands in the list, or -1."""
    key = int(np.floor(x / SQUARE)) * (1 << 31) + int(np.floor(y / SQUARE))
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and keys[low] == key else -1


@inner
@bare
def _own_strip(at: np.ndarray, found: int) -> int:
    """Which of the strips the body moves along, or -1."""
    best, own = np.inf, -1
    for f in range(found):
        if at[f, 6] < best:
            best, own = at[f, 6], f
    return own


@inner
@bare
def likely_way(net: Net, turn: np.ndarray, strip: int, indicator: int) -> int:
    """The strip a driver on `strip` will take, by its indicator (-1 right, 0, 1 left), or -1 at an end."""
    best, chosen = 1 << 30, -1
    for k in range(net.strips[strip].after_first, net.strips[strip + 1].after_first):
        off = abs(turn[net.after[k]] - indicator)
        if off < best:
            best, chosen = off, net.after[k]
    return chosen


def crossing_claims(seen: Seen, crossings: Crossings) -> np.ndarray:
    """(crosswalks) [s] until all bodies that can no longer stop before a crosswalk have left it."""
    corners = np.asarray(crossings.corners)
    speed = seen.motion.speed
    rows = np.flatnonzero((speed > FAST) & (seen.outline[:, 0] >= 1.0))
    if len(corners) == 0 or len(rows) == 0:
        return np.zeros(len(corners))
    v = speed[rows, None]
    c, s = seen.motion.vx[rows] / speed[rows], seen.motion.vy[rows] / speed[rows]
    dx = corners[None, :, :, 0] - seen.motion.x[rows, None, None]
    dy = corners[None, :, :, 1] - seen.motion.y[rows, None, None]
    along = dx * c[:, None, None] + dy * s[:, None, None]
    aside = dy * c[:, None, None] - dx * s[:, None, None]
    length, half = seen.outline[rows, 0][:, None] / 2, seen.outline[rows, 1][:, None] / 2 + 0.5
    stopping = v * v / (2 * STOPPING) + 0.5 * v
    meets = (aside.min(axis=2) < half) & (aside.max(axis=2) > -half)
    meets &= (along.min(axis=2) - length < stopping) & (along.max(axis=2) > -length)
    left = (along.max(axis=2) + length) / np.maximum(v, 2.0) + 0.5
    return np.where(meets, left, 0.0).max(axis=0)
