"""Characters: everything that acts in the city, as columns of attributes.

Values may change at any time, from a scenario or from code; whoever works with the columns sees `version`
grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import BadInput

from .attributes import Attribute, Kind
from .kinds import WHEELED, WHEELED_PRESETS, WHEELED_TYPES


class Characters:
    """All characters of a scene: one column an attribute, one row a character; ids are never used twice.

    >>> city = Characters()
    >>> taxi = city.add(WHEELED, 1, wheeled_type="sedan")[0]
    >>> fleet = city.add(WHEELED, 3, template=taxi)
    >>> city.set(taxi, "max_speed", 30.0)
    >>> city.get(fleet, "max_speed").tolist()
    [30.0, 30.0, 30.0]
    """

    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        self.template = np.zeros(0, np.int64)  # id of the character it copies, or -1
        self.alive = np.zeros(0, bool)
        self.version = 0  # grows with every change
        self._columns: dict[str, np.ndarray] = {}
        self._own: dict[str, np.ndarray] = {}  # whether a value was set on the character itself

    def __len__(self) -> int:
        return len(self.kinds)

    def add(self, kind: Kind, count: int = 1, template: int | None = None, **values: Any) -> np.ndarray:
        """Ids of `count` new characters. With a template they copy its values and follow its changes."""
        if template is not None:
            self._known(template)
            if not kind.is_a(self.kinds[template]) and not self.kinds[template].is_a(kind):
                raise BadInput("template", template, f"is a {self.kinds[template].name}, not a {kind.name}")
        ids = np.arange(len(self), len(self) + count)
        self.kinds += [kind] * count
        self.template = np.append(self.template, np.full(count, -1 if template is None else template))
        self.alive = np.append(self.alive, np.ones(count, bool))
        for name in {*self._columns, *kind.attributes}:
            self._grow(name, kind.attributes.get(name), count, template)
        if template is None and "wheeled_type" in kind.attributes:
            self.set(ids, "wheeled_type", values.pop("wheeled_type", kind["wheeled_type"].default))
        for name, value in values.items():
            self.set(ids, name, value)
        self.version += 1
        return ids

    def remove(self, ids: ArrayLike) -> None:
        """Take characters out of the scene; their ids stay taken."""
        self.alive[self._known(ids)] = False
        self.version += 1

    def of_kind(self, kind: Kind) -> np.ndarray:
        """Ids of the living characters of a kind and of what specialises it."""
        return np.flatnonzero([a and k.is_a(kind) for a, k in zip(self.alive, self.kinds, strict=True)])

    def attribute(self, character: int, name: str) -> Attribute:
        return self.kinds[int(self._known(character)[0])][name]

    def get(self, ids: ArrayLike, name: str) -> np.ndarray:
        """Stored values (a choice as its index) of one or many characters."""
        for kind in {self.kinds[i] for i in self._known(ids)}:
            kind[name]
        return self._columns[name][np.asarray(ids)]

    def value(self, character: int, name: str) -> Any:
        """One value as a person writes it."""
        return self.attribute(character, name).shown(self._columns[name][character])

    def set(self, ids: ArrayLike, name: str, value: object) -> None:
        """Change an attribute now, of the characters and of all that have them as templates.

        `value` is one value or a sequence of one for each id.
        """
        rows = self._known(ids)
        values: list[Any] = (
            list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value] * len(rows)
        )
        if len(values) != len(rows):
            raise BadInput(f"attribute {name}", len(values), f"must have {len(rows)} values")
        stored = [self.kinds[i][name].checked(v) for i, v in zip(rows, values, strict=True)]
        if "wheeled_type" in self._columns and name in WHEELED_PRESETS["mini"] and name in _BY_HAND:
            fixed = [i for i in rows if self.kinds[i].is_a(WHEELED) and not self._is_other(i)]
            if fixed:
                word = self.value(fixed[0], "wheeled_type")
                raise BadInput(
                    f"attribute {name}", value, f"follows from wheeled_type {word}; set it to other"
                )
        self._store(rows, name, stored)
        if name == "wheeled_type":
            for row, word in zip(rows, values, strict=True):
                for other, preset in WHEELED_PRESETS.get(word, {}).items():
                    self._store(np.array([row]), other, [preset])
        self.version += 1

    def update(self, character: int, values: Mapping[str, Any]) -> None:
        """Several attributes of one character."""
        for name, value in values.items():
            self.set(character, name, value)

    def _is_other(self, row: int) -> bool:
        return WHEELED_TYPES[int(self._columns["wheeled_type"][row])] == "other"

    def _store(self, rows: np.ndarray, name: str, stored: list[Any]) -> None:
        column, own = self._columns[name], self._own[name]
        column[rows] = stored
        own[rows] = True
        reached = np.zeros(len(self), bool)
        reached[rows] = True
        while True:  # clones, clones of clones, ...
            follows = (self.template >= 0) & ~own & ~reached
            follows[follows] = reached[self.template[follows]]
            if not follows.any():
                return
            column[follows] = column[self.template[follows]]
            reached |= follows

    def _grow(self, name: str, attribute: Attribute | None, count: int, template: int | None) -> None:
        before = len(self) - count
        if name not in self._columns:
            assert attribute is not None
            self._columns[name] = np.zeros(before, attribute.column_type)
            self._own[name] = np.zeros(before, bool)
        column = self._columns[name]
        if attribute is None:
            fresh = column.dtype.type() if column.dtype != object else ""
        elif template is not None and name in self.kinds[template].attributes:
            fresh = column[template]
        else:
            fresh = attribute.checked(attribute.default)
        more = np.empty(count, column.dtype)
        more[:] = fresh
        self._columns[name] = np.append(column, more)
        self._own[name] = np.append(self._own[name], np.zeros(count, bool))

    def _known(self, ids: ArrayLike) -> np.ndarray:
        rows = np.atleast_1d(np.asarray(ids, dtype=np.int64))
        if len(rows) and (rows.min() < 0 or rows.max() >= len(self) or not self.alive[rows].all()):
            bad = next(int(i) for i in rows if not (0 <= i < len(self)) or not self.alive[i])
            raise BadInput("character", bad, "no such id")
        return rows


_BY_HAND = {"length", "width", "wheelbase", "front_overhang"}
