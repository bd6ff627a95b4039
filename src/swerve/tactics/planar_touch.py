"""What discs, boxes, bars and a ball do in a substep of the planar model (`planar`), one by one and in pairs.

Everything is read from one array of numbers, whose parts the names below give: a head, then the discs, the
ball, bars, boxes and grounds, then what holds between any two bodies, then what holds for each alone.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

from .friction import IMPACT, kick, resist, surface_velocity

DISCS, BALLS, BARS, BOXES, GROUNDS, BODIES, STEP, SUBSTEPS, FALL, T_LOD, LOWEST, FLOOR, HEAD = range(13)
DISC, BALL, BAR, BOX, GROUND, PAIR = 12, 8, 10, 7, 6, 7  # numbers that each has
BOUNCE, RUBS, STICKS, MEETS, NOTED, DETAIL, UPRIGHT = range(PAIR)  # of a pair of bodies


@inner
@kernel
def x_of(row: np.ndarray, disc: np.ndarray) -> float:
    return row[int(disc[0])] + disc[3]


@inner
@kernel
def y_of(row: np.ndarray, disc: np.ndarray) -> float:
    return row[int(disc[0]) + 1] + disc[4]


@inner
@kernel
def pair_of(pairs: np.ndarray, one: float, other: float, bodies: int) -> np.ndarray:
    at = (int(one) * bodies + int(other)) * PAIR
    return pairs[at : at + PAIR]


@inner
@kernel
def meet(pairs: np.ndarray, one: float, other: float, bodies: int, coarse: bool) -> bool:
    pair = pair_of(pairs, one, other, bodies)
    return pair[MEETS] > 0.0 and not (coarse and pair[DETAIL] > 0.0)


@inner
@kernel
def note(
    touch: np.ndarray, pairs: np.ndarray, alone: np.ndarray, one: float, other: float, bodies: int
) -> None:
    """Two bodies touched."""
    column = int(pair_of(pairs, one, other, bodies)[NOTED])
    if column >= 0:
        touch[column] = 1
    for who in (int(one), int(other)):
        if alone[2 * who] >= 0.0:
            touch[int(alone[2 * who])] = 1


@inner
@kernel
def move_disc(row: np.ndarray, push: np.ndarray, disc: np.ndarray, h: float) -> None:
    q, v, dof = int(disc[0]), int(disc[1]), int(disc[2])
    for axis in range(3):
        mass, damping = (disc[5], disc[9]) if axis < 2 else (disc[6], disc[10])
        row[v + axis] = (mass * row[v + axis] + h * push[dof + axis]) / (mass + h * damping)
        row[q + axis] += h * row[v + axis]


@inner
@kernel
def two_discs(row: np.ndarray, one: np.ndarray, other: np.ndarray, pair: np.ndarray) -> bool:
    dx, dy = x_of(row, other) - x_of(row, one), y_of(row, other) - y_of(row, one)
    reach = one[7] + other[7]
    if abs(dx) >= reach or abs(dy) >= reach:  # as mostly
        return False
    apart = np.hypot(dx, dy)
    depth = reach - apart
    if depth <= 0.0:
        return False
    nx, ny = dx / max(apart, 1e-9), dy / max(apart, 1e-9)
    v, ov = int(one[1]), int(other[1])
    closing = (row[v] - row[ov]) * nx + (row[v + 1] - row[ov + 1]) * ny
    if closing > 0.0:
        impulse = (1.0 + pair[BOUNCE]) * closing / (1.0 / one[5] + 1.0 / other[5])
        row[v] -= impulse * nx / one[5]
        row[v + 1] -= impulse * ny / one[5]
        row[ov] += impulse * nx / other[5]
        row[ov + 1] += impulse * ny / other[5]
    return True


@inner
@kernel
def disc_back(
    row: np.ndarray, disc: np.ndarray, depth: float, nx: float, ny: float, bounce: float, away: float
) -> None:
    """Off something that does not move, or at the speed `away`."""
    q, v = int(disc[0]), int(disc[1])
    closing = row[v] * nx + row[v + 1] * ny - away
    if closing > 0.0:
        row[v] -= (1.0 + bounce) * closing * nx
        row[v + 1] -= (1.0 + bounce) * closing * ny
    row[q] -= 0.2 * depth * nx
    row[q + 1] -= 0.2 * depth * ny


@inner
@kernel
def off_box(x: float, y: float, radius: float, box: np.ndarray) -> bool:
    """Whether a circle is surely outside a box, as most are of most; quicker to tell than how deep it is."""
    across = box[0] - x >= radius or x - box[2] >= radius
    return across or box[1] - y >= radius or y - box[3] >= radius


@inner
@kernel
def into_box(
    x: float, y: float, radius: float, x0: float, y0: float, x1: float, y1: float
) -> tuple[float, float, float]:
    """How deep a circle is in a box, and the direction from the circle into it."""
    px, py = min(max(x, x0), x1), min(max(y, y0), y1)
    dx, dy = px - x, py - y
    apart = np.hypot(dx, dy)
    if apart > 1e-12:
        return radius - apart, dx / apart, dy / apart
    left, right, below, above = x - x0, x1 - x, y - y0, y1 - y
    least = min(min(left, right), min(below, above))
    if least == left:
        return radius + left, 1.0, 0.0
    if least == right:
        return radius + right, -1.0, 0.0
    if least == below:
        return radius + below, 0.0, 1.0
    return radius + above, 0.0, -1.0


@inner
@kernel
def into_bar(
    row: np.ndarray, bar: np.ndarray, x: float, y: float, radius: float
) -> tuple[float, float, float]:
    angle = row[int(bar[0])]
    c, s = np.cos(angle), np.sin(angle)
    dx, dy = x - bar[3], y - bar[4]
    depth, nx, ny = into_box(c * dx + s * dy, c * dy - s * dx, radius, -bar[5], -bar[6], bar[5], bar[6])
    return depth, c * nx - s * ny, s * nx + c * ny


@inner
@kernel
def bar_velocity(row: np.ndarray, bar: np.ndarray, x: float, y: float) -> tuple[float, float]:
    rate = row[int(bar[1])]
    return -rate * (y - bar[4]), rate * (x - bar[3])


@inner
@kernel
def move_ball(row: np.ndarray, push: np.ndarray, ball: np.ndarray, h: float, fall: float) -> None:
    q, v, dof, mass = int(ball[0]), int(ball[1]), int(ball[2]), ball[3]
    inertia = 0.4 * mass * ball[4] * ball[4]
    for axis in range(3):
        weight = -mass * fall if axis == 2 else 0.0
        row[v + axis] = (mass * row[v + axis] + h * (push[dof + axis] + weight)) / (mass + h * ball[6])
        row[q + axis] += h * row[v + axis]
        if axis < 2:
            row[q + axis] -= 0.5 * h * h * push[dof + axis] / mass
        row[v + 3 + axis] = (inertia * row[v + 3 + axis] + h * push[dof + 3 + axis]) / (inertia + h * ball[7])


@inner
@kernel
def on_ground(
    row: np.ndarray,
    touch: np.ndarray,
    ball: np.ndarray,
    about: np.ndarray,
    ground_at: int,
    grounds: int,
    pairs: np.ndarray,
    alone: np.ndarray,
    bodies: int,
    h: float,
) -> None:
    """The ball lies or lands on what is below its middle, and rubs on it; in a pit, its sides hold it."""
    q, v, mass, radius = int(ball[0]), int(ball[1]), ball[3], ball[4]
    top, who = about[LOWEST], int(about[FLOOR])
    for i in range(grounds):
        ground = about[ground_at + i * GROUND : ground_at + (i + 1) * GROUND]
        if row[q + 2] < ground[4]:
            depth, nx, ny = into_box(row[q], row[q + 1], radius, ground[0], ground[1], ground[2], ground[3])
            if depth > 0.0:
                bounce_ball(
                    row, ball, depth, nx, ny, 0.0, 0.0, 0.0, pair_of(pairs, ball[5], ground[5], bodies)
                )
        elif ground[0] <= row[q] <= ground[2] and ground[1] <= row[q + 1] <= ground[3] and ground[4] > top:
            top, who = ground[4], int(ground[5])
    if row[q + 2] - radius > top or row[v + 2] > 0.0 or who < 0:
        return
    pair = pair_of(pairs, ball[5], float(who), bodies)
    approach = -row[v + 2]
    rebound = pair[BOUNCE] if approach > IMPACT else 0.0
    impulse = (1.0 + rebound) * mass * approach
    row[v + 2], row[q + 2] = rebound * approach, top + radius
    bx, by = row[v], row[v + 1]
    if alone[2 * who + 1] > 0.0:
        resist(row, q, v, mass, radius, alone[2 * who + 1] * impulse)
    _rub(row, q, v, mass, radius, 0.0, 0.0, -1.0, 0.0, 0.0, impulse, pair)
    row[q] += 0.5 * h * (row[v] - bx)
    row[q + 1] += 0.5 * h * (row[v + 1] - by)
    note(touch, pairs, alone, ball[5], float(who), bodies)


@inner
@kernel
def ball_on_disc(row: np.ndarray, ball: np.ndarray, disc: np.ndarray, pair: np.ndarray) -> bool:
    q, ov = int(ball[0]), int(disc[1])
    if row[q + 2] > disc[11]:
        return False
    dx, dy = x_of(row, disc) - row[q], y_of(row, disc) - row[q + 1]
    reach = disc[7] + ball[4]
    if abs(dx) >= reach or abs(dy) >= reach:
        return False
    apart = np.hypot(dx, dy)
    depth = reach - apart
    if depth <= 0.0:
        return False
    nx, ny = dx / max(apart, 1e-9), dy / max(apart, 1e-9)
    spin = disc[7] * row[ov + 2]  # of its skin, across
    impulse = bounce_ball(
        row, ball, depth, nx, ny, row[ov] + spin * ny, row[ov + 1] - spin * nx, 1.0 / disc[5], pair
    )
    row[ov] += impulse * nx / disc[5]
    row[ov + 1] += impulse * ny / disc[5]
    return True


@inner
@kernel
def bounce_ball(
    row: np.ndarray,
    ball: np.ndarray,
    depth: float,
    nx: float,
    ny: float,
    ox: float,
    oy: float,
    mobility: float,
    pair: np.ndarray,
) -> float:
    """The ball meets something at its side, towards n, whose surface moves at o; gives the impulse."""
    q, v, mass, radius = int(ball[0]), int(ball[1]), ball[3], ball[4]
    approach = (row[v] - ox) * nx + (row[v + 1] - oy) * ny
    back, impulse = depth, 0.0
    if approach > 0.0:
        rebound = pair[BOUNCE] if approach > IMPACT else 0.0
        impulse = (1.0 + rebound) * approach / (1.0 / mass + mobility)
        row[v] -= impulse * nx / mass
        row[v + 1] -= impulse * ny / mass
        back *= 1.0 + rebound
        _rub(row, q, v, mass, radius, nx, ny, 0.0, ox, oy, impulse, pair)
    row[q] -= back * nx
    row[q + 1] -= back * ny
    return impulse


@inner
@kernel
def _rub(
    row: np.ndarray,
    q: int,
    v: int,
    mass: float,
    radius: float,
    nx: float,
    ny: float,
    nz: float,
    ox: float,
    oy: float,
    impulse: float,
    pair: np.ndarray,
) -> None:
    """Coulomb's friction at the point n of the ball, as in `friction`."""
    ax, ay, az = radius * nx, radius * ny, radius * nz
    ux, uy, uz = surface_velocity(row, q, v, ax, ay, az)
    sx, sy, sz = ux - ox, uy - oy, uz
    along = sx * nx + sy * ny + sz * nz
    sx, sy, sz = sx - along * nx, sy - along * ny, pair[UPRIGHT] * (sz - along * nz)
    slip = np.sqrt(sx * sx + sy * sy + sz * sz)
    if slip < 1e-12 or pair[STICKS] <= 0.0:
        return
    needed = 2.0 / 7.0 * mass * slip
    share = -(needed if needed <= pair[STICKS] * impulse else pair[RUBS] * impulse) / slip
    kick(row, q, v, mass, radius, ax, ay, az, share * sx, share * sy, share * sz)
