"""How the cost of a path changes with its control points: the profile run in reverse, then its geometry.

After a sweep every x = v² is held by one constraint: the limit of its own point, or one constraint at one end
of the step that led to it by driving, or that follows by braking. Each is an equation G(x, f; point) = 0, and
differentiating it passes the influence on to the neighbour and to the point's slopes and curvatures, once
along the path. From the points the chain leads through place, first and second derivative of the B-spline to
its control points. The body's angle is taken as fixed. A gradient costs about as much as two profiles,
whatever the number of unknowns. It holds for the fastest speeds, not for those that save energy.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import NO, YES, inlined, inner, kernel

from .costs import DISTANCE, EXPOSURE, TIME
from .fences import distance_at
from .limits import STEP, UNBOUNDED, side_and_normal, top_of_set
from .path import row_at
from .regions import Ground, between
from .steps import drive_at
from .surface import weights as spline_weights
from .sweep import FINE, STEERS
from .vehicle import BRAKE, DRAG, FRICTION, GRAVITY, HALF_LENGTH, LEAST_LOAD, TIP, TOP

SAME = 1e-9  # relative; closer numbers came from the same place
STEEPEST = 1e3  # bound on what one step passes on


@inner
@kernel
def influence(
    rows: np.ndarray,
    where: np.ndarray,
    points: np.ndarray,
    limit: np.ndarray,
    ceiling: np.ndarray,
    x: np.ndarray,
    mark: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    weights: np.ndarray,
    ground: Ground,
    violation: float,
    to_point: np.ndarray,
    to_step: np.ndarray,
    seconds: np.ndarray,
) -> None:
    """Fill ∂J/∂(g·k_t, g·k_q, c_q, g·k_r, c_r) into columns 0 to 4 of `to_point` (n, 8), ∂J/∂step and the
    time of every step; `violation` weighs what cannot be driven."""
    n = len(rows)
    to_point[:] = 0.0
    to_x = np.zeros(n)
    for i in range(n - 1):
        length = rows[i, STEP]
        v, w = np.sqrt(x[i]), np.sqrt(x[i + 1])
        pace = max(v + w, 1e-9)
        second = weights[TIME]
        if ground.exposure.size > 1 and weights[EXPOSURE] > 0.0:
            second += weights[EXPOSURE] * between(where[i, 0], where[i, 1], ground.exposure, ground.frame)
        took = 2.0 * length / pace
        seconds[i] = took
        to_step[i] = second * took / length + weights[DISTANCE]
        to_x[i] -= second * took / pace / (2.0 * max(v, 1e-6))
        to_x[i + 1] -= second * took / pace / (2.0 * max(w, 1e-6))
    seconds[n - 1] = to_step[n - 1] = 0.0
    to_x[0] = 0.0 if x[0] < limit[0] else to_x[0]
    for j in range(n - 1, 0, -1):
        below = x[j] < ceiling[j] * (1.0 - SAME) and mark[j] == FINE and mark[j - 1] == FINE
        if below and not only_one(j - 1, limit, ceiling, x):
            pass_on(j - 1, j, YES, rows, points, x, car, drive, to_x, to_point, to_step)
    for i in range(n - 1):
        if mark[i] != FINE or x[i] < ceiling[i] * (1.0 - SAME):
            continue
        if x[i] < limit[i] * (1.0 - SAME):
            if mark[i + 1] == FINE and x[i + 1] < ceiling[i + 1] * (1.0 - SAME):
                pass_both(i, i + 1, rows, points, x, car, drive, to_x, to_point, to_step)
            elif mark[i + 1] == FINE:
                pass_on(i, i + 1, NO, rows, points, x, car, drive, to_x, to_point, to_step)
        elif limit[i] < min(car[TOP], UNBOUNDED) * (1.0 - SAME):
            at_limit(i, limit[i], points, car, drive, to_x[i], to_point)
    hold = min(car[TIP] * (1.0 - car[LEAST_LOAD] / car[GRAVITY]), car[FRICTION])
    for i in range(n):
        if mark[i] == FINE or points[i, 3] <= 0.0:
            continue
        side = 1.0 if points[i, 1] > 0.0 else -1.0
        tilt = abs(points[i, 1]) / points[i, 3]
        if tilt > hold:
            to_point[i, 1] += violation * rows[i, STEP] * 20.0 * side / points[i, 3]
            to_point[i, 3] -= violation * rows[i, STEP] * 20.0 * tilt / points[i, 3]
        if mark[i] == STEERS:
            side = 1.0 if points[i, 6] > 0.0 else -1.0
            to_point[i, 2] += violation * rows[i, STEP] * 10.0 * side * car[HALF_LENGTH]


@inlined
def only_one(i: int, limit: np.ndarray, ceiling: np.ndarray, x: np.ndarray) -> bool:
    """Whether the step from point i can be made with one acceleration alone: it starts as fast as the rest of
    the path allows, slower than the point itself would, and still ends below that."""
    return ceiling[i] * (1.0 - SAME) <= x[i] < limit[i] * (1.0 - SAME)


@inner
@kernel
def at_limit(
    i: int,
    base: float,
    points: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    weight: float,
    to_point: np.ndarray,
) -> None:
    """Pass the weight of a v² that its own point limits on to the point's side slope, bends and tilt."""
    top = min(car[TOP], UNBOUNDED)
    for column in range(1, 5):
        shift = 1e-7 if column == 2 or column == 4 else 1e-6
        points[i, column] += shift
        moved = top_of_set(points, i, drive[0], car[BRAKE], car[TIP], top)
        points[i, column] -= shift
        slope = weight * (moved - base) / shift
        if moved > 0.0:
            to_point[i, column] += slope


@inlined
def pass_on(
    i: int,
    j: int,
    driven: bool,
    rows: np.ndarray,
    points: np.ndarray,
    x: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    to_x: np.ndarray,
    to_point: np.ndarray,
    to_step: np.ndarray,
) -> None:
    """Pass the weight of x[j] on to x[i] and the points (driven), or that of x[i] on to x[j] (braked)."""
    two = 2.0 * rows[i, STEP]
    a = (x[j] - x[i]) / two
    end = i
    slack, by_f, by_q, by_r, by_x = held_by(i, a, driven, not driven, points, x, car, drive)
    other = held_by(j, a, driven, not driven, points, x, car, drive)
    if other[0] < slack:
        end = j
        slack, by_f, by_q, by_r, by_x = other
    own = by_f * car[DRAG] + by_x
    ahead, behind = by_f / two, -by_f / two
    if end == j:
        ahead += own
    else:
        behind += own
    target, source = (j, i) if driven else (i, j)
    held, given = (ahead, behind) if driven else (behind, ahead)
    weight = to_x[target]
    if abs(held) < 1e-12 or abs(weight) > 1e12:
        return
    share = -weight / held
    passed = share * given
    most = STEEPEST * abs(weight)
    to_x[source] += min(max(passed, -most), most)
    to_points(end, share, by_f, by_q, by_r, x, to_point)
    to_step[i] -= share * by_f * a / rows[i, STEP]


@inlined
def pass_both(
    i: int,
    j: int,
    rows: np.ndarray,
    points: np.ndarray,
    x: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    to_x: np.ndarray,
    to_point: np.ndarray,
    to_step: np.ndarray,
) -> None:
    """Pass the weights of x[i] and x[j] on to their points alone: a step that only one acceleration allows
    holds both speeds, by one constraint at either end."""
    two = 2.0 * rows[i, STEP]
    a = (x[j] - x[i]) / two
    _, f_i, q_i, r_i, x_i = held_by(i, a, YES, YES, points, x, car, drive)
    _, f_j, q_j, r_j, x_j = held_by(j, a, YES, YES, points, x, car, drive)
    own_i, own_j = f_i * car[DRAG] + x_i, f_j * car[DRAG] + x_j
    ii, ij, ji, jj = own_i - f_i / two, f_i / two, -f_j / two, own_j + f_j / two
    whole = ii * jj - ij * ji
    if abs(whole) < 1e-9 * (abs(ii * jj) + abs(ij * ji)) or whole == 0.0:
        return
    share_i = -(to_x[i] * jj - to_x[j] * ji) / whole
    share_j = -(to_x[j] * ii - to_x[i] * ij) / whole
    to_points(i, share_i, f_i, q_i, r_i, x, to_point)
    to_points(j, share_j, f_j, q_j, r_j, x, to_point)
    to_step[i] -= (share_i * f_i + share_j * f_j) * a / rows[i, STEP]


@inlined
def to_points(
    k: int, share: float, by_f: float, by_q: float, by_r: float, x: np.ndarray, to_point: np.ndarray
) -> None:
    """Add the influence of a point on the constraint that it holds."""
    to_point[k, 0] += share * by_f
    to_point[k, 1] += share * by_q
    to_point[k, 2] += share * by_q * x[k]
    to_point[k, 3] += share * by_r
    to_point[k, 4] += share * by_r * x[k]


@inlined
def held_by(
    k: int,
    a: float,
    drives: bool,
    brakes: bool,
    points: np.ndarray,
    x: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
) -> tuple[float, float, float, float, float]:
    """The constraint nearest to holding a point at acceleration a: its slack, and how it changes with the
    force along the path, the side force, the load and, beside these, with x."""
    beta, mu = car[TIP], points[k, 5]
    q, r = side_and_normal(x[k], points, k)
    f = a + points[k, 0] + car[DRAG] * x[k]
    tightest, by_f, by_q, by_r, by_x = 1e30, 0.0, 0.0, 0.0, 0.0
    if drives:
        push = drive_at(x[k], drive)
        tightest, by_f = push - f, 1.0
        by_x = -(drive_at(x[k] + 1e-3, drive) - push) / 1e-3
    if brakes and f + car[BRAKE] < tightest:
        tightest, by_f, by_x = f + car[BRAKE], -1.0, 0.0
    slack = max(mu * r, 1e-9) - np.sqrt(f * f + q * q)
    if slack < tightest:
        tightest = slack
        by_f, by_q, by_r = 2.0 * f, 2.0 * q, -2.0 * mu * mu * r
        by_x = by_q * points[k, 2] + by_r * points[k, 4]
    if beta < 1e6:
        lean = f * points[k, 6] + q * points[k, 7]
        slack = beta * r - abs(lean)
        if slack < tightest:
            tightest = slack
            sign = 1.0 if lean > 0.0 else -1.0
            by_f, by_q, by_r = sign * points[k, 6], sign * points[k, 7], -beta
            by_x = by_q * points[k, 2] + by_r * points[k, 4]
    if points[k, 8] > 0.0 or points[k, 9] > 0.0:
        s, c, pitch, least = points[k, 6], points[k, 7], points[k, 8], points[k, 9]
        along, across = pitch * (f * c - q * s), (f * s + q * c) / beta if least > 0.0 else 0.0
        slack = r - least - abs(along) - abs(across)
        if slack < tightest:
            tightest = slack
            front = pitch if along > 0.0 else -pitch
            left = 0.0
            if least > 0.0:
                left = 1.0 / beta if across > 0.0 else -1.0 / beta
            by_f, by_q, by_r = front * c + left * s, left * c - front * s, -1.0
            by_x = by_q * points[k, 2] + by_r * points[k, 4]
    return tightest, by_f, by_q, by_r, by_x


@inner
@kernel
def to_controls(
    at: np.ndarray,
    controls: np.ndarray,
    rows: np.ndarray,
    free: np.ndarray,
    ground: Ground,
    car: np.ndarray,
    weights: np.ndarray,
    clearance: float,
    intrusion: float,
    to_point: np.ndarray,
    to_step: np.ndarray,
    seconds: np.ndarray,
    out: np.ndarray,
) -> None:
    """From ∂J/∂points and ∂J/∂step to ∂J/∂controls (m, 2), with what lies in the way of the body."""
    n, m = len(at), len(controls)
    g = car[GRAVITY]
    extent, exposure = ground.frame, ground.exposure
    edges, starts, members, frame = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
    out[:] = 0.0
    v = np.empty(6)
    d = np.empty(6)
    for i in range(n):
        k = min(int(at[i]), m - 2)
        b, e, c = spline_weights(at[i] - k)
        ax, ay = controls[k, 0], controls[k, 1]
        bx, by = controls[k + 1, 0], controls[k + 1, 1]
        lx, ly = (controls[k - 1, 0], controls[k - 1, 1]) if k > 0 else (2 * ax - bx, 2 * ay - by)
        hx, hy = (controls[k + 2, 0], controls[k + 2, 1]) if k + 2 < m else (2 * bx - ax, 2 * by - ay)
        for t, (w0, w1, w2, w3) in enumerate((b, e, c)):
            v[2 * t] = w0 * lx + w1 * ax + w2 * bx + w3 * hx
            v[2 * t + 1] = w0 * ly + w1 * ay + w2 * by + w3 * hy
        before = at[i] - at[i - 1] if i > 0 else 0.0
        after = at[i + 1] - at[i] if i < n - 1 else 0.0
        back = to_step[i - 1] if i > 0 else 0.0
        on = to_step[i] if i < n - 1 else 0.0
        to_pace = 0.5 * (back * before + on * after)
        to_stretch = (on * after * after - back * before * before) / 12.0
        near = free[i] < clearance
        base = 0.0
        for t in range(-1, 6):
            shift = 0.0
            if t >= 0:
                shift = 1e-4 if t < 2 else 1e-6 * (1.0 + abs(v[t]))
                v[t] += shift
            kt, kq, kr, cq, cr, pace, stretch, _, _, _, _, _, _, _ = row_at(
                v[0], v[1], v[2], v[3], v[4], v[5], ground.coefficients, extent
            )
            value = g * (to_point[i, 0] * kt + to_point[i, 1] * kq + to_point[i, 3] * kr)
            value += to_point[i, 2] * cq + to_point[i, 4] * cr + to_pace * pace + to_stretch * stretch
            if t < 2 and weights[EXPOSURE] > 0.0 and exposure.size > 1:
                value += weights[EXPOSURE] * seconds[i] * between(v[0], v[1], exposure, extent)
            if near and t < 2:
                gap = distance_at(v[0], v[1], edges, starts, members, frame)
                steep = 0.02 if free[i] > 0.05 else 0.12
                value -= intrusion * rows[i, STEP] * steep * gap
            if t < 0:
                base = value
            else:
                v[t] -= shift
                d[t] = (value - base) / shift
        for t in range(4):
            weigh_x = d[0] * b[t] + d[2] * e[t] + d[4] * c[t]
            weigh_y = d[1] * b[t] + d[3] * e[t] + d[5] * c[t]
            row = k - 1 + t
            if row < 0:  # 2·first − second
                out[0, 0] += 2 * weigh_x
                out[0, 1] += 2 * weigh_y
                out[1, 0] -= weigh_x
                out[1, 1] -= weigh_y
            elif row >= m:
                out[m - 1, 0] += 2 * weigh_x
                out[m - 1, 1] += 2 * weigh_y
                out[m - 2, 0] -= weigh_x
                out[m - 2, 1] -= weigh_y
            else:
                out[row, 0] += weigh_x
                out[row, 1] += weigh_y
