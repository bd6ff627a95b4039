"""Map riders along courses, whole rides on the device: where they are, what lies ahead, which turn, 0.1 s on.

The rules are those of `riders.steering.ways` and `riders.steering.follow`, rider by rider. Places on a course
are counted in its points from its own beginning, which keeps single precision fine on long tables.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from .riders import DECIDE, Map, Riders, choose, look, tick

LOST, BACK = 4.0, 2.5  # [m], [1] as in `riders.steering.ways`
NEAR, EASED = 0.2, 1.5  # [m], [s] as there
BEHIND, AHEAD = 8, 48  # points in which a rider is looked for
SOON = 0.3  # [s] ahead of which the pace is asked for
LEAST = 2.0  # [m/s]
SLOWEST = 0.6  # of the slowest pace, as in `riders.steering.pace`


class Ways(NamedTuple):
    """Courses: points (p,) one after another, and one number a course (w,)."""

    x: jax.Array
    y: jax.Array
    heading: jax.Array
    pace: jax.Array  # [m/s] allowed there
    told: jax.Array  # [m/s] what makes a body have that pace there
    first: jax.Array  # int32
    last: jax.Array  # int32, from the first
    step: jax.Array  # [m] between points
    slow: jax.Array  # [m/s] the slowest pace of the course
    closed: jax.Array  # bool
    longest: jax.Array  # () int32: points of the longest course


class Rides(NamedTuple):
    """Riders with the course each is on, and where on it (n,)."""

    riders: Riders
    way: jax.Array  # int32
    at: jax.Array  # in points from the first
    lost: jax.Array  # bool
    told: jax.Array  # [rad] heading, or NaN


def locate(ways: Ways, rides: Rides) -> tuple[Rides, jax.Array]:
    """Go along with the riders; how far [m] each is off to the left of its course."""
    x, y = rides.riders.x, rides.riders.y
    first, last, step = ways.first[rides.way], ways.last[rides.way], ways.step[rides.way]
    k = rides.at.astype(jnp.int32)
    low, high = jnp.maximum(k - BEHIND, 0), jnp.minimum(k + AHEAD, last)

    def nearer(j: jax.Array, best: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        """Hold the j-th point from `low` on against the nearest so far."""
        at = low + j
        point = first + jnp.minimum(at, last)
        far = (ways.x[point] - x) ** 2 + (ways.y[point] - y) ** 2
        better = (far < best[1]) & (at <= jnp.where(rides.lost, last, high))
        return jnp.where(better, at, best[0]), jnp.where(better, far, best[1])

    near = (k, jnp.full_like(x, jnp.inf))
    # all points of a course only while somebody is lost
    most = jnp.where(jnp.any(rides.lost), ways.longest, BEHIND + AHEAD + 1)
    found, best = lax.fori_loop(0, most, nearer, near)
    point = first + found
    c, s = jnp.cos(ways.heading[point]), jnp.sin(ways.heading[point])
    dx, dy = x - ways.x[point], y - ways.y[point]
    along = jnp.clip((c * dx + s * dy) / step, -0.5, 0.5)
    aside = c * dy - s * dx
    beyond = (best > 16 * aside**2) & (best > 1.0)  # an end of the course
    aside = jnp.where(beyond, jnp.where(aside >= 0, 1.0, -1.0) * jnp.sqrt(best), aside)
    at = jnp.clip(found + along, 0.0, last.astype(x.dtype))
    return rides._replace(at=at, lost=jnp.abs(aside) > LOST), aside


def ahead(ways: Ways, rides: Rides, speed: jax.Array, ticks: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Reference (ticks, n) of x, y, heading: where each rider should be every 0.1 s at `speed` (n,) [m/s];
    who is lost heads straight for a place ahead on its course."""
    first, last, step = ways.first[rides.way], ways.last[rides.way], ways.step[rides.way]
    number = jnp.arange(1, ticks + 1, dtype=speed.dtype)[:, None]
    fast = jnp.maximum(speed, LEAST)
    u = rides.at + number * (fast * DECIDE / step)
    end = (first + last)[None]
    again = (u > last) & ways.closed[rides.way]
    turn = jnp.where(again, ways.heading[end] - ways.heading[first], 0.0)
    u = jnp.where(again, u - last, u)
    over = jnp.maximum(u - last, 0.0) * step  # straight on behind the end
    j = jnp.clip(u.astype(jnp.int32), 0, last - 1)
    share = jnp.minimum(u, last) - j
    x, y, heading = (
        (1 - share) * column[first + j] + share * column[first + j + 1]
        for column in (ways.x, ways.y, ways.heading)
    )
    x, y = x + over * jnp.cos(ways.heading[end]), y + over * jnp.sin(ways.heading[end])

    r = rides.riders
    near = first + rides.at.astype(jnp.int32)
    far = jnp.hypot(r.x - ways.x[near], r.y - ways.y[near])
    goal = first + jnp.minimum(rides.at + BACK * far / step, last).astype(jnp.int32)
    home = jnp.arctan2(ways.y[goal] - r.y, ways.x[goal] - r.x)
    gone = speed * DECIDE * number
    return (
        jnp.where(rides.lost, r.x + gone * jnp.cos(home), x),
        jnp.where(rides.lost, r.y + gone * jnp.sin(home), y),
        jnp.where(rides.lost, home, heading + turn),
    )


def eased(
    rides: Rides, aside: jax.Array, reference: tuple[jax.Array, jax.Array, jax.Array], speed: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The same reference, but who is off its course by `aside` (n,) [m] is led back to it by and by."""
    x, y, heading = reference
    later = DECIDE * jnp.arange(1, len(x) + 1, dtype=speed.dtype)[:, None]
    off = jnp.where((jnp.abs(aside) > NEAR) & ~rides.lost, aside - jnp.copysign(NEAR, aside), 0.0)
    off = off * jnp.exp(-later / EASED)
    turned = jnp.arctan(off / EASED / jnp.maximum(speed, LEAST))
    return x - off * jnp.sin(heading), y + off * jnp.cos(heading), heading - turned


def allowed(ways: Ways, rides: Rides, speed: jax.Array) -> jax.Array:
    """The speed [m/s] to tell each rider for what lies a little ahead; who is too fast brakes the more."""
    later = (rides.at + SOON * speed / ways.step[rides.way]).astype(jnp.int32)
    last = ways.last[rides.way]
    later = jnp.where(ways.closed[rides.way], later % jnp.maximum(last, 1), jnp.minimum(later, last))
    point, slow = ways.first[rides.way] + later, ways.slow[rides.way]
    wish = ways.told[point] - jnp.maximum(speed - ways.pace[point], 0.0)
    wish = jnp.maximum(wish, SLOWEST * slow)
    return jnp.where(rides.lost, jnp.minimum(wish, slow), wish)


def decide(map_: Map, ways: Ways, rides: Rides) -> tuple[Rides, jax.Array, jax.Array]:
    """Headings [rad] and speeds [m/s] (n,) for the next 0.1 s, and the riders located."""
    rides, aside = locate(ways, rides)
    r = rides.riders
    speed = jnp.hypot(r.vx, r.vy)
    reference = eased(rides, aside, ahead(ways, rides, speed, map_.table.shape[1]), speed)
    state = (r.roll, jnp.where(r.fell, 0.0, r.yaw_rate), jnp.where(r.fell, 0.0, r.roll_rate))
    turn = choose(map_, look(map_, state, speed), r.x, r.y, r.yaw, rides.told, reference)
    return rides._replace(told=r.yaw + turn), r.yaw + turn, allowed(ways, rides, speed)


@partial(jax.jit, static_argnames=("ticks",), donate_argnames=("rides",))
def ride(map_: Map, ways: Ways, rides: Rides, ticks: int) -> Rides:
    """`ticks` decisions of every rider, and the 0.1 s after each."""

    def one(now: Rides, _: None) -> tuple[Rides, None]:
        now, heading, speed = decide(map_, ways, now)
        return now._replace(riders=tick(map_, now.riders, heading, speed)), None

    return lax.scan(one, rides, None, length=ticks)[0]
