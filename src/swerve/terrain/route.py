"""A way with its speeds: as a plan, as a recording, and how the body stands on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swerve.core import attitude
from swerve.core.errors import BadInput

from .path import SurfacePath
from .profile import Profile
from .vehicle import Vehicle

if TYPE_CHECKING:  # to load what writes files takes as long as to load what plans
    from swerve.core.plan import Plan
    from swerve.core.recording import Recording

MOST_FRAMES = 200_000  # of a recording


@dataclass(frozen=True)
class Route:
    """A path with its speeds; `cost` in the measure that was asked for."""

    path: SurfacePath
    profile: Profile
    cost: float

    @property
    def feasible(self) -> bool:
        return self.profile.feasible

    def over_edge(self, vehicle: Vehicle) -> float:
        """[m] that the body reaches over the sides of the map at most: above zero only where the start or the
        goal lies nearer to one than the body reaches."""
        if self.path.ground is None:
            return 0.0
        ahead = self.path.facing(vehicle)[:, :2]
        ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-12)
        length, width, _ = vehicle.size
        reach = 0.5 * (length * np.abs(ahead) + width * np.abs(ahead[:, ::-1]))
        low, high = self.path.ground.frame[:2], self.path.ground.frame[4:6]
        place = self.path.points[:, :2]
        return max(0.0, float(np.maximum(low - place + reach, place + reach - high).max()))

    def plan(self, vehicle: Vehicle | None = None) -> Plan:
        """Place, attitude, speed and held accelerations; with a vehicle, also its steering."""
        from .plans import motion_plan

        return motion_plan(self.path, self.profile, self.cost, vehicle)

    def recording(
        self, vehicle: Vehicle, meta: dict[str, Any] | None = None, rate: float = 10.0
    ) -> Recording:
        """The drive as a recording, `rate` frames a second, the body standing on the ground; fewer a second
        where a drive takes so long that there would be more than `MOST_FRAMES`."""
        from swerve.core.recording import Recording

        p, clock = self.path, self.profile.clock
        gap = max(1.0 / rate, float(clock[-1]) / MOST_FRAMES)
        t = np.append(np.arange(0.0, clock[-1], gap), clock[-1])

        def at(values: np.ndarray) -> np.ndarray:
            return np.stack([np.interp(t, clock, column) for column in values.T], axis=1)

        def unit(values: np.ndarray) -> np.ndarray:
            return values / np.linalg.norm(values, axis=1, keepdims=True)

        turn, up = attitude.from_axes(unit(at(p.facing(vehicle))), at(p.normals))
        place = at(p.points) + 0.5 * vehicle.size[2] * up
        velocity = np.interp(t, clock, self.profile.speed)[:, None] * unit(at(p.tangents))
        columns: dict[str, Any] = {
            "t": t,
            "id": np.zeros(len(t)),
            "kind": np.full(len(t), "car", dtype=object),
        }
        columns |= dict(zip("xyz", place.T, strict=True))
        columns |= attitude.columns(turn)
        columns |= dict(zip(("vx", "vy", "vz"), velocity.T, strict=True))
        sizes = zip(("length", "width", "height"), vehicle.size, strict=True)
        columns |= {name: np.full(len(t), size) for name, size in sizes}
        columns["steer"] = np.interp(t, clock, p.orientation(vehicle)[1])
        columns["brake"] = np.interp(t, clock, self.profile.drive_force) < 0
        return Recording(columns, meta)


@dataclass(frozen=True)
class Routes:
    """Distinct local optima, feasible ones first and best first. `candidates` are the smoothed grid ways that
    were kept for local optimisation; `stats` counts the effort; `reason` says why there is no way."""

    found: list[Route]
    candidates: list[Route]
    stats: dict[str, Any]
    reason: str = ""

    @property
    def best(self) -> Route:
        if not self.found:
            raise BadInput("routes", None, self.reason or "none was found")
        return self.found[0]

    @property
    def feasible(self) -> bool:
        return bool(self.found) and self.found[0].feasible
