"""What a search did, where its time went, and which skills were busy for too long."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .account import ENDLESS, Account
from .tactic import Tactic

LONGEST_BUSY = 30.0  # [s] after which a busy chain is cut off
LONG_BUSY, MUCH = 10.0, 0.5  # [s], and share of the horizon: what goes on for longer up to it is named


@dataclass
class Effort:
    """What a search did and where its time went [s]."""

    iterations: int = 0
    chains: int = 0  # that came to an end
    rolled_back: int = 0
    select_seconds: float = 0.0
    skill_seconds: float = 0.0
    cut_off: dict[str, int] = field(default_factory=dict)
    at_horizon: dict[str, int] = field(default_factory=dict)  # busy for long when it came

    def name(self, tactics: tuple[Tactic, ...], account: Account, skill: np.ndarray, endless: bool) -> None:
        """A branch whose tactics had these skills (tactics,) was busy for too long, or for long up to the
        horizon."""
        told = self.cut_off if endless else self.at_horizon
        for i, tactic in enumerate(tactics):
            if tactic.chooses:
                name = f"{tactic.order[skill[i]]} of {tactic.name}"
                told[name] = told.get(name, 0) + 1
                account.deeds[i, skill[i], ENDLESS] += endless


def long_busy(horizon: float) -> float:
    """Seconds of being busy up to the horizon [s] that are worth telling."""
    return max(LONG_BUSY, MUCH * horizon)
