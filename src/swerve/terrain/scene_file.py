"""A place as a file: the map, what lies on it, who drives from where to where, and what is to be least.

    map: valley.tif
    from: [500020, 5300020]
    to: [500480, 5300580]
    obstacles: walls.geojson
    vehicle: {mass: 1800, friction: 0.8}
    cost: time+1e-5*energy

Files are named from where the scene file lies. Places are in the map's coordinates.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from swerve.core import scene_file
from swerve.core.errors import BadInput

from .costs import parse
from .cover import WORLD_COVER, with_mobility
from .geo import read_obstacles
from .scenes import Scene
from .surface import Terrain
from .vehicle import Vehicle

Place = tuple[float, float]
Voids = Literal["fill", "forbid"]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class SceneFile(BaseModel):
    """What a scene file may say."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    map: str
    start: Place = Field(alias="from")
    goal: Place = Field(alias="to")
    spacing: Annotated[float, Field(gt=0.0)] | None = None  # [m] of a bare grid
    voids: Voids = "forbid"
    obstacles: str | None = None
    mobility: str | None = None
    classes: dict[int, Share] = Field(default_factory=dict)  # of land cover, over those of `cover`
    vehicle: str | dict[str, float | list[tuple[float, float]]] = Field(default_factory=dict)
    watch: Place | None = None
    cost: str = "time"
    grid: Annotated[int, Field(ge=2, le=100)] = 10


def load_scene(path: str | Path, voids: Voids | None = None, spacing: float | None = None) -> Scene:
    """The scene that a YAML or TOML file describes; `voids` and `spacing` [m] overrule it."""
    given = scene_file.load(path, "scene", SceneFile)
    beside, where = Path(path).parent, f"scene {path}"
    parse(given.cost, f"{where}, cost")
    filled: Literal["open", "closed"] = "open" if (voids or given.voids) == "fill" else "closed"
    ground = Terrain.read(beside / given.map, spacing or given.spacing, voids=filled)
    if given.obstacles is not None:
        ground = ground.with_regions(*read_obstacles(beside / given.obstacles, ground))
    if given.mobility is not None:
        ground = with_mobility(ground, beside / given.mobility, {**WORLD_COVER, **given.classes})
    if isinstance(given.vehicle, str):
        car = Vehicle.read(beside / given.vehicle)
    else:
        car = Vehicle.given(dict(given.vehicle), f"{where}, vehicle")

    def at(name: str, place: Place) -> Place:
        x, y = ground.frame.place(f"{where}, {name}", f"{place[0]!r},{place[1]!r}", ground.extent)
        if not ground.contains(x, y):
            raise BadInput(f"{where}, {name}", list(place), "lies outside the map")
        return x, y

    start, goal = at("from", given.start), at("to", given.goal)
    watcher = None if given.watch is None else at("watch", given.watch)
    return Scene(ground, start, goal, car, watcher, (given.grid, given.grid), given.cost)
