"""What touches what: ball and robots, robots and robots, both and the walls. Impulses keep momentum.

A robot is a disc with a flat front. All here is for world `b` of a batch, in place.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner

from .field import GOAL_DEPTH, GOAL_HALF, HALF_LENGTH, HALF_WIDTH, MARGIN
from .model import (
    BALL_MASS,
    BALL_RADIUS,
    BETWEEN,
    BVX,
    BVY,
    BVZ,
    CHIP,
    CHIP_ANGLE,
    DAMPED,
    DRIBBLE,
    FACE,
    FRONT,
    FRONT_HALF,
    GRIP,
    HEADING,
    HELD,
    KICK,
    KICK_SPEED,
    KICKER,
    LAST_TOUCH,
    MOUTH,
    REACH,
    ROBOT_HEIGHT,
    ROBOT_MASS,
    ROBOT_RADIUS,
    SHELL,
    SPIN,
    UX,
    UY,
    VX,
    VY,
    WALL,
    X,
    Y,
    Z,
)

DOME = 0.01  # [m/s] outwards that a ball gets from every touch of a lid
TOUCHED, KICKED = np.uint8(1), np.uint8(2)  # what a robot did with the ball in a frame
DROP = 40.0  # [1/s] how fast a dribbler draws the ball to the middle of its mouth


@inner
@bare
def in_mouth(robots: np.ndarray, b: int, i: int, ball: np.ndarray) -> bool:
    """Whether the ball lies where dribbler and kicker of a robot act on it."""
    dx, dy = ball[b, X] - robots[b, i, X], ball[b, Y] - robots[b, i, Y]
    if dx * dx + dy * dy > 0.02:
        return False
    c, s = np.cos(robots[b, i, HEADING]), np.sin(robots[b, i, HEADING])
    ahead, aside = c * dx + s * dy, c * dy - s * dx
    return ball[b, Z] < 0.04 and FRONT < ahead < HELD + REACH and abs(aside) < MOUTH


@bare
def handle(
    robots: np.ndarray,
    ball: np.ndarray,
    commands: np.ndarray,
    b: int,
    i: int,
    h: float,
    touched: np.ndarray,
    notes: np.ndarray,
) -> bool:
    """Kick, chip or dribble the ball if it is at the front of robot `i`; whether a dribbler holds it. A
    kicker fires once a frame."""
    if not in_mouth(robots, b, i, ball):
        return False
    c, s = np.cos(robots[b, i, HEADING]), np.sin(robots[b, i, HEADING])
    kick, chip = commands[b, i, KICK], commands[b, i, CHIP]
    if kick > 0.0 or chip > 0.0:
        if touched[b, i] == KICKED:
            return False
        hit = min(max(kick, chip), KICK_SPEED)
        up = hit * np.sin(CHIP_ANGLE) if chip > 0.0 else 0.0
        flat = hit * np.cos(CHIP_ANGLE) if chip > 0.0 else hit
        ball[b, BVX] = robots[b, i, VX] + flat * c
        ball[b, BVY] = robots[b, i, VY] + flat * s
        ball[b, BVZ] = up
        ball[b, UX] = ball[b, UY] = 0.0
        touched[b, i] = KICKED
        notes[b, LAST_TOUCH] = notes[b, KICKER] = i
        return False
    if commands[b, i, DRIBBLE] <= 0.0:
        return False
    dx, dy = ball[b, X] - robots[b, i, X], ball[b, Y] - robots[b, i, Y]
    ahead, aside = c * dx + s * dy, c * dy - s * dx
    draw, slide = -DROP * (ahead - HELD), -DROP * aside
    want_x = robots[b, i, VX] - robots[b, i, SPIN] * dy + draw * c - slide * s
    want_y = robots[b, i, VY] + robots[b, i, SPIN] * dx + draw * s + slide * c
    ax, ay = want_x - ball[b, BVX], want_y - ball[b, BVY]
    size = np.hypot(ax, ay)
    share = min(1.0, GRIP * h / max(size, 1e-12))
    ball[b, BVX] += share * ax
    ball[b, BVY] += share * ay
    ball[b, UX], ball[b, UY] = ball[b, BVX], ball[b, BVY]
    touched[b, i] = max(touched[b, i], TOUCHED)
    notes[b, LAST_TOUCH] = i
    return True


@inner
@bare
def overlap(robots: np.ndarray, ball: np.ndarray, b: int, i: int) -> tuple[float, float, float, float]:
    """How deep [m] a ball reaches into robot `i`, the direction out of it, and how it bounces off there;
    0 or less where it does not."""
    dx, dy = ball[b, X] - robots[b, i, X], ball[b, Y] - robots[b, i, Y]
    far = ROBOT_RADIUS + BALL_RADIUS
    if dx * dx + dy * dy >= far * far or ball[b, Z] >= ROBOT_HEIGHT:
        return -1.0, 0.0, 0.0, 0.0
    c, s = np.cos(robots[b, i, HEADING]), np.sin(robots[b, i, HEADING])
    ahead, aside = c * dx + s * dy, c * dy - s * dx
    bounce = SHELL
    if ahead > 0.0 and abs(aside) <= FRONT_HALF * ahead / FRONT:  # before the flat front
        out_a, out_b = ahead - FRONT, aside - min(max(aside, -FRONT_HALF), FRONT_HALF)
        gap = np.hypot(out_a, out_b)
        if ahead <= FRONT or gap < 1e-9:
            na, nb, deep = 1.0, 0.0, HELD - ahead
        else:
            na, nb, deep = out_a / gap, out_b / gap, BALL_RADIUS - gap
        bounce = FACE
    else:
        gap = max(np.hypot(ahead, aside), 1e-9)
        na, nb, deep = ahead / gap, aside / gap, far - gap
    return deep, c * na - s * nb, s * na + c * nb, bounce


@bare
def strike(
    robots: np.ndarray,
    ball: np.ndarray,
    b: int,
    i: int,
    damped: bool,
    touched: np.ndarray,
    notes: np.ndarray,
) -> None:
    """Throw the ball off robot `i` where it has run into it."""
    deep, nx, ny, bounce = overlap(robots, ball, b, i)
    if deep <= 0.0:
        return
    dx, dy = ball[b, X] - robots[b, i, X], ball[b, Y] - robots[b, i, Y]
    touched[b, i] = max(touched[b, i], TOUCHED)
    notes[b, LAST_TOUCH] = i
    if ball[b, BVZ] < 0.0 and ball[b, Z] > ROBOT_HEIGHT - 0.03 and dx * dx + dy * dy < ROBOT_RADIUS**2:
        ball[b, Z], ball[b, BVZ] = ROBOT_HEIGHT, -0.5 * ball[b, BVZ]  # it landed on the lid, a little domed
        away = max(np.sqrt(dx * dx + dy * dy), 1e-6)
        ball[b, BVX] += DOME * (dx / away if away > 1e-3 else 1.0)
        ball[b, BVY] += DOME * dy / away
        return
    ball[b, X] += deep * nx
    ball[b, Y] += deep * ny
    bounce = DAMPED if damped and bounce == FACE else bounce
    px, py = dx - BALL_RADIUS * nx, dy - BALL_RADIUS * ny
    closing = (ball[b, BVX] - robots[b, i, VX] + robots[b, i, SPIN] * py) * nx
    closing += (ball[b, BVY] - robots[b, i, VY] - robots[b, i, SPIN] * px) * ny
    if closing < 0.0:
        impulse = -(1 + bounce) * closing / (1 / BALL_MASS + 1 / ROBOT_MASS)
        ball[b, BVX] += impulse / BALL_MASS * nx
        ball[b, BVY] += impulse / BALL_MASS * ny
        robots[b, i, VX] -= impulse / ROBOT_MASS * nx
        robots[b, i, VY] -= impulse / ROBOT_MASS * ny


@bare
def part(robots: np.ndarray, b: int, met: np.ndarray) -> None:
    """Push robots apart that overlap, and let them bounce; `met` keeps the fastest closing of each pair."""
    n, wide = robots.shape[1], 2 * ROBOT_RADIUS
    for i in range(n):
        for j in range(i + 1, n):
            dx, dy = robots[b, j, X] - robots[b, i, X], robots[b, j, Y] - robots[b, i, Y]
            square = dx * dx + dy * dy
            if square >= wide * wide:
                continue
            gap = np.sqrt(square)
            nx, ny = (dx / gap, dy / gap) if gap > 1e-9 else (1.0, 0.0)
            push = 0.5 * (wide - gap)
            robots[b, i, X] -= push * nx
            robots[b, i, Y] -= push * ny
            robots[b, j, X] += push * nx
            robots[b, j, Y] += push * ny
            closing = (robots[b, i, VX] - robots[b, j, VX]) * nx + (robots[b, i, VY] - robots[b, j, VY]) * ny
            met[b, i, j] = max(met[b, i, j], closing, 1e-6)
            if closing > 0.0:
                change = 0.5 * (1 + BETWEEN) * closing
                robots[b, i, VX] -= change * nx
                robots[b, i, VY] -= change * ny
                robots[b, j, VX] += change * nx
                robots[b, j, VY] += change * ny


@inner
@bare
def _off_segment(
    x: float, y: float, radius: float, x0: float, y0: float, x1: float, y1: float
) -> tuple[float, float, float]:
    """Direction and depth by which a disc overlaps a segment; depth 0 or less if it does not."""
    ex, ey = x1 - x0, y1 - y0
    at = min(1.0, max(0.0, ((x - x0) * ex + (y - y0) * ey) / (ex * ex + ey * ey)))
    gx, gy = x - x0 - at * ex, y - y0 - at * ey
    gap = np.hypot(gx, gy)
    if gap < 1e-9:
        return 0.0, 1.0, radius
    return gx / gap, gy / gap, radius - gap


@inner
@bare
def stop_at_goal(ball: np.ndarray, b: int, was_x: float, was_y: float, field: np.ndarray) -> None:
    """A ball that has gone through the side or the back of a goal since it was at (was_x, was_y), however
    fast or hard pressed, is put back to the side it came from."""
    front, back, g = field[HALF_LENGTH], field[HALF_LENGTH] + field[GOAL_DEPTH], field[GOAL_HALF]
    x, y = ball[b, X], ball[b, Y]
    if max(abs(x), abs(was_x)) < front:
        return
    for post in (-g, g):
        if (was_y - post) * (y - post) < 0.0:
            share = (post - was_y) / (y - was_y)
            if front <= abs(was_x + share * (x - was_x)) <= back:
                side = 1.0 if was_y > post else -1.0
                ball[b, Y] = post + side * BALL_RADIUS
                if ball[b, BVY] * side < 0.0:
                    ball[b, BVY] *= -WALL
    if (abs(was_x) - back) * (abs(x) - back) < 0.0 and x * was_x > 0.0:
        share = (back - abs(was_x)) / (abs(x) - abs(was_x))
        if abs(was_y + share * (y - was_y)) <= g:
            end, side = (1.0 if x > 0.0 else -1.0), (1.0 if abs(was_x) > back else -1.0)
            ball[b, X] = end * (back + side * BALL_RADIUS)
            if ball[b, BVX] * end * side < 0.0:
                ball[b, BVX] *= -WALL


@inner
@bare
def fence(
    bodies: np.ndarray, b: int, i: int, radius: float, field: np.ndarray, vx: int, bounce: float, goals: bool
) -> None:
    """Keep body `i` within the walls and, if they are as high as it flies, out of the sides and backs of the
    goals; its velocity begins at column `vx`."""
    end, side = field[HALF_LENGTH] + field[MARGIN] - radius, field[HALF_WIDTH] + field[MARGIN] - radius
    for axis in range(2):
        far = end if axis == 0 else side
        if abs(bodies[b, i, axis]) > far:
            sign = 1.0 if bodies[b, i, axis] > 0 else -1.0
            bodies[b, i, axis] = sign * far
            if bodies[b, i, vx + axis] * sign > 0:
                bodies[b, i, vx + axis] *= -bounce
    g = field[GOAL_HALF]
    if not goals or abs(bodies[b, i, X]) < field[HALF_LENGTH] - radius or abs(bodies[b, i, Y]) > g + radius:
        return
    sign = 1.0 if bodies[b, i, X] > 0 else -1.0
    x0, x1 = sign * field[HALF_LENGTH], sign * (field[HALF_LENGTH] + field[GOAL_DEPTH])
    for wall in range(3):  # right, left, back
        ax = x1 if wall == 2 else x0
        ay = g if wall == 1 else -g
        by = -g if wall == 0 else g
        nx, ny, deep = _off_segment(bodies[b, i, X], bodies[b, i, Y], radius, ax, ay, x1, by)
        if deep > 0.0:
            bodies[b, i, X] += deep * nx
            bodies[b, i, Y] += deep * ny
            into = bodies[b, i, vx] * nx + bodies[b, i, vx + 1] * ny
            if into < 0.0:
                bodies[b, i, vx] -= (1 + bounce) * into * nx
                bodies[b, i, vx + 1] -= (1 + bounce) * into * ny
