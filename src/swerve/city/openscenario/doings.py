"""Actions by their elements: what a `PrivateAction` or `GlobalAction` does, and which ones nobody does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.geometry import wrap

from .actors import Actor, Place
from .lateral import LaneChange, LaneOffset, LateralDistance
from .longitudinal import KeepDistance, Speed, SpeedProfile, Synchronize
from .nodes import Node
from .stage import Stage
from .trajectories import Located, Pose, trajectory_of


class Doing(Protocol):
    """What one entity does; a new one of the same part ends it."""

    part: str

    def start(self, stage: Stage) -> None: ...

    def step(self, stage: Stage, dt: float) -> bool:
        """Go on by dt [s]; true when it is done."""
        ...


class Once:
    """Something that is done at once."""

    part = ""

    def __init__(self, act: Callable[[Stage], None]):
        self._act = act

    def start(self, stage: Stage) -> None:
        self._act(stage)

    def step(self, stage: Stage, dt: float) -> bool:
        return True


class FollowTrajectory:
    """`FollowTrajectoryAction`: along a line, at the entity's speed or by the line's times."""

    part = "lateral"

    def __init__(self, node: Node, actor: Actor, stage: Stage):
        self.node, self.actor = node, actor
        given = node.find("TrajectoryRef/Trajectory") or node.find("Trajectory")
        if given is None:
            raise BadInput(f"{node.where}, FollowTrajectoryAction", None, "must name a Trajectory")
        self.given = given

    def start(self, stage: Stage) -> None:
        timing = self.node.find("TimeReference/Timing")
        scale = timing.number("scale", 1.0) if timing else 1.0
        shift = timing.number("offset", 0.0) if timing else 0.0
        if timing is not None and timing.text("domainAbsoluteRelative", "relative") == "absolute":
            shift -= stage.time
        line = trajectory_of(self.given, timing is not None, shift, scale, self._located(stage))
        line.gone = self.node.number("initialDistanceOffset", 0.0, least=0.0)
        self.line = line
        if self.actor.place is None:  # it begins where the trajectory does
            x, y, z = line.points[0].tolist()
            self.actor.put(Place(x, y, z, float(line.heading[0])))
        line.opposed = line.times is None and abs(wrap(self.actor.here.heading - line.heading[0])) > np.pi / 2
        self.actor.trajectory = line

    def _located(self, stage: Stage) -> Located:
        def at(position: Node | None) -> Pose:
            place = self.actor.here if position is None else stage.place(position)
            return place.x, place.y, place.z, place.heading

        return at

    def step(self, stage: Stage, dt: float) -> bool:
        return self.line.finished or self.actor.trajectory is not self.line


LAMPS = ("brakeLights", "indicatorLeft", "indicatorRight", "specialPurposeLights", "warningLights")


def _teleport(node: Node, actor: Actor) -> Doing:
    def act(stage: Stage) -> None:
        actor.put(stage.place(node.need("Position")))
        actor.settle(stage.roads)

    return Once(act)


def _assign_route(node: Node, actor: Actor) -> Doing:
    def act(stage: Stage) -> None:
        route = node.need("Route")
        actor.goals = [stage.place(one.need("Position")) for one in route.all("Waypoint")]

    return Once(act)


def _acquire(node: Node, actor: Actor) -> Doing:
    def act(stage: Stage) -> None:
        actor.goals = [stage.place(node.need("Position"))]

    return Once(act)


def _light(node: Node, actor: Actor) -> Doing:
    def act(stage: Stage) -> None:
        lamp = node.find("LightType/VehicleLight")
        word = lamp.text("vehicleLightType") if lamp else ""
        if word not in LAMPS:
            stage.miss(node, f"lamp {word or 'of a user'}")
            return
        on = node.need("LightState").text("mode") != "off"
        for name in ("indicatorLeft", "indicatorRight") if word == "warningLights" else (word,):
            actor.lamps[name] = on

    return Once(act)


def private_doing(node: Node, actor: Actor, stage: Stage) -> Doing | None:
    """What a `PrivateAction` does with an entity; None, and a note, where nobody does it."""
    given = node.first()
    if given.tag in ("LongitudinalAction", "LateralAction", "RoutingAction", "AppearanceAction"):
        given = given.first()
    lasting: dict[str, Callable[[Node, Actor, Stage], Doing]] = {
        "SpeedAction": Speed, "SpeedProfileAction": SpeedProfile, "LongitudinalDistanceAction": KeepDistance,
        "SynchronizeAction": Synchronize, "LaneChangeAction": LaneChange, "LaneOffsetAction": LaneOffset,
        "LateralDistanceAction": LateralDistance, "FollowTrajectoryAction": FollowTrajectory,
    }  # fmt: skip
    quick: dict[str, Callable[[Node, Actor], Doing]] = {
        "TeleportAction": _teleport, "AssignRouteAction": _assign_route, "AcquirePositionAction": _acquire,
        "LightStateAction": _light,
    }  # fmt: skip
    if given.tag in lasting:
        return lasting[given.tag](given, actor, stage)
    if given.tag in quick:
        return quick[given.tag](given, actor)
    what = given.children[0].tag if given.tag == "ControllerAction" and given.children else given.tag
    stage.miss(given, f"{what} is not supported")
    return None


def global_doing(node: Node, stage: Stage) -> Doing | None:
    """What a `GlobalAction` does; None, and a note, where nobody does it."""
    given = node.first()
    if given.tag in ("ParameterAction", "VariableAction"):
        name = given.given.get("parameterRef") or given.text("variableRef")
        how = given.first()
        return Once(lambda stage: stage.values.__setitem__(name, _changed(stage, name, how)))
    if given.tag == "EntityAction" and given.find("DeleteEntityAction") is not None:
        actor = stage.actor(given.text("entityRef"), given)
        return Once(lambda stage: setattr(actor, "place", None))
    if given.tag == "EntityAction" and given.find("AddEntityAction/Position") is not None:
        actor, where = stage.actor(given.text("entityRef"), given), given.need("AddEntityAction")
        return _teleport(where, actor)
    state = given.find("TrafficSignalAction/TrafficSignalStateAction")
    if state is not None:
        return Once(lambda stage: stage.signals.__setitem__(state.text("name"), state.text("state")))
    what = given.children[0].tag if given.children else given.tag
    stage.miss(
        given, f"{given.tag} {what} is not supported" if what != given.tag else f"{what} is not supported"
    )
    return None


def _changed(stage: Stage, name: str, how: Node) -> str:
    """The value of a parameter after a `SetAction` or `ModifyAction`."""
    if how.tag == "SetAction":
        return how.text("value")
    rule, now = how.need("Rule").first(), float(stage.values.get(name, "0"))
    return str(now + rule.number("value") if rule.tag.startswith("Add") else now * rule.number("value"))
