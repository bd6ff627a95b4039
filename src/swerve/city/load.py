"""Towns by name or file, and how large one must be for so many vehicles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput

from .nets.load import load_osm, load_sumo
from .opendrive.load import load_opendrive
from .roads.roads import LANE
from .roads.swept import USUAL
from .towns.grid_plan import grid
from .towns.scene_file import read_scene
from .towns.town import Town
from .towns.winding_plan import winding
from .traffic.spawn import room_for

GRID_VEHICLES_PER_JUNCTION = 14  # of a grid that flows
METRES_A_CAR = 40.0  # [m] of lane, on roads of any shape
WINDING_VEHICLES_PER_JUNCTION = 4.5  # of a winding town, whose side streets have one lane each way
ROAD_FILES: dict[str, Callable[..., Town]] = {
    ".xodr": load_opendrive,
    ".xml": load_sumo,
    ".osm": load_osm,
}  # by how they end


def load_town(
    name: str | Path,
    seed: int = 0,
    left_hand: bool = False,
    vehicles: int | None = None,
    buses: bool = False,
    bays: bool = False,
) -> Town:
    """`grid`, `town`, a YAML or TOML scene file, or a road file: OpenDRIVE (`.xodr`), SUMO
    (`.net.xml`) or OpenStreetMap (`.osm`), also packed (`.gz`).

    A town is as large as so many vehicles need to flow. `buses` get round the corners of towns whose
    junctions are laid out here; those of road files are as they are, for vehicles up to 6.5 m. In the
    same towns `bays` to park in are laid out.
    """
    if str(name) == "grid":
        return grid(left_hand=left_hand, buses=buses, bays=bays)
    if str(name) == "town":
        columns, rows = (7, 6) if vehicles is None else suitable_town(vehicles)
        return winding(seed, columns, rows, left_hand=left_hand, buses=buses, bays=bays)
    reader = road_reader(name)
    if reader is not None and buses:
        raise BadInput(
            str(name), None, f"its junctions are driven by vehicles up to {USUAL.length} m, not by buses"
        )
    if reader is load_osm:
        return load_osm(name, left_hand)
    if reader is not None:
        found = reader(name)
        if left_hand and not found.roads.left_hand:
            raise BadInput(str(name), None, "says itself that traffic keeps to the right")
        return found
    if Path(name).suffix.lower() in (".yaml", ".yml", ".toml"):
        return read_scene(name, left_hand, buses, bays)
    raise BadInput(
        "scene", str(name), "must be grid, town, a scene file or a road file (.xodr, .net.xml, .osm; .gz)"
    )


def road_reader(path: str | Path) -> Callable[..., Town] | None:
    """What reads a road file, by how its name ends; none for other files.

    >>> road_reader("a/town.net.xml.gz").__name__, road_reader("notes.gz")
    ('load_sumo', None)
    """
    name = Path(path)
    return ROAD_FILES.get(Path(name.stem if name.suffix.lower() == ".gz" else name).suffix.lower())


def suitable_town(vehicles: int) -> tuple[int, int]:
    """Columns and rows of a winding town in which so many vehicles flow, never less than 7 by 6.

    >>> suitable_town(100), suitable_town(1000)
    ((7, 6), (15, 14))
    """
    side = int(np.ceil(np.sqrt(vehicles / WINDING_VEHICLES_PER_JUNCTION)))
    return max(7, side), max(6, side - 1)


def suitable_vehicles(town: Town) -> int:
    """How many cars flow on the lanes of a town; none where not even one finds room."""
    lane = float(town.roads.length[town.roads.kind == LANE].sum())
    return min(int(np.ceil(lane / METRES_A_CAR)), room_for(town.roads) * 2 // 3)


def suitable_grid(vehicles: int) -> int:
    """Junctions along a side of a grid on which so many vehicles flow.

    >>> suitable_grid(1000), suitable_grid(50_000)
    (9, 60)
    """
    return max(3, int(np.ceil(np.sqrt(vehicles / GRID_VEHICLES_PER_JUNCTION))))
