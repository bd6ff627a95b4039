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

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.errors import BadInput
from swerve.core.kernels import kernel
from swerve.core.motion import Motion
from swerve.core.steered import AIM

from ..bodies.threads import in_slices
from ..maps.carry import predict
from ..maps.mobility import MobilityMap
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
        out = np.empty((len(motion), 2))

        def part(rows: slice) -> None:
            now = motion[rows]
            said = predict(self.map, state_of(now), heading[rows] - now.yaw, seconds)
            moved = np.where(now.fell, 0.0, 1.0) * np.exp(1j * now.yaw) * (said[:, 0] + 1j * said[:, 1])
            out[rows, 0], out[rows, 1] = now.x + moved.real, now.y + moved.imag

        in_slices(part, len(motion), self.threads)
        return out

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

    def turns(self, motion: Motion, reference: np.ndarray) -> np.ndarray:
        """Turn commands (n,) [rad] for riders in `motion` that should be on `reference` (n, m, 3)."""
        if reference.shape != (len(motion.x), self.ticks, 3):
            wanted = (len(motion.x), self.ticks, 3)
            raise BadInput("reference", reference.shape, f"must be {wanted}")
        out = np.empty(len(motion))
        rule = (self.carried, self.map.turns, self.weights.ratio)
        if self.rule == "ours":
            told = motion.extra(AIM, np.nan)
            where = (self.map.index, self._stored, self.map.speeds, *self._in_lanes)

            def part(rows: slice) -> None:
                now = motion[rows]
                choose(now.pose, state_of(now), told[rows], reference[rows], *where, *rule, out[rows])
        else:
            tables = (*self.table, self.weights.ticks)

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


def line_ahead(
    x: np.ndarray, y: np.ndarray, heading: np.ndarray, speed: np.ndarray, ticks: int
) -> np.ndarray:
    """Reference (n, ticks, 3) of goals that stand at x, y now and move with `speed` [m/s] along `heading`."""
    out = np.empty((len(x), ticks, 3))
    lay_lines(x, y, heading, speed, out)
    return out


def lay_lines(x: np.ndarray, y: np.ndarray, heading: np.ndarray, speed: np.ndarray, out: np.ndarray) -> None:
    """The same, written into `out` (n, ticks, 3)."""
    columns = np.broadcast_arrays(x, y, heading, speed * np.cos(heading), speed * np.sin(heading))
    _lay_lines(np.column_stack(columns), out)


@kernel
def _lay_lines(lines: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(lines)):
        x, y, heading, vx, vy = lines[i]
        for k in range(out.shape[1]):
            gone = (k + 1) * DECIDE
            out[i, k, 0], out[i, k, 1], out[i, k, 2] = x + vx * gone, y + vy * gone, heading
