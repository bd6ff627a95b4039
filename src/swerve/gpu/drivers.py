"""Cars that drive by what they see: the steady driver of `envs`, in a loop that never leaves the device.

In the loop a car that is over starts anew within the frame, so its observation is that of its new start.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from .cars import Cars, Numbers, Observation, Roads, Starts, frame, observe, place, restart

SIDEWAYS, BRAKING = 7.0, 4.0  # [m/s²] as in `envs.expert`, and so are the others
WHEELBASE, FASTEST = 2.0, 30.0  # [m], [m/s]
OFFSET_GAIN, HEADING_GAIN, PREVIEW = 0.05, 0.7, 0.25  # [rad/m], [1], [s]


class Sums(NamedTuple):
    """What came of every car so far, (n,)."""

    reward: jax.Array
    ends: jax.Array  # int32


def steady(seen: Observation, numbers: Numbers) -> tuple[jax.Array, jax.Array]:
    """Steering and pedals (n,) of `envs.steady`."""
    speed = 20.0 * seen[0]
    askew = jnp.arctan2(seen[4], seen[5])
    offset = 5.0 * (seen[7] - seen[6])
    bends = [column / 20.0 for column in seen[8:]]
    look = PREVIEW * speed
    here, square = bends[0], jnp.full_like(speed, jnp.inf)
    for k, far in enumerate(numbers.ahead):
        if k > 0:
            here = jnp.where(numbers.ahead[k - 1] < look, bends[k], here)
        there = SIDEWAYS / jnp.maximum(jnp.abs(bends[k]), 1e-4)
        square = jnp.minimum(square, there + 2.0 * BRAKING * max(far - 6.0, 0.0))
    steer = jnp.arctan(WHEELBASE * here) - OFFSET_GAIN * offset - HEADING_GAIN * askew
    pedal = 0.5 * (jnp.minimum(jnp.sqrt(square), FASTEST) - speed)
    return jnp.clip(steer / 0.6, -1.0, 1.0), jnp.clip(pedal, -1.0, 1.0)


def one_frame(
    roads: Roads, starts: Starts, cars: Cars, seen: Observation, sums: Sums, numbers: Numbers
) -> tuple[Cars, Observation, Sums]:
    """Decide, drive, start anew, look."""
    steer, pedal = steady(seen, numbers)
    cars, _, reward, over = frame(roads, cars, steer, pedal, numbers)
    cars = restart(cars, over, starts)
    here = place(roads, cars.track, cars.station)
    sums = Sums(sums.reward + reward, sums.ends + over)
    return cars, observe(roads, cars, here, numbers), sums


@partial(jax.jit, static_argnames=("frames", "numbers"), donate_argnames=("cars", "seen", "sums"))
def drive_steadily(
    roads: Roads,
    starts: Starts,
    cars: Cars,
    seen: Observation,
    sums: Sums,
    frames: int,
    numbers: Numbers,
) -> tuple[Cars, Observation, Sums]:
    """`frames` frames of all cars; what every car sees is written to memory after each."""

    def one(carry: tuple[Cars, Observation, Sums], _: None) -> tuple[tuple[Cars, Observation, Sums], None]:
        return one_frame(roads, starts, *carry, numbers), None

    return lax.scan(one, (cars, seen, sums), None, length=frames)[0]


def begin(roads: Roads, cars: Cars, numbers: Numbers) -> tuple[Cars, Observation, Sums]:
    """What `drive_steadily` begins with."""
    seen = observe(roads, cars, place(roads, cars.track, cars.station), numbers)
    return cars, seen, Sums(jnp.zeros_like(cars.x), jnp.zeros_like(cars.track))
