"""`swerve ride path|herd|tune`: what steers by maps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .choices import Controller
from .ride_party import Party, for_party

ControllerName = Annotated[
    Controller, typer.Option(help="lod (chooses by the map) or simple (knows no body).")
]

Limbs = Annotated[bool, typer.Option(help="Record limbs and wheels of riders in full physics.")]


def register(app: typer.Typer) -> None:
    app.command("path", epilog="Example: swerve ride path --rider human --curve 6 --controller lod")(path)
    app.command("herd", epilog="Example: swerve ride herd --rider human --riders 16 --seconds 30")(herd)
    app.command("tune", epilog="Example: swerve ride tune --rider human --tries 150")(tune)


@for_party("full", "map")
def path(
    party: Party,
    curve: Annotated[int | None, typer.Option(help="1 to 7; all seven if left out.")] = None,
    way: Annotated[Path | None, typer.Option("--path", help="CSV with x, y [m] instead of a curve.")] = None,
    controller: ControllerName = Controller.LOD,
    starts: Annotated[int, typer.Option(min=1, help="Riders a curve, each from another start.")] = 1,
    parts: Limbs = True,
) -> None:
    """Follow one of the seven curves, or a path of your own. Exit 1 when a rider fell."""
    from swerve.core.errors import BadInput
    from swerve.core.provenance import provenance
    from swerve.riders.draw import WORDS, draw_track
    from swerve.riders.record import record_paths, size_of
    from swerve.riders.steering.curves import TURNS, Way
    from swerve.riders.steering.curves import curve as numbered
    from swerve.riders.steering.follow import follow, starts_beside

    body = party.body
    if way is not None and curve is not None:
        raise BadInput("--curve", curve, "cannot go with --path")
    wanted = range(1, len(TURNS) + 1) if curve is None else [curve]
    lines = [Way.read(way)] if way is not None else [numbered(k, body.speed) for k in wanted]
    ways = [line for line in lines for _ in range(starts)]
    steering = party.steering(controller, "path")
    begin = starts_beside(ways, party.seed)
    done = follow(party.ride(len(ways)), body.speed, ways, steering, begin, parts)
    name = way.stem if way is not None else "curves" if curve is None else f"curve-{curve}"
    stem = f"{body.name}-{name}-{controller}"
    meta = provenance(f"{body.name} on {name}", party.seed, controller=controller, detail=party.detail)
    recording = record_paths(done, body.name, body.radius, meta).write(party.out / f"{stem}.parquet")
    plan = done.plan().with_meta(**meta, **size_of(body)).save(party.out / f"{stem}-plan.parquet")
    picture = draw_track(party.out / f"{stem}.png", done, f"{body.name}, {name}, {WORDS[controller]}")
    by_way = done.mean_error.reshape(len(lines), starts).mean(axis=1)
    result = {
        "path": name,
        "controller": controller,
        "detail": party.detail,
        "starts": starts,
        "mean_error": float(done.mean_error.mean()),
        "max_error": float(done.max_error.max()),
        "mean_error_by_path": {line.name: float(e) for line, e in zip(lines, by_way, strict=True)},
        "fell": int(done.fell.sum()),
        "recording": str(recording),
        "plan": str(plan),
        "picture": str(picture),
    }
    party.answer(result, f"{body.name} on {name}")
    if done.fell.any():
        raise typer.Exit(1)


@for_party("full", "map", "mixed")
def herd(
    party: Party,
    riders: Annotated[int, typer.Option(help="How many.")] = 16,
    controller: ControllerName = Controller.LOD,
    seconds: Annotated[float, typer.Option(help="How long [s].")] = 30.0,
    spacing: Annotated[float, typer.Option(help="Wanted distance between riders [m].")] = 5.0,
    near: Annotated[float, typer.Option(min=0.0, help="mixed: in full within this [m] of the middle.")] = 8.0,
    most: Annotated[int, typer.Option(min=1, help="mixed: at most so many riders in full physics.")] = 16,
    parts: Limbs = True,
) -> None:
    """Let riders from random places form a herd with even spacing. Exit 1 when a rider fell."""
    from swerve.core.provenance import provenance
    from swerve.riders.draw import WORDS, draw_errors, draw_herd
    from swerve.riders.record import record_herd, size_of
    from swerve.riders.steering.herd import herd as ride_herd
    from swerve.riders.steering.herd import scatter

    body, detail = party.body, party.detail
    starts = scatter(riders, party.seed, body.radius)
    ride = party.ride(riders, near, most)
    steering = party.steering(controller, "herd")
    frame = 0.1 if riders <= 200 else 1.0
    done = ride_herd(ride, body.speed, steering, starts, seconds, spacing, party.threads, frame, parts=parts)
    named = {"rider": body.name, "controller": controller, "detail": detail}
    meta = provenance(f"herd of {riders}", party.seed, **named)
    recorded = record_herd(done, body.name, body.radius, meta)
    stem = party.out / f"{body.name}-herd-{riders}-{controller}-{detail}"
    title = f"{riders} {body.name} riders, heading right, {WORDS[controller]}"
    files = {
        "recording": str(recorded.write(f"{stem}.parquet")),
        "plan": str(done.plan().with_meta(**meta, **size_of(body)).save(f"{stem}-plan.parquet")),
        "picture": str(draw_herd(f"{stem}.png", done, body.radius, title)),
        "errors": str(draw_errors(f"{stem}-error.png", {controller: [done]}, title)),
    }
    error = done.position_error
    result = {
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
    party.answer(result, f"herd of {riders} {body.name}")
    if done.fell.any():
        raise typer.Exit(1)


@for_party("map", "full")
def tune(
    party: Party,
    tries: Annotated[int, typer.Option(min=1, help="Points tried for each controller and task.")] = 150,
    starts: Annotated[int, typer.Option(min=1, help="Starts a curve.")] = 3,
) -> None:
    """Tune the weights of both controllers for both tasks by simulated annealing."""
    from swerve.riders.steering.tune import store
    from swerve.riders.steering.tune import tune as anneal_weights

    found = anneal_weights(party.ride, party.map, tries, party.seed, starts)
    file = store(party.body.name, found, party.out / "weights.json")
    flat = {f"{task}_{key}": value for task, w in found.lod.items() for key, value in vars(w).items()}
    party.answer({**flat, **found.as_dict(), "weights": str(file)}, "tuning")
