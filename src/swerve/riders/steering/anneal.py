"""Simulated annealing in a box: a few numbers, an expensive and rugged cost, a fixed number of tries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.progress import track


@dataclass(frozen=True)
class Annealed:
    """The `best` point (d,), its `cost`, and every point tried with its cost (k, d + 1)."""

    best: np.ndarray
    cost: float
    tried: np.ndarray


def anneal(
    cost: Callable[[np.ndarray], float],
    low: np.ndarray,
    high: np.ndarray,
    grain: np.ndarray,
    tries: int,
    rng: np.random.Generator,
) -> Annealed:
    """Minimise `cost` within `low` and `high` (d,), on a grid of `grain` (d,).

    Steps shrink from a third of the box to a thirtieth, and the temperature from the spread of the first
    eight random points to a hundredth of it. A point met again is not evaluated again.
    """
    if tries < 1:
        raise BadInput("tries", tries, "must be at least 1")
    known: dict[tuple[int, ...], float] = {}

    def look(point: np.ndarray) -> tuple[np.ndarray, float]:
        steps = np.round((np.clip(point, low, high) - low) / grain)
        key = tuple(int(k) for k in steps)
        place = np.minimum(low + steps * grain, high)
        if key not in known:
            known[key] = float(cost(place))
        return place, known[key]

    first = [look(rng.uniform(low, high)) for _ in range(min(8, tries))]
    here, value = min(first, key=lambda pair: pair[1])
    best, least = here, value
    warm = max(float(np.std([v for _, v in first])), 1e-9)
    left = max(tries - len(known), 0)
    for k in track(range(left), "annealing"):
        cooled = k / max(left - 1, 1)
        width = (high - low) * (1 / 3) * 0.1**cooled
        place, found = look(here + rng.normal(0, 1, len(low)) * width)
        temperature = warm * 0.01**cooled
        if found <= value or rng.random() < np.exp((value - found) / temperature):
            here, value = place, found
        if found < least:
            best, least = place, found
    tried = np.array([[*(low + np.array(key) * grain), v] for key, v in known.items()])
    return Annealed(best, least, tried)
