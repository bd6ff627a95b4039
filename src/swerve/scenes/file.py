"""A world in a file, YAML or TOML.

name: Two vans and a crate
seconds: 20            # how long
seed: 1
ways:                  # lines that bodies follow
  street: {points: [[0, 0], [80, 0], [120, 40]], width: 7}
bodies:                # plain ones: on a way, or going on from a place as they are pushed
  - {kind: van, count: 2, size: [5, 2, 2.2], way: street, at: 5, spacing: 15, speed: 9}
  - {kind: crate, size: [1, 1, 1], place: [60, 30], heading: -1.57, speed: 4, drag: 0.5}
cars:                  # sliding cars that plan their way among all the others
  - {way: street, at: 25, tree: large}
cyclists:              # in a row
  - {count: 3, way: street, at: 50, offset: -2}

With `town: {name: grid, vehicles: 20}` all this happens in a town, and cars and cyclists may say
`avenue: true` or `drive: 300` instead of a way.

Unknown fields are errors. Metres, seconds, radians.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline

from swerve.core.errors import BadInput
from swerve.core.provenance import provenance
from swerve.core.scene_file import load
from swerve.core.seeding import generator
from swerve.core.way import SPACING, Way, check_course
from swerve.core.world import World

from .cars import add_cars
from .cyclists import add_cyclists
from .parts import BodyPart, SceneFile, WayPart
from .plain import AlongWay, rolling
from .scene import Scene
from .stage import Stage
from .town import add_town

RESERVED = ("light",)  # kinds of rows in recordings that are no bodies
WATCHED = 64  # bodies of a batch whose smallest gap is kept: more would cost too much


def read_scene(path: str | Path, seed: int | None = None) -> Scene:
    """The scene described in a file; `seed` replaces the file's own."""
    path = Path(path)
    asked = load(path, "scene", SceneFile)
    seed = asked.seed if seed is None else seed
    name = asked.name or path.stem
    stage = Stage(asked, path.parent, World(asked.dt), seed)
    try:
        for key, build in BUILDERS.items():
            if getattr(asked, key):
                build(stage, generator(seed, key))
        if not stage.world.members:
            raise BadInput(", ".join(BUILDERS), None, "one of them is needed: nobody is in this world")
    except BadInput as error:
        raise BadInput(f"scene {path}", None, str(error)) from error
    stage.world.meta |= provenance(name, seed) | stage.scenery()
    ended = (lambda world: stage.arrived()) if stage.arrivals else None
    return Scene(name, stage.world, seed, asked.seconds, ended=ended)


def add_ways(stage: Stage, rng: np.random.Generator) -> None:
    """Lines by name, drawn as roads as wide as they are."""
    for name, part in stage.asked.ways.items():
        stage.ways[name] = _way(name, part)
        stage.draw(stage.ways[name])


def add_bodies(stage: Stage, rng: np.random.Generator) -> None:
    """Plain bodies: a batch for each entry."""
    for number, part in enumerate(stage.asked.bodies):
        where = f"bodies.{number}"
        if (part.way is None) == (part.place is None):
            raise BadInput(where, part.way, "needs either a way or a place")
        if part.kind in RESERVED:
            raise BadInput(f"{where}.kind", part.kind, "is what recordings call something else")
        batch = rolling(part.kind, part.size, part.drag, part.mass).start(part.count)
        mind, height = None, 0.0
        speed = np.full(part.count, part.speed)
        if part.way is not None:
            way = stage.way(f"{where}.way", part.way)
            station = _stations(where, part, way)
            poses, height = way.place(station, part.offset), float(way.z[0])
            mind = AlongWay(way, speed, part.offset)
            speed = np.minimum(speed, mind.stopping_speed(station))
        else:
            _check_spacing(where, part)
            poses = _in_a_row(part)
        batch.rows[:, :3] = poses
        batch.rows[:, 3] = speed * np.cos(poses[:, 2])
        batch.rows[:, 4] = speed * np.sin(poses[:, 2])
        batch.rows[:, 5:] = part.turn
        stage.world.add(batch, mind, name=where, watch=part.count <= WATCHED, height=height)


def _check_spacing(where: str, part: BodyPart) -> None:
    if part.count > 1 and part.spacing < part.size[0]:
        why = f"must be at least the length of a {part.kind} ({part.size[0]:g} m)"
        raise BadInput(f"{where}.spacing", part.spacing, why)


def _stations(where: str, part: BodyPart, way: Way) -> np.ndarray:
    """Of bodies on a way, where what they are told makes sense there."""
    for field in ("turn", "drag"):
        if getattr(part, field):
            why = "is of bodies at a place; on a way it must be left out"
            raise BadInput(f"{where}.{field}", getattr(part, field), why)
    _check_spacing(where, part)
    station = part.at + part.spacing * np.arange(part.count)
    if station[0] < 0 or station[0] > way.length:
        raise BadInput(f"{where}.at", part.at, f"must be between 0 and the {way.length:.0f} m of {part.way}")
    room = way.length + station[0] - part.spacing if way.closed else way.length
    if station[-1] > room + 1e-9:
        raise BadInput(f"{where}.count", part.count, f"do not fit on {way.length:.0f} m of {part.way}")
    return station


Builder = Callable[[Stage, np.random.Generator], None]
BUILDERS: dict[str, Builder] = {
    "town": add_town,
    "ways": add_ways,
    "bodies": add_bodies,
    "cyclists": add_cyclists,
    "cars": add_cars,
}
"""What a field of a scene file puts into the world, in this order."""


def _way(name: str, part: WayPart) -> Way:
    right = part.width / 2 if part.right is None else part.right
    left = part.width / 2 if part.left is None else part.left
    points = np.array(part.points)
    if part.closed and len(points) < 3:
        raise BadInput(f"ways.{name}.points", len(points), "of a closed way must be at least 3")
    far = np.hypot(*np.diff(points, axis=0).T)
    if (far < 1e-3).any():
        raise BadInput(f"ways.{name}.points.{int(np.argmin(far)) + 1}", None, "lies on the point before it")
    check_course(f"ways.{name}", points, SPACING, part.closed and not np.array_equal(points[0], points[-1]))
    if not part.straight and len(points) > 2:
        points = _smooth(points, part.closed)
    return Way.through(points, right, left, part.height, part.closed, name=name)


def _smooth(points: np.ndarray, closed: bool) -> np.ndarray:
    """Points every half metre or so on a spline through `points` (m, 2)."""
    if closed and np.hypot(*(points[0] - points[-1])) > 1e-3:
        points = np.vstack([points, points[:1]])
    station = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    points[-1] = points[0] if closed else points[-1]
    line = CubicSpline(station, points, bc_type="periodic" if closed else "natural")
    return line(np.linspace(0.0, station[-1], max(2, round(2 * station[-1]))))


def _in_a_row(part: BodyPart) -> np.ndarray:
    """Poses (n, 3): one behind the other, the first at its place."""
    assert part.place is not None
    ahead = np.array([np.cos(part.heading), np.sin(part.heading)])
    places = np.array(part.place) - part.spacing * np.arange(part.count)[:, None] * ahead
    return np.column_stack([places, np.full(part.count, part.heading)])
