"""Which degrees of freedom a map may leave out, and why: worked out from how the body moved.

The seed's table 1 gives four reasons: the world is homogeneous (places and directions do not matter), the
part is symmetrical (a wheel looks the same at every angle), the value is constant, or it is a function of
others. Each is a test on data here; what no test explains is said to be so. What is kept is the pair that
tells most of the future, and functions are of what is kept or is itself told by it: nothing is left out for
the sake of something that is left out for its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from swerve.core.errors import require
from swerve.core.steered import Steerable

from .trials import DECIDE, Moments, Tracks, state_names, try_turns, wander

EXPLAINED = 0.9  # share of the variance from which a value counts as a function of others
STILL = 0.02  # [rad or m] within which 95 % of a constant angle or length lie around their median
STILL_RATE = 0.05  # of its mean, or [rad/s or m/s] of a mean near zero, likewise for a rate
PERIODS = 3
KEPT = "not removed"
PRINCIPAL = ("principal 1", "principal 2")
CENTRAL = (
    "roll",
    "yaw_rate",
    "roll_rate",
    "steer",
    "fork",
    "steer_rate",
    "fork_rate",
)  # others hang on these
FEWEST = 12  # moments of which each has another to be held against, after each of three turns
AT_ONCE = 3  # freedoms of which another is a function, at most


@dataclass(frozen=True)
class Freedom:
    """One degree of freedom or rate: why it may be left out, and the figure that says so."""

    name: str
    reason: str
    evidence: str


def ride_data(body: Steerable, period: float = 6.0, threads: int = 1) -> tuple[tuple[str, ...], np.ndarray]:
    """Names (k) and values (n, k) of all freedoms, every 0.1 s of swinging rides of four amplitudes."""
    swings = np.array([0.15, 0.4, 0.7, 1.0]) * max(body.turns)
    ride = body.start(len(swings), threads)
    ticks, rows = round(PERIODS * period / DECIDE), []
    names: tuple[str, ...] = ()
    for k in range(ticks):
        heading = swings * np.sin(2 * np.pi * k * DECIDE / period)
        ride.advance(heading, np.full(len(swings), body.speed), DECIDE)
        if k >= ticks // PERIODS:
            names, values = ride.freedoms()
            rows.append(values[~ride.motion().fell])
    return names, np.concatenate(rows)


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


def reduce(body: Steerable, kept: Chosen, threads: int = 1) -> list[Freedom]:
    """Every degree of freedom of `body` and its rate, with the reason to leave it out; `kept` are the
    dimensions that `choose_dimensions` found to tell the future."""
    names, values = ride_data(body, threads=threads)
    moved, apart = homogeneous(body, threads)
    column = dict(zip(names, values.T, strict=True))
    cyclic = {name for name in names if not is_rate(name) and name not in moved and _cyclic(column[name])}
    crank = next((name for name in names if plain(name) == "crank"), None)
    pair = " and ".join(kept.dimensions)
    told = f"nearest neighbours by {pair} are {kept.median_error:.2f} m off after 2 s"
    found = {name: Freedom(name, KEPT, told) for name in names if key_of(name) in kept.dimensions}
    known = list(found)
    first = [name for name in names if key_of(name) in CENTRAL]
    for name in sorted(first, key=lambda name: CENTRAL.index(key_of(name))) + list(names):
        if name not in found and plain(name) != "fell":
            found[name] = _explain(name, column, moved, apart, cyclic, known, crank)
            if name in first and found[name].reason.startswith("f("):
                known.append(name)
    return [found[name] for name in names if name in found]


def choose_dimensions(
    body: Steerable, rng: np.random.Generator, count: int = 600, threads: int = 1
) -> list[Chosen]:
    """Which of roll (or slip), yaw rate and roll rate tell a body's future: for every subset, how well the
    nearest of `count` moments, told by the subset alone, predicts the place 2 s on after one and the same
    turn. Last come, told in the same way, the two principal components of all freedoms, and of all pairs of
    freedoms the best.
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
        Chosen(tuple(names[k] for k in subset), _judge(moments.states[:, list(subset)], turns, tracks))
        for subset in subsets
    ]
    free = free_columns(body, moments, threads)
    judged = {pair: _judge(np.column_stack([free[p] for p in pair]), turns, tracks) for pair in _pairs(free)}
    best = min(judged, key=lambda pair: judged[pair])
    return [
        *found,
        Chosen(PRINCIPAL, _judge(principal(free), turns, tracks), of_all=True),
        Chosen(best, judged[best], of_all=True),
    ]


def _pairs(free: dict[str, np.ndarray]) -> list[tuple[str, str]]:
    return list(combinations(free, 2))


def free_columns(body: Steerable, moments: Moments, threads: int = 1) -> dict[str, np.ndarray]:
    """All freedoms (n,) of a body at some moments, by name. Places, directions and what never changes are
    left out; of what goes round, there are sine and cosine."""
    ride = body.start(len(moments), threads)
    ride.restore(moments.snapshots)
    names, values = ride.freedoms()
    moved, _ = homogeneous(body, threads)
    found: dict[str, np.ndarray] = {}
    for name, column in zip(names, values.T, strict=True):
        if name not in moved and plain(name) != "fell":
            goes_round = not is_rate(name) and _cyclic(column)
            told = {f"sin {name}": np.sin(column), f"cos {name}": np.cos(column)}
            found |= told if goes_round else {name: column}
    return {name: column for name, column in found.items() if np.ptp(column) > 1e-6}


def principal(free: dict[str, np.ndarray]) -> np.ndarray:
    """(n, 2) the first two principal components of all freedoms, each in units of its deviation."""
    table = np.array([(column - column.mean()) / column.std() for column in free.values()])
    left, size, _ = np.linalg.svd(table.T, full_matrices=False)
    return np.asarray(left[:, :2] * size[:2])


def best_pair(chosen: Sequence[Chosen]) -> Chosen:
    """Of the pairs of a body's own dimensions the one that tells most."""
    pairs = [one for one in chosen if len(one.dimensions) == 2 and not one.of_all]
    return min(pairs, key=lambda one: one.median_error)


def best_dimensions(body: Steerable, rng: np.random.Generator, threads: int = 1) -> tuple[str, ...]:
    """The pair of dimensions that tells most of the future."""
    return best_pair(choose_dimensions(body, rng, 300, threads)).dimensions


@dataclass(frozen=True)
class Chosen:
    """How far off [m] at the median the nearest moment's future is when moments are told by `dimensions`,
    which are of a map's state, or `of_all` freedoms."""

    dimensions: tuple[str, ...]
    median_error: float
    of_all: bool = False


def is_rate(name: str) -> bool:
    return name.endswith(("rate", "_rate")) or name in ("vx", "vy", "vz", "speed")


def plain(name: str) -> str:
    return name.removesuffix("rate").strip(" _")


def _judge(told: np.ndarray, turns: np.ndarray, tracks: Tracks) -> float:
    """How far apart [m], at the median, moments end that are the nearest by what is `told` (n, d) of them."""
    scaled = told / np.ptp(told, axis=0)
    errors = []
    for turn in np.unique(turns):
        rows = np.flatnonzero((turns == turn) & np.isinf(tracks.fell))
        if len(rows) < 2:  # nobody to be held against
            continue
        apart = ((scaled[rows, None] - scaled[None, rows]) ** 2).sum(-1)
        np.fill_diagonal(apart, np.inf)
        near = rows[np.argmin(apart, axis=1)]
        errors.append(np.hypot(*(tracks.pose[rows, -1, :2] - tracks.pose[near, -1, :2]).T))
    require(bool(errors), "trials", len(turns), "must be more: too few stay up to be held against each other")
    return float(np.median(np.concatenate(errors)))


def key_of(name: str) -> str:
    """As `state_names` writes it: `roll rate` and `roll_rate` are one."""
    return plain(name) + ("_rate" if is_rate(name) else "")


def _explain(
    name: str,
    column: dict[str, np.ndarray],
    moved: set[str],
    apart: float,
    cyclic: set[str],
    known: Sequence[str],
    crank: str | None,
) -> Freedom:
    values = column[name]
    if name in moved:
        return Freedom(name, "homogeneous world", f"put elsewhere, the same way within {apart:.1g} m")
    if name in cyclic:
        return Freedom(name, "symmetrical", f"goes round {abs(values[-1] - values[0]) / 2 / np.pi:.0f} times")
    spread = float(np.percentile(np.abs(values - np.median(values)), 95))
    middle = float(np.abs(np.median(values)))
    limit = STILL_RATE * max(middle, 1.0) if is_rate(name) else STILL
    if spread <= limit:
        return Freedom(name, "constant", f"{np.median(values):.3g} ± {spread:.2g}")
    whose, share = _best_function(name, column, known, crank)
    if share >= EXPLAINED:
        return Freedom(name, f"f({whose})", f"explains {share:.1%} of it")
    return Freedom(name, "not explained", f"f({whose}) explains {share:.0%} of it" if whose else "by nothing")


def _best_function(
    name: str, column: dict[str, np.ndarray], known: Sequence[str], crank: str | None
) -> tuple[str, float]:
    """The function of the fewest of what is `known`, with the crank or without, that explains enough, or the
    best there is: whose, and what share it explains."""
    some = [one for count in range(1, AT_ONCE + 1) for one in combinations(known, count)]
    tried = [(", ".join(one), _share(_powers([column[p] for p in one]), column[name])) for one in some]
    if crank is not None and name != crank:
        round_ = _harmonics(column[crank])
        tried.append((crank, _share(round_, column[name])))
        for one in some:
            both = np.column_stack([round_, _powers([column[p] for p in one])])
            tried.append((", ".join((crank, *one)), _share(both, column[name])))
    tried.sort(key=lambda one: one[0].count(","))
    enough = [one for one in tried if one[1] >= EXPLAINED]
    return enough[0] if enough else max(tried, key=lambda one: one[1], default=("", 0.0))


def _share(features: np.ndarray, values: np.ndarray) -> float:
    """Share of the variance that a linear combination of `features` explains."""
    features = np.column_stack([features, np.ones(len(values))])
    rest = values - features @ np.linalg.lstsq(features, values, rcond=None)[0]
    return float(1 - rest.var() / max(values.var(), 1e-18))


def _powers(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Monomials up to the third degree."""
    first = [(c - c.mean()) / max(float(c.std()), 1e-12) for c in columns]
    second = [a * b for i, a in enumerate(first) for b in first[i:]]
    third = [a * b * c for i, a in enumerate(first) for j, b in enumerate(first[i:], i) for c in first[j:]]
    return np.column_stack([*first, *second, *third])


def _harmonics(angle: np.ndarray) -> np.ndarray:
    return np.column_stack([part(k * angle) for k in (1, 2, 3) for part in (np.sin, np.cos)])


def _cyclic(values: np.ndarray) -> bool:
    """An angle that goes round and round."""
    return bool(np.ptp(values) > 4 * np.pi)
