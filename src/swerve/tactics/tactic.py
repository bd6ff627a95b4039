"""A tactic: skills and how likely each follows each, for one body.

A transition's weight is a number or a function of the scene that gives (b,) numbers. Weights out of a skill
need not sum to one. Where all of them are zero, the skill follows itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from swerve.core.errors import BadInput, require

from .chance import Chance
from .scene import Scene
from .skill import Skill

Weight = float | Callable[[Scene], np.ndarray]


@dataclass(frozen=True)
class Tactic:
    """Skills by name, the transitions between them, and the skill to begin with.

    >>> from swerve.tactics.skills import Wait
    >>> tactic = Tactic("idle", {"wait": Wait("robot", (0.1, 0.5))}, {}, "wait")
    """

    name: str
    skills: Mapping[str, Skill]
    transitions: Mapping[str, Mapping[str, Weight]]
    start: str
    order: tuple[str, ...] = field(init=False)
    deterministic: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", tuple(self.skills))
        object.__setattr__(self, "deterministic", all(s.deterministic for s in self.skills.values()))
        where = f"tactic {self.name}"
        require(bool(self.skills), where, None, "needs at least one skill")
        known = ", ".join(self.skills)
        require(self.start in self.skills, f"{where}, start", self.start, f"must be one of {known}")
        for source, targets in self.transitions.items():
            require(source in self.skills, f"{where}, transitions", source, f"must be one of {known}")
            for target, weight in targets.items():
                here = f"{where}, transition {source} to {target}"
                require(target in self.skills, here, target, f"must be one of {known}")
                if not callable(weight):
                    require(0 <= weight < np.inf, here, weight, "must be a probability of zero or more")
            if targets and all(not callable(w) and w == 0 for w in targets.values()):
                raise BadInput(f"{where}, transitions from {source}", None, "are all zero")

    def advance(self, skill: int, scene: Scene, chance: Chance) -> np.ndarray:
        """(b,) index of the skill after skill number `skill`, drawn by the weights in each branch."""
        targets = self.transitions.get(self.order[skill], {})
        if not targets:
            return np.full(len(scene), skill)
        if len(targets) == 1 and not callable(next(iter(targets.values()))):
            return np.full(len(scene), self.order.index(next(iter(targets))))
        weights = np.empty((len(scene), len(targets)))
        for column, (target, weight) in enumerate(targets.items()):
            weights[:, column] = weight(scene) if callable(weight) else weight
            if callable(weight) and not (weights[:, column] >= 0).all():
                where = f"tactic {self.name}, transition {self.order[skill]} to {target}"
                bad = weights[:, column][~(weights[:, column] >= 0)][0]
                raise BadInput(where, float(bad), "must be a probability of zero or more")
        summed = np.cumsum(weights, axis=1)
        drawn = chance.uniform() * summed[:, -1]
        chosen = np.minimum((drawn[:, None] >= summed).sum(axis=1), len(targets) - 1)
        indices = np.array([self.order.index(target) for target in targets])
        return np.where(summed[:, -1] > 0, indices[chosen], skill)


def unconstrained(tactic: Tactic) -> Tactic:
    """The same skills without any order: each follows each, equally likely."""
    everything: Mapping[str, Weight] = dict.fromkeys(tactic.skills, 1.0)
    return Tactic(
        f"{tactic.name}, unconstrained", tactic.skills, dict.fromkeys(tactic.skills, everything), tactic.start
    )
