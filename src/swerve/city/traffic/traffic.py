"""Traffic: every vehicle of a town, decided and moved as one batch.

    traffic = Traffic(town, characters, seed=1)
    world.add(traffic)

or, with nobody else about, `traffic.advance(0.1)`. The order of a step can be read off `frame.advance`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.attitude import quaternion
from swerve.core.attitude import turned as turned_by
from swerve.core.bodies import Bodies
from swerve.core.contact import Touch
from swerve.core.errors import require
from swerve.core.motion import Motion
from swerve.core.seeding import generator
from swerve.core.view import View

from ..characters.behaviour import Behaviour
from ..characters.characters import Characters
from ..characters.kinds import WHEELED
from ..roads.lamps import Lamps
from ..towns.town import Town
from .actuation import Actuation
from .attributes import LIMITED, copy_attributes, kinds_told
from .behaviours import Drivers, wish
from .crosswalks import Crosswalks, cars_in_the_way, empty_crosswalks
from .demand import Demand, departures, loops_told, ways_told
from .desk import empty_desk
from .detectors import Detectors
from .doors import Doors, find_doors, send_away
from .driverless import Driverless
from .emergency import LONGEST_STEP
from .errands import errands_of
from .fleet import Fleet, empty_fleet
from .frame import advance, present, roll
from .knocks import Knocks
from .net import Net, build_net
from .occupants import HORIZON, StripMap, crossing_claims, find_occupants, map_strips
from .order import empty_order
from .parking import Parking
from .paths import RoadPaths
from .pose import COLUMNS, read_poses
from .spawn import place_vehicles, stand_on_middle
from .trips import Trips


class Traffic(Bodies):
    """The vehicles among `characters` on the roads of `town`. State is in the arrays of `fleet`.

    Behind them, `everyone` holds rows for bodies of other batches, and `who` (rows,) whose identities they
    are. Drivers are `blind_to` kinds and names of batches. Traffic and people of a town meet at `crosswalks`.
    `behaviours`, blended by `how`, say what drivers want beyond getting to their destinations, to which
    `paths` lead.
    """

    def __init__(
        self,
        town: Town,
        characters: Characters,
        seed: int = 0,
        crosswalks: Crosswalks | None = None,
        blind_to: Collection[str] = (),
        behaviours: Sequence[Behaviour[Drivers]] = (),
        how: str = "priority",
    ):
        self.town, self.characters, self.seed = town, characters, int(seed)
        self.blind_to = frozenset(blind_to)
        ways_in, ways_out = find_doors(town.roads)
        self.doors = Doors(ways_in, int(seed), town.breaks)
        self.net: Net = build_net(town.roads, ways_out)
        self._ids = characters.of_kind(WHEELED)
        self.fleet: Fleet = empty_fleet(len(self.ids))
        self.everyone: Fleet = self.fleet
        self.who = self.ids
        self.time = 0.0
        self.dt = 0.1  # [s] of the last step
        self.steps = 0
        self.arrivals = 0
        self.trips: Trips | None = None
        self.detectors: Detectors | None = None
        count = len(town.roads.crossings.width)
        self.crosswalks = empty_crosswalks(count) if crosswalks is None else crosswalks
        self.crosswalks.parties.append(self)
        self.actuation = Actuation(town.roads) if np.isfinite(town.roads.lights.least).any() else None
        self.knocks, self.driverless = Knocks(), Driverless()
        bays = len(town.roads.lay_bys) > 0
        self.parking = Parking(town.roads, generator(seed, "parking")) if bays else None
        self.behaviours: list[Behaviour[Drivers]] = list(behaviours)
        self.wished, self.rests = False, np.zeros(len(self.ids), bool)
        self.how, self.rng = how, generator(seed, "drivers' behaviours")
        self._heights = np.asarray(town.roads.z, float)
        self._banks = np.asarray(town.roads.bank, float)
        self._flat = not self._heights.any() and not self._banks.any()
        self._strips: StripMap | None = None
        self._lamps: Lamps | None = None
        self._order = empty_order(len(self.ids), len(self.net.strips) - 1)
        self._desk = empty_desk(self.net, len(self.ids), count)
        self._version = -1
        self._tops: tuple[tuple[int, int], np.ndarray] | None = None  # top speeds, and of when
        self._removed = np.zeros(0, bool)  # characters that are no more
        for name, most in zip(LIMITED, town.roads.largest, strict=False):
            characters.limit(WHEELED, name, most, f"must be at most {most} m on these roads")
        self.fleet.frustration[:] = characters.last(self.ids, "frustration")
        characters.live("frustration", lambda: (self.ids, self.fleet.frustration))
        self.read_attributes()
        rng = generator(seed, "traffic")
        self.paths = RoadPaths(self.net, town.roads, len(self.ids), rng)
        self.fleet.destination[:] = rng.integers(len(self.paths.destinations), size=len(self.ids))
        self.fleet.asked[:] = np.inf
        if len(self.ids):
            place_vehicles(self.net, self.fleet, rng)
            self.fleet.speed[~self.drives] = 0.0
            if self.parking is not None:
                self.parking.fill(self.net, self.fleet)
        self.paths.lead_somewhere(self.fleet)
        everybody = np.arange(len(self.ids))
        self.paths.send(self.fleet, everybody, self.fleet.destination)

    # -- a batch in a world

    @property
    def ids(self) -> np.ndarray:
        """(n,) the characters."""
        return self._ids

    @property
    def present(self) -> np.ndarray | None:
        return None if self.here.all() else self.here

    @property
    def here(self) -> np.ndarray:
        """(n,) who is on the roads now."""
        return np.asarray(self.fleet.strip >= 0)

    @property
    def held_up(self) -> np.ndarray:
        """(n,) who drives and would go on if others, lights and rules let it."""
        stands = self.rests if len(self.rests) == len(self) else np.zeros(len(self), bool)
        return self.fleet.driving & self.drives & ~stands & (self.top_speeds > 0.0)

    @property
    def waiting(self) -> int:
        """How many wait outside to come in."""
        return len(self.doors.outside) + (0 if self.trips is None else self.trips.waiting)

    def motion(self) -> Motion:
        fleet = self.fleet
        table = read_poses(self.net, self._heights, self._banks, fleet, self._flat)
        columns = dict(zip(COLUMNS, table, strict=True))
        if self._flat:
            columns["z"] += self.outline[:, 2] / 2
        else:  # upright on the ground, which may lean
            turned = quaternion(columns["yaw"], columns["pitch"], columns["roll"])
            up = self.outline[:, 2:] / 2 * turned_by(turned, np.array([0.0, 0.0, 1.0]))
            columns["x"], columns["y"], columns["z"] = (
                columns[n] + u for n, u in zip("xyz", up.T, strict=True)
            )
        self.knocks.tell(columns)
        extras = {name: fleet[name].copy() for name in ("brake", "indicator", "emergency", "steer")}
        extras["acceleration"] = fleet.accel.copy()
        return Motion(**columns, extras=extras)

    def look(self, view: View) -> None:
        """See who is on the roads besides the vehicles and people of the town, and tell people of cars."""
        self.time = view.t
        if view.alone:
            return
        self._see_others(view)
        parties = self.crosswalks.parties
        if any(party is not self for party in parties):
            self.crosswalks.in_the_way = cars_in_the_way(self.net, self.fleet)
            rows = np.flatnonzero(self.everyone.emergency & (self.everyone.strip >= 0))
            x, y, heading = self.everyone.x[rows], self.everyone.y[rows], self.everyone.heading[rows]
            self.crosswalks.sirens = np.stack([x, y, heading], -1)

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        self.advance(dt, self.crosswalks.taken > 0)

    def foresee(self, times: np.ndarray) -> np.ndarray:
        """Rolled forward with the drivers' own rules; others go on as they do now."""
        times = np.asarray(times, dtype=np.float64)
        dt, n = self.dt, len(self.ids)
        steps = int(np.ceil(times.max(initial=0.0) / dt - 1e-9))
        self.read_attributes()
        at, moments = self.time, []
        for _ in range(steps):
            moments.append(at)
            at = round(at + dt, 9)
        lights = self.town.roads.lights
        state = np.array([lights.state(t) for t in moments]).reshape(steps, len(lights))
        until = np.array([lights.until_change(t) for t in moments]).reshape(steps, len(lights))
        desk = empty_desk(self.net, len(self.everyone), len(self.crosswalks.claims))
        order = empty_order(len(self.everyone), len(self.net.strips) - 1)
        poses = roll(
            self.net, self.everyone.copy(), n, order, desk, self.paths.field,
            self.paths.destinations, state, until,
            self.crosswalks.taken > 0, np.array(moments), self.steps, self.seed, dt,
        )  # fmt: skip
        share = times / dt
        first = np.clip(np.floor(share + 1e-9).astype(int), 0, steps)
        later = np.minimum(first + 1, steps)
        part = np.clip(share - first, 0.0, 1.0)[:, None, None]
        foreseen = np.swapaxes(poses[first] + part * (poses[later] - poses[first]), 0, 1).copy()
        foreseen[self.knocks.rows, :, :2] += self.knocks.way(times)
        return foreseen

    def touched(self, touch: Touch) -> None:
        """Stopped or pushed, standing with the brake on for a while, then going on."""
        self.knocks.hit(self.fleet, touch)

    def lights(self, t: float) -> Mapping[str, np.ndarray] | None:
        if self._lamps is None:
            self._lamps = Lamps(self.town.roads)
        return self._lamps.rows(t) if len(self._lamps) else None

    def _see_others(self, view: View) -> None:
        """Rows for foreign bodies; people of the town count only when they lie on the ground."""
        everyone = view.everyone
        people = [party for party in self.crosswalks.parties if party is not self]
        foreign = ~everyone.of(self, *people)
        foreign |= everyone.of(*people) & everyone.motion.fell
        if self.blind_to:
            foreign &= ~everyone.called(self.blind_to)
        rows = np.flatnonzero(foreign)
        if len(rows) == 0:
            self.welcome(empty_fleet(0), np.zeros(0, np.int64))
            return
        if self._strips is None:
            self._strips = map_strips(self.town.roads)
        seen = view.with_poses(view.pick(rows), HORIZON)
        found, owner = find_occupants(self.net, self._strips, seen)
        self.welcome(found, everyone.ids[rows[owner]])
        claims = crossing_claims(seen, self.town.roads.crossings)
        np.maximum(self.crosswalks.claims, claims, out=self.crosswalks.claims)

    # -- its own affairs

    def read_attributes(self) -> None:
        """Copy what the characters' attributes say into the fleet, when any has changed."""
        if self._version == self.characters.version:
            return
        self._version = self.characters.version
        if len(self.ids) == 0:
            self.kinds, self.outline, self.drives = np.zeros(0, object), np.zeros((0, 3)), np.zeros(0, bool)
            return
        fleet, get = self.fleet, lambda name: self.characters.last(self.ids, name)
        copy_attributes(fleet, get, self.town.roads.largest)
        self._remove()
        fleet.autonomous[self.knocks.rows] = False
        fleet.autonomous[self._removed] = False
        self.drives = np.asarray(get("autonomous"), bool) & ~self._removed
        self.driverless.read(fleet, self.drives)
        self.outline = np.stack([fleet.length, fleet.width, np.asarray(get("height"), float)], -1)
        self.kinds = kinds_told(get)
        if self.parking is not None:
            self.parking.read(fleet, get)

    def _remove(self) -> None:
        """Take those whose characters were removed out of the streets, for good."""
        removed = ~self.characters.alive[self.ids]
        known = np.append(self._removed, np.zeros(len(removed) - len(self._removed), bool))
        rows = np.flatnonzero(removed & ~known)
        self._removed = removed
        if len(rows) == 0:
            return
        self.knocks.forget(rows)
        self.doors.forget(rows)
        if self.trips is not None:
            self.trips.forget(rows)
        if self.parking is not None:
            self.parking.forget(self.fleet, rows)
        for row in rows.tolist():
            send_away(self.fleet, row)

    def advance(self, dt: float, blocked: np.ndarray | None = None) -> None:
        """Move all vehicles by dt [s]. `blocked` (crosswalks) says where people are on the road."""
        require(0 < dt <= LONGEST_STEP, "dt", dt, f"must be above 0 and at most {LONGEST_STEP} s")
        desk, lights, walks = self._desk, self.town.roads.lights, self.crosswalks
        busy = np.zeros(len(walks.claims), bool) if blocked is None else np.asarray(blocked, bool)
        self.dt = dt
        self.read_attributes()
        self.paths.advance(self.fleet, self.time, dt)
        wish(self)
        self.driverless.step(self.net, self.fleet, self.drives)
        self.arrivals += int(
            advance(
                self.net, self.everyone, len(self.ids), present(self.everyone), self._order, desk,
                self.paths.field, self.paths.destinations,
                lights.state(self.time), lights.until_change(self.time), busy, self.time, self.steps,
                self.seed, dt,
            )
        )  # fmt: skip
        self.knocks.step(self.net, self.fleet, self.paths.field, self.drives, dt)
        if self.parking is not None:
            self.parking.step(self.net, self.everyone, dt)
        walks.claims[:] = desk.claims
        walks.due[:] = desk.due
        self.steps += 1
        self.time = round(self.time + dt, 9)
        if self.actuation is not None:
            self.actuation.step(self.net, self.fleet, walks, self.time)
        if self.net.strips["open"].any() or self.doors.outside:
            mine = len(self.fleet) if self.trips is None else self.trips.first
            self.doors.note(self.net, self.fleet, self.time, mine)
            self.doors.let_in(self.net, self.everyone, self.drives, self.paths.field, self.time, dt)
        if self.trips is not None:
            self.trips.step(self.paths, self.everyone, self.time, dt)
        if self.detectors is not None:
            self.detectors.step(self.fleet, self.time, dt)

    def serve(self, demand: Demand) -> None:
        """Take on a demand: from now on its vehicles come in when they are due, and go when they arrive."""
        require(self.trips is None, "demand", len(demand.flows), "there is one already")
        some = departures(demand, self.town.roads, generator(self.seed, "demand"))
        ids = [int(self.characters.add(WHEELED, 1, wheeled_type=one.type, name=one.name)[0]) for one in some]
        ways, rng = self.doors.ways_in, generator(self.seed, "ways out")
        errands = errands_of(some, self.paths, ways, self.town.breaks, self.seed, rng)
        first = len(self.ids)
        self.add(ids)
        self.trips = Trips(errands, first, self.paths.field, self.town.breaks)
        self.detectors = loops_told(demand, self.town.roads)
        self.trips.open(self.fleet)
        self.paths.refiners += ways_told(demand, self.town.roads)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def velocities(self) -> np.ndarray:
        """(n, 2) [m/s]"""
        speed, heading = self.fleet.speed, self.fleet.heading
        return np.stack([speed * np.cos(heading), speed * np.sin(heading)], -1)

    @property
    def top_speeds(self) -> np.ndarray:
        """(n,) [m/s] that their drivers may go at all, limits aside."""
        known = (self.characters.version, len(self.ids))
        if self._tops is None or self._tops[0] != known:
            self._tops = (known, np.asarray(self.characters.last(self.ids, "max_speed"), float))
        return self._tops[1]

    def add(self, ids: ArrayLike) -> np.ndarray:
        """Rows of characters that join while it runs; they are nowhere until they are placed."""
        before, mood = len(self.ids), self.characters.get(ids, "frustration")
        others, who = self.everyone[before:].copy(), self.who[before:]
        self._ids = np.append(self.ids, np.asarray(ids, np.int64))
        kept = self.fleet.copy()
        self._make_room(0)
        self.fleet[:before] = kept
        fresh = np.arange(before, len(self.ids))
        for row in fresh.tolist():
            send_away(self.fleet, row)
        self.doors.forget(fresh)
        self.welcome(others.view(Fleet), who)
        self._version = -1
        self.paths.grow(len(self.ids))
        self.read_attributes()
        self.fleet.frustration[before:] = mood
        self.fleet.destination[before:] = fresh % len(self.paths.destinations)
        return fresh

    def welcome(self, others: Fleet, who: np.ndarray) -> None:
        """Rows to keep clear of until the next call: where bodies of other batches are on the strips.

        They stand in the order of their strips like vehicles; nothing here moves them.
        """
        n = len(self.ids)
        if n + len(others) > len(self.everyone):
            kept = self.fleet.copy()
            self._make_room(2 * len(others))
            self.fleet[:] = kept
        if len(self.everyone) > n:
            self.everyone.strip[n:] = -1
            self.everyone[n : n + len(others)] = others
        self.who = np.full(len(self.everyone), -1)
        self.who[:n] = self.ids
        self.who[n : n + len(others)] = who

    def _make_room(self, others: int) -> None:
        """New arrays for the vehicles there are now and so many rows of others."""
        n = len(self.ids)
        self.everyone = empty_fleet(n + others)
        self.fleet = self.everyone[:n].view(Fleet)
        self._order = empty_order(len(self.everyone), len(self.net.strips) - 1)
        self._desk = empty_desk(self.net, len(self.everyone), len(self.crosswalks.claims))

    def place(
        self,
        rows: ArrayLike,
        strip: ArrayLike,
        front: ArrayLike,
        speed: ArrayLike = 0.0,
        next_strip: ArrayLike | None = None,
    ) -> None:
        """Put vehicles somewhere else: on the middle of strips, front bumpers at `front` [m], at `speed`
        [m/s].

        Without `next_strip` they go on towards their destinations.
        """
        fleet = self.fleet
        self.characters.get(self.ids[np.atleast_1d(rows)], "name")  # nobody who was removed
        self.doors.expect(np.atleast_1d(rows))
        some = fleet[np.atleast_1d(rows)]
        some.strip[:], some.station[:], some.speed[:] = strip, front - some.overhang, speed
        for name in ("previous", "earlier", "granted", "side"):
            some[name] = -1
        for name in ("accel", "steer", "shift_from", "shift_to", "waiting", "delayed"):
            some[name] = 0.0
        some.asked[:] = np.inf
        stand_on_middle(self.net, some)
        fleet[np.atleast_1d(rows)] = some
        self.driverless.placed[np.atleast_1d(rows)] = True
        self.driverless.stopping[np.atleast_1d(rows)] = False
        self.paths.send(fleet, np.atleast_1d(rows), some.destination)
        if next_strip is not None:
            fleet.next[np.atleast_1d(rows)] = next_strip
