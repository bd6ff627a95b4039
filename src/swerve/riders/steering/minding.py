"""What riders of a herd make of their neighbours: kernels, one look at each neighbour for all that is asked.

Large herds start in the order of the cells they are in (`herd.scatter`), so that who is near is near in
memory, too: that halves the time of it.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel
from swerve.core.motion import Motion
from swerve.core.quick import cosine_sine, direction

from ..bodies.threads import cut, in_slices

FORESEEN = 0.4  # [s] how far ahead; at twice that, foreseen turns answer each other and humans weave
BELIEVED = 0.8  # share of a foreseen move that is made: if all were, groups would never stop drifting
PACE_GAIN = 0.6  # [1/s] speed per metre behind
FASTER, SLOWER = 0.02, 0.06  # at most, as shares of the speed, within the group
CHASE, WAIT = 0.10, 0.35  # the same for riders that are not of the largest group: behind it, before it
WAIT_IN_STREET = 0.12  # before it where nobody can pass: legs take long to make up for more
EASE = 0.12  # share of its speed that the largest group gives up while somebody is behind
ASIDE = 4.0  # [m] at most that is made up sideways at a time
CLEAR_LONG, CLEAR_WIDE = 3.0, 1.6  # [m] half axes of the room that riders leave each other
GIVE_WAY = 2.5  # [m] to the side, at most, for somebody in that room


def along_way(
    motion: Motion, x: np.ndarray, y: np.ndarray, course: np.ndarray, later: np.ndarray, threads: int = 1
) -> np.ndarray:
    """(n, 6) how riders at station x and offset y (n,) move along a way with direction `course` (n,) [rad]:
    place, velocity and, of riders that will be at `later` (n, 2), their place then."""
    out = np.empty((len(x), 6))
    columns = (motion.x, motion.y, motion.vx, motion.vy, x, y, course, later, out)
    in_slices(lambda rows: _along_way(*cut(columns, rows)), len(x), threads)
    return out


@kernel
def _along_way(at_x, at_y, vx, vy, x, y, course, later, out):
    for i in range(len(out)):
        c, s = cosine_sine(course[i])
        dx, dy = later[i, 0] - at_x[i], later[i, 1] - at_y[i]
        out[i, 0], out[i, 1] = x[i], y[i]
        out[i, 2], out[i, 3] = vx[i] * c + vy[i] * s, vy[i] * c - vx[i] * s
        out[i, 4], out[i, 5] = x[i] + c * dx + s * dy, y[i] + c * dy - s * dx


def mind(moves: np.ndarray, neighbours: np.ndarray, spacing: float, threads: int = 1) -> np.ndarray:
    """(n, 6) what riders with `moves` (n, 6) along the way are drawn to: how far [m] each is from its wanted
    place, along the way and to its left; how much more it will be; how far [m] to the left it gives way to
    neighbours it is about to touch, and how much slower [m/s] it goes for them."""
    out = np.empty((len(moves), 6))
    told = (moves, neighbours, spacing, out)
    in_slices(lambda rows: _mind(rows.start, rows.stop, *told), len(moves), threads)
    return out


@kernel
def _mind(first, stop, moves, neighbours, spacing, out):
    for i in range(first, stop):
        x, y, tx, ty = moves[i, 0], moves[i, 1], moves[i, 4], moves[i, 5]
        total, ahead, left = 0.0, 0.0, 0.0
        total_then, ahead_then, left_then = 0.0, 0.0, 0.0
        aside, slower = 0.0, 0.0
        for k in range(neighbours.shape[1]):
            j = neighbours[i, k]
            dx, dy = tx - moves[j, 4], ty - moves[j, 5]
            square = max(dx * dx + dy * dy, 0.01)
            near = 1.0 / np.sqrt(square)
            weight, out_by = (near * near) ** 3, spacing * near - 1.0
            total_then += weight
            ahead_then += weight * out_by * dx
            left_then += weight * out_by * dy
            dx, dy = x - moves[j, 0], y - moves[j, 1]
            square = max(dx * dx + dy * dy, 0.01)
            near = 1.0 / np.sqrt(square)
            weight, out_by = (near * near) ** 3, spacing * near - 1.0
            total += weight
            ahead += weight * out_by * dx
            left += weight * out_by * dy
            u, v = moves[i, 2] - moves[j, 2], moves[i, 3] - moves[j, 3]
            within = min(CLEAR_LONG + 1.6 * (abs(u) + abs(v)), 20.0)
            if dx * dx + dy * dy > within * within:
                continue
            for step in range(5):
                t = 0.4 * step
                px, py = dx + t * u, dy + t * v
                close = (px * (1.0 / CLEAR_LONG)) ** 2 + (py * (1.0 / CLEAR_WIDE)) ** 2
                if close < 1.0:
                    short = (1.0 - np.sqrt(close)) * (1.0 - 0.15 * step)
                    side = 1.0 if dy > 0 or (dy == 0 and i > j) else -1.0
                    aside += side * GIVE_WAY * short
                    if dx < 0:  # the other is before it
                        slower = max(slower, 4.0 * short)
                    break
        if total > 0.0:
            ahead, left = ahead / total, left / total
            ahead_then, left_then = ahead_then / total_then, left_then / total_then
        out[i, 0], out[i, 1] = ahead, left
        out[i, 2], out[i, 3] = tx - x - ahead + ahead_then, ty - y - left + left_then
        out[i, 4], out[i, 5] = min(max(aside, -GIVE_WAY), GIVE_WAY), slower


@kernel
def settle(moves, drawn, leader, base, everyone, middle, speed, spacing, edged, waited_for, out):
    """What riders with `moves` and `drawn` (n, 6) want, in rows of `out` (5, n): offset [m] to be at, drift
    [rad], speed [m/s] and the least that it may be, and the distance [m] from the wanted place. Who is not of
    the largest group is led to its `leader` (n,) of `everyone`, −1 for the others; those ease where somebody
    is `waited_for`."""
    for i in range(len(moves)):
        ahead, left = drawn[i, 0], drawn[i, 1]
        out[4, i] = np.sqrt(ahead * ahead + left * left)
        along = BELIEVED * (drawn[i, 2] - middle[0]) / FORESEEN  # [m/s]
        across = BELIEVED * (drawn[i, 3] - middle[1]) / FORESEEN
        change = min(max((PACE_GAIN * ahead + along) / speed, -SLOWER), FASTER)
        if leader[i] >= 0:
            to_x, to_y = everyone[leader[i], 0] - moves[i, 0], everyone[leader[i], 1] - moves[i, 1]
            far = max(np.hypot(to_x, to_y), 1e-6)
            short = (far - spacing) / far
            change = min(max(0.5 * short * to_x / speed, -(WAIT_IN_STREET if edged else WAIT)), CHASE)
            if not edged:  # in a street all are beside each other anyway
                left, across = short * to_y, 0.0
        elif waited_for:
            change -= EASE
        give = drawn[i, 4]
        to = 0.0 if left * give < 0 else min(max(left, -ASIDE), ASIDE)  # one or the other
        out[0, i], out[1, i] = moves[i, 1] + to + give, direction(across, speed)
        out[2, i], out[3, i] = base[i] * (1.0 + change) - drawn[i, 5], 0.3 * base[i]
