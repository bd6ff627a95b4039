"""Groups whose members come and go, so that a behaviour can target "all with a siren", whoever they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .characters import Characters
from .kinds import PERSON, VEHICLE


class Group:
    """A named set of characters; membership is a mask, so a batch asks with one index."""

    def __init__(self, name: str, characters: Characters):
        self.name, self.characters = name, characters
        self._member = np.zeros(len(characters), bool)

    @property
    def members(self) -> np.ndarray:
        """Ids of the living members, ascending."""
        self._fit()
        return np.flatnonzero(self._member & self.characters.alive)

    def __len__(self) -> int:
        return len(self.members)

    def __contains__(self, character: int) -> bool:
        self._fit()
        return bool(0 <= character < len(self._member) and self._member[character])

    def add(self, ids: ArrayLike) -> None:
        self._fit()
        self._member[self.characters._known(ids)] = True

    def remove(self, ids: ArrayLike) -> None:
        self._fit()
        self._member[np.atleast_1d(np.asarray(ids, np.int64))] = False

    def become(self, ids: ArrayLike) -> None:
        """Exactly these are members from now on."""
        self._member[:] = False
        self.add(ids)

    def nearest(self, x: np.ndarray, y: np.ndarray, place: Callable[[np.ndarray], Any]) -> tuple[Any, Any]:
        """For every point (n,) the nearest member and its distance [m]; -1 and infinity in an empty group.

        `place(ids)` gives x and y of members.
        """
        members = self.members
        if len(members) == 0:
            return np.full(len(x), -1), np.full(len(x), np.inf)
        mx, my = place(members)
        distance = np.hypot(np.subtract.outer(x, mx), np.subtract.outer(y, my))
        best = np.argmin(distance, axis=1)
        return members[best], distance[np.arange(len(x)), best]

    def _fit(self) -> None:
        missing = len(self.characters) - len(self._member)
        if missing:
            self._member = np.append(self._member, np.zeros(missing, bool))


class Groups:
    """The three groups of the city: pedestrians, vehicles, and vehicles with their siren on."""

    def __init__(self, characters: Characters):
        self.characters = characters
        self.pedestrians = Group("pedestrians", characters)
        self.vehicles = Group("vehicles", characters)
        self.emergency = Group("emergency", characters)
        self._seen = -1
        self.refresh()

    def refresh(self) -> None:
        """Sort everyone into the groups again if any attribute has changed."""
        if self._seen == self.characters.version:
            return
        self._seen = self.characters.version
        self.pedestrians.become(self.characters.of_kind(PERSON))
        vehicles = self.characters.of_kind(VEHICLE)
        siren = self.characters.get(vehicles, "emergency") if len(vehicles) else np.zeros(0, bool)
        self.emergency.become(vehicles[siren])
        self.vehicles.become(vehicles[~siren])
