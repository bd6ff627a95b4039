"""Ready-made maps: built beforehand for the riders that come with Swerve, or read from a file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.steered import Steerable

from .carry import predict
from .mobility import MobilityMap
from .trials import Moments, Tracks, try_turns, wander

FOLDER = Path(__file__).parents[1] / "data"
PACES, RIDERS = 5, 8  # at which unseen states are met, and by how many at each


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
    body: Steerable,
    map_: MobilityMap,
    count: int,
    rng: np.random.Generator,
    threads: int = 1,
    paces: int = PACES,
) -> tuple[np.ndarray, np.ndarray, Tracks]:
    """States (n, 4) from random rides at `paces` speeds between those of a map (n is `count`, made up to
    as many at each), any turns (n,) of the map, and what came of them within 2 s.

    None of it was seen when the map was built, so it can be held against the map's predictions.
    """
    ends = np.linspace(map_.speeds[0], map_.speeds[-1], (paces if len(map_.speeds) > 1 else 1) + 1)
    speeds = rng.uniform(ends[:-1], ends[1:])
    each = -(-count // len(speeds))
    rides = [wander(body, each, rng, min(RIDERS, each), threads, speed=float(v)) for v in speeds]
    moments = Moments(
        *(np.concatenate([getattr(r, part) for r in rides]) for part in ("snapshots", "states"))
    )
    turns = rng.uniform(map_.turns[0], map_.turns[-1], len(moments))
    tracks = try_turns(body, moments, turns, 2.0, 0.5, threads, np.repeat(speeds, each))
    return moments.states, turns, tracks


def prediction_errors(
    map_: MobilityMap, states: np.ndarray, turns: np.ndarray, tracks: Tracks, corrected: bool = True
) -> np.ndarray:
    """(n,) how far [m] the map's place lies from the true one at the end; falls are left out."""
    seconds = (tracks.pose.shape[1] - 1) * tracks.dt
    off = predict(map_, states, turns, seconds, corrected)[:, :2] - tracks.pose[:, -1, :2]
    return np.hypot(off[:, 0], off[:, 1])[np.isinf(tracks.fell)]
