"""A town whose roads are cut into districts, each in a process of its own: the same bytes as in one.

    with Districts(Simulation(town, vehicles=20_000, options=plain), 4) as districts:
        for _ in range(600):
            districts.step()
        districts.gather()

A frame: people decide and take crosswalks → every district steps its vehicles with copies of those near its
border, while people walk → who is near a border or went over it is told to whom it concerns → doors. People
and doors of the whole town are looked after here.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from swerve.core.errors import SwerveError, require
from swerve.core.workers import Workers

from ..simulate import Simulation
from ..traffic.crosswalks import cars_in_the_way
from ..traffic.frame import present
from . import district
from .cut import Cut, cut
from .digest import digest
from .district import Kept, Terms
from .exchange import OUTSIDE, OWN, News, Report, part, records, strips_of


class Hosts(Protocol):
    """Where districts live: the k-th item always goes to the same one."""

    def tell(self, work: Callable[[Any], Any], items: Sequence[Any]) -> None: ...

    def hear(self) -> list[Any]: ...

    def close(self) -> None: ...


class Districts:
    """A simulation that has not begun yet, run by `count` districts on `hosts`, by default processes here.

    There is no referee and no recorder: the simulation must have been made without them, and without a
    demand. After `gather` its vehicles are where the districts have left them.
    """

    def __init__(self, simulation: Simulation, count: int, hosts: Hosts | None = None):
        world, traffic = simulation.world, simulation.traffic
        for name, there in (
            ("referee", world.referee is not None),
            ("record", world.recorder is not None),
            ("demand", traffic.trips is not None),
            ("behaviours", bool(traffic.behaviours)),
            ("refiners", bool(traffic.paths.refiners)),
            ("least_green", traffic.actuation is not None),
            ("parking", simulation.options.parking > 0),
            ("frames", world.frames > 0),
        ):
            require(not there, name, True, "there must be none when a town is cut into districts")
        self.simulation, self.hosts = simulation, hosts or Workers(count)
        self._records = records(traffic.fleet)
        self._version = simulation.characters.version
        self.frames = 0
        self.exchanged = 0  # copies of vehicles handed from district to district
        self.crossed = 0  # vehicles that went from one to another
        self.step_seconds: list[float] = []  # of every step, by the clock on the wall
        self.busiest_seconds: list[float] = []  # CPU time of the district that took longest
        self.cpu_seconds = 0.0  # of all districts, and here
        try:
            self.cut: Cut = self._make_cut(count)
            district.District(self._terms(0))  # what is compiled here need not be compiled there
            self._prepare()
            self.hosts.tell(district.settle, [self._terms(k) for k in range(count)])
            self.hosts.hear()
        except BaseException:
            self.hosts.close()
            raise

    @property
    def time(self) -> float:
        return round(self.frames * self.simulation.dt, 9)

    def step(self) -> None:
        """One frame."""
        same = self.simulation.characters.version == self._version
        require(same, "characters", "changed", "must stay as they are while a town runs in districts")
        began, spent = clock.perf_counter(), clock.process_time()
        people, dt, walks = self.simulation.people, self.simulation.dt, self.simulation.traffic.crosswalks
        if people is not None:
            people.ask(dt, self.time)
        busy = walks.taken > 0
        self.hosts.tell(district.step, [News(*some, busy) for some in self._news])
        if people is not None:
            people.go(dt)
        reports: list[Report] = self.hosts.hear()
        self._hear(reports)
        self.frames += 1
        self.step_seconds.append(clock.perf_counter() - began)
        busy_for = [report.seconds for report in reports]
        self.busiest_seconds.append(max(busy_for))
        self.cpu_seconds += sum(busy_for) + clock.process_time() - spent

    def gather(self) -> None:
        """Fetch all vehicles from the districts into the simulation; one may go on afterwards."""
        traffic = self.simulation.traffic
        self._send_home()
        self.hosts.tell(district.keep, [None] * self.cut.count)
        held = np.zeros(len(traffic), np.int64)
        kept: list[Kept] = self.hosts.hear()
        coming: list[np.ndarray] = []
        for number, one in enumerate(kept):
            self._records[one.numbers] = one.rows
            held[one.numbers] += 1
            numbers, rows = self._news[number]
            mine = self.cut.owner[strips_of(rows)] == number
            self._records[numbers[mine]] = rows[mine]
            coming.append(numbers[mine])
        held[np.concatenate(coming)] += 1
        held[list(traffic.doors.outside)] += 1
        if (held != 1).any():
            raise SwerveError(f"vehicle {int(np.flatnonzero(held != 1)[0])} is not in exactly one district")
        self._guests = np.flatnonzero(traffic.fleet.strip >= 0)
        traffic.time, traffic.steps = self.time, self.frames
        traffic.arrivals = int(traffic.fleet.arrivals.sum())
        self.simulation.world.frames = self.frames
        self.simulation.world.refresh()

    def figures(self) -> dict[str, Any]:
        """What `swerve city --districts` says of a run, after `gather`; paces by the clock on the wall."""
        simulation, steps = self.simulation, self.frames
        spent, doors = np.array(self.step_seconds), simulation.traffic.doors
        total = float(spent.sum())
        return {
            "agents": simulation.agents,
            "vehicles": len(simulation.traffic),
            "steps": steps,
            "seconds": self.time,
            "districts": self.cut.count,
            "border_exchanges": self.exchanged,
            "border_crossings": self.crossed,
            "digest": digest(simulation),
            "updates_per_cpu_second": simulation.agents * steps / self.cpu_seconds if steps else None,
            "realtime_factor": self.time / total if total else None,
            "step_ms_p99": 1e3 * float(np.percentile(spent, 99)) if steps else None,
            "busiest_district_ms": 1e3 * float(np.mean(self.busiest_seconds)) if steps else None,
            "arrivals": simulation.traffic.arrivals,
            "spawned": len(simulation.traffic) + doors.entered,
            "arrived": doors.left,
            "vanished": doors.vanished,
            "waiting": simulation.traffic.waiting,
            "lanes_unused": simulation.town.lanes_unused,
            "unsupported": list(simulation.town.notes),
        }

    def close(self) -> None:
        self.hosts.close()

    def __enter__(self) -> Districts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- details

    def _make_cut(self, count: int) -> Cut:
        """The districts; who is where cars come in must be known here, too."""
        traffic = self.simulation.traffic
        made = cut(self.simulation.town.roads, count)
        if traffic.net.strips["open"].any():
            made.interest[traffic.doors.ways_in] |= OUTSIDE
        return made

    def _terms(self, number: int) -> Terms:
        traffic, people = self.simulation.traffic, self.simulation.people
        return Terms(
            number, people is not None, traffic.net, self.cut, traffic.paths.field,
            traffic.paths.destinations, self.simulation.town.roads.lights, traffic.seed, self.simulation.dt,
        )  # fmt: skip

    def _prepare(self) -> None:
        """Whom every district has to be told about before the first frame; and what people see."""
        traffic, walks = self.simulation.traffic, self.simulation.traffic.crosswalks
        state = np.full(len(traffic), OWN, np.int8)
        everyone = (1 << self.cut.count) - 1
        there = present(traffic.fleet)
        numbers, bits = part(traffic.fleet, there, state, self.cut.owner, self.cut.interest, -1, everyone)
        self._sort(numbers, bits, self._records[numbers])
        if self.simulation.people is not None:
            walks.in_the_way = cars_in_the_way(traffic.net, traffic.fleet)
            self._note_sirens()
        traffic.fleet.strip[:] = -1
        self._guests = np.zeros(0, np.int64)

    def _hear(self, reports: list[Report]) -> None:
        """Take in what the districts say, and sort out who has to know."""
        walks = self.simulation.traffic.crosswalks
        for number, report in enumerate(reports):
            mine = self.cut.walk_owner == number
            walks.claims[mine], walks.due[mine] = report.claims, report.due
        numbers, bits, rows = (np.concatenate([report[k] for report in reports]) for k in range(3))
        here = (bits & OUTSIDE) != 0
        sender = np.repeat(np.arange(len(reports)), [len(report.numbers) for report in reports])
        strip = strips_of(rows)
        there = strip >= 0
        self.crossed += int((self.cut.owner[strip[there]] != sender[there]).sum())
        known = _bit_count(bits & ~OUTSIDE)
        self.exchanged += int(known.sum())
        self._receive(numbers[here], rows[here])
        order = np.argsort(np.concatenate([report.in_the_way for report in reports]))
        walks.in_the_way = np.concatenate([report.cars for report in reports])[order]
        if self.simulation.people is not None:
            self._note_sirens()
        fresh = self._open_doors()
        if len(fresh):
            numbers = np.append(numbers, fresh)
            bits = np.append(bits, self.cut.interest[self.simulation.traffic.fleet.strip[fresh]])
            rows = np.concatenate([rows, self._records[fresh]])
        self._sort(numbers, bits, rows)

    def _receive(self, numbers: np.ndarray, rows: np.ndarray) -> None:
        """Vehicles that are known here for a frame: sirens, those at entrances, and those that have left."""
        self._send_home()
        self._records[numbers] = rows
        self._guests = numbers[strips_of(rows) >= 0]

    def _send_home(self) -> None:
        self.simulation.traffic.fleet.strip[self._guests] = -1
        self._guests = self._guests[:0]

    def _open_doors(self) -> np.ndarray:
        """Rows of vehicles that came in just now, as `Traffic.advance` lets them."""
        traffic, dt = self.simulation.traffic, self.simulation.dt
        if not (traffic.net.strips["open"].any() or traffic.doors.outside):
            return np.zeros(0, np.int64)
        time = round(self.time + dt, 9)
        traffic.doors.note(traffic.net, traffic.fleet, time, len(traffic))
        before = set(traffic.doors.outside)
        traffic.doors.let_in(traffic.net, traffic.fleet, traffic.drives, traffic.paths.field, time, dt)
        fresh = np.array(sorted(before - set(traffic.doors.outside)), np.int64)
        self._guests = np.append(self._guests, fresh)
        return fresh

    def _note_sirens(self) -> None:
        fleet = self.simulation.traffic.fleet
        rows = np.flatnonzero(fleet.emergency & (fleet.strip >= 0))
        self.simulation.traffic.crosswalks.sirens = np.stack(
            [fleet.x[rows], fleet.y[rows], fleet.heading[rows]], -1
        )

    def _sort(self, numbers: np.ndarray, bits: np.ndarray, rows: np.ndarray) -> None:
        self._news = []
        for number in range(self.cut.count):
            told = (bits >> number) & 1 == 1
            self._news.append((numbers[told], rows[told]))


def _bit_count(bits: np.ndarray) -> np.ndarray:
    """How many bits of each are set."""
    return np.unpackbits(np.ascontiguousarray(bits).view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1)
