"""`pool`: a trick shot with chained tactics (Zickler 2010, section 6.1.4).

The cue ball must hit the yellow ball, which must put the blue one into the corner pocket, without the cue
ball touching the three striped balls, one of which lies in the way of every straight shot. The cue ball is
shot once and swerves by its spin; the yellow ball gets a little spin of its own when it is hit. The pocket is
a hole in the bed: blue is in it when it is below the bed.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel
from swerve.core.seeding import generator

from ..bodies import Body, Role, World
from ..materials import Material
from ..problem import Exploring, Problem
from ..scene import Scene
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

    def pocketed(scene: Scene) -> np.ndarray:
        """All of blue is below the bed."""
        return scene.position(BLUE)[:, 2] < -RADIUS

    balls = np.array([world.slot(name).numbers for name in (CUE, YELLOW, BLUE)])
    taboo = np.array([world.pair(CUE, name) for name in (BLUE, *STRIPED)])

    def plausible(scene: Scene) -> np.ndarray:
        """The cue ball hits yellow in time and none of the others, stays on the table; yellow hits blue in
        time; something rolls."""
        return _plausible(scene.rows, scene.touched, balls, taboo, spots[YELLOW], spots[BLUE])

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


@kernel
def _plausible(
    rows: np.ndarray,
    touched: np.ndarray,
    balls: np.ndarray,
    taboo: np.ndarray,
    yellow_lay: np.ndarray,
    blue_lay: np.ndarray,
) -> np.ndarray:
    """`balls` are the numbers of cue, yellow and blue; `taboo` what the cue ball may not touch."""
    good = np.empty(len(rows), dtype=np.bool_)
    cue, yellow, blue = int(balls[0, PLACE]), int(balls[1, PLACE]), int(balls[2, PLACE])
    for i in range(len(rows)):
        row = rows[i]
        wrong = row[cue + 2] < 0.0
        if row[0] > LATEST:
            wrong |= np.hypot(row[yellow] - yellow_lay[0], row[yellow + 1] - yellow_lay[1]) < UNMOVED
        if row[0] > BY_THEN:
            wrong |= np.hypot(row[blue] - blue_lay[0], row[blue + 1] - blue_lay[1]) < UNMOVED
        for column in taboo:
            wrong |= touched[i, column]
        going = row[0] == 0.0 or row[blue + 2] < -RADIUS
        for k in range(len(balls)):
            v = int(balls[k, VELOCITY])
            going |= row[v] ** 2 + row[v + 1] ** 2 + row[v + 2] ** 2 > STILL**2
        good[i] = going and not wrong
    return good
