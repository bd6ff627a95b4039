"""`swerve ride map`: build a mobility map."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Json, Out, Quiet, Seed, answer, writable
from .ride_party import CORES, RiderName, Threads


def register(app: typer.Typer) -> None:
    app.command("map", epilog="Example: swerve ride map --rider car")(build_map)


def build_map(
    rider: RiderName = "human",
    states: Annotated[int, typer.Option(min=1, help="How many states at each speed.")] = 100,
    actions: Annotated[int, typer.Option(min=2, help="How many turns from each.")] = 10,
    seconds: Annotated[float, typer.Option(min=0.4, help="How long each turn is ridden [s].")] = 5.0,
    speeds: Annotated[int, typer.Option(min=1, help="At how many speeds; 1 is the nominal one.")] = 1,
    by_trial: Annotated[bool, typer.Option(help="Widen the turns until the body falls.")] = False,
    swings: Annotated[
        str, typer.Option(help="Amplitudes of the swinging ride, as shares of the largest turn.")
    ] = "0.15,0.4,0.7,1",
    dimensions: Annotated[
        str,
        typer.Option(
            help="What the nearest state is found by: roll (a car: slip), yaw_rate, roll_rate, auto."
        ),
    ] = "auto",
    check: Annotated[int, typer.Option(min=0, help="Unseen states to hold the map against.")] = 60,
    threads: Threads = CORES,
    seed: Seed = 0,
    out: Out = Path("out/ride"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Build a mobility map: where the body gets from every state with every turn; with a picture."""
    from swerve.core.errors import BadInput
    from swerve.core.progress import be_quiet
    from swerve.core.seeding import generator
    from swerve.riders.draw import draw_map
    from swerve.riders.maps.build import MapOptions
    from swerve.riders.maps.dimensions import best_dimensions
    from swerve.riders.maps.mobility import MobilityMap
    from swerve.riders.maps.stored import prediction_errors, unseen
    from swerve.scenes.bodies import load_body

    be_quiet(quiet)
    writable(out)
    body = load_body(rider)
    try:
        shares = [float(word) for word in swings.split(",")]
    except ValueError as error:
        raise BadInput("--swings", swings, "must be numbers with commas between them") from error
    if not all(0 < share <= 1 for share in shares):
        raise BadInput("--swings", swings, "must lie above 0 and at most at 1")
    told_by: tuple[str, ...] = tuple(dimensions.replace("-", "_").split(","))
    if dimensions == "auto":
        told_by = best_dimensions(body, generator(seed, "dimensions"), threads)
    options = MapOptions(states, actions, seconds, speeds, shares)
    options = replace(options, by_trial=by_trial, dimensions=told_by, threads=threads)
    map_ = MobilityMap.build(body, options)
    file = map_.save(out / f"{body.name}-map.npz")
    picture = draw_map(out / f"{body.name}-map.png", map_)
    result: dict[str, Any] = {
        "rider": body.name,
        "states": len(map_.states),
        "actions": map_.actions,
        "trajectories": len(map_.tracks.pose),
        "falls": round(map_.fall_share * len(map_.tracks.pose)),
        "speeds": map_.speeds.tolist(),
        "widest_turn": float(map_.turns[-1]),
        "sideways_kept_up": map_.cornering.tolist(),
        "dimensions": list(map_.dimensions),
        "bytes": file.stat().st_size,
    }
    if check:
        errors = prediction_errors(map_, *unseen(body, map_, check, generator(seed, "check"), threads))
        result["error_2s_median"] = _median(errors)
    answer({**result, "map": str(file), "picture": str(picture)}, as_json, quiet, f"map of {body.name}")


def _median(values: Any) -> float:
    import numpy as np

    return float(np.median(values))
