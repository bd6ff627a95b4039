"""A recording as one HTML file that plays it from above: no server, no network, nothing beside it.

The page (`player.html`) holds two blocks of data: the scene as JSON, and the frames as base64 of zlib of
little-endian int32 second differences: first the times, then x, y, heading, vx, vy and flags, each
(bodies, frames), then the states of the lights (lights, frames). Smooth motion has small second differences,
so a car costs about 6 bytes a frame.
"""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from ..files import plain, write_text
from ..recording import Recording
from .captions import captions_of
from .figures import INK, PAPER, WARM
from .frames import SLIDE_ANGLE, STILL
from .view import AREA_COLOURS, LINE_COLOURS, OTHER_AREA, OTHER_LINE, Shape, View, look

TIME_STEP, HEADING_STEP, VELOCITY_STEP = 1e-4, 1e-4, 1e-2  # [s], [rad], [m/s] of one unit in the file


def write_player(
    recording: Recording, path: str | Path, title: str | None = None, follow: int | None = None
) -> Path:
    """Write the page. `follow` is the id of the body the camera keeps in view from the start.

    Without `follow` the whole scene is shown, and the Follow button goes to the scene's own `ego`. A group
    that travels over open ground is kept in view as a whole.
    """
    view = look(recording, follow=follow)
    scene, frames = pack(view)
    scene["group"] = view.group_size() if follow is None else None
    scene["captions"] = captions_of(recording.meta)
    scene["title"] = title or str(recording.meta.get("scene") or "Swerve recording")
    scene["camera"] = "whole" if follow is None and scene["group"] is None else "follow"
    blocks = {
        "TITLE": html.escape(scene["title"]),
        "SCENE": embeddable(scene),
        "FRAMES": base64.b64encode(frames).decode("ascii"),
    }
    template = files("swerve.core.show").joinpath("player.html").read_text(encoding="utf-8")
    return write_text(path, re.sub(r"__(TITLE|SCENE|FRAMES)__", lambda found: blocks[found[1]], template))


def pack(view: View) -> tuple[dict[str, Any], bytes]:
    """The scene (for JSON) and the frames (compressed)."""
    x0, y0, x1, y1 = view.bounds()
    origin = np.round([(x0 + x1) / 2, (y0 + y1) / 2])
    extent = max(x1 - x0, y1 - y0)
    digits = int(np.clip(8 - np.ceil(np.log10(extent)), 0, 4))  # of a metre; keeps 2^31 units ample
    scene = {
        "frames": len(view.times),
        "start": view.times[0],
        "origin": origin,
        "step": [10.0**-digits, HEADING_STEP, VELOCITY_STEP, TIME_STEP],
        "bounds": np.round(np.array([x0, y0, x1, y1]) - np.tile(origin, 2), 3),
        "bodies": [
            [b.id, b.kind, round(b.length, 4), round(b.width, 4), b.shape, b.colour] for b in view.bodies
        ],
        "ego": view.ego,
        "followed": view.followed,
        "areas": [_outline(a, origin, extent, AREA_COLOURS.get(a.role, OTHER_AREA)) for a in view.areas],
        "lines": [_outline(a, origin, extent, LINE_COLOURS.get(a.role, OTHER_LINE)) for a in view.lines],
        "lamps": np.round(view.lamps.place - origin, 2),
        "ink": INK,
        "paper": PAPER,
        "warm": WARM,
        "slide": SLIDE_ANGLE,
        "still": STILL,
    }
    metre = 10.0**digits
    rows = [
        (view.times[None] - view.times[0]) / TIME_STEP,
        (view.x - origin[0]) * metre,
        (view.y - origin[1]) * metre,
        view.heading / HEADING_STEP,
        view.vx / VELOCITY_STEP,
        view.vy / VELOCITY_STEP,
        view.flags,
        view.lamps.state,
    ]
    whole = np.round(np.vstack(rows)).astype(np.int64).astype("<i4")
    for _ in range(2):
        whole = np.diff(whole, axis=1, prepend=whole.dtype.type(0))
    return plain(scene), zlib.compress(whole.tobytes(), 6)


def embeddable(value: object) -> str:
    """JSON that cannot end the script element it stands in, whatever strings it holds."""
    text = json.dumps(plain(value), separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _outline(shape: Shape, origin: np.ndarray, extent: float, colour: str) -> list[Any]:
    """[role, colour, [x, y, x, y, ...]] from the origin, to about a hundred-thousandth of the scene."""
    digits = int(np.clip(5 - np.ceil(np.log10(extent)), 0, 4))
    return [shape.role, colour, np.round(shape.points - origin, digits).ravel()]
