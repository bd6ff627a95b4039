"""Whom ours plays against. Plans expect the reactive one; the others have other ideas.

`reactive` gets the ball, aims and kicks; `chase` goes straight at the ball wherever it is and kicks when it
happens to face the goal; `guard` stays on its own goal's line; `dribble` plans as ours does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..domains.duel_judge import STRENGTH, Judge
from ..problem import Problem
from .frames import Thought
from .reality import Drive
from .striker import Dribbler, Reactive
from .tracker import Tracker


class Chaser(Reactive):
    """Goes straight at the ball, and kicks it whenever a shot along its heading would go in."""

    tactic = "chase"

    def __init__(self, problem: Problem, seed: int, drive: Drive):
        super().__init__(problem, seed, drive)
        self.judge = Judge(problem.world, self.robot)

    def think(self, estimate: np.ndarray, tracker: Tracker) -> Thought:
        command = self.react(estimate)
        return Thought(replace(command, kick=STRENGTH if self.judge.opening(estimate) > 0.0 else 0.0))


class Guard(Reactive):
    """Stays before its own goal, where the ball will come."""

    tactic = "guard"


KINDS: dict[str, type[Reactive]] = {
    "reactive": Reactive,
    "chase": Chaser,
    "guard": Guard,
    "dribble": Dribbler,
}
