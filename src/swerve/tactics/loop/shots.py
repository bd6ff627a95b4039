"""How well plans work before and after fitting: shots on courses that were not fitted on (Zickler 2010, table
8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from swerve.core.sweep import sweep

from ..domains.minigolf import Course, lay
from .golf import shot
from .play import PlayOptions, wilson
from .safest import Scatter

FIRST_COURSE = 500  # layouts from here on are for this


@dataclass(frozen=True)
class Shots:
    """Holes in one, by course, of so many `shots` on each; `planned` are those for which there was a plan."""

    holed: tuple[int, ...]
    planned: tuple[int, ...]
    shots: int

    @property
    def rate(self) -> float:
        return sum(self.holed) / (len(self.holed) * self.shots)

    @property
    def planned_rate(self) -> float:
        return sum(self.planned) / (len(self.holed) * self.shots)

    @property
    def interval_95(self) -> tuple[float, float]:
        return wilson(sum(self.holed), len(self.holed) * self.shots)


def new_courses(count: int, seed: int = 0) -> list[Course]:
    """Courses, four of five with one bounce and one with two, as in the original."""
    return [lay(FIRST_COURSE + 100 * seed + k, 2 if k % 5 == 4 else 1) for k in range(count)]


def compare(
    before: Mapping[str, float],
    after: Mapping[str, float],
    courses: int,
    shots: int,
    seed: int = 0,
    workers: int | None = None,
    scatter: Scatter | None = None,
) -> tuple[Shots, Shots]:
    """The same shots with the model as it was and with the fitted one, whose strikes `scatter` so."""
    found = []
    for options in (
        PlayOptions(parameters=dict(before)),
        PlayOptions(parameters=dict(after), scatter=scatter),
    ):
        items = [(k, 1000 * seed + 37 * k + s) for k in range(courses) for s in range(shots)]
        work = partial(_shot, options, new_courses(courses, seed))
        done = sweep(work, items, "putting", workers)
        each = [done[k * shots : (k + 1) * shots] for k in range(courses)]
        holed, planned = (tuple(sum(putt[i] for putt in mine) for mine in each) for i in range(2))
        found.append(Shots(holed, planned, shots))
    return found[0], found[1]


def _shot(options: PlayOptions, courses: list[Course], item: tuple[int, int]) -> tuple[bool, bool]:
    """Whether it was holed, and whether there was a plan."""
    course, seed = item
    played = shot(courses[course], options, seed)
    return bool(played.success), any(row is not None for row in played.log.planned)
