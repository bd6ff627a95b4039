"""How good a state of one against one is for one of the two.

The product of five numbers from 0 to 1: how far the opponent is from the ball, how well the ball is held, how
far it is from the border, how well the robot aims, and whether the plan is long enough to be one. Better than
all of these is a state from which a shot along the robot's heading passes opponent and posts.

Where the opponent is at the ball, too, counts instead of how far it is who of the two has less to do before
a shot of its own is free: to turn until it aims at the goal, and to turn or wait until the other is out of
the way.
"""

from __future__ import annotations

import numpy as np

from swerve.core.geometry import wrapped
from swerve.core.kernels import inner, kernel

from ..bodies import World
from ..skills.handling import GAP
from ..steering import BASE_X, BASE_Y, PLACE, RADIUS, VELOCITY

FIELD = (-2.0, -1.4, 2.0, 1.4)  # [m]
GOAL_HALF = 0.35  # [m]
TEAMS = ("blue", "yellow")  # blue plays towards +x
FAR_OPPONENT = 0.7  # [m] from the ball that is as good as any
HANDLED, BADLY = 0.03, 0.3  # [m] within which the ball is held; what a ball that is not is worth at most
BORDER = (0.1, 0.001, 0.6, 1.0)  # [m] from the border, and what that is worth
SHORTEST, LONG_ENOUGH = 0.3, 0.6  # [s] of plans
CLEARANCE, MORE = 0.13, 0.04  # [m] that a shot needs from the opponent's middle, and more a metre
STRENGTH = 5.5  # [m/s] of shots
OPEN = (0.02, 0.08)  # [rad] by which a shot must pass everything to be worth anything, and as good as any
SWERVING = 1.0  # [m/s²] by which an opponent may be elsewhere than it was going
HASTE = 0.5  # share of a shot's worth that a second costs
SHOTS = 21  # places of the goal that are looked at
DUEL = 0.3  # what the best of duels is worth, as a share of an opponent that is far


class Judge:
    """How good states are for one of the two."""

    def __init__(self, world: World, me: str):
        other = TEAMS[1 - TEAMS.index(me)]
        line = FIELD[2] if me == TEAMS[0] else FIELD[0]
        slots = [world.slot(name).numbers for name in (me, other, "ball")]
        self.about = np.array([*np.ravel(slots), line])

    def values(self, rows: np.ndarray, now: float) -> np.ndarray:
        """(n,) from 0, the best, to 1, the worst; plans begin `now`."""
        return _values(rows, self.about, now)

    def all_clear(self, rows: np.ndarray) -> np.ndarray:
        """(n,) 1 where a shot would pass the opponent, else 0."""
        return _all_clear(rows, self.about)

    def opening(self, row: np.ndarray) -> float:
        """From 0 to 1, how surely the ball gets into the goal if it is kicked now."""
        return float(_opening_of(row, self.about))

    def flight(self, row: np.ndarray) -> float:
        """Seconds that a shot takes to the goal's line, or 0 where there is no opening for one."""
        if self.opening(row) <= 0.0:
            return 0.0
        ball, heading = int(self.about[16 + PLACE]), row[int(self.about[PLACE]) + 2]
        return float((self.about[24] - row[ball]) / np.cos(heading) / STRENGTH)


@kernel
def _values(rows: np.ndarray, about: np.ndarray, now: float) -> np.ndarray:
    found = np.empty(len(rows))
    for k in range(len(rows)):
        row = rows[k]
        held = _handling(row, about)
        opening = _opening(row, about, held)
        if opening > 0.0:
            found[k] = -opening * (1.0 - HASTE * (row[0] - now))
            continue
        time = _ramp(row[0] - now, SHORTEST, 0.0, LONG_ENOUGH, 1.0)
        rest = time * held * _border(row, about) * _aim(row, about)
        far = _opponent(row, about)
        if far < DUEL and rest > 0.0:
            far = max(far, DUEL * _duel(row, about))
        found[k] = 1.0 - rest * far
    return found


@inner
@kernel
def _ramp(x: float, x0: float, y0: float, x1: float, y1: float) -> float:
    """From y0 at x0 and before to y1 at x1 and beyond."""
    return y0 + (y1 - y0) * min(max((x - x0) / (x1 - x0), 0.0), 1.0)


@inner
@kernel
def _place(row: np.ndarray, about: np.ndarray, which: int) -> tuple[float, float]:
    slot = about[8 * which : 8 * which + 8]
    q = int(slot[PLACE])
    return row[q] + slot[BASE_X], row[q + 1] + slot[BASE_Y]


@inner
@kernel
def _opponent(row: np.ndarray, about: np.ndarray) -> float:
    (x, y), (bx, by) = _place(row, about, 1), _place(row, about, 2)
    apart = max(np.hypot(x - bx, y - by) - about[8 + RADIUS] - about[16 + RADIUS], 0.0)
    return _ramp(apart, 0.0, 0.0, FAR_OPPONENT, 1.0)


@inner
@kernel
def _handling(row: np.ndarray, about: np.ndarray) -> float:
    (x, y), (bx, by) = _place(row, about, 0), _place(row, about, 2)
    heading, reach = row[int(about[PLACE]) + 2], about[RADIUS] + about[16 + RADIUS] + GAP
    off = np.hypot(x + reach * np.cos(heading) - bx, y + reach * np.sin(heading) - by)
    return 1.0 if off < HANDLED else BADLY * _ramp(off, HANDLED, 1.0, 0.5, 0.0)


@inner
@kernel
def _border(row: np.ndarray, about: np.ndarray) -> float:
    bx, by = _place(row, about, 2)
    inside = min(min(bx - FIELD[0], FIELD[2] - bx), min(by - FIELD[1], FIELD[3] - by))
    return _ramp(inside, BORDER[0], BORDER[1], BORDER[2], BORDER[3])


@kernel
def _opening_of(row: np.ndarray, about: np.ndarray) -> float:
    return _opening(row, about, _handling(row, about))


@inner
@kernel
def _opening(row: np.ndarray, about: np.ndarray, held: float) -> float:
    """From 0 to 1, how surely a ball gets into the goal that is kicked along the heading, if it is `held` as
    well as can be."""
    if held < 1.0:
        return 0.0
    (x, y), (bx, by) = _place(row, about, 1), _place(row, about, 2)
    heading, line = row[int(about[PLACE]) + 2], about[24]
    cos, sin = np.cos(heading), np.sin(heading)
    if cos * np.sign(line) < 0.3:
        return 0.0
    far = (line - bx) / cos
    if far <= 0.0:
        return 0.0
    margin = (GOAL_HALF - about[16 + RADIUS] - abs(by + far * sin)) / far
    v = int(about[8 + VELOCITY])
    for _ in range(2):  # where the ball passes the opponent, and where that is then
        along = min(max((x - bx) * cos + (y - by) * sin, 0.0), far)
        seconds = along / STRENGTH
        (x, y), vx, vy = _place(row, about, 1), row[v], row[v + 1]
        x, y = x + seconds * vx, y + seconds * vy
    off = np.hypot(x - bx - along * cos, y - by - along * sin) - about[8 + RADIUS] - about[16 + RADIUS]
    margin = min(margin, (off - 0.5 * SWERVING * seconds**2) / max(along, 0.1))
    return _ramp(margin, OPEN[0], 0.0, OPEN[1], 1.0)


@inner
@kernel
def _aim(row: np.ndarray, about: np.ndarray) -> float:
    bx, by = _place(row, about, 2)
    off = wrapped(np.arctan2(-by, about[24] - bx) - row[int(about[PLACE]) + 2])
    return _ramp(abs(off), 0.0, 1.0, np.pi, 0.0)


@kernel
def _all_clear(rows: np.ndarray, about: np.ndarray) -> np.ndarray:
    found = np.empty(len(rows))
    for k in range(len(rows)):
        found[k] = 1.0 if _clear(rows[k], about) else 0.0
    return found


@kernel
def _clear(row: np.ndarray, about: np.ndarray) -> bool:
    (x, y), (bx, by) = _place(row, about, 1), _place(row, about, 2)
    for k in range(SHOTS):
        dx = about[24] - bx
        dy = (GOAL_HALF - 0.04) * (2.0 * k / (SHOTS - 1) - 1.0) - by
        far = max(np.hypot(dx, dy), 1e-9)
        along = min(max(((x - bx) * dx + (y - by) * dy) / far, 0.0), far)
        off = np.hypot(x - bx - along * dx / far, y - by - along * dy / far)
        if off > CLEARANCE + MORE * along:
            return True
    return False


@inner
@kernel
def _duel(row: np.ndarray, about: np.ndarray) -> float:
    """From 0 to 1, how much less there is to do before a shot than for the other."""
    line = about[24]
    return _ramp(_to_do(row, about, 1, 0, -line) - _to_do(row, about, 0, 1, line), -np.pi, 0.0, np.pi, 1.0)


@inner
@kernel
def _to_do(row: np.ndarray, about: np.ndarray, who: int, other: int, line: float) -> float:
    """[rad] that a robot's heading is off the goal, and by which the other is in the way of its shot."""
    (x, y), (bx, by) = _place(row, about, other), _place(row, about, 2)
    heading, reach = row[int(about[8 * who + PLACE]) + 2], GOAL_HALF - about[16 + RADIUS]
    low, high = np.arctan2(-reach - by, line - bx), np.arctan2(reach - by, line - bx)
    middle, half = low + 0.5 * wrapped(high - low), 0.5 * abs(wrapped(high - low))
    off = max(abs(wrapped(heading - middle)) - half, 0.0)
    far = max(np.hypot(x - bx, y - by), 1e-9)
    wide = np.arcsin(min((about[8 * other + RADIUS] + about[16 + RADIUS]) / far, 1.0))
    aside = abs(wrapped(np.arctan2(y - by, x - bx) - heading))
    return off + max(wide - aside, 0.0)
