"""`duel`: one against one, a ball and two goals (Zickler 2010, section 7.3).

The planner's part is what the original calls PhysicsDribble: lead the ball to some place, away from the
opponent, towards the goal or facing it, or go round it, expecting the opponent to attack: to get the ball,
aim at the goal and kick. `duel_judge` says how good states are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from swerve.core.geometry import wrap

from ..bodies import Body, Role, World
from ..law import Asked, law, views
from ..materials import Material
from ..problem import Exploring, Problem
from ..scene import Scene
from ..skills import (
    Attack,
    Chase,
    Dribble,
    DribbleAway,
    DribbleFacing,
    GetBall,
    GoRound,
    GuardGoal,
    Wait,
    has_ball,
)
from ..skills.reactive import ShootAtGap
from ..tactic import Tactic
from . import build as make
from .duel_judge import FIELD, GOAL_HALF, TEAMS, Judge

GOAL_DEPTH = 0.18  # [m]
OUTSIDE = 0.5  # [m] beyond the lines where plans may still go
APART = 1.0  # [m] between the two when a game begins, the ball in their middle
BALL = Material(mass=make.BALL_MASS, restitution=0.5, friction=0.1)
FLOOR = Material(friction=0.4, rolling=0.001, restitution=0.3)
SPEED, ACCELERATION = 2.0, 3.5  # [m/s], [m/s²] with the ball
FORCE = 0.24  # [N] of the dribbler that plans count on
TURNING = (6.0, 30.0)  # [rad/s], [rad/s²] with the ball
BEFORE = 0.12  # [m] before its goal's line, where a guard stands
TOO_FEW = int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE | mujoco.mjtDisableBit.mjDSBL_ISLAND)  # bodies for these
SHOT = 2.5  # [m/s] towards a goal of a ball that somebody has shot


def build(me: str = "blue") -> Problem:
    """The duel as `me` sees it; the other is expected to attack."""
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
    world.model.opt.disableflags |= TOO_FEW
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
    weights = {"to a place": 0.2, "away": 0.2, "at the goal": clear, "facing the goal": 0.6, "round it": 0.5}
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
            "round it": GoRound(me, "ball", mouth),
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
    chasing = Tactic("chaser", {"chase": Chase(me, "ball")}, {}, "chase")
    before = -line * (1.0 - BEFORE / FIELD[2])
    guarding = Tactic("guard", {"guard": GuardGoal(me, "ball", before, GOAL_HALF)}, {}, "guard")
    theirs = Attack(other, "ball", me, -line, GOAL_HALF)
    attacking = Tactic(other, {"attack": theirs}, {}, "attack")
    lines = [{"points": [*make.outline(FIELD), list(FIELD[:2])], "role": "line"}]
    for end in (FIELD[0], FIELD[2]):
        lines.append({"points": [[end, -GOAL_HALF], [end, GOAL_HALF]], "role": "goal"})
    ground = (FIELD[0] - 0.3, FIELD[1] - 0.2, FIELD[2] + 0.3, FIELD[3] + 0.2)
    return Problem(
        name="duel",
        world=world,
        start=start,
        tactics={
            "default": (dribbling, attacking),
            "reactive": (reactive,),
            "chase": (chasing,),
            "guard": (guarding,),
        },
        goal=Asked(_scored, [slot.qpos, *inside]),
        valid=Asked(_fair, [slot.qpos, world.slot(me).qpos, OUTSIDE, slot.qvel, -line]),
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


@law
def _scored(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: where the ball's place begins, the goal's box."""
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    q = int(about[0])
    return about[1] < here[q] < about[3] and about[2] < here[q + 1] < about[4]


def unless_it_shoots(problem: Problem) -> Problem:
    """The same with an opponent that goes for the ball and aims, but is not expected to kick."""
    mine, theirs = problem.tactics["default"]
    attack = theirs.skills["attack"]
    assert isinstance(attack, Attack)
    aims = replace(theirs, skills={"attack": replace(attack, strength=0.0)})
    return replace(problem, tactics={**problem.tactics, "default": (mine, aims)})


@law
def _fair(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Ball and robot are on the field, and nobody has shot at our goal. Numbers: where their places begin,
    how far outside they may be, where the ball's velocity begins, our goal's line."""
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    good = True
    for k in range(2):
        q = int(about[k])
        good = good and FIELD[0] - about[2] < here[q] < FIELD[2] + about[2]
        good = good and FIELD[1] - about[2] < here[q + 1] < FIELD[3] + about[2]
    x, y, v, line = here[int(about[0])], here[int(about[0]) + 1], int(about[3]), about[4]
    if here[v] * np.sign(line) > SHOT:
        across = y + (line - x) * here[v + 1] / here[v]
        good = good and abs(across) > GOAL_HALF
    return good
