"""Actions that set an entity's speed: changes, profiles, a distance kept, an arrival at the same time."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput

from .actors import Actor
from .measures import gap_between
from .nodes import Node
from .stage import Stage
from .transitions import transition_of

QUICK = 0.8  # [1/s] with which a distance is taken up
NEAR = 0.2  # [m] a distance counts as kept
HARDEST = 10.0  # [m/s²] where a file gives no limit


class Speed:
    """`SpeedAction`: to a speed of its own or relative to somebody's, as fast as the entity can."""

    part = "longitudinal"

    def __init__(self, node: Node, actor: Actor, stage: Stage):
        self.actor, self.change = actor, transition_of(node.need("SpeedActionDynamics"))
        target = node.need("SpeedActionTarget").first()
        self.other, self.factor, self.continuous = None, False, False
        self.value = target.number("value")
        if target.tag == "RelativeTargetSpeed":
            self.other = stage.actor(target.text("entityRef"), target)
            self.factor = target.text("speedTargetValueType", "delta") == "factor"
            self.continuous = target.flag("continuous")

    @property
    def target(self) -> float:
        wanted = self.value
        if self.other is not None:
            wanted = self.other.speed * self.value if self.factor else self.other.speed + self.value
        return float(np.clip(wanted, -self.actor.max_speed, self.actor.max_speed))

    def start(self, stage: Stage) -> None:
        actor, target = self.actor, self.target
        self.change.begin(actor.speed, target)
        self.change.most = actor.max_acceleration if target > actor.speed else actor.max_deceleration

    def step(self, stage: Stage, dt: float) -> bool:
        actor, change = self.actor, self.change
        if self.other is not None:
            change.last = self.target
        actor.speed = change.advance(dt, actor.speed * dt)
        return change.finished and not self.continuous


class SpeedProfile:
    """`SpeedProfileAction`: through speeds at times, within the limits of the entity."""

    part = "longitudinal"

    def __init__(self, node: Node, actor: Actor, stage: Stage):
        self.actor, self.clock = actor, 0.0
        other = node.given.get("entityRef")
        self.other = stage.actor(other, node) if other else None
        limits = node.find("DynamicConstraints")
        rises = limits.number("maxAcceleration", actor.max_acceleration) if limits else actor.max_acceleration
        falls = limits.number("maxDeceleration", actor.max_deceleration) if limits else actor.max_deceleration
        self.rises, self.falls = max(rises, 1e-3), max(falls, 1e-3)
        entries = node.all("SpeedProfileEntry")
        if not entries:
            raise BadInput(f"{node.where}, SpeedProfileAction", None, "has no SpeedProfileEntry")
        self.entries = [(one.number("time", -1.0), one.number("speed")) for one in entries]

    def start(self, stage: Stage) -> None:
        base = self.other.speed if self.other else 0.0
        times, speeds = [0.0], [self.actor.speed]
        for seconds, speed in self.entries:
            change = base + speed - speeds[-1]
            least = change / self.rises if change > 0 else -change / self.falls
            times.append(times[-1] + max(least, seconds))
            speeds.append(base + speed)
        self.times, self.speeds = times, speeds

    def step(self, stage: Stage, dt: float) -> bool:
        self.clock += dt
        self.actor.speed = float(np.interp(self.clock, self.times, self.speeds))
        return self.clock >= self.times[-1] - 1e-9


class KeepDistance:
    """`LongitudinalDistanceAction`: a gap in metres or seconds behind or before somebody."""

    part = "longitudinal"

    def __init__(self, node: Node, actor: Actor, stage: Stage):
        self.actor, self.other = actor, stage.actor(node.text("entityRef"), node)
        self.seconds = node.number("timeGap", np.nan)
        self.metres = node.number("distance", np.nan)
        self.free, self.continuous = node.flag("freespace"), node.flag("continuous")
        self.side = node.text("displacement", "any")
        limits = node.find("DynamicConstraints")
        self.rigid = limits is None
        names = (
            "maxAcceleration",
            "maxDeceleration",
            "maxSpeed",
            "maxAccelerationRate",
            "maxDecelerationRate",
        )
        self.limit = {name: limits.number(name, np.inf) if limits else np.inf for name in names}
        self.pull = 0.0  # [m/s²]

    def start(self, stage: Stage) -> None:
        self.pull = self.actor.acceleration

    def step(self, stage: Stage, dt: float) -> bool:
        actor, other = self.actor, self.other
        gap = gap_between(stage, actor, other, "longitudinal", self.free)
        if gap is None:
            return not self.continuous
        wanted = abs(actor.speed) * self.seconds if np.isfinite(self.seconds) else self.metres
        before = gap < 0 if self.side == "any" else self.side == "leadingReferencedEntity"
        off = gap + wanted if before else gap - wanted
        if self.rigid:
            actor.speed = other.speed + off / dt if abs(off) > 1e-6 else other.speed
            return not self.continuous
        a = QUICK**2 * off + 2.0 * QUICK * (other.speed - actor.speed)
        hard = [min(self.limit[n], HARDEST) for n in ("maxAcceleration", "maxDeceleration")]
        a = float(np.clip(a, -hard[1], hard[0]))
        jerk = [self.limit[n] * dt for n in ("maxAccelerationRate", "maxDecelerationRate")]
        self.pull = float(np.clip(a, self.pull - jerk[1], self.pull + jerk[0]))
        actor.speed = float(np.clip(actor.speed + self.pull * dt, 0.0, self.limit["maxSpeed"]))
        return not self.continuous and abs(off) < NEAR and abs(other.speed - actor.speed) < NEAR


class Synchronize:
    """`SynchronizeAction`: to be at a place when somebody else is at theirs.

    With the way d and the time τ that are left, the speed v and the speed w wished at the end, the gentlest
    motion begins with a = 6 d/τ² − (4 v + 2 w)/τ, or without w with a = 3 (d − v τ)/τ².
    """

    part = "longitudinal"

    def __init__(self, node: Node, actor: Actor, stage: Stage):
        self.node, self.actor = node, actor
        self.master = stage.actor(node.text("masterEntityRef"), node)
        self.near = node.number("targetTolerance", 1.0), node.number("targetToleranceMaster", 1.0)
        self.final = node.find("FinalSpeed")

    def start(self, stage: Stage) -> None:
        self.goals = [stage.place(self.node.need(n)) for n in ("TargetPosition", "TargetPositionMaster")]
        self.last = [np.inf, np.inf]

    def step(self, stage: Stage, dt: float) -> bool:
        ways = [self._left(stage, one, k) for k, one in enumerate((self.actor, self.master))]
        passed = [
            way < near or way > last + 1e-6
            for way, near, last in zip(ways, self.near, self.last, strict=True)
        ]
        self.last = ways
        if passed[0] or passed[1]:
            end = self._end_speed()
            self.actor.speed = self.actor.speed if end is None else end
            return True
        way, time = ways[0], ways[1] / max(self.master.speed, 1e-3)
        speed, end = self.actor.speed, self._end_speed()
        if end is not None and self._steady_way(end) < way:
            steady = self._steady_way(end)
            way, time = way - steady, max(time - steady / max(end, 1e-3), dt)
        time = max(time, dt)
        a = 3.0 * (way - speed * time) / time**2 if end is None else (
            6.0 * way / time**2 - (4.0 * speed + 2.0 * end) / time
        )  # fmt: skip
        a = float(
            np.clip(a, -min(self.actor.max_deceleration, HARDEST), min(self.actor.max_acceleration, HARDEST))
        )
        self.actor.speed = float(np.clip(speed + a * dt, 0.0, self.actor.max_speed))
        return False

    def _left(self, stage: Stage, actor: Actor, k: int) -> float:
        """[m] to go; along the road where that leads there."""
        at, goal = actor.here, self.goals[k]
        if actor.trajectory is not None:
            line = actor.trajectory
            near = np.argmin(np.hypot(line.points[:, 0] - goal.x, line.points[:, 1] - goal.y))
            return float(line.along[near]) - line.gone
        way = (
            stage.roads.distance(at.road, at.s, at.forward, goal.road, goal.s)
            if at.road and goal.road
            else None
        )
        straight = float(np.hypot(goal.x - at.x, goal.y - at.y))
        return straight if way is None else way

    def _end_speed(self) -> float | None:
        if self.final is None:
            return None
        given = self.final.first()
        value = given.number("value")
        if given.tag == "AbsoluteSpeed":
            return value
        factor = given.text("speedTargetValueType", "delta") == "factor"
        return self.master.speed * value if factor else self.master.speed + value

    def _steady_way(self, end: float) -> float:
        """[m] before the target along which the last speed is to be held."""
        given = None if self.final is None else self.final.first().children
        if not given:
            return 0.0
        one = given[0]
        return one.number("distance", 0.0) if "distance" in one.given else end * one.number("time", 0.0)
