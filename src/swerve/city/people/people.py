"""People: everybody on foot in a town, decided and moved as one batch.

    people = People(town, characters, seed=1)
    world.add(people)

or, with nobody else about, `people.advance(0.1)`. The order of a step can be read off that: behaviours,
paths and their refiners, kerbs, avoidance, footing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.bodies import Bodies
from swerve.core.contact import Touch
from swerve.core.errors import BadInput, require
from swerve.core.geometry import wrap
from swerve.core.motion import Motion
from swerve.core.seeding import generator
from swerve.core.view import View

from ..characters.avoidance import OF_PEOPLE, WAYS
from ..characters.behaviour import RESPONSE, Behaviour
from ..characters.blend import blend
from ..characters.characters import Characters
from ..characters.columns import longer
from ..characters.kinds import PERSON
from ..characters.paths import PathState
from ..ground.mesh import PAVEMENT, WALKABLE, Mesh
from ..ground.mesh_of import Place, mesh_of
from ..roads.lights import GREEN
from ..towns.town import Town
from ..traffic.crosswalks import Crosswalks, empty_crosswalks
from ..traffic.occupants import HORIZON
from .ahead import walk_on
from .attributes import copy_attributes
from .avoidance import avoid
from .behaviours import Wander, YieldTo
from .behaviours.base import Walkers
from .crossing import AWAY, CROSSING, Desk, ask_and_leave, empty_desk, longer_desk
from .footing import WIDEST, Crowd, empty_crowd, longer_crowd, make_discs, make_ground, send_away, walk
from .options import PeopleOptions
from .paths.manager import PathManager
from .paths.refiners import usual_refiners
from .slopes import planes_of
from .standing import ground_under, in_danger, stand, stand_too
from .warm import compile_kernels

_METHODS = np.array([OF_PEOPLE[way] for way in WAYS], np.int8)
LONGEST_STEP = 0.25  # [s]
DECIDE_EVERY = 0.1  # [s] between two looks round of a person
TURN_RATE = 4.0  # [rad/s]
CORNER_SPREAD = (0.3, 1.1)  # [m] kept from corners to the right and left, at most
WEIGHT, LYING_WEIGHT = 75.0, 2.0  # [kg]
LYING = 0.4  # [m] height of who lies on the ground
UPRIGHT = 1.0  # [m/s] of a push that one withstands
_OF_NEWCOMERS = {
    "kinds": "pedestrian", "outline": 0.0, "fell": False, "spread": 1.0, "heading": 0.0, "rest": np.nan,
    "alarmed": False, "here": True, "_way": -1, "_endangered": False,
}  # fmt: skip
THROWN = 30.0  # [m/s] at most, when hit
FAST = 2.5  # [m/s] of a body that people do not walk in front of


class People(Bodies):
    """The persons among `characters` on the pavements of a town, on a mesh, a quadtree or waypoints.

    By default people wander and yield to sirens; `behaviours` are blended as the options say.
    `positions` (n, 2) [m] may say where they start. Arrays of the state are in `crowd`.
    """

    def __init__(
        self,
        place: Place,
        characters: Characters,
        seed: int = 0,
        behaviours: Sequence[Behaviour[Walkers]] | None = None,
        positions: np.ndarray | None = None,
        crosswalks: Crosswalks | None = None,
        options: PeopleOptions | None = None,
    ):
        options = options or PeopleOptions()
        self.mesh: Mesh = mesh_of(place)
        self.characters, self.how = characters, options.how
        self._ids = characters.of_kind(PERSON)
        n = len(self.ids)
        self.kinds = np.full(n, "pedestrian", dtype=object)
        self.outline = np.zeros((n, 3))
        self.fell = np.zeros(n, bool)  # who was hit and lies on the ground
        self.rng = generator(seed, "people")
        self._paces, self._spread = generator(seed, "paces"), options.spread
        self.spread = self._draw_paces(n)
        self.crowd: Crowd = empty_crowd(n)
        self.heading = np.zeros(n)
        self.walking_speed, self.yield_distance = np.zeros(n), np.zeros(n)
        self.crosswalk_tag = np.zeros(n, np.str_)
        self.rest = np.full(n, np.nan)  # [s] left of a wait at one's goal
        self.alarmed = np.zeros(n, bool)
        self.walks = np.ones(n, bool)  # by itself
        self.here = np.ones(n, bool)  # who was not removed
        self.height = np.zeros(n)  # [m]
        self._tags = self.mesh.data.get("tag")
        self.arrivals = 0
        self.steps = 0
        self._version = -1
        characters.limit(PERSON, "radius", WIDEST, f"must be at most {WIDEST} m for people who walk")
        self._way = np.full(n, -1)  # of avoidance, when last looked
        self.read_attributes()
        allowed = self.mesh.allowed(surface=WALKABLE)
        self.aims = self.mesh.allowed(surface=PAVEMENT)  # where goals may be
        self._parts = self.mesh.parts(allowed)
        self.crossing_of = np.asarray(self.mesh.data.get("crossing", np.full(len(self.mesh), -1)), np.int32)
        self.ground = make_ground(self.mesh, allowed, options.walls)
        self.paths = PathManager(self.mesh, allowed, n)
        # nobody walks in the line of everybody: each keeps its own distance from corners, more on the left
        self.paths.margin += self.rng.uniform(0.0, CORNER_SPREAD, (n, 2))
        self.paths.refiners = list(usual_refiners(self.mesh))
        count = int(self.crossing_of.max(initial=-1)) + 1
        if isinstance(place, Town):
            count = len(place.roads.crossings)
        self.crosswalks = empty_crosswalks(count) if crosswalks is None else crosswalks
        self.crosswalks.parties.append(self)
        desk, paths = empty_desk(n, count), self.paths
        self.desk: Desk = desk._replace(
            ahead=paths.crossing, to_kerb=paths.to_kerb, taken=self.crosswalks.taken
        )
        self.roads = place.roads if isinstance(place, Town) else None
        self._planes = planes_of(self.mesh, place) if isinstance(place, Town) else None
        self._foreign = np.zeros((0, 6))
        self._endangered = np.zeros(n, bool)
        self._time = 0.0
        self.behaviours: list[Behaviour[Walkers]] = (
            [YieldTo(), Wander()] if behaviours is None else list(behaviours)
        )
        compile_kernels(self.mesh, self.ground, self.crossing_of, count)
        stand(self.mesh, self.crowd, positions, self.aims, self.ground.wall, self.rng)
        self.heading[:] = self.rng.uniform(-np.pi, np.pi, n)
        self._decide()
        self.paths.advance(self.crowd, 0.0, budget=n)

    def add(self, ids: ArrayLike, positions: np.ndarray | None = None) -> np.ndarray:
        """Rows of characters that join while it runs: at positions (k, 2) [m], or anywhere there is room."""
        fresh = np.atleast_1d(np.asarray(ids, np.int64))
        n = len(self) + len(fresh)
        rows = np.arange(len(self), n)
        crowd = longer_crowd(self.crowd, n)
        crowd.radius[rows] = self.characters.get(fresh, "radius")
        stand_too(self.mesh, crowd, rows, positions, self.aims, self.ground.wall, self._foreign, self.rng)
        self.crowd, self._ids = crowd, np.append(self._ids, fresh)
        for name, value in _OF_NEWCOMERS.items():
            setattr(self, name, longer(getattr(self, name), n, value))
        self.spread[rows] = self._draw_paces(len(rows))
        self.heading[rows] = self.rng.uniform(-np.pi, np.pi, len(rows))
        paths = self.paths
        paths.grow(n)
        paths.margin[rows] += self.rng.uniform(0.0, CORNER_SPREAD, (len(rows), 2))
        desk = longer_desk(self.desk, n)
        self.desk = desk._replace(ahead=paths.crossing, to_kerb=paths.to_kerb)
        self._version = -1
        self.read_attributes()
        self._decide()
        return rows

    def _remove(self) -> None:
        """Take those whose characters were removed off the streets, for good."""
        gone = np.flatnonzero(self.here & ~self.characters.alive[self.ids])
        if len(gone) == 0:
            return
        self.here[gone] = False
        send_away(self.crowd, gone)
        self.desk.phase[gone] = AWAY
        self.paths.state[gone] = PathState.IDLE
        self.paths.nodes[gone] = 0

    def _draw_paces(self, count: int) -> np.ndarray:
        """Shares (n,) of what is said that people walk at."""
        return np.clip(1 + self._spread * self._paces.standard_normal(count), 0.6, 1.4)

    # -- a batch in a world

    @property
    def ids(self) -> np.ndarray:
        """(n,) the characters."""
        return self._ids

    @property
    def present(self) -> np.ndarray | None:
        return None if self.here.all() else self.here

    @property
    def round(self) -> np.ndarray:
        return np.ones(len(self), bool)

    @property
    def mass(self) -> np.ndarray:
        """[kg]; who lies is rolled over and holds nobody up."""
        return np.where(self.fell, LYING_WEIGHT, WEIGHT)

    def motion(self) -> Motion:
        crowd = self.crowd
        height = np.where(self.fell, LYING, self.height)
        self.outline[:, 0] = self.outline[:, 1] = 2 * crowd.radius
        self.outline[:, 2] = height
        z = ground_under(self.mesh, crowd, self._planes) + height / 2
        fell = {"fell": self.fell.copy()}
        return Motion.planar(crowd.x, crowd.y, self.heading, crowd.vx, crowd.vy, z=z, **fell)

    def look(self, view: View) -> None:
        """See who is about besides people and the town's traffic, and who comes too fast to walk before."""
        self._time = view.t
        self._endangered[:] = False
        self._foreign = np.zeros((0, 6))
        everyone = view.everyone
        rows = np.flatnonzero(~everyone.of(self, *self.crosswalks.parties))
        if len(rows) == 0 or len(self) == 0:
            return
        seen = view.pick(rows)
        m = seen.motion
        self._foreign = np.stack([m.x, m.y, m.yaw, *seen.outline[:, :2].T, m.along], -1)
        fast = np.flatnonzero(m.speed > FAST)
        if len(fast):
            poses = view.with_poses(view.pick(rows[fast]), HORIZON[1:]).poses
            self._endangered |= in_danger(self.crowd, poses, seen.outline[fast, 1] / 2)

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        self.ask(dt, self._time)
        self.go(dt)

    def ask(self, dt: float, now: float) -> None:
        """The first half of a step: decide, and take crosswalks; from then on `crosswalks.taken` is true."""
        walks = self.crosswalks
        green = None
        if self.roads is not None:
            light = self.roads.crossings.light
            shown = self.roads.lights.state(now)
            green = ~walks.due
            if len(shown):
                green &= np.where(light >= 0, shown[light] == GREEN, True)
        self._ask(dt, walks.claims <= 0.0, green, walks.sirens)

    def go(self, dt: float) -> None:
        """The second half: walk."""
        self._go(dt, np.concatenate([self.crosswalks.in_the_way, self._foreign]))

    def foresee(self, times: np.ndarray) -> np.ndarray:
        """As they walk now, round the bends of the path that they know, no further than the kerb at which
        one has to wait."""
        poses = np.empty((len(self), len(times), 3))
        waits = np.where(self.desk.phase == CROSSING, np.inf, self.desk.to_kerb - self.crowd.radius)
        most = np.where(self.fell, 0.0, np.maximum(0.0, waits))
        poses[..., :2] = walk_on(self.crowd, self.paths, most, np.asarray(times, dtype=np.float64))
        poses[..., 2] = self.heading[:, None]
        return poses

    def touched(self, touch: Touch) -> None:
        """Who is hit hard enough falls and lies."""
        hard = np.hypot(touch.kick[:, 0], touch.kick[:, 1]) > UPRIGHT
        rows = touch.rows[hard]
        self.fell[rows] = True
        thrown = self.velocities
        np.add.at(thrown, rows, touch.kick[hard, :2])
        thrown *= np.minimum(1.0, THROWN / np.maximum(np.hypot(*thrown.T), 1e-9))[:, None]
        self.crowd.vx[rows], self.crowd.vy[rows] = thrown[rows].T

    # -- its own affairs

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def velocities(self) -> np.ndarray:
        """(n, 2) [m/s]"""
        return np.stack([self.crowd.vx, self.crowd.vy], -1)

    @property
    def top_speeds(self) -> np.ndarray:
        """(n,) [m/s]"""
        return self.crowd.max_speed

    @property
    def x(self) -> np.ndarray:
        return self.crowd.x

    @property
    def y(self) -> np.ndarray:
        return self.crowd.y

    @property
    def radius(self) -> np.ndarray:
        return self.crowd.radius

    @property
    def speed(self) -> np.ndarray:
        """[m/s] of everybody."""
        return np.hypot(self.crowd.vx, self.crowd.vy)

    @property
    def on_crossing(self) -> np.ndarray:
        """How many people hold each crosswalk: they are on it, or about to step on it."""
        return self.desk.taken

    @property
    def on_crosswalk(self) -> np.ndarray:
        """Who stands, with its middle, on a cell with the tag that it knows crosswalks by (n,)."""
        if self._tags is None:
            return self.crossing_of[self.crowd.cell] >= 0
        return self._tags[self.crowd.cell] == self.crosswalk_tag

    def advance(
        self,
        dt: float,
        crossing_free: np.ndarray | None = None,
        walk_light: np.ndarray | None = None,
        sirens: np.ndarray | None = None,
        vehicles: np.ndarray | None = None,
    ) -> None:
        """Move everybody by dt [s].

        `crossing_free` (crosswalks): no car that cannot stop is on or before it; `walk_light` (crosswalks):
        people may start; `sirens` (k, 3): x, y, heading of emergency vehicles; `vehicles` (m, 6): x, y,
        heading, length, width, speed of those that people should see.
        """
        self._ask(dt, crossing_free, walk_light, sirens)
        self._go(dt, vehicles)

    def _ask(
        self,
        dt: float,
        crossing_free: np.ndarray | None,
        walk_light: np.ndarray | None,
        sirens: np.ndarray | None,
    ) -> None:
        require(0 < dt <= LONGEST_STEP, "dt", dt, f"must be above 0 and at most {LONGEST_STEP} s")
        if len(self) == 0:
            return
        crosswalks = len(self.desk.taken)
        yes = np.ones(crosswalks, bool)
        free = yes if crossing_free is None else np.asarray(crossing_free, bool)
        green = yes if walk_light is None else np.asarray(walk_light, bool)
        if len(free) != crosswalks or len(green) != crosswalks:
            raise BadInput("crossings", len(free), f"must have {crosswalks} values")
        self.read_attributes()
        self._hear(sirens)
        self._decide()
        self.paths.advance(self.crowd, dt)
        self._lie()
        ask_and_leave(self.ground, self.crowd, self.desk, self.crossing_of, free, green, self.alarmed, dt)

    def _go(self, dt: float, vehicles: np.ndarray | None) -> None:
        if len(self) == 0:
            return
        discs = make_discs(self.crowd, vehicles)
        every = max(1, round(DECIDE_EVERY / dt))
        avoid(self.ground, self.crowd, discs, dt, every, self.steps % every)
        walk(self.mesh.arrays, self.ground, self.crowd, discs, dt, self.steps % 2 == 1)
        self._turn(dt)
        self.rest -= dt
        self.steps += 1

    def random_aims(self, rows: np.ndarray) -> np.ndarray:
        """Random places (k, 2) [m], for each of `rows` one that it can get to."""
        goals = np.empty((len(rows), 2))
        part = self._parts[self.crowd.cell[rows]]
        for label in np.unique(part):
            there = self.aims & (self._parts == label)
            mine = part == label
            mask = there if there.any() else self._parts == label
            goals[mine] = self.mesh.random_points(self.rng, int(mine.sum()), mask)
        return goals

    def read_attributes(self) -> None:
        """Copy what the characters' attributes say, when any has changed."""
        if self._version == self.characters.version or len(self.ids) == 0:
            return
        self._version = self.characters.version
        told = copy_attributes(self.crowd, lambda name: self.characters.last(self.ids, name), self.spread)
        self._remove()
        way = self.characters.last(self.ids, "avoidance")
        other = way != self._way  # methods may have been set one by one since
        self.crowd.method[other], self._way = _METHODS[way[other]], way
        self.height, self.walking_speed, self.yield_distance, self.crosswalk_tag, self.walks = told

    def _decide(self) -> None:
        """What everybody wants: behaviours, blended, within the limits of the path."""
        steerings = [behaviour.steer(self) for behaviour in self.behaviours]
        steering = blend(self.how, self.behaviours, steerings, self.rng)
        crowd = self.crowd
        wx = crowd.vx + RESPONSE * steering.force[:, 0]
        wy = crowd.vy + RESPONSE * steering.force[:, 1]
        top = np.minimum(crowd.max_speed, self.paths.speed)
        share = np.minimum(1.0, top / np.maximum(np.hypot(wx, wy), 1e-9))
        crowd.want_x[:] = np.where(steering.active, share * wx, 0.0)
        crowd.want_y[:] = np.where(steering.active, share * wy, 0.0)
        node = self.paths.node[:, 0]
        crowd.reach[:] = np.hypot(node[:, 0] - crowd.x, node[:, 1] - crowd.y)
        self._facing = steering.facing

    def _hear(self, sirens: np.ndarray | None) -> None:
        self.alarmed[:] = self._endangered
        if sirens is None or len(sirens) == 0:
            return
        for x, y in np.asarray(sirens, float)[:, :2]:
            self.alarmed |= np.hypot(self.crowd.x - x, self.crowd.y - y) < self.yield_distance

    def _lie(self) -> None:
        """Who fell wants nothing any more, and who is moved from outside nothing of its own."""
        still = self.fell | ~self.walks | ~self.here
        if still.any():
            self.crowd.want_x[still] = self.crowd.want_y[still] = 0.0
            self.desk.ahead[still] = -1

    def _turn(self, dt: float) -> None:
        """Bodies turn to where they walk, or to what they look at."""
        crowd = self.crowd
        aim = np.where(self.speed > 0.15, np.arctan2(crowd.vy, crowd.vx), self.heading)
        if self._facing is not None:
            aim = np.where(np.isnan(self._facing), aim, self._facing)
        by = np.where(self.fell, 0.0, wrap(aim - self.heading))
        self.heading += np.clip(by, -TURN_RATE * dt, TURN_RATE * dt)
