"""Actions that move an entity sideways in its lane and between lanes."""

from __future__ import annotations

import math

import numpy as np

from .actors import Actor
from .nodes import Node
from .stage import Stage
from .transitions import Transition, transition_of

GENTLE = 0.5  # [m/s²] sideways where a file gives no limit
NEAR = 0.05  # [m] a distance counts as reached


class LaneChange:
    """`LaneChangeAction`: into another lane, by its number or counted from somebody's."""

    part = "lateral"

    def __init__(self, node: Node, actor: Actor, stage: Stage):
        self.actor, self.change = actor, transition_of(node.need("LaneChangeActionDynamics"))
        self.target = node.need("LaneChangeTarget").first()
        self.aside = node.number("targetLaneOffset", 0.0)

    def start(self, stage: Stage) -> None:
        at, target = self.actor.here, self.target
        if not at.road:
            return
        if target.tag == "AbsoluteTargetLane":
            lane = int(target.number("value"))
        else:
            other = stage.actor(target.text("entityRef"), target)
            lane = stage.lane_beside(other, int(target.number("value")))
        here = stage.roads.middle(at.road, at.lane, at.s) + at.offset
        at.lane, at.offset = lane, here - stage.roads.middle(at.road, lane, at.s)
        self.actor._offset = at.offset
        self.change.begin(at.offset, self.aside * (1 if at.forward else -1))

    def step(self, stage: Stage, dt: float) -> bool:
        at = self.actor.here
        if not at.road:
            return True
        at.offset = self.change.advance(dt, self.actor.speed * dt)
        return self.change.finished


class LaneOffset:
    """`LaneOffsetAction`: so far to the left of the lane's middle, or of somebody's offset."""

    part = "lateral"

    def __init__(self, node: Node, actor: Actor, stage: Stage):
        self.actor, self.continuous = actor, node.flag("continuous")
        dynamics = node.find("LaneOffsetActionDynamics")
        self.shape = dynamics.text("dynamicsShape", "cubic") if dynamics else "step"
        self.limit = max(dynamics.number("maxLateralAcc", GENTLE) if dynamics else GENTLE, 1e-3)
        self.target = node.need("LaneOffsetTarget").first()

    def _aim(self, stage: Stage) -> float:
        aim = self.target.number("value") * (1 if self.actor.here.forward else -1)
        if self.target.tag == "RelativeTargetLaneOffset":
            aim += stage.actor(self.target.text("entityRef"), self.target).here.offset
        return aim

    def start(self, stage: Stage) -> None:
        at, aim = self.actor.here, self._aim(stage)
        # the sideways acceleration of a sinusoidal change is π² Δ / 2 T² at most, of a cubic one 6 Δ / T²
        most = {"sinusoidal": math.pi**2 / 2, "cubic": 6.0, "linear": 4.0}.get(self.shape, 0.0)
        self.change = Transition(self.shape, "time", math.sqrt(most * abs(aim - at.offset) / self.limit))
        self.change.begin(at.offset, aim)

    def step(self, stage: Stage, dt: float) -> bool:
        if self.continuous:
            self.change.last = self._aim(stage)
        self.actor.here.offset = self.change.advance(dt, self.actor.speed * dt)
        relative = self.target.tag == "RelativeTargetLaneOffset"
        return self.change.finished and not (self.continuous and relative)  # its own offset holds by itself


class LateralDistance:
    """`LateralDistanceAction`: so far beside somebody."""

    part = "lateral"

    def __init__(self, node: Node, actor: Actor, stage: Stage):
        self.actor, self.other = actor, stage.actor(node.text("entityRef"), node)
        self.free, self.continuous = node.flag("freespace"), node.flag("continuous")
        self.wanted = node.number("distance", 0.0)
        self.side = node.text("displacement", "any")
        limits = node.find("DynamicConstraints")
        self.most = limits.number("maxSpeed", np.inf) if limits else np.inf
        self.hard = limits.number("maxAcceleration", np.inf) if limits else np.inf
        self.pace = 0.0  # [m/s] to the left of the road

    def start(self, stage: Stage) -> None:
        self.pace = 0.0

    def step(self, stage: Stage, dt: float) -> bool:
        at, other = self.actor.here, self.other.here
        if not at.road or not other.road:
            return True
        roads = stage.roads
        here = roads.middle(at.road, at.lane, at.s) + at.offset
        there = roads.middle(other.road, other.lane, other.s) + other.offset
        left = 1 if other.forward else -1
        side = {"leftToReferencedEntity": left, "rightToReferencedEntity": -left}.get(
            self.side, 1 if here >= there else -1
        )
        room = (self.actor.outline[1] + self.other.outline[1]) / 2 if self.free else 0.0
        off = there + side * (self.wanted + room) - here
        pace = off / dt
        if np.isfinite(self.hard):  # from which it can still come to rest beside
            pace = float(np.sign(off) * min(abs(pace), math.sqrt(2.0 * self.hard * abs(off))))
            pace = float(np.clip(pace, self.pace - self.hard * dt, self.pace + self.hard * dt))
        self.pace = float(np.clip(pace, -self.most, self.most))
        at.offset += self.pace * dt
        return not self.continuous and abs(off) < NEAR
