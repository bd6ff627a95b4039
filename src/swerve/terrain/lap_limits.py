"""First and second derivatives of what each limit of a lap has left (`lap_terms`).

A step from one knot to the next has six unknowns: v² at both ends and the four d that bend the line there. A
limit's slope in them goes into `slope`; minus `force` times its second derivatives goes into `bent`, as far
as it is not by what knots know and by the acceleration, whose own second derivatives are added up once, with
weights that are gathered here: `to` (KNOWN,) of a knot, and what each function gives, of the acceleration.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

from .lap_terms import (
    B_Q,
    B_R,
    BEND,
    C_DRAG,
    C_GRAVITY,
    C_GRIP,
    C_RATE,
    C_SCALE,
    C_TIP,
    DRIVE,
    FORCE,
    G_Q,
    G_R,
    G_T,
    LEFT_EDGE,
    LONG,
    RATE_LEFT,
    RIGHT_EDGE,
    TIP_LEFT,
    TIP_RIGHT,
)

LOCAL = 6  # unknowns of a step


@inner
@kernel
def grip_limit(
    end: int,
    x: float,
    a: float,
    da: np.ndarray,
    known: np.ndarray,
    car: np.ndarray,
    force: float,
    part: np.ndarray,
    slope: np.ndarray,
    bent: np.ndarray,
    to: np.ndarray,
) -> float:
    """Of the grip that is left at the `end` of a step, 0 or 1, whose knot knows `known` (KNOWN, ROW)."""
    first, scale = 2 + end, 2.0 / car[C_SCALE]
    f = a + known[G_T, 0] + car[C_DRAG] * x
    side = known[G_Q, 0] + known[B_Q, 0] * x
    load = known[G_R, 0] + known[B_R, 0] * x
    for k in range(LOCAL):
        part[0, k], part[1, k], part[2, k] = da[k], 0.0, 0.0
    part[0, end] += car[C_DRAG]
    part[1, end], part[2, end] = known[B_Q, 0], known[B_R, 0]
    for k in range(3):
        part[0, first + k] += known[G_T, 1 + k]
        part[1, first + k] = known[G_Q, 1 + k] + x * known[B_Q, 1 + k]
        part[2, first + k] = known[G_R, 1 + k] + x * known[B_R, 1 + k]
    held = car[C_GRIP] * load
    for k in range(LOCAL):
        slope[k] = scale * (held * part[2, k] - f * part[0, k] - side * part[1, k])
        for m in range(LOCAL):
            square = car[C_GRIP] * part[2, k] * part[2, m] - part[0, k] * part[0, m] - part[1, k] * part[1, m]
            bent[k, m] -= force * scale * square
    for k in range(3):
        cross = force * scale * (held * known[B_R, 1 + k] - side * known[B_Q, 1 + k])
        bent[end, first + k] -= cross
        bent[first + k, end] -= cross
    weight = force * scale
    to[G_T] += weight * f
    to[G_Q] += weight * side
    to[B_Q] += weight * side * x
    to[G_R] -= weight * held
    to[B_R] -= weight * held * x
    return weight * f


@inner
@kernel
def force_limit(
    limit: int,
    push1: float,
    push2: float,
    da: np.ndarray,
    here: np.ndarray,
    there: np.ndarray,
    car: np.ndarray,
    force: float,
    slope: np.ndarray,
    bent: np.ndarray,
    to_here: np.ndarray,
    to_there: np.ndarray,
) -> float:
    """Of what drive or brakes have left; `push1` and `push2` are the drive's derivatives."""
    sign = -1.0 if limit == DRIVE else 1.0
    more = push1 if limit == DRIVE else 0.0
    for k in range(LOCAL):
        slope[k] = sign * da[k] / FORCE
    for k in range(3):
        slope[2 + k] += 0.5 * sign * here[G_T, 1 + k] / FORCE
        slope[3 + k] += 0.5 * sign * there[G_T, 1 + k] / FORCE
    for k in range(2):
        slope[k] += 0.5 * (more + sign * car[C_DRAG]) / FORCE
        if limit == DRIVE:
            bent[k, 0] -= force * 0.25 * push2 / FORCE
            bent[k, 1] -= force * 0.25 * push2 / FORCE
    to_here[G_T] -= 0.5 * force * sign / FORCE
    to_there[G_T] -= 0.5 * force * sign / FORCE
    return -force * sign / FORCE


@inner
@kernel
def rate_limit(
    limit: int,
    gap: float,
    root: float,
    s: float,
    jac: np.ndarray,
    car: np.ndarray,
    force: float,
    slope: np.ndarray,
    core: np.ndarray,
    to_here: np.ndarray,
    to_there: np.ndarray,
) -> None:
    """Of what the steering's rate has left, where the curvature changes by `gap` at the speed `root`. Its
    second derivatives go into `core`, of v² at both ends, S and the gap, whose slopes are `jac` (4, 6)."""
    unit = (-2.0 if limit == RATE_LEFT else 2.0) / car[C_RATE]
    per_x = 0.25 / root  # of the root, with either x
    per_xx = -0.0625 / root**3
    by_x, by_s, by_gap = unit * gap * per_x / s, -unit * gap * root / (s * s), unit * root / s
    for k in range(LOCAL):
        slope[k] = by_s * jac[2, k] + by_gap * jac[3, k]
    for k in range(2):
        slope[k] += by_x
        core[k, 0] -= force * unit * gap * per_xx / s
        core[k, 1] -= force * unit * gap * per_xx / s
        core[k, 2] += force * unit * gap * per_x / (s * s)
        core[2, k] += force * unit * gap * per_x / (s * s)
        core[k, 3] -= force * unit * per_x / s
        core[3, k] -= force * unit * per_x / s
    core[2, 2] -= force * 2.0 * unit * gap * root / s**3
    core[2, 3] += force * unit * root / (s * s)
    core[3, 2] += force * unit * root / (s * s)
    to_here[LONG] -= force * by_s
    to_there[LONG] -= force * by_s
    to_here[BEND] += force * by_gap
    to_there[BEND] -= force * by_gap


@inner
@kernel
def add_tips(
    i: int,
    x: float,
    known: np.ndarray,
    slack: np.ndarray,
    dual: np.ndarray,
    barrier: float,
    car: np.ndarray,
    place: np.ndarray,
    slope: np.ndarray,
    band: np.ndarray,
    moves: np.ndarray,
    to: np.ndarray,
) -> None:
    """What tip-over to either side at knot i, which knows `known` (KNOWN, ROW), adds in its v² and the three
    d that bend the line there. Second derivatives of what it knows are gathered in `to` (KNOWN,)."""
    n, mine = len(place), 2 * place[i] + 1
    for limit, sign in ((TIP_LEFT, -1.0), (TIP_RIGHT, 1.0)):
        room, force, over = slack[i, limit], dual[i, limit], sign * car[C_TIP]
        per = 1.0 / car[C_GRAVITY]
        by_x = per * (known[B_R, 0] + over * known[B_Q, 0])
        slope[mine] -= barrier / room * by_x
        band[mine, 0] += force / room * by_x * by_x
        moves[i, limit, 0] = by_x
        for k in range(1, 4):
            row = 2 * place[(i - 2 + k) % n]
            load, side = known[G_R, k] + x * known[B_R, k], known[G_Q, k] + x * known[B_Q, k]
            by_d, cross = per * (load + over * side), per * (known[B_R, k] + over * known[B_Q, k])
            moves[i, limit, 1 + k] = by_d
            slope[row] -= barrier / room * by_d
            band[min(row, mine), abs(row - mine)] += force / room * by_d * by_x - force * cross
            for m in range(k, 4):
                column = 2 * place[(i - 2 + m) % n]
                load, side = known[G_R, m] + x * known[B_R, m], known[G_Q, m] + x * known[B_Q, m]
                band[min(row, column), abs(row - column)] += force / room * by_d * per * (load + over * side)
        to[G_R] -= force * per
        to[B_R] -= force * per * x
        to[G_Q] -= force * per * over
        to[B_Q] -= force * per * over * x


@inner
@kernel
def add_edges(
    i: int,
    edge: np.ndarray,
    slack: np.ndarray,
    dual: np.ndarray,
    barrier: float,
    place: np.ndarray,
    slope: np.ndarray,
    band: np.ndarray,
    moves: np.ndarray,
) -> None:
    """What the edges of the road at and after knot i add."""
    n = len(place)
    where = np.empty(4, np.int64)
    for k in range(4):
        where[k] = 2 * place[(i - 1 + k) % n]
    for half in range(2):
        right, left = RIGHT_EDGE + 2 * half, LEFT_EDGE + 2 * half
        pull = barrier / slack[i, left] - barrier / slack[i, right]
        stiff = dual[i, right] / slack[i, right] + dual[i, left] / slack[i, left]
        for k in range(4):
            e = edge[i, half, k]
            if e == 0.0:
                continue
            slope[where[k]] += pull * e
            moves[i, right, 2 + k], moves[i, left, 2 + k] = e, -e
            for m in range(4):
                if where[k] >= where[m] and edge[i, half, m] != 0.0:
                    band[where[m], where[k] - where[m]] += stiff * e * edge[i, half, m]
