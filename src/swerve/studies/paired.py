"""Figures of trials, above all of those made in two ways with the same seeds, and how sure they are.

>>> lost, won = np.array([1, 0, 1, 1]), np.array([1, 1, 1, 1])
>>> more = spread(lambda k: float(won[k].mean() - lost[k].mean()), 4)
>>> more.value, at_most(more, 0.02), at_least(more, -2.0)
(0.25, None, True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from swerve.tactics.loop.play import wilson

SAMPLES = 2000
SHARE, POINTS, RATIO = (0.0, 100.0), (-100.0, 100.0), (0.0, np.inf)  # [%] that can be
RARE = 300.0  # [%] over n: as often something may happen that was not seen in n trials


@dataclass(frozen=True)
class Spread:
    """A figure, and the range in which it lies with a probability of 95 %."""

    value: float
    low: float
    high: float

    def words(self, unit: str = "") -> str:
        return f"{self.value:.1f}{unit} ({self.low:.1f} to {self.high:.1f})"


def spread(
    figure: Callable[[np.ndarray], float],
    trials: int,
    least: float = 0.0,
    within: tuple[float, float] = (-np.inf, np.inf),
) -> Spread:
    """A figure of so many trials by the jackknife; `figure` is given the indices of those that count. It
    cannot but be `within` a range.

    With n figures f_k that each leave out trial k, and their mean f, the variance is (n - 1)/n·Σ(f_k - f)².
    Where nothing differs this is 0, which says too much: the figure is taken to be off by `least` at least.
    """
    everyone = np.arange(trials)
    value = figure(everyone)
    if trials < 2:
        return Spread(value, -np.inf, np.inf)
    without = np.array([figure(np.delete(everyone, k)) for k in range(trials)])
    error = np.sqrt((trials - 1) / trials * np.sum((without - without.mean()) ** 2))
    half = max(float(student.ppf(0.975, trials - 1) * error), least)
    return Spread(value, max(value - half, within[0]), min(value + half, within[1]))


def more_often(won: np.ndarray, others: np.ndarray) -> Spread:
    """By how many points more pairs are won: two arrays of truths (n,), by Bonett and Price.

    Of n pairs b are won by the one alone and c by the other alone: with p = (b + 1)/(n + 2) and q likewise
    from c, the range is p - q ± 1.96·√((p + q - (p - q)²)/(n + 2)).
    """
    n = len(won)
    p, q = ((np.sum(a & ~b) + 1) / (n + 2) for a, b in ((won, others), (others, won)))
    middle, half = p - q, 1.96 * np.sqrt((p + q - (p - q) ** 2) / (n + 2))
    value = float(np.mean(won) - np.mean(others))
    return Spread(100 * value, 100 * float(middle - half), 100 * float(middle + half))


def rate(successes: int, trials: int) -> Spread:
    """How many of a hundred succeed, by Wilson; without a trial anything may be."""
    if not trials:
        return Spread(0.0, 0.0, 100.0)
    low, high = wilson(successes, trials)
    return Spread(100 * successes / trials, 100 * low, 100 * high)


def mostly(
    found: Callable[[np.ndarray], np.ndarray], trials: int, random: np.random.Generator
) -> bool | None:
    """Whether what trials say together does not hang on a few of them: of samples drawn from them with
    repetition, 97.5 % or more say yes (True) or no (False); None in between, or where there is one trial.

    `found` takes indices of the trials (samples, trials) and gives truths (samples,).
    """
    if trials < 2:
        return None
    share = float(np.mean(found(random.integers(trials, size=(SAMPLES, trials)))))
    return True if share >= 0.975 else False if share <= 0.025 else None


def at_most(found: Spread, bar: float) -> bool | None:
    """Whether a figure is surely at most that, or surely more; None where these trials cannot tell."""
    return True if found.high <= bar else False if found.low > bar else None


def at_least(found: Spread, bar: float) -> bool | None:
    """Whether a figure is surely at least that, or surely less; None where these trials cannot tell."""
    return True if found.low >= bar else False if found.high < bar else None


def more_than(found: Spread, bar: float) -> bool | None:
    """Whether a figure is surely more than that, or surely not; None where these trials cannot tell."""
    return True if found.low > bar else False if found.high <= bar else None


def both(*holds: bool | None) -> bool | None:
    """Whether all hold: no if one surely does not, None if one cannot be told."""
    return False if False in holds else None if None in holds else True
