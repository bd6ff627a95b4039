"""A lap as one function of its line and its speeds, and what limits both.

The line is a cubic B-spline over knots that are even along the centre line; its coefficients are moved by d_i
to the left. With x_i = v² at the knots, the step from one knot to the next takes S/(v₀ + v₁), S being twice
its length, at the acceleration a = (x₁ − x₀)/S. The limits of `limits` hold at both ends of a step. How the
road rises, leans and bends under a knot follows from where its line is and where it leads (`lap_knots`).

Limits are written g ≥ 0, each of order one: rows of `slack` (n, LIMITS). `lap_slopes` has the derivatives.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, kernel

# limits of a step: grip at its start and end, drive, brakes, steering rate to the left and right
GRIP_START, GRIP_END, DRIVE, BRAKES, RATE_LEFT, RATE_RIGHT = range(6)
# limits of a knot: edges of the road there and half-way to the next, top speed, steering angle, tip-over
RIGHT_EDGE, LEFT_EDGE, RIGHT_HALF, LEFT_HALF, FASTEST, STEER_LEFT, STEER_RIGHT, TIP_LEFT, TIP_RIGHT = range(
    6, 15
)
LIMITS = 15
# entries of the car; grip is the square of friction, down the force on the wheels at v² = 1, over mass, and
# tip the load over the side force at which the wheels of one side lift, zero where that is not asked
C_DRAG, C_BRAKE, C_SCALE, C_TOP, C_BEND, C_RATE, C_GRIP, C_GRAVITY, C_DOWN, C_TIP = range(10)
# what a knot knows: the line's bend from above, its length to a knot, gravity along, across and into the
# ground, and what comes with v²: the side force, which is the bend along the ground, and the load
BEND, LONG, G_T, G_Q, G_R, B_Q, B_R = range(7)
KNOWN = 7
DRIVE_STEP = 25.0  # [m²/s²] between entries of the drive over v²
FORCE = 5.0  # [m/s²] unit of drive and brakes


@inlined
def drive_of(x: float, table: np.ndarray) -> tuple[float, float, float]:
    """Largest drive over mass at v² = x with two derivatives, by quadratic B-splines over the table."""
    at = min(max(x / DRIVE_STEP, 0.0), len(table) - 2.001)
    k = int(at + 0.5)
    t = at - k
    a, b, c = table[max(k - 1, 0)], table[k], table[k + 1]
    value = 0.5 * (0.5 - t) ** 2 * a + (0.75 - t * t) * b + 0.5 * (0.5 + t) ** 2 * c
    first = ((t - 0.5) * a - 2.0 * t * b + (t + 0.5) * c) / DRIVE_STEP
    return value, first, (a - 2.0 * b + c) / DRIVE_STEP**2


@kernel
def see_offsets(d: np.ndarray, edge: np.ndarray, offset: np.ndarray) -> None:
    """Fill `offset` (n, 2), the line's place across the road at knots and half-way to the next, of d (n,);
    `edge` (n, 2, 4) are the shares of the d before, here and at the next two."""
    n = len(d)
    for i in range(n):
        for half in range(2):
            total = 0.0
            for k in range(4):
                total += edge[i, half, k] * d[(i - 1 + k) % n]
            offset[i, half] = total


@kernel
def slacks(
    known: np.ndarray,
    x: np.ndarray,
    offset: np.ndarray,
    room: np.ndarray,
    car: np.ndarray,
    table: np.ndarray,
    closed: bool,
    slack: np.ndarray,
) -> float:
    """Fill `slack` (n, LIMITS), one where a limit is not asked for; the time [s], or a negative number when a
    limit is broken. `known` (n, KNOWN) is of the knots, `offset` (n, 2) the line's place across the road at
    knots and half-way to the next, `room` (n, 4) its least and largest values at both."""
    n = len(x)
    time = 0.0
    slack[:] = 1.0
    fine = True
    for i in range(n):
        fine = fine and x[i] >= 0.0
        slack[i, RIGHT_EDGE], slack[i, LEFT_EDGE] = offset[i, 0] - room[i, 0], room[i, 1] - offset[i, 0]
        if closed or i + 1 < n:
            slack[i, RIGHT_HALF], slack[i, LEFT_HALF] = offset[i, 1] - room[i, 2], room[i, 3] - offset[i, 1]
        slack[i, FASTEST] = (car[C_TOP] - x[i]) / car[C_TOP]
        slack[i, STEER_LEFT] = 1.0 - known[i, BEND] / car[C_BEND]
        slack[i, STEER_RIGHT] = 1.0 + known[i, BEND] / car[C_BEND]
        if car[C_TIP] > 0.0:
            side = car[C_TIP] * (known[i, G_Q] + known[i, B_Q] * x[i])
            load = known[i, G_R] + known[i, B_R] * x[i]
            slack[i, TIP_LEFT], slack[i, TIP_RIGHT] = (
                (load - side) / car[C_GRAVITY],
                (load + side) / car[C_GRAVITY],
            )
    if not fine:
        return -1.0
    for i in range(n if closed else n - 1):
        j = i + 1 if i + 1 < n else 0
        s = known[i, LONG] + known[j, LONG]
        a = (x[j] - x[i]) / s
        for k, at in ((GRIP_START, i), (GRIP_END, j)):
            f = a + known[at, G_T] + car[C_DRAG] * x[at]
            side = known[at, G_Q] + known[at, B_Q] * x[at]
            load = known[at, G_R] + known[at, B_R] * x[at]
            slack[i, k] = (car[C_GRIP] * load * load - f * f - side * side) / car[C_SCALE]
            fine = fine and load > 0.0
        xm = 0.5 * (x[i] + x[j])
        f = a + 0.5 * (known[i, G_T] + known[j, G_T]) + car[C_DRAG] * xm
        slack[i, DRIVE] = (drive_of(xm, table)[0] - f) / FORCE
        slack[i, BRAKES] = (car[C_BRAKE] + f) / FORCE
        turn = 2.0 * (known[j, BEND] - known[i, BEND]) * np.sqrt(xm) / (s * car[C_RATE])
        slack[i, RATE_LEFT], slack[i, RATE_RIGHT] = 1.0 - turn, 1.0 + turn
        time += s / (np.sqrt(x[i]) + np.sqrt(x[j]))
    if not fine or slack.min() <= 0.0:
        return -1.0
    return time
