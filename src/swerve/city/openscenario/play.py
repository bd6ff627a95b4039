"""Playing a scenario file: its entities in a world, its storyboard as their mind.

outcome = play("cut-in.xosc", seconds=60.0)
outcome.recording.write("cut-in.parquet")
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import require
from swerve.core.progress import track
from swerve.core.recording import Recording
from swerve.core.view import View
from swerve.core.world import World

from ..opendrive.lanes import lane_borders
from ..opendrive.read import read_opendrive
from ..opendrive.records import OpenDrive
from .actors import Cast, actor_of
from .nodes import Files, Node
from .road_map import RoadMap
from .stage import Stage
from .storyboard import Storyboard

LONGEST = 3_600.0  # [s]
ROAD_STEP = 4.0  # [m] between the corners of roads that are drawn


@dataclass(frozen=True)
class Outcome:
    """What came of a scenario; `finished` when its storyboard ended rather than the time given."""

    name: str
    finished: bool
    seconds: float
    events: list[dict[str, Any]]  # time [s], kind, name, what
    unsupported: list[str]  # file, line: what nobody does
    contacts: list[dict[str, Any]]  # time [s] and names of who touched
    recording: Recording = field(repr=False)


class Director:
    """The mind of the cast: the storyboard, a frame at a time."""

    def __init__(self, storyboard: Storyboard, stage: Stage, world: World):
        self.storyboard, self.stage, self.world = storyboard, stage, world
        self._seen = 0

    def choose(self, view: View, dt: float) -> np.ndarray:
        stage = self.stage
        stage.time = view.t
        names = list(stage.actors)
        for contact in self.world.contacts[self._seen :]:
            stage.touching.add(frozenset(names[k] for k in (contact.a, contact.b) if 0 <= k < len(names)))
        self._seen = len(self.world.contacts)
        before = np.array([[actor.speed] for actor in stage.actors.values()])
        self.storyboard.advance(dt)
        return before


def play(path: str | Path, seconds: float = 300.0, dt: float = 0.02) -> Outcome:
    """Play a scenario to its end, or for so many seconds, in frames of dt [s]."""
    require(0 < seconds <= LONGEST, "seconds", seconds, f"must be above 0 and at most {LONGEST:g}")
    files = Files(Path(path))
    root, values = files.read()
    drive = _roads(root, Path(path))
    roads = RoadMap(drive)
    some = [actor_of(node) for node in root.need("Entities").all("ScenarioObject")]
    stage = Stage({actor.name: actor for actor in some}, roads, values)
    for node in root.need("Entities").children:
        _look_over(node, stage)
    world = World(dt, meta={"areas": _areas(drive)})
    storyboard = Storyboard(root.need("Storyboard"), stage)
    world.add(Cast(some, roads), Director(storyboard, stage, world), name="cast", ids=range(len(some)))
    for _ in track(range(round(seconds / dt)), Path(path).stem):
        world.step()
        if storyboard.finished:
            break
    names = list(stage.actors)
    contacts = [{"time": c.t, "between": [names[c.a], names[c.b]]} for c in world.contacts]
    return Outcome(
        Path(path).stem, storyboard.finished, world.time, storyboard.events, stage.unsupported, contacts,
        world.recording(),
    )  # fmt: skip


def _roads(root: Node, path: Path) -> OpenDrive:
    """The road file that a scenario names; without one, open ground."""
    given = root.find("RoadNetwork/LogicFile")
    if given is None or not given.text("filepath"):
        return OpenDrive(path.stem, {}, {})
    return read_opendrive(path.parent / given.text("filepath"))


def _look_over(node: Node, stage: Stage) -> None:
    """Note what entities ask for and do not get."""
    if node.tag != "ScenarioObject":
        stage.miss(node, f"{node.tag} is not supported")
    for one in node.all("ObjectController"):
        given = one.find("Controller")
        if given is not None:
            stage.miss(given, f"controller {given.text('name', '')} of {node.text('name')} is not run")
    for one in node.children:
        trailer = one.find("Trailer/TrailerRef")
        if trailer is not None and trailer.given.get("entityRef"):
            stage.miss(trailer, "trailers are not supported")


def _areas(drive: OpenDrive) -> list[dict[str, Any]]:
    """The lanes, for whoever draws the recording."""
    roads, found = RoadMap(drive), []
    for name, record in drive.roads.items():
        for k, section in enumerate(record.sections):
            s = np.linspace(
                section.start, section.end, max(2, int((section.end - section.start) / ROAD_STEP))
            )
            for lane, given in section.lanes.items():
                if lane == 0 or given.type in ("none", "border", "restricted"):
                    continue
                sides = [
                    [roads.pose(name, a, float(b))[:2] for a, b in zip(s, t, strict=True)]
                    for t in lane_borders(record, k, lane, s)
                ]
                role = "pavement" if given.type in ("sidewalk", "walking") else "road"
                found.append({"points": np.array(sides[0] + sides[1][::-1]).round(2), "role": role})
    return found
