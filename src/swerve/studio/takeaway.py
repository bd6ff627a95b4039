"""What is taken along from a room: the recording in another form, as a file for the browser to save."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.core.show.export import FORMS, export

from .rooms.room import Outside
from .words import FILE

MOST_BYTES = 300_000_000


def take_away(recording: Recording, form: str, fps: object, outside: Outside) -> None:
    """Make the file and send it: a line of JSON with its name, then its bytes."""
    if form not in FORMS:
        raise BadInput("as", form, f"must be one of {', '.join(FORMS)}")
    if fps is not None and (isinstance(fps, bool) or not isinstance(fps, (int, float))):
        raise BadInput("fps", fps, "must be a number")
    with tempfile.TemporaryDirectory() as folder:
        path = export(recording, Path(folder) / f"swerve.{FORMS[form]}", form, fps)
        if path.stat().st_size > MOST_BYTES:
            raise BadInput("export", path.stat().st_size, "is too large for a browser; use swerve export")
        outside.send(FILE, json.dumps({"name": path.name}).encode() + b"\n" + path.read_bytes())
