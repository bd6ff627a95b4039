"""A simulation as a recording: every character in every frame, the traffic lights, and the town around
them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from swerve.core import attitude
from swerve.core.bodies import Bodies
from swerve.core.errors import BadInput, require
from swerve.core.plan import Plan, Status
from swerve.core.recording import Recording
from swerve.core.world import World

from .roads.roads import CONNECTOR, FREE, LANE, Roads
from .towns.town import Town

MOST_OF_A_LINE = 60  # points that a line on the road is drawn with
AT_CROSSWALK = 4.4  # [m] of a connector that the crosswalk takes at either end


class Recorded(Protocol):
    """What a recorder looks at; a `Simulation` is it."""

    town: Town
    world: World


class Recorder:
    """The recorder of a simulation's world, with the town around it."""

    def __init__(self, simulation: Recorded):
        self.simulation = simulation

    def restart(self) -> None:
        """Forget all frames and begin with the present one."""
        self.simulation.world.begin_again()

    def recording(self, meta: dict[str, Any], lights: bool = True) -> Recording:
        """All frames, with a row a frame for every traffic light unless `lights` is false."""
        world, town = self.simulation.world, self.simulation.town
        if world.recorder is None:
            raise BadInput("record", False, "this simulation keeps no recording")
        if len(world.recorder) == 0:
            world.begin_again()
        recording = world.recorder.recording({**meta, **scenery(town)})
        if lights:
            return recording
        whole = recording.whole()
        return Recording({name: c for name, c in whole.columns.items() if name != "state"}, whole.meta)

    def plan(self, character: int) -> Plan:
        """How one character went: place and speed; of a vehicle also the acceleration and the steering that
        it chose, each held from frame to frame."""
        whole = self.recording({})
        mine = whole.where(whole["id"] == character)
        require(len(mine) > 0, "character", character, "is not in the recording")
        heading, pitch, _ = attitude.angles(np.stack([mine[name] for name in attitude.COLUMNS], axis=-1))
        speed = np.hypot(mine["vx"], mine["vy"])
        names = ("acceleration", "steer")
        chosen = [name for name in names if name in mine.columns and np.isfinite(mine[name]).all()]
        states = [mine["x"], mine["y"], mine["z"], np.unwrap(heading), pitch, speed]
        return Plan(
            Status.RAN,
            mine["t"],
            np.column_stack(states),
            ("x", "y", "z", "heading", "pitch", "speed"),
            np.column_stack([mine[name][1:] for name in chosen]) if chosen else np.zeros((0, 0)),
            tuple(chosen),  # a frame holds what led to it
            float(mine["t"][-1] - mine["t"][0]),
            {"distance": float(np.hypot(np.diff(mine["x"]), np.diff(mine["y"])).sum())},
            {
                "wing": "city",
                "scene": f"{self.simulation.town.name}, {mine['kind'][0]} {character}",
                "kind": str(mine["kind"][0]),
                "size": [float(mine[name][0]) for name in ("length", "width", "height")],
                "units": {"acceleration": "m/s²", "steer": "rad"},
                **scenery(self.simulation.town),
            },
        )


def frame_of(simulation: Recorded) -> dict[str, np.ndarray]:
    """Everybody now, for whoever sends or measures frames: id, kind, whether it is `here` (not out of the
    world), place, heading, direction and speed over the ground, sizes and lamps."""
    everyone, t = simulation.world.everyone, simulation.world.time
    motion = everyone.motion
    moving = motion.speed
    length, width, height = everyone.outline.T
    return {
        "t": np.full(len(motion), t),
        "id": everyone.ids,
        "kind": everyone.kinds,
        "here": np.concatenate([_here(member.bodies) for member in simulation.world.members]),
        "x": motion.x,
        "y": motion.y,
        "z": motion.z,
        "heading": motion.yaw,
        "pitch": motion.pitch,
        "roll": motion.roll,
        "direction": np.where(moving > 0, np.arctan2(motion.vy, motion.vx), motion.yaw),
        "speed": moving,
        "length": length,
        "width": width,
        "height": height,
        "brake": np.asarray(motion.extra("brake", False), bool),
        "indicator": np.asarray(motion.extra("indicator"), np.int8),
        "emergency": np.asarray(motion.extra("emergency", False), bool),
    }


def _here(bodies: Bodies) -> np.ndarray:
    return np.ones(len(bodies), bool) if bodies.present is None else bodies.present


def scenery(town: Town) -> dict[str, Any]:
    """Buildings, pavements, roads, their markings and crosswalks for whoever draws the recording."""
    areas = [{"points": ring.round(2), "role": "building"} for ring in town.obstacles]
    areas += [{"points": ring, "role": "road"} for ring in junction_rings(town.roads)]
    areas += [{"points": np.asarray(piece).round(2), "role": "pavement"} for piece in town.paving]
    areas += [{"points": ring, "role": "road"} for ring in strip_rings(town.roads)]
    areas += [{"points": ring.round(2), "role": "road"} for ring in town.roads.lay_by_rings()]
    areas += [{"points": ring.round(2), "role": "crossing"} for ring in town.roads.crossings.corners]
    return {"areas": areas, "lines": markings(town.roads)}


def markings(roads: Roads) -> list[dict[str, Any]]:
    """Lines on the road: `centre` between lanes of one direction, `median` between the directions and where
    lanes end at a light or a sign."""
    towards = -1.0 if roads.left_hand else 1.0  # the middle of the road lies on the left, or on the right
    lines = []
    for i in np.flatnonzero(roads.kind == LANE):
        points = slice(roads.first[i], roads.first[i + 1])
        heading, half = roads.heading[points], roads.breadth[points] / 2
        left = np.stack([-np.sin(heading), np.cos(heading)], -1) * half[:, None]
        middle = np.stack([roads.x[points], roads.y[points]], -1)
        if roads.inner[i] >= 0 or roads.opposite[i] >= 0:
            role = "centre" if roads.inner[i] >= 0 else "median"
            edge = (middle + towards * left)[:: max(1, len(middle) // MOST_OF_A_LINE)]
            lines.append({"points": np.vstack([edge, (middle + towards * left)[-1:]]).round(2), "role": role})
        after = roads.after[roads.after_first[i] : roads.after_first[i + 1]]
        if (roads.control[after] != FREE).any():
            lines.append(
                {"points": np.stack([middle[-1] - left[-1], middle[-1] + left[-1]]), "role": "median"}
            )
    return lines


def strip_rings(roads: Roads) -> list[np.ndarray]:
    """The outline (k, 2) of every strip [m]."""
    rings = []
    for i in range(len(roads.length)):
        points = slice(roads.first[i], roads.first[i + 1])
        x, y, heading = roads.x[points], roads.y[points], roads.heading[points]
        aside = np.stack([-np.sin(heading), np.cos(heading)], -1) * roads.breadth[points, None] / 2
        middle = np.stack([x, y], -1)
        rings.append(np.vstack([middle + aside, (middle - aside)[::-1]]).round(2))
    return rings


def junction_rings(roads: Roads) -> list[np.ndarray]:
    """The ground (k, 2) [m] between the crosswalks of each junction; pavements are drawn over its corners."""
    from scipy.spatial import ConvexHull

    connectors = np.flatnonzero((roads.kind == CONNECTOR) & (roads.length > 3 * AT_CROSSWALK))
    hulls = []
    for junction in np.unique(roads.junction[connectors]):
        some = connectors[roads.junction[connectors] == junction]
        share = np.linspace(0.0, 1.0, 9)[:, None]
        station = AT_CROSSWALK + share * (roads.length[some] - 2 * AT_CROSSWALK)
        sides = [
            roads.place(np.broadcast_to(some, station.shape), station, side * roads.width[some] / 2)[:2]
            for side in (-1, 1)
        ]
        points = np.concatenate([np.stack(place, -1).reshape(-1, 2) for place in sides])
        hulls.append(points[ConvexHull(points).vertices].round(2))
    return hulls
