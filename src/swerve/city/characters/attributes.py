"""Typed attributes: what can be said about a character, in which unit, within which range.

A `Kind` of character inherits every attribute of its parent and may add its own or narrow a default, so
that whatever works on the parent works on the child.

>>> basic = Kind("basic", None, (Attribute("radius", float, 0.5, "m", low=0.0),))
>>> tall = Kind("tall", basic, (Attribute("height", float, 2.0, "m", low=0.0),))
>>> sorted(tall.attributes), tall.is_a(basic)
(['height', 'radius'], True)
>>> tall["radius"].checked(0.3)
0.3
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swerve.core.errors import BadInput

_COLUMN = {float: np.float64, int: np.int64, bool: np.bool_, str: object}


@dataclass(frozen=True)
class Attribute:
    """One property: its type (float, int, bool or str), default, unit, range or choices."""

    name: str
    type: type
    default: Any
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    meaning: str = ""

    @property
    def column_type(self) -> Any:
        """NumPy type of a column of values; a choice is stored as its index."""
        return np.int8 if self.choices else _COLUMN[self.type]

    def checked(self, value: object) -> Any:
        """The value as stored, or `BadInput` that names the attribute, the value and what is allowed.

        >>> Attribute("driver", str, "slow", choices=("fast", "slow")).checked("slow")
        1
        """
        if self.choices:
            if value not in self.choices:
                raise BadInput(f"attribute {self.name}", value, f"must be one of {', '.join(self.choices)}")
            return self.choices.index(value)
        if self.type is bool:
            if not isinstance(value, (bool, np.bool_)):
                raise BadInput(f"attribute {self.name}", value, "must be true or false")
            return bool(value)
        if self.type is str:
            if not isinstance(value, str):
                raise BadInput(f"attribute {self.name}", value, "must be a text")
            return value
        if isinstance(value, (bool, str)) or not np.isscalar(value) or np.isnan(value):
            raise BadInput(f"attribute {self.name}", value, f"must be a number{self._in_unit()}")
        number: Any = self.type(value)
        if number != value:
            raise BadInput(f"attribute {self.name}", value, "must be a whole number")
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise BadInput(f"attribute {self.name}", value, f"must be {self._range()}{self._in_unit()}")
        return number

    def shown(self, stored: float | str) -> Any:
        """The value for a person: the word of a choice, Python's own numbers."""
        return self.choices[int(stored)] if self.choices else self.type(stored)

    def _in_unit(self) -> str:
        return f" ({self.unit})" if self.unit else ""

    def _range(self) -> str:
        if self.low is None:
            return f"at most {self.high:g}"
        if self.high is None:
            return f"at least {self.low:g}"
        return f"between {self.low:g} and {self.high:g}"


@dataclass(frozen=True)
class Kind:
    """A kind of character: a name, the kind it specialises, and the attributes it adds or redefines."""

    name: str
    parent: Kind | None
    added: tuple[Attribute, ...] = ()
    attributes: dict[str, Attribute] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        inherited = dict(self.parent.attributes) if self.parent else {}
        for attribute in self.added:
            before = inherited.get(attribute.name)
            if before is not None and before.column_type is not attribute.column_type:
                raise BadInput(
                    f"kind {self.name}", attribute.name, "changes the type of an inherited attribute"
                )
            attribute.checked(attribute.default)
            inherited[attribute.name] = attribute
        object.__setattr__(self, "attributes", inherited)

    def __getitem__(self, name: str) -> Attribute:
        if name not in self.attributes:
            raise BadInput(f"attribute of {self.name}", name, f"must be one of {', '.join(self.attributes)}")
        return self.attributes[name]

    def is_a(self, other: Kind) -> bool:
        """Whether this kind is `other` or specialises it."""
        return self == other or (self.parent is not None and self.parent.is_a(other))

    def __hash__(self) -> int:
        return hash((self.name, self.parent))


def described(kinds: Iterable[Kind]) -> list[dict[str, Any]]:
    """Every attribute of the kinds as a row of a table: kind, name, unit, default, range, meaning."""
    return [
        {
            "kind": kind.name,
            "attribute": a.name,
            "type": "choice" if a.choices else a.type.__name__,
            "unit": a.unit,
            "default": a.default,
            "range": ", ".join(a.choices) if a.choices else "" if a.low is a.high is None else a._range(),
            "meaning": a.meaning,
        }
        for kind in kinds
        for a in kind.added
    ]
