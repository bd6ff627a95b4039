"""A game as a recording: truth, estimate and plan side by side, what robots were told, and back again."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core import attitude
from swerve.core.recording import Recording

from ..bodies import Motion, World
from ..problem import Problem
from .frames import Log
from .reality import Command, Reality, moving
from .sense import one

ESTIMATE, PLAN = 100, 200  # added to the ids of bodies as they are believed and as they are planned
TOLD = ("told_vx", "told_vy", "told_spin", "told_dribble", "told_kick")


def record(log: Log, problem: Problem, meta: dict[str, Any]) -> Recording:
    """One row a body a frame, and one as it ended: as it is, as it was believed to be (`ball estimate`) and,
    while a plan was followed, as it should have been (`ball plan`). Robots' rows hold what they were told."""
    world = problem.world
    times = np.array([row[0] for row in log.truth])
    touched = np.array(log.touched)
    planned = np.array([row is not None for row in log.planned])
    parts = []
    for k, body in enumerate(world.bodies):
        if body.name not in moving(world):
            continue
        extra: dict[str, Any] = {}
        if any(body.name in commands for commands in log.commands):
            rest: list[dict[str, Command]] = [{}] * (len(times) - len(log.commands))  # nothing at the end
            told = [commands.get(body.name, Command()) for commands in (*log.commands, *rest)]
            numbers = np.array([(c.vx, c.vy, c.spin, float(c.dribble), c.kick) for c in told])
            extra = dict(zip(TOLD, numbers.T, strict=True))
        mine = [i for i, pair in enumerate(world.watch) if body.name in pair]
        extra["contact"] = touched[:, mine].any(axis=1)
        parts.append(_part(world, body.name, k, "", times, np.array(log.truth), extra))
        parts.append(_part(world, body.name, ESTIMATE + k, " estimate", times, np.array(log.estimate), {}))
        if planned.any():
            rows = np.array([row for row in log.planned if row is not None])
            parts.append(_part(world, body.name, PLAN + k, " plan", times[planned], rows, {}))
    return Recording.join(parts, {**meta, **dict(problem.scenery)})


def commands_of(recording: Recording, world: World) -> list[dict[str, Command]]:
    """What robots were told, frame by frame."""
    times = recording.times
    found: list[dict[str, Command]] = [{} for _ in times]
    for k, body in enumerate(world.bodies):
        rows = np.flatnonzero(recording["id"] == k)
        if not len(rows) or np.isnan(recording["told_vx"][rows]).all():
            continue
        for frame, row in enumerate(rows):
            vx, vy, spin, dribble, kick = (float(recording[name][row]) for name in TOLD)
            found[frame][body.name] = Command(vx, vy, spin, bool(dribble), kick)
    return found


def replay(recording: Recording, reality: Reality, world: World) -> np.ndarray:
    """Rows (n, width) of a fresh reality that is told what the recorded one was told."""
    rows = []
    for commands in commands_of(recording, world):
        rows.append(reality.row.copy())
        reality.step(commands)
    return np.array(rows)


def _part(
    world: World,
    name: str,
    number: int,
    word: str,
    times: np.ndarray,
    rows: np.ndarray,
    extra: dict[str, Any],
) -> Recording:
    n, slot = len(rows), world.slot(name)
    scene = [one(world, row) for row in rows]
    place = np.array([s.position(name)[0] for s in scene])
    seen = np.array([s.velocity(name)[0] for s in scene])
    velocity = np.zeros((n, 3))
    velocity[:, : seen.shape[1]] = seen
    heading = np.array([s.heading(name)[0] for s in scene])
    kind = f"{name}{word}" + (" (disc)" if slot.motion is Motion.PLANAR else "")
    columns: dict[str, Any] = {
        "t": times,
        "id": np.full(n, number),
        "kind": np.full(n, kind, dtype=object),
        **dict(zip("xyz", place.T, strict=True)),
        **attitude.columns(attitude.quaternion(heading)),
        **dict(zip(("vx", "vy", "vz"), velocity.T, strict=True)),
        **extra,
    }
    size = world.size(name)
    columns |= {key: np.full(n, s) for key, s in zip(("length", "width", "height"), size, strict=True)}
    return Recording(columns)
