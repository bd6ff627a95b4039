"""Kernels that hold the turns of a map against references: all of them at once, rider by rider.

What a rider's state adds to every trajectory is taken off the reference instead, once a tick. Turns lie side
by side in memory, in blocks of `LANES`, so that a block is judged by one instruction.
"""

from __future__ import annotations

import numpy as np

from swerve.core.geometry import wrapped
from swerve.core.kernels import inlined, inner, kernel
from swerve.core.quick import cosine_sine

from ..maps.nearest import speed_below, turn_below
from ..maps.trials import FOOT

LANES = 8  # turns that are judged together
FALLEN = np.float32(1e6)  # cost of a trajectory that falls, less the later it does
RISKY = np.float32(0.05) * FALLEN  # what costs as much is not made if anything else can be
KEPT = 0.3  # share of the heading told before, turned on with the reference, that a rider holds on to
SLIGHT = 0.05  # share up to which a speed has no say, so that who is near one judges by it alone
GENTLE = 0.25  # [rad] between ticks up to which a direction is turned on by a series, to 1e-9


def in_lanes(table: np.ndarray, fill: float) -> np.ndarray:
    """The same with its last axis, the turns, filled up to whole blocks."""
    more = -table.shape[-1] % LANES
    widths = [(0, 0)] * (table.ndim - 1) + [(0, more)]
    return np.ascontiguousarray(np.pad(table, widths, constant_values=fill), np.float32)


@kernel
def choose(
    pose, state, beside, told, reference, out, stored, speeds, table, falling, carried, turns, ratio
):  # fmt: skip
    """Turns for riders with `pose` (n, 3) and `state` (n, 4), `beside` two stored ones (n, 2), last `told` a
    heading (n,) or NaN, on `reference` (n, m, 3), between the map's speeds below and above; `table`
    (s, m, 3, a) and `falling` (s, a) in lanes."""
    ticks, lanes = table.shape[1], table.shape[3]
    position, heading = np.float32(ratio * ratio), np.float32((1.0 - ratio) ** 2)
    cost, ahead, left, turned = np.empty(lanes, np.float32), np.empty(ticks), np.empty(ticks), np.empty(ticks)
    for i in range(len(pose)):
        low, above = speed_below(speeds, state[i, 3])
        nearer = 1 if above > 0.5 else 0
        one, other = beside[i, nearer], beside[i, 1 - nearer]
        level, next_level = min(low + nearer, len(speeds) - 1), min(low + 1 - nearer, len(speeds) - 1)
        next_part = min(max((min(above, 1.0 - above) - SLIGHT) / (1.0 - 2.0 * SLIGHT), 0.0), 0.5)
        part = 1.0 - next_part
        slowness = part / speeds[level] + next_part / speeds[next_level]
        moved, next_moved = part / speeds[level] / slowness, next_part / speeds[next_level] / slowness
        a0, a1, a2 = state[i, 0] - stored[one, 0], state[i, 1] - stored[one, 1], state[i, 2] - stored[one, 2]
        b0, b1 = state[i, 0] - stored[other, 0], state[i, 1] - stored[other, 1]
        b2 = state[i, 2] - stored[other, 2]
        stretch = 1.0 / (max(state[i, 3], FOOT) * slowness)
        moving, turning = np.float32(next_moved), np.float32(next_part)
        for a in range(lanes):
            cost[a] = falling[one, a]
        x0, y0, yaw0 = pose[i]
        c, s = cosine_sine(yaw0)
        for k in range(ticks):
            dx, dy = stretch * (reference[i, k, 0] - x0), stretch * (reference[i, k, 1] - y0)
            ahead[k] = (
                c * dx
                + s * dy
                - moved * _carried(carried, level, 0, k, a0, a1, a2)
                - next_moved * _carried(carried, next_level, 0, k, b0, b1, b2)
            )
            left[k] = (
                c * dy
                - s * dx
                - moved * _carried(carried, level, 1, k, a0, a1, a2)
                - next_moved * _carried(carried, next_level, 1, k, b0, b1, b2)
            )
            turned[k] = wrapped(reference[i, k, 2] - yaw0)
        last, sx, sy = 0.0, 0.0, 1.0
        for k in range(ticks):
            if turned[k] != last:  # leftward of the reference, in the rider's frame
                sx, sy = _turned_on(sx, sy, turned[k], turned[k] - last)
                last = turned[k]
            turned[k] -= part * _carried(carried, level, 2, k, a0, a1, a2)
            turned[k] -= next_part * _carried(carried, next_level, 2, k, b0, b1, b2)
            aside, wanted = np.float32(sx * ahead[k] + sy * left[k]), np.float32(turned[k])
            nx, ny = np.float32(sx), np.float32(sy)
            way, more = table[one, k], table[other, k]
            for a in range(lanes):
                x, y, yaw = way[0, a], way[1, a], way[2, a]
                x += moving * (more[0, a] - x)
                y += moving * (more[1, a] - y)
                yaw += turning * (more[2, a] - yaw)
                off, astray = nx * x + ny * y - aside, yaw - wanted
                cost[a] += position * off * off + heading * astray * astray
        out[i] = _lowest(turns, cost)
        if not np.isnan(told[i]):
            held = told[i] - yaw0
            if ticks > 1:
                held += wrapped(reference[i, ticks - 1, 2] - reference[i, ticks - 2, 2])
            out[i] = _kept_to(turns, cost, out[i], wrapped(held))


@inner
@inlined
def _carried(carried, level, column, tick, a, b, c):
    """What a difference of state adds there."""
    return (
        a * carried[level, column, 0, tick]
        + b * carried[level, column, 1, tick]
        + c * carried[level, column, 2, tick]
    )


@inner
@inlined
def _kept_to(turns, cost, best, held):
    """The turn [rad] between the best one and the one that is held, unless it risks a fall."""
    turn = best + KEPT * (min(max(held, turns[0]), turns[-1]) - best)
    action, _ = turn_below(turns, turn)
    return best if cost[action] >= RISKY or cost[action + 1] >= RISKY else turn


@inner
@inlined
def _turned_on(sx, sy, angle, by):
    """(−sin, cos) of an angle [rad], from those of the angle that was `by` less."""
    if abs(by) > GENTLE:
        return -np.sin(angle), np.cos(angle)
    square = by * by
    sine = by * (1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0)))
    cosine = 1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)))
    return sx * cosine - sy * sine, sy * cosine + sx * sine


@kernel
def choose_as_seed(
    pose, nearest, level, off_map, stretch, reference, table, falling, t_max, carried, turns, ratio, out
):
    """Brogan & Hodgins 2002, section 4.2: plain errors, and the two best turns blended by their distance from
    the reference at t_max."""
    ticks, actions = table.shape[1], table.shape[3]
    cost, apart = np.empty(actions), np.empty(actions)
    for i in range(len(pose)):
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        for a in range(actions):
            cost[a] = falling[nearest[i], a]
        for k in range(ticks):
            dx = stretch[i] * (reference[i, k, 0] - pose[i, 0])
            dy = stretch[i] * (reference[i, k, 1] - pose[i, 1])
            turned = wrapped(reference[i, k, 2] - pose[i, 2])
            add = carried[level[i], k]
            ahead, left, astray = c * dx + s * dy, c * dy - s * dx, turned
            for j in range(3):
                ahead -= off_map[i, j] * add[j, 0]
                left -= off_map[i, j] * add[j, 1]
                astray -= off_map[i, j] * add[j, 2]
            weight = ratio if k < t_max else 0.0
            way = table[nearest[i], k]
            for a in range(actions):
                off = np.sqrt((way[0, a] - ahead) ** 2 + (way[1, a] - left) ** 2)
                cost[a] += weight * off + (1.0 - weight) * abs(way[2, a] - astray)
                if k == t_max - 1:
                    apart[a] = off
        best, second = 0, -1
        for a in range(1, actions):
            if cost[a] < cost[best]:
                best, second = a, best
            elif second < 0 or cost[a] < cost[second]:
                second = a
        both = apart[best] + apart[second]
        share = apart[best] / both if both > 1e-9 and cost[second] < RISKY else 0.0
        out[i] = (1 - share) * turns[best] + share * turns[second]


@inner
@inlined
def _lowest(turns, cost):
    """The turn [rad] at the lowest point of the parabola through the cheapest action and those beside it."""
    best = 0
    for a in range(1, len(turns)):
        if cost[a] < cost[best]:
            best = a
    middle = best
    if best == 0 or cost[best - 1] >= RISKY:
        middle = best + 1
    elif best == len(turns) - 1 or cost[best + 1] >= RISKY:
        middle = best - 1
    if middle < 1 or middle > len(turns) - 2:
        return turns[best]
    if cost[middle - 1] >= RISKY or cost[middle + 1] >= RISKY:
        return turns[best]
    below, here, above = turns[middle - 1], turns[middle], turns[middle + 1]
    falls = (cost[middle] - cost[middle - 1]) / (here - below)
    rises = (cost[middle + 1] - cost[middle]) / (above - here)
    if rises <= falls:
        return turns[best]
    lowest = 0.5 * (below + here) - falls * 0.5 * (above - below) / (rises - falls)
    return min(max(lowest, below), above)
