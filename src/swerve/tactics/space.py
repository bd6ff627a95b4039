"""What the numbers of a state mean to a planner: where to sample them, and how far apart two states are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
        for name in ("low", "high", *(["weights"] if self.weights is not None else [])):
            values = np.asarray(getattr(self, name), dtype=float)
            require(values.shape == (d,), f"space, {name}", values.shape, f"must be of shape {(d,)}")
            require(bool(np.isfinite(values).all()), f"space, {name}", values.tolist(), "must be finite")
        names = tuple(self.columns)
        fine = not names or (
            len(names) == d == len(set(names)) and all(isinstance(n, str) and n for n in names)
        )
        require(fine, "space, columns", list(names), f"must be {d} different words")
        require("t" not in names, "space, columns", "t", "is the time of a plan;")
        known = all(0 <= k < d for k in self.angles)
        require(known, "space, angles", list(self.angles), f"must be columns, 0 to {d - 1}")
        weights, low, high = self.numbers()[0], np.asarray(self.low), np.asarray(self.high)
        require(bool((weights >= 0).all()), "space, weights", weights.tolist(), "must not be negative")
        require(bool(weights.any()), "space, weights", weights.tolist(), "must not all be zero")
        wide = np.where(weights > 0, low < high, low <= high).all()
        require(bool(wide), "space, low", low.tolist(), f"must lie below high, {high.tolist()}")

    def numbers(self) -> tuple[Array, Array]:
        """Weights (d,), and which columns wrap (d,)."""
        weights = np.ones(len(self.low)) if self.weights is None else np.array(self.weights, dtype=float)
        turning = np.zeros(len(weights), dtype=np.bool_)
        turning[list(self.angles)] = True
        return weights, turning

    def embed(self, states: Array) -> Array:
        """Points whose Euclidean distances are those of the states; angles lie on circles."""
        return points_of(np.asarray(states, dtype=float), *self.numbers())
