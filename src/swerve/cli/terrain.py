"""`swerve terrain`: the fastest way over ground."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import terrain_circuit
from .choices import Method, Pictures, Voids
from .names import cost_names, place_names
from .options import Json, Out, Quiet, Seed, answer, group_with_default, program, say, writable
from .terrain_place import scene_of

terrain = typer.Typer(
    cls=group_with_default("route"),
    no_args_is_help=True,
    help="Fastest path and speeds over terrain, or round a circuit. `swerve terrain mountain` plans a route.",
)


def register(app: typer.Typer) -> None:
    terrain_circuit.register(terrain)
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
    from swerve.core.progress import be_quiet

    be_quiet(quiet)
    writable(out)
    picture = _begin_pictures(pictures)
    from dataclasses import replace

    from swerve.core.errors import BadInput
    from swerve.terrain import PathOptions, Vehicle, fastest_path
    from swerve.terrain.costs import EXPOSURE, parse
    from swerve.terrain.fastest import warm_up
    from swerve.terrain.front import draw_front, exposure_of, with_front
    from swerve.terrain.ground_picture import SeenGround, SeenWay
    from swerve.terrain.mapframe import MOST_STRETCH
    from swerve.terrain.scenes import watched_from

    if cost is not None:
        parse(cost, "--cost")
    scene = scene_of(place, start, goal, voids, spacing)
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
    elif watch is not None:
        raise BadInput("--watch", watch, f"is for a --cost with exposure, not for {cost}")
    car = Vehicle.read(vehicle) if vehicle else scene.vehicle
    stem = file_stem(ground.name, cost)
    if picture:
        eye = watcher if weights[EXPOSURE] > 0.0 else None
        title, seen = f"{ground.name}: best by {cost}", SeenGround.of(ground)
        picture.show((out, stem, cost, title, scene.start, scene.goal, eye, seen))
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
        shown = routes.found[:4]
        picture.show(([SeenWay.of(way) for way in shown], [SeenWay.of(way) for way in routes.candidates]))
        if pictures is Pictures.ALL:
            picture.show((ground, shown, car))
    files = _write(out, ground, routes, car, cost, seed)
    if picture and routes.found:
        files = picture.files() + files
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
        "over_edge": best and best.over_edge(car),
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


def _begin_pictures(pictures: Pictures) -> Any:
    """Pictures that are drawn aside; None where none are wanted. What draws is loaded while the rest is
    loaded here. It is shown the ground and its ways as plain arrays, and if `pictures` are all, then also
    the ground, the routes and the vehicle themselves."""
    import numpy  # noqa: F401 - for both

    from swerve.core.show.aside import Aside

    def draw(found: Any) -> list[Path]:
        from swerve.core.show.figures import load

        load()
        from swerve.terrain.ground_picture import draw_ground_first

        out, stem, cost, title, start, goal, eye, seen = found()
        files = [draw_ground_first(out / f"{stem}-ground.png", seen, found, start, goal, title, eye)]
        if pictures is Pictures.ALL:
            from swerve.terrain.pictures import draw_forces, draw_limits, draw_relief

            ground, shown, car = found()
            limits = f"Velocity limits and the motion best by {cost}, path 1"
            files += [
                draw_relief(out / f"{stem}-relief.png", ground, shown, title),
                draw_limits(out / f"{stem}-limits.png", shown[0], car, limits),
                draw_forces(out / f"{stem}-forces.png", shown[0], car, "Forces along path 1"),
            ]
        return files

    return None if pictures is Pictures.NONE else Aside(draw)


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
    if result["over_edge"]:
        say(f"at its start or goal the body reaches {result['over_edge']:.1f} m over the edge of the map")
    for file in result["files"]:
        say(f"See it move: {program()} show {file}" if file.endswith(".parquet") else file)
