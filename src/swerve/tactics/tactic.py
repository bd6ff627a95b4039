"""A tactic: skills and how likely each follows each, for one body.

A transition's weight is a number or a function of the scene that gives (b,) numbers. Weights out of a skill
need not sum to one. Where all of them are zero, the skill follows itself. `habits` say, for skills by name,
what they are likely to draw where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.kernels import kernel

from .chance import Chance
from .habits import Habits
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
    habits: Mapping[str, Habits] = field(default_factory=dict)
    order: tuple[str, ...] = field(init=False)
    deterministic: bool = field(init=False)
    forced: tuple[bool, ...] = field(init=False)  # after which skills one follows that samples nothing
    _constant: np.ndarray = field(init=False, repr=False, compare=False)
    varying: tuple[tuple[int, int, Callable[[Scene], np.ndarray]], ...] = field(init=False, repr=False)
    _asked: tuple[tuple[int, Callable[[Scene], np.ndarray], np.ndarray], ...] = field(
        init=False, repr=False, compare=False
    )  # targets, their weights, and after which skills (skills,): asked at once for all that share them

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
        constant, varying = self._tabulate()
        object.__setattr__(self, "_constant", constant)
        object.__setattr__(self, "varying", varying)
        object.__setattr__(self, "_asked", self._together(varying))
        object.__setattr__(self, "forced", tuple(self._forced(k) for k in range(len(self.order))))

    @property
    def chooses(self) -> bool:
        """Whether anything is left to choose: what a skill samples, or which one follows."""
        return not (self.deterministic and all(self.forced))

    def advance(self, skill: np.ndarray, scene: Scene, chance: Chance) -> np.ndarray:
        """(b,) index of the skill after each skill (b,), drawn by the weights in each branch."""
        weights = self._constant[skill]
        for target, weight, sources in self._asked:
            mine = sources[skill].nonzero()[0]
            if len(mine):
                part = scene if len(mine) == len(scene) else scene.take(mine)
                given = np.asarray(weight(part), dtype=float)
                if given.shape not in ((), (len(mine),)):
                    why = f"must give one weight a branch, ({len(mine)},)"
                    raise BadInput(self._name(skill[mine[0]], target), given.shape, why)
                wrong = np.broadcast_to(~((given >= 0) & (given < np.inf)), len(mine))
                if wrong.any():
                    k, why = int(wrong.argmax()), "must be a probability of zero or more"
                    bad = float(np.broadcast_to(given, len(mine))[k])
                    raise BadInput(self._name(skill[mine[k]], target), bad, why)
                weights[mine, target] = given
        return _drawn(weights, chance.uniform(), skill)

    def _together(
        self, varying: tuple[tuple[int, int, Callable[[Scene], np.ndarray]], ...]
    ) -> tuple[tuple[int, Callable[[Scene], np.ndarray], np.ndarray], ...]:
        asked: dict[tuple[int, int], tuple[int, Callable[[Scene], np.ndarray], np.ndarray]] = {}
        for source, target, weight in varying:
            none = np.zeros(len(self.order), dtype=bool)
            asked.setdefault((target, id(weight)), (target, weight, none))[2][source] = True
        return tuple(asked.values())

    def _name(self, source: int, target: int) -> str:
        return f"tactic {self.name}, transition {self.order[source]} to {self.order[target]}"

    def _forced(self, source: int) -> bool:
        """Whether there is nothing to choose after a skill."""
        targets = np.flatnonzero(self._constant[source])
        if len(targets) > 1 or any(a == source for a, _, _ in self.varying):
            return False
        after = self.order[targets[0] if len(targets) else source]
        return self.skills[after].deterministic

    def _tabulate(self) -> tuple[np.ndarray, tuple[tuple[int, int, Callable[[Scene], np.ndarray]], ...]]:
        """Constant weights (skills, skills), and those that depend on the scene."""
        constant, varying = np.zeros((len(self.order), len(self.order))), []
        for source, targets in self.transitions.items():
            for target, weight in targets.items():
                a, b = self.order.index(source), self.order.index(target)
                if callable(weight):
                    varying.append((a, b, weight))
                else:
                    constant[a, b] = weight
        return constant, tuple(varying)


@kernel
def _drawn(weights: np.ndarray, shares: np.ndarray, skill: np.ndarray) -> np.ndarray:
    """(b,) which of the weights (b, skills) each share of their sum falls into; the same skill where all are
    zero."""
    chosen = np.empty_like(skill)
    for i in range(len(skill)):
        whole = 0.0
        for weight in weights[i]:
            whole += weight
        drawn, summed, k = shares[i] * whole, 0.0, -1
        for weight in weights[i]:
            summed += weight
            k += drawn >= summed
        chosen[i] = min(k + 1, weights.shape[1] - 1) if whole > 0.0 else skill[i]
    return chosen


def unconstrained(tactic: Tactic) -> Tactic:
    """The same skills without any order: each follows each, equally likely."""
    everything: Mapping[str, Weight] = dict.fromkeys(tactic.skills, 1.0)
    return Tactic(
        f"{tactic.name}, unconstrained", tactic.skills, dict.fromkeys(tactic.skills, everything), tactic.start
    )
