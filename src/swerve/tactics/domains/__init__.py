"""Ready-made problems, by name. A layout seed gives another instance of the same kind."""

from __future__ import annotations

from importlib import import_module

from swerve.core.errors import BadInput

from ..problem import Problem

DOMAINS = ("navigation",)


def load_domain(name: str, seed: int = 0) -> Problem:
    """The problem of that name with the layout of that seed."""
    if name not in DOMAINS:
        raise BadInput("domain", name, f"must be one of {', '.join(DOMAINS)}, or a file")
    problem: Problem = import_module(f"swerve.tactics.domains.{name}").build(seed)
    return problem
