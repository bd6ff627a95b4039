"""Recordings: a file, or two beside each other on one clock."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.plan import Plan, is_plan
from swerve.core.recording import Recording
from swerve.core.show.plan_picture import recording_of
from swerve.core.show.tape import packed, tape_of

from ..folder import Folder
from ..words import TAPE
from .room import Message, Outside, Room

CURVES = 600  # points of a curve


def enter(asked: Message, outside: Outside) -> RecordingsRoom:
    return RecordingsRoom(asked, outside)


class RecordingsRoom(Room):
    """The page gets the whole recording and plays it by itself."""

    def __init__(self, asked: Message, outside: Outside):
        self.outside = outside
        self.kept = read(outside.folder, str(asked.get("file")))
        self.name = str(asked.get("file"))
        self._send(self.kept, "first")
        if asked.get("against"):
            self._send(read(outside.folder, str(asked.get("against"))), "second")

    def _send(self, recording: Recording, which: str) -> None:
        self.outside.send(TAPE, which[:1].encode() + packed(tape_of(recording)))
        self.outside.say("curves", which=which, **curves(recording))

    def scene(self) -> dict[str, Any]:
        return {"title": self.name, "areas": [], "lines": [], "relief": None}

    def recording(self) -> Recording:
        return self.kept


def read(folder: Folder, name: str) -> Recording:
    """A recording or a plan from the folder."""
    path = folder.file(name)
    try:
        return recording_of(Plan.load(path)) if is_plan(path) else Recording.read(path)
    except BadInput as error:
        raise BadInput(f"file {name}", None, str(error).replace(str(path), name)) from error


def curves(recording: Recording) -> dict[str, Any]:
    """Speed over time of the body that it is about, or of all on average; the way, on average; the top speed
    of any; how long, and of how many."""
    whole = recording.whole()
    ego = whole.meta.get("ego")
    ids = np.unique(whole["id"])
    about = ego if ego in ids else ids[0] if len(ids) == 1 else None
    rows = whole if about is None else whole.where(whole["id"] == about)
    speed = np.sqrt(sum(rows[name].astype(float) ** 2 for name in ("vx", "vy", "vz")))
    times, at = np.unique(rows["t"], return_inverse=True)
    mean = np.bincount(at, speed) / np.bincount(at)
    order = np.lexsort((rows["t"], rows["id"]))
    steps = np.diff(np.stack([rows[name][order].astype(float) for name in "xyz"], axis=-1), axis=0)
    same = np.diff(rows["id"][order]) == 0
    count = 1 if about is not None else len(ids)
    chosen = np.unique(np.linspace(0, len(times) - 1, CURVES).astype(int))
    return {
        "time": times[chosen].round(3),
        "speed": mean[chosen].round(3),
        "of": "all" if about is None else str(rows["kind"][0]),
        "count": count,
        "seconds": float(times[-1] - times[0]),
        "distance": float(np.linalg.norm(steps, axis=1)[same].sum()) / count,
        "top": float(speed.max()),
    }
