"""Skills of links: the joints of arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..chance import Chance
from ..scene import Action, Scene
from ..skill import Skill

Range = tuple[float, float]


@dataclass(frozen=True)
class MoveJoint(Skill):
    """Bring a link's joint to a sampled angle [rad] or offset [m], and give up after a sampled time."""

    body: str
    target: Range
    speed: float = 2.0  # [rad/s], [m/s]
    torque: float = 5.0  # [N·m], [N] at most
    seconds: Range = (0.3, 1.5)
    near: float = 0.02  # of the target that counts as there
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("jointed", "turning")}
    variables: ClassVar[tuple[str, ...]] = ("target", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        until = scene.time + chance.uniform(*self.seconds)
        return np.column_stack([chance.uniform(*self.target), until])

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        target, until = variables.T
        action.move_joint(self.body, target, self.speed, self.torque)
        off = np.abs(scene.joint(self.body) - target)
        return (off > self.near) & (scene.time + scene.world.step_seconds < until)
