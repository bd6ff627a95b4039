"""`swerve show`: a recording or a plan as a page that plays it, a picture or a film."""

from pathlib import Path
from typing import Annotated

import typer

from .choices import SeenFrom, ShownAs
from .options import Json, Quiet, answer, refuse_unless

KINDS = tuple(kind.value for kind in ShownAs)


def register(app: typer.Typer) -> None:
    app.command("show", epilog="Example: swerve show out/scene/chase/recording.parquet --as mp4")(show)


def show(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A recording or a plan, as other commands write it.")],
    kind: Annotated[
        ShownAs | None, typer.Option("--as", help="What to make. [default: html, or by the ending of --out]")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="File or folder to write to. [default: beside it]")
    ] = None,
    follow: Annotated[
        int | None,
        typer.Option("--follow", help="Id of a body that is kept in view (html, mp4, gif, --from)."),
    ] = None,
    seen_from: Annotated[
        SeenFrom | None,
        typer.Option("--from", help="Moments of one body side by side, seen from there (png, svg)."),
    ] = None,
    moments: Annotated[int, typer.Option(help="How many, with --from.")] = 7,
    title: Annotated[str | None, typer.Option("--title", help="Words above it. [default: the scene]")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a standalone page, a picture or a film of a recording or a plan, seen from above.

    The picture of a plan also shows its states and controls over time. With --from it is a strip of moments
    of the body that --follow names, limbs and wheels where they were recorded.
    """
    from swerve.core.errors import BadInput
    from swerve.core.files import existing
    from swerve.core.plan import Plan, is_plan
    from swerve.core.progress import be_quiet
    from swerve.core.recording import Recording
    from swerve.core.show.plan_picture import recording_of, write_plan_picture

    be_quiet(quiet)
    existing(file, "recording")
    if seen_from is not None and kind is None and (out is None or not out.suffix):
        kind = ShownAs.PNG
    made, target = destination(file, kind, out)
    if seen_from is not None and made not in ("png", "svg"):
        raise BadInput("--from", seen_from.value, f"makes a picture, png or svg, not {made};")
    if follow is not None and seen_from is None and made in ("png", "svg"):
        raise BadInput("--follow", follow, f"is for pages, films and --from, not for {made}")
    refuse_unless(seen_from is not None, context, "moments", "needs --from")
    plan = Plan.load(file) if is_plan(file) else None
    recording = Recording.read(file) if plan is None else recording_of(plan)
    try:
        if seen_from is not None:
            from swerve.core.show.strip import write_strip

            write_strip(recording, target, seen_from.value, follow, moments, title)
        elif made == "html":
            from swerve.core.show.player import write_player

            write_player(recording, target, title, follow)
        elif made in ("png", "svg") and plan is not None:
            write_plan_picture(plan, target, title)
        elif made in ("png", "svg"):
            from swerve.core.show.picture import write_picture

            write_picture(recording, target, title)
        else:
            from swerve.core.show.film import write_film

            write_film(recording, target, title, follow)
    except OSError as error:
        raise BadInput(f"out {target}", None, f"cannot be written ({error.strerror or error})") from error
    times = recording.whole()["t"]
    result = {
        "file": target,
        "plan": plan is not None,
        "as": made,
        "bytes": target.stat().st_size,
        "bodies": len(set(recording.whole()["id"].tolist())),
        "seconds": float(times.max() - times.min()) if len(times) else 0.0,
    }
    if as_json:
        answer(result, as_json, quiet)
    else:
        print(target)


def destination(file: Path, kind: str | None, out: Path | None) -> tuple[str, Path]:
    """What to make and where, from the options; an ending of `out` says what to make as well as `--as`."""
    from swerve.core.errors import BadInput

    if out is None:
        kind = kind or "html"
        return kind, free_name(file, kind)
    ending = out.suffix.lower().removeprefix(".")
    if out.is_dir() or not ending:
        kind = kind or "html"
        return kind, out / f"{file.stem}.{kind}"
    if ending not in KINDS:
        raise BadInput("--out", str(out), f"must be a folder or end in one of {', '.join(KINDS)}")
    if kind not in (None, ending):
        raise BadInput("--out", str(out), f"does not end in .{kind}, which --as asks for")
    return ending, out


def free_name(file: Path, kind: str) -> Path:
    """Beside the file; what the command that made it may have drawn under that name is left alone.

    Pages are the same from either, so a page may be written again.
    """
    plain = file.with_suffix(f".{kind}")
    return plain if kind == "html" or not plain.exists() else file.with_name(f"{file.stem}-shown.{kind}")
