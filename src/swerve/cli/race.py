"""`swerve race`: drive a car round a track with a move tree."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import race_tree
from .choices import Execution, Goal, Heuristic
from .names import track_names, tree_names
from .options import Json, Out, Quiet, Seed, answer, group_with_default, writable

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
        help="long-straight, cornered, sharp-cornered, final, or a CSV file of x, y and widths (metres).",
    ),
]


@app.command(
    epilog="Examples: swerve race final — swerve race sharp-cornered --execute physics — "
    "swerve race Monza.csv --laps 2"
)
def drive(
    track: TrackName,
    tree: Annotated[
        str,
        typer.Option(
            help="five, seven, large, a tree file, or a mobility map (human, alien or a file).",
            autocompletion=tree_names,
        ),
    ] = "large",
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
        float, typer.Option(help="Trust in the heuristic: 1 is plain A*, a little more is quicker.")
    ] = 1.1,
    execute: Annotated[
        Execution, typer.Option(help="playback of the clips, or physics with a tracking controller.")
    ] = Execution.PLAYBACK,
    mismatch: Annotated[
        float, typer.Option(help="With physics: how far the real car's constants are off, as a fraction.")
    ] = 0.02,
    seconds: Annotated[float, typer.Option(help="Give up after this many seconds.")] = 600.0,
    picture: Annotated[bool, typer.Option(help="Also draw the drive.")] = True,
    parts: Annotated[bool, typer.Option(help="Record the wheels of the car too.")] = True,
    seed: Seed = 0,
    out: Out = Path("out/race"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Drive TRACK: plan with the move tree at every transition point, play the best clip, plan again.

    Writes a recording (`swerve show` makes a page or a film of it) and a picture. Exit status 1 when the car
    did not finish.
    """
    from swerve.core.errors import require
    from swerve.core.progress import be_quiet
    from swerve.core.provenance import provenance
    from swerve.core.show.picture import write_picture
    from swerve.race import SearchOptions, Setting, follow, load_track
    from swerve.race.drive import drive as run
    from swerve.race.drive import motion_figures
    from swerve.race.follow import check_controls
    from swerve.race.record import record, scenery
    from swerve.scenes.bodies import load_moves

    be_quiet(quiet)
    for name, value, least, most in (
        ("--horizon", horizon, 1, MOST_FRAMES),
        ("--nodes", nodes, 1, MOST_NODES),
        ("--cars", cars or 0, 0, MOST_CARS),
        ("--laps", laps, 1, 1000),
    ):
        require(least <= value <= most, name, value, f"must be between {least} and {most:,}")
    require(0 <= mismatch < 0.5, "--mismatch", mismatch, "must be between 0 and 0.5")
    setting = Setting(
        SearchOptions(horizon=horizon, nodes=nodes, weight=weight),
        goal=goal.value,
        improved=heuristic is Heuristic.IMPROVED,
        laps=laps,
        cars=cars,
        seconds=seconds,
    )
    place, moves = load_track(track), load_moves(tree)
    require(laps == 1 or place.closed, "--laps", laps, f"must be 1: {place.name} is no closed circuit")
    if execute is Execution.PHYSICS:
        check_controls(moves)
    writable(out)
    driven = run(place, moves, setting, seed)
    result: dict[str, Any] = {"track": place.name, "tree": moves.name, "seed": seed, **driven.figures()}
    real = follow(driven, mismatch=mismatch, seed=seed) if execute is Execution.PHYSICS else None
    result["deviation_max"] = 0.0
    if real is not None:
        result |= motion_figures(real.states)
        result["deviation_max"] = float(real.deviation.max())
        result["crashed"] = driven.crashed or real.touched
        result["finished"] = driven.finished and not real.touched
    meta = provenance(place.name, seed, command_name="race", tree=moves.name)
    recording = record(driven, meta, real, parts)
    stem = f"{place.name}-{moves.name}-{seed}"
    result["recording"] = str(recording.write(out / f"{stem}.parquet"))
    plan = driven.plan().with_meta(**meta, **scenery(place))
    result["plan"] = str(plan.save(out / f"{stem}-plan.parquet"))
    if picture:
        result["picture"] = str(write_picture(recording, out / f"{stem}.png"))
    answer(result, as_json, quiet, title=f"{place.name} with {moves.name}")
    return 0 if result["finished"] else 1


@app.command(epilog="Example: swerve race track --length 1500 --corners 10 --sharpness 0.7 --out mine.csv")
def track(
    name: Annotated[
        str | None, typer.Argument(metavar="[TRACK]", help="A track to describe; none generates one.")
    ] = None,
    length: Annotated[float, typer.Option(help="Generated: length in metres.")] = 1000.0,
    corners: Annotated[int, typer.Option(help="Generated: number of corners.")] = 8,
    sharpness: Annotated[float, typer.Option(help="Generated: 0 wide sweeps to 1 hairpins.")] = 0.5,
    width: Annotated[float, typer.Option(help="Generated: width of the road in metres.")] = 14.0,
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
    place = load_track(name) if name else generate(length, corners, sharpness, width, seed)
    result: dict[str, Any] = {
        "track": place.name,
        "length": place.finish,
        "closed": place.closed,
        "narrowest": float((place.left + place.right).min()),
        "tightest_radius": place.tightest_radius,
    }
    if out is not None:
        result["file"] = str(write_circuit(place, out) if out.suffix == ".csv" else draw_track(place, out))
    answer(result, as_json, quiet, title=place.name)
