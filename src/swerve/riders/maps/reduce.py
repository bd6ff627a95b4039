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

from swerve.core.steered import Steerable

from .dimensions import Chosen, cyclic_angle, homogeneous, is_rate, plain, spread_of
from .trials import DECIDE

EXPLAINED = 0.9  # share of the variance from which a value counts as a function of others
STILL = 0.02  # [rad or m] within which 95 % of a constant angle or length lie around their median
STILL_RATE = 0.05  # of its mean, or [rad/s or m/s] of a mean near zero, likewise for a rate
PERIODS = 3
KEPT = "not removed"
CENTRAL = (
    "roll",
    "yaw_rate",
    "roll_rate",
    "steer",
    "fork",
    "steer_rate",
    "fork_rate",
)  # others hang on these
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


def reduce(body: Steerable, kept: Chosen, threads: int = 1) -> list[Freedom]:
    """Every degree of freedom of `body` and its rate, with the reason to leave it out; `kept` are the
    dimensions that `choose_dimensions` found to tell the future."""
    names, values = ride_data(body, threads=threads)
    moved, apart = homogeneous(body, threads)
    column = dict(zip(names, values.T, strict=True))
    cyclic = {
        name for name in names if not is_rate(name) and name not in moved and cyclic_angle(column[name])
    }
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
    spread = spread_of(values)
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
