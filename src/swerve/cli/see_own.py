"""`swerve see table`, `camera` and `picture`: eyes for somebody's own cameras."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .choices import FieldName
from .options import Json, Out, Quiet, answer, writable

Field = Annotated[
    FieldName | None, typer.Option("--field", help="Which field. [default: the recording's, or division-b]")
]


def read_rig(files: list[Path] | None) -> tuple[tuple[float, ...], ...]:
    """Rows of cameras from files of `swerve see camera`, or from packets that SSL-Vision sent."""
    from swerve.core.errors import BadInput, require
    from swerve.core.files import existing
    from swerve.soccer.eyes.own import load_camera

    found = []
    for file in files or ():
        if file.suffix.lower() == ".json":
            found.append(load_camera(file))
            continue
        from swerve.soccer.league.packets import read_cameras

        path = existing(file, "cameras")
        require(
            path.stat().st_size <= 65_536, f"cameras {file}", path.stat().st_size, "is too large for a packet"
        )
        try:
            found += read_cameras(path.read_bytes())
        except BadInput as error:
            raise BadInput(
                f"cameras {file}", None, f"is neither a camera file nor a packet ({error})"
            ) from error
    require(files is None or bool(found), "cameras", [str(file) for file in files or ()], "hold no camera")
    return tuple(one.row for one in found)


def table(
    empty: Annotated[Path, typer.Argument(help="A picture of the empty field, as PNG.")],
    picture: Annotated[Path, typer.Argument(help="A picture with robots and ball, as PNG.")],
    labels: Annotated[Path, typer.Argument(help="A table with u, v, colour of some of its pixels, as CSV.")],
    out: Out = Path("out/see"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Build a colour table from your own pictures and labelled pixels; shows the picture in its colours."""
    from swerve.soccer.eyes.labels import read_labels
    from swerve.soccer.eyes.own import own_table, read_picture
    from swerve.soccer.eyes.pictures import classified

    writable(out)
    field, shown = read_picture(empty), read_picture(picture, like=empty)
    pixels = read_labels(labels, shown.shape[1], shown.shape[0])
    built, right = own_table(field, shown, pixels)
    result = {
        "pixels": len(pixels),
        "labels_right": right,
        "files": [
            built.save(out / "colours.npz"),
            classified(shown, built, picture.name, out / "colours.png"),
        ],
    }
    answer(result, as_json, quiet, title="colour table")


def camera(
    empty: Annotated[Path, typer.Argument(help="A picture of the empty field, as PNG.")],
    points: Annotated[Path, typer.Argument(help="A table with x, y [m], u, v [pixels] of points, as CSV.")],
    height: Annotated[
        float | None, typer.Option(min=0.5, max=50.0, help="How high the camera hangs, by a tape [m].")
    ] = None,
    field: Field = None,
    out: Out = Path("out/see"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Calibrate a camera of your own from a picture of the empty field and points that you clicked at."""
    from swerve.core.errors import BadInput
    from swerve.soccer.eyes.calibrate import DOUBTFUL
    from swerve.soccer.eyes.calibrate import calibrate as fit
    from swerve.soccer.eyes.own import read_picture, read_points, save_camera
    from swerve.soccer.eyes.pictures import lines_picture
    from swerve.soccer.eyes.pitch import pitch_named

    writable(out)
    shown = read_picture(empty)
    pitch = pitch_named(field.value if field is not None else "division-b")
    try:
        found = fit(*read_points(points), shown, pitch, height)
    except BadInput as error:
        what = error.what.replace("control points", f"points {points}")
        raise BadInput(what, error.value, error.why) from error
    poor = found.lines_error > DOUBTFUL
    result = {
        "lines_error": found.lines_error,
        "points_error": found.points_error,
        "lines_found": len(found.places),
        "height": found.camera.place[2],
        **({"doubtful": "square pixels and this kind of lens do not fit the lines"} if poor else {}),
        "files": [
            save_camera(found.camera, out / "camera.json"),
            lines_picture(shown, found, pitch, empty.name, out / "lines.png"),
        ],
    }
    answer(result, as_json, quiet, title="camera [pixels]")


def picture(
    shown: Annotated[Path, typer.Argument(metavar="PICTURE", help="A picture of the field, as PNG.")],
    camera: Annotated[Path, typer.Argument(help="What swerve see camera wrote.")],
    colours: Annotated[Path, typer.Argument(help="What swerve see table wrote.")],
    robot_height: Annotated[
        float, typer.Option("--robot-height", min=0.02, max=0.5, help="Of the tops with the dots [m].")
    ] = 0.15,
    field: Annotated[
        FieldName | None, typer.Option("--field", help="Which. [default: whose lines fit]")
    ] = None,
    out: Out = Path("out/see"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say which robots and balls are in a picture of your own, and where."""
    from swerve.core.errors import require
    from swerve.soccer.eyes.detect import detect
    from swerve.soccer.eyes.own import load_camera, on_carpet, own_pitch, read_picture
    from swerve.soccer.eyes.pattern import body_name
    from swerve.soccer.eyes.pictures import found_picture
    from swerve.soccer.eyes.table import TILE, ColourTable

    writable(out)
    levels, lens, table = read_picture(shown), load_camera(camera), ColourTable.load(colours)
    size = (levels.shape[1], levels.shape[0])
    require(
        size == (lens.width, lens.height), f"picture {shown}", size, "must be of the size of the camera's"
    )
    tiles = (-(-size[1] // TILE), -(-size[0] // TILE))
    require(table.tiles.shape == tiles, f"colour table {colours}", table.tiles.shape, "is for another size")
    pitch = own_pitch(shown, levels, lens, field.value if field is not None else None)
    found = on_carpet(detect(levels, lens, table, robot_height), pitch)
    names = ("x", "y", "heading")
    robots = {
        body_name(int(row[0]), int(row[1])): dict(zip(names, row[2:5].tolist(), strict=True))
        for row in found.robots
    }
    result: dict[str, Any] = {
        "robots": robots,
        "balls": [{"x": x, "y": y, "confidence": sure} for x, y, sure, *_ in found.balls.tolist()],
        "files": [found_picture(levels, found, lens, shown.name, out / "seen.png")],
    }
    if not as_json:
        result = {
            name: f"{one['x']:.3f}, {one['y']:.3f} m, {one['heading']:.2f} rad"
            for name, one in robots.items()
        } | {
            "ball": ", ".join(f"{ball['x']:.3f}, {ball['y']:.3f} m" for ball in result["balls"][:1]) or None,
            "files": result["files"],
        }
    answer(result, as_json, quiet, title=shown.name)
