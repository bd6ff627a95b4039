"""Results as JSON and back, without a bit lost: numbers, text, tuples, arrays and dataclasses.

Nothing is unpickled, and nothing is imported because a file says so: a dataclass is read back only where the
program has it already.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from .errors import BadInput

_KIND = "~"  # a key that says what a mapping stands for


def to_text(value: object) -> str:
    """One line that `from_text` turns into the same value."""
    return json.dumps(_noted(value), separators=(",", ":"))


def from_text(text: str) -> Any:
    """The value again; `ValueError` for anything else.

    >>> from_text(to_text({"a": (1, 0.1, float("inf")), 2: np.arange(2)}))
    {'a': (1, 0.1, inf), 2: array([0, 1])}
    """
    try:
        return _read(json.loads(text))
    except (KeyError, TypeError, AttributeError, RecursionError, zlib.error) as error:
        raise ValueError(f"cannot be read ({error})") from error


def fingerprint(*values: object) -> str:
    """The same for equal values in every process: of functions the name, and of those that are not ours what
    their file holds; of files what they hold.

    >>> fingerprint(1, "a") == fingerprint(1, "a") != fingerprint(1.0, "a")
    True
    """
    return hashlib.sha256(json.dumps([_noted(v, naming=True) for v in values]).encode()).hexdigest()[:32]


def _noted(value: Any, naming: bool = False) -> Any:
    """The value in JSON's own types; `naming`: functions and files too, which cannot be read back."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, list):
        return [_noted(one, naming) for one in value]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {_KIND: "named", "type": _where(type(value)), "of": [_noted(one, naming) for one in value]}
    if isinstance(value, (tuple, range)):
        return {_KIND: "tuple", "of": [_noted(one, naming) for one in value]}
    if isinstance(value, (np.ndarray, np.generic)):
        return _array(np.asarray(value), isinstance(value, np.generic))
    if is_dataclass(value) and not isinstance(value, type):
        held = {field.name: _noted(getattr(value, field.name), naming) for field in fields(value)}
        return {_KIND: "data", "type": _where(type(value)), "of": held}
    if isinstance(value, Mapping):
        return {_KIND: "map", "of": [[_noted(k, naming), _noted(v, naming)] for k, v in value.items()]}
    if isinstance(value, str):  # a choice
        return str(value)
    if naming and isinstance(value, Path):
        held_bytes = hashlib.sha256(value.read_bytes()).hexdigest() if value.is_file() else None
        return {_KIND: "path", "of": [str(value), held_bytes]}
    if naming and isinstance(value, partial):
        parts = [value.func, value.args, value.keywords]
        return {_KIND: "call", "of": [_noted(part, naming) for part in parts]}
    if naming and callable(value):
        return {_KIND: "name", "of": _known(value)}
    raise TypeError(f"{type(value).__name__} has no form on disk")


def _where(kind: type) -> list[str]:
    return [kind.__module__, kind.__qualname__]


def _known(work: Any) -> list[str]:
    """Where a function stands, and what its file holds unless that is ours, whose version counts anyway.

    What stands in no module by a name of its own (a lambda, a function in a function, a method of an object)
    cannot be told from another of the same name.
    """
    module, name = str(getattr(work, "__module__", "")), str(getattr(work, "__qualname__", ""))
    try:
        found = attrgetter(name)(sys.modules[module])
    except (KeyError, AttributeError):
        found = None
    if found is not work:
        why = "is no function of a module, by whose name a ledger could know it"
        raise BadInput("work", name or type(work).__name__, why)
    if module.partition(".")[0] == __name__.partition(".")[0]:
        return [module, name]
    return [module, name, _held_by(getattr(sys.modules[module], "__file__", None))]


def _held_by(path: str | None) -> str:
    source = Path(path) if path else None
    return hashlib.sha256(source.read_bytes()).hexdigest() if source and source.is_file() else ""


def _array(value: np.ndarray, single: bool) -> dict[str, Any]:
    if value.dtype.hasobject:
        raise TypeError("an array of objects has no form on disk")
    held = base64.b64encode(zlib.compress(np.ascontiguousarray(value).tobytes(), 1)).decode()
    return {
        _KIND: "number" if single else "array",
        "dtype": value.dtype.str,
        "shape": value.shape,
        "of": held,
    }


def _read(noted: Any) -> Any:
    if isinstance(noted, list):
        return [_read(one) for one in noted]
    if not isinstance(noted, dict):
        return noted
    return _READERS[noted[_KIND]](noted)


def _read_array(noted: dict[str, Any]) -> np.ndarray:
    dtype = np.dtype(noted["dtype"])
    size = dtype.itemsize * int(np.prod([int(n) for n in noted["shape"]], dtype=object))
    unpack = zlib.decompressobj()
    held = unpack.decompress(base64.b64decode(noted["of"]), max(size, 1))
    if dtype.hasobject or len(held) != size or not unpack.eof:
        raise ValueError("an array does not hold what it says")
    return np.frombuffer(held, dtype).reshape(noted["shape"]).copy()


def _found(where: list[str]) -> Any:
    """A kind of result that the program has."""
    return attrgetter(where[1])(sys.modules[where[0]])


def _read_data(noted: dict[str, Any]) -> Any:
    found, name = _found(noted["type"]), noted["type"][1]
    if not (isinstance(found, type) and is_dataclass(found)):
        raise ValueError(f"{name} is no kind of result")
    held = {key: _read(value) for key, value in noted["of"].items()}
    if set(held) != {field.name for field in fields(found)}:
        raise ValueError(f"{name} has other fields")
    made = object.__new__(found)
    for key, value in held.items():
        object.__setattr__(made, key, value)
    return made


def _read_named(noted: dict[str, Any]) -> Any:
    found, held = _found(noted["type"]), tuple(_read(one) for one in noted["of"])
    named = isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields")
    if not named or len(found._fields) != len(held):
        raise ValueError(f"{noted['type'][1]} is no kind of result, or has other fields")
    return tuple.__new__(found, held)


_READERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "tuple": lambda noted: tuple(_read(one) for one in noted["of"]),
    "named": _read_named,
    "map": lambda noted: {_read(key): _read(value) for key, value in noted["of"]},
    "array": _read_array,
    "number": lambda noted: _read_array(noted)[()],
    "data": _read_data,
}
