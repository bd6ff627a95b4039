"""`swerve terrain`: the fastest way over ground, and the fastest line round a circuit."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .choices import Method, Pictures, Voids
from .names import cost_names, place_names
from .options import Json, Out, Quiet, Seed, answer, group_with_default, program, say, writable

terrain = typer.Typer(
    cls=group_with_default("route"),
    no_args_is_help=True,
    help="Fastest path and speeds over terrain, or round a circuit. `swerve terrain mountain` plans a route.",
)


def register(app: typer.Typer) -> None:
    app.add_typer(terrain, name="terrain")


@terrain.command(epilog="Example: swerve terrain mountain --cost energy")
def route(
    place: Annotated[
        str,
        typer.Argument(
            metavar="SCENE|FILE",
            help="mountain, mountain-obstacles, jacksboro, an elevation file or a scene file.",
            autocompletion=place_names,
        ),
    ],
    start: Annotated[
        str | None, typer.Option("--from", metavar="E,N|LAT,LON", help="Start in the map's coordinates.")
    ] = None,
    goal: Annotated[
        str | None, typer.Option("--to", metavar="E,N|LAT,LON", help="Goal in the map's coordinates.")
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="EXPR",
            help="What is to be least: time [s], distance [m], energy [J], exposure (seconds seen by the "
            "watcher, and a tenth of those unseen) or a sum (time+1e-5*energy).",
            autocompletion=cost_names,
        ),
    ] = None,
    obstacles: Annotated[Path | None, typer.Option(help="GeoJSON polygons: closed, or mobility.")] = None,
    mobility: Annotated[
        Path | None, typer.Option(help="How the ground carries: GeoJSON, or a raster (0 to 1, land cover).")
    ] = None,
    front: Annotated[bool, typer.Option(help="Also the ways between fastest and thriftiest.")] = False,
    voids: Annotated[
        Voids | None, typer.Option(help="Cells without a height: filled, or closed too (forbid, as usual).")
    ] = None,
    spacing: Annotated[
        float | None, typer.Option(min=1e-3, help="Size of a cell [m] of a bare grid.")
    ] = None,
    paths: Annotated[
        int | None, typer.Option(min=1, help="How many best grid paths to consider; 240, for a front 40.")
    ] = None,
    grid: Annotated[int | None, typer.Option(min=2, max=100, help="Grid points along a side.")] = None,
    method: Annotated[Method, typer.Option(help="Local optimisation.")] = Method.QUASI_NEWTON,
    vehicle: Annotated[Path | None, typer.Option(help="YAML file with the vehicle's fields.")] = None,
    watch: Annotated[
        str | None, typer.Option(metavar="X,Y", help="Where the watcher stands, for exposure.")
    ] = None,
    pictures: Annotated[
        Pictures, typer.Option(help="The ground with its ways, or also a relief, the limits and the forces.")
    ] = Pictures.ONE,
    drivable: Annotated[bool, typer.Option(help="Shortest path: only what can be driven.")] = False,
    seed: Seed = 0,
    out: Out = Path("out/terrain"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Plan the fastest (shortest, cheapest, least exposed) way and its speeds, with pictures.

    Exit 1 when no way can be driven; the answer says where and why.
    """
    from dataclasses import replace

    from swerve.core.errors import BadInput
    from swerve.core.progress import be_quiet
    from swerve.terrain import PathOptions, Vehicle, fastest_path
    from swerve.terrain.costs import EXPOSURE, parse
    from swerve.terrain.fastest import warm_up
    from swerve.terrain.front import draw_front, exposure_of, with_front
    from swerve.terrain.mapframe import MOST_STRETCH
    from swerve.terrain.scenes import watched_from

    be_quiet(quiet)
    writable(out)
    if cost is not None:
        parse(cost, "--cost")
    scene = _scene(place, start, goal, voids, spacing)
    cost = scene.cost if cost is None else cost
    weights = parse(cost, "--cost")
    ground = scene.terrain
    if mobility:
        from swerve.terrain.cover import with_mobility

        ground = with_mobility(ground, mobility)
    if obstacles:
        from swerve.terrain.geo import read_obstacles

        ground = ground.with_regions(*read_obstacles(obstacles, ground))
    off = ground.frame.stretch(ground.extent)
    if off > MOST_STRETCH and not quiet:
        say(f"lengths are off by up to {off:.1%} at the edges of the map: cut it, or reproject it")
    watcher = ground.frame.place("--watch", watch, ground.extent) if watch else scene.watcher
    if weights[EXPOSURE] > 0.0:
        if watcher is None:
            raise BadInput("--cost", cost, "needs --watch X,Y, where the watcher stands")
        ground = watched_from(ground, watcher)
    car = Vehicle.read(vehicle) if vehicle else scene.vehicle
    picture = _begin_pictures(out, ground, scene, car, cost, watcher, weights[EXPOSURE] > 0.0, pictures)
    warm_up()
    options = PathOptions(
        grid=(grid, grid) if grid else scene.grid,
        paths=240 if paths is None else paths,
        method=method.value,
        must_drive=True if drivable else None,
    )
    routes = fastest_path(ground, scene.start, scene.goal, car, cost, options)
    trades = None
    if front:
        narrow = replace(options, paths=40 if paths is None else paths, keep=3, must_drive=None)
        routes, trades = with_front(routes, ground, scene.start, scene.goal, car, cost, narrow)
    if picture and routes.found:
        picture.show((routes.found[:4], routes.candidates))
    files = _write(out, ground, routes, car, cost, seed)
    if picture and routes.found:
        files = picture.files() + files
    stem = file_stem(ground.name, cost)
    if trades:
        title = f"{ground.name}: time against energy"
        files.append(draw_front(out / f"{stem}-front.png", trades, title))
    best = routes.found[0] if routes.feasible else None
    result: dict[str, Any] = {
        "scene": ground.name,
        "crs": ground.frame.crs or None,
        "lengths_off": off,
        "cost": cost,
        "feasible": routes.feasible,
        "reason": routes.reason,
        "why": routes.reason,
        "time": best and best.profile.time,
        "energy": best and best.profile.energy,
        "distance": best and best.profile.length,
        "exposure": best and exposure_of(best, ground),
        "switching_points": best.profile.switching_points if best else [],
        "route_csv": _named(files, f"{stem}-route.csv"),
        "route_geojson": _named(files, f"{stem}-route.geojson"),
        "paths": [{"cost": r.cost, **r.profile.summary()} for r in routes.found],
        **({} if trades is None else {"front": [trade.summary() for trade in trades]}),
        **routes.stats,
        "recording": _named(files, f"{stem}.parquet"),
        "plan": _named(files, f"{stem}-plan.parquet"),
        "files": [str(f) for f in files],
    }
    if as_json:
        answer(result, as_json, quiet)
    elif not quiet:
        _table(result)
    if not routes.feasible:
        raise typer.Exit(1)


@terrain.command(epilog="Example: swerve terrain circuit Monza.csv --line Monza_min_curvature_line.csv")
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


def _scene(
    place: str, start: str | None, goal: str | None, voids: Voids | None, spacing: float | None
) -> Any:
    from dataclasses import replace

    import numpy as np

    from swerve.core.errors import BadInput, require
    from swerve.terrain import Terrain, Vehicle
    from swerve.terrain.scenes import SCENES, Scene, scene

    for option, value in (("--voids", voids), ("--spacing", spacing)):
        require(place not in SCENES or value is None, option, value, f"is for files; {place} is whole")
    found = scene(place) if place in SCENES else _filed(place, voids, spacing)
    if found is not None:
        return replace(
            found,
            start=_at("--from", start, found.terrain) if start else found.start,
            goal=_at("--to", goal, found.terrain) if goal else found.goal,
        )
    from swerve.terrain.elevation import READERS

    if not Path(place).suffix or (not Path(place).exists() and Path(place).suffix.lower() not in READERS):
        raise BadInput(
            "scene", place, f"must be one of {', '.join(SCENES)}, an elevation file or a scene file"
        )
    if _is_circuit(place):
        raise BadInput(
            "scene", place, f"must be ground, not a circuit (try: {program()} terrain circuit {place})"
        )
    ground = Terrain.read(place, spacing, voids="open" if voids is Voids.FILL else "closed")
    if start is None or goal is None:
        (x0, y0), (x1, y1) = ground.frame.mapped(np.reshape(ground.extent, (2, 2)))
        if ground.frame.in_degrees:
            x0, y0, x1, y1 = y0, x0, y1, x1
        raise BadInput(
            "--from and --to",
            None,
            f"are needed with a file; the map reaches from {x0:.10g},{y0:.10g} to {x1:.10g},{y1:.10g}",
        )
    return Scene(ground, _at("--from", start, ground), _at("--to", goal, ground), Vehicle(), None)


def _is_circuit(place: str) -> bool:
    from swerve.core.circuit_file import PLACE, WIDTHS, has_columns

    return Path(place).suffix.lower() in (".csv", ".txt") and has_columns(place, (*PLACE, *WIDTHS))


def _begin_pictures(
    out: Path,
    ground: Any,
    scene: Any,
    car: Any,
    cost: str,
    watcher: Any,
    watched: bool,
    pictures: Pictures,
) -> Any:
    """Pictures that are drawn aside, of (routes, candidates); None where none are wanted."""
    from swerve.core.show.aside import Aside

    stem, title = file_stem(ground.name, cost), f"{ground.name}: best by {cost}"
    eye = watcher if watched else None

    def draw(found: Any) -> list[Path]:
        from swerve.terrain.pictures import draw_forces, draw_ground_first, draw_limits, draw_relief

        handed: list[Any] = []

        def routes() -> Any:
            handed.append(found())
            return handed[0]

        ends = scene.start, scene.goal
        files = [draw_ground_first(out / f"{stem}-ground.png", ground, routes, *ends, title, eye)]
        if pictures is Pictures.ALL:
            shown = handed[0][0]
            limits = f"Velocity limits and the motion best by {cost}, path 1"
            files += [
                draw_relief(out / f"{stem}-relief.png", ground, shown, title),
                draw_limits(out / f"{stem}-limits.png", shown[0], car, limits),
                draw_forces(out / f"{stem}-forces.png", shown[0], car, "Forces along path 1"),
            ]
        return files

    return None if pictures is Pictures.NONE else Aside(draw)


def _filed(place: str, voids: Voids | None, spacing: float | None) -> Any:
    """What a scene file holds; None where `place` is no scene file."""
    from swerve.core.scene_file import SUFFIXES
    from swerve.terrain.scene_file import load_scene

    if Path(place).suffix.lower() not in SUFFIXES:
        return None
    return load_scene(place, None if voids is None else voids.value, spacing)


def _at(option: str, text: str, ground: Any) -> tuple[float, float]:
    x, y = ground.frame.place(option, text, ground.extent)
    return x, y


def file_stem(name: str, cost: str) -> str:
    """What files of a route are called: the cost without what shells and systems read otherwise."""
    return f"{name}-{cost.replace(' ', '').replace('*', 'x').replace('+', '-and-')}"


def _write(out: Path, ground: Any, routes: Any, car: Any, cost: str, seed: int) -> list[Path]:
    """The best way as a recording, a plan and a route, if it can be driven."""
    from swerve.core.provenance import provenance
    from swerve.terrain.geo import write_route_csv, write_route_geojson
    from swerve.terrain.scenery import scenery

    if not routes.feasible:
        return []
    stem, best = file_stem(ground.name, cost), routes.best
    meta = provenance(ground.name, seed, cost=cost, **scenery(ground, routes.found[:4]))
    return [
        best.recording(car, meta).write(out / f"{stem}.parquet"),
        best.plan(car).with_meta(**meta).save(out / f"{stem}-plan.parquet"),
        write_route_csv(out / f"{stem}-route.csv", best, car, ground),
        write_route_geojson(out / f"{stem}-route.geojson", best, car, ground),
    ]


def _named(files: list[Path], name: str) -> str | None:
    """The file of that name, if it was written."""
    return next((str(file) for file in files if file.name == name), None)


def _edges(track: Any) -> list[dict[str, Any]]:
    """Both edges of a circuit as lines for whoever draws the plan."""
    rings = ([*edge, edge[0]] if track.closed else edge for edge in track.edges())
    return [{"points": [[round(float(v), 2) for v in p] for p in ring], "role": "wall"} for ring in rings]


def _table(result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "path", "time", "length", "energy", "top speed", "friction use", "binding", box=None, pad_edge=False
    )
    for k, path in enumerate(result["paths"], 1):
        if path["feasible"]:
            binding = ", ".join(f"{name} {share:.0%}" for name, share in list(path["binding"].items())[:3])
            cells = (f"{path['time']:.2f} s", f"{path['length']:.0f} m", f"{path['energy'] / 1e6:.2f} MJ")
            table.add_row(
                str(k), *cells, f"{path['max_speed']:.1f} m/s", f"{path['peak_friction_use']:.3f}", binding
            )
        else:
            table.add_row(str(k), "–", f"{path['length']:.0f} m", "–", "–", "–", path["reason"])
    Console().print(table)
    say(f"{result['profiles_evaluated']} profiles in {result['seconds']:.2f} s")
    if result["reason"]:
        say(result["reason"])
    for file in result["files"]:
        say(f"See it move: {program()} show {file}" if file.endswith(".parquet") else file)
