"""`dice`: many dice fall through a grid of spheres and come to rest as a logo (Zickler 2010, section 6.1.5).

The dice begin at random above two layers of spheres, each with a place in an S on the floor of a bucket. They
collide with spheres, walls and each other. Nobody should notice that each is pushed a little while it flies.
A branch ends when all dice lie. The planner makes as many as its limits allow and returns the one whose dice
lie nearest to their places.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.transform import Rotation

from swerve.core.errors import require
from swerve.core.kernels import kernel
from swerve.core.seeding import generator

from ..bodies import Body, Role, World
from ..materials import Material
from ..problem import Exploring, Problem
from ..scene import Scene
from ..skills.falling import BiasedFall
from ..tactic import Tactic
from . import build as make

MOST = 1000
EDGE, MASS = 0.05, 0.05  # [m], [kg] of a die
PITCH = 1.5 * EDGE  # [m] between places of the logo
DIE = Material(mass=MASS, friction=0.6, restitution=0.1)
FELT = Material(friction=0.6)
POLISHED = Material(restitution=0.3)  # spheres and walls: nothing stays lying on them
SPHERE, BETWEEN_SPHERES = 0.07, 0.3  # [m] radius, and from middle to middle
LAYERS = (2.4, 2.65)  # [m] heights of the spheres' middles, the second shifted by half a space
CLOUD, CELL = 3.0, 2.0 * EDGE  # [m] where the dice begin, and the room that each has there
PUSH, TURN = (
    9.81,
    200.0,
)  # [m/s²], [rad/s²] most that a die in flight is accelerated: 1 g, also at its corners
STILL = 0.05  # [m/s] slower than which a die counts as lying
STROKE = 0.36  # half the width of the S over the radius of its arcs


def build(seed: int = 0, count: int = 400) -> Problem:
    """Other layouts begin with other places and attitudes of the dice."""
    require(1 <= count <= MOST, "dice", count, f"must be 1 to {MOST} in number")
    random = generator(seed, "dice layout")
    targets = logo(count)
    reach = np.abs(targets).max(axis=0) + 2.0 * PITCH
    bucket = (-reach[0], -reach[1], reach[0], reach[1])
    names = tuple(f"die {k + 1}" for k in range(count))
    world = _world(names, bucket)
    places = _cloud(count, reach, random)
    attitudes = Rotation.random(count, random).as_quat(scalar_first=True)
    _, chosen = linear_sum_assignment(((places[:, None, :2] - targets) ** 2).sum(axis=-1))
    targets = targets[chosen]
    start = world.initial.copy()
    slots = [world.slot(name) for name in names]
    for slot, place, attitude in zip(slots, places, attitudes, strict=True):
        start[slot.qpos : slot.qpos + 3], start[slot.qpos + 3 : slot.qpos + 7] = place, attitude
    columns = np.array([(slot.qpos, slot.qvel) for slot in slots])

    def mean_distance(scene: Scene) -> np.ndarray:
        """(b,) in edges."""
        return distances(scene.rows, columns, targets)[0].mean(axis=1) / EDGE

    def evaluate(scene: Scene) -> np.ndarray:
        """Mean squared distance in edges², and a penalty for the fastest die that still moves."""
        distance, speed = distances(scene.rows, columns, targets)
        moving = np.maximum(speed.max(axis=1) / STILL - 1.0, 0.0)
        return ((distance / EDGE) ** 2).mean(axis=1) + 10.0 * moving

    def at_rest(scene: Scene) -> np.ndarray:
        _, speed = distances(scene.rows, columns, targets)
        return (scene.time > 0) & (speed < STILL).all(axis=1)

    fall = BiasedFall(names, targets, EDGE / 2, PUSH, TURN)
    return Problem(
        name="dice" if count == 400 else f"dice-{count}",
        world=world,
        start=start,
        tactics={"default": (Tactic("dice", {"fall": fall}, {}, "fall"),)},
        goal=at_rest,
        exploring=Exploring(names[0], bucket, 1.0, PUSH),
        evaluate=evaluate,
        figures={"mean_distance_in_edges": mean_distance},
        mu=1000.0,
        lanes=16,
        nodes=6_000,
        anytime=True,
        horizon=6.0,
        show=(),
        scenery=_scenery(bucket, targets),
    )


def logo(count: int) -> np.ndarray:
    """(count, 2) places in an S, on a square grid of `PITCH`: those nearest to its middle line."""
    radius = PITCH * np.sqrt(count / 6.6)
    turn = np.linspace(np.radians(15.0), np.radians(270.0), 400)
    upper = radius * np.column_stack([np.cos(turn), 1.0 + np.sin(turn)])
    line = np.vstack([upper, -upper[::-1]])
    half = np.ceil(np.abs(line).max(axis=0) / PITCH) + 3
    x, y = (PITCH * (np.arange(-h, h) + 0.5) for h in half)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    off = np.sqrt(((grid[:, None] - line) ** 2).sum(axis=-1)).min(axis=1)
    return grid[np.sort(np.argsort(np.round(off, 9), kind="stable")[:count])]


@kernel
def distances(rows: np.ndarray, columns: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(b, dice) from each die's middle to that of its place on the floor [m], and its speed [m/s].

    Speed counts turning at the corners.
    """
    distance = np.empty((len(rows), len(columns)))
    speed = np.empty_like(distance)
    for i in range(len(rows)):
        for k in range(len(columns)):
            q, v = columns[k, 0], columns[k, 1]
            row = rows[i]
            dx, dy, dz = row[q] - targets[k, 0], row[q + 1] - targets[k, 1], row[q + 2] - EDGE / 2
            distance[i, k] = np.sqrt(dx * dx + dy * dy + dz * dz)
            going = np.sqrt(row[v] ** 2 + row[v + 1] ** 2 + row[v + 2] ** 2)
            turning = np.sqrt(row[v + 3] ** 2 + row[v + 4] ** 2 + row[v + 5] ** 2)
            speed[i, k] = max(going, turning * EDGE)
    return distance, speed


def _world(names: tuple[str, ...], bucket: tuple[float, float, float, float]) -> World:
    x0, y0, x1, y1 = bucket
    spheres = "".join(
        f'<geom type="sphere" pos="{x} {y} {height}" size="{SPHERE}" contype="1" conaffinity="0"/>'
        for layer, height in enumerate(LAYERS)
        for x in _spread(x0, x1, layer % 2 == 1)
        for y in _spread(y0, y1, layer % 2 == 1)
    )
    tall = CLOUD + 2.0
    planes = "".join(
        f'<geom type="plane" pos="{x} {y} 0" zaxis="{a} {b} 0" size="9 9 1" contype="1" conaffinity="0"/>'
        for x, y, a, b in ((x0, 0, 1, 0), (x1, 0, -1, 0), (0, y0, 0, 1), (0, y1, 0, -1))
    )
    half = EDGE / 2
    dice = "".join(
        f'<body name="{name}" pos="0 0 {tall}"><freejoint/>'
        f'<geom type="box" size="{half} {half} {half}" mass="1" contype="1" conaffinity="1"/></body>'
        for name in names
    )
    mjcf = make.mjcf(
        '<body name="floor"><geom type="plane" size="9 9 1" contype="1" conaffinity="0"/></body>',
        f'<body name="walls">{planes}</body>',
        f'<body name="spheres">{spheres}</body>',
        dice,
    )
    bodies = [
        Body("floor", Role.STATIC, FELT, floor=True),
        Body("walls", Role.STATIC, POLISHED),
        Body("spheres", Role.STATIC, POLISHED),
        *(Body(name, Role.CONTROLLED, DIE) for name in names),
    ]
    return World(mjcf, bodies)


def _spread(low: float, high: float, shifted: bool) -> np.ndarray:
    """Middles of spheres between two walls."""
    count = max(int((high - low) / BETWEEN_SPHERES), 1)
    edges = np.linspace(low, high, count + 1)
    return edges[1:-1] if shifted else (edges[1:] + edges[:-1]) / 2


def _cloud(count: int, reach: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """(count, 3) places above the spheres at random, each in a cell of its own."""
    along = np.floor(2.0 * reach / CELL).astype(int)
    layers = int(np.ceil(2.5 * count / along.prod()))
    cells = random.permutation(along.prod() * layers)[:count]
    x, y, z = np.unravel_index(cells, (*along, layers))
    middle = np.column_stack([x + 0.5 - along[0] / 2, y + 0.5 - along[1] / 2, z + 0.5]) * CELL
    loose = CELL - np.sqrt(3.0) * EDGE
    middle[:, 2] += CLOUD
    return middle + random.uniform(-loose / 2, loose / 2, (count, 3))


def _scenery(bucket: tuple[float, float, float, float], targets: np.ndarray) -> dict[str, object]:
    """The bucket, and the places of the logo."""
    scenery = make.scenery(bucket, ground_role="pavement")
    half = EDGE / 2
    scenery["areas"] += [
        {"points": make.outline((x - half, y - half, x + half, y + half)), "role": "goal"} for x, y in targets
    ]
    return scenery
