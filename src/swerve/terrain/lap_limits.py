"""First and second derivatives of what each limit of a lap has left (`lap_terms`): in y = (x₀, x₁, c₀, c₁, S)
of a step, v² and curvature at both ends and twice its length; of the edges, in the d around them."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

from .lap_terms import (
    C_DRAG,
    C_RATE,
    C_SCALE,
    DRIVE,
    FORCE,
    FRICTION_HERE,
    G_Q,
    G_R,
    G_T,
    GROUND_BEND,
    LEFT_EDGE,
    RATE_LEFT,
    RIGHT_EDGE,
    TO_LOAD,
    TO_SIDE,
)


@inner
@kernel
def grip_limit(
    limit: int,
    at: int,
    a: float,
    x: np.ndarray,
    bend: np.ndarray,
    road: np.ndarray,
    car: np.ndarray,
    da: np.ndarray,
    dda: np.ndarray,
    g1: np.ndarray,
    g2: np.ndarray,
) -> None:
    """First and second derivatives of the grip that is left at one end of a step, knot `at`."""
    ix, ic = limit, 2 + limit
    f = a + road[at, G_T] + car[C_DRAG] * x[at]
    side = road[at, G_Q] + road[at, TO_SIDE] * bend[at] * x[at]
    load = road[at, G_R] + (road[at, GROUND_BEND] + road[at, TO_LOAD] * bend[at]) * x[at]
    mu2, scale = road[at, FRICTION_HERE] ** 2, 2.0 / car[C_SCALE]
    fx = da[ix] + car[C_DRAG]
    side_x, side_c = road[at, TO_SIDE] * bend[at], road[at, TO_SIDE] * x[at]
    load_x = road[at, GROUND_BEND] + road[at, TO_LOAD] * bend[at]
    load_c = road[at, TO_LOAD] * x[at]
    for k in range(5):
        fk = fx if k == ix else da[k]
        g1[k] = -scale * f * fk
        for m in range(5):
            fm = fx if m == ix else da[m]
            g2[k, m] = -scale * (fk * fm + f * dda[k, m])
    g1[ix] += scale * (mu2 * load * load_x - side * side_x)
    g1[ic] += scale * (mu2 * load * load_c - side * side_c)
    g2[ix, ix] += scale * (mu2 * load_x * load_x - side_x * side_x)
    g2[ic, ic] += scale * (mu2 * load_c * load_c - side_c * side_c)
    cross = mu2 * (load_x * load_c + load * road[at, TO_LOAD])
    cross -= side_x * side_c + side * road[at, TO_SIDE]
    g2[ix, ic] += scale * cross
    g2[ic, ix] += scale * cross


@inner
@kernel
def force_limit(
    limit: int,
    push1: float,
    push2: float,
    car: np.ndarray,
    da: np.ndarray,
    dda: np.ndarray,
    g1: np.ndarray,
    g2: np.ndarray,
) -> None:
    """The same of what drive or brakes have left; `push1` and `push2` are the drive's derivatives."""
    sign = -1.0 if limit == DRIVE else 1.0
    more = push1 if limit == DRIVE else 0.0
    for k in range(5):
        g1[k] = sign * da[k] / FORCE
        for m in range(5):
            g2[k, m] = sign * dda[k, m] / FORCE
    for k in range(2):
        g1[k] += 0.5 * (more + sign * car[C_DRAG]) / FORCE
        if limit == DRIVE:
            g2[k, 0] += 0.25 * push2 / FORCE
            g2[k, 1] += 0.25 * push2 / FORCE


@inner
@kernel
def rate_limit(
    limit: int, gap: float, root: float, s: float, car: np.ndarray, g1: np.ndarray, g2: np.ndarray
) -> None:
    """The same of what the steering's rate has left; the curvature changes by `gap` at the speed `root`."""
    sign = -1.0 if limit == RATE_LEFT else 1.0
    unit = sign * 2.0 / car[C_RATE]
    per_x = 0.25 / root  # of the root, with either x
    per_xx = -0.0625 / root**3
    g1[0] = g1[1] = unit * gap * per_x / s
    g1[2], g1[3] = -unit * root / s, unit * root / s
    g1[4] = -unit * gap * root / (s * s)
    for k in range(2):
        g2[k, 0] = g2[k, 1] = unit * gap * per_xx / s
        g2[k, 2] = g2[2, k] = -unit * per_x / s
        g2[k, 3] = g2[3, k] = unit * per_x / s
        g2[k, 4] = g2[4, k] = -unit * gap * per_x / (s * s)
    g2[2, 4] = g2[4, 2] = unit * root / (s * s)
    g2[3, 4] = g2[4, 3] = -unit * root / (s * s)
    g2[4, 4] = 2.0 * unit * gap * root / s**3


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
