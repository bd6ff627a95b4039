"""Ready-made problems, by name. A layout seed gives another instance of the same kind."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from swerve.core.errors import BadInput

from ..problem import Problem

_BUILDERS: dict[str, tuple[str, dict[str, Any]]] = {
    "navigation": ("navigation", {}),
    "minigolf": ("minigolf", {}),
    "minigolf-one-bounce": ("minigolf", {"bounces": 1}),
    "minigolf-two-bounces": ("minigolf", {"bounces": 2}),
    "soccer": ("soccer", {}),
    "soccer-two-defenders": ("soccer", {"goalie": False}),
    "pool": ("pool", {}),
    "dice": ("dice", {}),
    "hallway": ("hallway", {}),
    "maze": ("hallway", {"maze": True}),
    "drum": ("drum", {}),
    "drum-3": ("drum", {"robots": 3}),
}
DOMAINS = tuple(_BUILDERS)


def load_domain(name: str, seed: int = 0, *, allow_import: bool = False) -> Problem:
    """The problem of that name with the layout of that seed, or the one in a YAML or TOML file.

    `dice-60` is `dice` with 60 of them. Skills of a file's own code (`module:Class`) run only if allowed.
    """
    if name.endswith((".yaml", ".yml", ".toml")):
        from .file import read_domain

        return read_domain(name, allow_import)
    family, _, count = name.partition("-")
    if family == "dice" and count.isdecimal():
        module, options = "dice", {"count": int(count)}
    elif name in _BUILDERS:
        module, options = _BUILDERS[name]
    else:
        raise BadInput("domain", name, f"must be one of {', '.join(DOMAINS)}, dice-N, or a file")
    problem: Problem = import_module(f"swerve.tactics.domains.{module}").build(seed, **options)
    return problem
