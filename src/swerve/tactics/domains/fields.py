"""Skills of domain files: found by name, their fields checked one by one before anything runs."""

from __future__ import annotations

from dataclasses import MISSING, fields
from importlib import import_module
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require

from .. import skills as library
from ..bodies import Role, World
from ..skill import Skill

POSITIVE = (
    "speed",
    "acceleration",
    "near",
    "force",
    "radius",
    "distance",
    "patience",
    "floor",
    "torque",
    "height",
)
NOT_NEGATIVE = (
    "strength",
    "seconds",
    "hold",
    "still",
    "share",
    "reach",
    "spread",
    "turning",
    "cloth",
    "half",
    "paces",
)
ACTING, SEEN = ("body",), ("ball", "around", "at", "by", "towards")
MANY = ("opponents", "bodies", "over")
MOST = 1e6  # no number of a skill is larger


def make_skill(where: str, given: dict[str, Any], allow_import: bool) -> Skill:
    """A skill of the library by its name and fields, or if allowed the user's own as `module:Class`."""
    name = given.pop("skill", None)
    found = _find(where, str(name), allow_import)
    known = {f.name: f for f in fields(found)}  # type: ignore[arg-type]
    for key in given:
        require(key in known, f"{where}, {key}", given[key], f"{name} has {', '.join(known)}")
    values = {}
    for key, field in known.items():
        if key in given:
            values[key] = _value(f"{where}, {key}", key, str(field.type), given[key])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise BadInput(f"{where}, {key}", None, "is missing")
    try:
        skill = found(**values)
    except (TypeError, ValueError) as error:
        raise BadInput(where, None, f"cannot be made ({error})") from error
    targets = values.get("targets")
    if targets is not None and "bodies" in values:
        fits = targets.shape == (len(values["bodies"]), 2)
        require(fits, f"{where}, targets", targets.shape, "must be one x, y a body; the shape is")
    return skill


def check_bodies(where: str, skill: Skill, world: World) -> None:
    """Refuse a skill whose bodies are missing, of the wrong class, or move in another way than it needs."""
    needs = getattr(skill, "needs", {})
    for field in fields(skill):  # type: ignore[arg-type]
        value = getattr(skill, field.name)
        names = field.name in (*ACTING, *SEEN, *MANY) and field.type in ("str", "tuple[str, ...]")
        if not names:  # `around` of a kick is no body
            continue
        for name in (value,) if isinstance(value, str) else value:
            known = f"must be one of {', '.join(world.slots)}"
            require(name in world.slots, f"{where}, {field.name}", name, known)
            slot, role = world.slot(name), world.by_name[name].role
            if field.name in ACTING or field.name == "bodies":
                acting = role in (Role.CONTROLLED, Role.FOREIGN)
                require(acting, f"{where}, {field.name}", name, f"is {role.value}, and takes no forces;")
            ways = needs.get(field.name)
            if ways and slot.motion.value not in ways:
                why = f"must be a body that moves {' or '.join(ways)}, not {slot.motion.value}"
                raise BadInput(f"{where}, {field.name}", name, why)


def _find(where: str, name: str, allow_import: bool) -> type[Skill]:
    found: Any = getattr(library, name, None) if name in library.__all__ else None
    if ":" in name:
        require(allow_import, f"{where}, skill", name, "is code of your own: allow it with --allow-import;")
        module, _, attribute = name.partition(":")
        try:
            found = getattr(import_module(module), attribute)
        except Exception as error:  # whatever a user's module does when it is imported
            raise BadInput(f"{where}, skill", name, f"cannot be imported ({error})") from error
    if not (isinstance(found, type) and issubclass(found, Skill)):
        known = [n for n in library.__all__ if n[0].isupper()]
        raise BadInput(f"{where}, skill", name, f"must be one of {', '.join(known)}, or module:Class")
    return found


def _value(where: str, key: str, kind: str, given: Any) -> Any:
    """A value of the kind that the field is declared as."""
    if kind == "bool":
        require(isinstance(given, bool), where, given, "must be true or false")
        return given
    if kind == "str":
        require(isinstance(given, str), where, given, "must be a name")
        return given
    if kind == "tuple[str, ...]":
        fine = isinstance(given, list) and bool(given) and all(isinstance(v, str) for v in given)
        require(fine, where, given, "must be a list of names")
        return tuple(given)
    if kind == "np.ndarray":
        try:
            array = np.array(given, dtype=float)
        except (TypeError, ValueError, OverflowError) as error:
            raise BadInput(where, None, "must be a list of x, y") from error
        fine = array.ndim == 2 and bool((np.abs(array) <= MOST).all())
        require(fine, where, None, "must be a list of x, y")
        return array
    if kind == "int":
        require(isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= 10_000, where, given,
                "must be a whole number from 1")  # fmt: skip
        return given
    if kind == "float":
        return _number(where, key, given)
    counts = {"Range": 2, "Box": 4, "Box | None": 4, "tuple[float, float]": 2}
    if given is None and "None" in kind:
        return None
    many = counts.get(kind)
    if many is None and kind.startswith("tuple["):
        return _tuple(where, key, kind, given)
    if many is None:  # a field of a user's own kind
        return tuple(given) if isinstance(given, list) else given
    fine = isinstance(given, list | tuple) and len(given) == many
    require(fine, where, given, f"must be {many} numbers")
    numbers = tuple(_number(where, key, v) for v in given)
    if kind == "Range":
        require(numbers[0] <= numbers[1], where, given, "must be from the lower to the higher")
    if many == 4:
        require(numbers[0] <= numbers[2] and numbers[1] <= numbers[3], where, given, "must be x0, y0, x1, y1")
    return numbers


def _tuple(where: str, key: str, kind: str, given: Any) -> Any:
    """A list of numbers, or of such lists: `tuple[float, ...]` or `tuple[tuple[float, float], ...]`."""
    parts, many = _parts(kind)
    fine = isinstance(given, list) and len(given) == (many or max(len(given), 1))
    said = f"{many} entries" if many else "a list of at least one entry"
    require(fine, where, given, f"must be {said}")
    kinds = parts * len(given) if many is None else parts
    return tuple(_value(where, key, one, part) for one, part in zip(kinds, given, strict=True))


def _parts(kind: str) -> tuple[list[str], int | None]:
    """The kinds of a tuple's entries, and how many there are; none is any number of one kind."""
    parts, depth = [""], 0
    for letter in kind.removeprefix("tuple[").removesuffix("]"):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            parts.append("")
        elif letter != " ":
            parts[-1] += letter
    return (parts[:1], None) if parts[-1] == "..." else (parts, len(parts))


def _number(where: str, key: str, given: Any) -> float:
    real = isinstance(given, int | float) and not isinstance(given, bool)
    require(real, where, given, "must be a number")
    shown = given if abs(given) <= 1e15 else None  # nobody reads 400 digits
    require(abs(given) <= MOST, where, shown, f"must be a number of at most {MOST:g}")
    if key in POSITIVE:
        require(given > 0, where, given, "must be positive")
    if key in NOT_NEGATIVE:
        require(given >= 0, where, given, "must be zero or more")
    return float(given)
