"""Which dimensions tell a body's future: held against each other, against the principal components of all its
freedoms and against clusters of them, as the seed suggests.

Every way of telling moments apart is judged on the same moments, so two of them are compared moment by
moment: a difference of medians counts if it has the same sign in nearly all resamplings of the moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from scipy.cluster.vq import kmeans2

from swerve.core.errors import require
from swerve.core.seeding import generator
from swerve.core.steered import Steerable

from .trials import Moments, Tracks, state_names, try_turns, wander

PRINCIPAL = ("principal 1", "principal 2")
CLUSTERS = ("cluster",)
PER_CLUSTER = 6  # moments of one turn, at the mean
FEWEST = 12  # moments of which each has another to be held against, after each of three turns
SURE = 0.95  # share of resamplings between the ends of an interval
RESAMPLED = 400
NOISE = 1e-3  # [rad, m or a second of them] of what does not change


@dataclass(frozen=True)
class Chosen:
    """How far off [m] at the median the nearest moment's future is when moments are told by `dimensions`,
    which are of a map's state, or `of_all` freedoms; `errors` (n,) of each, NaN of who fell."""

    dimensions: tuple[str, ...]
    median_error: float
    of_all: bool = False
    errors: np.ndarray = field(default_factory=lambda: np.zeros(0), compare=False, repr=False)

    @classmethod
    def by(cls, dimensions: tuple[str, ...], errors: np.ndarray, of_all: bool = False) -> Chosen:
        return cls(dimensions, float(np.nanmedian(errors)), of_all, errors)

    def interval(self) -> tuple[float, float]:
        """Within which the median lies, [m]."""
        low, high = np.quantile(_medians(self.errors), [(1 - SURE) / 2, (1 + SURE) / 2])
        return float(low), float(high)

    def tells_more_than(self, other: Chosen, share: float = 1.0) -> bool | None:
        """Whether its median is below `share` of the other's; None where that hangs on which moments were
        met."""
        apart = _medians(self.errors) - share * _medians(other.errors)
        low, high = np.quantile(apart, [(1 - SURE) / 2, (1 + SURE) / 2])
        return None if low <= 0 <= high else bool(high < 0)


def _medians(errors: np.ndarray) -> np.ndarray:
    """Of resampled moments, the same ones for all that are judged on as many."""
    rows = generator(0, "resampled moments").integers(len(errors), size=(RESAMPLED, len(errors)))
    medians: np.ndarray = np.nanmedian(errors[rows], axis=1)
    return medians


def homogeneous(body: Steerable, threads: int = 1) -> tuple[set[str], float]:
    """What changes when a body is put elsewhere and turned, and how far [m] apart the two then are after 2 s
    of the same turn, seen from their starts: nothing but rounding, where the world is homogeneous.
    """
    ride = body.start(2, threads)
    ride.advance(np.full(2, 0.3 * max(body.turns)), np.full(2, body.speed), 1.0)
    names, before = ride.freedoms()
    motion = ride.motion()
    shift = np.array([0.0, 1.0])
    ride.put(motion.x + 100 * shift, motion.y - 50 * shift, motion.yaw + shift)
    _, after = ride.freedoms()
    changed = np.abs(after[1] - before[1]) > 1e-6
    start = ride.motion()
    ride.advance(start.yaw - 0.5 * max(body.turns), np.full(2, body.speed), 2.0)
    end = ride.motion()
    went = (end.x - start.x + 1j * (end.y - start.y)) * np.exp(-1j * start.yaw)
    return {name for name, is_new in zip(names, changed, strict=True) if is_new}, float(
        abs(went[0] - went[1])
    )


def choose_dimensions(
    body: Steerable, rng: np.random.Generator, count: int = 600, threads: int = 1
) -> list[Chosen]:
    """Which of roll (or slip), yaw rate and roll rate tell a body's future: for every subset, how well the
    nearest of `count` moments, told by the subset alone, predicts the place 2 s on after one and the same
    turn. Last come, told in the same way, the two principal components of all freedoms, clusters of moments
    that are alike in all freedoms, and of all pairs of freedoms the best.
    """
    require(
        count >= FEWEST, "trials", count, f"must be at least {FEWEST}: moments are held against each other"
    )
    moments = wander(body, count, rng, threads=threads)
    turns = rng.choice(np.array([-0.4, 0.0, 0.4]) * max(body.turns), count)
    tracks = try_turns(body, moments, turns, 2.0, 0.5, threads)
    names = state_names(body.sideways)
    subsets = [subset for r in (1, 2, 3) for subset in combinations(range(len(names)), r)]
    found = [
        Chosen.by(tuple(names[k] for k in subset), _judge(moments.states[:, list(subset)], turns, tracks))
        for subset in subsets
    ]
    free = free_columns(body, moments, threads)
    judged = {pair: _judge(np.column_stack([free[p] for p in pair]), turns, tracks) for pair in _pairs(free)}
    best = min(judged, key=lambda pair: float(np.nanmedian(judged[pair])))
    return [
        *found,
        Chosen.by(PRINCIPAL, _judge(principal(free), turns, tracks), of_all=True),
        Chosen.by(CLUSTERS, _judge_clusters(free, turns, tracks), of_all=True),
        Chosen.by(best, judged[best], of_all=True),
    ]


def _pairs(free: dict[str, np.ndarray]) -> list[tuple[str, str]]:
    return list(combinations(free, 2))


def free_columns(body: Steerable, moments: Moments, threads: int = 1) -> dict[str, np.ndarray]:
    """All freedoms (n,) of a body at some moments, by name. Places, directions and what never changes but
    for noise are left out; of what goes round, there are sine and cosine."""
    ride = body.start(len(moments), threads)
    ride.restore(moments.snapshots)
    names, values = ride.freedoms()
    moved, _ = homogeneous(body, threads)
    found: dict[str, np.ndarray] = {}
    for name, column in zip(names, values.T, strict=True):
        if name not in moved and plain(name) != "fell":
            goes_round = not is_rate(name) and cyclic_angle(column)
            told = {f"sin {name}": np.sin(column), f"cos {name}": np.cos(column)}
            found |= told if goes_round else {name: column}
    return {name: column for name, column in found.items() if spread_of(column) > NOISE}


def principal(free: dict[str, np.ndarray]) -> np.ndarray:
    """(n, 2) the first two principal components of all freedoms, each in units of its deviation."""
    left, size, _ = np.linalg.svd(_alike(free), full_matrices=False)
    return np.asarray(left[:, :2] * size[:2])


def _alike(free: dict[str, np.ndarray]) -> np.ndarray:
    """(n, k) all freedoms about their means, in units of their deviations."""
    return np.array([(column - column.mean()) / column.std() for column in free.values()]).T


def best_pair(chosen: Sequence[Chosen]) -> Chosen:
    """Of the pairs of a body's own dimensions the one that tells most."""
    pairs = [one for one in chosen if len(one.dimensions) == 2 and not one.of_all]
    return min(pairs, key=lambda one: one.median_error)


def best_dimensions(body: Steerable, rng: np.random.Generator, threads: int = 1) -> tuple[str, ...]:
    """The pair of dimensions that tells most of the future."""
    return best_pair(choose_dimensions(body, rng, 300, threads)).dimensions


def is_rate(name: str) -> bool:
    return name.endswith(("rate", "_rate")) or name in ("vx", "vy", "vz", "speed")


def plain(name: str) -> str:
    return name.removesuffix("rate").strip(" _")


def spread_of(values: np.ndarray) -> float:
    """Within which 95 % of them lie around their median."""
    return float(np.percentile(np.abs(values - np.median(values)), 95))


def cyclic_angle(values: np.ndarray) -> bool:
    """An angle that goes round and round."""
    return bool(np.ptp(values) > 4 * np.pi)


def _judge(told: np.ndarray, turns: np.ndarray, tracks: Tracks) -> np.ndarray:
    """(n,) how far apart [m] moments end that are the nearest by what is `told` (n, d) of them; NaN for who
    falls or has nobody to be held against."""
    scaled = told / np.ptp(told, axis=0)
    errors = np.full(len(turns), np.nan)
    for turn in np.unique(turns):
        rows = np.flatnonzero((turns == turn) & np.isinf(tracks.fell))
        if len(rows) < 2:  # nobody to be held against
            continue
        apart = ((scaled[rows, None] - scaled[None, rows]) ** 2).sum(-1)
        np.fill_diagonal(apart, np.inf)
        near = rows[np.argmin(apart, axis=1)]
        errors[rows] = np.hypot(*(tracks.pose[rows, -1, :2] - tracks.pose[near, -1, :2]).T)
    require(
        bool(np.isfinite(errors).any()),
        "trials",
        len(turns),
        "must be more: too few stay up to be held against each other",
    )
    return errors


def _judge_clusters(free: dict[str, np.ndarray], turns: np.ndarray, tracks: Tracks) -> np.ndarray:
    """(n,) how far [m] moments end from the mean of the others of their cluster, by k-means of all freedoms;
    a moment that is alone in its cluster is held against all."""
    kinds = len(np.unique(turns))
    count = max(2, len(turns) // (kinds * PER_CLUSTER))
    cluster = kmeans2(_alike(free), count, seed=generator(0, "clusters"), minit="++", missing="raise")[1]
    errors = np.full(len(turns), np.nan)
    end = tracks.pose[:, -1, :2]
    for row in np.flatnonzero(np.isinf(tracks.fell)):
        others = (turns == turns[row]) & np.isinf(tracks.fell)
        others[row] = False
        mates = others & (cluster == cluster[row])
        if others.any():
            errors[row] = np.hypot(*(end[row] - end[mates if mates.any() else others].mean(axis=0)))
    return errors
