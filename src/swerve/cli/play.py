"""`swerve play`: carry plans out in a closed loop, in a world that does not follow them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .choices import Attacker, Driven, Fidelity, Opponent, Planner, RealityKind
from .names import game_names
from .options import Json, Out, Quiet, Ray, Resume, Seed, Workers, answer, listing, writable


def register(app: typer.Typer) -> None:
    app.command("play", epilog="Example: swerve play minigolf-one-bounce --trials 5")(play)


def play(
    game: Annotated[
        str | None, typer.Argument(help="What to play; none lists them.", autocompletion=game_names)
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Games, each with a seed of its own.")] = 1,
    interval: Annotated[
        float | None,
        typer.Option(help="Seconds between plans, inf for as few as go. [default: the game's]"),
    ] = None,
    t_lod: Annotated[
        float | None,
        typer.Option("--t-lod", help="Seconds ahead from which plans ignore what moves. [default: never]"),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="Metres that plans keep from what moves by itself. [default: none]"),
    ] = None,
    uncertainty: Annotated[
        float | None, typer.Option(help="How freely others move, 0 to 1. [default: the game's]")
    ] = None,
    noise: Annotated[float, typer.Option(help="Factor on the camera's noise.")] = 1.0,
    rate_noise: Annotated[
        float | None,
        typer.Option("--rate-noise", help="Relative error of the bar's rate, as in figure 7.10."),
    ] = None,
    latency: Annotated[
        float, typer.Option(help="Milliseconds until what was seen is known, in whole frames.")
    ] = 50.0,
    reality: Annotated[
        RealityKind | None, typer.Option(help="The engine that plays the world. [default: the game's]")
    ] = None,
    planner: Annotated[
        Planner | None, typer.Option(help="How trees are grown. [default: the game's]")
    ] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Most nodes a plan. [default: the game's]")] = None,
    driven: Annotated[
        Driven | None, typer.Option(help="Follow a plan's states, or only its actions. [default: state]")
    ] = None,
    fidelity: Annotated[
        Fidelity | None,
        typer.Option(
            help="Search in the engine, on a planar model, or on that and verify. [default: the game's]"
        ),
    ] = None,
    attacker: Annotated[
        Attacker | None, typer.Option(help="Who plays soccer for us. [default: dribble]")
    ] = None,
    opponent: Annotated[
        Opponent | None, typer.Option(help="Against whom soccer is played. [default: reactive]")
    ] = None,
    parameters: Annotated[
        Path | None, typer.Option(help="Materials of the planner's model: a file of swerve fit.")
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
    resume: Resume = False,
    seed: Seed = 0,
    out: Out = Path("out/play"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play in a closed loop at 60 Hz: late and noisy sight, a tracker, plans, and a world of its own mind.

    Writes a recording of the first trial, with truth, estimate and plan side by side, and a picture."""
    from swerve.core.progress import be_quiet
    from swerve.core.provenance import provenance
    from swerve.core.sweep import resumable
    from swerve.tactics.loop import GAMES, PlayOptions
    from swerve.tactics.loop import play as play_it
    from swerve.tactics.loop.fit import read_parameters, read_scatter
    from swerve.tactics.loop.picture import draw
    from swerve.tactics.loop.play import check
    from swerve.tactics.loop.reality import FRAME
    from swerve.tactics.loop.record import record
    from swerve.tactics.loop.sense import whole_frames

    be_quiet(quiet)
    if game is None:
        listing("games", {name: entry.summary for name, entry in GAMES.items()}, as_json)
        return
    options = PlayOptions(
        reality=reality,
        noise=noise,
        latency=latency / 1000,
        planner=planner,
        nodes=nodes,
        interval=interval,
        t_lod=t_lod,
        margin=margin,
        uncertainty=uncertainty,
        driven=driven,
        fidelity=fidelity,
        attacker=attacker,
        opponent=opponent,
        rate_noise=rate_noise,
        parameters=read_parameters(parameters) if parameters is not None else {},
        scatter=read_scatter(parameters) if parameters is not None else None,
    )
    check(game, options, seed, f"parameters {parameters}")
    writable(out)
    with resumable(out / "play.ledger", resume, workers, ray):
        played = play_it(game, options, trials, seed)
        first = played.first
        assert first is not None
        words = f"{game}: {played.successes} of {trials}" + (", the first shown" if trials > 1 else "")
        meta = {**provenance(game, seed), "play": options.as_dict()}
        result: dict[str, Any] = {
            "game": game,
            **played.as_dict(),
            "latency_ms": 1000 * FRAME * whole_frames(options.latency),
            "picture": draw(first.log, first.problem, out / "play.png", words),
            "recording": record(first.log, first.problem, meta).write(out / "recording.parquet"),
        }
    answer(result, as_json, quiet, title=game)
