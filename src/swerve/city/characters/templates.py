"""Brain sharing: characters that copy a template decide with it, all of them in one batched call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .characters import Characters

Decision = Callable[[np.ndarray], Any]


def brains(characters: Characters) -> np.ndarray:
    """For every character the id whose brain it uses: the root of its chain of templates."""
    root = np.arange(len(characters))
    while True:
        above = np.where(characters.template[root] >= 0, characters.template[root], root)
        if np.array_equal(above, root):
            return root
        root = above


def followers(characters: Characters, template: int) -> np.ndarray:
    """A template and the ids of all that copy it, or copy a copy.

    >>> from swerve.city.characters import WHEELED
    >>> city = Characters()
    >>> taxi, van = city.add(WHEELED, 2)
    >>> cab = int(city.add(WHEELED, 1, template=int(taxi))[0])
    >>> _ = city.add(WHEELED, 1, template=cab)
    >>> followers(city, int(taxi)).tolist(), followers(city, cab).tolist()
    ([0, 2, 3], [2, 3])
    """
    mine = np.arange(len(characters)) == template
    while True:
        more = mine | ((characters.template >= 0) & mine[characters.template])
        if np.array_equal(more, mine):
            return np.flatnonzero(mine)
        mine = more


def batches(characters: Characters, ids: np.ndarray | None = None) -> dict[int, np.ndarray]:
    """Brain → ids of the living characters that use it and take part; one entry is one batched decision.

    >>> from swerve.city.characters import WHEELED
    >>> city = Characters()
    >>> taxi, van = city.add(WHEELED, 2)
    >>> _ = city.add(WHEELED, 2, template=int(taxi))
    >>> {int(brain): members.tolist() for brain, members in batches(city).items()}
    {0: [0, 2, 3], 1: [1]}
    """
    ids = np.flatnonzero(characters.alive & characters.acts) if ids is None else np.asarray(ids)
    root = brains(characters)[ids]
    return {int(brain): ids[root == brain] for brain in np.unique(root)}


def decide(characters: Characters, decisions: Mapping[int, Decision]) -> dict[int, Any]:
    """Ask every brain once, with all the characters that share it. Brains without a decision are left
    out."""
    return {brain: decisions[brain](ids) for brain, ids in batches(characters).items() if brain in decisions}
