"""Radar: what is about to collide with a person, and how it is avoided.

For every kind of body and of collision a person has a method: it *circumvents* the threat, by looking for the
direction that brings it furthest towards its aim, or it *queues*, by keeping its direction and slowing
down. Either way a gap s [m] ahead, less the clearance when queuing, lets it walk with
v = v₀ (1 - exp(-s / (v₀ T))), T being `TIME_GAP`: as fast as it likes when s is large, s / T when small.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..characters.avoidance import CIRCUMVENT, PERSON, QUEUE, STATIONARY, STILL, VEHICLE, collision_kind
from .footing import BETWEEN, SQUARE, Crowd, Discs, Ground, square_slot

CLEARANCE = (0.15, 2.0)  # [m] from people, and from vehicles that move (Hynes, section 4.6.1)
STANDING_CLEARANCE = 0.3  # [m] at most, from what stands: cars wait a metre from the crosswalk
RADAR = 4.0  # [m] how far it looks
TIME_GAP = 0.4  # [s] that a gap lasts; crowds then walk about as fast as Weidmann's (`swerve study rimea`)
ASIDE = 0.3  # weight of a metre aside against one ahead, squared
KEEP_RIGHT, KEEP_COURSE = 0.004, 0.05  # small preferences among directions, of the look-ahead squared
IMPATIENT = 1.0  # [s] of being stuck after which smaller gaps are taken
GRAZING = 0.8  # of the distance at contact: bodies further aside are slid along, not waited for
SQUEEZED, BACK_PACE, BACK_TIME = BETWEEN + 0.03, 0.3, 0.7  # [m] between bodies, [m/s] and [s] of a step back
WAY = 0.4  # [m] that is made for those who cannot get off a crosswalk
_TURNS = np.radians(np.array([0.0, -12.0, 12.0, -25.0, 25.0, -40.0, 40.0, -60.0, 60.0, -85.0, 85.0]))
_COS, _SIN = np.cos(_TURNS), np.sin(_TURNS)
_GENTLE = 7  # of them are taken by who is not stuck: up to 40°
_MOST = 160  # bodies looked at: more than stand in half the radar even when they touch


@kernel
def avoid(ground: Ground, crowd: Crowd, discs: Discs, dt: float, every: int, phase: int) -> None:
    """From the velocity everybody wants to the one it takes, `move`, within its accelerations.

    Directions are chosen anew by every `every`-th person of a step, whose turn `phase` says.
    """
    seen = np.empty((_MOST, 7))
    n = len(crowd.x)
    held, count = np.empty(n, np.int64), 0  # those who want to get off a crosswalk and cannot
    for j in range(n):
        if crowd.leave[j] >= 0 and crowd.stuck[j] > IMPATIENT:
            held[count] = j
            count += 1
    held = held[:count]
    for i in range(n):
        wx, wy = crowd.want_x[i], crowd.want_y[i]
        speed = np.hypot(wx, wy)
        if len(held) and crowd.leave[i] < 0:
            ax, ay = _makes_way(crowd, held, i)
            if ax != 0.0 or ay != 0.0:
                _approach(crowd, i, BACK_PACE * ax, BACK_PACE * ay, dt)
                continue
        if speed < 1e-3:
            _approach(crowd, i, 0.0, 0.0, dt)
            crowd.stuck[i] = 0.0
            continue
        speed = min(speed, crowd.max_speed[i])
        now = np.hypot(crowd.vx[i], crowd.vy[i])
        crowd.stuck[i] = crowd.stuck[i] + dt if now < 0.25 * speed else max(0.0, crowd.stuck[i] - 2.0 * dt)
        if (i + phase) % every != 0:
            continue
        ex, ey = wx / np.hypot(wx, wy), wy / np.hypot(wx, wy)
        count = _scan(crowd, discs, i, ex, ey, seen)
        dx, dy = _direction(ground, crowd, i, ex, ey, speed, seen, count)
        patience = TIME_GAP if crowd.stuck[i] < IMPATIENT else 0.4 * TIME_GAP
        if crowd.stuck[i] > IMPATIENT and _steps_back(crowd, i, ex, ey, seen, count):
            _approach(crowd, i, -BACK_PACE * ex, -BACK_PACE * ey, dt * every)
            continue
        gap = _gap(crowd, i, dx, dy, seen, count)
        pace = speed * (1.0 - np.exp(-max(0.0, gap) / (patience * speed)))
        _approach(crowd, i, pace * dx, pace * dy, dt * every)


@inner
@bare
def _makes_way(crowd: Crowd, held: np.ndarray, i: int) -> tuple[float, float]:
    """The direction away from somebody who is held up at the kerb by this person, or zero."""
    for j in held:
        dx, dy = crowd.x[i] - crowd.x[j], crowd.y[i] - crowd.y[j]
        far = np.hypot(dx, dy)
        ahead = dx * crowd.want_x[j] + dy * crowd.want_y[j] > 0.0
        if ahead and far < crowd.radius[i] + crowd.radius[j] + WAY:
            return dx / far, dy / far
    return 0.0, 0.0


@inner
@bare
def _steps_back(crowd: Crowd, i: int, ex: float, ey: float, seen: np.ndarray, count: int) -> bool:
    """Whether a person gives way: squeezed between two of whom one is further ahead, and every other time.

    Round bodies that press towards a door form an arch that would stand for ever.
    """
    left = right = further = False
    for k in range(count):
        px, py = seen[k, 0], seen[k, 1]
        if np.hypot(px, py) - seen[k, 4] < SQUEEZED:
            if ex * py - ey * px > 0.0:
                left = True
            else:
                right = True
            further = further or px * ex + py * ey > 0.05 * seen[k, 4]
    turn = i * 7919 + int(crowd.stuck[i] / BACK_TIME) * 104729
    return left and right and further and (turn >> 3) & 1 == 0


@inner
@bare
def _approach(crowd: Crowd, i: int, vx: float, vy: float, dt: float) -> None:
    """Set `move` to the velocity nearest to v that the accelerations allow."""
    dx, dy = vx - crowd.vx[i], vy - crowd.vy[i]
    change = np.hypot(dx, dy)
    slower = vx * vx + vy * vy < crowd.vx[i] ** 2 + crowd.vy[i] ** 2
    most = (crowd.max_brake[i] if slower else crowd.max_accel[i]) * dt
    share = 1.0 if change <= most else most / change
    crowd.move_x[i] = crowd.vx[i] + share * dx
    crowd.move_y[i] = crowd.vy[i] + share * dy


@inner
@bare
def _scan(crowd: Crowd, discs: Discs, i: int, ex: float, ey: float, seen: np.ndarray) -> int:
    """Bodies within the radar and not behind: rows x, y from here, vx, vy, distance at contact, method,
    clearance."""
    n = len(crowd.x)
    x, y = crowd.x[i], crowd.y[i]
    count = 0
    for c in range(int(np.floor((x - RADAR) / SQUARE)), int(np.floor((x + RADAR) / SQUARE)) + 1):
        for r in range(int(np.floor((y - RADAR) / SQUARE)), int(np.floor((y + RADAR) / SQUARE)) + 1):
            j = discs.head[square_slot(discs, c, r)]
            while j >= 0:
                if j != i and discs.column[j] == c and discs.row[j] == r and count < _MOST:
                    px, py = discs.x[j] - x, discs.y[j] - y
                    apart = crowd.radius[i] + discs.radius[j]
                    ahead = px * ex + py * ey
                    near = px * px + py * py
                    if near < (RADAR + apart) ** 2 and ahead > -0.5 * apart:
                        kind = PERSON if j < n else VEHICLE
                        what = collision_kind(ex, ey, discs.vx[j], discs.vy[j])
                        seen[count, 0], seen[count, 1] = px, py
                        seen[count, 2], seen[count, 3] = discs.vx[j], discs.vy[j]
                        seen[count, 4] = apart
                        seen[count, 5] = crowd.method[i, kind, what]
                        room = crowd.clearance[i, kind]
                        seen[count, 6] = min(room, STANDING_CLEARANCE) if what == STATIONARY else room
                        count += 1
                j = discs.chain[j]
    return count


@bare
def _direction(
    ground: Ground,
    crowd: Crowd,
    i: int,
    ex: float,
    ey: float,
    speed: float,
    seen: np.ndarray,
    count: int,
) -> tuple[float, float]:
    """The unit direction whose free way ends nearest to where the aim would be.

    As Moussaïd et al. (2011), but a metre aside counts less than a metre ahead: with equal weights, standing
    still would be better than any turn beyond 60°, and two who meet at a corner would stand there for ever.
    """
    far = min(RADAR, max(crowd.reach[i], 1.0))
    free = _free_way(ground, crowd, i, ex, ey, speed, seen, count, far)
    if free >= far:
        return ex, ey
    now = np.hypot(crowd.vx[i], crowd.vy[i])
    best, bx, by = np.inf, ex, ey
    aside = ASIDE if crowd.stuck[i] < IMPATIENT else 0.1 * ASIDE
    for k in range(_GENTLE if crowd.stuck[i] < IMPATIENT else len(_COS)):
        c, s = _COS[k], _SIN[k]
        dx, dy = c * ex - s * ey, s * ex + c * ey
        way = free if k == 0 else _free_way(ground, crowd, i, dx, dy, speed, seen, count, far)
        cost = (far - way * c) ** 2 + aside * (way * s) ** 2
        cost += KEEP_RIGHT * far * far * s
        if now > STILL:
            cost += KEEP_COURSE * far * far * (1.0 - (dx * crowd.vx[i] + dy * crowd.vy[i]) / now)
        if cost < best:
            best, bx, by = cost, dx, dy
    return bx, by


@inner
@bare
def _free_way(
    ground: Ground,
    crowd: Crowd,
    i: int,
    dx: float,
    dy: float,
    speed: float,
    seen: np.ndarray,
    count: int,
    far: float,
) -> float:
    """How far [m], at most `far`, a person gets in a direction before it touches what it circumvents."""
    way = far
    for k in range(count):
        if seen[k, 5] != CIRCUMVENT:
            continue
        ux, uy = speed * dx - seen[k, 2], speed * dy - seen[k, 3]
        towards = seen[k, 0] * ux + seen[k, 1] * uy
        if towards <= 0.0:
            continue
        apart = seen[k, 4] + seen[k, 6]
        gap = seen[k, 0] ** 2 + seen[k, 1] ** 2 - apart * apart
        square = ux * ux + uy * uy
        if gap <= 0.0:
            # already within the clearance: going on towards it is no way at all
            if seen[k, 0] * dx + seen[k, 1] * dy > 0.3 * seen[k, 4]:
                return 0.0
            continue
        under = towards * towards - square * gap
        if under > 0.0:
            way = min(way, speed * (towards - np.sqrt(under)) / square)
    return min(way, _to_wall(ground, crowd, i, dx, dy, way))


@inner
@bare
def _to_wall(ground: Ground, crowd: Crowd, i: int, dx: float, dy: float, far: float) -> float:
    """How far a disc gets before it touches a wall, felt at points half a metre apart."""
    at = 0.0
    radius = 0.9 * crowd.radius[i]
    while at < far:
        at = min(far, at + 0.5)
        x, y = crowd.x[i] + at * dx, crowd.y[i] + at * dy
        a = int((x - ground.frame[0]) / ground.frame[2])
        b = int((y - ground.frame[1]) / ground.frame[2])
        if a < 0 or b < 0 or a >= ground.start.shape[0] or b >= ground.start.shape[1] - 1:
            return at - 0.5
        for k in range(ground.start[a, b], ground.start[a, b + 1]):
            w = ground.items[k]
            if ground.gate[w] >= 0:
                continue  # waiting at a kerb is not going round it
            if _touches(ground.wall, w, crowd.x[i], crowd.y[i], x, y, radius):
                return at - 0.5
    return far


@bare
def _touches(wall: np.ndarray, w: int, x0: float, y0: float, x1: float, y1: float, radius: float) -> bool:
    """Whether the way from 0 to 1 ends near a wall or has crossed it."""
    dx, dy = wall[w, 2] - wall[w, 0], wall[w, 3] - wall[w, 1]
    square = max(dx * dx + dy * dy, 1e-12)
    along = min(1.0, max(0.0, ((x1 - wall[w, 0]) * dx + (y1 - wall[w, 1]) * dy) / square))
    if (x1 - wall[w, 0] - along * dx) ** 2 + (y1 - wall[w, 1] - along * dy) ** 2 < radius * radius:
        return True
    side0 = dx * (y0 - wall[w, 1]) - dy * (x0 - wall[w, 0])
    side1 = dx * (y1 - wall[w, 1]) - dy * (x1 - wall[w, 0])
    if side0 * side1 >= 0.0:
        return False
    ex, ey = x1 - x0, y1 - y0
    a = ex * (wall[w, 1] - y0) - ey * (wall[w, 0] - x0)
    b = ex * (wall[w, 3] - y0) - ey * (wall[w, 2] - x0)
    return a * b < 0.0


@bare
def _gap(crowd: Crowd, i: int, dx: float, dy: float, seen: np.ndarray, count: int) -> float:
    """Free way [m] straight ahead to bodies where they are now, less the clearance when queuing."""
    gap = np.inf
    for k in range(count):
        ahead = seen[k, 0] * dx + seen[k, 1] * dy
        aside = abs(seen[k, 0] * dy - seen[k, 1] * dx)
        apart = seen[k, 4]
        if ahead <= 0.0 or aside >= GRAZING * apart:
            continue
        room = ahead - np.sqrt(apart * apart - aside * aside)
        if seen[k, 5] == QUEUE:
            room -= seen[k, 6]
        gap = min(gap, room)
    return gap
