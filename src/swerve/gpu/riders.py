"""Riders on a mobility map: the nearest state, the choice among turns and the next 0.1 s, on a device.

The same rules as the riders' wing: `tick` is a tick of `maps.glide`, `choose` the rule `ours` of
`steering.decide`, `said_at` what `maps.carry` foresees. A speed of the map has tens of states, so the nearest
is found by holding a rider against all of them; on an accelerator that costs less than looking up cells.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

TURN = 2.0 * jnp.pi
RISKY = 5e4  # cost from which a turn is not made if another can be
DECIDE, FOOT = 0.1, 2.0  # [s], [m/s] as in `maps.trials`
ONLY = 1.1  # as in `maps.nearest`
SLIGHT, KEPT, LEAST = 0.05, 0.3, 1e-6  # as in `steering.judge` and `maps.carry`


class Map(NamedTuple):
    """A mobility map with k speeds, m places for states a speed (unused ones lie far off), a turns and q
    ticks that the navigator looks at. A dimension that says nothing about nearness has a scale of 0."""

    points: jax.Array  # (k, m, 3) scaled
    row: jax.Array  # (k, m) int32: which state it is
    scale: jax.Array  # (3,)
    states: jax.Array  # (s, 4)
    speeds: jax.Array  # (k,)
    pacing: jax.Array  # (k, 3)
    turns: jax.Array  # (a,)
    first: jax.Array  # (s, a, 6) where a turn leads in a tick
    carry: jax.Array  # (k, 3, 6) what a difference of state adds to it
    fall_after: jax.Array  # (s, a) [s] or inf
    table: jax.Array  # (s, q, 3, a) float32: ways of all turns, as the navigator sees them
    falling: jax.Array  # (s, a) float32
    carried: jax.Array  # (k, q, 3, 3)
    poses: jax.Array  # (s, a, 3) where turns lead in the time that herds foresee
    poses_carry: jax.Array  # (k, 3, 3)
    weights: jax.Array  # (2,) float32: squares of the weights of position and heading


class Riders(NamedTuple):
    """n riders, every field (n,): metres, radians, seconds."""

    x: jax.Array
    y: jax.Array
    yaw: jax.Array
    roll: jax.Array
    yaw_rate: jax.Array
    roll_rate: jax.Array
    vx: jax.Array
    vy: jax.Array
    pace: jax.Array
    fell: jax.Array  # bool
    falling: jax.Array  # share of a fall that is done


def nearest(map_: Map, states: tuple[jax.Array, ...], level: jax.Array) -> jax.Array:
    """The nearest state (n,) of the map among those of the speed `level`; of two as near the first."""
    far = jnp.zeros((), map_.points.dtype)
    for k in range(3):
        far = far + (map_.points[..., k][level] - (states[k] * map_.scale[k])[:, None]) ** 2
    return map_.row[level, jnp.argmin(far, axis=1)]


def levels(speeds: jax.Array, speed: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The map's speed below each (n,), never the last of several, and the share of the one above."""
    if len(speeds) == 1:
        return jnp.zeros(speed.shape, jnp.int32), jnp.zeros_like(speed)
    low = jnp.sum(speed[:, None] >= speeds[1:-1], axis=1, dtype=jnp.int32)
    return low, jnp.clip((speed - speeds[low]) / (speeds[low + 1] - speeds[low]), 0.0, 1.0)


def turn_between(turns: jax.Array, turn: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The action below `turn` (n,), never the last, and the share of the one above."""
    turn = jnp.clip(turn, turns[0], turns[-1])
    action = jnp.sum(turn[:, None] >= turns[1:-1], axis=1, dtype=jnp.int32)
    return action, (turn - turns[action]) / (turns[action + 1] - turns[action])


def tick(map_: Map, riders: Riders, heading: jax.Array, speed: jax.Array) -> Riders:
    """0.1 s of every rider towards headings (n,) [rad] at speeds (n,) [m/s]."""
    r = riders
    state = (r.roll, r.yaw_rate, r.roll_rate)
    low, above = levels(map_.speeds, r.pace)
    high = jnp.minimum(low + 1, len(map_.speeds) - 1)
    push, brake, gain = ((1 - above) * map_.pacing[low, j] + above * map_.pacing[high, j] for j in range(3))
    most = map_.speeds[-1] * (1.0 if len(map_.speeds) > 1 else ONLY)
    change = (jnp.minimum(speed, most) - r.pace) * jnp.minimum(1.0, DECIDE * gain)
    pace = r.pace + jnp.clip(change, -brake * DECIDE, push * DECIDE)
    foot = (pace < FOOT) & (speed < FOOT)
    slowed = jnp.maximum(0.0, pace - brake * DECIDE)

    action, share = turn_between(map_.turns, heading - r.yaw)
    new = [jnp.zeros_like(r.x) for _ in range(6)]
    falls = jnp.zeros_like(r.x)
    for level, weight in ((low, 1 - above), (high, above)):
        near = nearest(map_, state, level)
        off = [state[j] - map_.states[near, j] for j in range(3)]
        stretch = weight * pace / map_.speeds[level]
        for k in range(6):
            value = (1 - share) * map_.first[near, action, k] + share * map_.first[near, action + 1, k]
            value += sum(off[j] * map_.carry[level, j, k] for j in range(3))
            new[k] += value * (stretch if k < 2 else weight)
        falls += weight * DECIDE / map_.fall_after[near, jnp.where(share > 0.5, action + 1, action)]

    c, s = jnp.cos(r.yaw), jnp.sin(r.yaw)
    vx = jnp.where(foot, slowed * c, (c * new[0] - s * new[1]) / DECIDE)
    vy = jnp.where(foot, slowed * s, (s * new[0] + c * new[1]) / DECIDE)
    falling = jnp.where(falls > 0.0, r.falling + falls, 0.0)
    lean = [jnp.where(foot, 0.0, new[3 + k]) for k in range(3)]
    moved = Riders(
        r.x + vx * DECIDE,
        r.y + vy * DECIDE,
        r.yaw + jnp.where(foot, 0.0, jnp.minimum(1.0, pace / FOOT) * new[2]),
        lean[0],
        lean[1],
        lean[2],
        vx,
        vy,
        jnp.where(foot, slowed, pace),
        ~foot & (falling >= 1.0 - 1e-9),
        jnp.where(foot, 0.0, falling),
    )
    lies = r._replace(vx=jnp.zeros_like(r.vx), vy=jnp.zeros_like(r.vy))
    return Riders(*(jnp.where(r.fell, a, b) for a, b in zip(lies, moved, strict=True)))


class Side(NamedTuple):
    """The nearest state of each rider (n,) at one of the map's speeds, how it differs from it, and the shares
    of that speed in directions and in places."""

    level: jax.Array
    near: jax.Array
    off: tuple[jax.Array, jax.Array, jax.Array]
    share: jax.Array
    moving: jax.Array


class Seen(NamedTuple):
    """What a choice rests on: the map's nearer speed, the other one, and how far references are drawn out."""

    nearer: Side
    other: Side
    stretch: jax.Array


def look(map_: Map, state: tuple[jax.Array, jax.Array, jax.Array], speed: jax.Array) -> Seen:
    """The nearest states at the map's speeds below and above, for roll, yaw rate, roll rate (n,) and speeds
    (n,)."""
    low, above = levels(map_.speeds, speed)
    high = jnp.minimum(low + 1, len(map_.speeds) - 1)
    share = jnp.clip((jnp.minimum(above, 1 - above) - SLIGHT) / (1 - 2 * SLIGHT), 0.0, 0.5)
    upper = above > 0.5
    level = (jnp.where(upper, high, low), jnp.where(upper, low, high))
    shares = (1 - share, share)
    slowness = [shares[k] / map_.speeds[level[k]] for k in range(2)]
    both = slowness[0] + slowness[1]
    sides = []
    for k in range(2):
        near = nearest(map_, state, level[k])
        a, b, c = (state[j] - map_.states[near, j] for j in range(3))
        sides.append(Side(level[k], near, (a, b, c), shares[k], slowness[k] / both))
    return Seen(sides[0], sides[1], 1 / (jnp.maximum(speed, FOOT) * both))


def choose(
    map_: Map,
    seen: Seen,
    x: jax.Array,
    y: jax.Array,
    yaw: jax.Array,
    told: jax.Array,
    reference: tuple[jax.Array, ...],
) -> jax.Array:
    """Turns (n,) [rad] for riders that should be on a reference, x, y and heading (q, n) at every tick, and
    were last `told` a heading, or NaN.

    Costs are added up in single precision whatever the rest is in, as the CPU's are.
    """
    small = jnp.float32
    position, straight = map_.weights[0], map_.weights[1]
    c, s = jnp.cos(yaw), jnp.sin(yaw)

    def add_tick(k: jax.Array, cost: jax.Array) -> jax.Array:
        dx, dy = seen.stretch * (reference[0][k] - x), seen.stretch * (reference[1][k] - y)
        turned = wrapped(reference[2][k] - yaw)
        sx, sy = -jnp.sin(turned), jnp.cos(turned)
        ahead, left, wanted = c * dx + s * dy, c * dy - s * dx, turned
        for side in (seen.nearer, seen.other):
            add = map_.carried[side.level, k]  # (n, 3, 3)
            less = [sum(side.off[j] * add[:, j, i] for j in range(3)) for i in range(3)]
            ahead, left = ahead - side.moving * less[0], left - side.moving * less[1]
            wanted = wanted - side.share * less[2]
        aside, wanted = (sx * ahead + sy * left).astype(small)[:, None], wanted.astype(small)
        way, more = map_.table[seen.nearer.near, k], map_.table[seen.other.near, k]  # (n, 3, a)
        moving, turning = (part.astype(small)[:, None] for part in (seen.other.moving, seen.other.share))
        shares = (moving, moving, turning)
        way_x, way_y, way_yaw = (way[:, i] + shares[i] * (more[:, i] - way[:, i]) for i in range(3))
        nx, ny = sx.astype(small)[:, None], sy.astype(small)[:, None]
        off, astray = nx * way_x + ny * way_y - aside, way_yaw - wanted[:, None]
        return cost + (position * off * off + straight * astray * astray)

    ticks = map_.table.shape[1]
    more = wrapped(reference[2][-1] - reference[2][-2]) if ticks > 1 else 0.0
    held = wrapped(told - yaw + more)
    cost = lax.fori_loop(0, ticks, add_tick, map_.falling[seen.nearer.near])
    return kept_to(map_.turns, cost, lowest(map_.turns, cost), held)


def kept_to(turns: jax.Array, cost: jax.Array, best: jax.Array, held: jax.Array) -> jax.Array:
    """Turns (n,) [rad] between the best ones and those that are held, unless they risk a fall; NaN holds
    nobody."""
    turn = best + KEPT * (jnp.clip(held, turns[0], turns[-1]) - best)
    action, _ = turn_between(turns, jnp.where(jnp.isnan(turn), best, turn))
    risky = (_pick(cost, action) >= RISKY) | (_pick(cost, action + 1) >= RISKY)
    return jnp.where(risky | jnp.isnan(turn), best, turn)


def lowest(turns: jax.Array, cost: jax.Array) -> jax.Array:
    """Turns (n,) [rad] at the lowest point of the parabola through the cheapest of costs (n, a) and those
    beside it; the cheapest itself where one of them is risky or there is no lowest point."""
    last = cost.shape[1] - 1
    best = jnp.argmin(cost, axis=1)
    at = partial(_pick, cost)
    low_edge = (best == 0) | (at(jnp.maximum(best - 1, 0)) >= RISKY)
    high_edge = (best == last) | (at(jnp.minimum(best + 1, last)) >= RISKY)
    middle = jnp.where(low_edge, best + 1, jnp.where(high_edge, best - 1, best))
    plain = (middle < 1) | (middle > last - 1)
    middle = jnp.clip(middle, 1, last - 1)
    before, now, after = at(middle - 1), at(middle), at(middle + 1)
    below, here, above = turns[middle - 1], turns[middle], turns[middle + 1]
    falls = (now - before).astype(turns.dtype) / (here - below)
    rises = (after - now).astype(turns.dtype) / (above - here)
    plain |= (before >= RISKY) | (after >= RISKY) | (rises <= falls)
    bend = jnp.where(plain, 1.0, rises - falls)
    found = 0.5 * (below + here) - falls * 0.5 * (above - below) / bend
    return jnp.where(plain, turns[best], jnp.clip(found, below, above))


def _pick(values: jax.Array, column: jax.Array) -> jax.Array:
    return jnp.take_along_axis(values, column[:, None], axis=1)[:, 0]


def said_at(map_: Map, state: tuple[jax.Array, ...], speed: jax.Array, turn: jax.Array) -> list[jax.Array]:
    """x, y, yaw (n,) seen from the start, in the time that herds foresee, of riders that make a turn (n,)."""
    low, above = levels(map_.speeds, speed)
    high = jnp.minimum(low + 1, len(map_.speeds) - 1)
    action, share = turn_between(map_.turns, turn)
    sides = [(level, nearest(map_, state, level)) for level in (low, high)]
    corners = [(near, action + turn) for _, near in sides for turn in range(2)]
    has = [part * side for side in (1 - above, above) for part in (1 - share, share)]
    stay = [
        jnp.where(jnp.isinf(map_.fall_after[at]), part, 0.0) for at, part in zip(corners, has, strict=True)
    ]
    upright = sum(stay)
    some = upright > LEAST  # else all about it fall
    whole = jnp.where(some, upright, 1.0)
    told = [jnp.where(some, up / whole, part) for up, part in zip(stay, has, strict=True)]
    out = [jnp.zeros_like(speed) for _ in range(3)]
    for number, (level, near) in enumerate(sides):
        below, beyond = told[2 * number : 2 * number + 2]
        off = [(below + beyond) * (state[j] - map_.states[near, j]) for j in range(3)]
        drawn = speed / map_.states[near, 3]
        for k in range(3):
            said = below * map_.poses[near, action, k] + beyond * map_.poses[near, action + 1, k]
            said += sum(off[j] * map_.poses_carry[level, j, k] for j in range(3))
            out[k] += said * drawn if k < 2 else said
    return out


def wrapped(angle: jax.Array) -> jax.Array:
    """The same angle within [-π, π) [rad]."""
    return angle - TURN * jnp.floor(angle / TURN + 0.5)
