"""A simulation as a recording: every character in every frame, the traffic lights, and the town around
them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from swerve.core import attitude
from swerve.core.errors import require
from swerve.core.plan import Plan, Status
from swerve.core.recorder import Recorder as CoreRecorder
from swerve.core.recording import Recording, blank

from .characters.kinds import WHEELED_TYPES
from .people.people import People
from .roads.lamps import Lamps
from .roads.roads import CONNECTOR, Roads
from .towns.town import Town
from .traffic.traffic import Traffic

AT_CROSSWALK = 4.4  # [m] of a connector that the crosswalk takes at either end


class Framed(Protocol):
    """A body that tells its own row of a recorded frame."""

    def frame(self) -> dict[str, np.ndarray]: ...


class Recorded(Protocol):
    """What a recorder looks at; a `Simulation` is it."""

    town: Town
    traffic: Traffic
    people: People | None
    guests: list[Framed]
    kind_words: np.ndarray

    @property
    def time(self) -> float: ...

    @property
    def vehicle_heights(self) -> np.ndarray: ...

    def people_frame(self) -> dict[str, np.ndarray]: ...


class Recorder:
    """Collects frames while a simulation runs."""

    def __init__(self, simulation: Recorded):
        self.simulation = simulation
        self._frames: list[dict[str, Any]] = []
        self.frame()

    def frame(self) -> None:
        """Note down where everyone is now."""
        self._frames.append(frame_of(self.simulation))

    @property
    def latest(self) -> dict[str, Any]:
        """The frame noted last."""
        return self._frames[-1]

    def restart(self) -> None:
        """Forget all frames and begin with the present one."""
        self._frames.clear()
        self.frame()

    def recording(self, meta: dict[str, Any], lights: bool = True) -> Recording:
        """All frames, with a row a frame for every traffic light unless `lights` is false."""
        columns = joined(self._frames)
        heading, speed, pitch = (columns.pop(name) for name in ("heading", "speed", "pitch"))
        columns |= {
            **attitude.columns(attitude.quaternion(heading, pitch)),
            "vx": speed * np.cos(columns["direction"]),
            "vy": speed * np.sin(columns.pop("direction")),
            "vz": speed * np.tan(pitch),
        }
        town = self.simulation.town
        about = {**meta, **scenery(town)}
        characters = Recording(columns, about)
        lamps = Lamps(town.roads)
        if not lights or not len(lamps):
            return characters
        frames = CoreRecorder()
        for t in characters.times:
            frames.add(t, lamps.rows(float(t)))
        return Recording.join([characters, frames.recording()], about)

    def plan(self, character: int) -> Plan:
        """How one character went: place and speed; of a vehicle also the acceleration and the steering that
        it chose, each held from frame to frame."""
        frames = [f for f in self._frames if (f["id"] == character).any()]
        require(bool(frames), "character", character, "is not in the recording")
        mine = joined([{name: column[f["id"] == character] for name, column in f.items()} for f in frames])
        chosen = [name for name in ("acceleration", "steer") if np.isfinite(mine[name]).all()]
        states = [mine["x"], mine["y"], mine["z"], np.unwrap(mine["heading"]), mine["pitch"], mine["speed"]]
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
                "kind": mine["kind"][0],
                "size": [float(mine[name][0]) for name in ("length", "width", "height")],
                "units": {"acceleration": "m/s²", "steer": "rad"},
                **scenery(self.simulation.town),
            },
        )


def frame_of(simulation: Recorded) -> dict[str, Any]:
    """Every character now: columns of a recording, with heading and speed still as they are."""
    parts = [_vehicles(simulation)]
    if simulation.people is not None:
        parts.append(simulation.people_frame())
    parts += [guest.frame() for guest in simulation.guests]
    frame = joined(parts)
    frame["pitch"] = np.nan_to_num(frame["pitch"])
    frame["t"] = np.full(len(frame["x"]), round(simulation.time, 9))
    return frame


def joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Columns of several parts below each other; what a part does not say is blank there."""
    kinds = {name: column.dtype for part in parts for name, column in part.items()}
    rows = [len(part["x"]) for part in parts]
    return {
        name: np.concatenate(
            [
                part[name] if name in part else np.full(n, blank(name, kind), kind)
                for n, part in zip(rows, parts, strict=True)
            ]
        )
        for name, kind in kinds.items()
    }


def _vehicles(simulation: Recorded) -> dict[str, np.ndarray]:
    traffic = simulation.traffic
    fleet = traffic.fleet
    height = simulation.vehicle_heights
    # the middle of the outline moves a little aside from where the body points
    slip = np.arctan(fleet.middle / fleet.wheelbase * np.tan(fleet.steer))
    return {
        "id": np.asarray(traffic.ids),
        "kind": simulation.kind_words,
        "x": fleet.x.copy(),
        "y": fleet.y.copy(),
        "z": traffic.ground() + height / 2,
        "heading": fleet.heading.copy(),
        "direction": fleet.heading + slip,
        "speed": fleet.speed * np.cos(fleet.steer) / np.cos(slip),
        "length": fleet.length.copy(),
        "width": fleet.width.copy(),
        "height": height,
        "pitch": traffic.pitch(),
        "steer": fleet.steer.copy(),
        "acceleration": fleet.accel.copy(),
        "brake": fleet.brake.copy(),
        "indicator": fleet.indicator.copy(),
        "emergency": fleet.emergency.copy(),
    }


def kind_words(traffic: Traffic) -> np.ndarray:
    """What each vehicle is called in a recording: mini, sedan, suv, ambulance or vehicle."""
    types = traffic.characters.get(traffic.ids, "wheeled_type") if len(traffic) else np.zeros(0, int)
    words = np.array([*WHEELED_TYPES[:3], "vehicle"], dtype=object)[types]
    names = traffic.characters.get(traffic.ids, "name") if len(traffic) else np.zeros(0, object)
    words[names == "ambulance"] = "ambulance"
    return words


def scenery(town: Town) -> dict[str, Any]:
    """Buildings, pavements, roads and crosswalks for whoever draws the recording."""
    areas = [{"points": ring.round(2), "role": "building"} for ring in town.obstacles]
    areas += [{"points": ring, "role": "road"} for ring in junction_rings(town.roads)]
    areas += [{"points": np.asarray(piece).round(2), "role": "pavement"} for piece in town.paving]
    areas += [{"points": ring, "role": "road"} for ring in strip_rings(town.roads)]
    areas += [{"points": ring.round(2), "role": "crossing"} for ring in town.roads.crossings.corners]
    return {"areas": areas}


def strip_rings(roads: Roads) -> list[np.ndarray]:
    """The outline (k, 2) of every strip [m]."""
    rings = []
    for i in range(len(roads.length)):
        points = slice(roads.first[i], roads.first[i + 1])
        x, y, heading = roads.x[points], roads.y[points], roads.heading[points]
        aside = np.stack([-np.sin(heading), np.cos(heading)], -1) * roads.width[i] / 2
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
