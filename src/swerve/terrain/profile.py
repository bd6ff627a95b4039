"""The fastest speeds along a given path, and everything known about them.

profile = speed_profile(path, Vehicle())
profile.time, profile.speed, profile.binding
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np

from swerve.core.errors import require

from .account import account
from .costs import ENERGY, parse
from .footprint import free_along, mark_ends
from .limits import POINT, UNBOUNDED
from .path import SurfacePath
from .sweep import sweep
from .thrift import spend
from .vehicle import Vehicle

NOTHING, NOWHERE = np.zeros((1, 1)), np.zeros(6)  # exposure where there is no ground


class Trouble(IntEnum):
    """Why no motion is possible at a point."""

    NONE = 0
    SLIDES = 1
    TIPS_OVER = 2
    LIFTS_OFF = 3
    OBSTACLE = 4
    STEERING = 5
    STALLS = 6
    RUNS_AWAY = 7
    OUTSIDE = 8
    TOO_FAST = 9
    TOO_SLOW = 10
    PITCHES_OVER = 11
    WHEEL_LOAD = 12

    @property
    def words(self) -> str:
        return _TROUBLE[self]


_TROUBLE = {
    Trouble.NONE: "nothing",
    Trouble.SLIDES: "the ground is too steep or too slippery to stand on: the vehicle slides",
    Trouble.TIPS_OVER: "the side slope is too steep: the vehicle tips over standing",
    Trouble.LIFTS_OFF: "the ground hangs over: no contact",
    Trouble.OBSTACLE: "the vehicle does not clear an obstacle, a void (mobility zero) or the edge of the map",
    Trouble.STEERING: "the path bends more than the steering allows",
    Trouble.STALLS: "the climb is too steep for the engine: the vehicle comes to a stop",
    Trouble.RUNS_AWAY: "the brakes and tyres cannot hold the vehicle, or stop it where it has to stand",
    Trouble.OUTSIDE: "the path leaves the map",
    Trouble.TOO_FAST: "the start is too fast for what follows",
    Trouble.TOO_SLOW: "the speed asked for at the end cannot be reached",
    Trouble.PITCHES_OVER: "the slope is too steep: the vehicle pitches over before it climbs or holds it",
    Trouble.WHEEL_LOAD: "a wheel carries less than it has to keep",
}


class Binding(IntEnum):
    """The constraint that decides the motion at a point."""

    NONE = 0
    ENGINE = 1
    BRAKE = 2
    SLIDING = 3
    TIP_OVER = 4
    CONTACT = 5
    TOP_SPEED = 6
    STEER_RATE = 7
    PITCH_OVER = 8
    WHEEL_LOAD = 9


def binding_names(codes: np.ndarray) -> list[str]:
    """The constraints of these numbers (n,) in words: engine, brake, sliding, …"""
    words = [b.name.lower().replace("_", "-") for b in Binding]
    return [words[code] for code in codes.tolist()]


@dataclass(frozen=True)
class Profile:
    """Speeds along a path of n points. Arrays are (n,); steps are between neighbours, so the last entry of a
    step's value repeats the one before on an open path. Forces are on the vehicle by the ground [N].
    """

    distance: np.ndarray  # [m] along the path
    limit: np.ndarray  # [m/s] the velocity limit of all constraints together; zero where none is allowed
    speed: np.ndarray  # [m/s]
    acceleration: np.ndarray  # [m/s²] of the step that starts here
    drive_force: np.ndarray  # [N] along the path, braking negative
    side_force: np.ndarray  # [N] to the left
    normal_force: np.ndarray  # [N]
    friction_use: np.ndarray  # share of the friction in use, the larger of the two steps that meet here
    tip_use: np.ndarray  # the same for tip-over
    load_use: np.ndarray  # the same for pitch-over, or for wheel loads where a least one is asked for
    wheel_loads: np.ndarray  # (4, n) [N] front left, front right, rear left, rear right
    binding: np.ndarray  # `Binding` of each point
    trouble: np.ndarray  # `Trouble` of each point
    clock: np.ndarray  # [s] when each point is passed
    room: np.ndarray  # [m] between the body and closed ground up to the next point; infinite without any near
    time: float  # [s] of the whole path
    length: float  # [m]
    energy: float  # [J] work of the engine
    closed: bool

    @property
    def feasible(self) -> bool:
        return not self.trouble.any()

    @property
    def first_trouble(self) -> tuple[int, Trouble] | None:
        """The first point where no motion is possible, and why."""
        if self.feasible:
            return None
        i = int(np.flatnonzero(self.trouble)[0])
        return i, Trouble(int(self.trouble[i]))

    @property
    def max_speed(self) -> float:
        return float(self.speed.max())

    @property
    def peak_friction_use(self) -> float:
        fine = self.trouble == 0
        return float(self.friction_use[fine].max()) if fine.any() else math.nan

    @property
    def binding_shares(self) -> dict[str, float]:
        """Share of the length that each constraint decides, largest first."""
        step = np.diff(self.distance, append=self.length)
        shares = {b.name.lower().replace("_", "-"): float(step[self.binding == b].sum()) for b in Binding}
        total = max(sum(shares.values()), 1e-12)
        ranked = sorted(shares.items(), key=lambda item: -item[1])
        return {name: round(share / total, 4) for name, share in ranked if share > 0}

    @property
    def switching_points(self) -> list[dict[str, Any]]:
        """Where another constraint takes over: index, distance [m], time [s], speed [m/s], before, after."""
        names = binding_names(self.binding)
        return [
            {
                "index": i,
                "distance": float(self.distance[i]),
                "time": float(self.clock[i]),
                "speed": float(self.speed[i]),
                "before": names[i - 1],
                "after": names[i],
            }
            for i in range(1, len(names))
            if names[i] != names[i - 1]
        ]

    def every(self, k: int) -> Profile:
        """Every k-th point: values at points are kept, the worst between them is told at the one before."""
        if k == 1:
            return self
        first = np.arange(0, len(self.distance), k)
        speed, distance = self.speed[first], self.distance[first]
        ahead, there = np.roll(speed, -1), np.append(distance[1:], self.length)
        if not self.closed:
            ahead[-1], there[-1] = speed[-1], distance[-1] + 1.0
        acceleration = (ahead**2 - speed**2) / (2.0 * (there - distance))
        return replace(
            self,
            distance=distance,
            speed=speed,
            acceleration=acceleration,
            limit=self.limit[first],
            drive_force=self.drive_force[first],
            side_force=self.side_force[first],
            normal_force=self.normal_force[first],
            friction_use=np.maximum.reduceat(self.friction_use, first),
            tip_use=np.maximum.reduceat(self.tip_use, first),
            load_use=np.maximum.reduceat(self.load_use, first),
            wheel_loads=self.wheel_loads[:, first],
            binding=self.binding[first],
            trouble=np.maximum.reduceat(self.trouble, first),
            clock=self.clock[first],
            room=np.minimum.reduceat(self.room, first),
        )

    def explain(self) -> str:
        """One line: drivable in so many seconds, or where and why not."""
        first = self.first_trouble
        if first is None:
            return f"drivable in {self.time:.2f} s over {self.length:.0f} m"
        i, trouble = first
        return f"not drivable: {trouble.words}, first at {self.distance[i]:.0f} m of {self.length:.0f} m"

    def summary(self) -> dict[str, Any]:
        """The figures that the command prints for a path."""
        first = self.first_trouble
        result: dict[str, Any] = {
            "time": self.time if first is None else None,
            "length": self.length,
            "energy": self.energy if first is None else None,
            "feasible": first is None,
            "max_speed": self.max_speed,
            "peak_friction_use": self.peak_friction_use,
            "least_wheel_load": float(self.wheel_loads.min()),
            "binding": self.binding_shares,
        }
        if first is not None:
            result["trouble"] = first[1].name.lower().replace("_", "-")
            result["trouble_at"] = float(self.distance[first[0]])
            result["reason"] = self.explain()
        return result


def speed_profile(
    path: SurfacePath,
    vehicle: Vehicle,
    v_start: float = 0.0,
    v_end: float | None = 0.0,
    closed: bool | None = None,
    cost: str = "time",
) -> Profile:
    """The best speeds of `vehicle` along `path`: the fastest, or those of least `cost` where it holds energy.

    `v_start` and `v_end` [m/s] hold on an open path; with `v_end=None` it ends at any speed. A closed path
    (its own flag, or `closed`) is driven as a lap that repeats, as fast as can be. Nothing is raised for a
    path that cannot be driven: see `Profile.feasible`.
    """
    require(0.0 <= v_start < math.inf, "v_start", v_start, "must be a speed of at least 0 m/s")
    require(v_end is None or 0.0 <= v_end < math.inf, "v_end", v_end, "must be a speed of at least 0 m/s")
    x_end, least_end = (UNBOUNDED, 0.0) if v_end is None else (float(v_end) ** 2, float(v_end) ** 2)
    closed = path.closed if closed is None else closed
    require(closed == path.closed, "closed", closed, f"but the path is {'closed' if path.closed else 'open'}")
    car, drive = vehicle.packed(), vehicle.drive_table()
    n = len(path.geometry)
    points, out = np.empty((n, POINT)), np.empty((15, n))
    mark = np.empty(n, np.int8)
    codes = np.empty((2, n), np.int8)
    totals = np.empty(3)
    weights = parse(cost)
    free = np.full(n, np.inf)
    sweep(path.geometry, car, drive, float(v_start) ** 2, x_end, closed, points, out[0], out[9], out[1], mark)
    if not closed:
        where = np.column_stack([path.points, path.tangents, path.normals])
        if weights[ENERGY] > 0.0:
            seen = NOTHING if path.ground is None else path.ground.exposure
            extent = NOWHERE if path.ground is None else path.ground.frame
            spend(
                *(path.geometry, where, car, drive, points, out[9], mark),
                *(seen, extent, weights, least_end, out[1]),
            )
        if path.ground is not None:
            ground = path.ground
            fences = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
            free_along(path.geometry, where, points, car, *fences, free)
        mark_ends(mark, free, out[1], least_end)
    if vehicle.friction == 0.0:
        mark[(mark == Trouble.STALLS) | (mark == Trouble.RUNS_AWAY)] = Trouble.SLIDES  # it is not the engine
    account(path.geometry, car, drive, closed, points, mark, out, codes, totals)
    return Profile(
        distance=path.distance,
        limit=out[0],
        speed=out[1],
        acceleration=out[2],
        drive_force=out[3],
        side_force=out[4],
        normal_force=out[5],
        friction_use=out[6],
        tip_use=out[7],
        load_use=out[10],
        wheel_loads=out[11:15],
        binding=codes[0],
        trouble=mark,
        clock=out[8],
        room=free,
        time=float(totals[0]),
        length=float(totals[1]),
        energy=float(totals[2]),
        closed=closed,
    )
