"""`swerve scene`: a world that mixes wings, by name or from a file."""

from pathlib import Path
from typing import Annotated, Any

import typer

from swerve.core.interrupts import INTERRUPTED, noticing_interrupts

from .names import scene_names
from .options import Json, Out, Quiet, answer, listing, writable

PLAYABLE_ROWS = 1_500_000  # of a recording that also becomes a page


def register(app: typer.Typer) -> None:
    app.command(
        "scene",
        epilog="Examples: swerve scene chase --seed 3 — swerve scene docs/scenes/vans.yaml --json",
    )(scene)


def scene(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME|FILE]",
            help="A scene, or a YAML or TOML file of one; none lists them.",
            autocompletion=scene_names,
        ),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="How long [s] (default: the scene's own).")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Same seed, same result (default: the file's, or 0).")
    ] = None,
    out: Out = Path("out/scene"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Run a world in which bodies of several wings meet: cars that slide, traffic, people, cyclists.

    Writes a recording, a page that plays it and a picture into a folder of its own. Exit status 1 when the
    scene did not reach its end. Ctrl-C keeps the frames so far.
    """
    from swerve.core.errors import require
    from swerve.core.files import write_json
    from swerve.core.progress import be_quiet
    from swerve.core.show.picture import write_picture
    from swerve.core.show.player import write_player
    from swerve.scenes import SCENES, load_scene
    from swerve.scenes.scene import LONGEST

    be_quiet(quiet)
    if name is None:
        listing("scenes", SCENES, as_json)
        return 0
    if seconds is not None:
        require(0 < seconds <= LONGEST, "--seconds", seconds, f"must be above 0 and at most {LONGEST:g}")
    writable(out)
    shown = load_scene(name, seed, seconds)
    folder = out / Path(name).stem
    with noticing_interrupts() as interrupted:
        recording = shown.run(stop=interrupted)
    result: dict[str, Any] = {"scene": shown.name, "seed": shown.seed, **shown.figures()}
    result["recording"] = str(recording.write(folder / "recording.parquet"))
    if len(recording) <= PLAYABLE_ROWS:
        result["page"] = str(
            write_player(recording, folder / "scene.html", shown.name, recording.meta.get("ego"))
        )
        result["picture"] = str(write_picture(recording, folder / "scene.png", shown.name))
    write_json(folder / "figures.json", result)
    answer(result if as_json else _flat(result), as_json, quiet, title=shown.name)
    if interrupted():
        return INTERRUPTED
    return 0 if result["finished"] else 1


def _flat(result: dict[str, Any]) -> dict[str, Any]:
    """For a table: figures by kind in rows of their own."""
    rows: dict[str, Any] = {}
    for key, value in result.items():
        if isinstance(value, dict):
            rows |= {f"{key} of {kind}": figure for kind, figure in value.items()}
        else:
            rows[key] = value
    return rows
