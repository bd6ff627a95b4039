"""Other people's roads: every road file of a folder, loaded and driven, as a table.

Each file that holds a car gets as many as suit its lanes, for two minutes and several seeds, and then until
those who stand have moved again. What must not happen is counted by the referee: bodies that touch, and
drivers who stand too long.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.city import Simulation, SimulationOptions, load_town
from swerve.city.load import ROAD_FILES, road_reader, suitable_vehicles
from swerve.city.roads.roads import LANE
from swerve.core.errors import BadInput, require
from swerve.core.sweep import sweep

from .report import Conclusion, Report

SECONDS, DT = 120.0, 0.1  # [s]
MOST_CARS = 120
STUCK = 120.0  # [s] of standing
WAITS = 20.0  # [s] of standing at the end, of those whom one waits for
ENOUGH = 100.0  # [m] of lanes that must carry traffic


def run(out: Path, seed: int, trials: int | None, folder: Path | None = None) -> Report:
    """The table of a folder; `trials` seeds a file, three by default."""
    if folder is None:
        raise BadInput("--folder", None, "names the folder with the road files")
    require(folder.is_dir(), "--folder", str(folder), "must be a folder")
    files = sorted(path for path in folder.iterdir() if road_reader(path) is not None)
    require(bool(files), "--folder", str(folder), f"holds no road file ({', '.join(ROAD_FILES)})")
    rows = sweep(partial(drive_file, seeds=range(seed, seed + (trials or 3))), files, "road files")
    loaded = [row for row in rows if row["loaded"] == "yes"]
    driven = [row for row in loaded if row["lane [m]"] >= ENOUGH]
    return Report(
        "roads",
        "Other people's roads",
        rows,
        [
            Conclusion("every file loads", len(loaded) == len(rows), f"{len(loaded)} of {len(rows)}"),
            Conclusion(
                f"every file with {ENOUGH:g} m of lane carries traffic",
                all(row["vehicles"] > 0 for row in driven),
                f"{sum(row['vehicles'] > 0 for row in driven)} of {len(driven)}",
            ),
            Conclusion("nothing touches", all(not row["contacts"] for row in rows), _sum(rows, "contacts")),
            Conclusion("nobody is stuck", all(not row["stuck"] for row in rows), _sum(rows, "stuck")),
        ],
    )


def drive_file(path: Path, seeds: range) -> dict[str, Any]:
    """A row of the table: the worst over the seeds, the mean of the speeds."""
    row: dict[str, Any] = {"file": path.stem, "loaded": "yes"}
    try:
        town = load_town(path)
    except BadInput as error:
        return {**row, "loaded": str(error), **dict.fromkeys(COLUMNS)}
    cars = min(MOST_CARS, suitable_vehicles(town))
    contacts = stuck = 0
    speeds: list[float] = []
    for seed in seeds if cars else ():
        simulation = Simulation(town, cars, seed=seed, options=SimulationOptions(dt=DT))
        for _ in range(round(SECONDS / DT)):
            simulation.step()
        wait_for_those_who_stand(simulation)
        figures = simulation.figures()
        contacts += figures["collisions"]
        stuck += int(figures["longest_stand"] > STUCK)
        speeds.append(figures["mean_speed"] or 0.0)
    lane = float(town.roads.length[town.roads.kind == LANE].sum())
    minutes = SECONDS / 60 * len(seeds) if cars else 0.0
    speed = float(np.mean(speeds)) if speeds else None
    values = (round(lane), cars, minutes, contacts, stuck, speed, len(town.notes))
    return row | dict(zip(COLUMNS, values, strict=True))


def wait_for_those_who_stand(simulation: Simulation) -> None:
    """Go on until nobody stands who stood long at the end, or somebody has stood too long."""
    referee = simulation.referee
    assert referee is not None
    held = referee.standing > WAITS
    while held.any() and referee.longest_stand <= STUCK:
        simulation.step()
        held &= referee.standing > WAITS


COLUMNS = ("lane [m]", "vehicles", "minutes", "contacts", "stuck", "mean speed [m/s]", "notes")


def _sum(rows: list[dict[str, Any]], name: str) -> str:
    return str(sum(row[name] or 0 for row in rows))
