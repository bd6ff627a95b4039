"""The one answer of every planner."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np


class Status(Enum):
    """How planning ended, in words."""

    SOLVED = "reached the goal"
    HORIZON = "best way found up to the planning horizon"
    LIMIT = "the limit of the search was reached; this is the best way found so far"
    STUCK = "every way forward is blocked"
    INFEASIBLE = "no motion satisfies the constraints"

    @property
    def usable(self) -> bool:
        """Whether there is a motion to follow."""
        return self in (Status.SOLVED, Status.HORIZON, Status.LIMIT)


@dataclass(frozen=True)
class Plan:
    """A motion that a planner chose, and what the choice cost.

    `times` (n,) [s]; `states` (n, d) with the columns named in `columns`; `controls` (n, c) or empty, the
    input held from each time on; `cost` in the planner's own measure; `stats` what the search did.
    """

    status: Status
    times: np.ndarray
    states: np.ndarray
    columns: tuple[str, ...]
    cost: float = np.nan
    controls: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    stats: dict[str, Any] = field(default_factory=dict)

    @property
    def solved(self) -> bool:
        return self.status is Status.SOLVED

    @property
    def duration(self) -> float:
        """Seconds from the first state to the last."""
        return float(self.times[-1] - self.times[0]) if len(self.times) else 0.0

    def __getitem__(self, column: str) -> np.ndarray:
        return self.states[:, self.columns.index(column)]
