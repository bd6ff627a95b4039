"""What the numbers of a state mean to a planner: where to sample them, and how far apart two states are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .points import points_of

Array = np.ndarray


@dataclass(frozen=True)
class Space:
    """What states mean: `low`, `high` (d,) are where samples are drawn; `weights` (d,) say what a unit
    counts in the distance (nothing where 0); `angles` are the columns that wrap; `columns` their names."""

    low: Sequence[float]
    high: Sequence[float]
    weights: Sequence[float] | None = None
    angles: Sequence[int] = ()
    columns: Sequence[str] = ()

    def numbers(self) -> tuple[Array, Array]:
        """Weights (d,), and which columns wrap (d,)."""
        weights = np.ones(len(self.low)) if self.weights is None else np.array(self.weights, dtype=float)
        turning = np.zeros(len(weights), dtype=np.bool_)
        turning[list(self.angles)] = True
        return weights, turning

    def embed(self, states: Array) -> Array:
        """Points whose Euclidean distances are those of the states; angles lie on circles."""
        return points_of(np.asarray(states, dtype=float), *self.numbers())
