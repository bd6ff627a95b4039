"""Imports go down only: commands and studies → wings → core, and wings never import each other."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "swerve"
WINGS = {"race", "tactics", "terrain", "riders", "city"}
ABOVE = {"cli", "studio", "envs", "bench", "studies", "tour"}


def imported_rooms(path: Path) -> set[str]:
    """First part below `swerve` of everything a file imports."""
    package = ("swerve", *path.relative_to(SOURCE).parts[:-1])
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        rooms |= {name.split(".")[1] for name in names if name.startswith("swerve.")}
    return rooms


@pytest.mark.parametrize("path", sorted(SOURCE.glob("*/**/*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_down_only(path):
    home = path.relative_to(SOURCE).parts[0]
    forbidden = set()
    if home == "core":
        forbidden = WINGS | ABOVE
    elif home in WINGS:
        forbidden = (WINGS - {home}) | ABOVE
    assert not imported_rooms(path) & forbidden
