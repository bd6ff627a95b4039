"""`swerve export`: a recording for other programs."""

import time
from pathlib import Path
from typing import Annotated

import typer

from .choices import ExportedAs
from .options import Json, Quiet, answer


def register(app: typer.Typer) -> None:
    app.command(
        "export", epilog="Example: swerve export out/scene/chase/recording.parquet --as gltf --fps 25"
    )(export)


def export(
    file: Annotated[Path, typer.Argument(help="A recording or a plan, as other commands write it.")],
    kind: Annotated[
        ExportedAs | None,
        typer.Option("--as", help="What to make. [default: gltf, or by the ending of --out]"),
    ] = None,
    fps: Annotated[
        float | None, typer.Option("--fps", help="Frames a second at most. [default: all that there are]")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="File or folder to write to. [default: beside it]")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a recording as glTF or USD (animated bodies and parts), CSV, SUMO's FCD, a 3-D page, or a film.

    glTF opens in Blender and three.js. The page in 3-D plays offline, alone in one file.
    """
    from swerve.core.errors import BadInput
    from swerve.core.files import existing
    from swerve.core.plan import Plan, is_plan
    from swerve.core.progress import be_quiet
    from swerve.core.recording import Recording
    from swerve.core.show.export import export as write
    from swerve.core.show.plan_picture import recording_of

    be_quiet(quiet)
    started = time.perf_counter()
    existing(file, "recording")
    form, target = destination(file, kind, out)
    recording = recording_of(Plan.load(file)) if is_plan(file) else Recording.read(file)
    try:
        write(recording, target, form, fps)
    except OSError as error:
        raise BadInput(f"out {target}", None, f"cannot be written ({error.strerror or error})") from error
    result = {
        "file": target,
        "as": form,
        "bytes": target.stat().st_size,
        "bodies": len(set(recording.whole()["id"].tolist())),
        "seconds": time.perf_counter() - started,
    }
    if as_json:
        answer(result, as_json, quiet)
    elif not quiet:
        print(target)


def destination(file: Path, kind: str | None, out: Path | None) -> tuple[str, Path]:
    """What to make and where; an ending of `out` says what to make as well as `--as`."""
    from swerve.core.errors import BadInput
    from swerve.core.show.export import FORMS

    if out is not None and out.suffix and not out.is_dir():
        by_ending = {ending: form for form, ending in FORMS.items()}
        form = kind or by_ending.get(out.suffix.lower().removeprefix("."))
        if form is None:
            raise BadInput("--out", str(out), f"must be a folder or end in one of {', '.join(by_ending)}")
        if out.suffix.lower() != f".{FORMS[form]}":
            raise BadInput("--out", str(out), f"must end in .{FORMS[form]} for --as {form}")
        return str(form), out
    form = kind or "gltf"
    target = (out or file.parent) / f"{file.stem}.{FORMS[form]}"
    if (
        out is None and target.exists() and form in ("png", "svg", "html")
    ):  # drawn by the command that made it
        target = target.with_name(f"{file.stem}-exported.{FORMS[form]}")
    return str(form), target
