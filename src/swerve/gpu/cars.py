"""The sliding car on a track, with what it sees, as pure functions of arrays.

The model is that of `race.car.advance`, a frame and its reward are those of `race.sight.race`, the
observation is that of `race.sight.observe`: the same equations in the same order, so that only rounding
differs. Every quantity is an array (n,) of its own: neighbouring cars are then neighbours in memory.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

Observation = tuple[jax.Array, ...]  # one array (n,) a column


class Numbers(NamedTuple):
    """The constants of a car and its frame, plain numbers: they are compiled in."""

    drag: float
    resistance: float
    rear_stiffness: float
    front_stiffness: float
    max_grip: float
    front_axle: float
    rear_axle: float
    mass: float
    inertia: float
    gravity: float
    drive_gain: float
    frame: float  # [s]
    substeps: float
    max_steer: float  # [rad]
    steer_rate: float  # [rad/s]
    max_drive: float
    length: float  # [m] of the outline
    width: float
    rolling_below: float  # [m/s]
    sliding_above: float  # [m/s]
    crash: float
    limit: float
    ahead: tuple[float, ...]  # [m] where it sees the curvature


class Roads(NamedTuple):
    """Tracks as in `race.road.Roads`, a column an array: (p,) points, and (k,) one a track."""

    x: jax.Array
    y: jax.Array
    heading: jax.Array
    curvature: jax.Array
    left: jax.Array
    right: jax.Array
    first: jax.Array  # int32, of its points
    last: jax.Array  # int32, its last point but one, from the first
    gap: jax.Array  # [m]
    length: jax.Array  # [m]
    closed: jax.Array  # int32, 0 or 1
    finish: jax.Array  # [m]


class Cars(NamedTuple):
    """n cars, every field (n,): metres, radians, metres a second; `draw` is what new starts are drawn by."""

    x: jax.Array
    y: jax.Array
    heading: jax.Array
    vx: jax.Array
    vy: jax.Array
    yaw_rate: jax.Array
    wheel: jax.Array
    station: jax.Array
    track: jax.Array  # int32
    frames: jax.Array  # int32
    draw: jax.Array  # uint32


class Starts(NamedTuple):
    """Places to start anew at, every field (m,), and the speed [m/s] there."""

    x: jax.Array
    y: jax.Array
    heading: jax.Array
    station: jax.Array
    track: jax.Array
    speed: jax.Array


class Place(NamedTuple):
    """The road at a station: values of its columns there, (n,)."""

    x: jax.Array
    y: jax.Array
    heading: jax.Array
    curvature: jax.Array
    left: jax.Array
    right: jax.Array


def frame(
    roads: Roads, cars: Cars, steer: jax.Array, pedal: jax.Array, numbers: Numbers
) -> tuple[Cars, Place, jax.Array, jax.Array]:
    """A frame of every car by actions within [−1, 1]: cars, the road under them, rewards and who is over."""
    wanted = jnp.clip(steer, -1.0, 1.0) * numbers.max_steer
    drive = jnp.clip(pedal, -1.0, 1.0) * numbers.max_drive
    moved = drive_on(cars, wanted, jnp.maximum(drive, 0.0), jnp.maximum(-drive, 0.0), numbers)
    station, offset, here = locate(roads, moved.track, moved.x, moved.y, cars.station)
    askew = moved.heading - here.heading
    half = 0.5 * (numbers.width * jnp.abs(jnp.cos(askew)) + numbers.length * jnp.abs(jnp.sin(askew)))
    off = (offset + half > here.left) | (half - offset > here.right)
    reward = 0.1 * (station - cars.station) - jnp.where(off, numbers.crash, 0.0)
    over = off | ((roads.closed[moved.track] == 0) & (station >= roads.finish[moved.track]))
    return moved._replace(station=station, frames=cars.frames + 1), here, reward, over


def drive_on(cars: Cars, wanted: jax.Array, throttle: jax.Array, brake: jax.Array, numbers: Numbers) -> Cars:
    """The physics of a frame: wheels turn towards `wanted` [rad], pedals are held."""
    steps = int(numbers.substeps)
    dt = numbers.frame / steps
    state = (cars.x, cars.y, cars.heading, cars.vx, cars.vy, cars.yaw_rate)
    wheel = cars.wheel
    for _ in range(steps):
        wheel = turned(wheel, wanted, numbers.steer_rate * dt)
        state = advance(state, wheel, throttle, brake, None, dt, numbers)
    x, y, heading, vx, vy, yaw_rate = state
    return cars._replace(x=x, y=y, heading=heading, vx=vx, vy=vy, yaw_rate=yaw_rate, wheel=wheel)


def turned(wheel: jax.Array, wanted: jax.Array, reach: float) -> jax.Array:
    """The angle of the front wheels [rad] after a step in which they turn by `reach` at most."""
    return jnp.minimum(wheel + reach, jnp.maximum(wheel - reach, wanted))


State = tuple[jax.Array, jax.Array, jax.Array, jax.Array, jax.Array, jax.Array]


def advance(
    state: State,
    steer: jax.Array,
    throttle: jax.Array,
    brake: jax.Array,
    reverse: jax.Array | None,
    dt: float,
    numbers: Numbers,
) -> State:
    """One explicit step of `race.car.advance`, whose docstring has the equations; `reverse` says who has the
    reverse gear in, None for nobody."""
    n = numbers
    x, y, heading, vx, vy, yaw = state
    b, c = n.front_axle, n.rear_axle
    cs, sn = jnp.cos(heading), jnp.sin(heading)
    u = cs * vx + sn * vy
    v = -sn * vx + cs * vy
    speed = jnp.sqrt(vx * vx + vy * vy)

    along, delta = u, steer
    if reverse is not None:
        backwards = reverse & (u < 0.0)
        along, delta = jnp.where(backwards, -u, u), jnp.where(backwards, -steer, steer)
    stands = along == 0.0
    turn = jnp.where(stands, 0.0, jnp.arctan2((b + c) * 0.5 * yaw, along))
    slip = jnp.where(stands, 0.0, jnp.arctan2(v, along))
    load = n.mass * n.gravity * 0.5
    front = jnp.clip(n.front_stiffness * (slip + turn - delta), -n.max_grip, n.max_grip) * load
    rear = jnp.clip(n.rear_stiffness * (slip - turn), -n.max_grip, n.max_grip) * load

    cos_steer = jnp.cos(steer)
    force = n.drive_gain * (throttle - brake * jnp.sign(u)) - (n.resistance * u + n.drag * u * jnp.abs(u))
    side = cos_steer * front + rear - (n.resistance * v + n.drag * v * jnp.abs(v))
    du, dv = force / n.mass, side / n.mass
    new_vx = vx + dt * (cs * du - sn * dv)
    new_vy = vy + dt * (sn * du + cs * dv)
    new_yaw = yaw + dt * ((b * front - c * rear) / n.inertia)

    # wheels that roll, below walking pace
    free = u + dt * n.drive_gain * throttle / n.mass
    hold = dt * (n.drive_gain * brake + n.resistance * jnp.abs(u) + n.drag * u * u) / n.mass
    roll = jnp.where(free > 0.0, jnp.maximum(0.0, free - hold), jnp.minimum(0.0, free + hold))
    most = dt * n.max_grip * n.gravity
    bend = jnp.sin(steer) / (cos_steer * (b + c))
    v_roll = v + jnp.clip(roll * bend * c - v, -most, most)
    yaw_roll = yaw + jnp.clip(roll * bend - yaw, -most / b, most / b)
    share = jnp.clip((speed - n.rolling_below) / (n.sliding_above - n.rolling_below), 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    rest = 1.0 - share
    new_vx = share * new_vx + rest * (cs * roll - sn * v_roll)
    new_vy = share * new_vy + rest * (sn * roll + cs * v_roll)
    new_yaw = share * new_yaw + rest * yaw_roll
    return x + dt * new_vx, y + dt * new_vy, heading + dt * new_yaw, new_vx, new_vy, new_yaw


def locate(
    roads: Roads, track: jax.Array, x: jax.Array, y: jax.Array, station: jax.Array
) -> tuple[jax.Array, jax.Array, Place]:
    """Station [m], offset to the left [m] and the road there, for places whose station was known lately."""
    for _ in range(2):
        i, share = between(roads, track, station)
        heading = _value(roads.heading, i, share)
        dx, dy = x - _value(roads.x, i, share), y - _value(roads.y, i, share)
        c, s = jnp.cos(heading), jnp.sin(heading)
        along, aside = c * dx + s * dy, c * dy - s * dx
        station = station + along / jnp.maximum(0.2, 1.0 - aside * _value(roads.curvature, i, share))
    here = place(roads, track, station)
    return station, offset_from(here, x, y), here


def place(roads: Roads, track: jax.Array, station: jax.Array) -> Place:
    """The road at stations (n,) [m]."""
    i, share = between(roads, track, station)
    columns = (roads.x, roads.y, roads.heading, roads.curvature, roads.left, roads.right)
    return Place(*(_value(column, i, share) for column in columns))


def offset_from(here: Place, x: jax.Array, y: jax.Array) -> jax.Array:
    """How far [m] places lie to the left of the road."""
    return jnp.cos(here.heading) * (y - here.y) - jnp.sin(here.heading) * (x - here.x)


def between(roads: Roads, track: jax.Array, station: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The point before a station (n,), and the share of the way to the next one."""
    length, gap = roads.length[track], roads.gap[track]
    round_ = station - jnp.floor(station / length) * length
    at = jnp.where(roads.closed[track] != 0, round_, jnp.clip(station, 0.0, length)) / gap
    i = jnp.clip(at.astype(jnp.int32), 0, roads.last[track])
    return i + roads.first[track], at - i


def _value(column: jax.Array, i: jax.Array, share: jax.Array) -> jax.Array:
    low = column[i]
    return low + share * (column[i + 1] - low)


def observe(roads: Roads, cars: Cars, here: Place, numbers: Numbers) -> Observation:
    """What every car sees, one array (n,) a column of `race.sight.COLUMNS` and one a look ahead."""
    c, s = jnp.cos(cars.heading), jnp.sin(cars.heading)
    offset = offset_from(here, cars.x, cars.y)
    seen = [
        (c * cars.vx + s * cars.vy) / 20.0,
        (c * cars.vy - s * cars.vx) / 20.0,
        cars.yaw_rate / 2.0,
        cars.wheel / numbers.max_steer,
        jnp.sin(cars.heading - here.heading),
        jnp.cos(cars.heading - here.heading),
        (here.left - offset) / 10.0,
        (here.right + offset) / 10.0,
    ]
    for far in numbers.ahead:
        i, share = between(roads, cars.track, cars.station + far)
        seen.append(20.0 * _value(roads.curvature, i, share))
    return tuple(jnp.clip(column, -numbers.limit, numbers.limit) for column in seen)


def restart(cars: Cars, over: jax.Array, starts: Starts) -> Cars:
    """Cars that are over stand at new starts, each drawn by a number of its own."""
    draw = jnp.where(over, cars.draw * jnp.uint32(1664525) + jnp.uint32(1013904223), cars.draw)
    row = ((draw >> 8) % jnp.uint32(starts.x.shape[0])).astype(jnp.int32)
    heading, speed = starts.heading[row], starts.speed[row]
    zero = jnp.zeros_like(cars.x)
    new = Cars(
        starts.x[row],
        starts.y[row],
        heading,
        speed * jnp.cos(heading),
        speed * jnp.sin(heading),
        zero,
        zero,
        starts.station[row],
        starts.track[row],
        jnp.zeros_like(cars.frames),
        draw,
    )
    return Cars(*(jnp.where(over, a, b) for a, b in zip(new, cars, strict=True)))


@partial(jax.jit, static_argnames=("numbers",))
def drive_by(
    roads: Roads, cars: Cars, steer: jax.Array, pedal: jax.Array, numbers: Numbers
) -> tuple[Cars, jax.Array, jax.Array, Observation]:
    """Cars by actions (t, n) made beforehand, nobody starting anew: the cars at the end, rewards and ends
    (t, n), and what is seen after every frame."""

    def one(now: Cars, action: tuple[jax.Array, jax.Array]) -> tuple[Cars, tuple[jax.Array, ...]]:
        now, here, reward, over = frame(roads, now, *action, numbers)
        return now, (reward, over, *observe(roads, now, here, numbers))

    cars, (reward, over, *seen) = lax.scan(one, cars, (steer, pedal))
    return cars, reward, over, tuple(seen)
