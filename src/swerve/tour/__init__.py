"""The tour: one world in which all wings meet and one scene of every wing, with pictures and figures on one
page.

Each stop has a module here with `visit(out, seed) -> Stop`. `STOPS` is the order of the page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

STOPS: tuple[str, ...] = ("world", "race", "tactics", "terrain", "riders", "city", "soccer")


@dataclass(frozen=True)
class Figure:
    """One line of the table of a stop: what was measured here, what the seed had, how to see it again."""

    what: str
    here: str
    seed: str
    command: str


@dataclass(frozen=True)
class Stop:
    """What a wing shows on the page: its first player and its first picture at once, the others behind a
    fold. Paths are relative to the page."""

    wing: str
    title: str
    text: str
    command: str
    pictures: list[tuple[Path, str]]
    figures: list[Figure]
    players: list[tuple[Path, str]] = field(default_factory=list)  # standalone animation pages
