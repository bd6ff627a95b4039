"""`pool`: a trick shot with chained tactics (Zickler 2010, section 6.1.4).

The cue ball must hit the yellow ball, which must put the blue one into the corner pocket, without the cue
ball touching the three striped balls, one of which lies in the way of every straight shot. The cue ball is
shot once and swerves by its spin; the yellow ball gets a little spin of its own when it is hit. The pocket is
a hole in the bed: blue is in it when it is below the bed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.seeding import generator

from ..bodies import Body, Role, World
from ..law import Asked, law, views
from ..materials import Material
from ..problem import Exploring, Problem
from ..skills.billiards import STILL, RestUntilHit, Roll, SampledSpin, Shoot
from ..steering import PLACE, VELOCITY
from ..tactic import Tactic
from . import build as make

TABLE = (0.0, 0.0, 2.0, 1.0)  # [m]
RADIUS, MASS = 0.0286, 0.17  # [m], [kg]
POCKET, OPENING = 0.09, 0.11  # [m] side of the hole in the corner, and where the cushions end
DEPTH = 0.15  # [m] of the tray below the bed
UNMOVED = 0.002  # [m]
LATEST, BY_THEN = 1.5, 2.5  # [s] by which yellow must be hit, and blue
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
    spots |= _striped(spots[CUE], spots[YELLOW], random, shift)
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

    balls = [world.slot(name).numbers[[PLACE, VELOCITY]] for name in (CUE, YELLOW, BLUE)]
    taboo = [world.pair(CUE, name) for name in (BLUE, *STRIPED)]
    pocketed = Asked(_pocketed, [world.slot(BLUE).qpos + 2])
    plausible = Asked(_plausible, np.concatenate([*balls, spots[YELLOW], spots[BLUE], [len(taboo)], taboo]))

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
    hole = (x1 - p, y1 - p, x1 + c, y1 + c)
    return Problem(
        name="pool",
        world=world,
        start=start,
        tactics={"default": (cue, yellow)},
        goal=pocketed,
        valid=plausible,
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
    """The cue ball hits yellow in time and none of the others, stays on the table; yellow hits blue in time;
    something rolls.

    Numbers: where places and velocities of cue, yellow and blue begin, where yellow and blue lay, how many
    collisions the cue ball may not have, and which.
    """
    _, here, touch, _, about = views(forces, row, touched, variables, numbers)
    cue, yellow, blue = int(about[0]), int(about[2]), int(about[4])
    wrong = here[cue + 2] < 0.0
    if here[0] > LATEST:
        wrong |= np.hypot(here[yellow] - about[6], here[yellow + 1] - about[7]) < UNMOVED
    if here[0] > BY_THEN:
        wrong |= np.hypot(here[blue] - about[8], here[blue + 1] - about[9]) < UNMOVED
    for k in range(int(about[10])):
        wrong |= touch[int(about[11 + k])] != 0
    going = here[0] == 0.0 or here[blue + 2] < -RADIUS
    for k in range(3):
        v = int(about[2 * k + 1])
        going |= here[v] ** 2 + here[v + 1] ** 2 + here[v + 2] ** 2 > STILL**2
    return going and not wrong
