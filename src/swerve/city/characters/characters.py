"""Characters: everything that acts in the city, as columns of attributes.

Values may change at any time, from a scenario or from code; whoever works with the columns sees `version`
grow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import BadInput, require

from .attributes import Attribute, Kind
from .kinds import BASIC, WHEELED, WHEELED_PRESETS, WHEELED_TYPES


class Characters:
    """All characters of a scene: one column an attribute, one row a character; ids are never used twice.

    >>> city = Characters()
    >>> taxi = city.add_template(WHEELED, wheeled_type="sedan")
    >>> fleet = city.add(WHEELED, 3, template=taxi)
    >>> city.set(taxi, "max_speed", 30.0)
    >>> city.set(fleet[2], "max_speed", 20.0)
    >>> city.get(fleet, "max_speed").tolist()
    [30.0, 30.0, 20.0]
    """

    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        self.template = np.zeros(0, np.int64)  # id of the character it copies, or -1
        self.alive = np.zeros(0, bool)
        self.acts = np.zeros(0, bool)  # who takes part; templates of `add_template` do not
        self.version = 0  # grows with every change
        self._columns: dict[str, np.ndarray] = {}
        self._own: dict[str, np.ndarray] = {}  # whether a value was set on the character itself
        self._lived: dict[str, Callable[[], Lived]] = {}
        self.others: Callable[[], np.ndarray] = _nobody  # ids of bodies that are no characters
        self._fixed: dict[int, tuple[str, ...]] = {}
        self._limits: list[tuple[Kind, str, float, str]] = []

    def __len__(self) -> int:
        return len(self.kinds)

    def add(self, kind: Kind, count: int = 1, template: int | None = None, **values: Any) -> np.ndarray:
        """Ids of `count` new characters. With a template they copy its values and follow its changes."""
        if template is not None:
            self._known(template)
            self._require_alike(kind, template)
        self._skip_taken(count)
        ids = self._append(kind, count, template)
        if template is None and "wheeled_type" in kind.attributes:
            values = {"wheeled_type": kind["wheeled_type"].default, **values}
        try:
            for name in sorted(values, key="wheeled_type".__ne__):  # the type first: sizes hang on it
                self.set(ids, name, values[name])
        except BadInput:
            self.alive[ids] = False
            raise
        self.version += 1
        return ids

    def _skip_taken(self, count: int) -> None:
        """Leave ids out that bodies have which are no characters: nobody ever has them here."""
        taken = self.others()
        start = len(self)
        while (clash := taken[(taken >= start) & (taken < start + count)]).size:
            start = int(clash.max()) + 1
        left_out = self._append(BASIC, start - len(self), None)
        self.alive[left_out] = False

    def _append(self, kind: Kind, count: int, template: int | None) -> np.ndarray:
        """New rows, with the values of a template or the defaults."""
        ids = np.arange(len(self), len(self) + count)
        self.kinds += [kind] * count
        self.template = np.append(self.template, np.full(count, -1 if template is None else template))
        self.alive = np.append(self.alive, np.ones(count, bool))
        self.acts = np.append(self.acts, np.ones(count, bool))
        for name in {*self._columns, *kind.attributes}:
            self._grow(name, kind.attributes.get(name), count, template)
        return ids

    def add_template(self, kind: Kind, template: int | None = None, **values: Any) -> int:
        """Id of a character that nobody sees: it is there to be copied, and changed for all who copy it."""
        (one,) = self.add(kind, 1, template, **values)
        self.acts[one] = False
        return int(one)

    def follow(self, ids: ArrayLike, template: int) -> None:
        """From now on these copy a template that copies none of them, whatever was set on them before."""
        rows, above = self._known(ids), int(self._known(template)[0])
        while above >= 0:
            require(above not in rows, "template", template, "is, or copies, one that is to copy it")
            above = int(self.template[above])
        for row in rows:
            self._require_alike(self.kinds[row], template)
        self.template[rows] = template
        for name in self.kinds[template].attributes:
            self._own[name][rows] = False
            self._pass_on(np.array([template]), name)
        self.version += 1

    def remove(self, ids: ArrayLike) -> None:
        """Take characters out of the scene, also out of one that runs; their ids stay taken."""
        rows = self._known(ids)
        for row in rows:
            require(
                int(row) not in self._fixed,
                "character",
                int(row),
                "cannot be removed: it is led from outside",
            )
        self.alive[rows] = False
        self.version += 1

    def of_kind(self, kind: Kind) -> np.ndarray:
        """Ids of the living characters of a kind, and of what specialises it, that take part."""
        there = self.alive & self.acts
        return np.flatnonzero([a and k.is_a(kind) for a, k in zip(there, self.kinds, strict=True)])

    def live(self, name: str, told: Callable[[], Lived]) -> None:
        """Read and set an attribute where a simulation changes it: `told` gives ids and their column (n,)."""
        self._lived[name] = told

    def attribute(self, character: int, name: str) -> Attribute:
        return self.kinds[int(self._known(character)[0])][name]

    def get(self, ids: ArrayLike, name: str) -> np.ndarray:
        """Stored values (a choice as its index) of one or many characters."""
        for kind in {self.kinds[i] for i in self._known(ids)}:
            kind[name]
        return self.last(ids, name)

    def last(self, ids: ArrayLike, name: str) -> np.ndarray:
        """Stored values, also of those who were removed: theirs as they were."""
        if np.size(ids) == 0:
            return np.zeros(0) if name not in self._columns else self._columns[name][:0]
        if name in self._lived:
            who, column = self._lived[name]()
            self._columns[name][who] = column
        return self._columns[name][np.asarray(ids)]

    def value(self, character: int, name: str) -> Any:
        """One value as a person writes it."""
        return self.attribute(character, name).shown(self.get([character], name)[0])

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
        self._require_within(rows, name, values)
        if any(name not in free and row in rows for row, free in self._fixed.items()):
            raise BadInput(f"attribute {name}", value, "is fixed: this character is led from outside")
        if "wheeled_type" in self._columns and name in WHEELED_PRESETS["mini"] and name in _BY_HAND:
            fixed = [i for i in rows if self.kinds[i].is_a(WHEELED) and not self._is_other(i)]
            if fixed:
                word = self.value(fixed[0], "wheeled_type")
                raise BadInput(
                    f"attribute {name}", value, f"follows from wheeled_type {word}; set it to other"
                )
        self._store(rows, name, stored)
        if name == "wheeled_type":
            for word in dict.fromkeys(values):
                alike = rows[[one == word for one in values]]
                for other, preset in WHEELED_PRESETS.get(word, {}).items():
                    self._store(alike, other, [preset])
        self.version += 1

    def update(self, character: int, values: Mapping[str, Any]) -> None:
        """Several attributes of one character."""
        for name in sorted(values, key="wheeled_type".__ne__):  # the type first: sizes hang on it
            self.set(character, name, values[name])

    def fix(self, character: int, free: tuple[str, ...] = ()) -> None:
        """From now on nothing of a character can be set but what is `free`, for nothing else would act."""
        self._fixed[character] = free

    def limit(self, kind: Kind, name: str, most: float, why: str) -> None:
        """From now on refuse more than this of an attribute: for so much this town, or whoever moves them, is
        made."""
        self._limits.append((kind, name, most, why))

    def _require_within(self, rows: np.ndarray, name: str, values: list[Any]) -> None:
        for kind, limited, most, why in self._limits:
            if name not in ("wheeled_type", limited):
                continue
            for row, value in zip(rows, values, strict=True):
                told = WHEELED_PRESETS.get(value, {}).get(limited, 0.0) if name == "wheeled_type" else value
                if self.kinds[row].is_a(kind):
                    require(told <= most, f"attribute {name}", value, why)

    def _is_other(self, row: int) -> bool:
        return WHEELED_TYPES[int(self._columns["wheeled_type"][row])] == "other"

    def _store(self, rows: np.ndarray, name: str, stored: list[Any]) -> None:
        self._columns[name][rows] = stored
        self._own[name][rows] = True
        self._pass_on(rows, name)

    def _pass_on(self, rows: np.ndarray, name: str) -> None:
        """Let all that copy `rows`, or copies of them, and have no value of their own, follow."""
        column, own = self._columns[name], self._own[name]
        follows = reached = np.isin(np.arange(len(self)), rows)
        while follows.any():
            follows = (self.template >= 0) & ~own & ~reached
            follows[follows] = reached[self.template[follows]]
            column[follows] = column[self.template[follows]]
            reached = reached | follows
        if name in self._lived:
            who, lived = self._lived[name]()
            lived[reached[who]] = column[who][reached[who]]

    def _require_alike(self, kind: Kind, template: int) -> None:
        if not kind.is_a(self.kinds[template]) and not self.kinds[template].is_a(kind):
            raise BadInput("template", template, f"is a {self.kinds[template].name}, not a {kind.name}")

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


def _nobody() -> np.ndarray:
    return np.zeros(0, np.int64)


Lived = tuple[np.ndarray, np.ndarray]  # ids, and what an attribute of them is now
_BY_HAND = {"length", "width", "wheelbase", "front_overhang"}
