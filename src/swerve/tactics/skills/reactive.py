"""The baseline of section 6.2.5: a reactive attacker that does not plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..bodies import World
from ..chance import Chance
from ..law import Law
from ..scene import Scene
from ..skill import Skill
from .ball import HANDLED, PLAYER, Kick
from .handling import kick


@dataclass(frozen=True)
class ShootAtGap(Skill):
    """Look for the widest opening between opponents in the goal mouth and kick the ball through it.

    The opening is measured along the goal line, in the shadows that the opponents cast from the ball.
    """

    body: str
    ball: str
    line: float  # [m] x of the goal line
    half: float  # [m] half the goal's width
    opponents: tuple[str, ...]
    strength: float = 5.0
    samples: int = 41
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    handles: ClassVar[tuple[str, ...]] = HANDLED
    law: ClassVar[Law] = kick
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "strength", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        y = np.linspace(-self.half + 0.03, self.half - 0.03, self.samples)
        place = scene.xy(self.ball)
        way = np.stack(np.broadcast_arrays(self.line - place[:, :1], y - place[:, 1:2]), axis=-1)
        away = np.sqrt(np.einsum("ijk,ijk->ij", way, way))
        clear = np.full(way.shape[:2], np.inf)
        for name in self.opponents:
            to = (scene.xy(name) - place)[:, None]
            along = np.clip(np.einsum("ijk,ijk->ij", way, to) / away, 0.0, away)
            off = np.linalg.norm(to - way * (along / away)[..., None], axis=-1)
            clear = np.minimum(clear, off / np.maximum(along, 0.1))
        best = y[np.argmax(clear, axis=1)]
        return np.column_stack(
            [np.full(len(scene), self.line), best, np.full(len(scene), self.strength), scene.time + 1.5]
        )

    def numbers(self, world: World) -> np.ndarray:
        return Kick(self.body, self.ball, (0.0, 0.0, 0.0, 0.0)).numbers(world)
