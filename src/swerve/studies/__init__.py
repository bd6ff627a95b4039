"""Every table and figure of the seeds as a runnable experiment.

A study is a function `run(out, seed, trials) -> Report`. `STUDIES` says where each is, without importing it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from swerve.core.errors import BadInput

from .report import Conclusion, Report

__all__ = ["STUDIES", "Conclusion", "Report", "StudyEntry", "study"]


@dataclass(frozen=True)
class StudyEntry:
    """Where a study is and what it shows, in a line."""

    module: str
    function: str
    summary: str


STUDIES: dict[str, StudyEntry] = {
    "shiller-A": StudyEntry(
        "shiller", "shortest", "terrain: the shortest path over a mountain cannot be driven"
    ),
    "shiller-B": StudyEntry("shiller", "fastest", "terrain: distinct fastest paths round a mountain"),
    "shiller-C": StudyEntry("shiller", "obstacles", "terrain: the same with obstacles across those paths"),
}


def study(name: str) -> Callable[[Path, int, int | None], Report]:
    """The study of that name."""
    if name not in STUDIES:
        raise BadInput("study", name, f"must be one of {', '.join(STUDIES) or 'none yet'}")
    entry = STUDIES[name]
    found: Callable[[Path, int, int | None], Report] = getattr(
        import_module(f"swerve.studies.{entry.module}"), entry.function
    )
    return found
