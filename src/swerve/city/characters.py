"""Characters: everything that acts in the city, as columns of attributes.

The kinds form a tree: `BASIC` ← `PERSON`, `BASIC` ← `VEHICLE` ← `WHEELED`. A wheeled character has a type
(mini, sedan, suv) that sets its size and its abilities; `other` leaves them to be set by hand. Values may
change at any time, from a scenario or from code; whoever works with the columns sees `version` grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from swerve.core.errors import BadInput

from .attributes import Attribute, Kind

BASIC = Kind(
    "basic",
    None,
    (
        Attribute("name", str, "", meaning="for people who look at it"),
        Attribute("autonomous", bool, True, meaning="decides for itself; false: driven from outside"),
        Attribute("radius", float, 0.5, "m", 0.05, 20.0, meaning="of the circle around the body"),
        Attribute("height", float, 1.7, "m", 0.1, 20.0),
        Attribute("max_speed", float, 10.0, "m/s", 0.0, 100.0),
        Attribute("max_acceleration", float, 2.0, "m/s²", 0.05, 20.0),
        Attribute("max_deceleration", float, 6.0, "m/s²", 0.5, 20.0),
        Attribute("clearance", float, 1.0, "m", 0.0, 20.0, meaning="kept from what it queues behind"),
        Attribute("person_clearance", float, 2.0, "m", 0.0, 20.0, meaning="kept from people"),
        Attribute("frustration", float, 0.0, "", 0.0, 1.0, meaning="at the start; grows when held up"),
        Attribute("yield_distance", float, 45.0, "m", 0.0, 500.0, meaning="to emergency vehicles"),
        Attribute("yield_to_oncoming", bool, False, meaning="also to those on the opposite road"),
    ),
)
PERSON = Kind(
    "person",
    BASIC,
    (
        Attribute("radius", float, 0.25, "m", 0.05, 2.0),
        Attribute("max_speed", float, 2.2, "m/s", 0.0, 12.0, meaning="when running"),
        Attribute("walking_speed", float, 1.33, "m/s", 0.0, 12.0),
        Attribute("crosswalk_tag", str, "crosswalk", meaning="tag of cells on which traffic rules hold"),
    ),
)
DRIVER_TYPES = ("fast", "medium", "slow")
LIMIT_RESPECT = ("strict", "range", "ignore")
VEHICLE = Kind(
    "vehicle",
    BASIC,
    (
        Attribute("length", float, 4.5, "m", 1.0, 12.0),
        Attribute("width", float, 1.8, "m", 0.5, 2.5),
        Attribute("height", float, 1.5, "m", 0.5, 4.5),
        Attribute("max_speed", float, 40.0, "m/s", 0.0, 100.0),
        Attribute("emergency", bool, False, meaning="siren on: emergency rules"),
        Attribute("driver_type", str, "medium", choices=DRIVER_TYPES, meaning="preferred lane"),
        Attribute("respect_limit", str, "range", choices=LIMIT_RESPECT),
        Attribute("max_speed_ratio", float, 1.0, "", 0.1, 3.0, meaning="of the limit, at most"),
        Attribute("min_speed_ratio", float, 0.8, "", 0.1, 3.0, meaning="of the limit, at least"),
        Attribute("pass_frustration_threshold", float, 0.5, "", 0.0, 1.0, meaning="passes on the kerb side"),
        Attribute("headway", float, 1.1, "s", 0.3, 5.0, meaning="time gap it likes to keep"),
        Attribute("comfortable_deceleration", float, 2.2, "m/s²", 0.5, 6.0),
        Attribute("side_acceleration", float, 2.2, "m/s²", 0.5, 8.0, meaning="it accepts in bends"),
        Attribute("look_ahead", float, 25.0, "m", 5.0, 200.0, meaning="emergency: for obstructions"),
    ),
)
WHEELED_TYPES = ("mini", "sedan", "suv", "other")
WHEELED = Kind(
    "wheeled",
    VEHICLE,
    (
        Attribute("wheeled_type", str, "sedan", choices=WHEELED_TYPES),
        Attribute("wheelbase", float, 2.7, "m", 0.8, 7.0),
        Attribute("front_overhang", float, 0.9, "m", 0.0, 3.0, meaning="front axle to bumper"),
        Attribute("max_steer", float, 0.6, "rad", 0.1, 0.9, meaning="of the front wheels"),
        Attribute("max_steer_rate", float, 0.9, "rad/s", 0.1, 3.0),
    ),
)
KINDS = {kind.name: kind for kind in (BASIC, PERSON, VEHICLE, WHEELED)}

WHEELED_PRESETS: dict[str, dict[str, float]] = {
    "mini": {"length": 3.6, "width": 1.6, "height": 1.5, "wheelbase": 2.4, "front_overhang": 0.65,
             "max_acceleration": 1.9, "max_speed": 38.0, "radius": 1.97},
    "sedan": {"length": 4.6, "width": 1.82, "height": 1.45, "wheelbase": 2.75, "front_overhang": 0.9,
              "max_acceleration": 2.0, "max_speed": 50.0, "radius": 2.48},
    "suv": {"length": 4.9, "width": 1.95, "height": 1.75, "wheelbase": 2.9, "front_overhang": 0.95,
            "max_acceleration": 1.9, "max_speed": 45.0, "radius": 2.64},
}  # fmt: skip


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

    def remove(self, ids: Any) -> None:
        """Take characters out of the scene; their ids stay taken."""
        self.alive[self._known(ids)] = False
        self.version += 1

    def of_kind(self, kind: Kind) -> np.ndarray:
        """Ids of the living characters of a kind and of what specialises it."""
        return np.flatnonzero([a and k.is_a(kind) for a, k in zip(self.alive, self.kinds, strict=True)])

    def attribute(self, character: int, name: str) -> Attribute:
        return self.kinds[int(self._known(character)[0])][name]

    def get(self, ids: Any, name: str) -> np.ndarray:
        """Stored values (a choice as its index) of one or many characters."""
        for kind in {self.kinds[i] for i in self._known(ids)}:
            kind[name]
        return self._columns[name][np.asarray(ids)]

    def value(self, character: int, name: str) -> Any:
        """One value as a person writes it."""
        return self.attribute(character, name).shown(self._columns[name][character])

    def set(self, ids: Any, name: str, value: Any) -> None:
        """Change an attribute now, of the characters and of all that have them as templates.

        `value` is one value or a sequence of one for each id.
        """
        rows = self._known(ids)
        listed = isinstance(value, (list, tuple, np.ndarray))
        values = list(value) if listed else [value] * len(rows)
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

    def _known(self, ids: Any) -> np.ndarray:
        rows = np.atleast_1d(np.asarray(ids, dtype=np.int64))
        if len(rows) and (rows.min() < 0 or rows.max() >= len(self) or not self.alive[rows].all()):
            bad = next(int(i) for i in rows if not (0 <= i < len(self)) or not self.alive[i])
            raise BadInput("character", bad, "no such id")
        return rows


_BY_HAND = {"length", "width", "wheelbase", "front_overhang", "radius"}
