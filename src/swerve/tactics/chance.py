"""Randomness by number, not by order: what a branch draws depends on the seed and its expansion alone.

Every expansion of a search has a number. Its draws are a hash of the seed, that number and how many draws
came before it, so a tree does not depend on which branches were grown together or on how many threads.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

STREAM = 1 << 20  # draws that each tactic and skill may make in one expansion before streams meet


class Chance:
    """Random numbers for b branches; every call gives each branch its own.

    >>> one, two = Chance(7, np.array([3, 9])), Chance(7, np.array([9]))
    >>> bool(one.uniform()[1] == two.uniform()[0])
    True
    """

    __slots__ = ("count", "expansions", "seed")

    def __init__(self, seed: int, expansions: np.ndarray, stream: int = 0):
        self.seed = np.uint64(seed)
        self.expansions = expansions
        self.count = stream * STREAM

    def several(self, draws: int) -> Chance:
        """Chances for (b·draws,), those of the same branch beside each other."""
        chance = Chance(0, _numbered(self.expansions, draws))
        chance.seed, chance.count = self.seed, self.count
        return chance

    def uniform(self, low: float | np.ndarray = 0.0, high: float | np.ndarray = 1.0) -> np.ndarray:
        """(b,) in [low, high)."""
        self.count += 1
        if isinstance(low, float) and isinstance(high, float):
            return _uniform(self.seed, self.expansions, self.count, low, high)
        return low + (high - low) * _uniform(self.seed, self.expansions, self.count, 0.0, 1.0)

    def point(self, box: tuple[float, float, float, float]) -> np.ndarray:
        """(b, 2) in x0, y0, x1, y1."""
        x, y = self.uniform(box[0], box[2]), self.uniform(box[1], box[3])
        place = np.empty((len(x), 2))
        place[:, 0], place[:, 1] = x, y
        return place

    def normal(self, mean: float = 0.0, deviation: float = 1.0) -> np.ndarray:
        """(b,) Gaussian."""
        radius = np.sqrt(-2 * np.log(1.0 - self.uniform()))
        return mean + deviation * radius * np.cos(2 * np.pi * self.uniform())


@kernel
def _numbered(expansions: np.ndarray, draws: int) -> np.ndarray:
    numbers = np.empty(len(expansions) * draws, dtype=np.int64)
    for i in range(len(expansions)):
        for k in range(draws):
            numbers[i * draws + k] = expansions[i] * draws + k
    return numbers


@kernel
def _uniform(
    seed: int | np.uint64, expansions: np.ndarray, count: int, low: float, high: float
) -> np.ndarray:
    result = np.empty(len(expansions))
    for i in range(len(expansions)):
        word = _mix(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
        word = _mix(word ^ _mix(np.uint64(expansions[i]) + np.uint64(0xD1B54A32D192ED03)))
        word = _mix(word ^ _mix(np.uint64(count) + np.uint64(0x8CB92BA72F3D8DD7)))
        result[i] = low + (high - low) * (np.float64(word >> np.uint64(11)) * (1.0 / 9007199254740992.0))
    return result


@inner
@kernel
def _mix(word: np.uint64) -> np.uint64:
    """SplitMix64's finaliser."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
