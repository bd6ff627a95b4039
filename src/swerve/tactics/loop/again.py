"""Games once more, from their recordings: a fresh reality that is told what the recorded one was told."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.recording import Recording

from ..bodies import Motion, World
from .play import GAMES, PlayOptions, check, module
from .reality import FRAME
from .record import TOLD, replay
from .safest import Scatter
from .sense import one


def replay_gap(recording: Recording, where: str = "recording") -> float:
    """The largest distance [m] between where bodies were in a recorded game and where they are in a fresh
    reality that is told the same: 0 if every frame repeats."""
    meta: dict[str, Any] = recording.meta
    game: Any = meta.get("scene")
    seed: Any = meta.get("seed")
    known = isinstance(game, str) and game in GAMES
    require(known, f"{where}, scene", game, f"must be one of {', '.join(GAMES)}: what swerve play records")
    require(type(seed) is int and seed >= 0, f"{where}, seed", seed, "must be a whole number")
    require(set(TOLD) <= set(recording.columns), where, None, "does not hold what robots were told")
    options = options_of(recording, where)
    check(game, options, seed, where)
    reality = module(game).fresh(game, options, seed)
    world, farthest = reality.world, 0.0
    _check_frames(recording, world, where)
    rows = replay(recording, reality, world)
    same = np.allclose(recording.times, rows[:, 0], rtol=0.0, atol=0.1 * FRAME)
    require(same, where, None, "must have all frames from the beginning of the game on, sixty a second")
    scenes = [one(world, row) for row in rows]
    for k, body in enumerate(world.bodies):
        seen = recording["id"] == k
        if world.slot(body.name).motion is Motion.NONE or not seen.any():
            continue
        there = np.column_stack([recording[axis][seen] for axis in "xyz"])
        here = np.array([scene.position(body.name)[0] for scene in scenes])
        farthest = max(farthest, float(np.abs(there - here).max()))
    return farthest


def _check_frames(recording: Recording, world: World, where: str) -> None:
    """Refuse a recording in which there is nobody of the game, not in every frame, or in no place."""
    held, told = [], False
    for k, body in enumerate(world.bodies):
        seen = recording["id"] == k
        if world.slot(body.name).motion is Motion.NONE or not seen.any():
            continue
        held.append(body.name)
        once = np.array_equal(recording["t"][seen], recording.times)
        require(once, where, body.name, "must be in all frames, once each")
        numbers = np.array([recording[axis][seen] for axis in "xyz"])
        require(bool(np.isfinite(numbers).all()), where, body.name, "has places that are no numbers")
        said = np.isfinite([recording[name][seen] for name in TOLD])
        require(bool(said.all() or not said.any()), where, body.name, "was told what is no number")
        told |= bool(said.all())
    require(bool(held), where, None, "holds nobody of the game")
    require(told, where, None, "does not hold what robots were told")


def options_of(recording: Recording, where: str = "recording") -> PlayOptions:
    """How a recorded game was played."""
    held: Any = recording.meta.get("play")
    try:
        chosen: dict[str, Any] = {name: np.inf if value == "inf" else value for name, value in held.items()}
        if "scatter" in chosen:
            chosen["scatter"] = Scatter(**chosen["scatter"])
        return PlayOptions(**chosen)
    except (TypeError, AttributeError) as error:
        raise BadInput(f"{where}, play", None, f"does not say how it was played ({error})") from error
