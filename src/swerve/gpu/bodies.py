"""Batches whose kernels run on JAX's device, in the place of the wings' own: in worlds, scenes, commands.

They hold their state as those do and hand it over every step, so they are for agreement with the rest of the
house; for millions of bodies call `drive_steadily`, `ride` and `flow`, which leave everything on the device.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from swerve.core.bodies import Bodies
from swerve.core.errors import BadInput, require
from swerve.core.motion import Motion
from swerve.core.steered import AIM
from swerve.race.body import SUBSTEP, SlidingCar, SlidingCars
from swerve.race.car import MAX_DRIVE, MAX_STEER, MAX_STEER_RATE
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.mobility import MobilityMap
from swerve.riders.maps.trials import state_of
from swerve.riders.steering.decide import Navigator, Weights
from swerve.riders.steering.herd_law import FORESEEN

from .arrays import on_device
from .cars import Numbers, State, advance, turned
from .lanes import Drivers, Lanes, Rules, Traffic, flow
from .pack import car_numbers, lane_rules, map_arrays
from .riders import Map, Riders, choose, look, said_at, tick

LANE_WIDTH, CAR_WIDTH, CAR_HEIGHT = 3.5, 1.8, 1.5  # [m]
BETWEEN = 10.0  # [m] between rings


def precision() -> str:
    """`float64` where JAX was told so (`jax_enable_x64`), else `float32`."""
    return str(jnp.zeros(()).dtype)


class JaxGlide(Glide):
    """`Glide` with its tick on the device."""

    def __init__(self, map_: MobilityMap, count: int):
        super().__init__(map_, count)
        self._arrays = on_device(map_arrays(map_), precision())

    def _tick(self, heading: np.ndarray, speed: np.ndarray) -> None:
        columns: Any = (*self.pose.T, *self.state.T, *self.velocity.T, self.pace, self.fell, self.falling)
        real = precision()
        now = on_device(Riders(*columns), real)
        moved = _tick(self._arrays, now, jnp.asarray(heading, real), jnp.asarray(speed, real))
        x, y, yaw, roll, yaw_rate, roll_rate, vx, vy, pace, fell, falling = (np.asarray(c) for c in moved)
        self.pose[:] = np.column_stack([x, y, yaw])
        self.state[:] = np.column_stack([roll, yaw_rate, roll_rate])
        self.velocity[:] = np.column_stack([vx, vy])
        self.pace[:], self.fell[:], self.falling[:] = pace, fell, falling


_tick = jax.jit(tick)


class JaxNavigator(Navigator):
    """`Navigator` by the rule `ours`, with its choices on the device."""

    def __init__(self, map_: MobilityMap, weights: Weights):
        super().__init__(map_, weights)

    @cached_property
    def arrays(self) -> Map:
        return on_device(map_arrays(self.map, self), precision())

    def turns(self, motion: Motion, reference: np.ndarray) -> np.ndarray:
        wanted = (len(motion), self.ticks, 3)
        require(reference.shape == wanted, "reference", reference.shape, f"must be {wanted}")
        put = partial(jnp.asarray, dtype=precision())
        state, pose = put(state_of(motion).T), put(motion.pose.T)
        # seen from the rider, so that single precision is fine anywhere
        seen = reference - np.column_stack([motion.x, motion.y, np.zeros(len(motion))])[:, None]
        told = put(motion.extra(AIM, np.nan))
        return np.asarray(_choose(self.arrays, state, pose, told, put(seen.transpose(2, 1, 0))), float)

    def foresee(self, motion: Motion, heading: np.ndarray, seconds: float) -> np.ndarray:
        if seconds != FORESEEN:
            return super().foresee(motion, heading, seconds)
        put = partial(jnp.asarray, dtype=precision())
        ahead, left = _foresee(self.arrays, put(state_of(motion).T), put(heading - motion.yaw))
        going = np.asarray(ahead, float) + 1j * np.asarray(left, float)
        moved = np.where(motion.fell, 0.0, 1.0) * np.exp(1j * motion.yaw) * going
        return np.column_stack([motion.x + moved.real, motion.y + moved.imag])


@jax.jit
def _choose(map_: Map, state: jax.Array, pose: jax.Array, told: jax.Array, reference: jax.Array) -> jax.Array:
    """For states (4, n), poses (3, n), headings told before (n,) and a reference (3, q, n) whose places are
    seen from the riders."""
    seen = look(map_, (state[0], state[1], state[2]), state[3])
    zero = jnp.zeros_like(pose[2])
    return choose(map_, seen, zero, zero, pose[2], told, (reference[0], reference[1], reference[2]))


@jax.jit
def _foresee(map_: Map, state: jax.Array, turn: jax.Array) -> tuple[jax.Array, jax.Array]:
    said = said_at(map_, (state[0], state[1], state[2]), state[3], turn)
    return said[0], said[1]


class JaxCar(SlidingCar):
    """The sliding car as a kind of body whose batches drive on the device, on level ground."""

    def start(self, count: int) -> JaxCars:
        return JaxCars(self, count)


class JaxCars(SlidingCars):
    """`SlidingCars` with their physics on the device."""

    def __init__(self, body: SlidingCar, count: int):
        require(body.ground is None, f"ground of {body.name}", None, "cannot be hilly on JAX's device")
        super().__init__(body, count)
        self._numbers = car_numbers(body.parameters)

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        given = np.zeros((len(self), 3)) if commands is None else np.asarray(commands, dtype=np.float64)
        if given.shape[:1] + given.shape[-1:] != (len(self), 3) or given.ndim not in (2, 3):
            raise BadInput("commands", given.shape, f"must be ({len(self)}, 3) or ({len(self)}, m, 3)")
        parts = given[:, None] if given.ndim == 2 else given
        held = dt / parts.shape[1]
        steps = max(1, int(np.ceil(held / SUBSTEP - 1e-9)))
        put = partial(jnp.asarray, dtype=precision())
        columns: Any = tuple(put(column) for column in self.state.T)
        wheel = put(self.wheel)
        for part in parts.swapaxes(0, 1):
            columns, wheel = _hold(columns, wheel, put(part.T), steps, held / steps, self._numbers)
            self.brake = np.clip(part[:, 2], 0.0, MAX_DRIVE)
        self.state = np.column_stack([np.asarray(column, float) for column in columns])
        self.wheel = np.array(wheel, float)


@partial(jax.jit, static_argnames=("steps", "dt", "numbers"))
def _hold(
    state: State, wheel: jax.Array, command: jax.Array, steps: int, dt: float, numbers: Numbers
) -> tuple[State, jax.Array]:
    """Hold a command (3, n) for some steps of `dt` [s]."""
    steer = jnp.clip(command[0], -MAX_STEER, MAX_STEER)
    throttle = jnp.clip(command[1], -MAX_DRIVE, MAX_DRIVE)
    brake = jnp.clip(command[2], 0.0, MAX_DRIVE)

    def one(_: jax.Array, now: tuple[State, jax.Array]) -> tuple[State, jax.Array]:
        turning = turned(now[1], steer, MAX_STEER_RATE * dt)
        return advance(now[0], turning, throttle, brake, throttle < 0.0, dt, numbers), turning

    done: tuple[State, jax.Array] = jax.lax.fori_loop(0, steps, one, (state, wheel))
    return done


class LaneTraffic(Bodies):
    """Cars that follow each other on lanes: straight ones side by side, or rings one beside the other.

    They decide for themselves and know only each other. `lanes`, `drivers` and `traffic` are as in `lanes`;
    `pack.draw_lanes` makes some.
    """

    def __init__(self, lanes: Lanes, drivers: Drivers, traffic: Traffic, rules: Rules | None = None):
        self.lanes, self.rules = lanes, rules or lane_rules()
        self._lanes, self._drivers = on_device(lanes, precision()), on_device(drivers, precision())
        self.traffic = on_device(traffic, precision())
        number = np.arange(traffic.speed.shape[1])
        self.rows = np.flatnonzero((number < np.asarray(lanes.cars)).ravel())  # slots with a car in them
        length = np.asarray(drivers.length).ravel()[self.rows]
        self._middle = np.asarray(drivers.overhang).ravel()[self.rows] - length / 2
        self.kinds = np.full(len(self.rows), "car", dtype=object)
        self.outline = np.array([[one, CAR_WIDTH, CAR_HEIGHT] for one in length])

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        require(commands is None, "commands", commands, "cannot be given: drivers decide for themselves")
        self.traffic = flow(self._lanes, self._drivers, self.traffic, 1, float(dt), self.rules)

    @property
    def station(self) -> np.ndarray:
        """(n,) [m] of the front axles along their lanes."""
        before = np.asarray(self.traffic.piece) * np.asarray(self.lanes.piece)
        found: np.ndarray = (before + np.asarray(self.traffic.along, float)).ravel()[self.rows]
        return found

    def motion(self) -> Motion:
        each = self.traffic.speed.shape[1]
        lane = self.rows // each
        speed = np.asarray(self.traffic.speed, float).ravel()[self.rows]
        along = self.station + self._middle
        ring = np.asarray(self.lanes.ring).ravel()[lane]
        radius = (np.asarray(self.lanes.pieces) * np.asarray(self.lanes.piece)).ravel()[lane] / (2 * np.pi)
        angle = along / radius
        wide = 2 * float(radius.max(initial=0.0)) + BETWEEN
        x = np.where(ring, lane * wide + radius * np.sin(angle), along)
        y = np.where(ring, -radius * np.cos(angle), LANE_WIDTH * lane)
        yaw = np.where(ring, angle, 0.0)
        zero = np.zeros_like(speed)
        moving = (speed * np.cos(yaw), speed * np.sin(yaw), zero, np.where(ring, speed / radius, 0.0))
        brake = np.asarray(self.traffic.accel, float).ravel()[self.rows] < -0.5
        return Motion(x, y, zero + CAR_HEIGHT / 2, yaw, zero, zero, *moving, {"brake": brake})
