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

BEYOND = np.iinfo(np.int64).max  # the number of nobody, behind all others


@dataclass(frozen=True)
class Terms:
    """What does not change: the roads, how they are cut, and the rules of the game."""

    number: int  # of this district
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
    """Rows of `fleet` are the vehicles here and near, by their `numbers` in the whole town, ascending.

    `state` tells which are its own, which are copies, and which have gone.
    """

    def __init__(self, terms: Terms):
        self.terms = terms
        self._make_room(0)
        self.walks = np.flatnonzero(terms.cut.walk_owner == terms.number)
        self.steps = 0
        near = (terms.cut.interest >> terms.number) & 1 == 1
        self._seen = np.unique(terms.net.strips["light"][:-1][near])
        self._seen = self._seen[self._seen >= 0]
        self._lights = terms.lights.some(self._seen)
        self.everyone = (1 << terms.cut.count) - 1 | int(OUTSIDE)
        nobody = np.zeros(0, np.int64)  # kernels are compiled, or read, before the first frame
        self._advance(nobody, np.zeros(len(terms.cut.walk_owner), bool), 0.0)
        self._part(nobody)
        over_crosswalks(terms.net, self.fleet, nobody)

    def step(self, news: News) -> Report:
        """A frame of all vehicles here."""
        began = clock.process_time()
        terms = self.terms
        self._take_in(news.numbers, news.rows)
        there = np.flatnonzero(self.state)
        self._advance(there, news.busy, round(self.steps * terms.dt, 9))
        self.steps += 1
        standing = over_crosswalks(terms.net, self.fleet, there) if terms.people else there[:0]
        standing = standing[self.state[standing] == OWN]
        cars = seen_by_people(self.fleet, standing)
        told, bits = self._part(there)
        claims, due = self._desk.claims[self.walks], self._desk.due[self.walks]
        who = self.numbers[told], bits, self._records[told]
        spent = clock.process_time() - began
        return Report(*who, claims, due, self.numbers[standing], cars, spent)

    def keep(self) -> Kept:
        own = np.flatnonzero(self.state == OWN)
        return Kept(self.numbers[own], self._records[own])

    def _take_in(self, numbers: np.ndarray, rows: np.ndarray) -> None:
        """Those who came, or are near; most had their places here in the last frame, too."""
        mine = self.terms.cut.owner[strips_of(rows)] == self.terms.number
        state = np.where(mine, OWN, GUEST)
        at = np.searchsorted(self.numbers, numbers)
        if (self.numbers[np.minimum(at, len(self.numbers) - 1)] == numbers).all():
            self._records[at], self.state[at] = rows, state
            return
        kept = np.flatnonzero(self.state)
        order = np.argsort(np.concatenate([self.numbers[kept], numbers]), kind="stable")
        numbers = np.concatenate([self.numbers[kept], numbers])[order]
        rows = np.concatenate([self._records[kept], rows])[order]
        state = np.concatenate([self.state[kept], state])[order]
        if len(order) >= len(self.fleet):
            self._make_room(len(order))
        self._records[: len(order)] = rows
        self.numbers[:] = BEYOND
        self.numbers[: len(order)] = numbers
        self.state[:] = ABSENT
        self.state[: len(order)] = state

    def _make_room(self, count: int) -> None:
        """New arrays for so many vehicles and some more."""
        size, terms = count + count // 8 + 16, self.terms
        self.fleet: Fleet = empty_fleet(size)
        self._records = records(self.fleet)
        self.numbers = np.full(size, BEYOND)
        self.state = np.full(size, ABSENT, np.int8)
        self._order = empty_order(size, len(terms.net.strips) - 1)
        self._desk = empty_desk(terms.net, size, len(terms.cut.walk_owner))

    def _advance(self, there: np.ndarray, busy: np.ndarray, now: float) -> None:
        terms = self.terms
        advance(
            terms.net, self.fleet, len(self.fleet), there, self._order, self._desk, terms.field,
            terms.destination_roads, *self._shown(now), busy, now, self.steps, terms.seed, terms.dt,
        )  # fmt: skip

    def _shown(self, now: float) -> tuple[np.ndarray, np.ndarray]:
        """States of all lights, and how long until they change; true of those that are seen from here."""
        state, until = np.zeros(len(self.terms.lights), np.int8), np.zeros(len(self.terms.lights))
        state[self._seen], until[self._seen] = self._lights.state(now), self._lights.until_change(now)
        return state, until

    def _part(self, there: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cut = self.terms.cut
        return part(self.fleet, there, self.state, cut.owner, cut.interest, self.terms.number, self.everyone)


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
