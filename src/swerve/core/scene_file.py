"""Scene and configuration files, YAML or TOML: read, held against a model, refused in one line.

A line names the file, the field and the value: `domain a.yaml, goal.body: field required`. Nothing in such a
file is executed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, ValidationError

from .errors import BadInput, require
from .files import existing, file_name
from .untrusted import LONGEST, parse_yaml

FileName = Annotated[str, AfterValidator(file_name)]  # a name by which files will be called
Model = TypeVar("Model", bound=BaseModel)
SUFFIXES = (".yaml", ".yml", ".toml")
PLAINLY = {"tuple_type": "must be a list", "list_type": "must be a list", "dict_type": "must be a mapping"}
MOST_SHOWN = 8  # a list with more entries is not repeated in an error


def load(path: str | Path, what: str, model: type[Model]) -> Model:
    """The file at `path` as a `model`; `what` (scene, rider …) is its name in errors."""
    return check(read_mapping(path, what), f"{what} {path}", model)


def read_mapping(path: str | Path, what: str) -> dict[str, Any]:
    """What a file says, unchecked: TOML by its suffix, YAML otherwise."""
    path = existing(path, what)
    try:
        require(path.stat().st_size <= LONGEST, f"{what} {path}", path.stat().st_size, "is too long; bytes")
        text = path.read_text(encoding="utf-8")
        given = tomllib.loads(text) if path.suffix.lower() == ".toml" else parse_yaml(text)
    except BadInput:
        raise
    except (yaml.YAMLError, ValueError, RecursionError, OSError) as error:
        raise BadInput(f"{what} {path}", None, f"cannot be read ({error})") from error
    require(isinstance(given, dict), f"{what} {path}", type(given).__name__, "must be a mapping of fields")
    return dict(given)


def check(given: object, where: str, model: type[Model]) -> Model:
    """Plain values as a `model`; the first that does not fit is an error that begins with `where`."""
    try:
        made = model.model_validate(given)
        for path in _truths_for_numbers(given, made):
            raise BadInput(f"{where}, {'.'.join(path)}", None, "must be a number, not true or false")
        return made
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        message = PLAINLY.get(first["type"], first["msg"].removeprefix("Value error, "))
        raise BadInput(
            f"{where}, {field}" if field else where,
            _shown(first.get("input")),
            message[:1].lower() + message[1:],
        ) from error


def _truths_for_numbers(given: Any, made: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where `true` and `false` were taken for 1 and 0; fields that a model makes itself are passed by."""
    if isinstance(given, bool) and isinstance(made, (int, float)) and not isinstance(made, bool):
        yield at
    elif isinstance(given, dict):
        for key, value in given.items():
            inner = made.get(key) if isinstance(made, dict) else getattr(made, str(key), None)
            yield from _truths_for_numbers(value, inner, (*at, str(key)))
    elif isinstance(given, list) and isinstance(made, (list, tuple)) and len(given) == len(made):
        for number, (value, inner) in enumerate(zip(given, made, strict=True)):
            yield from _truths_for_numbers(value, inner, (*at, str(number)))


def _shown(value: Any) -> Any:
    """A value as an error repeats it: mappings and long lists are too much for one line."""
    too_much = isinstance(value, dict) or (isinstance(value, (list, tuple)) and len(value) > MOST_SHOWN)
    return None if too_much else value
