"""Car-following on lanes: the drivers of `city.traffic`, who keep their lane, as pure functions of arrays.

Lanes stand in rows and their cars in the order in which they drive, so the leader of a car is its neighbour
in the array: nobody overtakes, nothing is ever sorted. A lane is cut into pieces of equal length; a car knows
its piece and how far into it it is, so that gaps are as fine on a lane of 100 km as on one of 100 m, in
single precision too.

A step is that of `city.traffic.drivers.accelerate` and `motion.move` for vehicles without junctions, sirens,
lane changes or other bodies before them.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

STANDS = 1e-6  # [m/s] up to which a car stands: what rounding leaves of a stop
ROUNDING = 0.01  # of a step: what the sum of steps may be off by in single precision


class Rules(NamedTuple):
    """Numbers that hold for every driver, from `city.traffic`: they are compiled in."""

    jam: float  # [m]
    reaction: float  # [s]
    braking: float  # [m/s²]
    start_delay: float  # [s]
    jerk_up: float  # [m/s³]
    jerk_down: float  # [m/s³]
    preview: float  # [s]
    bend_braking: float  # [m/s²]


class Lanes(NamedTuple):
    """l lanes of p pieces: every field but `pace` is (l, 1)."""

    piece: jax.Array  # [m] length of a piece
    pieces: jax.Array  # int32, how many the lane has
    ring: jax.Array  # bool: the last car follows the first
    limit: jax.Array  # [m/s]
    cars: jax.Array  # int32, how many are on it
    pace: jax.Array  # (l, p + 1) [m/s] at which bends are taken, at the ends of the pieces


class Drivers(NamedTuple):
    """What every driver is like; every field (l, m)."""

    max_speed: jax.Array
    limit_share: jax.Array
    bend_share: jax.Array
    max_accel: jax.Array
    comfort: jax.Array
    headway: jax.Array
    clearance: jax.Array
    length: jax.Array  # [m]
    overhang: jax.Array  # [m] of the front bumper before the front axle, which is where a car is


class Traffic(NamedTuple):
    """Where every car is, of which the last is the foremost; every field (l, m)."""

    piece: jax.Array  # int32
    along: jax.Array  # [m] into it
    speed: jax.Array  # [m/s]
    accel: jax.Array  # [m/s²]
    ready: jax.Array  # [s] since a standing driver could have started


def step(lanes: Lanes, drivers: Drivers, traffic: Traffic, dt: float, rules: Rules) -> Traffic:
    """All cars `dt` seconds [s] on."""
    d, now = drivers, traffic
    speed = now.speed
    wanted = wanted_speed(lanes, d, now, jnp.zeros_like(speed))
    free = free_wish(speed, wanted, d)
    soon = wanted_speed(lanes, d, now, speed * rules.preview)
    easy = jnp.maximum((soon - speed) / rules.preview, -rules.bend_braking)
    free = jnp.where(soon < speed, jnp.minimum(free, easy), free)

    gap, pace, led = leaders(lanes, d, now)
    wish = jnp.where(led, gap_wish(speed, pace, gap, free, d, rules), free)
    bound = jnp.where(led, safe_speed(gap - d.clearance, pace, dt, rules), jnp.inf)

    smooth = jnp.minimum(now.accel + rules.jerk_up * dt, jnp.maximum(now.accel - rules.jerk_down * dt, wish))
    drives = speed > 0.0
    ready = jnp.where(drives | (wish <= 0.0), 0.0, now.ready + dt)
    started = jnp.where(ready > rules.start_delay + ROUNDING * dt, jnp.maximum(0.0, wish), 0.0)
    wish = jnp.maximum(jnp.where(drives, smooth, started), -rules.braking)
    wish = jnp.where(speed + wish * dt > bound, (bound - speed) / dt, wish)
    accel = jnp.maximum(wish, -speed / dt)

    speed = speed + accel * dt
    speed = jnp.where(speed > STANDS, speed, 0.0)
    along = now.along + speed * dt
    on = jnp.floor(along / lanes.piece).astype(jnp.int32)
    piece = now.piece + on
    piece = jnp.where(lanes.ring, piece % lanes.pieces, piece)
    there = jnp.arange(speed.shape[1])[None] < lanes.cars
    moved = Traffic(piece, along - on * lanes.piece, speed, accel, ready)
    return Traffic(*(jnp.where(there, a, b) for a, b in zip(moved, now, strict=True)))


def leaders(lanes: Lanes, drivers: Drivers, traffic: Traffic) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The gap [m] to the car before each, that car's speed [m/s], and whether there is one."""
    last = jnp.arange(traffic.speed.shape[1])[None] == lanes.cars - 1

    def before(values: jax.Array) -> jax.Array:
        return jnp.where(last, values[:, :1], jnp.roll(values, -1, axis=1))

    pieces = before(traffic.piece) - traffic.piece
    pieces = jnp.where(lanes.ring, pieces % lanes.pieces, pieces)
    within = before(traffic.along) - traffic.along
    # the last of a ring may have its leader, which is itself where it drives alone, a whole round away
    pieces = jnp.where(lanes.ring & last & (pieces == 0) & (within <= 0.0), lanes.pieces, pieces)
    rear = drivers.overhang - drivers.length
    gap = pieces * lanes.piece + within + before(rear) - drivers.overhang
    return gap, before(traffic.speed), ~last | lanes.ring


def wanted_speed(lanes: Lanes, drivers: Drivers, traffic: Traffic, further: jax.Array) -> jax.Array:
    """The speed [m/s] a driver would go with nobody about, `further` [m] ahead: limit, bends, top speed."""
    along = (traffic.along + further) / lanes.piece
    on = jnp.floor(along).astype(jnp.int32)
    piece = traffic.piece + on
    piece = jnp.where(lanes.ring, piece % lanes.pieces, jnp.clip(piece, 0, lanes.pieces - 1))
    below = jnp.take_along_axis(lanes.pace, piece, axis=1)
    above = jnp.take_along_axis(lanes.pace, piece + 1, axis=1)
    bend = below + jnp.clip(along - on, 0.0, 1.0) * (above - below)
    flat = jnp.minimum(drivers.max_speed, lanes.limit * drivers.limit_share)
    return jnp.minimum(flat, bend * drivers.bend_share)


def free_wish(speed: jax.Array, wanted: jax.Array, drivers: Drivers) -> jax.Array:
    """Acceleration [m/s²] towards the wanted speed with nobody ahead."""
    a, comfort = drivers.max_accel, drivers.comfort
    share = jnp.minimum(speed / jnp.maximum(wanted, 0.01), 1.0)
    slower = a * (1.0 - share * share * share * share)
    over = jnp.clip(wanted / jnp.maximum(speed, 1e-6), 1e-6, 1.0)
    faster = -comfort * (1.0 - over ** (4.0 * a / comfort))
    return jnp.where(wanted <= 0.01, -comfort, jnp.where(speed <= wanted, slower, faster))


def gap_wish(
    speed: jax.Array, leader: jax.Array, gap: jax.Array, free: jax.Array, drivers: Drivers, rules: Rules
) -> jax.Array:
    """Acceleration [m/s²] behind a leader `gap` [m] ahead, given the free one."""
    d = drivers
    closing = speed * (speed - leader) / (2.0 * jnp.sqrt(d.max_accel * d.comfort))
    ideal = rules.jam + jnp.maximum(0.0, speed * d.headway + closing)
    ratio = ideal / jnp.maximum(gap, 0.1)
    return jnp.minimum(free, d.max_accel * (1.0 - ratio * ratio))


def safe_speed(gap: jax.Array, leader: jax.Array, dt: float, rules: Rules) -> jax.Array:
    """Largest speed [m/s] of the next step from which the follower stops within `gap` [m] of free space."""
    b = rules.braking
    room = gap + jnp.maximum(0.0, leader * leader / (2.0 * b) - 0.5 * leader * dt)
    delay = b * (rules.reaction + 0.5 * dt)
    return jnp.sqrt(delay * delay + 2.0 * b * jnp.maximum(room, 0.0)) - delay


@partial(jax.jit, static_argnames=("steps", "dt", "rules"), donate_argnames=("traffic",))
def flow(lanes: Lanes, drivers: Drivers, traffic: Traffic, steps: int, dt: float, rules: Rules) -> Traffic:
    """`steps` steps of all cars."""

    def one(now: Traffic, _: None) -> tuple[Traffic, None]:
        return step(lanes, drivers, now, dt, rules), None

    return lax.scan(one, traffic, None, length=steps)[0]
