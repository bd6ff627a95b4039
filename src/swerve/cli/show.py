"""`swerve show`: a recording as a page that plays it, a picture or a film."""

import time
from pathlib import Path
from typing import Annotated

import typer

from .options import Json, Quiet, answer

KINDS = ("html", "png", "svg", "mp4", "gif")


def register(app: typer.Typer) -> None:
    app.command("show", epilog="Example: swerve show out/race/recording.parquet --as mp4")(show)


def show(
    file: Annotated[Path, typer.Argument(help="A recording (Parquet), as the other commands write it.")],
    kind: Annotated[
        str | None, typer.Option("--as", help=f"What to make: {', '.join(KINDS)}. [default: html]")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="File or folder to write to. [default: beside the recording]")
    ] = None,
    follow: Annotated[
        int | None,
        typer.Option("--follow", help="Id of a body that the camera keeps in view (html, mp4, gif)."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Words above it. [default: the scene]")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a standalone page, a picture or a film of a recording, seen from above."""
    from swerve.core.errors import BadInput
    from swerve.core.files import existing
    from swerve.core.progress import be_quiet
    from swerve.core.recording import Recording

    be_quiet(quiet)
    started = time.perf_counter()
    existing(file, "recording")
    kind, target = destination(file, kind, out)
    recording = Recording.read(file)
    try:
        if kind == "html":
            from swerve.core.show.player import write_player

            write_player(recording, target, title, follow)
        elif kind in ("png", "svg"):
            from swerve.core.show.picture import write_picture

            write_picture(recording, target, title)
        else:
            from swerve.core.show.film import write_film

            write_film(recording, target, title, follow)
    except OSError as error:
        raise BadInput(f"out {target}", None, f"cannot be written ({error.strerror or error})") from error
    result = {
        "file": target,
        "as": kind,
        "bytes": target.stat().st_size,
        "bodies": len(set(recording["id"].tolist())),
        "seconds": time.perf_counter() - started,
    }
    if as_json:
        answer(result, as_json, quiet)
    else:
        print(target)


def destination(file: Path, kind: str | None, out: Path | None) -> tuple[str, Path]:
    """What to make and where, from the options; an ending of `out` says what to make as well as `--as`."""
    from swerve.core.errors import BadInput

    if kind is not None and kind not in KINDS:
        raise BadInput("--as", kind, f"must be one of {', '.join(KINDS)}")
    if out is None:
        kind = kind or "html"
        return kind, file.with_suffix(f".{kind}")
    ending = out.suffix.lower().removeprefix(".")
    if out.is_dir() or not ending:
        kind = kind or "html"
        return kind, out / f"{file.stem}.{kind}"
    if ending not in KINDS:
        raise BadInput("--out", str(out), f"must be a folder or end in one of {', '.join(KINDS)}")
    if kind not in (None, ending):
        raise BadInput("--out", str(out), f"does not end in .{kind}, which --as asks for")
    return ending, out
