"""Ready-made maps: built beforehand for the riders that come with Swerve, or read from a file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.steered import Steerable

from .carry import predict
from .mobility import MobilityMap
from .trials import Tracks, try_turns, wander

FOLDER = Path(__file__).parents[1] / "data"


def load_map(name_or_file: str | Path) -> MobilityMap:
    """The map of a rider that comes with Swerve, or one that `swerve ride map` wrote.

    >>> map_ = load_map("human")
    >>> map_.states.shape, map_.actions
    ((240, 4), 12)
    """
    if Path(name_or_file).suffix:
        return MobilityMap.load(name_or_file)
    return _shipped(str(name_or_file))


@lru_cache(maxsize=4)
def _shipped(name: str) -> MobilityMap:
    file = FOLDER / f"{name}-map.npz"
    if not file.exists():
        known = sorted(path.name.removesuffix("-map.npz") for path in FOLDER.glob("*-map.npz"))
        why = f"has no ready map (there are {', '.join(known) or 'none'}); build one with swerve ride map"
        raise BadInput("rider", name, why)
    return MobilityMap.load(file)


def unseen(
    body: Steerable, count: int, rng: np.random.Generator, seconds: float = 2.0, threads: int = 1
) -> tuple[np.ndarray, np.ndarray, Tracks]:
    """States (n, 3) from random rides, random turns (n,) and what came of them within `seconds`.

    None of it was seen when a map was built, so it can be held against the map's predictions.
    """
    moments = wander(body, count, rng, threads=threads)
    turns = rng.uniform(*body.turns, count)
    return moments.states, turns, try_turns(body, moments, turns, seconds, 0.5, threads)


def prediction_errors(
    map_: MobilityMap, states: np.ndarray, turns: np.ndarray, tracks: Tracks, corrected: bool = True
) -> np.ndarray:
    """(n,) how far [m] the map's place lies from the true one at the end; falls are left out."""
    seconds = (tracks.pose.shape[1] - 1) * tracks.dt
    off = predict(map_, states, turns, seconds, corrected)[:, :2] - tracks.pose[:, -1, :2]
    return np.hypot(off[:, 0], off[:, 1])[np.isinf(tracks.fell)]
