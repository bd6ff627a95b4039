"""Which turn to make: every stored trajectory held against the way the rider should go, the best improved on.

A reference is a way to be on: for every rider (n,) and every 0.1 s from now, x, y and heading (n, m, 3). A
trajectory costs, summed up to t_max, (ratio · distance off the reference [m])² + ((1 − ratio) · heading error
[rad])². The distance counts sideways only, because turning does not make up for being early or late.

Between stored turns trajectories change nearly in proportion, so their cost is nearly a parabola; its lowest
point is the turn commanded (the rule `ours`). The rule `seed` adds up plain errors, those of heading over the
whole trial and those of place up to t_max, and blends its two best turns by how far each is from the
reference at t_max: riders that are nearly right then steer by that distance alone, and heading has no say any
more.

Trajectories lie between those of the map's speeds below and above the rider's, each by its share; the
reference is drawn out to the speed between them. Who judged by the nearer speed alone swung about a straight
way: at one speed a lean goes with one yaw rate, and what another speed says of the two together is wrong. The
rule `seed`, made for maps of one speed, goes by the nearer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.errors import BadInput
from swerve.core.geometry import wrapped
from swerve.core.kernels import inlined, kernel
from swerve.core.motion import Motion

from ..bodies.threads import in_slices
from ..maps.carry import predict
from ..maps.mobility import MobilityMap
from ..maps.trials import DECIDE, FOOT, state_of

FALLEN = np.float32(1e6)  # cost of a trajectory that falls, less the later it does
RULES = ("ours", "seed")
RISKY = np.float32(0.05) * FALLEN  # what costs as much is not made if anything else can be
CHANCY = (
    0.04  # share of a speed's trials, to both sides, from which on a turn is risked from none of its states
)
SLIGHT = 0.05  # share up to which a speed has no say, so that who is near one judges by it alone


@dataclass(frozen=True)
class Weights:
    """`t_max` [s] is how far ahead errors count, `ratio` the weight of position against heading."""

    t_max: float
    ratio: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.t_max) and self.t_max >= DECIDE):
            raise BadInput("t_max", self.t_max, f"must be at least {DECIDE:g} s")
        if not 0 <= self.ratio <= 1:
            raise BadInput("ratio", self.ratio, "must lie within 0 and 1")

    @property
    def ticks(self) -> int:
        return round(self.t_max / DECIDE)


class Navigator:
    """Chooses turns by a map, by the rule `ours` or `seed`. One object serves any number of riders."""

    def __init__(self, map_: MobilityMap, weights: Weights, threads: int = 1, rule: str = "ours"):
        if weights.t_max > map_.seconds:
            raise BadInput("t_max", weights.t_max, f"the map looks {map_.seconds:g} s ahead, no further;")
        if rule not in RULES:
            raise BadInput("rule", rule, f"must be one of {', '.join(RULES)}")
        self.map, self.weights, self.threads, self.rule = map_, weights, threads, rule

    @property
    def ticks(self) -> int:
        """How many tenths of a second of the way ahead it looks at."""
        return self.weights.ticks if self.rule == "ours" else round(self.map.seconds / DECIDE)

    def foresee(self, motion: Motion, heading: np.ndarray, seconds: float) -> np.ndarray:
        """(n, 2) where riders will be `seconds` from now if they go on towards `heading` (n,) [rad]."""
        said = predict(self.map, state_of(motion), heading - motion.yaw, seconds, threads=self.threads)
        moved = np.where(motion.fell, 0.0, 1.0) * np.exp(1j * motion.yaw) * (said[:, 0] + 1j * said[:, 1])
        return np.column_stack([motion.x + moved.real, motion.y + moved.imag])

    @cached_property
    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """(s, m, 3, a) x, y, yaw of every trajectory, turns side by side so that all are judged at once;
        and (s, a) what falling costs.
        """
        m, states, actions = self.ticks, len(self.map.states), self.map.actions
        pose = self.map.samples.pose[:, 1 : m + 1].reshape(states, actions, m, 3)
        fell = self.map.tracks.fell.reshape(states, actions)
        falling = np.where(np.isfinite(fell), FALLEN * (1.1 - np.minimum(fell, 5.0) / 5.0), 0.0)
        points, begins = self.map.index.points, self.map.index.begins
        for first, stop in pairwise(begins):
            mine = points[first:stop]
            beside = cKDTree(mine).query(mine, k=min(3, stop - first))[1]
            # what falls from the states next to this one is not risked
            chancy = self._share(fell[first:stop]) > CHANCY
            falling[first:stop] = falling[first:stop][beside.reshape(stop - first, -1)].max(axis=1)
            falling[first:stop, chancy] = np.maximum(falling[first:stop, chancy], 1.2 * RISKY)
        return np.ascontiguousarray(pose.transpose(0, 2, 3, 1), np.float32), falling.astype(np.float32)

    def _share(self, fell: np.ndarray) -> np.ndarray:
        """(a,) how many of the trials (s, a) of a speed fall, by turns to either side: which of them do hangs
        on more than a map tells of a state."""
        share = np.isfinite(fell).mean(axis=0)
        other: np.ndarray = np.interp(-self.map.turns, self.map.turns, share)
        return (share + other) / 2

    @cached_property
    def carried(self) -> np.ndarray:
        """(k, m, 3, 3) what a difference of state adds to x, y, yaw at every speed and tick."""
        return np.ascontiguousarray(self.map.carry[:, 1 : self.ticks + 1, :, :3])

    def turns(self, motion: Motion, reference: np.ndarray) -> np.ndarray:
        """Turn commands (n,) [rad] for riders in `motion` that should be on `reference` (n, m, 3)."""
        if reference.shape != (len(motion.x), self.ticks, 3):
            wanted = (len(motion.x), self.ticks, 3)
            raise BadInput("reference", reference.shape, f"must be {wanted}")
        pose = np.column_stack([motion.x, motion.y, motion.yaw])
        state = state_of(motion)
        out = np.empty(len(pose))
        tables = (*self.table, self.carried, self.map.turns, self.weights.ratio)
        rule: Any = _choose if self.rule == "ours" else _choose_as_seed
        told = self._between(state) if self.rule == "ours" else self._nearer(state)
        more = (self.map.speeds,) if self.rule == "ours" else (self.weights.ticks,)

        def part(rows: slice) -> None:
            mine = (pose[rows], *(column[rows] for column in told), reference[rows])
            rule(*mine, *tables, *more, out[rows])

        in_slices(part, len(pose), self.threads)
        return out

    def _nearer(self, state: np.ndarray) -> tuple[np.ndarray, ...]:
        """For `state` (n, 4) the nearest stored one (n,) of the nearer speed (n,), the difference (n, 3) and
        how far the reference is drawn out (n,)."""
        level = self.map.nearest_level(state[:, 3])
        nearest = self.map.nearest(state, level)
        stretch = self.map.speeds[level] / np.maximum(state[:, 3], FOOT)
        return nearest, level, state[:, :3] - self.map.states[nearest, :3], stretch

    def _between(self, state: np.ndarray) -> tuple[np.ndarray, ...]:
        """The same at the speeds below and above: (n, 2), (n, 2), (n, 2, 3) and (n,), and which share each
        has (n, 2), the nearer one first."""
        low, above = self.map.levels(state[:, 3])
        high = np.minimum(low + 1, len(self.map.speeds) - 1)
        level = np.where((above > 0.5)[:, None], np.column_stack([high, low]), np.column_stack([low, high]))
        share = np.clip((np.minimum(above, 1 - above) - SLIGHT) / (1 - 2 * SLIGHT), 0.0, 0.5)
        share = np.column_stack([1 - share, share])
        nearest = np.column_stack([self.map.nearest(state, one) for one in level.T])
        off = state[:, None, :3] - self.map.states[nearest, :3]
        stretch = 1 / (np.maximum(state[:, 3], FOOT) * (share / self.map.speeds[level]).sum(axis=1))
        return nearest, level, off, stretch, share


@kernel
def _choose(
    pose: np.ndarray,
    nearest: np.ndarray,
    level: np.ndarray,
    off_map: np.ndarray,
    stretch: np.ndarray,
    share: np.ndarray,
    reference: np.ndarray,
    table: np.ndarray,
    falling: np.ndarray,
    carried: np.ndarray,
    turns: np.ndarray,
    ratio: float,
    speeds: np.ndarray,
    out: np.ndarray,
) -> None:
    ticks, actions = table.shape[1], table.shape[3]
    position, heading = np.float32(ratio * ratio), np.float32((1.0 - ratio) ** 2)
    cost = np.empty(actions, np.float32)
    for i in range(len(pose)):
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        near, other = nearest[i, 0], nearest[i, 1]
        cost[:] = falling[near]
        last, sx, sy = 0.0, 0.0, 1.0
        other_way = share[i, 1] / speeds[level[i, 1]]
        other_way /= other_way + share[i, 0] / speeds[level[i, 0]]
        moving, turning = np.float32(other_way), np.float32(share[i, 1])
        for k in range(ticks):
            dx = stretch[i] * (reference[i, k, 0] - pose[i, 0])
            dy = stretch[i] * (reference[i, k, 1] - pose[i, 1])
            ahead, left = c * dx + s * dy, c * dy - s * dx
            turned = wrapped(reference[i, k, 2] - pose[i, 2])
            if turned != last:  # leftward of the reference, in the rider's frame
                last, sx, sy = turned, -np.sin(turned), np.cos(turned)
            # what the rider's state adds to every trajectory is taken off the reference instead
            for side in range(2 if turning > 0 else 1):
                add = carried[level[i, side], k]
                moved = other_way if side == 1 else 1.0 - other_way
                for j in range(3):
                    ahead -= moved * off_map[i, side, j] * add[j, 0]
                    left -= moved * off_map[i, side, j] * add[j, 1]
                    turned -= share[i, side] * off_map[i, side, j] * add[j, 2]
            aside, wanted = np.float32(sx * ahead + sy * left), np.float32(turned)
            nx, ny = np.float32(sx), np.float32(sy)
            way = table[near, k]
            if turning > 0:
                more = table[other, k]
                for a in range(actions):
                    x = way[0, a] + moving * (more[0, a] - way[0, a])
                    y = way[1, a] + moving * (more[1, a] - way[1, a])
                    off = nx * x + ny * y - aside
                    astray = way[2, a] + turning * (more[2, a] - way[2, a]) - wanted
                    cost[a] += position * off * off + heading * astray * astray
            else:
                for a in range(actions):
                    off, astray = nx * way[0, a] + ny * way[1, a] - aside, way[2, a] - wanted
                    cost[a] += position * off * off + heading * astray * astray
        out[i] = _lowest(turns, cost)


@kernel
def _choose_as_seed(
    pose, nearest, level, off_map, stretch, reference, table, falling, carried, turns, ratio, t_max, out
):
    """Brogan & Hodgins 2002, section 4.2: plain errors, and the two best turns blended by their distance from
    the reference at t_max."""
    ticks, actions = table.shape[1], table.shape[3]
    cost, apart = np.empty(actions), np.empty(actions)
    for i in range(len(pose)):
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        for a in range(actions):
            cost[a] = falling[nearest[i], a]
        for k in range(ticks):
            dx = stretch[i] * (reference[i, k, 0] - pose[i, 0])
            dy = stretch[i] * (reference[i, k, 1] - pose[i, 1])
            turned = wrapped(reference[i, k, 2] - pose[i, 2])
            add = carried[level[i], k]
            ahead, left, astray = c * dx + s * dy, c * dy - s * dx, turned
            for j in range(3):
                ahead -= off_map[i, j] * add[j, 0]
                left -= off_map[i, j] * add[j, 1]
                astray -= off_map[i, j] * add[j, 2]
            weight = ratio if k < t_max else 0.0
            way = table[nearest[i], k]
            for a in range(actions):
                off = np.sqrt((way[0, a] - ahead) ** 2 + (way[1, a] - left) ** 2)
                cost[a] += weight * off + (1.0 - weight) * abs(way[2, a] - astray)
                if k == t_max - 1:
                    apart[a] = off
        best, second = 0, -1
        for a in range(1, actions):
            if cost[a] < cost[best]:
                best, second = a, best
            elif second < 0 or cost[a] < cost[second]:
                second = a
        both = apart[best] + apart[second]
        share = apart[best] / both if both > 1e-9 and cost[second] < RISKY else 0.0
        out[i] = (1 - share) * turns[best] + share * turns[second]


@inlined
def _lowest(turns, cost):
    """The turn [rad] at the lowest point of the parabola through the cheapest action and those beside it."""
    best = 0
    for a in range(1, len(cost)):
        if cost[a] < cost[best]:
            best = a
    middle = best
    if best == 0 or cost[best - 1] >= RISKY:
        middle = best + 1
    elif best == len(cost) - 1 or cost[best + 1] >= RISKY:
        middle = best - 1
    if middle < 1 or middle > len(cost) - 2:
        return turns[best]
    if cost[middle - 1] >= RISKY or cost[middle + 1] >= RISKY:
        return turns[best]
    below, here, above = turns[middle - 1], turns[middle], turns[middle + 1]
    falls = (cost[middle] - cost[middle - 1]) / (here - below)
    rises = (cost[middle + 1] - cost[middle]) / (above - here)
    if rises <= falls:
        return turns[best]
    lowest = 0.5 * (below + here) - falls * 0.5 * (above - below) / (rises - falls)
    return min(max(lowest, below), above)


def line_ahead(
    x: np.ndarray, y: np.ndarray, heading: np.ndarray, speed: np.ndarray, ticks: int
) -> np.ndarray:
    """Reference (n, ticks, 3) of goals that stand at x, y now and move with `speed` [m/s] along `heading`."""
    ahead = np.arange(1, ticks + 1) * DECIDE
    x, y, heading, speed = np.broadcast_arrays(x, y, heading, speed)
    out = np.empty((len(x), ticks, 3))
    out[..., 0] = x[:, None] + (speed * np.cos(heading))[:, None] * ahead
    out[..., 1] = y[:, None] + (speed * np.sin(heading))[:, None] * ahead
    out[..., 2] = heading[:, None]
    return out
