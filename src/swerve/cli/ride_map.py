"""`swerve ride map|path|herd|tune`: mobility maps and what steers by them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json, Out, Quiet, Seed, answer, writable

if TYPE_CHECKING:
    from swerve.riders.body import Body
    from swerve.riders.mobility import MobilityMap

RiderName = Annotated[str, typer.Option("--rider", help="human, alien, car, or a YAML rider definition.")]
MapFile = Annotated[
    Path | None, typer.Option("--map", help="A map file; by default the one that comes with the rider.")
]
Controller = Annotated[str, typer.Option(help="lod (chooses by the map) or simple (knows no body).")]
Threads = Annotated[int, typer.Option(min=1, help="Threads for simulation and decisions.")]
CORES = os.cpu_count() or 1


def register(app: typer.Typer) -> None:
    app.command("map", epilog="Example: swerve ride map --rider car")(build_map)
    app.command("path", epilog="Example: swerve ride path --rider human --curve 6 --controller lod")(path)
    app.command("herd", epilog="Example: swerve ride herd --rider human --riders 16 --seconds 30")(herd)
    app.command("tune", epilog="Example: swerve ride tune --rider human --tries 40")(tune)


def build_map(
    rider: RiderName = "human",
    states: Annotated[int, typer.Option(min=1, help="How many states.")] = 100,
    actions: Annotated[int, typer.Option(min=2, help="How many turns from each.")] = 10,
    seconds: Annotated[float, typer.Option(min=0.4, help="How long each turn is ridden [s].")] = 5.0,
    swings: Annotated[
        str, typer.Option(help="Amplitudes of the swinging ride, as shares of the largest turn.")
    ] = "0.15,0.4,0.7,1",
    dimensions: Annotated[
        str, typer.Option(help="What the nearest state is found by: roll, yaw_rate, roll_rate, or auto.")
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
    from swerve.riders.maps import prediction_errors, unseen
    from swerve.riders.mobility import MobilityMap
    from swerve.riders.reduce import best_dimensions

    be_quiet(quiet)
    writable(out)
    body = body_named(rider)
    try:
        shares = [float(word) for word in swings.split(",")]
    except ValueError as error:
        raise BadInput("--swings", swings, "must be numbers with commas between them") from error
    if not all(0 < share <= 1 for share in shares):
        raise BadInput("--swings", swings, "must lie above 0 and at most at 1")
    told_by: tuple[str, ...] = tuple(dimensions.replace("-", "_").split(","))
    if dimensions == "auto":
        told_by = best_dimensions(body, generator(seed, "dimensions"), threads)
    map_ = MobilityMap.build(body, states, actions, seconds, shares, dimensions=told_by, threads=threads)
    file = map_.save(out / f"{body.name}-map.npz")
    picture = draw_map(out / f"{body.name}-map.png", map_)
    result: dict[str, Any] = {
        "rider": body.name,
        "states": len(map_.states),
        "actions": map_.actions,
        "trajectories": len(map_.tracks.pose),
        "falls": round(map_.fall_share * len(map_.tracks.pose)),
        "dimensions": list(map_.dimensions),
        "bytes": file.stat().st_size,
    }
    if check:
        errors = prediction_errors(map_, *unseen(body, check, generator(seed, "check"), 2.0, threads))
        result["error_2s_median"] = _median(errors)
    answer({**result, "map": str(file), "picture": str(picture)}, as_json, quiet, f"map of {body.name}")


def path(
    rider: RiderName = "human",
    curve: Annotated[int | None, typer.Option(help="1 to 7; all seven if left out.")] = None,
    way: Annotated[Path | None, typer.Option("--path", help="CSV with x, y [m] instead of a curve.")] = None,
    controller: Controller = "lod",
    starts: Annotated[int, typer.Option(min=1, help="Riders a curve, each from another start.")] = 1,
    detail: Annotated[str, typer.Option(help="full physics or map.")] = "full",
    map_file: MapFile = None,
    threads: Threads = CORES,
    seed: Seed = 0,
    out: Out = Path("out/ride"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Follow one of the seven curves, or a path of your own. Exit 1 when a rider fell."""
    from swerve.core.errors import BadInput
    from swerve.core.progress import be_quiet
    from swerve.core.provenance import provenance
    from swerve.riders.curves import TURNS, Way
    from swerve.riders.curves import curve as numbered
    from swerve.riders.draw import draw_track
    from swerve.riders.follow import follow, starts_beside
    from swerve.riders.record import record_paths

    be_quiet(quiet)
    writable(out)
    body = body_named(rider)
    if way is not None and curve is not None:
        raise BadInput("--curve", curve, "cannot go with --path")
    wanted = range(1, len(TURNS) + 1) if curve is None else [curve]
    lines = [Way.read(way)] if way is not None else [numbered(k, body.speed) for k in wanted]
    map_ = map_for(body, map_file, threads)
    ways = [line for line in lines for _ in range(starts)]
    ride = riding(body, map_, len(ways), detail, threads, ("full", "map"))
    steering = steering_for(controller, map_, "path", threads)
    done = follow(ride, body.speed, ways, steering, starts_beside(ways, seed))
    name = way.stem if way is not None else "curves" if curve is None else f"curve-{curve}"
    stem = f"{body.name}-{name}-{controller}"
    meta = provenance(f"{body.name} on {name}", seed, controller=controller, detail=detail)
    recording = record_paths(done, body.name, body.radius, meta).write(out / f"{stem}.parquet")
    picture = draw_track(out / f"{stem}.png", done, f"{body.name}, {name}, {controller}")
    by_way = done.mean_error.reshape(len(lines), starts).mean(axis=1)
    result = {
        "rider": body.name,
        "path": name,
        "controller": controller,
        "detail": detail,
        "starts": starts,
        "mean_error": float(done.mean_error.mean()),
        "max_error": float(done.max_error.max()),
        "mean_error_by_path": {line.name: float(e) for line, e in zip(lines, by_way, strict=True)},
        "fell": int(done.fell.sum()),
        "recording": str(recording),
        "picture": str(picture),
    }
    answer(result, as_json, quiet, f"{body.name} on {name}")
    if done.fell.any():
        raise typer.Exit(1)


def herd(
    rider: RiderName = "human",
    riders: Annotated[int, typer.Option(help="How many.")] = 16,
    controller: Controller = "lod",
    seconds: Annotated[float, typer.Option(help="How long [s].")] = 30.0,
    detail: Annotated[str, typer.Option(help="full physics, map, or mixed.")] = "full",
    spacing: Annotated[float, typer.Option(help="Wanted distance between riders [m].")] = 5.0,
    near: Annotated[float, typer.Option(min=0.0, help="mixed: in full within this [m] of the middle.")] = 8.0,
    most: Annotated[int, typer.Option(min=1, help="mixed: at most so many riders in full physics.")] = 16,
    map_file: MapFile = None,
    threads: Threads = CORES,
    seed: Seed = 0,
    out: Out = Path("out/ride"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let riders from random places form a herd with even spacing. Exit 1 when a rider fell."""
    from swerve.core.progress import be_quiet
    from swerve.core.provenance import provenance
    from swerve.riders.draw import draw_errors, draw_herd
    from swerve.riders.herd import herd as ride_herd
    from swerve.riders.herd import scatter
    from swerve.riders.record import record_herd

    be_quiet(quiet)
    writable(out)
    body = body_named(rider)
    starts = scatter(riders, seed, body.radius)
    map_ = map_for(body, map_file, threads)
    ride = riding(body, map_, riders, detail, threads, ("full", "map", "mixed"), near, most)
    steering = steering_for(controller, map_, "herd", threads)
    frame = 0.1 if riders <= 200 else 1.0
    done = ride_herd(ride, body.speed, steering, starts, seconds, spacing, threads, frame)
    stem = f"{body.name}-herd-{riders}-{controller}-{detail}"
    meta = provenance(f"herd of {riders}", seed, rider=body.name, controller=controller, detail=detail)
    files = {
        "recording": str(record_herd(done, body.name, body.radius, meta).write(out / f"{stem}.parquet")),
        "picture": str(draw_herd(out / f"{stem}.png", done, body.radius, f"{body.name}, {controller}")),
        "errors": str(draw_errors(out / f"{stem}-error.png", {controller: [done]}, "Position error")),
    }
    error = done.position_error
    result = {
        "rider": body.name,
        "riders": riders,
        "controller": controller,
        "detail": detail,
        "seconds": seconds,
        "position_error": [round(float(e), 4) for e in error[::10]],
        "position_error_step": 1.0,
        "first_position_error": float(error[0]),
        "last_position_error": float(error[-1]),
        "settling_time": done.settling_time,
        "falls": int(done.fell.sum()),
        "decisions_per_second": done.decisions_per_second,
        "realtime_factor": done.realtime_factor,
        **({"switches": ride.switches, "in_full": float(done.level.mean())} if detail == "mixed" else {}),
        **files,
    }
    answer(result, as_json, quiet, f"herd of {riders} {body.name}")
    if done.fell.any():
        raise typer.Exit(1)


def tune(
    rider: RiderName = "human",
    tries: Annotated[int, typer.Option(min=1, help="Points tried for each controller and task.")] = 60,
    starts: Annotated[int, typer.Option(min=1, help="Starts a curve.")] = 3,
    detail: Annotated[str, typer.Option(help="Judge riders on their map, or in full physics.")] = "map",
    map_file: MapFile = None,
    threads: Threads = CORES,
    seed: Seed = 0,
    out: Out = Path("out/ride"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tune the weights of both controllers for both tasks by simulated annealing."""
    from swerve.core.progress import be_quiet
    from swerve.riders.tune import store
    from swerve.riders.tune import tune as anneal_weights

    be_quiet(quiet)
    writable(out)
    body = body_named(rider)
    map_ = map_for(body, map_file, threads)
    riding(body, map_, 1, detail, threads, ("full", "map"))  # refuses a wrong word at once
    found = anneal_weights(
        lambda n: riding(body, map_, n, detail, threads, ("full", "map")), map_, tries, seed, starts
    )
    file = store(body.name, found, out / "weights.json")
    flat = {f"{task}_{key}": value for task, w in found.lod.items() for key, value in vars(w).items()}
    answer({"rider": body.name, **flat, **found.as_dict(), "weights": str(file)}, as_json, quiet, "tuning")


def body_named(name: str) -> Body:
    """A rider, or the race wing's car."""
    if name == "car":
        from swerve.studies.sliding_car import car_body

        return car_body()
    from swerve.riders import load_body

    return load_body(name)


def map_for(body: Body, file: Path | None, threads: int) -> MobilityMap:
    """The map from `file`, the one that comes with the body, or a new one where neither is there."""
    from swerve.core.errors import BadInput
    from swerve.riders.maps import load_map
    from swerve.riders.mobility import MobilityMap

    if file is not None:
        found = load_map(file if file.suffix else file.with_suffix(".npz"))
        if found.name != body.name:
            raise BadInput(f"map {file}", found.name, f"is of another body than {body.name}")
        return found
    try:
        return load_map(body.name)
    except BadInput:
        return MobilityMap.build(body, threads=threads)


def riding(
    body: Body,
    map_: MobilityMap,
    count: int,
    detail: str,
    threads: int,
    allowed: tuple[str, ...],
    near: float = 8.0,
    most: int = 16,
) -> Any:
    """Riders at the wanted level of detail."""
    from swerve.core.errors import BadInput
    from swerve.riders.detail import Mixed, near_viewer
    from swerve.riders.glide import Glide

    if detail not in allowed:
        raise BadInput("--detail", detail, f"must be one of {', '.join(allowed)}")
    if detail == "full":
        return body.ride(count, threads)
    if detail == "map":
        return Glide(map_, count, threads)
    wanted = near_viewer(lambda motion: (float(motion.x.mean()), float(motion.y.mean())), near, body.radius)
    return Mixed(body, map_, count, most, wanted, threads)


def steering_for(controller: str, map_: MobilityMap, task: str, threads: int) -> Any:
    """The controller with the weights that tuning found for this body and task."""
    from swerve.core.errors import BadInput
    from swerve.riders.tune import load_tuned

    tuned = load_tuned(map_.name)
    if controller == "lod":
        return tuned.navigator(map_, task, threads)
    if controller == "simple":
        return tuned.simple_for((float(map_.turns[0]), float(map_.turns[-1])), task)
    raise BadInput("--controller", controller, "must be lod or simple")


def _median(values: Any) -> float:
    import numpy as np

    return float(np.median(values))
