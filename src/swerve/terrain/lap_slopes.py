"""First and second derivatives of a lap and its limits (`lap_terms`), added up in a narrow band.

A step from one knot to the next has six unknowns: v² at both ends, and the four d that bend the line there.
What it takes depends on y = (x₀, x₁, S, c₁ − c₀): v² at both ends, twice its length and how much the line
bends more at its end. Terms are differentiated in y and in what knots know, and carried over to the six.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

from .lap_knots import ROW, differentiate
from .lap_limits import LOCAL, add_edges, add_tips, force_limit, grip_limit, rate_limit
from .lap_terms import (
    BEND,
    BRAKES,
    C_BEND,
    C_RATE,
    C_TIP,
    C_TOP,
    FASTEST,
    GRIP_END,
    KNOWN,
    LIMITS,
    LONG,
    RATE_LEFT,
    STEER_LEFT,
    STEER_RIGHT,
    drive_of,
)


@kernel
def assemble(
    q: np.ndarray,
    x: np.ndarray,
    offset: np.ndarray,
    across: np.ndarray,
    stencil: np.ndarray,
    edge: np.ndarray,
    hills: np.ndarray,
    car: np.ndarray,
    table: np.ndarray,
    closed: bool,
    held: np.ndarray,
    slack: np.ndarray,
    dual: np.ndarray,
    barrier: float,
    place: np.ndarray,
    slope: np.ndarray,
    band: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Slope (2n,) and band (2n, w) of the Lagrangian's second derivatives with the barrier's curvature.

    `offset` (n,) is how far knots lie beside the reference; `edge` (n, 2, 4) says how that, at a knot and
    half-way to the next, moves with d at the knot before, here and at the next two. `held`
    (n,) marks speeds that are given. `place` (n,) is where a knot stands in the band. `moves` (n, LIMITS, 6)
    receives how each limit changes with the unknowns of its step.
    """
    n = len(x)
    slope[:] = 0.0
    band[:] = 0.0
    moves[:] = 0.0
    known, to = np.zeros((n, KNOWN, ROW)), np.zeros((n, KNOWN))
    differentiate(q, offset, across, stencil, edge, hills, car, known)
    first, core, jac, half = np.empty(3), np.empty((4, 4)), np.zeros((4, LOCAL)), np.empty((4, LOCAL))
    da, g1, down = np.empty(LOCAL), np.empty(LOCAL), np.empty(LOCAL)
    part, bent = np.empty((3, LOCAL)), np.empty((LOCAL, LOCAL))
    where = np.empty(LOCAL, np.int64)
    jac[0, 0] = jac[1, 1] = 1.0
    for i in range(n if closed else n - 1):
        j = i + 1 if i + 1 < n else 0
        here, there = known[i], known[j]
        s = here[LONG, 0] + there[LONG, 0]
        jac[2:] = 0.0
        for k in range(3):
            jac[2, 2 + k] += here[LONG, 1 + k]
            jac[2, 3 + k] += there[LONG, 1 + k]
            jac[3, 2 + k] -= here[BEND, 1 + k]
            jac[3, 3 + k] += there[BEND, 1 + k]
        take_time(x[i], x[j], s, first, core)
        bent[:] = 0.0
        to[i, LONG] += first[2]
        to[j, LONG] += first[2]
        a = (x[j] - x[i]) / s
        for k in range(LOCAL):
            da[k] = -a / s * jac[2, k]
            down[k] = first[2] * jac[2, k]
        da[0], da[1] = da[0] - 1.0 / s, da[1] + 1.0 / s
        down[0], down[1] = down[0] + first[0], down[1] + first[1]
        xm = 0.5 * (x[i] + x[j])
        _, push1, push2 = drive_of(xm, table)
        root = np.sqrt(max(xm, 1e-9))
        weight = 0.0  # of the acceleration's second derivatives
        for limit in range(6):
            if limit >= RATE_LEFT and car[C_RATE] > 1e6:
                continue
            room, force = slack[i, limit], dual[i, limit]
            if limit <= GRIP_END:
                at = i if limit == 0 else j
                weight += grip_limit(limit, x[at], a, da, known[at], car, force, part, g1, bent, to[at])
            elif limit <= BRAKES:
                weight += force_limit(
                    limit, push1, push2, da, here, there, car, force, g1, bent, to[i], to[j]
                )
            else:
                gap = there[BEND, 0] - here[BEND, 0]
                rate_limit(limit, gap, root, s, jac, car, force, g1, core, to[i], to[j])
            for k in range(LOCAL):
                moves[i, limit, k] = g1[k]
                down[k] -= barrier / room * g1[k]
                for m in range(LOCAL):
                    bent[k, m] += force / room * g1[k] * g1[m]
        to[i, LONG] -= weight * a / s
        to[j, LONG] -= weight * a / s
        core[0, 2], core[2, 0] = core[0, 2] + weight / (s * s), core[2, 0] + weight / (s * s)
        core[1, 2], core[2, 1] = core[1, 2] - weight / (s * s), core[2, 1] - weight / (s * s)
        core[2, 2] += 2.0 * weight * a / (s * s)
        carry(core, jac, half, bent)
        h, k2 = (i - 1 if i > 0 else n - 1), (j + 1 if j + 1 < n else 0)
        where[0], where[1] = 2 * place[i] + 1, 2 * place[j] + 1
        where[2], where[3], where[4], where[5] = 2 * place[h], 2 * place[i], 2 * place[j], 2 * place[k2]
        for k in range(LOCAL):
            slope[where[k]] += down[k]
            for o in range(LOCAL):
                if where[k] >= where[o] and bent[k, o] != 0.0:
                    band[where[o], where[k] - where[o]] += bent[k, o]
    for i in range(n):
        if car[C_TIP] > 0.0:
            add_tips(i, x[i], known[i], slack, dual, barrier, car, place, slope, band, moves, to[i])
        add_knot(i, known[i], to[i], slack, dual, barrier, car, place, slope, band, moves)
        add_edges(i, edge, slack, dual, barrier, place, slope, band, moves)
    for i in range(n):
        if held[i]:
            row = 2 * place[i] + 1
            slope[row] = 0.0
            for k in range(1, band.shape[1]):
                band[row, k] = 0.0
                if row - k >= 0:
                    band[row - k, k] = 0.0
            band[row, 0] = 1.0


@inner
@kernel
def take_time(x0: float, x1: float, s: float, first: np.ndarray, core: np.ndarray) -> None:
    """Derivatives of S/(v₀ + v₁) in (x₀, x₁, S)."""
    v0, v1 = np.sqrt(max(x0, 1e-9)), np.sqrt(max(x1, 1e-9))
    v = v0 + v1
    core[:] = 0.0
    first[0], first[1], first[2] = -s / (2 * v * v * v0), -s / (2 * v * v * v1), 1.0 / v
    core[0, 0] = s / (2 * v**3 * v0 * v0) + s / (4 * v * v * v0**3)
    core[1, 1] = s / (2 * v**3 * v1 * v1) + s / (4 * v * v * v1**3)
    core[0, 1] = core[1, 0] = s / (2 * v**3 * v0 * v1)
    core[0, 2] = core[2, 0] = -1.0 / (2 * v * v * v0)
    core[1, 2] = core[2, 1] = -1.0 / (2 * v * v * v1)


@inner
@kernel
def carry(core: np.ndarray, jac: np.ndarray, half: np.ndarray, bent: np.ndarray) -> None:
    """Add second derivatives in y to those in the six unknowns."""
    for m in range(4):
        for k in range(LOCAL):
            total = 0.0
            for o in range(4):
                total += core[m, o] * jac[o, k]
            half[m, k] = total
    for k in range(LOCAL):
        for o in range(LOCAL):
            total = 0.0
            for m in range(4):
                total += jac[m, k] * half[m, o]
            bent[k, o] += total


@inner
@kernel
def add_knot(
    i: int,
    known: np.ndarray,
    to: np.ndarray,
    slack: np.ndarray,
    dual: np.ndarray,
    barrier: float,
    car: np.ndarray,
    place: np.ndarray,
    slope: np.ndarray,
    band: np.ndarray,
    moves: np.ndarray,
) -> None:
    """What steering and top speed at knot i add, and the second derivatives of what it knows, weighed by
    `to` (KNOWN,)."""
    n = len(place)
    right, left = slack[i, STEER_RIGHT], slack[i, STEER_LEFT]
    to[BEND] -= (dual[i, STEER_RIGHT] - dual[i, STEER_LEFT]) / car[C_BEND]
    turn = -barrier / right + barrier / left
    stiff = dual[i, STEER_RIGHT] / right + dual[i, STEER_LEFT] / left
    pair = 4
    for k in range(3):
        row = 2 * place[(i - 1 + k) % n]
        dc = known[BEND, 1 + k] / car[C_BEND]
        slope[row] += turn * dc
        moves[i, STEER_LEFT, 2 + k], moves[i, STEER_RIGHT, 2 + k] = -dc, dc
        for m in range(k, 3):
            column = 2 * place[(i - 1 + m) % n]
            value = stiff * dc * known[BEND, 1 + m] / car[C_BEND]
            for o in range(KNOWN):
                value += to[o] * known[o, pair]
            band[min(row, column), abs(row - column)] += value
            pair += 1
    mine = 2 * place[i] + 1
    slope[mine] += barrier / slack[i, FASTEST] / car[C_TOP]
    band[mine, 0] += dual[i, FASTEST] / slack[i, FASTEST] / car[C_TOP] ** 2
    moves[i, FASTEST, 0] = -1.0 / car[C_TOP]


@kernel
def limit_moves(
    moves: np.ndarray, step: np.ndarray, place: np.ndarray, closed: bool, change: np.ndarray
) -> None:
    """How far each limit moves (n, LIMITS), to first order, with a step (2n,) of the unknowns."""
    n = len(place)
    local = np.empty(LOCAL)
    for i in range(n):
        h, j = (i - 1 if i > 0 else n - 1), (i + 1 if i + 1 < n else 0)
        k2 = j + 1 if j + 1 < n else 0
        local[0], local[1] = step[2 * place[i] + 1], step[2 * place[j] + 1]
        local[2], local[3] = step[2 * place[h]], step[2 * place[i]]
        local[4], local[5] = step[2 * place[j]], step[2 * place[k2]]
        for k in range(LIMITS):
            total = 0.0
            for m in range(LOCAL):
                total += moves[i, k, m] * local[m]
            change[i, k] = total
