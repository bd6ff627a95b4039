"""Impacts between balls, each at the very time at which they touch.

A substep moves every ball along a straight line, from p - h·v to p. MuJoCo would notice two balls only once
they overlap, up to v·h deep, and take the line between their middles there for the direction of the blow: at
4 m/s and 1/240 s that is wrong by up to 16 degrees. Here the balls of a branch are taken back to the
beginning of the substep and moved from impact to impact. With n the line between the middles at the time of
impact and w the speed at which they approach along it, each gets the impulse

    j = (1 + e)·w / (1/m1 + 1/m2)

along n, and across it Coulomb's friction of the surfaces. Balls that lie against each other do not bounce.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import NO, YES, inner, kernel

from .bodies import World
from .friction import kick, surface_velocity
from .materials import pair_friction, pair_restitution

RESTING = 0.02  # [m/s] slower approaches end without a bounce
MOST_EVENTS = 8  # a ball and substep: more than that are balls that lie in a heap
APART = 0.2  # share of an overlap that is taken away in a substep


class Impacts:
    """The balls of a world that may hit each other."""

    def __init__(self, world: World):
        balls = world.balls
        slots = [world.slots[name] for name in balls]
        self.columns = np.array([(s.qpos, s.qvel) for s in slots], dtype=np.int64).reshape(-1, 2)
        self.numbers = np.array([(s.mass, s.radius) for s in slots], dtype=float).reshape(-1, 2)
        pairs, values = [], []
        for i, first in enumerate(balls):
            for k in range(i + 1, len(balls)):
                second = balls[k]
                if not world.may_touch(first, second):
                    continue
                one, other = world.by_name[first].material, world.by_name[second].material
                noted = [world.watch_column(first, second), world.watch_column(first, "*")]
                pairs.append([i, k, *noted, world.watch_column(second, "*")])
                values.append([pair_restitution(one, other), *pair_friction(one, other)])
        self.pairs = np.array(pairs, dtype=np.int64).reshape(-1, 5)
        self.values = np.array(values, dtype=float).reshape(-1, 3)


@kernel
def settle(
    rows: np.ndarray,
    touched: np.ndarray,
    columns: np.ndarray,
    numbers: np.ndarray,
    pairs: np.ndarray,
    values: np.ndarray,
    timestep: float,
) -> None:
    """Let the balls of `rows` (b, width) hit each other as they did within the last substep, and note in
    `touched` (b, watched) who did."""
    for lane in range(rows.shape[0]):
        row = rows[lane]
        left, moved = timestep, NO
        for _ in range(MOST_EVENTS * len(columns)):
            when, which = _first(row, columns, numbers, pairs, left, moved)
            if which < 0:
                break
            if not moved:  # back to where the balls were at the beginning of the substep
                _move(row, columns, -timestep)
                moved = YES
            _move(row, columns, when)
            left -= when
            _hit(row, columns, numbers, pairs[which], values[which])
            for noted in pairs[which, 2:]:
                if noted >= 0:
                    touched[lane, noted] = True
        if moved:
            _move(row, columns, left)
        _part(row, columns, numbers, pairs)


@kernel
def _first(
    row: np.ndarray, columns: np.ndarray, numbers: np.ndarray, pairs: np.ndarray, left: float, moved: bool
) -> tuple[float, int]:
    """Seconds to the first impact within the `left` ones of the substep, and whose it is; -1 if none is.

    Places in `row` are those now if balls were `moved`, else those at the end of the substep.
    """
    soonest, which = left, -1
    back = 0.0 if moved else left
    for k in range(len(pairs)):
        q, v = columns[pairs[k, 0]]
        oq, ov = columns[pairs[k, 1]]
        wx, wy, wz = row[ov] - row[v], row[ov + 1] - row[v + 1], row[ov + 2] - row[v + 2]
        dx, dy, dz = (
            row[oq] - row[q] - back * wx,
            row[oq + 1] - row[q + 1] - back * wy,
            row[oq + 2] - row[q + 2] - back * wz,
        )
        closing = dx * wx + dy * wy + dz * wz
        if closing >= -1e-12:
            continue
        reach = numbers[pairs[k, 0], 1] + numbers[pairs[k, 1], 1]
        gap = dx * dx + dy * dy + dz * dz - reach * reach
        if gap <= 0.0:
            return 0.0, k
        squared = wx * wx + wy * wy + wz * wz
        inner = closing * closing - squared * gap
        if inner <= 0.0:
            continue
        when = (-closing - np.sqrt(inner)) / squared
        if when <= soonest:
            soonest, which = when, k
    return soonest, which


@kernel
def _move(row: np.ndarray, columns: np.ndarray, seconds: float) -> None:
    for k in range(len(columns)):
        q, v = columns[k]
        for axis in range(3):
            row[q + axis] += seconds * row[v + axis]


@inner
@kernel
def _hit(
    row: np.ndarray, columns: np.ndarray, numbers: np.ndarray, pair: np.ndarray, values: np.ndarray
) -> None:
    """Two touching balls pass on their momentum, and rub."""
    q, v = columns[pair[0]]
    oq, ov = columns[pair[1]]
    mass, radius = numbers[pair[0]]
    other_mass, other_radius = numbers[pair[1]]
    restitution, friction, sticking = values
    nx, ny, nz = row[oq] - row[q], row[oq + 1] - row[q + 1], row[oq + 2] - row[q + 2]
    apart = max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-12)
    nx, ny, nz = nx / apart, ny / apart, nz / apart
    closing = (row[v] - row[ov]) * nx + (row[v + 1] - row[ov + 1]) * ny + (row[v + 2] - row[ov + 2]) * nz
    bounce = restitution if closing > RESTING else 0.0
    impulse = (1.0 + bounce) * closing / (1.0 / mass + 1.0 / other_mass)
    ax, ay, az = radius * nx, radius * ny, radius * nz
    bx, by, bz = -other_radius * nx, -other_radius * ny, -other_radius * nz
    ux, uy, uz = surface_velocity(row, q, v, ax, ay, az)
    ox, oy, oz = surface_velocity(row, oq, ov, bx, by, bz)
    for axis, n in enumerate((nx, ny, nz)):
        row[v + axis] -= impulse * n / mass
        row[ov + axis] += impulse * n / other_mass
    sx, sy, sz = ux - ox, uy - oy, uz - oz
    along = sx * nx + sy * ny + sz * nz
    sx, sy, sz = sx - along * nx, sy - along * ny, sz - along * nz
    slip = np.sqrt(sx * sx + sy * sy + sz * sz)
    if slip < 1e-12 or sticking <= 0.0:
        return
    needed = slip / (3.5 / mass + 3.5 / other_mass)
    share = -(needed if needed <= sticking * impulse else friction * impulse) / slip
    kick(row, q, v, mass, radius, ax, ay, az, share * sx, share * sy, share * sz)
    kick(row, oq, ov, other_mass, other_radius, bx, by, bz, -share * sx, -share * sy, -share * sz)


@kernel
def _part(row: np.ndarray, columns: np.ndarray, numbers: np.ndarray, pairs: np.ndarray) -> None:
    """Move balls that overlap, as when something squeezes them, apart a little."""
    for k in range(len(pairs)):
        q, oq = columns[pairs[k, 0], 0], columns[pairs[k, 1], 0]
        dx, dy, dz = row[oq] - row[q], row[oq + 1] - row[q + 1], row[oq + 2] - row[q + 2]
        reach = numbers[pairs[k, 0], 1] + numbers[pairs[k, 1], 1]
        squared = dx * dx + dy * dy + dz * dz
        if squared >= (reach - 1e-6) ** 2 or squared < 1e-18:
            continue
        apart = np.sqrt(squared)
        share = APART * (reach - apart) / apart
        mass, other_mass = numbers[pairs[k, 0], 0], numbers[pairs[k, 1], 0]
        mine = share * other_mass / (mass + other_mass)
        row[q] -= mine * dx
        row[q + 1] -= mine * dy
        row[q + 2] -= mine * dz
        row[oq] += (share - mine) * dx
        row[oq + 1] += (share - mine) * dy
        row[oq + 2] += (share - mine) * dz
