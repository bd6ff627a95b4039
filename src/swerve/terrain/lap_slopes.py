"""First and second derivatives of a lap and its limits (`lap_terms`), added up in a narrow band.

A step from one knot to the next knows y = (x₀, x₁, c₀, c₁, S): v² and curvature at both ends, and twice its
length. Its terms are differentiated in y, and then carried over to its six unknowns: x₀, x₁ and the four d
that bend the line there.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .lap_bends import see_bends
from .lap_limits import add_edges, force_limit, grip_limit, rate_limit
from .lap_terms import (
    BRAKES,
    C_BEND,
    C_RATE,
    C_TOP,
    FASTEST,
    GRIP_END,
    GRIP_START,
    LIMITS,
    RATE_LEFT,
    RISE,
    STEER_LEFT,
    STEER_RIGHT,
    drive_of,
)

LOCAL = 6  # unknowns of a step


@kernel
def assemble(
    q: np.ndarray,
    x: np.ndarray,
    across: np.ndarray,
    stencil: np.ndarray,
    edge: np.ndarray,
    road: np.ndarray,
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

    `edge` (n, 2, 4) says how the line's place across the road, at a knot and half-way to the next, moves with
    d at the knot before, here and at the next two. `held`
    (n,) marks speeds that are given. `place` (n,) is where a knot stands in the band. `moves` (n, LIMITS, 6)
    receives how each limit changes with the unknowns of its step.
    """
    n = len(x)
    slope[:] = 0.0
    band[:] = 0.0
    moves[:] = 0.0
    bend, pace = np.empty(n), np.empty(n)
    d_bend, d_pace = np.empty((n, 3)), np.empty((n, 3))
    dd_bend, dd_pace = np.empty((n, 3, 3)), np.empty((n, 3, 3))
    see_bends(q, across, stencil, bend, pace, d_bend, d_pace, dd_bend, dd_pace)
    to_bend, to_pace = np.zeros(n), np.zeros(n)
    near = np.empty(3, np.int64)
    # steps, in y = (x₀, x₁, c₀, c₁, S)
    first, lagrange, second = np.empty(5), np.empty(5), np.empty((5, 5))
    da, dda = np.zeros(5), np.zeros((5, 5))
    g1, g2 = np.zeros(5), np.zeros((5, 5))
    jac, half = np.zeros((5, LOCAL)), np.zeros((5, LOCAL))
    where = np.empty(LOCAL, np.int64)
    for i in range(n if closed else n - 1):
        j = i + 1 if i + 1 < n else 0
        s = pace[i] * road[i, RISE] + pace[j] * road[j, RISE]
        v0, v1 = np.sqrt(max(x[i], 1e-9)), np.sqrt(max(x[j], 1e-9))
        v = v0 + v1
        first[:] = 0.0
        second[:] = 0.0
        first[0], first[1], first[4] = -s / (2 * v * v * v0), -s / (2 * v * v * v1), 1.0 / v
        second[0, 0] = s / (2 * v**3 * v0 * v0) + s / (4 * v * v * v0**3)
        second[1, 1] = s / (2 * v**3 * v1 * v1) + s / (4 * v * v * v1**3)
        second[0, 1] = second[1, 0] = s / (2 * v**3 * v0 * v1)
        second[0, 4] = second[4, 0] = -1.0 / (2 * v * v * v0)
        second[1, 4] = second[4, 1] = -1.0 / (2 * v * v * v1)
        lagrange[:] = first
        a = (x[j] - x[i]) / s
        da[0], da[1], da[4] = -1.0 / s, 1.0 / s, -a / s
        dda[0, 4] = dda[4, 0] = 1.0 / (s * s)
        dda[1, 4] = dda[4, 1] = -1.0 / (s * s)
        dda[4, 4] = 2.0 * a / (s * s)
        # how y changes with the unknowns
        jac[:] = 0.0
        jac[0, 0] = jac[1, 1] = 1.0
        for k in range(3):
            jac[2, 2 + k] = d_bend[i, k]
            jac[3, 3 + k] = d_bend[j, k]
            jac[4, 2 + k] += road[i, RISE] * d_pace[i, k]
            jac[4, 3 + k] += road[j, RISE] * d_pace[j, k]
        xm = 0.5 * (x[i] + x[j])
        _, push1, push2 = drive_of(xm, table)
        root = np.sqrt(max(xm, 1e-9))
        for limit in range(6):
            if limit >= RATE_LEFT and car[C_RATE] > 1e6:
                continue
            g1[:] = 0.0
            g2[:] = 0.0
            if limit <= GRIP_END:
                grip_limit(limit, i if limit == GRIP_START else j, a, x, bend, road, car, da, dda, g1, g2)
            elif limit <= BRAKES:
                force_limit(limit, push1, push2, car, da, dda, g1, g2)
            else:
                rate_limit(limit, bend[j] - bend[i], root, s, car, g1, g2)
            room, force = slack[i, limit], dual[i, limit]
            for k in range(5):
                first[k] -= barrier / room * g1[k]
                lagrange[k] -= force * g1[k]
                for m in range(5):
                    second[k, m] += force * (g1[k] * g1[m] / room - g2[k, m])
            for k in range(LOCAL):
                total = 0.0
                for m in range(5):
                    total += g1[m] * jac[m, k]
                moves[i, limit, k] = total
        to_bend[i] += lagrange[2]
        to_bend[j] += lagrange[3]
        to_pace[i] += lagrange[4] * road[i, RISE]
        to_pace[j] += lagrange[4] * road[j, RISE]
        h, k2 = (i - 1 if i > 0 else n - 1), (j + 1 if j + 1 < n else 0)
        where[0], where[1] = 2 * place[i] + 1, 2 * place[j] + 1
        where[2], where[3], where[4], where[5] = 2 * place[h], 2 * place[i], 2 * place[j], 2 * place[k2]
        for m in range(5):
            for k in range(LOCAL):
                total = 0.0
                for o in range(5):
                    total += second[m, o] * jac[o, k]
                half[m, k] = total
        for k in range(LOCAL):
            total = 0.0
            for m in range(5):
                total += jac[m, k] * first[m]
            slope[where[k]] += total
            for o in range(LOCAL):
                if where[k] >= where[o]:
                    total = 0.0
                    for m in range(5):
                        total += jac[m, k] * half[m, o]
                    if total != 0.0:
                        band[where[o], where[k] - where[o]] += total
    # knots
    for i in range(n):
        near[0], near[1], near[2] = (i - 1 if i > 0 else n - 1), i, (i + 1 if i + 1 < n else 0)
        steer = dual[i, STEER_RIGHT] - dual[i, STEER_LEFT]
        to_bend[i] -= steer / car[C_BEND]
        turn = -barrier / slack[i, STEER_RIGHT] + barrier / slack[i, STEER_LEFT]
        turn_stiff = dual[i, STEER_RIGHT] / slack[i, STEER_RIGHT] + dual[i, STEER_LEFT] / slack[i, STEER_LEFT]
        for k in range(3):
            row = 2 * place[near[k]]
            dc = d_bend[i, k] / car[C_BEND]
            slope[row] += turn * dc
            moves[i, STEER_LEFT, 2 + k], moves[i, STEER_RIGHT, 2 + k] = -dc, dc
            for m in range(3):
                column = 2 * place[near[m]]
                if row >= column:
                    value = to_bend[i] * dd_bend[i, k, m] + to_pace[i] * dd_pace[i, k, m]
                    value += turn_stiff * dc * d_bend[i, m] / car[C_BEND]
                    if value != 0.0:
                        band[column, row - column] += value
        add_edges(i, edge, slack, dual, barrier, place, slope, band, moves)
        mine = 2 * place[i] + 1
        slope[mine] += barrier / slack[i, FASTEST] / car[C_TOP]
        band[mine, 0] += dual[i, FASTEST] / slack[i, FASTEST] / car[C_TOP] ** 2
        moves[i, FASTEST, 0] = -1.0 / car[C_TOP]
    for i in range(n):
        if held[i]:
            row = 2 * place[i] + 1
            slope[row] = 0.0
            for k in range(1, band.shape[1]):
                band[row, k] = 0.0
                if row - k >= 0:
                    band[row - k, k] = 0.0
            band[row, 0] = 1.0


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
