"""The entities of a scenario: who they are, where they are on the roads, and how a frame moves them.

They go as the storyboard says, on rails: along their lane, along a trajectory, or straight on off the road.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from swerve.core.bodies import Bodies
from swerve.core.contact import Touch
from swerve.core.geometry import wrap
from swerve.core.motion import Motion

from .nodes import Node
from .road_map import RoadMap
from .trajectories import Trajectory

NOWHERE, APART = 1e7, 50.0  # [m] where those are said to be who are not there, and how far from each other
LARGEST_SLIP = 1.2  # [rad] between a body and its lane while it changes lanes
KINDS = {"car": "sedan", "van": "suv", "truck": "lorry", "semitrailer": "lorry", "trailer": "lorry"}


@dataclass
class Place:
    """Where an entity is or goes: on a road by station, lane and offset [m] from the lane's middle, or in
    the open by x and y."""

    x: float
    y: float
    z: float
    heading: float
    road: str = ""
    lane: int = 0
    s: float = 0.0
    offset: float = 0.0
    forward: bool = True  # whether it goes along s


@dataclass
class Actor:
    """An entity. Its reference point is at `place`; the outline's middle lies `ahead` [m] of it."""

    name: str
    kind: str
    outline: tuple[float, float, float]
    ahead: float = 0.0
    max_speed: float = 1e3  # [m/s]
    max_acceleration: float = 1e3  # [m/s²]
    max_deceleration: float = 1e3
    place: Place | None = None
    speed: float = 0.0  # [m/s]
    acceleration: float = 0.0  # [m/s²] of the last frame
    sideways: float = 0.0  # [m/s] to the left of its lane, in the last frame
    pitch: float = 0.0
    roll: float = 0.0
    travelled: float = 0.0  # [m]
    stood: float = 0.0  # [s] standing
    stuck: float = 0.0  # [s] at the end of the road
    goals: list[Place] = field(default_factory=list)  # of its route, next first
    trajectory: Trajectory | None = None
    lamps: dict[str, bool] = field(default_factory=dict)
    held: dict[str, tuple[float, float]] = field(default_factory=dict)  # [s] since when a condition held
    _offset: float = 0.0  # [m] of the frame before

    @property
    def here(self) -> Place:
        assert self.place is not None
        return self.place

    @property
    def middle(self) -> tuple[float, float]:
        """x, y [m] of the middle of its outline."""
        at = self.here
        return at.x + self.ahead * np.cos(at.heading), at.y + self.ahead * np.sin(at.heading)

    def put(self, place: Place) -> None:
        self.place, self._offset, self.sideways, self.stuck = place, place.offset, 0.0, 0.0
        self.trajectory = None

    def move(self, roads: RoadMap, dt: float) -> None:
        """Go on by a frame."""
        if self.place is None:
            return
        before = (self.place.x, self.place.y)
        self.pitch = self.roll = 0.0
        if self.trajectory is not None:
            self._along_trajectory(roads, dt)
        elif self.place.road:
            self._along_road(roads, dt)
        else:
            self.place.x += self.speed * dt * np.cos(self.place.heading)
            self.place.y += self.speed * dt * np.sin(self.place.heading)
        self.travelled += float(np.hypot(self.place.x - before[0], self.place.y - before[1]))
        self.stood = self.stood + dt if abs(self.speed) < 0.01 else 0.0

    def settle(self, roads: RoadMap) -> None:
        """x, y, height and attitude from the place on the road."""
        at = self.here
        if not at.road:
            return
        pose = roads.pose(at.road, at.s, roads.middle(at.road, at.lane, at.s) + at.offset)
        way = 1.0 if at.forward else -1.0
        slip = np.arctan2(self.sideways, max(abs(self.speed), 1e-3)) if abs(self.speed) > 0.1 else 0.0
        slip = float(np.clip(slip, -LARGEST_SLIP, LARGEST_SLIP))
        at.x, at.y, at.z = pose.x, pose.y, pose.z
        at.heading = wrap(pose.heading + (0.0 if at.forward else np.pi) + slip)
        self.pitch = way * pose.slope
        self.roll = way * float(np.arctan(np.tan(pose.bank) * np.cos(pose.slope)))

    def _along_road(self, roads: RoadMap, dt: float) -> None:
        at = self.here
        left = self.speed * dt
        # the lane's middle may lie on a bend outside or inside the reference line
        bend = self._bend(roads)
        ended, self.stuck = self.stuck, 0.0
        for _ in range(64):
            way = left * bend if at.forward else -left * bend
            section = roads.road(at.road).sections[roads.section(at.road, at.s)]
            low, high = section.start, section.end
            at.s, over = float(np.clip(at.s + way, low, high)), at.s + way
            if low <= over <= high:
                self.stuck = ended + dt if ended and way == 0.0 else 0.0
                break
            if not self._onward(roads, over > high):
                self.stuck = ended + dt
                self.speed = 0.0 if ended else self.speed  # who is taken elsewhere at once keeps it
                break
            left = (over - high if over > high else low - over) * (1.0 if left > 0 else -1.0) / bend
        change = (at.offset - self._offset) * (1.0 if at.forward else -1.0)
        self.sideways, self._offset = change / dt, at.offset
        self.settle(roads)

    def _bend(self, roads: RoadMap) -> float:
        """Metres of the reference line for a metre of the lane."""
        at, length = self.here, roads.road(self.here.road).length
        low, high = max(at.s - 0.5, 0.0), min(at.s + 0.5, length)
        turned = wrap(roads.pose(at.road, high, 0.0).heading - roads.pose(at.road, low, 0.0).heading)
        t = roads.middle(at.road, at.lane, at.s) + at.offset
        return float(1.0 / np.clip(1.0 - t * turned / max(high - low, 1e-6), 0.2, 5.0))

    def _onward(self, roads: RoadMap, up: bool) -> bool:
        """Into the next lane section or road; false at an end. `up`: along s."""
        at = self.here
        record, k = roads.road(at.road), roads.section(at.road, at.s - 1e-6 if up else at.s + 1e-9)
        onward = k + (1 if up else -1)
        known = record.sections[k].lanes.get(at.lane)
        if 0 <= onward < len(record.sections):
            linked = None if known is None else known.after if up else known.before
            at.lane = at.lane if linked is None else linked
            at.s = record.sections[onward].start if up else record.sections[onward].end - 1e-6
            return True
        found = roads.beyond(at.road, at.lane, up) or [
            one for near in (at.lane - 1, at.lane + 1) for one in roads.beyond(at.road, near, up)
        ]
        if not found:
            return False
        facing = at.forward == up
        road, lane, along = min(found, key=lambda one: self._worth(roads, one, up))
        at.road, at.lane, at.s = road, lane, 0.0 if along else roads.road(road).length - 1e-6
        at.forward = along if facing else not along
        return True

    def _worth(self, roads: RoadMap, onward: tuple[str, int, bool], up: bool) -> float:
        """What speaks against a way across a junction: the way to the next goal, or by how much it turns."""
        road, _, along = onward
        length = roads.road(road).length
        while self.goals and self.goals[0].road == self.here.road:
            self.goals.pop(0)
        if self.goals:
            goal = self.goals[0]
            way = roads.distance(road, 0.0 if along else length, along, goal.road, goal.s)
            return 1e6 if way is None else abs(way)
        here = roads.pose(self.here.road, self.here.s, 0.0).heading + (0.0 if up else np.pi)
        end = roads.pose(road, length if along else 0.0, 0.0).heading + (0.0 if along else np.pi)
        return abs(wrap(end - here))

    def _along_trajectory(self, roads: RoadMap, dt: float) -> None:
        at, line = self.here, self.trajectory
        assert line is not None
        at.x, at.y, at.z, at.heading, speed = line.advance(self.speed * dt, dt)
        if speed is not None:
            self.speed = speed
        if line.finished:
            self.put(on_road(roads, at.x, at.y, at.heading))
            self.settle(roads)


def on_road(roads: RoadMap, x: float, y: float, heading: float, hint: str = "") -> Place:
    """A place on the road there that goes about in that direction; in the open where there is none."""
    if not roads.drive.roads:
        return Place(x, y, 0.0, heading)
    spot = roads.locate(x, y, hint)
    pose = roads.pose(spot.road, spot.s, spot.t)
    right, left = roads.edges(spot.road, spot.s, driving=False)
    turned = abs(wrap(heading - pose.heading))
    if not right - 1.0 <= spot.t <= left + 1.0 or np.pi / 4 < turned < 3 * np.pi / 4:
        return Place(x, y, pose.z, heading, road="")
    offset = spot.t - roads.middle(spot.road, spot.lane, spot.s)
    return Place(x, y, pose.z, heading, spot.road, spot.lane, spot.s, offset, turned < np.pi / 2)


def actor_of(node: Node) -> Actor:
    """An entity as its `ScenarioObject` says."""
    name = node.text("name")
    node.know_catalogs()
    given = next((c for c in node.children if c.tag in ("Vehicle", "Pedestrian", "MiscObject")), None)
    if given is None:
        return Actor(name, "vehicle", (4.5, 1.8, 1.5))
    box = given.find("BoundingBox/Dimensions")
    length, width, height = (
        (box.number(key, least=0.01) for key in ("length", "width", "height")) if box else (4.5, 1.8, 1.5)
    )
    centre = given.find("BoundingBox/Center")
    limits = given.find("Performance")
    if given.tag == "Vehicle":
        word = given.text("vehicleCategory", "car")
        kind = KINDS.get(word, word)
    else:
        kind = "pedestrian" if given.tag == "Pedestrian" else given.text("miscObjectCategory", "object")
    actor = Actor(name, kind, (length, width, height), centre.number("x", 0.0) if centre else 0.0)
    if limits is not None:
        actor.max_speed = limits.number("maxSpeed", 1e3, least=0.0)
        actor.max_acceleration = limits.number("maxAcceleration", 1e3, least=0.0)
        actor.max_deceleration = limits.number("maxDeceleration", 1e3, least=0.0)
    return actor


class Cast(Bodies):
    """The entities as a batch of a world. Nothing pushes them: they go as the storyboard says."""

    def __init__(self, actors: list[Actor], roads: RoadMap):
        self.actors, self.roads = actors, roads
        self.kinds = np.array([actor.kind for actor in actors], dtype=object)
        self.outline = np.array([actor.outline for actor in actors]).reshape(-1, 3)

    @property
    def present(self) -> np.ndarray:
        return np.array([actor.place is not None for actor in self.actors], bool)

    @property
    def mass(self) -> np.ndarray:
        return np.full(len(self.actors), np.inf)

    def motion(self) -> Motion:
        rows = np.zeros((8, len(self.actors)))
        for i, actor in enumerate(self.actors):
            if actor.place is None:
                rows[:2, i] = NOWHERE + APART * i, NOWHERE
                continue
            (x, y), at = actor.middle, actor.place
            rise = actor.speed * np.tan(actor.pitch)
            z = at.z + actor.outline[2] / 2 + actor.ahead * np.tan(actor.pitch)
            flat = actor.speed
            rows[:, i] = x, y, z, at.heading, flat * np.cos(at.heading), flat * np.sin(at.heading), rise, 0.0
        extras = {
            "brake": np.array([a.lamps.get("brakeLights", a.acceleration < -0.3) for a in self.actors], bool),
            "indicator": np.array([_indicator(a) for a in self.actors], np.int8),
            "emergency": np.array([a.lamps.get("specialPurposeLights", False) for a in self.actors], bool),
        }
        pitch, roll = (np.array([getattr(a, name) for a in self.actors]) for name in ("pitch", "roll"))
        names = ("x", "y", "z", "yaw", "vx", "vy", "vz", "yaw_rate")
        return Motion(**dict(zip(names, rows, strict=True)), pitch=pitch, roll=roll, extras=extras)

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        """Move on; `commands` (n, 1) are the speeds [m/s] before the storyboard changed them."""
        for i, actor in enumerate(self.actors):
            before = actor.speed if commands is None else float(commands[i, 0])
            actor.move(self.roads, dt)
            actor.acceleration = (actor.speed - before) / dt

    def touched(self, touch: Touch) -> None:
        """Contacts are counted, and do not move them."""


def _indicator(actor: Actor) -> int:
    return int(actor.lamps.get("indicatorLeft", False)) - int(actor.lamps.get("indicatorRight", False))
