"""Groups whose members come and go, so that a behaviour can be of "all with a siren", whoever they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require

from .characters import Characters
from .kinds import PERSON, VEHICLE
from .templates import followers


class Group:
    """A named set of characters, by hand or by a `rule` that gives their ids and is asked again whenever
    anything of the characters has changed."""

    def __init__(
        self, name: str, characters: Characters, rule: Callable[[], np.ndarray] | None = None
    ) -> None:
        self.name, self.characters, self.rule = name, characters, rule
        self._member = np.zeros(len(characters), bool)
        self._seen = -1

    @property
    def members(self) -> np.ndarray:
        """Ids of the living members, ascending; templates that take no part are none."""
        return np.flatnonzero(self._fitted() & self.characters.alive & self.characters.acts)

    def __len__(self) -> int:
        return len(self.members)

    def __contains__(self, character: int) -> bool:
        return character in self.members

    def add(self, ids: ArrayLike) -> None:
        self._by_hand()[self.characters._known(ids)] = True

    def remove(self, ids: ArrayLike) -> None:
        self._by_hand()[np.atleast_1d(np.asarray(ids, np.int64))] = False

    def become(self, ids: ArrayLike) -> None:
        """Exactly these are members from now on."""
        self._by_hand()[:] = False
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

    def _by_hand(self) -> np.ndarray:
        require(self.rule is None, f"group {self.name}", None, "has the members that its rule gives")
        return self._fitted()

    def _fitted(self) -> np.ndarray:
        """Who is a member (characters,), as things are now."""
        missing = len(self.characters) - len(self._member)
        if missing:
            self._member = np.append(self._member, np.zeros(missing, bool))
        if self.rule is not None and self._seen != self.characters.version:
            self._seen = self.characters.version
            self._member[:] = False
            self._member[self.rule()] = True
        return self._member


class Groups:
    """The groups of a city: pedestrians, vehicles without and with their siren on, and whoever copies a
    template."""

    def __init__(self, characters: Characters):
        self.characters = characters
        self.pedestrians = Group("pedestrians", characters, lambda: characters.of_kind(PERSON))
        self.vehicles = Group("vehicles", characters, lambda: self._vehicles(False))
        self.emergency = Group("emergency", characters, lambda: self._vehicles(True))

    def of_template(self, template: int) -> Group:
        """All that copy a template, or copy a copy; the template too, if it takes part."""
        name = f"template {template}"
        return Group(name, self.characters, lambda: followers(self.characters, template))

    def _vehicles(self, siren: bool) -> np.ndarray:
        vehicles = self.characters.of_kind(VEHICLE)
        has = self.characters.get(vehicles, "emergency") if len(vehicles) else np.zeros(0, bool)
        return vehicles[has == siren]
