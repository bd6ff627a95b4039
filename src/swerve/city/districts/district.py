"""A district: one process that decides for and moves the vehicles of its part of the roads.

It steps its own vehicles together with copies of those near its border, by the very kernel that steps a whole
town. What comes out for the copies is thrown away: their owners know better.
"""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swerve.core.errors import SwerveError

from ..roads.lights import Lights
from ..traffic.crosswalks import over_crosswalks, seen_by_people
from ..traffic.desk import empty_desk
from ..traffic.fleet import Fleet, empty_fleet
from ..traffic.frame import advance
from ..traffic.net import Net
from ..traffic.order import empty_order
from .cut import Cut
from .exchange import ABSENT, GUEST, OUTSIDE, OWN, News, Report, part, records, strips_of


@dataclass(frozen=True)
class Terms:
    """What does not change: the roads, how they are cut, and the rules of the game."""

    number: int  # of this district
    vehicles: int  # of the whole town
    people: bool
    net: Net
    cut: Cut
    field: np.ndarray
    destination_roads: np.ndarray
    lights: Lights
    seed: int
    dt: float


class Kept(NamedTuple):
    """The vehicles that a district owns: rows of the fleet and their records."""

    numbers: np.ndarray
    rows: np.ndarray


class District:
    """Rows of `fleet` are those of the whole town's; who is neither here nor near is on no strip."""

    def __init__(self, terms: Terms):
        self.terms = terms
        walks = len(terms.cut.walk_owner)
        self.fleet: Fleet = empty_fleet(terms.vehicles)
        self._records = records(self.fleet)
        self.state = np.full(terms.vehicles, ABSENT, np.int8)
        self.walks = np.flatnonzero(terms.cut.walk_owner == terms.number)
        self.steps = 0
        near = (terms.cut.interest >> terms.number) & 1 == 1
        self._seen = np.unique(terms.net.strips["light"][:-1][near])
        self._seen = self._seen[self._seen >= 0]
        self._lights = terms.lights.some(self._seen)
        self.everyone = (1 << terms.cut.count) - 1 | int(OUTSIDE)
        self._order = empty_order(terms.vehicles, len(terms.net.strips) - 1)
        self._desk = empty_desk(terms.net, terms.vehicles, walks)
        nobody = empty_fleet(0)  # kernels are compiled, or read, before the first frame
        self._advance(nobody, np.zeros(0, np.int64), np.zeros(walks, bool), 0.0)
        self._part(nobody, np.zeros(0, np.int64))
        over_crosswalks(terms.net, nobody, np.zeros(0, np.int64))

    def step(self, news: News) -> Report:
        """A frame of all vehicles here."""
        began = clock.process_time()
        fleet, terms = self.fleet, self.terms
        self._records[news.numbers] = news.rows
        mine = terms.cut.owner[strips_of(news.rows)] == terms.number
        self.state[news.numbers] = np.where(mine, OWN, GUEST)
        there = np.flatnonzero(self.state)
        self._advance(fleet, there, news.busy, round(self.steps * terms.dt, 9))
        self.steps += 1
        standing = over_crosswalks(terms.net, fleet, there) if terms.people else np.zeros(0, np.int64)
        standing = standing[self.state[standing] == OWN]
        cars = seen_by_people(fleet, standing)
        numbers, bits = self._part(fleet, there)
        rows = self._records[numbers]
        fleet.strip[numbers[self.state[numbers] == ABSENT]] = -1
        claims, due = self._desk.claims[self.walks], self._desk.due[self.walks]
        spent = clock.process_time() - began
        return Report(numbers, bits, rows, claims, due, standing, cars, spent)

    def keep(self) -> Kept:
        numbers = np.flatnonzero(self.state == OWN)
        return Kept(numbers, self._records[numbers])

    def _advance(self, fleet: Fleet, there: np.ndarray, busy: np.ndarray, now: float) -> None:
        terms = self.terms
        advance(
            terms.net, fleet, len(fleet), there, self._order, self._desk, terms.field,
            terms.destination_roads, *self._shown(now), busy, now, self.steps, terms.seed, terms.dt,
        )  # fmt: skip

    def _shown(self, now: float) -> tuple[np.ndarray, np.ndarray]:
        """States of all lights, and how long until they change; true of those that are seen from here."""
        state, until = np.zeros(len(self.terms.lights), np.int8), np.zeros(len(self.terms.lights))
        state[self._seen], until[self._seen] = self._lights.state(now), self._lights.until_change(now)
        return state, until

    def _part(self, fleet: Fleet, there: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cut = self.terms.cut
        return part(fleet, there, self.state, cut.owner, cut.interest, self.terms.number, self.everyone)


_here: District | None = None  # the one of this process


def wake(_: object) -> None:
    """Nothing: whoever is asked has loaded all this by then."""


def settle(terms: Terms) -> None:
    global _here
    _here = District(terms)


def step(news: News) -> Report:
    return _district().step(news)


def keep(_: object) -> Kept:
    return _district().keep()


def _district() -> District:
    if _here is None:
        raise SwerveError("a district was lost, and what happened in it")
    return _here
