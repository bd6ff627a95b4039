"""A skill: a small controller that samples what it is after once, then acts on it until it is done.

Written over a batch: `start` draws the variables of the branches in which the skill begins, `act` adds its
forces for one step and says in which branches it is still busy. See `docs/tactics.md` for one from start to
finish.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .bodies import World
from .chance import Chance
from .law import Law
from .scene import Action, Scene


def beside(*parts: np.ndarray) -> np.ndarray:
    """Variables (b, n) of parts (b,) or (b, k), one beside the other; a search asks for them all the time.

    >>> beside(np.zeros((2, 2)), np.array([1.0, 3.0])).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 3.0]]
    """
    widths = [1 if part.ndim == 1 else part.shape[1] for part in parts]
    found, at = np.empty((len(parts[0]), sum(widths))), 0
    for part, width in zip(parts, widths, strict=True):
        found[:, at : at + width] = part if part.ndim == 2 else part[:, None]
        at += width
    return found


class Skill:
    """Base of all skills. Constants and distributions are fields of a frozen dataclass.

    `variables` names what `start` draws; they stay with a branch while the skill is busy. A `deterministic`
    skill samples nothing: it never keeps the planner from following a branch of busy skills. A skill either
    has a `law`, and `numbers` for it, or its own `act`. Passive bodies are moved by collisions alone;
    `handles` names the fields that hold those on which it acts all the same, as a dribbler does on the ball.
    """

    variables: ClassVar[tuple[str, ...]] = ()
    deterministic: ClassVar[bool] = False
    law: ClassVar[Law | None] = None
    handles: ClassVar[tuple[str, ...]] = ()

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        """Variables (b, len(variables)) of the branches in which this skill begins."""
        return np.zeros((len(scene), len(self.variables)))

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        """Add forces to `action`; returns (b,) booleans: whether the skill is still busy afterwards."""
        if self.law is None:
            raise TypeError(f"{type(self).__name__} does nothing: it lacks act() or a law")
        numbers = scene.world.remembered(self, self.numbers)
        return self.law.over(action.forces, scene.rows, scene.touched, variables, numbers)

    def numbers(self, world: World) -> np.ndarray:
        """What the skill's law needs to know of itself and of the world."""
        return np.zeros(0)

    @property
    def lawful(self) -> bool:
        """Whether its law is all there is to what it does."""
        return self.law is not None and type(self).act is Skill.act

    def watches(self) -> tuple[tuple[str, str], ...]:
        """Pairs of bodies whose collisions this skill asks about."""
        return ()
