"""A scenario file as a tree: parameters put in, catalogue entries in place, every node with its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from swerve.core.errors import BadInput, require

from ..opendrive.xml import Placed, read_xml
from .parameters import value_of

DEEPEST = 60  # levels of a tree, catalogue entries included


@dataclass
class Node:
    """An element; `where` names its file and line in errors and lists."""

    tag: str
    where: str
    given: dict[str, str]
    children: list[Node] = field(default_factory=list)

    def find(self, path: str) -> Node | None:
        """The first node down a path such as `Shape/Polyline`."""
        head, _, rest = path.partition("/")
        for child in self.children:
            if child.tag == head:
                found = child.find(rest) if rest else child
                if found is not None:
                    return found
        return None

    def need(self, path: str) -> Node:
        found = self.find(path)
        if found is None:
            self.know_catalogs()
            raise BadInput(f"{self.where}, {self.tag}", None, f"lacks {path}")
        return found

    def know_catalogs(self) -> None:
        """Refuse a reference to a catalogue that was not found."""
        for one in self.all("CatalogReference"):
            catalog = one.given["catalogName"]
            raise BadInput(f"{one.where}, catalogName", catalog, "is in none of the CatalogLocations")

    def all(self, tag: str) -> list[Node]:
        return [child for child in self.children if child.tag == tag]

    def first(self) -> Node:
        """The one element inside."""
        if not self.children:
            raise BadInput(f"{self.where}, {self.tag}", None, "is empty")
        return self.children[0]

    def text(self, name: str, default: str | None = None) -> str:
        value = self.given.get(name, default)
        if value is None:
            raise BadInput(f"{self.where}, {self.tag}", None, f"lacks the attribute {name!r}")
        return value

    def number(self, name: str, default: float | None = None, least: float = -np.inf) -> float:
        given = self.text(name, None if default is None else str(default))
        try:
            value = float(given)
        except ValueError as error:
            raise BadInput(f"{self.where}, {self.tag} {name}", given, "must be a number") from error
        finite = np.isfinite(value) or given == str(default)
        if not finite or value < least:
            raise BadInput(
                f"{self.where}, {self.tag} {name}", given, f"must be finite and at least {least:g}"
            )
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        return self.text(name, "true" if default else "false").lower() in ("true", "1", "1.0")

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()


class Files:
    """Reads a scenario and the catalogues that it names."""

    def __init__(self, path: Path):
        self.path = path
        self._catalogs: dict[str, tuple[Path, Element]] = {}

    def read(self) -> tuple[Node, dict[str, str]]:
        """The whole file, and the values of its parameters."""
        root = read_xml(self.path, "scenario file", lines=True)
        require(root.tag == "OpenSCENARIO", f"{self.path}, root element", root.tag, "must be OpenSCENARIO")
        if root.find("Storyboard") is None:
            raise BadInput(str(self.path), None, "has no Storyboard: it is a catalogue or a list of values")
        known = self._declared(root, {}, self.path, {})
        for place in root.iterfind("CatalogLocations/*/Directory"):
            where = _where(self.path, place)
            folder = self.path.parent / value_of(place.get("path", ""), known, where)
            if folder.is_dir():
                self._open(folder)
        return self._node(root, known, self.path, 0, declared=True), known

    def _open(self, folder: Path) -> None:
        """Catalogues go by their names, or, where nothing is called so, by those of their files."""
        by_file = {}
        for path in sorted(folder.glob("*.xosc")):
            catalog = read_xml(path, "catalogue", lines=True).find("Catalog")
            if catalog is not None:
                self._catalogs.setdefault(catalog.get("name", ""), (path, catalog))
                by_file[path.stem] = path, catalog
        self._catalogs = by_file | self._catalogs

    def _declared(
        self, element: Element, known: dict[str, str], file: Path, given: dict[str, str]
    ) -> dict[str, str]:
        """Parameters in force inside an element; `given` are values from outside."""
        inner = dict(known)
        for tag in ("ParameterDeclarations/ParameterDeclaration", "VariableDeclarations/VariableDeclaration"):
            for one in element.iterfind(tag):
                name = one.get("name", "").lstrip("$")
                inner[name] = given.get(name, value_of(one.get("value", ""), inner, _where(file, one)))
        return inner

    def _node(
        self, element: Element, known: dict[str, str], file: Path, depth: int, declared: bool = False
    ) -> Node:
        where = _where(file, element)
        if depth > DEEPEST:
            raise BadInput(where, element.tag, f"is more than {DEEPEST} levels deep")
        if element.tag == "CatalogReference":
            return self._entry(element, known, file, depth)
        known = known if declared else self._declared(element, known, file, {})
        given = {name: value_of(text, known, where) for name, text in element.attrib.items()}
        skipped = ("ParameterDeclarations", "VariableDeclarations", "CatalogLocations")
        children = [self._node(c, known, file, depth + 1) for c in element if c.tag not in skipped]
        return Node(element.tag, where, given, children)

    def _entry(self, element: Element, known: dict[str, str], file: Path, depth: int) -> Node:
        """What a reference to a catalogue stands for."""
        where = _where(file, element)
        catalog, name = (value_of(element.get(key, ""), known, where) for key in ("catalogName", "entryName"))
        if catalog not in self._catalogs:  # an error for whoever needs it
            return Node(element.tag, where, {"catalogName": catalog, "entryName": name})
        path, entries = self._catalogs[catalog]
        entry = next((one for one in entries if one.get("name") == name), None)
        if entry is None:
            raise BadInput(f"{where}, entryName", name, f"is not in {path}")
        given = {
            one.get("parameterRef", "").lstrip("$"): value_of(one.get("value", ""), known, where)
            for one in element.iterfind("ParameterAssignments/ParameterAssignment")
        }
        return self._node(entry, self._declared(entry, known, path, given), path, depth + 1, declared=True)


def _where(file: Path, element: Element) -> str:
    line = element.line if isinstance(element, Placed) else 0
    return f"{file}, line {line}"
