"""Which turn to make: every stored trajectory held against the way the rider should go, the best improved on.

A reference is a way to be on: for every rider (n,) and every 0.1 s from now, x, y and heading (n, m, 3). A
trajectory costs, summed up to t_max, (ratio · distance off the reference [m])² + ((1 − ratio) · heading error
[rad])². The distance counts sideways only, because turning does not make up for being early or late.

Between stored turns trajectories change nearly in proportion, so their cost is nearly a parabola; its lowest
point is the turn commanded (the rule `ours`). The rule `seed` adds up plain errors, those of heading over the
whole trial and those of place up to t_max, and blends its two best turns by how far each is from the
reference at t_max: riders that are nearly right then steer by that distance alone, and heading has no say any
more.

Three tenths of the heading told before are held on to, as far as nobody risks a fall by it. What a command
of the last 0.1 s still does to the bar shows little in lean and yaw rate, and a map that goes by those
overstates it by a third: who decided afresh every time turned the bar to the other side every time. The
heading held turns with what newly comes into view of the reference.

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
from swerve.core.kernels import kernel
from swerve.core.motion import Motion
from swerve.core.quick import cosine_sine
from swerve.core.steered import AIM

from ..bodies.threads import cut, in_slices
from ..maps.carry import predict
from ..maps.mobility import MobilityMap
from ..maps.nearest import find_beside
from ..maps.trials import DECIDE, FOOT, state_of
from .judge import FALLEN, RISKY, choose, choose_as_seed, in_lanes

RULES = ("ours", "seed")
CHANCY = (
    0.04  # share of a speed's trials, to both sides, from which on a turn is risked from none of its states
)


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
        self._known: tuple[Motion, np.ndarray, np.ndarray] | None = None

    @property
    def at_once(self) -> bool:
        """Whether riders come back to a line by the rule itself: the seed's knows no other way."""
        return self.rule == "seed"

    @property
    def ticks(self) -> int:
        """How many tenths of a second of the way ahead it looks at."""
        return self.weights.ticks if self.rule == "ours" else round(self.map.seconds / DECIDE)

    def foresee(self, motion: Motion, heading: np.ndarray, seconds: float) -> np.ndarray:
        """(n, 2) where riders will be `seconds` from now if they go on towards `heading` (n,) [rad]."""
        state, beside = self._on_map(motion)
        turns, out = heading - motion.yaw, np.empty((len(motion), 2))
        columns = (motion.x, motion.y, motion.yaw, motion.fell, out)

        def part(rows: slice) -> None:
            said = predict(self.map, state[rows], turns[rows], seconds, beside=beside[rows])
            _gone(said, *cut(columns, rows))

        in_slices(part, len(motion), self.threads)
        return out

    def _on_map(self, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
        """States (n, 4) of riders and the stored ones (n, 2) beside them. Who is asked for what it foresees
        is mostly asked for turns next: of the same motion it is worked out once."""
        known = self._known
        if known is None or known[0] is not motion:
            known = (motion, np.empty((len(motion), 4)), np.empty((len(motion), 2), np.int64))
            _, state, beside = known

            def part(rows: slice) -> None:
                state[rows] = state_of(motion[rows])
                find_beside(state[rows], self.map.speeds, self.map.index, beside[rows])

            in_slices(part, len(motion), self.threads)
            self._known = known
        return known[1:]

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
    def _in_lanes(self) -> tuple[np.ndarray, np.ndarray]:
        poses, falling = self.table
        return in_lanes(poses, 0.0), in_lanes(falling, np.inf)

    @cached_property
    def _stored(self) -> np.ndarray:
        return np.ascontiguousarray(self.map.states[:, :3])

    @cached_property
    def carried(self) -> np.ndarray:
        """(k, m, 3, 3) what a difference of state adds to x, y, yaw at every speed and tick."""
        return np.ascontiguousarray(self.map.carry[:, 1 : self.ticks + 1, :, :3])

    @cached_property
    def _carried(self) -> np.ndarray:
        """(k, 3, 3, m) the same by what it adds to, ticks side by side."""
        return np.ascontiguousarray(self.carried.transpose(0, 3, 2, 1))

    def turns(self, motion: Motion, reference: np.ndarray) -> np.ndarray:
        """Turn commands (n,) [rad] for riders in `motion` that should be on `reference` (n, m, 3)."""
        if reference.shape != (len(motion.x), self.ticks, 3):
            wanted = (len(motion.x), self.ticks, 3)
            raise BadInput("reference", reference.shape, f"must be {wanted}")
        out = np.empty(len(motion))
        rule = (self.map.turns, self.weights.ratio)
        if self.rule == "ours":
            told = motion.extra(AIM, np.nan)
            columns = (motion.pose, *self._on_map(motion), told, reference, out)
            where: tuple[Any, ...] = (self._stored, self.map.speeds, *self._in_lanes, self._carried, *rule)

            def part(rows: slice) -> None:
                choose(*cut(columns, rows), *where)
        else:
            tables = (*self.table, self.weights.ticks, self.carried)

            def part(rows: slice) -> None:
                now = motion[rows]
                told = (now.pose, *self._nearer(state_of(now)), reference[rows])
                choose_as_seed(*told, *tables, *rule, out[rows])

        in_slices(part, len(motion), self.threads)
        return out

    def _nearer(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """For `state` (n, 4) the nearest stored one (n,) of the nearer speed (n,), the difference (n, 3) and
        how far the reference is drawn out (n,)."""
        level = self.map.nearest_level(state[:, 3])
        nearest = self.map.nearest(state, level)
        stretch = self.map.speeds[level] / np.maximum(state[:, 3], FOOT)
        return nearest, level, state[:, :3] - self.map.states[nearest, :3], stretch


@kernel
def _gone(said, x, y, yaw, fell, out):
    for i in range(len(out)):
        up = 0.0 if fell[i] else 1.0
        c, s = cosine_sine(yaw[i])
        out[i, 0] = x[i] + up * (c * said[i, 0] - s * said[i, 1])
        out[i, 1] = y[i] + up * (c * said[i, 1] + s * said[i, 0])


def line_ahead(
    x: np.ndarray, y: np.ndarray, heading: np.ndarray, speed: np.ndarray, ticks: int
) -> np.ndarray:
    """Reference (n, ticks, 3) of goals that stand at x, y now and move with `speed` [m/s] along `heading`."""
    out = np.empty((len(x), ticks, 3))
    columns = np.column_stack(np.broadcast_arrays(x, y, heading, speed)).T.copy()
    lay_lines(columns[0], columns[1], columns[2], columns[3], out)
    return out


@kernel
def lay_lines(x: np.ndarray, y: np.ndarray, heading: np.ndarray, speed: np.ndarray, out: np.ndarray) -> None:
    """The same, written into `out` (n, ticks, 3)."""
    for i in range(len(out)):
        c, s = cosine_sine(heading[i])
        vx, vy = speed[i] * c, speed[i] * s
        for k in range(out.shape[1]):
            gone = (k + 1) * DECIDE
            out[i, k, 0], out[i, k, 1], out[i, k, 2] = x[i] + vx * gone, y[i] + vy * gone, heading[i]
