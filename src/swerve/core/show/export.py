"""A recording for other programs: glTF, USD, CSV, SUMO's FCD, a page in 3-D, pictures and films."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from .. import attitude
from ..errors import BadInput, require
from ..files import replacing, write_text
from ..recording import Recording
from .frames import thin

FORMS = {  # the ending of each
    "gltf": "gltf",
    "glb": "glb",
    "usd": "usda",
    "csv": "csv",
    "fcd": "xml",
    "html": "html",
    "png": "png",
    "svg": "svg",
    "webm": "webm",
    "mp4": "mp4",
}
FLAT = 0.05  # [m] of height that does not count


def export(recording: Recording, path: str | Path, form: str, fps: float | None = None) -> Path:
    """Write the recording as `form`, with its own frames or no more than `fps` a second."""
    require(form in FORMS, "as", form, f"must be one of {', '.join(FORMS)}")
    require(fps is None or 0 < fps <= 1000, "--fps", fps, "must be above 0 and at most 1000")
    path = Path(path)
    if path.suffix.lower() != f".{FORMS[form]}":
        raise BadInput("--out", str(path), f"must end in .{FORMS[form]}")
    return _WRITERS[form](recording, path, fps)


def at_rate(recording: Recording, fps: float | None) -> Recording:
    """Only the frames nearest to a clock of `fps`; all of them if it is None."""
    if fps is None:
        return recording
    return recording.where(np.isin(recording["t"], thin(recording.times, fps)))


def write_csv(recording: Recording, path: Path, fps: float | None) -> Path:
    """Every row with all its columns, and yaw, pitch and roll [rad] besides."""
    rows = at_rate(recording, fps)
    columns = dict(rows.columns)
    turned = attitude.angles(np.stack([rows[name] for name in attitude.COLUMNS], axis=-1))
    columns |= dict(zip(("yaw", "pitch", "roll"), turned, strict=True))
    arrays = {
        name: pa.array(column.tolist() if column.dtype == object else column)
        for name, column in columns.items()
    }
    with replacing(path) as draft:
        pyarrow.csv.write_csv(pa.table(arrays), draft)
    return path


def write_fcd(recording: Recording, path: Path, fps: float | None) -> Path:
    """SUMO's floating car data: x and y of the front bumper's middle, degrees clockwise from north; z of the
    ground, where it is not all at 0."""
    from xml.sax.saxutils import quoteattr

    rows = at_rate(recording, fps).whole()
    heading, speed = rows.heading, np.hypot(rows["vx"], rows["vy"])
    ahead = rows["length"].astype(float) / 2
    x, y = rows["x"] + ahead * np.cos(heading), rows["y"] + ahead * np.sin(heading)
    ground = rows["z"] - rows["height"].astype(float) / 2
    heights = [f' z="{z:.3f}"' for z in ground] if (np.abs(ground) > FLAT).any() else [""] * len(ground)
    angle = np.mod(90.0 - np.degrees(heading), 360.0)
    people = np.array(["person" in str(kind) or "pedestrian" in str(kind) for kind in rows["kind"]])
    lines, before = ['<?xml version="1.0" encoding="UTF-8"?>', "<fcd-export>"], None
    for k, t in enumerate(rows["t"]):
        if t != before:
            if before is not None:
                lines.append("  </timestep>")
            lines.append(f'  <timestep time="{t:.3f}">')
            before = t
        word = "person" if people[k] else "vehicle"
        lines.append(
            f'    <{word} id="{rows["id"][k]}" x="{x[k]:.3f}" y="{y[k]:.3f}"{heights[k]} '
            f'angle="{angle[k]:.3f}" type={quoteattr(str(rows["kind"][k]))} speed="{speed[k]:.3f}"/>'
        )
    return write_text(path, "\n".join([*lines, "  </timestep>", "</fcd-export>", ""]))


def write_usd(recording: Recording, path: Path, fps: float | None) -> Path:
    from .usd import write_usd as write

    return write(recording, path, fps)


def _gltf(recording: Recording, path: Path, fps: float | None) -> Path:
    from .gltf import write_gltf

    return write_gltf(recording, path, fps)


def _page(recording: Recording, path: Path, fps: float | None) -> Path:
    from .page3d import write_page3d

    return write_page3d(recording, path, fps)


def _picture(recording: Recording, path: Path, fps: float | None) -> Path:
    from .picture import write_picture

    require(fps is None, "--fps", fps, f"is for what moves, not for {path.suffix[1:]}")
    return write_picture(recording, path)


def _film(recording: Recording, path: Path, fps: float | None) -> Path:
    from .film import write_film

    return write_film(recording, path, fps=fps)


_WRITERS: dict[str, Callable[[Recording, Path, float | None], Path]] = {
    "gltf": _gltf,
    "glb": _gltf,
    "usd": write_usd,
    "csv": write_csv,
    "fcd": write_fcd,
    "html": _page,
    "png": _picture,
    "svg": _picture,
    "webm": _film,
    "mp4": _film,
}
