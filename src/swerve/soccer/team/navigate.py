"""How robots get where they are to be: a way among the others by a random tree, then a velocity that is safe.

The tree (ERRT) grows towards the goal, towards way-points of the frame before, or anywhere; its way is cut
short to the farthest place in sight. A dynamic window then takes, of the velocities that can be had within a
tenth of a second, the nearest to the wanted one from which the robot can still stop before it meets anybody.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..match.field import AREA_DEPTH, AREA_HALF, HALF_LENGTH, HALF_WIDTH
from ..match.model import (
    ACCELERATION,
    BRAKING,
    FRAME,
    HEADING,
    ROBOT_RADIUS,
    TOLD_SPIN,
    TOLD_VX,
    TOLD_VY,
    VX,
    VY,
    X,
    Y,
)
from ..match.model import CHIP as TOLD_CHIP
from ..match.model import DRIBBLE as TOLD_DRIBBLE
from ..match.model import KICK as TOLD_KICK
from .frame import (
    AREA_GAP,
    BALL_GAP,
    CHIP,
    CLOSE,
    DRIBBLE,
    FACE,
    FASTEST,
    GENTLE,
    IN_AREA,
    KICK,
    SPIN_MOST,
    TO_X,
    TO_Y,
    WITH_VX,
    WITH_VY,
    kept_out,
    turned,
)
from .skills import CARRY_PULL, CARRYING

NODES, TRIES, STRIDE = 120, 240, 0.25  # of a tree; [m] that it grows at once
TO_GOAL, TO_WAYPOINT = 0.15, 0.4  # shares of the growth
WAYPOINTS = 10  # kept for each robot
WINDOW = 0.1  # [s] ahead that velocities are chosen for
MARGIN = 0.03  # [m] between robots
TOUCHING = 2 * ROBOT_RADIUS + 0.004  # [m] between the middles of robots that touch
TURNING_OFF = 1.5  # [m/s²] of braking that a robot has left which turns off to go round a ball
DUEL = 0.5  # [m/s] at which a robot that goes for the ball may touch another


@inner
@bare
def _random(state: np.ndarray, i: int) -> float:
    """Between 0 and 1, from the robot's own stream (xorshift)."""
    s = state[i]
    s ^= s << np.uint64(13)
    s ^= s >> np.uint64(7)
    s ^= s << np.uint64(17)
    state[i] = s
    return (s >> np.uint64(11)) / 9007199254740992.0


@inner
@bare
def _crosses_disc(ax: float, ay: float, bx: float, by: float, x: float, y: float, r: float) -> bool:
    """Whether a segment enters a disc; from inside, whether it goes deeper."""
    dx, dy = bx - ax, by - ay
    px, py = x - ax, y - ay
    square = dx * dx + dy * dy
    at = min(1.0, max(0.0, (px * dx + py * dy) / max(square, 1e-12)))
    gx, gy = px - at * dx, py - at * dy
    here = px * px + py * py
    if here < r * r:
        return px * dx + py * dy > 0.0
    return gx * gx + gy * gy < r * r


@inner
@bare
def _crosses_box(ax: float, ay: float, bx: float, by: float, x0: float, x1: float, half: float) -> bool:
    """Whether a segment from outside enters a box about the x axis."""
    if x0 < ax < x1 and abs(ay) < half:
        return False  # inside: any way out will do
    enter, leave = 0.0, 1.0
    for axis in range(2):
        a, d = (ax, bx - ax) if axis == 0 else (ay, by - ay)
        low, high = (x0, x1) if axis == 0 else (-half, half)
        if abs(d) < 1e-9:
            if a <= low or a >= high:
                return False
            continue
        t0, t1 = (low - a) / d, (high - a) / d
        if t0 > t1:
            t0, t1 = t1, t0
        enter, leave = max(enter, t0), min(leave, t1)
    return enter < leave


@bare
def _blocked(
    ax: float, ay: float, bx: float, by: float, discs: np.ndarray, count: int, field: np.ndarray, keeper: bool
) -> bool:
    for k in range(count):
        if _crosses_disc(ax, ay, bx, by, discs[k, 0], discs[k, 1], discs[k, 2]):
            return True
    end, half = field[HALF_LENGTH], field[AREA_HALF] + AREA_GAP
    front = end - field[AREA_DEPTH] - AREA_GAP
    if _crosses_box(ax, ay, bx, by, front, end + 1.0, half):
        return True
    return not keeper and _crosses_box(ax, ay, bx, by, -end - 1.0, -front, half)


@bare
def _grow(
    i: int,
    sx: float,
    sy: float,
    gx: float,
    gy: float,
    discs: np.ndarray,
    count: int,
    field: np.ndarray,
    keeper: bool,
    waypoints: np.ndarray,
    random: np.ndarray,
    nodes: np.ndarray,
    parents: np.ndarray,
) -> tuple[float, float, float]:
    """Where to go next on a way from s to g, and how long the whole way is [m]."""
    nodes[0, 0], nodes[0, 1], parents[0] = sx, sy, -1
    size, best, least = 1, 0, np.hypot(gx - sx, gy - sy)
    for _ in range(TRIES):
        draw = _random(random, i)
        if draw < TO_GOAL:
            tx, ty = gx, gy
        elif draw < TO_GOAL + TO_WAYPOINT:
            k = int(_random(random, i) * WAYPOINTS) % WAYPOINTS
            tx, ty = waypoints[i, k, 0], waypoints[i, k, 1]
        else:
            tx = (2 * _random(random, i) - 1) * (field[HALF_LENGTH] + 0.15)
            ty = (2 * _random(random, i) - 1) * (field[HALF_WIDTH] + 0.15)
        near, square = 0, np.inf
        for k in range(size):
            d = (nodes[k, 0] - tx) ** 2 + (nodes[k, 1] - ty) ** 2
            if d < square:
                near, square = k, d
        away = np.sqrt(square)
        if away < 1e-6:
            continue
        share = min(1.0, STRIDE / away)
        nx, ny = (
            nodes[near, 0] + share * (tx - nodes[near, 0]),
            nodes[near, 1] + share * (ty - nodes[near, 1]),
        )
        if _blocked(nodes[near, 0], nodes[near, 1], nx, ny, discs, count, field, keeper):
            continue
        nodes[size, 0], nodes[size, 1], parents[size] = nx, ny, near
        left = np.hypot(gx - nx, gy - ny)
        size += 1
        if left < least:
            best, least = size - 1, left
            if left < 1e-6 or not _blocked(nx, ny, gx, gy, discs, count, field, keeper):
                break
        if size >= NODES:
            break
    length, at = least, best
    next_x, next_y, found = nodes[best, 0], nodes[best, 1], False
    while at >= 0:
        x, y = nodes[at, 0], nodes[at, 1]
        kept = int(_random(random, i) * WAYPOINTS) % WAYPOINTS
        waypoints[i, kept, 0], waypoints[i, kept, 1] = x, y
        if not found and not _blocked(sx, sy, x, y, discs, count, field, keeper):
            next_x, next_y, found = x, y, True
            length += np.hypot(x - sx, y - sy)
        elif not found and parents[at] >= 0:
            length += np.hypot(x - nodes[parents[at], 0], y - nodes[parents[at], 1])
        at = parents[at]
    return next_x, next_y, length


@inner
@bare
def _hits(robots: np.ndarray, i: int, vx: float, vy: float, gap: float, gently: float) -> float:
    """[s] until robot `i` at that velocity, kept for the window and then braked, meets another, or ∞. Those
    it would meet at less than `gently` [m/s] do not count."""
    fast = np.hypot(vx, vy)
    stops = WINDOW + fast / (GENTLE * BRAKING)
    steps = int(stops / 0.04) + 1
    for j in range(len(robots)):
        if j == i:
            continue
        dx, dy = robots[j, X] - robots[i, X], robots[j, Y] - robots[i, Y]
        square = dx * dx + dy * dy
        if square > (gap + 3.5 * stops) ** 2:
            continue
        here = np.sqrt(square)
        closing = ((vx - robots[j, VX]) * dx + (vy - robots[j, VY]) * dy) / max(here, 1e-9)
        if closing < (gently if here > TOUCHING else 0.2 * gently):
            continue
        near = min(gap, here - 0.002)
        for k in range(1, steps + 1):
            t = min(k * 0.04, stops)
            braked = max(t - WINDOW, 0.0)
            share = t - (0.5 * GENTLE * BRAKING * braked * braked / fast if fast > 1e-6 else 0.0)
            px = dx + min(t, 0.5) * robots[j, VX] - share * vx
            py = dy + min(t, 0.5) * robots[j, VY] - share * vy
            if px * px + py * py < near * near:
                return t
    return np.inf


@inner
@bare
def _safe(
    robots: np.ndarray, i: int, want_x: float, want_y: float, gap: float, gently: float
) -> tuple[float, float]:
    """The velocity within reach that is nearest to the wanted one and safe."""
    vx, vy = robots[i, VX], robots[i, VY]
    reach = ACCELERATION * WINDOW
    dx, dy = want_x - vx, want_y - vy
    size = np.hypot(dx, dy)
    share = min(1.0, reach / max(size, 1e-9))
    first_x, first_y = vx + share * dx, vy + share * dy
    if _hits(robots, i, first_x, first_y, gap, gently) == np.inf:
        return want_x, want_y
    best_x, best_y, least, latest = 0.0, 0.0, np.inf, -1.0
    for k in range(25):
        if k == 24:
            fast = max(np.hypot(vx, vy), 1e-9)
            slower = max(0.0, 1 - BRAKING * WINDOW / fast)
            cx, cy = vx * slower, vy * slower
        else:
            angle, far = k * np.pi / 6, (1.0 if k < 12 else 0.5) * reach
            cx, cy = vx + far * np.cos(angle), vy + far * np.sin(angle)
        hits = _hits(robots, i, cx, cy, gap, gently)
        away = (cx - want_x) ** 2 + (cy - want_y) ** 2
        if hits == np.inf:
            if away < least:
                best_x, best_y, least = cx, cy, away
        elif least == np.inf and hits > latest:
            best_x, best_y, latest = cx, cy, hits
    return best_x, best_y


@inner
@bare
def _held_off(dx: float, dy: float, vx: float, vy: float, gap: float) -> tuple[float, float]:
    """A velocity without what would take a robot further towards a ball, (dx, dy) away, than it can brake
    before coming within `gap`."""
    away = max(np.hypot(dx, dy), 1e-9)
    dx, dy = dx / away, dy / away
    too_fast = vx * dx + vy * dy - np.sqrt(2 * TURNING_OFF * max(away - gap, 0.0))
    if too_fast <= 0.0:
        return vx, vy
    return vx - too_fast * dx, vy - too_fast * dy


@kernel
def navigate(
    robots: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    intents: np.ndarray,
    waypoints: np.ndarray,
    random: np.ndarray,
    commands: np.ndarray,
) -> None:
    """Turn intents (n, 13) of our robots into commands (n, 6); `robots` (2n, 6) are ours first."""
    n, m = len(intents), len(robots)
    discs = np.empty((m + 1, 3))
    nodes, parents = np.empty((NODES + 1, 2)), np.empty(NODES + 1, np.int64)
    for i in range(n):
        sx, sy, gx, gy = robots[i, X], robots[i, Y], intents[i, TO_X], intents[i, TO_Y]
        close = intents[i, CLOSE] > 0
        gap = 2 * ROBOT_RADIUS + (0.005 if close else MARGIN)
        count = 0
        for j in range(m):
            away = np.hypot(robots[j, X] - sx, robots[j, Y] - sy)
            if j == i or away > 2.5:
                continue
            ahead = min(0.3, 0.3 * away)
            discs[count, 0] = robots[j, X] + ahead * robots[j, VX]
            discs[count, 1] = robots[j, Y] + ahead * robots[j, VY]
            discs[count, 2] = gap
            if np.hypot(gx - discs[count, 0], gy - discs[count, 1]) > 0.6 * gap:
                count += 1  # somebody at the goal itself is for the dynamic window
        if intents[i, BALL_GAP] > 0:
            discs[count, 0], discs[count, 1], discs[count, 2] = ball[X], ball[Y], intents[i, BALL_GAP]
            count += 1
        keeper = intents[i, IN_AREA] > 0
        left = np.hypot(gx - sx, gy - sy)
        if left > 0.05 and _blocked(sx, sy, gx, gy, discs, count, field, keeper):
            gx, gy, left = _grow(
                i, sx, sy, gx, gy, discs, count, field, keeper, waypoints, random, nodes, parents
            )
        dx, dy = gx - sx, gy - sy
        away = max(np.hypot(dx, dy), 1e-9)
        fast = min(intents[i, FASTEST], np.sqrt(2 * GENTLE * BRAKING * left), 8.0 * left)
        want_x = fast * dx / away + intents[i, WITH_VX]
        want_y = fast * dy / away + intents[i, WITH_VY]
        vx, vy = _safe(robots, i, want_x, want_y, gap, DUEL if close else 0.0)
        if intents[i, CLOSE] == CARRYING:
            dx, dy = vx - robots[i, VX], vy - robots[i, VY]
            share = min(1.0, CARRY_PULL * FRAME / max(np.hypot(dx, dy), 1e-9))
            vx, vy = robots[i, VX] + share * dx, robots[i, VY] + share * dy
        if not keeper or sx > 0:
            vx, vy = kept_out(field, sx, sy, vx, vy)
        if intents[i, BALL_GAP] > 0:
            vx, vy = _held_off(ball[X] - sx, ball[Y] - sy, vx, vy, intents[i, BALL_GAP])
        off = turned(intents[i, FACE] - robots[i, HEADING])
        spin = min(intents[i, SPIN_MOST], np.sqrt(2 * 30.0 * abs(off)), 12.0 * abs(off))
        commands[i, TOLD_VX], commands[i, TOLD_VY] = vx, vy
        commands[i, TOLD_SPIN] = spin if off > 0 else -spin
        commands[i, TOLD_KICK], commands[i, TOLD_CHIP] = intents[i, KICK], intents[i, CHIP]
        commands[i, TOLD_DRIBBLE] = intents[i, DRIBBLE]
