"""`swerve city scenario`: play an OpenSCENARIO file."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Json, Out, Quiet, Seed, answer, say, writable


def scenario(
    file: Annotated[Path, typer.Argument(metavar="FILE.xosc", help="An OpenSCENARIO file.")],
    seconds: Annotated[float, typer.Option(help="At most how long [s].")] = 300.0,
    dt: Annotated[float, typer.Option(help="Step [s].")] = 0.02,
    page: Annotated[bool, typer.Option(help="Also write a page that plays it.")] = True,
    seed: Seed = 0,
    out: Out = Path("out/scenario"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play an OpenSCENARIO file on its OpenDRIVE roads, by its storyboard.

    Prints whether the storyboard came to its end, its acts and events in order, and what the file asks for
    and nobody does, each with its line. Exit 1 if the time was over before the storyboard.
    """
    from swerve.city.openscenario import play
    from swerve.core.progress import be_quiet
    from swerve.core.provenance import provenance
    from swerve.core.recording import Recording
    from swerve.core.show.player import write_player

    be_quiet(quiet)
    writable(out)
    outcome = play(file, seconds, dt)
    meta = {**outcome.recording.meta, **provenance(outcome.name, seed, command_name="city scenario", dt=dt)}
    recording = Recording(outcome.recording.columns, meta)
    path = recording.write(out / f"{outcome.name}.parquet")
    result: dict[str, Any] = {
        "scenario": outcome.name,
        "finished": outcome.finished,
        "seconds": outcome.seconds,
        "events": outcome.events,
        "unsupported": outcome.unsupported,
        "contacts": outcome.contacts,
        "recording": str(path),
    }
    if page:
        result["page"] = str(write_player(recording, path.with_suffix(".html"), outcome.name))
    if not as_json and not quiet:
        for event in outcome.events:
            say(f"{event['time']:8.2f} s  {event['kind']} {event['name']}: {event['what']}")
        for line in outcome.unsupported:
            say(f"not supported: {line}")
    answer(result, as_json, quiet, title=outcome.name)
    if not outcome.finished:
        raise typer.Exit(1)
