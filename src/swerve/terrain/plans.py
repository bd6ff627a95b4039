"""A path with its speeds as a plan: where the vehicle is when, how it stands, and what drives it."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.plan import Plan, Status

from .path import SurfacePath
from .profile import Profile
from .vehicle import Vehicle

COLUMNS = ("x", "y", "z", "heading", "pitch", "roll", "speed", "curvature")
CONTROLS = ("acceleration", "drive_force")
UNITS = {"curvature": "1/m", "acceleration": "m/s²", "drive_force": "N"}


def motion_plan(
    path: SurfacePath,
    profile: Profile,
    cost: float,
    vehicle: Vehicle | None = None,
    meta: dict[str, Any] | None = None,
) -> Plan:
    """The drive along `path` at the speeds of `profile`; a closed path ends where it began.

    The acceleration [m/s²] is held from point to point, the force [N] is what it takes at the first of the
    two. With a `vehicle` the attitude is its body's, and there is its steering angle, `steer` [rad]. Of a
    path that cannot be driven the plan holds what lies before the first place at which the clock stops.
    """
    ahead = path.tangents if vehicle is None else path.facing(vehicle)  # in a bend a body points out of it
    pitch, roll = slopes(path, ahead)
    heading = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
    table = [path.points, heading, pitch, roll, profile.speed, path.geodesic_curvature]
    columns: tuple[str, ...] = COLUMNS
    if vehicle is not None:
        table.append(path.orientation(vehicle)[1])
        columns = (*COLUMNS, "steer")
    states, clock = np.column_stack(table), profile.clock
    if vehicle is not None:  # the middle of the body, which stands on the ground
        states[:, :3] += 0.5 * vehicle.size[2] * path.normals
    if path.closed:
        again = states[:1].copy()
        again[:, 3] += 2 * np.pi * np.round((heading[-1] - heading[0]) / (2 * np.pi))
        states, clock = np.vstack([states, again]), np.append(clock, profile.time)
    n = len(clock)
    driven = np.isfinite(clock) & np.isfinite(states).all(axis=1)
    if not driven.all():
        n = int(np.argmin(driven))
    held = np.column_stack([profile.acceleration, profile.drive_force])[: max(n - 1, 0)]
    about: dict[str, Any] = {"wing": "terrain", "kind": "car", "units": UNITS, **(meta or {})}
    if vehicle is not None:
        about["size"] = vehicle.size
    return Plan(
        Status.SOLVED if profile.feasible else Status.INFEASIBLE,
        clock[:n],
        states[:n],
        columns,
        held,
        CONTROLS,
        cost,
        profile.summary(),
        about,
    )


def slopes(path: SurfacePath, ahead: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Pitch, nose up, and roll, leaning to the right, of the ground along the path, or where a body on it
    points, `ahead` (n, 3): (n,) [rad] each."""
    ahead = path.tangents if ahead is None else ahead
    left = np.cross(path.normals, ahead)
    pitch = np.arcsin(np.clip(ahead[:, 2], -1.0, 1.0))
    return pitch, np.arctan2(left[:, 2], path.normals[:, 2])
