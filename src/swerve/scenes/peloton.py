"""`peloton`: sixteen cyclists along a winding street, four of them in full physics, cars behind and beside.

The riders ride two abreast in the outer of two lanes. Two cars follow them, others pass in the lane beside
them, more come the other way. Every rider has a place in the field that goes along the street at one speed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.errors import require
from swerve.core.provenance import provenance
from swerve.core.seeding import generator
from swerve.core.steered import SteeredBodies
from swerve.core.way import Way
from swerve.core.world import World
from swerve.riders.bodies.rider import load_rider
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import load_map
from swerve.riders.steering.minds import PathRiders
from swerve.riders.steering.tune import load_tuned

from .lane_cars import LaneDrivers, lane_cars

SECONDS = 60.0
SPEED = 11.0  # [m/s] of the field
ROW, ABREAST = 6.0, 1.7  # [m] between rows, and between the two of a row
OUTER, INNER, ONCOMING = -5.6, -1.9, 1.9  # [m] middles of the lanes, to the left of the street's middle line
RIGHT, LEFT = 7.5, 3.75  # [m] from the middle line to the edges
HEAD = 120.0  # [m] station of the first row at the start
MOST = 40  # riders that there is room for
TIGHTEST = 75.0  # [m] radius of the tightest bend
FULL, MAPS, CARS, OTHERS = "riders in full", "riders on maps", "cars", "cars coming"


def build(seed: int, riders: int = 16, full: int = 4, seconds: float = SECONDS) -> World:
    """The field at its start, `full` of the `riders` in full physics; the street lasts for `seconds`."""
    require(1 <= full < riders, "full", full, f"must be at least 1 and fewer than all {riders} riders")
    require(riders <= MOST, "riders", riders, f"must be at most {MOST}")
    rng = generator(seed, "peloton")
    street = winding_street(260.0 + 18.0 * seconds, rng)
    world = World(meta={**provenance("peloton", seed), **_scenery(street)})
    map_, tuned = load_map("human"), load_tuned("human")
    rows, sides = np.divmod(np.arange(riders), 2)
    places = HEAD - ROW * rows + rng.uniform(-0.5, 0.5, riders)
    offsets = OUTER + ABREAST * (0.5 - sides)
    chosen = np.zeros(riders, dtype=bool)
    chosen[rng.choice(riders, full, replace=False)] = True
    in_full = load_rider("human").start(full)
    in_full.predictor = map_
    batches: tuple[tuple[str, SteeredBodies, np.ndarray], ...] = (
        (FULL, in_full, chosen),
        (MAPS, Glide(map_, riders - full), ~chosen),
    )
    for name, batch, who in batches:
        starts = places[who] + rng.uniform(-0.3, 0.3, len(batch))
        batch.put(*street.place(starts, offsets[who] + rng.uniform(-0.15, 0.15, len(batch))).T)
        steering = tuned.navigator(map_, "path")
        mind = PathRiders(steering, street, offsets[who], SPEED, places[who])
        world.add(batch, mind, name, watch=True)
    world.meta["ego"] = int(world.members[0].ids[0])  # a page goes with one whose limbs can be seen
    _add_cars(world, street, HEAD - ROW * float(rows.max()), seconds, rng)
    return world


def figures(world: World) -> dict[str, Any]:
    """Distances of riders from their places [m], on average and at most; how many fell or left the street."""
    fields = [m for m in world.members if m.name in (FULL, MAPS)]
    minds = [m.chooser for m in fields if isinstance(m.chooser, PathRiders)]
    errors = np.concatenate([np.array(mind.errors).ravel() for mind in minds] or [np.zeros(0)])
    return {
        "position_error": float(errors.mean()) if len(errors) else None,
        "worst_position_error": float(errors.max()) if len(errors) else None,
        "falls": sum(int(m.motion.fell.sum()) for m in fields),
        "off_street": off_street(world, minds[0].way),
        "in_full": int(sum(len(m.motion) for m in fields if m.name == FULL)),
    }


def off_street(world: World, street: Way) -> int:
    """How many bodies left the street at any time, by the recording: a side past an edge, or past an end."""
    if world.recorder is None or not len(world.recorder):
        return 0
    rows = world.recording()
    whole = rows["parent"] < 0 if "parent" in rows.columns else np.ones(len(rows), dtype=bool)
    xy = np.column_stack([rows["x"], rows["y"]])[whole]
    station, offset = street.locate(xy)
    half = rows["width"][whole] / 2
    beyond = (offset + half > street.at(street.left, station)) | (
        half - offset > street.at(street.right, station)
    )
    beyond |= (station < 0) | (station > street.length)
    return len(np.unique(rows["id"][whole][beyond]))


def winding_street(length: float, rng: np.random.Generator) -> Way:
    """A street of so many metres whose bends come and go, none tighter than `TIGHTEST`."""
    s = np.arange(0.0, length, 1.0)
    waves = [
        rng.uniform(0.5, 1.0) * np.sin(2 * np.pi * s / rng.uniform(130, 320) + rng.uniform(0, 2 * np.pi))
        for _ in range(3)
    ]
    bend = np.sum(waves, axis=0)
    bend /= np.abs(bend).max() * TIGHTEST
    heading = np.cumsum(bend)
    heading -= np.linspace(0.0, 1.0, len(s)) * heading[-1]  # it ends as it began, so it does not meet itself
    points = np.column_stack([np.cumsum(np.cos(heading)), np.cumsum(np.sin(heading))])
    return Way.through(points, right=RIGHT, left=LEFT, name="winding street")


def _add_cars(world: World, street: Way, tail: float, seconds: float, rng: np.random.Generator) -> None:
    """Two cars behind the field, four beside it, five coming towards it."""
    behind, beside = tail - np.array([16.0, 34.0]), np.array([15.0, 62.0, HEAD - 8.0, HEAD + 45.0])
    stations = np.concatenate([behind, beside + rng.uniform(-6, 6, 4)])
    offsets = np.concatenate([np.full(2, OUTER), np.full(4, INNER)])
    speeds = np.concatenate([rng.uniform(12.5, 14.0, 2), rng.uniform(12.5, 15.5, 4)])
    now = np.minimum(speeds, np.concatenate([np.full(2, SPEED), np.full(4, 12.5)]))
    world.add(lane_cars(street, stations, offsets, now), LaneDrivers(street, offsets, speeds), CARS)
    back = Way(street.points[::-1].copy(), street.left[::-1], street.right[::-1], street.z[::-1])
    # far enough up the street that none comes to its end
    far = np.linspace(14.0 * seconds + 60.0, street.length - 20.0, 5) + rng.uniform(-15, 15, 5)
    stations = street.length - far
    offsets, speeds = np.full(5, -ONCOMING), rng.uniform(11.0, 14.0, 5)
    world.add(lane_cars(back, stations, offsets, speeds), LaneDrivers(back, offsets, speeds), OTHERS)


def _scenery(street: Way) -> dict[str, Any]:
    right, left = street.edges()
    between = street.points + (OUTER + INNER) / 2 * street.normal
    return {
        "areas": [{"points": np.vstack([right, left[::-1]]).round(2), "role": "road"}],
        "lines": [
            {"points": street.points[::2].round(2), "role": "centre"},
            {"points": between[::2].round(2), "role": "centre"},
        ],
    }
