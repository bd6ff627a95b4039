"""`duel`: one against one, a ball and two goals (Zickler 2010, section 7.3).

The planner's part is what the original calls PhysicsDribble: lead the ball to some place, away from the
opponent, towards the goal or facing it, expecting the opponent to drive at the ball. How good a state is, is
the product of five numbers from 0 to 1: how far the opponent is from the ball, how well the ball is held, how
far it is from the border, how well the robot aims, and whether the plan is long enough to be one. Better than
all of these is a state from which a shot along the robot's heading passes opponent and posts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from swerve.core.geometry import wrap, wrapped
from swerve.core.kernels import inner, kernel

from ..bodies import Body, Role, World
from ..law import Asked, law, views
from ..materials import Material
from ..problem import Exploring, Problem
from ..scene import Scene
from ..skills import Chase, Dribble, DribbleAway, DribbleFacing, GetBall, Wait, has_ball
from ..skills.handling import GAP
from ..skills.reactive import ShootAtGap
from ..steering import BASE_X, BASE_Y, PLACE, RADIUS, VELOCITY
from ..tactic import Tactic
from . import build as make

FIELD = (-2.0, -1.4, 2.0, 1.4)  # [m]
GOAL_HALF, GOAL_DEPTH = 0.35, 0.18  # [m]
OUTSIDE = 0.5  # [m] beyond the lines where plans may still go
APART = 1.0  # [m] between the two when a game begins, the ball in their middle
TEAMS = ("blue", "yellow")  # blue plays towards +x
BALL = Material(mass=make.BALL_MASS, restitution=0.5, friction=0.1)
FLOOR = Material(friction=0.4, rolling=0.001, restitution=0.3)
FAR_OPPONENT = 0.7  # [m] from the ball that is as good as any
HANDLED, BADLY = 0.03, 0.3  # [m] within which the ball is held; what a ball that is not is worth at most
BORDER = (0.1, 0.001, 0.6, 1.0)  # [m] from the border, and what that is worth
SHORTEST, LONG_ENOUGH = 0.3, 0.6  # [s] of plans
CLEARANCE, MORE = 0.13, 0.04  # [m] that a shot needs from the opponent's middle, and more a metre
SPEED, ACCELERATION = 2.0, 3.5  # [m/s], [m/s²] with the ball
FORCE = 0.24  # [N] of the dribbler that plans count on
TURNING = (6.0, 30.0)  # [rad/s], [rad/s²] with the ball
STRENGTH = 5.5  # [m/s] of shots
OPEN = (0.02, 0.08)  # [rad] by which a shot must pass everything to be worth anything, and as good as any
SWERVING = 1.0  # [m/s²] by which an opponent may be elsewhere than it was going
HASTE = 0.5  # share of a shot's worth that a second costs
SHOTS = 21  # places of the goal that are looked at


def build(me: str = "blue") -> Problem:
    """The duel as `me` sees it; the other is expected to drive at the ball."""
    side, other = (1.0 if me == TEAMS[0] else -1.0), TEAMS[1 - TEAMS.index(me)]
    boxes = [box for end in (-1.0, 1.0) for box in _goal(end)]
    parts = [make.floor(), *(make.robot(name) for name in TEAMS), make.ball("ball")]
    parts.append(make.walls("goals", boxes))
    bodies = [
        Body("floor", Role.STATIC, FLOOR, floor=True),
        *(Body(name, Role.CONTROLLED if name == me else Role.FOREIGN, make.ROBOT) for name in TEAMS),
        Body("ball", Role.PASSIVE, BALL),
        Body("goals", Role.STATIC, Material()),
    ]
    world = World(make.mjcf(*parts), bodies, [TEAMS, ("blue", "ball"), ("yellow", "ball")])
    start = world.initial.copy()
    line, slot = side * FIELD[2], world.slot("ball")
    kick_off(start, world, (0.0, 0.0))
    far = line + side * GOAL_DEPTH
    inside = (min(line, far) + 0.02, -GOAL_HALF, max(line, far) - 0.02, GOAL_HALF)
    judge = Judge(world, me)

    def held(scene: Scene) -> np.ndarray:
        return has_ball(scene, me, "ball")

    def clear(scene: Scene) -> np.ndarray:
        return judge.all_clear(scene.rows)

    def evaluate(scene: Scene) -> np.ndarray:
        return judge.values(scene.rows, float(start[0]))

    mouth = (min(line, far), -GOAL_HALF + 0.05, max(line, far), GOAL_HALF - 0.05)
    weights: dict[str, float | Callable[[Scene], np.ndarray]]
    weights = {"to a place": 0.2, "away": 0.2, "at the goal": clear, "facing the goal": 0.6}
    limits: dict[str, Any] = {
        "speed": SPEED,
        "acceleration": ACCELERATION,
        "force": FORCE,
        "turning": TURNING,
        "regain": True,
    }
    dribbling = Tactic(
        "dribbler",
        {
            "to a place": Dribble(me, "ball", **limits),
            "away": DribbleAway(me, "ball", (other,), **limits),
            "at the goal": Dribble(me, "ball", to=mouth, **limits),
            "facing the goal": DribbleFacing(me, "ball", mouth, **limits),
            "begin": Wait(me, (0.0, 0.0)),
        },
        dict.fromkeys(("begin", *weights), weights),
        "begin",
    )
    reactive = Tactic(
        "reactive attacker",
        {
            "get ball": GetBall(me, "ball"),
            "shoot": ShootAtGap(me, "ball", line, GOAL_HALF, (other,)),
        },
        {"get ball": {"shoot": held}, "shoot": {"get ball": 1.0}},
        "get ball",
    )
    chasing = Tactic(other, {"chase": Chase(other, "ball")}, {}, "chase")
    lines = [{"points": [*make.outline(FIELD), list(FIELD[:2])], "role": "line"}]
    for end in (FIELD[0], FIELD[2]):
        lines.append({"points": [[end, -GOAL_HALF], [end, GOAL_HALF]], "role": "goal"})
    ground = (FIELD[0] - 0.3, FIELD[1] - 0.2, FIELD[2] + 0.3, FIELD[3] + 0.2)
    return Problem(
        name="duel",
        world=world,
        start=start,
        tactics={"default": (dribbling, chasing), "reactive": (reactive,)},
        goal=Asked(_scored, [slot.qpos, *inside]),
        valid=Asked(_fair, [slot.qpos, world.slot(me).qpos, OUTSIDE]),
        evaluate=evaluate,
        exploring=Exploring(me, FIELD, 2.0, 4.0),
        lanes=16,
        horizon=1.5,
        anytime=True,
        ego=me,
        show=("ball", *TEAMS),
        scenery={**make.scenery(ground, boxes), "lines": lines},
    )


def _goal(end: float) -> list[tuple[float, float, float, float]]:
    """Walls of the goal at one end."""
    x, back, half = end * FIELD[2], end * (FIELD[2] + GOAL_DEPTH), GOAL_HALF
    near, far = min(x, back), max(x, back)
    behind = (back, back + 0.03) if end > 0 else (back - 0.03, back)
    return [
        (near, -half - 0.03, far, -half),
        (near, half, far, half + 0.03),
        (behind[0], -half - 0.03, behind[1], half + 0.03),
    ]


def kick_off(row: np.ndarray, world: World, ball: tuple[float, float], angle: float = 0.0) -> None:
    """Put the ball there, at rest, and both robots on their own sides of it, equally far, facing it. `angle`
    [rad] is that between the line through all three and the one from goal to goal."""
    row[1:] = world.initial[1:]
    make.place(row, world, "ball", *ball)
    dx, dy = 0.5 * APART * np.cos(angle), 0.5 * APART * np.sin(angle)
    for name, side in zip(TEAMS, (-1.0, 1.0), strict=True):
        facing = angle if side < 0 else wrap(angle + np.pi)
        make.place(row, world, name, ball[0] + side * dx, ball[1] + side * dy, float(facing))


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
        return float(_opening(row, self.about))

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
        opening = _opening(row, about)
        if opening > 0.0:
            found[k] = -opening * (1.0 - HASTE * (row[0] - now))
            continue
        time = _ramp(row[0] - now, SHORTEST, 0.0, LONG_ENOUGH, 1.0)
        found[k] = 1.0 - time * _opponent(row, about) * _handling(row, about) * _border(row, about) * _aim(
            row, about
        )
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
def _opening(row: np.ndarray, about: np.ndarray) -> float:
    """From 0 to 1, how surely a ball that is held gets into the goal if it is kicked along the heading."""
    (x, y), (bx, by) = _place(row, about, 1), _place(row, about, 2)
    heading, line = row[int(about[PLACE]) + 2], about[24]
    cos, sin = np.cos(heading), np.sin(heading)
    if cos * np.sign(line) < 0.3 or _handling(row, about) < 1.0:
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


@law
def _scored(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: where the ball's place begins, the goal's box."""
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    q = int(about[0])
    return about[1] < here[q] < about[3] and about[2] < here[q + 1] < about[4]


@law
def _fair(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Ball and robot are on the field. Numbers: where their places begin, how far outside they may be."""
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    good = True
    for k in range(2):
        q = int(about[k])
        good = good and FIELD[0] - about[2] < here[q] < FIELD[2] + about[2]
        good = good and FIELD[1] - about[2] < here[q + 1] < FIELD[3] + about[2]
    return good
