"""`pool`: a trick shot with chained tactics (Zickler 2010, section 6.1.4).

The cue ball must hit the yellow ball, which must put the blue one into the corner pocket, without the cue
ball touching the three striped balls, one of which lies in the way of every straight shot. The cue ball is
shot once and swerves by its spin; the yellow ball gets a little spin of its own when it is hit. The pocket is
a hole in the bed: blue is in it when it is below the bed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.kernels import inner, kernel
from swerve.core.seeding import generator

from ..bodies import Body, Role, World
from ..friction import surface_velocity
from ..law import Asked, law, views
from ..materials import Material, pair_restitution
from ..problem import Exploring, Problem
from ..skills.billiards import STILL, RestUntilHit, Roll, SampledSpin, Shoot
from ..steering import PLACE, VELOCITY
from ..tactic import Tactic
from . import build as make
from .cushions import comes_near

TABLE = (0.0, 0.0, 2.0, 1.0)  # [m]
RADIUS, MASS = 0.0286, 0.17  # [m], [kg]
POCKET, OPENING = 0.09, 0.11  # [m] side of the hole in the corner, and where the cushions end
DEPTH = 0.15  # [m] of the tray below the bed
UNMOVED = 0.002  # [m]
JUST_SHOT = 0.03  # [s] after which the cue ball is left to itself
LATEST, BY_THEN, DOWN_BY = 1.0, 2.5, 4.0  # [s] by which yellow must be hit, blue be hit, and blue be down
HIT, AWAY = 0.02, 0.1  # [m] that blue has rolled after its hit, and yellow when its spin was given
PAST, WIDE = 0.005, 0.15  # [m] by which yellow passes blue, and blue the middle of the pocket, if it misses
UNSURE, NEAR_POCKET = 0.01, 0.25  # [m] that yellow may be off after a cushion; where blue is left to itself
BANKED = 1  # cushions by which a ball may come
SURELY, AHEAD = 0.001, 60  # [m] by which a way leads through a ball, and [steps] for which it is looked at
IVORY = Material(mass=MASS, restitution=0.95)
CUSHION = Material(restitution=0.8)
LEATHER = Material(restitution=0.1)
FELT = Material(friction=0.25, rolling=0.0005)
TRAY = Material(friction=0.5, rolling=0.02)
STRIPED = ("striped 1 ball", "striped 2 ball", "striped 3 ball")
CUE, YELLOW, BLUE = "cue ball", "yellow ball", "blue ball"


def build(seed: int = 0) -> Problem:
    """Other layouts move all balls a little; a striped ball stays about half way from cue to yellow."""
    random = generator(seed, "pool layout")
    shift = 0.0 if seed == 0 else 0.03
    spots = {
        name: np.array(xy) + random.uniform(-shift, shift, 2)
        for name, xy in ((CUE, (0.35, 0.35)), (YELLOW, (1.3, 0.5)), (BLUE, (1.78, 0.8)))
    }
    return table(spots | _striped(spots[CUE], spots[YELLOW], random, shift))


def table(spots: dict[str, np.ndarray]) -> Problem:
    """The problem with balls at `spots` [m]: cue, yellow and blue, and three striped ones."""
    x0, y0, x1, y1 = TABLE
    c, o, p = 0.05, OPENING, POCKET
    cushions = [
        (x0 - c, y0 - c, x1 + c, y0),
        (x0 - c, y0, x0, y1 + c),
        (x0, y1, x1 - o, y1 + c),
        (x1, y0, x1 + c, y1 - o),
    ]
    back = [(x1 + c, y1 - o, x1 + 2 * c, y1 + 2 * c), (x1 - o, y1 + c, x1 + c, y1 + 2 * c)]
    bed = [(x0 - c, y0 - c, x1 - p, y1 + c), (x1 - p, y0 - c, x1 + c, y1 - p)]
    parts = [
        make.bed("bed", bed, DEPTH),
        make.walls("cushions", cushions, 0.06),
        make.walls("pocket", back, 0.12, DEPTH),
    ]
    parts += [make.ball(name, RADIUS, MASS) for name in spots]
    roles = {CUE: Role.CONTROLLED, YELLOW: Role.CONTROLLED}
    bodies = [
        Body("bed", Role.STATIC, FELT, floor=True),
        Body("tray", Role.STATIC, TRAY, floor=True),
        Body("cushions", Role.STATIC, CUSHION),
        Body("pocket", Role.STATIC, LEATHER),
        *(Body(name, roles.get(name, Role.PASSIVE), IVORY) for name in spots),
    ]
    watch = [(CUE, YELLOW), (CUE, BLUE), (YELLOW, BLUE), *((CUE, name) for name in STRIPED)]
    world = World(make.mjcf(*parts), bodies, watch)
    start = world.initial.copy()
    for name, (x, y) in spots.items():
        make.place(start, world, name, x, y)

    hole = (x1 - p, y1 - p, x1 + c, y1 + c)
    balls = [world.slot(name).numbers[[PLACE, VELOCITY]] for name in (CUE, YELLOW, BLUE)]
    taboo = [world.pair(CUE, name) for name in (BLUE, *STRIPED)]
    striped = [world.slot(name).qpos for name in STRIPED]
    slipping = [(FELT.friction or 0.0) * make.GRAVITY, *spots[YELLOW]]
    fair = [*balls[0], *balls[1], *slipping, len(taboo), *taboo, len(striped), *striped]
    aim = [(hole[0] + hole[2]) / 2, (hole[1] + hole[3]) / 2]
    cloth = [(FELT.friction or 0.0) * make.GRAVITY, 5 / 7 * FELT.rolling * make.GRAVITY / RADIUS]
    rails = [x1 - x0, y1 - y0, POCKET, RADIUS, *cloth, pair_restitution(IVORY, CUSHION, False)]
    missed = Asked(_missed, np.concatenate([*balls, spots[YELLOW], spots[BLUE], aim, rails]))
    pocketed = Asked(_pocketed, [world.slot(BLUE).qpos + 2], lost=missed)

    cue = Tactic(
        "cue ball",
        {
            "shoot": Shoot(CUE, YELLOW, (1.2, 2.4), swerve=(-1.0, 1.0), cloth=FELT.friction or 0.0),
            "roll": Roll(CUE),
        },
        {"shoot": {"roll": 1.0}},
        "shoot",
    )
    yellow = Tactic(
        "yellow ball",
        {"rest": RestUntilHit(YELLOW, CUE), "spin": SampledSpin(YELLOW)},
        {"rest": {"spin": 1.0}},
        "rest",
    )
    return Problem(
        name="pool",
        world=world,
        start=start,
        tactics={"default": (cue, yellow)},
        goal=pocketed,
        valid=Asked(_plausible, fair),
        exploring=Exploring(CUE, TABLE, 4.0, 4.0),
        horizon=8.0,
        ego=CUE,
        show=(CUE, YELLOW, BLUE),
        scenery=make.scenery((x0 - c, y0 - c, x1 + c, y1 + c), [*cushions, *back], hole),
    )


def _striped(
    cue: np.ndarray, yellow: np.ndarray, random: np.random.Generator, shift: float
) -> dict[str, np.ndarray]:
    """Places of the striped balls: the first where every straight shot goes, the others to its left."""
    along = (yellow - cue) / np.hypot(*(yellow - cue))
    left = np.array([-along[1], along[0]])
    off = random.uniform(-shift, shift, (3, 2)) * np.array([[1.0, 0.5], [1.0, 1.0], [1.0, 1.0]])
    middle = (cue + yellow) / 2 + 0.01 * left
    return {
        name: middle + 0.13 * k * left + (off[k, 0] + 0.03 * k) * along + off[k, 1] * left
        for k, name in enumerate(STRIPED)
    }


@law
def _pocketed(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """All of blue is below the bed. Numbers: where its height is."""
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    return here[int(about[0])] < -RADIUS


@law
def _plausible(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """The cue ball stays on the table and touches none but yellow, as far as can be seen when it was shot.

    Numbers: where places and velocities of cue and yellow begin, what slipping accelerates by, where yellow
    lay, how many collisions the cue ball may not have, and which, how many striped balls there are, and where
    their places begin.
    """
    _, here, touch, _, about = views(forces, row, touched, variables, numbers)
    cue, yellow, taboo = int(about[0]), int(about[2]), int(about[7])
    wrong = here[cue + 2] < 0.0
    for k in range(taboo):
        wrong |= touch[int(about[8 + k])] != 0
    unmoved = np.hypot(here[yellow] - about[5], here[yellow + 1] - about[6]) < UNMOVED
    if unmoved and 0.0 < here[0] < JUST_SHOT:
        for k in range(int(about[8 + taboo])):
            wrong |= _runs_into(here, cue, int(about[1]), int(about[9 + taboo + k]), yellow, about[4])
    return not wrong


@law
def _missed(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """The cue ball rolls past yellow, or yellow past blue, or blue past the pocket, or one of them does not
    come there in time; or what must roll lies. Ways by one cushion are followed, others are ways past.

    Numbers: where places and velocities of cue, yellow and blue begin, where yellow and blue lay, the middle
    of the pocket, the table (`cushions`).
    """
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    yellow, blue, now, rails = int(about[2]), int(about[4]), here[0], about[12:19]
    yellow_way = np.hypot(here[yellow] - about[6], here[yellow + 1] - about[7])
    blue_way = np.hypot(here[blue] - about[8], here[blue + 1] - about[9])
    rolls, missed = now == 0.0 or here[blue + 2] < -RADIUS, now > DOWN_BY
    if blue_way < UNMOVED:
        hit = yellow_way > UNMOVED  # yellow; else the cue ball must come to it
        ball, v = int(about[2 * hit]), int(about[2 * hit + 1])
        x, y, far = here[int(about[2 + 2 * hit])], here[int(about[2 + 2 * hit]) + 1], 2 * RADIUS + PAST
        left = (BY_THEN if hit else LATEST) - now
        missed |= left < 0.0
        if not missed and (yellow_way > AWAY if hit else now > 0.0):
            missed |= not comes_near(here, ball, v, x, y, far, far + UNSURE, left, BANKED, rails)
    elif blue_way > HIT and np.hypot(here[blue] - about[10], here[blue + 1] - about[11]) > NEAR_POCKET:
        v, left = int(about[5]), DOWN_BY - now
        missed |= not comes_near(here, blue, v, about[10], about[11], WIDE, NEAR_POCKET, left, BANKED, rails)
    for k in range(0 if blue_way < UNMOVED else 2, 3):  # what blue was hit with does not hit it again
        v = int(about[2 * k + 1])
        rolls |= here[v] ** 2 + here[v + 1] ** 2 + here[v + 2] ** 2 > STILL**2
    return missed or not rolls


@inner
@kernel
def _runs_into(row: np.ndarray, ball: int, velocity: int, other: int, aim: int, grip: float) -> bool:
    """Whether a ball is sure to run into another before it comes to what it aims at, or to a cushion.

    While it slips the cloth accelerates it by `grip` [m/s²] against that.
    """
    slip_x, slip_y, _ = surface_velocity(row, ball, velocity, 0.0, 0.0, -RADIUS)
    slip = np.hypot(slip_x, slip_y) + 1e-9
    over, reach = 2 / 7 * slip / grip, 2 * RADIUS  # [s] until it rolls, [m]
    for step in range(1, AHEAD):
        t = step / 60
        bent = grip / slip * min(t, over) * (t - min(t, over) / 2)
        x = row[ball] + row[velocity] * t - slip_x * bent
        y = row[ball + 1] + row[velocity + 1] * t - slip_y * bent
        if np.hypot(row[other] - x, row[other + 1] - y) < reach - SURELY:
            return True
        if np.hypot(row[aim] - x, row[aim + 1] - y) < reach:
            return False
        if not (RADIUS < x < TABLE[2] - RADIUS and RADIUS < y < TABLE[3] - RADIUS):
            return False
    return False
