"""Commands that look through cameras, and what they look at."""

from pathlib import Path

import numpy as np
from PIL import Image


def camera_commands(inputs: Path, out: Path) -> dict[str, list[str]]:
    """Those that look through cameras; by themselves they need what `make_cameras` makes."""
    see, small = [["see", word] for word in ("calibrate", "camera", "picture")], ["--field", "seed"]
    own = [str(inputs / name) for name in ("empty.png", "points.csv")]
    eyes = [str(inputs / name) for name in ("empty.png", "camera-0.json", "colours-0.npz")]
    played = str(inputs / "match" / "recording.parquet")
    return {
        "calibrate": [*see[0], *small, "--out", f"{out}/calibrate"],
        "camera": [*see[1], *own, *small, "--out", f"{out}/camera"],
        "seen picture": [*see[2], *eyes, "--out", f"{out}/seen"],
        "seen match": ["see", played, "--frames", "2", "--out", f"{out}/match"],
    }


def make_cameras(folder: Path) -> None:
    """A camera of the small field, its colours, what it sees of the empty field, points, and a match."""
    from swerve.cli.main import run
    from swerve.core.seeding import generator
    from swerve.soccer.eyes.own import save_camera
    from swerve.soccer.eyes.render import take
    from swerve.soccer.eyes.scene import Disturbance
    from swerve.soccer.eyes.stand import PLAIN_LIGHT, build_stand, nobody

    assert run(["match", "--minutes", "0.01", "--out", str(folder / "match"), "--quiet"]) == 0
    stand = build_stand("seed", Disturbance(), 0)
    view, pitch = stand.views[0], stand.pitch
    Image.fromarray(take(view, nobody(), PLAIN_LIGHT, generator(0, "empty"))[0]).save(folder / "empty.png")
    save_camera(stand.calibrations[0].camera, folder / "camera-0.json")
    stand.eyes.tables[0].save(folder / "colours-0.npz")
    points = pitch.corners()[view.camera.sees(pitch.corners(), 5)]
    table = np.column_stack([points, view.camera.project(points).round()])
    np.savetxt(folder / "points.csv", table, delimiter=",", header="x,y,u,v", comments="")
