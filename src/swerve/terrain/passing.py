"""What a step of a profile passes on in reverse: the weight of a speed to its neighbour and to the points.

Every x = v² is held by one constraint G(x, f; point) = 0, at one end of the step that led to it; a step that
one acceleration alone allows holds two. Differentiating G gives what each has from others (see `gradient`).
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import YES, bare, inlined, inner

from .limits import STEP, UNBOUNDED, side_and_normal
from .steps import drive_at
from .topmost import top_of_set
from .vehicle import BRAKE, DRAG, TIP, TOP

SAME = 1e-9  # relative; closer numbers came from the same place
STEEPEST = 1e3  # bound on what one step passes on


@inlined
def only_one(i: int, limit: np.ndarray, ceiling: np.ndarray, x: np.ndarray) -> bool:
    """Whether the step from point i can be made with one acceleration alone: it starts as fast as the rest of
    the path allows, slower than the point itself would, and still ends below that."""
    return ceiling[i] * (1.0 - SAME) <= x[i] < limit[i] * (1.0 - SAME)


@inner
@bare
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
