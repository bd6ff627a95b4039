"""Conditions of a storyboard: by value, by entity, by the state of its elements; edges and delays."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable
from typing import Protocol

import numpy as np

from .actors import Actor
from .measures import gap_between, gap_to
from .nodes import Node
from .stage import NotPlaced, Stage

RULES: dict[str, Callable[[float, float], bool]] = {
    "greaterThan": operator.gt, "lessThan": operator.lt, "equalTo": operator.eq,
    "greaterOrEqual": operator.ge, "lessOrEqual": operator.le, "notEqualTo": operator.ne,
}  # fmt: skip
EVEN = 1e-6  # numbers that differ by less are equal
TRANSITIONS = {"startTransition": "start", "endTransition": "end", "stopTransition": "stop",
               "skipTransition": "skip"}  # fmt: skip
STATES = {"standbyState": "standby", "runningState": "running", "completeState": "complete"}


class Elements(Protocol):
    """The storyboard's elements by kind and name."""

    def state(self, kind: str, name: str) -> str | None: ...

    def moment(self, kind: str, name: str, transition: str) -> float: ...


class Trigger:
    """A `StartTrigger` or `StopTrigger`: any group of which all conditions hold."""

    def __init__(self, node: Node | None, elements: Elements):
        groups = [] if node is None else node.all("ConditionGroup")
        self.groups = [[Condition(one, elements) for one in group.all("Condition")] for group in groups]

    def __bool__(self) -> bool:
        return any(self.groups)

    def holds(self, stage: Stage) -> bool:
        values = [[one.holds(stage) for one in group] for group in self.groups]
        return any(group and all(group) for group in values)


class Condition:
    """With its edge, and its value of `delay` seconds ago; what holds when first looked at is no edge."""

    def __init__(self, node: Node, elements: Elements):
        self.node, self.elements = node, elements
        self.edge, self.delay = node.text("conditionEdge", "none"), node.number("delay", 0.0, least=0.0)
        self.name = node.text("name", "")
        self._last: bool | None = None
        self._history: deque[tuple[float, bool]] = deque()
        self._seen = -np.inf

    def holds(self, stage: Stage) -> bool:
        now = self._now(stage)
        before, self._last = now if self._last is None else self._last, now
        edges = {
            "rising": now and not before, "falling": before and not now, "risingOrFalling": now != before,
        }  # fmt: skip
        value = edges.get(self.edge, now)
        if not self.delay:
            return value
        self._history.append((stage.time, value))
        due = False
        while self._history and self._history[0][0] <= stage.time - self.delay + 1e-9:
            due |= self._history.popleft()[1]
        return due

    def _now(self, stage: Stage) -> bool:
        given = self.node.first()
        if given.tag == "ByValueCondition":
            return self._by_value(given.first(), stage)
        if given.tag == "ByEntityCondition":
            return self._by_entity(given, stage)
        stage.miss(given, f"{given.tag} is not supported")
        return False

    def _by_value(self, given: Node, stage: Stage) -> bool:
        if given.tag == "SimulationTimeCondition":
            return compared(stage.time, given)
        if given.tag in ("ParameterCondition", "VariableCondition"):
            name = given.given.get("parameterRef") or given.text("variableRef")
            return _same_text(stage.values.get(name, ""), given)
        if given.tag == "TrafficSignalCondition":
            return stage.signals.get(given.text("name")) == given.text("state")
        if given.tag == "StoryboardElementStateCondition":
            kind, name = given.text("storyboardElementType"), given.text("storyboardElementRef")
            state = given.text("state")
            if self.elements.state(kind, name) is None:
                stage.miss(given, f"there is no {kind} {name}")
                return False
            if state in STATES:
                return self.elements.state(kind, name) == STATES[state]
            moment = self.elements.moment(kind, name, TRANSITIONS.get(state, state))
            fresh = moment > self._seen and moment > stage.time - 1.5 * stage.dt
            self._seen = max(self._seen, moment)
            return fresh
        stage.miss(given, f"{given.tag} is not supported")
        return False

    def _by_entity(self, given: Node, stage: Stage) -> bool:
        who = given.need("TriggeringEntities")
        what = given.need("EntityCondition").first()
        if what.tag not in _ENTITY:
            stage.miss(what, f"{what.tag} is not supported")
            return False
        actors = [stage.actor(one.text("entityRef"), one) for one in who.all("EntityRef")]
        try:
            values = [a.place is not None and _ENTITY[what.tag](what, a, stage) for a in actors]
        except NotPlaced:
            return False
        return any(values) if who.text("triggeringEntitiesRule", "any") == "any" else all(values)


def compared(value: float | None, node: Node, name: str = "value") -> bool:
    """Whether a number stands to the node's value as its rule says."""
    if value is None:
        return False
    rule, wanted = node.text("rule", "greaterThan"), node.number(name)
    if rule in ("equalTo", "notEqualTo"):
        return (abs(value - wanted) < EVEN) == (rule == "equalTo")
    return RULES[rule](value, wanted) if rule in RULES else False


def _same_text(value: str, node: Node) -> bool:
    try:
        return compared(float(value), node)
    except ValueError:
        same = value == node.text("value")
        return same if node.text("rule", "equalTo") == "equalTo" else not same


def _position(node: Node, actor: Actor, stage: Stage) -> bool:
    goal = stage.place(node.need("Position"))
    return bool(np.hypot(goal.x - actor.here.x, goal.y - actor.here.y) <= node.number("tolerance"))


def _headway(node: Node, actor: Actor, stage: Stage) -> bool:
    way = node.text("relativeDistanceType", "longitudinal")
    system = node.text("coordinateSystem", "road" if node.flag("alongRoute") else "entity")
    gap = gap_between(
        stage, actor, stage.actor(node.text("entityRef"), node), way, node.flag("freespace"), system
    )
    return gap is not None and gap >= 0 and actor.speed > EVEN and compared(gap / actor.speed, node)


def _distance(node: Node, actor: Actor, stage: Stage) -> bool:
    way = node.text("relativeDistanceType", "cartesianDistance")
    system = node.text("coordinateSystem", "entity")
    other = stage.actor(node.text("entityRef"), node)
    gap = gap_between(stage, actor, other, way, node.flag("freespace"), system)
    return gap is not None and compared(abs(gap), node)


def _distance_to(node: Node, actor: Actor, stage: Stage) -> bool:
    way = node.text(
        "relativeDistanceType", "longitudinal" if node.flag("alongRoute") else "cartesianDistance"
    )
    system = node.text("coordinateSystem", "road" if node.flag("alongRoute") else "entity")
    gap = gap_to(stage, actor, stage.place(node.need("Position")), way, system)
    return gap is not None and compared(abs(gap), node)


def _collision_time(node: Node, actor: Actor, stage: Stage) -> bool:
    target = node.need("TimeToCollisionConditionTarget")
    free, system = node.flag("freespace"), node.text("coordinateSystem", "entity")
    way = node.text("relativeDistanceType", "longitudinal")
    other = target.find("EntityRef")
    if other is not None:
        who = stage.actor(other.text("entityRef"), other)
        gap = gap_between(stage, actor, who, way, free, system)
        along = who.speed * np.cos(who.here.heading - actor.here.heading) if who.place else 0.0
        closing = actor.speed - along
    else:
        gap = gap_to(stage, actor, stage.place(target.need("Position")), way, system)
        closing = actor.speed
    return gap is not None and gap >= 0 and closing > EVEN and compared(gap / closing, node)


def _relative_speed(node: Node, actor: Actor, stage: Stage) -> bool:
    other = stage.actor(node.text("entityRef"), node)
    return other.place is not None and compared(actor.speed - other.speed, node)


def _collision(node: Node, actor: Actor, stage: Stage) -> bool:
    other = node.find("EntityRef")
    touching = [pair for pair in stage.touching if actor.name in pair]
    return any(other is None or other.text("entityRef") in pair for pair in touching)


def _off_road(node: Node, actor: Actor, stage: Stage) -> bool:
    if not stage.roads.drive.roads:
        return True
    x, y = actor.middle
    spot = stage.roads.locate(x, y, actor.here.road)
    right, left = stage.roads.edges(spot.road, spot.s)
    return not right <= spot.t <= left and _lasting(actor, "off road", stage) >= node.number("duration", 0.0)


def _lasting(actor: Actor, what: str, stage: Stage) -> float:
    """[s] since this first held; asked for only while it does."""
    first, last = actor.held.get(what, (stage.time, stage.time))
    first = first if stage.time - last <= 1.5 * stage.dt else stage.time
    actor.held[what] = (first, stage.time)
    return float(stage.time - first)


def _clear(node: Node, actor: Actor, stage: Stage) -> bool:
    """`RelativeClearanceCondition`: nobody within the distances, in the lanes told from the entity's."""
    ahead, behind = node.number("distanceForward", 0.0), node.number("distanceBackward", 0.0)
    ranges = node.all("RelativeLaneRange")
    named = {one.text("entityRef") for one in node.all("EntityRef")}
    for other in stage.actors.values():
        if other is actor or other.place is None or (named and other.name not in named):
            continue
        gap = gap_between(stage, actor, other, "longitudinal", node.flag("freeSpace"), "road")
        if gap is None or not -behind <= gap <= ahead:
            continue
        lanes = (other.here.lane - actor.here.lane) * (1 if actor.here.forward else -1)
        within = [one.number("from", -99.0) <= lanes <= one.number("to", 99.0) for one in ranges]
        if not ranges or any(within):
            return False
    return True


_ENTITY: dict[str, Callable[[Node, Actor, Stage], bool]] = {
    "ReachPositionCondition": _position, "TimeHeadwayCondition": _headway, "DistanceCondition": _distance_to,
    "RelativeDistanceCondition": _distance, "TimeToCollisionCondition": _collision_time,
    "SpeedCondition": lambda n, a, s: compared(a.speed, n),
    "AccelerationCondition": lambda n, a, s: compared(a.acceleration, n),
    "RelativeSpeedCondition": _relative_speed,
    "TraveledDistanceCondition": lambda n, a, s: a.travelled >= n.number("value"),
    "StandStillCondition": lambda n, a, s: a.stood >= n.number("duration") - 1e-9,
    "EndOfRoadCondition": lambda n, a, s: a.stuck > 0 and a.stuck >= n.number("duration") - 1e-9,
    "CollisionCondition": _collision, "OffroadCondition": _off_road, "RelativeClearanceCondition": _clear,
}  # fmt: skip
