"""The limits of speed along a path, each alone, as the paper draws them."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .account import speed
from .limits import C_Q, POINT, STEP, UNBOUNDED
from .path import SurfacePath
from .sweep import see_points
from .topmost import single_limits
from .vehicle import BEND_RATE, BRAKE, TIP, Vehicle

HALVINGS = 60  # of the range in which a limit is sought


def limit_curves(path: SurfacePath, vehicle: Vehicle) -> dict[str, np.ndarray]:
    """[m/s] the limits of sliding, contact and tip-over each alone, and of pitch-over, wheel loads and rate
    of steering where the vehicle has them; infinite where there is none. `Profile.limit` is their combination
    and lies below all of them."""
    n = len(path.geometry)
    points, mark, out = np.empty((n, POINT)), np.empty(n, np.int8), np.empty((3, n))
    car, drive = vehicle.packed(), float(vehicle.drive_table()[0])
    see_points(path.geometry, car, path.closed, points, mark)
    separate(points, drive, car[BRAKE], car[TIP], out)
    curves = dict(zip(("sliding", "contact", "tip-over"), out, strict=True))
    if points[0, 8] > 0.0:
        curves["pitch-over"] = _by_loads(points, drive, car, wheels=False)
    if points[0, 9] > 0.0:
        curves["wheel loads"] = _by_loads(points, drive, car, wheels=True)
    if car[BEND_RATE] < UNBOUNDED:
        curves["steering rate"] = _by_hands(path, car[BEND_RATE])
    return curves


@kernel
def separate(points: np.ndarray, drive: float, brake: float, beta: float, out: np.ndarray) -> None:
    for i in range(len(points)):
        sliding, contact, tip = single_limits(points, i, drive, brake, beta)
        out[0, i], out[1, i], out[2, i] = speed(sliding), speed(contact), speed(tip)


def _by_loads(p: np.ndarray, drive: float, car: np.ndarray, wheels: bool) -> np.ndarray:
    """[m/s] up to which some force keeps both axles, or all `wheels`, loaded: the best one has no share along
    the body, or none across it, as far as drive and brakes go."""
    s, c, pitch, least = p[:, 6], p[:, 7], p[:, 8], p[:, 9]

    def spare(x: np.ndarray) -> np.ndarray:
        q, r = p[:, 1] + p[:, 2] * x, p[:, 3] + p[:, 4] * x
        taken = []
        with np.errstate(divide="ignore", invalid="ignore"):
            forces = (q * s / c, np.where(np.abs(s) > 1e-12, -q * c / s, 0.0))
        for force in forces:
            f = np.clip(force, -car[BRAKE], drive)
            across = np.abs(f * s + q * c) / car[TIP] if wheels else 0.0
            taken.append(pitch * np.abs(f * c - q * s) + across)
        return r - least * wheels - np.minimum(*taken)

    low, high = np.zeros(len(p)), np.full(len(p), UNBOUNDED)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        holds = spare(middle) >= 0.0
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return np.where(spare(high) >= 0.0, np.inf, np.sqrt(low))


def _by_hands(path: SurfacePath, rate: float) -> np.ndarray:
    """[m/s] up to which the steering follows the bends at `rate` [1/(m·s)], over both steps of a point."""
    bend, step = path.geometry[:, C_Q], path.geometry[:, STEP]
    change = np.abs(np.roll(bend, -1) - bend)
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(change > 0.0, rate * step / change, np.inf)
    if not path.closed:
        most[-1] = np.inf
    return np.minimum(most, np.roll(most, 1))
