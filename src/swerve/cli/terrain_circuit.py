"""`swerve terrain circuit`: the fastest line round a circuit, or along a stage."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Json, Out, Quiet, Seed, answer, writable


def register(app: typer.Typer) -> None:
    example = "Example: swerve terrain circuit Monza.csv --line Monza_min_curvature_line.csv"
    app.command(epilog=example)(circuit)


def circuit(
    file: Annotated[Path, typer.Argument(help="CSV: x, y, width to the right and to the left [m], maybe z.")],
    line: Annotated[Path | None, typer.Option(help="CSV with x, y of a line to compare with.")] = None,
    width: Annotated[float, typer.Option(min=0.0, help="Width of the car [m].")] = 2.0,
    stage: Annotated[bool, typer.Option("--open", help="A stage from its first row to its last.")] = False,
    v_start: Annotated[float, typer.Option("--v-start", min=0.0, help="Speed at its start [m/s].")] = 0.0,
    vehicle: Annotated[
        Path | None, typer.Option(help="YAML file with fields that the racing car is to have instead.")
    ] = None,
    seed: Seed = 0,
    out: Out = Path("out/terrain"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the minimum-time line inside the edges of a circuit, as a lap that repeats, or of a stage."""
    from dataclasses import replace

    from swerve.core.errors import require
    from swerve.core.progress import be_quiet
    from swerve.core.provenance import provenance
    from swerve.terrain import Vehicle
    from swerve.terrain.circuit import Circuit, warm_up
    from swerve.terrain.circuit_pictures import draw_circuit
    from swerve.terrain.rounding import read_line

    be_quiet(quiet)
    writable(out)
    require(stage or v_start == 0.0, "--v-start", v_start, "needs --open: a lap begins as it ends")
    track = Circuit.read(file, closed=not stage)
    track = replace(track, v_start=v_start) if stage else track
    car = Vehicle.racing_car()
    if vehicle:
        car = Vehicle.read(vehicle, otherwise=car)
    reference = read_line(line, not stage) if line else None
    if reference is not None:
        track.must_hold(reference, f"line {line}")
    warm_up()
    lap = track.fastest_line(car, width, None if reference is None else reference[:, :2])
    centre = track.judged(track.centre, car)
    baseline = centre if reference is None else track.judged(reference, car)
    both = lap.profile.feasible and baseline.feasible
    files = [
        draw_circuit(out / f"{file.stem}-line.png", track, lap, reference, baseline, title=file.stem),
        lap.write(out / f"{file.stem}-line.csv"),
        lap.plan(car)
        .with_meta(**provenance(file.stem, seed, lines=_edges(track)))
        .save(out / f"{file.stem}-plan.parquet"),
    ]
    answer(
        {
            "circuit": file.stem,
            "lap_time": lap.profile.time if lap.profile.feasible else None,
            "baseline_time": baseline.time if baseline.feasible else None,
            "baseline": "centre line" if line is None else str(line),
            "gain_percent": 100 * (1 - lap.profile.time / baseline.time) if both else None,
            "centre_time": centre.time if centre.feasible else None,
            "peak_friction_use": lap.profile.peak_friction_use,
            "least_margin": lap.least_margin,
            "length": lap.profile.length,
            "max_speed": lap.profile.max_speed,
            "feasible": lap.profile.feasible,
            "why": "" if lap.profile.feasible else lap.profile.explain(),
            "baseline_why": "" if baseline.feasible else baseline.explain(),
            "iterations": lap.iterations,
            "seconds": lap.seconds,
            "plan": str(files[-1]),
            "files": [str(f) for f in files],
        },
        as_json,
        quiet,
        title=f"circuit {file.stem}",
    )
    if not lap.profile.feasible:
        raise typer.Exit(1)


def _edges(track: Any) -> list[dict[str, Any]]:
    """Both edges of a circuit as lines for whoever draws the plan."""
    rings = ([*edge, edge[0]] if track.closed else edge for edge in track.edges())
    return [{"points": [[round(float(v), 2) for v in p] for p in ring], "role": "wall"} for ring in rings]
