"""`pool`: a trick shot with chained tactics (Zickler 2010, section 6.1.4).

The cue ball must hit the yellow ball, which must put the blue one into the corner pocket, without the cue
ball touching the three striped balls on its way. The cue ball is shot once; its way to the yellow ball, and
the yellow ball's way after it was hit, are bent a little, as if by spin. Neither goes by the cushions.
"""

from __future__ import annotations

import numpy as np

from swerve.core.seeding import generator

from ..bodies import Body, Role, World
from ..materials import Material
from ..problem import Exploring, Problem
from ..scene import Scene
from ..skills.billiards import STILL, RestUntilHit, Roll, SampledSpin, Shoot
from ..tactic import Tactic
from . import build as make

TABLE = (0.0, 0.0, 2.0, 1.0)  # [m]
RADIUS, MASS = 0.0286, 0.17  # [m], [kg]
POCKET = 0.085  # [m] from the corner counts as in
OPENING = 0.13  # [m] of the cushions at the corner
UNMOVED = 0.002  # [m]
IVORY = Material(mass=MASS, restitution=0.95)
CUSHION = Material(restitution=0.8)
FELT = Material(friction=0.2, rolling=0.001)
STRIPED = ("striped 1 ball", "striped 2 ball", "striped 3 ball")
CUE, YELLOW, BLUE = "cue ball", "yellow ball", "blue ball"


def build(seed: int = 0) -> Problem:
    """Other layouts move all balls a little."""
    random = generator(seed, "pool layout")
    places = {
        CUE: (0.35, 0.35),
        YELLOW: (1.3, 0.5),
        BLUE: (1.78, 0.8),
        STRIPED[0]: (0.9, 0.28),
        STRIPED[1]: (0.99, 0.23),
        STRIPED[2]: (1.08, 0.18),
    }
    shift = 0.0 if seed == 0 else 0.03
    spots = {name: np.array(xy) + random.uniform(-shift, shift, 2) for name, xy in places.items()}
    x0, y0, x1, y1 = TABLE
    c, o = 0.05, OPENING
    cushions = [
        (x0 - c, y0 - c, x1 + c, y0),
        (x0 - c, y0, x0, y1 + c),
        (x0, y1, x1 - o, y1 + c),
        (x1, y0, x1 + c, y1 - o),
    ]
    parts = [make.floor(), make.walls("cushions", cushions, height=0.06)]
    parts += [make.ball(name, RADIUS, MASS) for name in places]
    roles = {CUE: Role.CONTROLLED, YELLOW: Role.CONTROLLED}
    bodies = [
        Body("floor", Role.STATIC, FELT, floor=True),
        Body("cushions", Role.STATIC, CUSHION),
        *(Body(name, roles.get(name, Role.PASSIVE), IVORY) for name in places),
    ]
    watch = [(CUE, YELLOW), (CUE, BLUE), (YELLOW, BLUE), *((CUE, name) for name in STRIPED)]
    watch += [(CUE, "cushions"), (YELLOW, "cushions")]
    world = World(make.mjcf(*parts), bodies, watch)
    start = world.initial.copy()
    for name, (x, y) in spots.items():
        make.place(start, world, name, x, y)
    pocket = np.array([x1, y1])

    def pocketed(scene: Scene) -> np.ndarray:
        return scene.distance(BLUE, np.broadcast_to(pocket, (len(scene), 2))) < POCKET

    def lies(scene: Scene, name: str) -> np.ndarray:
        """Whether a ball has not been hit yet."""
        return scene.distance(name, np.broadcast_to(spots[name], (len(scene), 2))) < UNMOVED

    def plausible(scene: Scene) -> np.ndarray:
        """The cue ball touches yellow only, neither goes by the cushions to the ball it is to hit, all balls
        stay on the table, and something still rolls."""
        wrong = scene.touching(CUE, BLUE)
        wrong = wrong | scene.touching(CUE, "cushions") & lies(scene, YELLOW)
        wrong = wrong | scene.touching(YELLOW, "cushions") & lies(scene, BLUE)
        for name in STRIPED:
            wrong = wrong | scene.touching(CUE, name)
        inside = np.ones(len(scene), dtype=bool)
        rolling = np.zeros(len(scene), dtype=bool)
        for name in (CUE, YELLOW, BLUE):
            inside &= scene.inside(name, (x0, y0, x1 + 0.02, y1 + 0.02))
            rolling |= scene.speed(name) > STILL
        return inside & ~wrong & (rolling | (scene.time == 0) | pocketed(scene))

    def yellow_hit(scene: Scene) -> np.ndarray:
        return scene.touching(CUE, YELLOW)

    def yellow_missed(scene: Scene) -> np.ndarray:
        return ~yellow_hit(scene)

    after = {"roll": yellow_hit, "spin": yellow_missed}
    cue = Tactic(
        "cue ball",
        {
            "shoot": Shoot(CUE, YELLOW, (1.5, 4.0), seconds=0.1),
            "spin": SampledSpin(CUE, YELLOW, (0.0, 1.0), seconds=0.2, again=True),
            "roll": Roll(CUE),
        },
        {"shoot": after, "spin": after},
        "shoot",
    )
    yellow = Tactic(
        "yellow ball",
        {"rest": RestUntilHit(YELLOW, CUE), "spin": SampledSpin(YELLOW, BLUE, (0.0, 4.0))},
        {"rest": {"spin": 1.0}},
        "rest",
    )
    return Problem(
        name="pool",
        world=world,
        start=start,
        tactics={"default": (cue, yellow)},
        goal=pocketed,
        valid=plausible,
        exploring=Exploring(CUE, TABLE, 4.0, 4.0),
        mu=1000.0,
        horizon=8.0,
        ego=CUE,
        show=(CUE, YELLOW, BLUE),
        scenery=make.scenery(TABLE, cushions, (x1 - POCKET * 0.7, y1 - POCKET * 0.7, x1 + 0.03, y1 + 0.03)),
    )
