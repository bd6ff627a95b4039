"""Habits: where a skill was begun on the way to a goal, and what it drew there.

In a like situation a skill with habits mostly draws nearly the same again; else it draws as it was made to.
"""

from __future__ import annotations

import numpy as np

from swerve.core.errors import require

from .bodies import Motion
from .chance import Chance
from .scene import Scene

NEIGHBOURS = 8  # situations that are alike
HABITUAL = 0.8  # of all draws follow habits


class Habits:
    """`situations` (m, f) as `situation` gives them, and what was drawn in them: `shares` (m, draws) of the
    ranges that the skill draws from. Of all draws a share of `followed` is near these."""

    __slots__ = ("followed", "scale", "shares", "situations")

    def __init__(self, situations: np.ndarray, shares: np.ndarray, followed: float = HABITUAL):
        require(len(situations) == len(shares) >= 1, "habits", len(shares), "need situations, one each")
        require(situations.ndim == shares.ndim == 2, "habits", None, "must be tables")
        inside = bool((shares >= 0.0).all() and (shares <= 1.0).all() and np.isfinite(situations).all())
        require(inside, "habits", None, "must be shares from 0 to 1 in finite situations")
        self.situations, self.shares, self.followed = situations, shares, followed
        self.scale = np.maximum(situations.std(axis=0), 1e-3)

    def propose(self, scene: Scene, chance: Chance) -> np.ndarray:
        """(b, draws) shares to draw around; not a number where the skill is to draw as it was made to."""
        here = situation(scene)
        wide, known = here.shape[1], self.situations.shape[1]
        require(wide == known, "habits", known, f"must be of situations of {wide} numbers")
        chosen, follows = chance.uniform(), chance.uniform() < self.followed
        apart = ((here[:, None] - self.situations) / self.scale) ** 2
        near = min(NEIGHBOURS, len(self.shares))
        alike = np.argsort(apart.sum(axis=2), axis=1, kind="stable")[:, :near]
        rows = alike[np.arange(len(here)), (chosen * near).astype(int)]
        return np.where(follows[:, None], self.shares[rows], np.nan)


def situation(scene: Scene) -> np.ndarray:
    """(b, f) where everything is that moves: places of bodies, and directions of what only turns."""
    columns = []
    for name, slot in scene.world.slots.items():
        if slot.motion in (Motion.FREE, Motion.PLANAR):
            columns.append(scene.xy(name))
        elif slot.motion is Motion.TURNING:
            angle = scene.heading(name)
            columns.append(np.column_stack([np.cos(angle), np.sin(angle)]))
    return np.concatenate([np.zeros((len(scene), 0)), *columns], axis=1)
