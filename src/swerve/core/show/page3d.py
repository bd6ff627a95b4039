"""A recording as one HTML file that plays it in 3-D: no server, no network, nothing beside it.

The program inside (`page/player3d.js`) is built from `web/`.
"""

from __future__ import annotations

import base64
import html
from importlib.resources import files
from pathlib import Path

from ..errors import BadInput
from ..files import write_text
from ..recording import Recording
from .tape import packed, tape_of

RATE = 25.0  # frames a second; the page draws what is between them
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>{style}</style></head>
<body class="alone"><div id="app"></div>
<script type="application/octet-stream" id="tape">{tape}</script>
<script>{script}</script></body></html>
"""


def is_built() -> bool:
    """Whether the program of the page is there."""
    return files("swerve.core.show").joinpath("page", "player3d.js").is_file()


def write_page3d(recording: Recording, path: str | Path, fps: float | None = None) -> Path:
    """Write the page with no more than `fps` frames a second."""
    if not is_built():
        why = "the page in 3-D is not built; run: make page (or use swerve show for a page seen from above)"
        raise BadInput("html", None, why)
    built = files("swerve.core.show").joinpath("page")
    tape = tape_of(recording, fps or RATE)
    text = _PAGE.format(
        title=html.escape(str(tape.scene.get("title") or "Swerve")),
        style=built.joinpath("player3d.css").read_text(encoding="utf-8"),
        tape=base64.b64encode(packed(tape)).decode("ascii"),
        script=built.joinpath("player3d.js").read_text(encoding="utf-8").replace("</script", "<\\/script"),
    )
    return write_text(path, text)
