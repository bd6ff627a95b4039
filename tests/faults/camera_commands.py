"""Commands that look through cameras, and what they look at."""

from functools import partial
from pathlib import Path

import numpy as np
from forks import run_forked
from PIL import Image


def camera_commands(inputs: Path, out: Path) -> dict[str, list[str]]:
    """Those that look through cameras; by themselves they need what `make_cameras` makes."""
    see, small = [["see", word] for word in ("calibrate", "camera", "picture")], ["--field", "seed"]
    own = [str(inputs / name) for name in ("empty.png", "points.csv")]
    eyes = [str(inputs / name) for name in ("empty.png", "camera-0.json", "colours-0.npz")]
    return {
        "calibrate": [*see[0], *small, "--out", f"{out}/calibrate"],
        "camera": [*see[1], *own, *small, "--out", f"{out}/camera"],
        "seen picture": [*see[2], *eyes, "--out", f"{out}/seen"],
    }


def make_cameras(folder: Path) -> None:
    """What `camera_commands` looks at, made in a fork: threads of kernels do not live on in the next."""
    status, _ = run_forked(["--version"], folder / "log", prepare=partial(_look, folder))
    assert status == 0, (folder / "log").read_text()


def _look(folder: Path) -> None:
    """A camera of the small field, its colours, what it sees of the empty field, and points."""
    from swerve.core.seeding import generator
    from swerve.soccer.eyes.own import save_camera
    from swerve.soccer.eyes.render import take
    from swerve.soccer.eyes.scene import Disturbance
    from swerve.soccer.eyes.stand import PLAIN_LIGHT, build_stand, nobody

    stand = build_stand("seed", Disturbance(), 0)
    view, pitch = stand.views[0], stand.pitch
    Image.fromarray(take(view, nobody(), PLAIN_LIGHT, generator(0, "empty"))[0]).save(folder / "empty.png")
    save_camera(stand.calibrations[0].camera, folder / "camera-0.json")
    stand.eyes.tables[0].save(folder / "colours-0.npz")
    points = pitch.corners()[view.camera.sees(pitch.corners(), 5)]
    table = np.column_stack([points, view.camera.project(points).round()])
    np.savetxt(folder / "points.csv", table, delimiter=",", header="x,y,u,v", comments="")
