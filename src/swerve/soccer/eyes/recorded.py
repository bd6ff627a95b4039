"""Scenes from the recording of a match: robots are bodies named `blue-0` … and `yellow-0` …, the ball
`ball`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.geometry import wrap
from swerve.core.recording import Recording

from .pattern import TEAMS
from .pitch import PITCHES
from .scene import Scene

FAR = 1000.0  # [m] or [m/s] beyond which a number is a mistake
_ROBOT = re.compile(r"(blue|yellow)-(\d{1,2})$")


def field_of(recording: Recording) -> str:
    """The field that a recording was made on: what it says, or the smallest that holds it."""
    said = recording.meta.get("field")
    if isinstance(said, str) and said in PITCHES:
        return said
    require(len(recording) > 0, "recording", 0, "has no rows")
    across = np.abs(np.stack([recording["x"], recording["y"]])).max(axis=1)
    for name, pitch in sorted(PITCHES.items(), key=lambda item: item[1].length):
        if across[0] <= pitch.length / 2 + pitch.margin and across[1] <= pitch.width / 2 + pitch.margin:
            return name
    raise BadInput("recording", across.tolist(), "has bodies outside every field")


def scenes_of(recording: Recording, step: int = 1) -> Iterator[tuple[float, Scene]]:
    """Every `step`-th frame: its time [s] and the scene. Robots turn as before or as after it, whichever is
    slower: at half time they are turned round by hand."""
    robots, ball = _named(recording)
    times = recording.times
    for name in ("x", "y", "z", "vx", "vy", "vz"):
        column = recording[name]
        fits = bool(np.isfinite(column).all() and (np.abs(column) < FAR).all())
        require(fits, f"recording, column {name}", None, f"must be finite and below {FAR:g}")
    tracks = {
        int(body): rows
        for body, rows in ((body, np.flatnonzero(recording["id"] == body)) for body in (*robots, *ball))
    }
    for body, rows in tracks.items():
        require(
            len(rows) == len(times), f"recording, body {body}", len(rows), f"must have {len(times)} frames"
        )
    heading, columns = recording.heading, recording.columns
    team = np.array([TEAMS.index(side) for side, _ in robots.values()], dtype=np.int64)
    number = np.array([k for _, k in robots.values()], dtype=np.int64)
    for k in range(0, len(times), step):
        after, before = min(k + 1, len(times) - 1), max(k - 1, 0)
        steps = [(first, last) for first, last in ((before, k), (k, after)) if first < last]
        pose, velocity = np.empty((len(robots), 3)), np.empty((len(robots), 3))
        for i, body in enumerate(robots):
            row = tracks[body][k]
            spins = [
                float(wrap(heading[tracks[body][b]] - heading[tracks[body][a]]))
                / max(times[b] - times[a], 1e-9)
                for a, b in steps
            ]
            pose[i] = columns["x"][row], columns["y"][row], heading[row]
            velocity[i] = columns["vx"][row], columns["vy"][row], min(spins, key=abs, default=0.0)
        at: np.ndarray | None = None
        speed = np.zeros(3)
        for body in ball:
            row = tracks[body][k]
            at = np.array([columns[name][row] for name in "xyz"])
            speed = np.array([columns[name][row] for name in ("vx", "vy", "vz")], dtype=float)
        yield float(times[k]), Scene(pose, velocity, team, number, at, speed)


def _named(recording: Recording) -> tuple[dict[int, tuple[str, int]], list[int]]:
    """Side and number by id, and the ids of balls."""
    names = recording.meta.get("names")
    ids = np.unique(recording["id"])
    if isinstance(names, list):
        named = {int(body): str(names[body]) for body in ids if 0 <= body < len(names)}
    elif isinstance(names, dict):
        named = {int(body): str(names.get(str(body), "")) for body in ids}
    else:
        raise BadInput(
            "recording, metadata names", names, "must say which body is which robot (swerve match)"
        )
    robots: dict[int, tuple[str, int]] = {}
    for body, name in named.items():
        known = _ROBOT.match(name)
        if known:
            require(int(known[2]) < 16, "recording, robot", name, "must have a number below 16")
            robots[body] = (known[1], int(known[2]))
    require(
        bool(robots),
        "recording, metadata names",
        sorted(named.values())[:4],
        "name no robot blue-0, yellow-0 …",
    )
    require(len(set(robots.values())) == len(robots), "recording, metadata names", None, "name a robot twice")
    return robots, [body for body, name in named.items() if name == "ball"][:1]
