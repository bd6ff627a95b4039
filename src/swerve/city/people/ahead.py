"""Where people on foot get to in the next seconds."""

from __future__ import annotations

import numpy as np

from .footing import Crowd
from .paths.manager import PathManager


def walk_on(crowd: Crowd, paths: PathManager, most: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Places (n, k, 2) at `times` (k,) [s] of people who go on as fast as now: straight to the next node of
    their path, then from node to node, no further than `most` (n,) [m]."""
    velocity = np.column_stack([crowd.vx, crowd.vy])
    speed = np.hypot(*velocity.T)
    way = np.minimum(speed[:, None] * times, most[:, None])
    places = np.repeat(np.column_stack([crowd.x, crowd.y])[:, None], len(times), axis=1)
    ahead, reach = velocity / np.maximum(speed, 1e-9)[:, None], np.maximum(crowd.reach, 0.0)
    begun = np.zeros(len(speed))  # [m] of the way at which a leg begins
    for k in range(paths.node.shape[1]):
        if k:
            leg = paths.node[:, k] - paths.node[:, k - 1]
            reach = np.where(paths.nodes > k, np.hypot(*leg.T), 0.0)
            ahead = leg / np.maximum(reach, 1e-9)[:, None]
        done = np.clip(way - begun[:, None], 0.0, reach[:, None])
        places += done[..., None] * ahead[:, None]
        begun = begun + reach
    return places
