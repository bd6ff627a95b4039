"""`swerve see`: cameras above a match, and what they make of it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .choices import Drifting
from .options import Json, Out, Quiet, Seed, Workers, answer, group_with_default, writable
from .see_own import Field, camera, picture, read_rig, table

Strength = Annotated[
    float, typer.Option("--disturbed", min=0.0, help="Factor on noise, blur, uneven and drifting light.")
]
Drift = Annotated[
    float | None,
    typer.Option(
        "--drift", min=0.0, max=0.5, help="Share by which colours drift at most after calibration: 0.15."
    ),
]
DriftOf = Annotated[
    Drifting,
    typer.Option("--drift-of", help="Whose colours drift: 0.7 the lamps', 0.3 the paints', or all of one."),
]


Cameras = Annotated[
    list[Path] | None,
    typer.Option(
        "--cameras",
        help="Camera files of swerve see camera, once for each; or a geometry packet of SSL-Vision, as .bin.",
    ),
]


def register(app: typer.Typer) -> None:
    see = typer.Typer(
        cls=group_with_default("recording"),
        help="Look at a match through cameras: colours, patterns, places; and calibrate such cameras.",
        epilog="Example: swerve see synthetic --frames 50",
        no_args_is_help=True,
    )
    see.command("recording", epilog="Example: swerve see out/match/recording.parquet --every 10")(recording)
    see.command("synthetic", epilog="Example: swerve see synthetic --frames 50 --drift 0.15")(synthetic)
    see.command("calibrate", epilog="Example: swerve see calibrate --field seed")(calibrate)
    see.command("table", epilog="Example: swerve see table empty.png robots.png labels.csv")(table)
    see.command("camera", epilog="Example: swerve see camera empty.png points.csv --height 4.2")(camera)
    see.command("picture", epilog="Example: swerve see picture now.png camera.json colours.npz")(picture)
    app.add_typer(see, name="see")


def recording(
    path: Annotated[Path, typer.Argument(metavar="RECORDING", help="What swerve match wrote.")],
    every: Annotated[int, typer.Option(min=1, help="Only every so many frames.")] = 1,
    frames: Annotated[int | None, typer.Option(min=1, help="At most that many frames.")] = None,
    field: Field = None,
    disturbed: Strength = 1.0,
    drift: Drift = None,
    drift_of: DriftOf = Drifting.BOTH,
    cameras: Cameras = None,
    send: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Send what is seen to this port, as SSL-Vision does.")
    ] = None,
    seed: Seed = 0,
    out: Out = Path("out/see"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """See a recorded match through cameras, with the tracker behind them, and compare with what was
    recorded."""
    from itertools import islice

    from swerve.core.progress import be_quiet
    from swerve.core.recording import Recording
    from swerve.soccer.eyes.measure import look_at, recorded
    from swerve.soccer.eyes.recorded import field_of, scenes_of
    from swerve.soccer.eyes.stand import build_stand

    be_quiet(quiet)
    writable(out)
    read = Recording.read(path)
    where = field.value if field is not None else field_of(read)
    scenes = list(islice(scenes_of(read, every), frames))
    disturbance, rig = _disturbance(disturbed, drift, drift_of), read_rig(cameras)
    if send is None:
        tally, believed = recorded(where, scenes, disturbance, seed, cameras=rig)
    else:
        from swerve.soccer.eyes.pitch import pitch_named
        from swerve.soccer.league.server import Vision

        with Vision(pitch_named(where), send) as vision:
            tally, believed = recorded(where, scenes, disturbance, seed, vision.send, rig)
    stand = build_stand(where, disturbance, seed, rig)
    middle = len(scenes) // 2
    shown = look_at(stand, scenes[middle][1], disturbance, seed, middle)
    tracked = believed.figures()
    result: dict[str, Any] = {
        "field": where,
        **tally.figures(),
        "tracked_position_error_mm": tracked["position_error_mm"],
        "tracked_angle_error_deg": tracked["angle_error_deg"],
        "tracked_missed": tracked["missed"],
        **_pictures(stand, shown, tally, out),
    }
    _answer(result, as_json, quiet, str(path))


def synthetic(
    frames: Annotated[int, typer.Option(min=1, help="Random scenes, each seen by all cameras.")] = 100,
    robots: Annotated[int, typer.Option(min=1, max=16, help="Robots a side.")] = 6,
    field: Field = None,
    disturbed: Strength = 1.0,
    drift: Drift = None,
    drift_of: DriftOf = Drifting.BOTH,
    cameras: Cameras = None,
    workers: Workers = None,
    seed: Seed = 0,
    out: Out = Path("out/see"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """See random scenes: robots of all sixteen numbers, in motion and in clusters, a ball often half
    hidden."""
    from swerve.core.progress import be_quiet
    from swerve.soccer.eyes.measure import look_at, synthetic_scene
    from swerve.soccer.eyes.measure import synthetic as see_them
    from swerve.soccer.eyes.stand import build_stand

    be_quiet(quiet)
    writable(out)
    where = field.value if field is not None else "division-b"
    disturbance = _disturbance(disturbed, drift, drift_of)
    rig = read_rig(cameras)
    tally = see_them(where, frames, disturbance, seed, robots, workers, rig)
    stand = build_stand(where, disturbance, seed, rig)
    shown = look_at(stand, synthetic_scene(stand, seed, 0, robots), disturbance, seed, 0)
    result = {"field": where, **tally.figures(), **_pictures(stand, shown, tally, out)}
    _answer(result, as_json, quiet, f"{frames} frames")


def calibrate(
    field: Field = None,
    disturbed: Strength = 1.0,
    seed: Seed = 0,
    out: Out = Path("out/see"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Calibrate cameras from twelve clicked points and the lines, and their colour tables from labelled
    pixels.

    Writes a camera file, a colour table and a picture for each."""
    from swerve.core.progress import be_quiet
    from swerve.core.seeding import generator
    from swerve.soccer.eyes.calibrate import camera_error
    from swerve.soccer.eyes.own import save_camera
    from swerve.soccer.eyes.pattern import ROBOT_HEIGHT
    from swerve.soccer.eyes.pictures import lines_picture
    from swerve.soccer.eyes.render import take
    from swerve.soccer.eyes.stand import PLAIN_LIGHT, build_stand, nobody

    be_quiet(quiet)
    writable(out)
    stand = build_stand(
        field.value if field is not None else "division-b", _disturbance(disturbed, None), seed
    )
    cameras: list[dict[str, Any]] = []
    files: list[Path] = []
    for k, (found, view) in enumerate(zip(stand.calibrations, stand.views, strict=True)):
        picture, _ = take(view, nobody(), PLAIN_LIGHT, generator(seed, "eyes shown", k))
        files.append(lines_picture(picture, found, stand.pitch, f"Camera {k}", out / f"lines-{k}.png"))
        files.append(save_camera(found.camera, out / f"camera-{k}.json"))
        files.append(stand.eyes.tables[k].save(out / f"colours-{k}.npz"))
        cameras.append(
            {
                "camera": k,
                "lines_error": found.lines_error,
                "points_error": found.points_error,
                "ground_error": camera_error(found.camera, view.camera, stand.pitch),
                "top_error": camera_error(found.camera, view.camera, stand.pitch, ROBOT_HEIGHT),
            }
        )
    result = {
        "field": stand.pitch.name,
        "worst_error": max(max(one["ground_error"], one["top_error"]) for one in cameras),
        "cameras": cameras,
        "files": files,
    }
    answer(result, as_json, quiet, title="calibration [pixels]")


def _disturbance(strength: float, drift: float | None, drift_of: Drifting = Drifting.BOTH) -> Any:
    from dataclasses import replace

    from swerve.soccer.eyes.scene import Disturbance

    disturbance = replace(Disturbance().scaled(strength), drift_of=drift_of.value)
    return disturbance if drift is None else replace(disturbance, drift=drift)


def _pictures(stand: Any, shown: Any, tally: Any, out: Path) -> dict[str, Any]:
    from swerve.soccer.eyes.pictures import colours_picture, errors_picture, seen_picture

    most = max(range(len(shown.pictures)), key=lambda k: len(shown.detections[k].robots))
    return {
        "files": [
            seen_picture(stand, shown, out / "seen.png", most),
            colours_picture(shown, stand.eyes.tables[most], most, out / "colours.png"),
            errors_picture(tally, out / "errors.png"),
        ]
    }


def _answer(result: dict[str, Any], as_json: bool, quiet: bool, title: str) -> None:
    if not as_json:
        for key in [key for key, value in result.items() if isinstance(value, dict)]:
            spread = result.pop(key)
            result |= {f"{key} {name}": value for name, value in spread.items()}
    answer(result, as_json, quiet, title=title)
