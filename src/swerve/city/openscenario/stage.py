"""What a storyboard works on: entities, roads, parameters, signals, the clock; and places on the roads."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.geometry import wrap

from .actors import Actor, Place, on_road
from .nodes import Node
from .road_map import RoadMap


class NotPlaced(Exception):
    """A place is relative to an entity that is nowhere yet."""


class Stage:
    """The state that actions change and conditions read."""

    def __init__(self, actors: Mapping[str, Actor], roads: RoadMap, values: Mapping[str, str]):
        self.actors, self.roads, self.values = dict(actors), roads, dict(values)
        self.signals: dict[str, str] = {}
        self.time, self.dt = 0.0, 0.05  # [s]
        self.touching: set[frozenset[str]] = set()  # names of those who have touched
        self.unsupported: list[str] = []

    def miss(self, node: Node, what: str) -> None:
        """Note what a file asks for and nobody does, once for each line."""
        words = f"{node.where}: {what}"
        if words not in self.unsupported:
            self.unsupported.append(words)

    def actor(self, name: str, node: Node) -> Actor:
        if name not in self.actors:
            raise BadInput(f"{node.where}, {node.tag} entityRef", name, "is not an entity of the scenario")
        return self.actors[name]

    def place(self, position: Node) -> Place:
        """Where a `Position` node is now."""
        given = position.first()
        makers = {
            "WorldPosition": self._world, "LanePosition": self._lane, "RoadPosition": self._road,
            "RelativeLanePosition": self._relative_lane, "RelativeRoadPosition": self._relative_road,
            "RelativeObjectPosition": self._relative_object, "RelativeWorldPosition": self._relative_world,
            "RoutePosition": self._route,
        }  # fmt: skip
        if given.tag not in makers:
            raise BadInput(f"{given.where}, Position", given.tag, f"must be one of {', '.join(makers)}")
        return makers[given.tag](given)

    def at_lane(self, road: str, lane: int, s: float, offset: float, node: Node) -> Place:
        """On a lane, in the direction in which it is driven unless an `Orientation` says otherwise."""
        record = self.roads.road(road, f"{node.where}, {node.tag} roadId")
        given, length = s, record.length
        up = s > length
        while not -0.5 <= s <= record.length + 0.5:  # beyond its end, on the roads that follow
            onward = self.roads.beyond(road, lane, up) if given > 0 else []
            if not onward:
                raise BadInput(
                    f"{node.where}, {node.tag} s", round(given, 3), f"must be between 0 and {length:.2f}"
                )
            left, (road, lane, up) = s - record.length if s > 0 else -s, onward[0]
            record = self.roads.road(road)
            s = left if up else record.length - left
        s = float(np.clip(s, 0.0, record.length))
        forward = (lane <= 0) != record.left_hand
        t = self.roads.middle(road, lane, s) + offset
        pose = self.roads.pose(road, s, t)
        driven = pose.heading + (0.0 if forward else math.pi)
        heading = self._turned(node, pose.heading, driven)
        place = Place(pose.x, pose.y, pose.z, heading, road, lane, s, offset, forward)
        off = float(abs(wrap(heading - pose.heading)))
        place.forward = off < math.pi / 2
        if np.pi / 4 < off < 3 * np.pi / 4:
            place.road = ""  # across the road: it goes straight on
        return place

    def lane_beside(self, actor: Actor, lanes: int) -> int:
        """The lane so many to the left of an entity, as it looks; there is no lane 0."""
        at = actor.here
        lane, step = at.lane, int(np.sign(lanes)) * (1 if at.forward else -1)
        for _ in range(abs(lanes)):
            lane += step
            lane += step if lane == 0 else 0
        return lane

    def ahead(self, actor: Actor, way: float) -> tuple[str, int, float]:
        """Road, lane and station so far [m] along the road of an entity, on the next ones if need be."""
        at = actor.here
        road, lane, forward = at.road, at.lane, at.forward
        s = at.s + (way if forward else -way)
        for _ in range(64):
            length = self.roads.road(road).length
            if 0.0 <= s <= length:
                break
            up = s > length
            found = self.roads.beyond(road, lane, up)
            if not found:
                return road, lane, float(np.clip(s, 0.0, length))
            left = s - length if up else -s
            road, lane, along = found[0]
            s = left if along else self.roads.road(road).length - left
        return road, lane, s

    # -- the kinds of positions

    def _turned(self, node: Node, road: float, along: float) -> float:
        """The heading that an `Orientation` inside a position gives, if there is one."""
        given = node.find("Orientation")
        if given is None or "h" not in given.given:
            return wrap(along)
        h = given.number("h", 0.0)
        return wrap(h if given.text("type", "absolute") == "absolute" else along + h)

    def _world(self, node: Node) -> Place:
        x, y = node.number("x"), node.number("y")
        place = on_road(self.roads, x, y, node.number("h", 0.0))
        if not place.road and "z" in node.given:
            place.z = node.number("z")
        return place

    def _lane(self, node: Node) -> Place:
        lane = int(node.number("laneId"))
        return self.at_lane(node.text("roadId"), lane, node.number("s"), node.number("offset", 0.0), node)

    def _road(self, node: Node) -> Place:
        road, s, t = node.text("roadId"), node.number("s"), node.number("t", 0.0)
        self.roads.road(road, f"{node.where}, RoadPosition roadId")
        lane = self.roads.lane_at(road, s, t)
        return self.at_lane(road, lane, s, t - self.roads.middle(road, lane, s), node)

    def _reference(self, node: Node) -> Actor:
        actor = self.actor(node.text("entityRef"), node)
        if actor.place is None:
            raise NotPlaced(actor.name)
        return actor

    def _relative_lane(self, node: Node) -> Place:
        actor = self._reference(node)
        at = actor.here
        if not at.road:
            return self._shifted(at, node.number("ds", node.number("dsLane", 0.0)), 0.0, node)
        road, lane, s = self.ahead(actor, node.number("ds", node.number("dsLane", 0.0)))
        side = self.lane_beside(actor, int(node.number("dLane", 0.0)))
        lane = side if road == at.road else lane + side - at.lane
        return self._facing(actor, self.at_lane(road, lane, s, node.number("offset", 0.0), node), node)

    def _relative_road(self, node: Node) -> Place:
        actor = self._reference(node)
        at = actor.here
        road, _, s = self.ahead(actor, node.number("ds", 0.0))
        now = self.roads.middle(at.road, at.lane, at.s) + at.offset
        t = now + node.number("dt", 0.0) * (1 if at.forward else -1)
        lane = self.roads.lane_at(road, s, t)
        place = self.at_lane(road, lane, s, t - self.roads.middle(road, lane, s), node)
        return self._facing(actor, place, node)

    def _relative_object(self, node: Node) -> Place:
        return self._shifted(self._reference(node).here, node.number("dx", 0.0), node.number("dy", 0.0), node)

    def _relative_world(self, node: Node) -> Place:
        at = self._reference(node).here
        heading = self._turned(node, at.heading, at.heading)
        return on_road(
            self.roads, at.x + node.number("dx", 0.0), at.y + node.number("dy", 0.0), heading, at.road
        )

    def _shifted(self, at: Place, dx: float, dy: float, node: Node) -> Place:
        c, s = np.cos(at.heading), np.sin(at.heading)
        heading = self._turned(node, at.heading, at.heading)
        return on_road(self.roads, at.x + c * dx - s * dy, at.y + s * dx + c * dy, heading, at.road)

    def _facing(self, actor: Actor, place: Place, node: Node) -> Place:
        """Relative to an entity one looks as it does, unless told otherwise."""
        if node.find("Orientation") is None and place.forward != actor.here.forward:
            place.forward = actor.here.forward
            place.heading = wrap(place.heading + np.pi)
        return place

    def _route(self, node: Node) -> Place:
        route = node.find("RouteRef/Route")
        if route is None:
            raise BadInput(f"{node.where}, RoutePosition", None, "must name a Route")
        points = [self.place(one.need("Position")) for one in route.all("Waypoint")]
        if not points or not points[0].road:
            raise BadInput(f"{route.where}, Route", len(points), "must begin on a road")
        given = node.need("InRoutePosition").first()
        guide = Actor("", "", (0.0, 0.0, 0.0), place=points[0], goals=list(points[1:]))
        left = given.number("pathS", given.number("s", 0.0))
        while left > 0:  # along the route as one would drive it
            guide.speed = min(left, 1.0)
            guide.move(self.roads, 1.0)
            if guide.stuck:
                break
            left -= 1.0
        at = guide.here
        lane = int(given.number("laneId", at.lane))
        offset = given.number("laneOffset", 0.0)
        if given.tag == "FromRoadCoordinates":
            t = given.number("t", 0.0)
            lane = self.roads.lane_at(at.road, at.s, t)
            offset = t - self.roads.middle(at.road, lane, at.s)
        place = self.at_lane(at.road, lane, at.s, offset, given)
        if given.find("Orientation") is None and place.forward != at.forward and lane == at.lane:
            place.forward, place.heading = at.forward, wrap(place.heading + np.pi)
        return place
