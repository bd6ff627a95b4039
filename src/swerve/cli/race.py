"""`swerve race`: drive a car round a track with a move tree."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from . import race_tree
from .choices import Execution, Goal, Heuristic, RacePlanner, RivalKind
from .names import track_names, tree_names
from .options import Json, Out, Quiet, Seed, answer, group_with_default, refuse_unless, writable

app = typer.Typer(
    name="race",
    cls=group_with_default("drive"),
    help="Drive a car round a track, planning while driving.",
    epilog="`swerve race TRACK` is short for `swerve race drive TRACK`; "
    "see `swerve race drive --help` for its options.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.add_typer(race_tree.app, name="tree")


MOST_FRAMES, MOST_NODES, MOST_CARS = 10_000, 5_000_000, 1000  # what fits into memory


def register(top: typer.Typer) -> None:
    top.add_typer(app, name="race")


TrackName = Annotated[
    str,
    typer.Argument(
        metavar="TRACK",
        autocompletion=track_names,
        help="long-straight, cornered, sharp-cornered, final, yard, or a CSV file of x, y, widths (metres).",
    ),
]


@app.command(
    epilog="Examples: swerve race final — swerve race sharp-cornered --execute physics — "
    "swerve race Monza.csv --laps 2"
)
def drive(
    track: TrackName,
    tree: Annotated[
        str | None,
        typer.Option(
            help="five, seven, large, bends, a tree file, or a mobility map (human, alien or a file) "
            "(default: large).",
            autocompletion=tree_names,
        ),
    ] = None,
    horizon: Annotated[int, typer.Option(help="Frames (40 ms) the plan looks ahead.")] = 200,
    nodes: Annotated[int, typer.Option(help="Most nodes a search keeps.")] = 4000,
    cars: Annotated[int | None, typer.Option(help="Other cars (default: the track's own).")] = None,
    laps: Annotated[int, typer.Option(help="Laps of a closed track.")] = 1,
    goal: Annotated[
        Goal,
        typer.Option(
            help="finish line or laps, progress for as long as the time lasts, or far: a point 100 km away, "
            "as in the thesis."
        ),
    ] = Goal.FINISH,
    heuristic: Annotated[
        Heuristic, typer.Option(help="improved (knows speed, heading and corners) or simple (distance).")
    ] = Heuristic.IMPROVED,
    weight: Annotated[
        float | None,
        typer.Option(help="Trust in the heuristic: 1 is plain A*, more is quicker (default: the tree's)."),
    ] = None,
    execute: Annotated[
        Execution, typer.Option(help="playback by the car that was planned with, or physics by another one.")
    ] = Execution.PLAYBACK,
    mismatch: Annotated[
        float | None,
        typer.Option(
            help="With physics: how far the real car's constants may be off, a fraction below 0.5 (default: "
            "0.02)."
        ),
    ] = None,
    latency: Annotated[
        float, typer.Option(metavar="MS", help="With physics: milliseconds from looking to acting, 0 to 500.")
    ] = 0.0,
    noise: Annotated[
        float,
        typer.Option(help="With physics: noise of the sensors, 0 to 1; 1 is half a metre, 3° and 1 m/s."),
    ] = 0.0,
    planner: Annotated[
        RacePlanner,
        typer.Option(
            help="line (rehearsed, futures tried out), tree (clips), or auto: tree if --tree or --weight is "
            "given, else as the road asks."
        ),
    ] = RacePlanner.AUTO,
    rivals: Annotated[
        RivalKind, typer.Option(help="The other cars: steady, reacting, or surprising (brake, change lane).")
    ] = RivalKind.STEADY,
    car: Annotated[
        str | None, typer.Option(metavar="FILE", help="seed, heavy, ice, or a YAML file of constants.")
    ] = None,
    line: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A line to drive, if it is quicker than our own: a CSV file of x_m, y_m."
        ),
    ] = None,
    start: Annotated[
        str | None, typer.Option(metavar="x,y,heading,speed", help="Where to start [m, m, rad, m/s].")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Give up after this many seconds.")] = 600.0,
    picture: Annotated[bool, typer.Option(help="Also draw the drive.")] = True,
    parts: Annotated[bool, typer.Option(help="Record the wheels of the car too.")] = True,
    seed: Seed = 0,
    out: Out = Path("out/race"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Drive TRACK, planning all the while: on an empty road, by physics and among rivals a rehearsed line and
    futures beside it; among other cars clips of the move tree, with a new plan at the end of every clip.

    Writes a recording (`swerve show` makes a page or a film of it) and a picture. Exit status 1 when the car
    did not finish.
    """
    import numpy as np

    from swerve.core.errors import require
    from swerve.core.progress import be_quiet
    from swerve.core.provenance import provenance
    from swerve.core.show.picture import write_picture
    from swerve.race import Entry, Reality, SearchOptions, Setting, load_track
    from swerve.race.car import FRAME, different
    from swerve.race.cars import fitted_tree
    from swerve.race.drive import by_line
    from swerve.race.drive import drive as run
    from swerve.race.follow import check_controls
    from swerve.race.record import record, scenery
    from swerve.race.trees import car_of
    from swerve.scenes.bodies import load_moves

    be_quiet(quiet)
    for name, value, least, most in (
        ("--horizon", horizon, 1, MOST_FRAMES),
        ("--nodes", nodes, 2, MOST_NODES),
        ("--cars", cars or 0, 0, MOST_CARS),
        ("--laps", laps, 1, 1000),
    ):
        require(least <= value <= most, name, value, f"must be between {least} and {most:,}")
    off = 0.02 if mismatch is None else mismatch
    require(0 <= off < 0.5, "--mismatch", off, "must be between 0 and 0.5")
    require(0 <= latency <= 500, "--latency", latency, "must be between 0 and 500 ms")
    require(0 <= noise <= 1, "--noise", noise, "must be between 0 and 1")
    if planner is RacePlanner.AUTO and not (tree is None and weight is None):
        planner = RacePlanner.TREE
    tree = "large" if tree is None else tree
    place, moves = load_track(track), load_moves(tree)
    weight = float(moves.meta.get("weight", 1.1)) if weight is None else weight
    setting = Setting(
        SearchOptions(horizon=horizon, nodes=nodes, weight=weight),
        goal=goal.value,
        improved=heuristic is Heuristic.IMPROVED,
        laps=laps,
        cars=cars,
        seconds=seconds,
        planner=planner.value,
        rivals=rivals.value,
    )
    physics = execute is Execution.PHYSICS
    for name, much in (("--latency", latency), ("--noise", noise), ("--mismatch", mismatch)):
        require(physics or not much, name, much, "needs --execute physics")
    reality = Reality(physics, latency / 1e3, noise, off)
    require(laps == 1 or place.closed, "--laps", laps, f"must be 1: {place.name} is no closed circuit")
    made_for, state, way = _asked(car, start, line)
    made_for = made_for or car_of(moves)
    drove = (
        different(made_for, off, seed) if physics else made_for
    )  # the car itself, whatever is believed of it
    entry = Entry(made_for, reality, state, way)
    on_line = by_line(moves, place, setting, entry=entry)
    if physics and not on_line:
        check_controls(moves)
    if not on_line:
        _refuse_for_trees(rivals, latency, noise, line)
        moves = fitted_tree(made_for, tree, moves, "--tree")
    writable(out)
    driven = run(place, moves, setting, seed, entry=entry)
    tree_name = None if on_line else moves.name
    result: dict[str, Any] = {"track": place.name, "tree": tree_name, "seed": seed, **driven.figures()}
    result["planner"] = "line" if on_line else "tree"
    if on_line:
        result |= {"line": driven.line, "rehearsed_seconds": driven.tried}
    result["start_speed"] = float(np.hypot(*driven.states[0, 3:5]))  # trees that cannot stand start rolling
    result |= _figures(driven, laps, drove, way, None if physics else driven.bound)
    real = None
    result["deviation_max"] = driven.deviation if physics else 0.0
    if physics:
        result["latency_ms"] = 1e3 * reality.frames * FRAME if on_line else 0.0
        if not on_line:
            real = _followed(driven, made_for, off, seed, laps, result)
            if not result["finished"]:
                result["above_bound_percent"] = None
    meta = provenance(place.name, seed, command_name="race", tree=tree_name, car=asdict(drove))
    recording = record(driven, meta, real, parts)
    stem = f"{place.name}-{driven.driver}-{seed}"
    result["recording"] = str(recording.write(out / f"{stem}.parquet"))
    planned = asdict(drove if on_line else made_for)
    plan = driven.plan().with_meta(**(meta | {"car": planned}), **scenery(place))
    result["plan"] = str(plan.save(out / f"{stem}-plan.parquet"))
    if picture:
        result["picture"] = str(write_picture(recording, out / f"{stem}.png"))
    answer(result, as_json, quiet, title=f"{place.name} with {driven.driver}")
    return 0 if result["finished"] else 1


def _asked(car: str | None, start: str | None, line: Path | None) -> tuple[Any, Any, Any]:
    """The car's constants, the state (6,) to start in and the line (k, 2), as far as they were asked for."""
    import numpy as np

    from swerve.core.circuit_file import PLACE, read_table
    from swerve.core.errors import BadInput
    from swerve.race import load_car

    state = way = None
    if start is not None:
        try:
            x, y, heading, speed = (float(v) for v in start.split(","))
        except ValueError:
            raise BadInput("--start", start, "must be four numbers: x,y,heading,speed") from None
        state = np.array([x, y, heading, speed * np.cos(heading), speed * np.sin(heading), 0.0])
        if not np.isfinite(state).all() or not 0 <= speed <= 100:
            raise BadInput("--start", start, "must be finite, and the speed between 0 and 100 m/s")
    if line is not None:
        table = read_table(line, "line", PLACE)
        way = np.column_stack([table[name] for name in PLACE])
    return None if car is None else load_car(car), state, way


def _refuse_for_trees(rivals: RivalKind, latency: float, noise: float, line: Path | None) -> None:
    """What only the planner by line knows about."""
    from swerve.core.errors import require

    why = "needs --planner line"
    require(rivals is RivalKind.STEADY, "--rivals", rivals.value, why)
    require(latency == 0.0, "--latency", latency, why)
    require(noise == 0.0, "--noise", noise, why)
    require(line is None, "--line", None if line is None else str(line), why)


def _figures(driven: Any, laps: int, car: Any, line: Any, bound: float | None) -> dict[str, Any]:
    """Sectors, hands, and how far above the quasi-steady bound the drive was; there is none of who must turn
    round first, nor of other bodies than cars, and no part of a lap is held against it.
    """
    from swerve.race.bound import bound_of
    from swerve.race.entry import along_road

    if bound is None and "outline" not in driven.tree.meta and along_road(driven.track, driven.states[0]):
        bound = laps * bound_of(driven.track, car, driven.states[0], line)
    figures: dict[str, Any] = driven.lap_figures(laps)
    figures["bound_seconds"] = bound
    measured = bound is not None and driven.finished and driven.from_the_line
    figures["above_bound_percent"] = 100.0 * (driven.seconds / bound - 1.0) if measured else None
    return figures


def _followed(driven: Any, car: Any, mismatch: float, seed: int, laps: int, result: dict[str, Any]) -> Any:
    """A plan of clips driven by physics; finished and crashed are those of the real car."""
    from swerve.race import follow
    from swerve.race.course import progress_of
    from swerve.race.driven import motion_figures, steering_figures

    real = follow(driven, car, mismatch=mismatch, seed=seed)
    goal = driven.track.finish * (laps if driven.track.closed else 1)
    result |= motion_figures(real.states) | steering_figures(real.controls)
    result["deviation_max"] = float(real.deviation.max())
    result["crashed"] = driven.crashed or real.touched
    got_there = float(progress_of(driven.track, real.states).max()) >= goal
    result["finished"] = driven.finished and not real.touched and got_there
    return real


@app.command(epilog="Example: swerve race track --length 1500 --corners 10 --sharpness 0.7 --out mine.csv")
def track(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[TRACK]", help="A track to describe; none generates one.")
    ] = None,
    length: Annotated[float, typer.Option(help="Generated: length in metres.")] = 1000.0,
    corners: Annotated[int, typer.Option(help="Generated: number of corners.")] = 8,
    sharpness: Annotated[float, typer.Option(help="Generated: 0 wide sweeps to 1 hairpins.")] = 0.5,
    width: Annotated[float, typer.Option(help="Generated: width of the road in metres.")] = 14.0,
    closed: Annotated[
        bool, typer.Option("--closed", help="Generated: a lap that ends where it begins.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write it: FILE.csv to drive on, or FILE.png to look at.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Describe a track, or generate one; write it as CSV for `swerve race` or as a picture."""
    from swerve.core.errors import BadInput
    from swerve.race.draw import draw_track
    from swerve.race.tracks import generate, load_track, write_circuit

    if out is not None and out.suffix not in (".csv", ".png", ".svg"):
        raise BadInput("--out", str(out), "must end in .csv, .png or .svg")
    if out is not None:
        writable(out.parent)
    for option in ("length", "corners", "sharpness", "width", "closed"):
        refuse_unless(name is None, context, option, f"is for generated tracks, not for {name}")
    place = load_track(name) if name else generate(length, corners, sharpness, width, seed, closed)
    result: dict[str, Any] = {
        "track": place.name,
        "length": place.finish,
        "closed": place.closed,
        "narrowest": float((place.left + place.right).min()),
        "tightest_radius": place.tightest_radius,
        "bridges": len(place.bridges),
    }
    if out is not None:
        result["file"] = str(write_circuit(place, out) if out.suffix == ".csv" else draw_track(place, out))
    answer(result, as_json, quiet, title=place.name)
