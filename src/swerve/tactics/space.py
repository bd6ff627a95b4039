"""What the numbers of a state mean to a planner: where to sample them, and how far apart two states are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from swerve.core.errors import require

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

    def check(self, d: int) -> None:
        """Refuse what is no space of states of d numbers."""
        given = ("low", "high") if self.weights is None else ("low", "high", "weights")
        for name in given:
            values = np.asarray(getattr(self, name), dtype=float)
            require(values.shape == (d,), f"space, {name}", values.shape, f"must be of shape {(d,)}")
            require(all(map(isfinite, values.tolist())), f"space, {name}", values.tolist(), "must be finite")
        names = tuple(self.columns)
        fine = not names or (
            len(names) == d == len(set(names)) and all(isinstance(n, str) and n for n in names)
        )
        require(fine, "space, columns", list(names), f"must be {d} different words")
        require("t" not in names, "space, columns", "t", "is the time of a plan;")
        known = all(0 <= k < d for k in self.angles)
        require(known, "space, angles", list(self.angles), f"must be columns, 0 to {d - 1}")
        weights, low, high = (np.asarray(side).tolist() for side in (self.numbers()[0], self.low, self.high))
        require(min(weights, default=0) >= 0, "space, weights", weights, "must not be negative")
        require(any(weights), "space, weights", weights, "must not all be zero")
        wide = all(a < b or (a == b and weight == 0) for a, b, weight in zip(low, high, weights, strict=True))
        require(wide, "space, low", low, "must lie below high")

    def numbers(self) -> tuple[Array, Array]:
        """Weights (d,), and which columns wrap (d,)."""
        weights = np.ones(len(self.low)) if self.weights is None else np.array(self.weights, dtype=float)
        turning = np.zeros(len(weights), dtype=np.bool_)
        turning[list(self.angles)] = True
        return weights, turning

    def embed(self, states: Array) -> Array:
        """Points whose Euclidean distances are those of the states; angles lie on circles."""
        return points_of(np.asarray(states, dtype=float), *self.numbers())
