"""The house stands: imports go down only, wings never import each other, and nothing imports in a circle.

Deferred imports and modules named in strings (`"swerve.race.trees:build"`) count like any other.
"""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "swerve"
WINGS = {"race", "tactics", "terrain", "riders", "city", "soccer"}
ABOVE = {"cli", "studio", "envs", "bench", "studies", "tour"}
FORBIDDEN = {
    "core": WINGS | ABOVE | {"scenes", "gpu"},
    **{wing: (WINGS - {wing}) | ABOVE | {"scenes", "gpu"} for wing in WINGS},
    "scenes": ABOVE | {"gpu"},
    "gpu": ABOVE | {"scenes"},
}
FORBIDDEN["soccer"] -= {"tactics"}  # stands on its closed loop


def imported_names(path: Path) -> set[str]:
    """Dotted names of everything below `swerve` that a file imports, with and without the last part."""
    package = ("swerve", *path.relative_to(SOURCE).parts[:-1])
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value.split(":")[0])
    return {name for name in names if name.startswith("swerve.")}


def import_graph() -> dict[str, set[str]]:
    """Which module imports which; faces (`__init__`), which only hand names on, are left out."""
    paths = {
        ".".join(("swerve", *path.relative_to(SOURCE).with_suffix("").parts)): path
        for path in SOURCE.rglob("*.py")
        if path.name != "__init__.py"
    }
    return {name: (imported_names(path) & set(paths)) - {name} for name, path in paths.items()}


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """Everything that `start` imports, directly or through others."""
    found: set[str] = set()
    todo = list(graph[start])
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += graph[name]
    return found


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """Modules that import each other in a loop, each loop with all that hangs in it."""
    below = {name: reachable(graph, name) for name in graph}
    return {
        frozenset(other for other in below[name] if name in below[other])
        for name in graph
        if name in below[name]
    }


@pytest.mark.parametrize("path", sorted(SOURCE.glob("*/**/*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_down_only(path):
    home = path.relative_to(SOURCE).parts[0]
    rooms = {name.split(".")[1] for name in imported_names(path)}
    assert not rooms & FORBIDDEN.get(home, set())


def test_every_room_has_its_floor():
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert rooms <= {"core", "scenes", "gpu"} | WINGS | ABOVE


def test_nothing_imports_in_a_circle():
    assert not sorted(", ".join(sorted(circle)) for circle in circles(import_graph()))


def test_a_circle_would_be_noticed():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}
    assert circles(graph) == {frozenset({"b", "c"})}


def test_deferred_imports_are_seen():
    seen = imported_names(SOURCE / "cli" / "race.py")
    assert "swerve.core.show.picture" in seen  # imported inside a function


def test_kernels_have_plain_defaults():
    """Numba knows any other default by the object that it is, and compiles anew at every start."""
    kinds, odd = {"kernel", "bare", "inlined", "inner"}, []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and kinds & {
                ast.unparse(one) for one in node.decorator_list
            }:
                plain = all(isinstance(default, ast.Constant) for default in node.args.defaults)
                odd += [] if plain else [f"{path.name}: {node.name}"]
    assert odd == []
