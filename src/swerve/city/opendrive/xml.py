"""XML from strangers: no document types, no entities; attributes whose errors name their place."""

from __future__ import annotations

import gzip
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path
from xml.parsers import expat

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.files import existing

LARGEST = 256_000_000  # [bytes]
MOST = 8_000_000  # tags; each takes a hundred bytes, however short it is
FURTHEST = 1e8  # no place on Earth is further from its map's origin [m]


class Placed(ElementTree.Element):
    """An element that knows its line in the file."""

    line = 0


def read_xml(path: str | Path, what: str = "road file", lines: bool = False) -> ElementTree.Element:
    """The root element of a file, which may be packed (`.gz`); with `lines` of `Placed` elements.

    Document types and entities are refused before anything is expanded.
    """
    path = existing(path, what)
    if path.stat().st_size > LARGEST:
        raise BadInput(str(path), path.stat().st_size, f"must be at most {LARGEST} bytes")
    parser = expat.ParserCreate()

    def placed(tag: str, given: dict[str, str]) -> Placed:
        element = Placed(tag, given)
        element.line = parser.CurrentLineNumber
        return element

    builder = ElementTree.TreeBuilder(element_factory=placed if lines else None)

    def refuse(*_: object) -> int:
        where = f"{path}, line {parser.CurrentLineNumber}"
        raise BadInput(where, None, "document types and entities are refused")

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        held = _unpacked(path)
        if held.count(b"<") > MOST:
            raise BadInput(str(path), held.count(b"<"), f"must have at most {MOST} tags")
        parser.Parse(held, True)
        return builder.close()
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise BadInput(f"{path}, line {error.lineno}", None, f"is not whole XML ({reason})") from error
    except (OSError, EOFError, zlib.error, ValueError, LookupError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(str(path), None, f"cannot be read ({error})") from error


def _unpacked(path: Path) -> bytes:
    if path.suffix.lower() != ".gz":
        return path.read_bytes()
    with gzip.open(path) as stream:
        held = stream.read(LARGEST + 1)
    if len(held) > LARGEST:
        raise BadInput(str(path), None, f"must be at most {LARGEST} bytes when it is unpacked")
    return held


def text(element: ElementTree.Element, name: str, where: str, default: str | None = None) -> str:
    """An attribute; `where` names its place in errors."""
    value = element.get(name, default)
    if value is None:
        raise BadInput(f"{where}, {element.tag}", None, f"lacks the attribute {name!r}")
    return value.strip()


def number(
    element: ElementTree.Element,
    name: str,
    where: str,
    default: float | None = None,
    least: float = -np.inf,
) -> float:
    """An attribute that must be a finite number of at least `least`."""
    given = text(element, name, where, None if default is None else str(default))
    try:
        value = float(given)
    except ValueError as error:
        raise BadInput(f"{where}, {element.tag} {name}", given, "must be a number") from error
    if not np.isfinite(value):
        raise BadInput(f"{where}, {element.tag} {name}", given, "must be finite")
    if abs(value) > FURTHEST:
        raise BadInput(f"{where}, {element.tag} {name}", given, f"must be within ±{FURTHEST:g}")
    if value < least:
        raise BadInput(f"{where}, {element.tag} {name}", given, f"must be at least {least:g}")
    return value


def whole(element: ElementTree.Element, name: str, where: str) -> int:
    """An attribute that must be a whole number."""
    given = text(element, name, where)
    try:
        return int(given)
    except ValueError as error:
        raise BadInput(f"{where}, {element.tag} {name}", given, "must be a whole number") from error
