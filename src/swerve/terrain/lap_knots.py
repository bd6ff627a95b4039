"""What the knots of a lap's line know of it and of the road under them, with two derivatives (`lap_terms`).

Seen from above the line has the curvature κ and the pace p; with e along it and l to its left, the road rises
by m = ∇z·e, leans by w = ∇z·l and bends by h = e·∇∇z·e. With M² = 1 + m² and N² = M² + w²

    gravity along  g·m/M      across  g·w/(M·N)              into the ground  g/N
    length  p·M               bend along it  (κ·N² + h·w)/(M³·N)      out of it  h/(M²·N).

How z falls off to either side of a reference is a polynomial in the offset from it (`lap_ground`): of its
slope along the reference, of that across, and of its bend along. Derivatives are carried along in rows:
value, three slopes in the d before, here and after, and six second derivatives.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inlined, inner, kernel

from .lap_terms import B_Q, B_R, BEND, C_DOWN, C_GRAVITY, G_Q, G_R, G_T, KNOWN, LONG

ROW = 10  # value, slopes 0 1 2, second derivatives 00 01 02 11 12 22
# rows of a knot's work, after those that it knows
UA, UB, SA, SB, PLAN, SHARE, CA, CB, AHEAD, LEFT, HEAD, TWIST, SIDE, RISE, LEAN, DIP = range(
    KNOWN, KNOWN + 16
)
M, N, PER_M, PER_N, ONE, TWO, THREE = range(KNOWN + 16, KNOWN + 23)
WORK = KNOWN + 23


@kernel
def see_knots(
    q: np.ndarray,
    offset: np.ndarray,
    across: np.ndarray,
    stencil: np.ndarray,
    hills: np.ndarray,
    car: np.ndarray,
    known: np.ndarray,
) -> None:
    """Fill `known` (n, KNOWN) for coefficients q (n, 2) at `offset` (n,) from the reference. `hills`
    (n, 3, k) are the polynomials, or none of them on a road that is flat."""
    n = len(q)
    g, down = car[C_GRAVITY], car[C_DOWN]
    for i in range(n):
        h, j = (i - 1 if i > 0 else n - 1), (i + 1 if i + 1 < n else 0)
        ux = stencil[i, 0] * q[h, 0] + stencil[i, 1] * q[i, 0] + stencil[i, 2] * q[j, 0]
        uy = stencil[i, 0] * q[h, 1] + stencil[i, 1] * q[i, 1] + stencil[i, 2] * q[j, 1]
        sx = stencil[i, 3] * q[h, 0] + stencil[i, 4] * q[i, 0] + stencil[i, 5] * q[j, 0]
        sy = stencil[i, 3] * q[h, 1] + stencil[i, 4] * q[i, 1] + stencil[i, 5] * q[j, 1]
        p = np.sqrt(ux * ux + uy * uy)
        bend = (ux * sy - uy * sx) / (p * p * p)
        known[i, BEND], known[i, LONG] = bend, p
        known[i, G_T], known[i, G_Q], known[i, G_R], known[i, B_Q], known[i, B_R] = 0.0, 0.0, g, bend, down
        if len(hills) > 0:
            ca = (ux * across[i, 1] - uy * across[i, 0]) / p
            cb = (ux * across[i, 0] + uy * across[i, 1]) / p
            ahead, ahead1, _ = value_at(offset[i], hills, i, 0)
            left, left1, _ = value_at(offset[i], hills, i, 1)
            dip = value_at(offset[i], hills, i, 2)[0] * ca * ca + 2.0 * ahead1 * ca * cb + left1 * cb * cb
            rise, lean = ahead * ca + left * cb, left * ca - ahead * cb
            m2 = 1.0 + rise * rise
            n2 = m2 + lean * lean
            m1, n1 = np.sqrt(m2), np.sqrt(n2)
            known[i, LONG] = p * m1
            known[i, G_T], known[i, G_Q], known[i, G_R] = g * rise / m1, g * lean / (m1 * n1), g / n1
            known[i, B_Q] = (bend * n2 + dip * lean) / (m2 * m1 * n1)
            known[i, B_R] = dip / (m2 * n1) + down


@inlined
def value_at(x: float, rows: np.ndarray, i: int, which: int) -> tuple[float, float, float]:
    """A polynomial and two derivatives at x."""
    value = first = second = 0.0
    for k in range(rows.shape[2] - 1, -1, -1):
        second = second * x + 2.0 * first
        first = first * x + value
        value = value * x + rows[i, which, k]
    return value, first, second


@inner
@kernel
def differentiate(
    q: np.ndarray,
    offset: np.ndarray,
    across: np.ndarray,
    stencil: np.ndarray,
    edge: np.ndarray,
    hills: np.ndarray,
    car: np.ndarray,
    known: np.ndarray,
) -> None:
    """Fill `known` (n, KNOWN, ROW), the same with derivatives."""
    n = len(q)
    w, near = np.zeros((WORK, ROW)), np.empty(3, np.int64)
    for i in range(n):
        near[0], near[1], near[2] = (i - 1 if i > 0 else n - 1), i, (i + 1 if i + 1 < n else 0)
        ax, ay = across[i, 0], across[i, 1]
        w[UA : SB + 1] = 0.0
        for k in range(3):
            o, first, second = near[k], stencil[i, k], stencil[i, 3 + k]
            qa, qb = q[o, 0] * ay - q[o, 1] * ax, q[o, 0] * ax + q[o, 1] * ay
            da, db = across[o, 0] * ay - across[o, 1] * ax, across[o, 0] * ax + across[o, 1] * ay
            w[UA, 0], w[UB, 0] = w[UA, 0] + first * qa, w[UB, 0] + first * qb
            w[SA, 0], w[SB, 0] = w[SA, 0] + second * qa, w[SB, 0] + second * qb
            w[UA, 1 + k], w[UB, 1 + k], w[SA, 1 + k], w[SB, 1 + k] = (
                first * da,
                first * db,
                second * da,
                second * db,
            )
        times(w, UA, SB, ONE)
        times(w, UB, SA, TWO)
        for k in range(ROW):
            w[ONE, k] -= w[TWO, k]
        times(w, UA, UA, PLAN)
        times(w, UB, UB, TWO)
        add(w, TWO, PLAN)
        power(w, PLAN, -1.5, TWO)
        times(w, ONE, TWO, BEND)
        power(w, PLAN, 0.5, LONG)
        if len(hills) > 0:
            power(w, PLAN, -0.5, SHARE)
            climb(w, i, offset[i], edge, hills, car)
            for k in range(KNOWN):
                for o in range(ROW):
                    known[i, k, o] = w[k, o]
        else:
            for o in range(ROW):
                known[i, BEND, o] = known[i, B_Q, o] = w[BEND, o]
                known[i, LONG, o] = w[LONG, o]
            known[i, G_R, 0], known[i, B_R, 0] = car[C_GRAVITY], car[C_DOWN]


@inner
@bare
def climb(w: np.ndarray, i: int, offset: float, edge: np.ndarray, hills: np.ndarray, car: np.ndarray) -> None:
    """Fill what a knot knows of a road that rises or leans, from bend, pace and direction."""
    times(w, UA, SHARE, CA)
    times(w, UB, SHARE, CB)
    ahead, ahead1, ahead2 = value_at(offset, hills, i, 0)
    left, left1, left2 = value_at(offset, hills, i, 1)
    head, head1, head2 = value_at(offset, hills, i, 2)
    over(w, ahead, ahead1, ahead2, i, edge, AHEAD)
    over(w, left, left1, left2, i, edge, LEFT)
    over(w, head, head1, head2, i, edge, HEAD)
    over(w, ahead1, ahead2, third_at(offset, hills, i, 0), i, edge, TWIST)
    over(w, left1, left2, third_at(offset, hills, i, 1), i, edge, SIDE)
    # rise and lean of the line, and the bend of the ground along it
    times(w, AHEAD, CA, RISE)
    times(w, LEFT, CB, ONE)
    add(w, ONE, RISE)
    times(w, LEFT, CA, LEAN)
    times(w, AHEAD, CB, ONE)
    for k in range(ROW):
        w[LEAN, k] -= w[ONE, k]
    times(w, HEAD, CA, ONE)
    times(w, TWIST, CB, TWO)
    add(w, TWO, ONE)
    times(w, ONE, CA, DIP)
    times(w, TWIST, CA, ONE)
    times(w, SIDE, CB, TWO)
    add(w, TWO, ONE)
    times(w, ONE, CB, TWO)
    add(w, TWO, DIP)
    times(w, RISE, RISE, M)
    w[M, 0] += 1.0
    times(w, LEAN, LEAN, N)
    add(w, M, N)
    power(w, M, -0.5, PER_M)
    power(w, N, -0.5, PER_N)
    # length, gravity
    times(w, LONG, M, ONE)
    times(w, ONE, PER_M, LONG)
    g = car[C_GRAVITY]
    times(w, RISE, PER_M, G_T)
    times(w, LEAN, PER_M, THREE)
    times(w, THREE, PER_N, G_Q)
    for k in range(ROW):
        w[G_T, k] *= g
        w[G_Q, k] *= g
        w[G_R, k] = g * w[PER_N, k]
    # bends
    times(w, PER_M, PER_M, ONE)
    times(w, ONE, PER_N, TWO)
    times(w, DIP, TWO, B_R)
    times(w, B_R, THREE, B_Q)
    times(w, ONE, PER_M, TWO)
    times(w, N, PER_N, ONE)
    times(w, ONE, TWO, THREE)
    times(w, BEND, THREE, ONE)
    add(w, ONE, B_Q)
    w[B_R, 0] += car[C_DOWN]


@inner
@inlined
def third_at(x: float, rows: np.ndarray, i: int, which: int) -> float:
    """A polynomial's third derivative."""
    value = 0.0
    for k in range(rows.shape[2] - 1, 2, -1):
        value = value * x + k * (k - 1) * (k - 2) * rows[i, which, k]
    return value


@inner
@bare
def times(w: np.ndarray, a: int, b: int, to: int) -> None:
    """Row `to` becomes the product of the rows a and b."""
    u, v = w[a, 0], w[b, 0]
    a0, a1, a2, b0, b1, b2 = w[a, 1], w[a, 2], w[a, 3], w[b, 1], w[b, 2], w[b, 3]
    w[to, 0] = u * v
    w[to, 1], w[to, 2], w[to, 3] = u * b0 + v * a0, u * b1 + v * a1, u * b2 + v * a2
    w[to, 4] = u * w[b, 4] + v * w[a, 4] + 2.0 * a0 * b0
    w[to, 5] = u * w[b, 5] + v * w[a, 5] + a0 * b1 + a1 * b0
    w[to, 6] = u * w[b, 6] + v * w[a, 6] + a0 * b2 + a2 * b0
    w[to, 7] = u * w[b, 7] + v * w[a, 7] + 2.0 * a1 * b1
    w[to, 8] = u * w[b, 8] + v * w[a, 8] + a1 * b2 + a2 * b1
    w[to, 9] = u * w[b, 9] + v * w[a, 9] + 2.0 * a2 * b2


@inner
@bare
def add(w: np.ndarray, a: int, to: int) -> None:
    """Row a is added to row `to`."""
    for k in range(ROW):
        w[to, k] += w[a, k]


@inner
@bare
def power(w: np.ndarray, a: int, exponent: float, to: int) -> None:
    """Row `to` becomes a power of row a."""
    value = w[a, 0] ** exponent
    first = exponent * value / w[a, 0]
    second = (exponent - 1.0) * first / w[a, 0]
    a0, a1, a2 = w[a, 1], w[a, 2], w[a, 3]
    w[to, 0], w[to, 1], w[to, 2], w[to, 3] = value, first * a0, first * a1, first * a2
    w[to, 4], w[to, 5] = first * w[a, 4] + second * a0 * a0, first * w[a, 5] + second * a0 * a1
    w[to, 6], w[to, 7] = first * w[a, 6] + second * a0 * a2, first * w[a, 7] + second * a1 * a1
    w[to, 8], w[to, 9] = first * w[a, 8] + second * a1 * a2, first * w[a, 9] + second * a2 * a2


@inner
@bare
def over(w: np.ndarray, value: float, first: float, second: float, i: int, edge: np.ndarray, to: int) -> None:
    """Row `to` becomes what has these derivatives in the offset at knot i."""
    a0, a1, a2 = edge[i, 0, 0], edge[i, 0, 1], edge[i, 0, 2]
    w[to, 0], w[to, 1], w[to, 2], w[to, 3] = value, first * a0, first * a1, first * a2
    w[to, 4], w[to, 5], w[to, 6] = second * a0 * a0, second * a0 * a1, second * a0 * a2
    w[to, 7], w[to, 8], w[to, 9] = second * a1 * a1, second * a1 * a2, second * a2 * a2
