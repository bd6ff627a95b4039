"""`swerve ride path|herd|tune`: what steers by maps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from .choices import Controller, Rule
from .options import Resume
from .ride_party import Party, for_party

ControllerName = Annotated[
    Controller, typer.Option(help="lod (chooses by the map) or simple (knows no body).")
]

ON_PATH = 0.1  # [m] that riders start beside a path of the user's own at most

Limbs = Annotated[bool, typer.Option(help="Record limbs and wheels of riders in full physics.")]


def register(app: typer.Typer) -> None:
    app.command("path", epilog="Example: swerve ride path --rider human --curve 6 --controller lod")(path)
    app.command("herd", epilog="Example: swerve ride herd --rider human --riders 16 --seconds 30")(herd)
    app.command("stop", epilog="Example: swerve ride stop --rider human --from 12")(stop)
    app.command("tune", epilog="Example: swerve ride tune --rider human --tries 150")(tune)


@for_party("full", "map")
def path(
    party: Party,
    curve: Annotated[int | None, typer.Option(help="1 to 7; all seven if left out.")] = None,
    way: Annotated[Path | None, typer.Option("--path", help="CSV with x, y [m] instead of a curve.")] = None,
    controller: ControllerName = Controller.LOD,
    rule: Annotated[Rule, typer.Option(help="How lod chooses: ours, or as the seed printed it.")] = Rule.OURS,
    length: Annotated[
        float | None, typer.Option(help="Of the corners [m]; the seed prints 49, and 7 s of riding are 84.")
    ] = None,
    hold_speed: Annotated[bool, typer.Option(help="Ride at nominal speed, however sharp the bends.")] = False,
    starts: Annotated[int, typer.Option(min=1, help="Riders a curve, each from another start.")] = 1,
    parts: Limbs = True,
) -> None:
    """Follow one of the seven curves, or a path of your own, as fast as its bends allow.

    Exit 1 when a rider fell, or when a bend is tighter than the body can ride: then nobody starts.
    """
    from swerve.core.errors import BadInput
    from swerve.core.provenance import provenance
    from swerve.riders.draw import WORDS, draw_track
    from swerve.riders.record import record_paths, size_of
    from swerve.riders.steering.curves import TURNS, Course
    from swerve.riders.steering.curves import curve as numbered
    from swerve.riders.steering.follow import follow, paces_for, starts_beside

    body = party.body
    if rule is not Rule.OURS and controller is not Controller.LOD:
        raise BadInput("--rule", rule, "is for --controller lod")
    if way is not None and curve is not None:
        raise BadInput("--curve", curve, "cannot go with --path")
    wanted = range(1, len(TURNS) + 1) if curve is None else [curve]
    if way is not None and length is not None:
        raise BadInput("--length", length, "cannot go with --path")
    lines = [Course.read(way)] if way is not None else [numbered(k, body.speed, length) for k in wanted]
    ways = [line for line in lines for _ in range(starts)]
    name = way.stem if way is not None else "curves" if curve is None else f"curve-{curve}"
    paces = paces_for(ways, party.map)
    refused = next((pace.infeasible for pace in paces if pace.infeasible), None)
    if refused and not hold_speed:
        nobody: dict[str, Any] = {"mean_error": None, "max_error": None, "fell_at": [], "left_path": []}
        nobody |= {"path": name, "infeasible": refused, "fell": 0, "arrived": 0}
        party.answer(nobody, f"{body.name} on {name}")
        raise typer.Exit(1)
    steering = party.steering(controller, "path", rule)
    begin = starts_beside(ways, party.seed, 0.5 if way is None else ON_PATH)
    ride = party.ride(len(ways))
    done = follow(ride, body.speed, ways, steering, begin, None if hold_speed else paces, parts)
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
        "backend": party.backend,
        "starts": starts,
        "mean_error": float(done.mean_error.mean()),
        "max_error": float(done.max_error.max()),
        "errors_within": "path" if way is not None else "corner",
        "farthest": float(done.farthest.max()),
        "mean_error_by_path": {line.name: float(e) for line, e in zip(lines, by_way, strict=True)},
        "rule": rule if controller == Controller.LOD else None,
        "corner_length": None if way is not None else float(lines[0].corner[1] - lines[0].corner[0]),
        "slowest": done.slowest,
        "fell": int(done.fell.sum()),
        "fell_at": _moments(done.fell_at),
        "left_path": _moments(done.left_path),
        "arrived": int(done.arrived.sum()),
        "infeasible": refused,
        "recording": str(recording),
        "plan": str(plan),
        "picture": str(picture),
    }
    party.answer(result, f"{body.name} on {name}")
    if done.fell.any():
        raise typer.Exit(1)


def _moments(seconds: Any) -> list[float | None]:
    """One a rider [s], None for never."""
    return [None if t != t else round(float(t), 1) for t in seconds]


@for_party("full", "map", "mixed")
def herd(
    party: Party,
    riders: Annotated[int, typer.Option(max=2_000_000, help="How many.")] = 16,
    controller: ControllerName = Controller.LOD,
    seconds: Annotated[float, typer.Option(help="How long [s].")] = 30.0,
    spacing: Annotated[
        float | None,
        typer.Option(help="Wanted distance between riders [m]; by default 5, or twice a body's length."),
    ] = None,
    near: Annotated[
        float | None, typer.Option(min=0.0, help="mixed: in full within this [m] of the middle (default: 8).")
    ] = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="mixed: at most so many riders in full physics (default: 16).")
    ] = None,
    way: Annotated[
        Path | None,
        typer.Option("--path", help="CSV with x, y [m], and left, right if it has edges: ride along it."),
    ] = None,
    obstacles: Annotated[Path | None, typer.Option(help="CSV with x, y, radius [m] to ride round.")] = None,
    square: Annotated[float | None, typer.Option(help="Side of the square they start in [m].")] = None,
    parts: Limbs = True,
) -> None:
    """Let riders from random places form a herd with even spacing. Exit 1 when a rider fell."""
    from swerve.core.errors import BadInput
    from swerve.core.provenance import provenance
    from swerve.riders.draw import WORDS, draw_errors, draw_herd
    from swerve.riders.record import record_herd, size_of
    from swerve.riders.steering.herd import HerdOptions, on_way, scatter
    from swerve.riders.steering.herd import herd as ride_herd
    from swerve.riders.steering.herd_measure import usual_spacing
    from swerve.riders.steering.obstacles import clear_starts, grip_of, read_obstacles
    from swerve.riders.steering.stood import stood

    body, detail = party.body, party.detail
    for name, value in (("--near", near), ("--most", most)):
        if value is not None and detail != "mixed":
            raise BadInput(name, value, f"is for --detail mixed, not for {detail}")
    if obstacles is not None and controller is Controller.SIMPLE:
        raise BadInput("--controller", "simple", "cannot keep to the lines round --obstacles, lod does;")
    steering = party.steering(controller, "herd")
    frame = 0.1 if riders <= 200 else 1.0
    width = body.outline[1]
    if spacing is None:
        spacing = usual_spacing(2 * body.radius)
    options = HerdOptions(spacing, party.threads, frame, parts, length=2 * body.radius, width=width)
    if obstacles is not None:
        options = replace(options, obstacles=read_obstacles(obstacles), grip=grip_of(party.map))
    within = partial(scatter, riders, party.seed, body.radius, square, width=width)
    if way is None:
        starts = clear_starts(within, options.gaps, body.speed)
    else:
        options, starts = on_way(way, options, within, party.map)
    ride = party.ride(riders, 8.0 if near is None else near, 16 if most is None else most)
    done = ride_herd(ride, body.speed, steering, starts, seconds, options)
    named = {"rider": body.name, "controller": controller, "detail": detail}
    meta = provenance(f"herd of {riders}", party.seed, **named)
    scenery = options.scenery()
    recorded = record_herd(done, body.name, body.radius, {**meta, **scenery})
    stem = party.out / f"{body.name}-herd-{riders}-{controller}-{detail}"
    going = "heading right" if way is None else f"along {way.stem}"
    title = f"{riders} {body.name} riders, {going}, {WORDS[controller]}"
    files = {
        "recording": str(recorded.write(f"{stem}.parquet")),
        "plan": str(done.plan().with_meta(**meta, **size_of(body)).save(f"{stem}-plan.parquet")),
        "picture": str(draw_herd(f"{stem}.png", done, body.radius, title, scenery)),
        "errors": str(draw_errors(f"{stem}-error.png", {controller: [done]}, title)),
    }
    error = done.position_error
    result = {
        "riders": riders,
        "controller": controller,
        "detail": detail,
        "backend": party.backend,
        "seconds": seconds,
        "spacing": spacing,
        "position_error": [round(float(e), 4) for e in error[::10]],
        "position_error_step": 1.0,
        "first_position_error": float(error[0]),
        "last_position_error": float(error[-1]),
        "settling_time": done.settling_time,
        "falls": int(done.fell.sum()),
        "decisions_per_second": done.decisions_per_second,
        "realtime_factor": done.realtime_factor,
        "groups": int(done.groups[-1]),
        "one_group_after": done.one_group_after,
        "extent": done.extent,
        "order": done.order,
        "contacts": done.contacts,
        "obstacle_contacts": done.obstacle_contacts,
        "standing": stood(done, options),
        "closed_at": options.closed_behind(starts),
        "left_street": options.left_street(done.pose),
        "switches": ride.switches if detail == "mixed" else 0,
        "largest_switch_jump": ride.largest_jump if detail == "mixed" and ride.switches else None,
        **({"in_full": float(done.level.mean())} if detail == "mixed" else {}),
        **files,
    }
    party.answer(result, f"herd of {riders} {body.name}")
    if done.fell.any():
        raise typer.Exit(1)


@for_party("full", "map")
def stop(
    party: Party,
    start: Annotated[
        float | None,
        typer.Option("--from", help="Speed at first [m/s]: human 4 to 14, alien 3 to 8, car 20."),
    ] = None,
) -> None:
    """Brake to a stand and put a foot down. Exit 1 when the rider fell."""
    from swerve.core.errors import BadInput
    from swerve.core.provenance import provenance
    from swerve.riders.bodies.examine import stop_from
    from swerve.riders.record import Film

    low, high = getattr(party.body, "speeds", (party.body.speed, party.body.speed))
    speed = party.body.speed if start is None else start
    if not low <= speed <= high:
        known = f"must lie within {low:g} and {high:g} m/s, the rider's speeds;"
        raise BadInput("--from", speed, known if low < high else f"this body knows one speed, {low:g} m/s;")
    film, body = Film(), party.body
    result = stop_from(body, party.ride(1), speed, film.note)
    meta = provenance(f"{body.name} stops", party.seed, rider=body.name, detail=party.detail)
    file = film.recording(body.name, body.radius, meta).write(party.out / f"{body.name}-stop.parquet")
    result |= {"speed": speed, "detail": party.detail, "recording": str(file)}
    party.answer(result, f"{body.name} stops")
    if not result["upright"]:
        raise typer.Exit(1)


@for_party("map", "full")
def tune(
    party: Party,
    tries: Annotated[int, typer.Option(min=1, help="Points tried for each controller and task.")] = 150,
    starts: Annotated[int, typer.Option(min=1, help="Starts a curve.")] = 3,
    resume: Resume = False,
) -> None:
    """Tune the weights of both controllers for both tasks by simulated annealing."""
    from swerve.core.sweep import resumable
    from swerve.riders.steering.tune import store
    from swerve.riders.steering.tune import tune as anneal_weights

    with resumable(party.out / f"{party.body.name}-tune.ledger", resume):
        found = anneal_weights(party.ride, party.map, tries, party.seed, starts)
        file = store(party.body.name, found, party.out / "weights.json")
    flat = {f"{task}_{key}": value for task, w in found.lod.items() for key, value in vars(w).items()}
    party.answer({**flat, **found.as_dict(), "weights": str(file)}, "tuning")
