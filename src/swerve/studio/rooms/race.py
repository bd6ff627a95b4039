"""Race: drive a track with the keys, against the planner, and watch its route tree grow."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.referee import Contact
from swerve.core.world import Member, World
from swerve.race import Leg, Pilot, PilotChooser, SearchOptions, SlidingCar, Track, load_track, load_tree
from swerve.race.car import MAX_DRIVE, MAX_STEER
from swerve.race.cars import SHIPPED, load_car, tree_that_fits
from swerve.race.record import scenery
from swerve.race.tracks import NAMED
from swerve.race.trees import NAMES as TREES

from .clips import Clips, state_of
from .hands import Hands
from .rivals import Rivals
from .room import Message, Outside, WorldRoom, whole

FRAME = 0.04  # [s] of the trees
START, ASIDE = 12.0, 2.6  # [m] along and beside the middle
SHOWN = 0.2  # [s] between two looks into the planner's mind
MOST_BRANCHES = 2500
EVERY = 10.0  # [m] between points of a lap's curve


def enter(asked: Message, outside: Outside) -> RaceRoom:
    return RaceRoom(asked, outside)


class RaceRoom(WorldRoom):
    """The driver's car is the ego; the planner's is beside it, unless one drives alone."""

    def __init__(self, asked: Message, outside: Outside):
        name, tree = str(asked.get("track") or "final"), str(asked.get("tree") or "large")
        track = load_track(name if name in NAMED else str(outside.folder.file(name)))
        named = str(asked.get("car") or "seed")
        car = load_car(named if named in SHIPPED else outside.folder.file(named))
        moves = load_tree(tree if tree in TREES else outside.folder.file(tree))
        fits = tree_that_fits(car, tree, moves)
        planned, moves = fits is not None, fits or moves
        if abs(moves.dt - FRAME) > 1e-9:
            raise BadInput("tree", tree, f"has frames of {moves.dt:g} s; here they last {FRAME:g}")
        self.track, self.outside = track, outside
        nodes = whole(asked, "nodes", 100, 20_000, 4000)
        world = World(FRAME, walls=track.walls, meta=dict(scenery(track)))
        self.hands = Hands((MAX_STEER, MAX_DRIVE, MAX_DRIVE))
        mine = SlidingCar(car, name="driver").start(1).put(*track.pose(START, -ASIDE)[:, None])
        self.mine = world.add(mine, self.hands, "driver", walls=True)
        self.pilot: Pilot | None = None
        if asked.get("rival", True) and not planned:
            how = f"swerve race {track.name} --car {named} --planner tree"
            outside.say(
                "alone", text=f"The planner has no move tree for {named} yet; made in minutes by: {how}"
            )
        elif asked.get("rival", True):
            options = SearchOptions(nodes=nodes, weight=1.1)
            pose = track.pose(START, ASIDE)
            self.pilot = Pilot(moves, track, Leg(START, pose=pose), options=options)
            theirs = SlidingCar(car, name="planner").start(1).put(*pose[:, None])
            self.theirs = world.add(theirs, PilotChooser(self.pilot), "planner", walls=True)
        world.meta["ego"] = int(self.mine.ids[0])
        super().__init__(world, track.name)
        self.laps = {"you": Lap(track), **({"planner": Lap(track)} if self.pilot else {})}
        self.clips = Clips(moves, outside, fits=planned)
        self.rivals = Rivals(world, track)
        self._looked = -1.0

    def hear(self, message: Message) -> None:
        if message.get("type") == "hands":
            self.hands.hear(message)
        elif self.rivals.hear(message, self.laps["you"].progress):
            self.outside.say("cars", ids=self.rivals.ids)
        elif not self.clips.hear(message):
            super().hear(message)

    def step(self) -> None:
        super().step()
        t = self.world.time
        if self.clips.rows is not None:
            self.clips.note(state_of(self.mine.motion), self.hands.held, self._touching())
        for lap, member in zip(self.laps.values(), self._drivers(), strict=True):
            if lap.note(t, member.motion.pose[0], float(member.motion.speed[0])):
                self.outside.say("lap", **self.compared())
        if self.pilot is not None and t - self._looked >= SHOWN:
            done = self.laps["planner"].finished is not None
            self._looked = np.inf if done else t
            self.outside.say("mind", **({"tree": [], "route": []} if done else mind(self.pilot)))

    def _touching(self) -> bool:
        referee, me = self.world.referee, int(self.mine.ids[0])
        return referee is not None and any(me in pair for pair in referee.touching)

    def compared(self) -> dict[str, Any]:
        """Both laps: time and speed by distance."""
        return {"laps": {name: lap.as_dict() for name, lap in self.laps.items()}}

    def figures(self) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for name, lap in self.laps.items():
            said[f"{name}, way [m]"] = lap.progress
            said[f"{name}, time [s]"] = lap.finished if lap.finished is not None else self.world.time
        if self.pilot is not None:
            said["nodes kept"] = self.pilot.search.kept
            said["plan took [ms]"] = 1e3 * self.pilot.plan_seconds
        return said | {"contacts": sum(self._counts(contact) for contact in self.world.contacts)}

    def _counts(self, contact: Contact) -> bool:
        """Whether it happened before those who race had come to their ends."""
        ends = {
            int(member.ids[0]): np.inf if lap.finished is None else lap.finished
            for member, lap in zip(self._drivers(), self.laps.values(), strict=True)
        }
        return all(contact.t <= ends.get(who, np.inf) for who in (contact.a, contact.b))

    def _drivers(self) -> list[Member]:
        return [self.mine] if self.pilot is None else [self.mine, self.theirs]


class Lap:
    """How far one got on a track, when, and how fast."""

    def __init__(self, track: Track):
        self.track, self.progress = track, START
        self.goal = START + track.length if track.closed else track.finish
        self.finished: float | None = None
        self.points: list[tuple[float, float, float]] = []  # way [m], time [s], speed [m/s]

    def note(self, t: float, pose: np.ndarray, speed: float) -> bool:
        """Whether the lap has come to its end just now."""
        along = float(self.track.progress(pose[:2])[0])
        if self.track.closed:
            along += self.track.length * round((self.progress - along) / self.track.length)
        self.progress = along
        if self.finished is not None:
            return False
        if not self.points or along - self.points[-1][0] >= EVERY:
            self.points.append((along, t, speed))
        if along >= self.goal:
            self.finished = t
        return self.finished is not None

    def as_dict(self) -> dict[str, Any]:
        way, time, speed = np.round(np.array(self.points).T, 2) if self.points else np.zeros((3, 0))
        return {"way": way, "time": time, "speed": speed, "finished": self.finished}


def mind(pilot: Pilot) -> dict[str, Any]:
    """The route tree of the last search and the chosen route, as segments x y z x y z …"""
    search, route = pilot.search, pilot.foresee(150)
    count = min(search.kept, len(search.nodes.parent))
    place, parent = search.nodes.state[:count, :2], search.nodes.parent[:count]
    some = np.flatnonzero((parent >= 0) & (parent < count))
    some = (
        some[np.linspace(0, len(some) - 1, min(len(some), MOST_BRANCHES)).astype(int)] if len(some) else some
    )
    return {
        "tree": _segments(place[parent[some]], place[some], 0.25),
        "route": _segments(route[:-1:3, :2], route[3::3, :2][: len(route[:-1:3])], 0.4),
    }


def _segments(a: np.ndarray, b: np.ndarray, height: float) -> list[float]:
    n = min(len(a), len(b))
    up = np.full((n, 1), height)
    return np.round(np.hstack([a[:n], up, b[:n], up]), 2).ravel().tolist()
