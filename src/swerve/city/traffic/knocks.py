"""Vehicles that were hit: pushed by the impulse, skidding with locked wheels, standing, then going on."""

from __future__ import annotations

import numpy as np

from swerve.core.contact import Touch
from swerve.core.geometry import wrap
from swerve.core.kernels import kernel

from .fleet import Fleet
from .motion import follow_strip
from .net import Net

STANDS_FOR = 8.0  # [s] with the brake on, after it has come to rest
FELT = 0.3  # [m/s] of a kick below which a driver goes on
SKIDDING = 7.0  # [m/s²] of locked wheels
UNTURNING = 3.0  # [rad/s²]
MOST_TURN = 0.7  # [rad] off its lane that a vehicle is turned by


class Knocks:
    """Those who were hit: their `rows` (k,), `velocity` (k, 3) vx, vy [m/s], yaw rate, seconds `left`.

    Meanwhile their drivers decide nothing: they stand in the order of their strips like parked cars.
    """

    def __init__(self) -> None:
        self.rows = np.zeros(0, np.int64)
        self.velocity = np.zeros((0, 3))
        self.left = np.zeros(0)

    def hit(self, fleet: Fleet, touch: Touch) -> None:
        """Take the kicks of a frame that are worth it."""
        felt = np.hypot(touch.kick[:, 0], touch.kick[:, 1]) > FELT
        if not felt.any():
            return
        rows, which = np.unique(touch.rows[felt], return_inverse=True)
        kick, shift = np.zeros((len(rows), 3)), np.zeros((len(rows), 2))
        np.add.at(kick, which, touch.kick[felt])
        np.add.at(shift, which, touch.shift[felt])
        fleet.x[rows] += shift[:, 0]
        fleet.y[rows] += shift[:, 1]
        new = np.setdiff1d(rows, self.rows)
        speed, heading = fleet.speed[new], fleet.heading[new]
        moving = np.stack([speed * np.cos(heading), speed * np.sin(heading), np.zeros(len(new))], -1)
        self.rows = np.concatenate([self.rows, new])
        self.velocity = np.concatenate([self.velocity, moving])
        self.left = np.concatenate([self.left, np.zeros(len(new))])
        order = np.argsort(self.rows)
        self.rows, self.velocity, self.left = self.rows[order], self.velocity[order], self.left[order]
        at = np.searchsorted(self.rows, rows)
        self.velocity[at] += kick
        self.left[at] = STANDS_FOR
        fleet.autonomous[rows] = False
        fleet.speed[rows] = np.maximum(0.0, _along(fleet, rows, self.velocity[at]))

    def forget(self, rows: np.ndarray) -> None:
        """Those are no more."""
        kept = ~np.isin(self.rows, rows)
        self.rows, self.velocity, self.left = self.rows[kept], self.velocity[kept], self.left[kept]

    def tell(self, columns: dict[str, np.ndarray]) -> None:
        """They go where they were pushed, not where they point."""
        columns["vx"][self.rows], columns["vy"][self.rows] = self.velocity[:, 0], self.velocity[:, 1]
        columns["yaw_rate"][self.rows] = self.velocity[:, 2]

    def way(self, times: np.ndarray) -> np.ndarray:
        """(k, m, 2) [m] that they will have skidded by `times` (m,) [s] from now."""
        speed = np.hypot(self.velocity[:, 0], self.velocity[:, 1])[:, None]
        t = np.minimum(times[None], speed / SKIDDING)
        far = speed * t - SKIDDING / 2 * t * t
        return (far / np.maximum(speed, 1e-9))[..., None] * self.velocity[:, None, :2]

    def step(self, net: Net, fleet: Fleet, field: np.ndarray, drives: np.ndarray, dt: float) -> None:
        """Let them skid and stand; who has stood long enough decides for itself again, if it `drives`."""
        rows, v = self.rows, self.velocity
        if len(rows) == 0:
            return
        speed = np.hypot(v[:, 0], v[:, 1])
        slower = np.maximum(0.0, speed - SKIDDING * dt)
        share = np.where(speed > 0, (speed + slower) / 2 / np.maximum(speed, 1e-9), 0.0)
        fleet.x[rows] += dt * share * v[:, 0]
        fleet.y[rows] += dt * share * v[:, 1]
        lane = net.points["heading"][fleet.segment[rows]]
        turned = wrap(fleet.heading[rows] + dt * v[:, 2] - lane)
        fleet.heading[rows] += np.clip(turned, -MOST_TURN, MOST_TURN) - wrap(fleet.heading[rows] - lane)
        v[:, :2] *= (slower / np.maximum(speed, 1e-9))[:, None]
        v[:, 2] = np.sign(v[:, 2]) * np.maximum(0.0, np.abs(v[:, 2]) - UNTURNING * dt)
        fleet.speed[rows] = np.maximum(0.0, _along(fleet, rows, v))
        fleet.accel[rows] = np.where(slower > 0, -SKIDDING, 0.0)
        fleet.steer[rows] = 0.0
        _relocate(net, fleet, field, rows)
        self.left -= np.where(slower == 0.0, dt, 0.0)
        done = self.left <= 0.0
        if done.any():
            fleet.autonomous[rows[done]] = drives[rows[done]]
            self.rows, self.velocity, self.left = rows[~done], v[~done], self.left[~done]


def _along(fleet: Fleet, rows: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    heading = fleet.heading[rows]
    return velocity[:, 0] * np.cos(heading) + velocity[:, 1] * np.sin(heading)


@kernel
def _relocate(net: Net, fleet: Fleet, field: np.ndarray, rows: np.ndarray) -> None:
    for k in range(len(rows)):
        follow_strip(net, fleet, field, rows[k])
