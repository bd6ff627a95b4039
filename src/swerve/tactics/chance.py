"""Randomness by number, not by order: what a branch draws depends on the seed and its expansion alone.

Every expansion of a search has a number. Its draws are a hash of the seed, that number and how many draws
came before it, so a tree does not depend on which branches were grown together or on how many threads.
"""

from __future__ import annotations

import numpy as np

from swerve.core.errors import require
from swerve.core.kernels import inlined, inner, kernel

Box = tuple[float, float, float, float]  # x0, y0, x1, y1
STREAM = 1 << 20  # draws that each tactic and skill may make in one expansion before streams meet
HABIT_WIDTH = 0.12  # of a range, around what is habit
LAST = 1.0 - 2.0**-53  # the greatest share of a range


def number_of(seed: int) -> int:
    """A seed as a number that hashes begin with; what has more than 64 bits is folded into them."""
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    require(whole and seed >= 0, "seed", seed, "must be a whole number, at least 0")
    if seed < 1 << 64:
        return int(seed)
    return int(np.random.SeedSequence(int(seed)).generate_state(1, np.uint64)[0])


class Chance:
    """Random numbers for b branches; every call gives each branch its own.

    >>> one, two = Chance(7, np.array([3, 9])), Chance(7, np.array([9]))
    >>> bool(one.uniform()[1] == two.uniform()[0])
    True
    """

    __slots__ = ("count", "drawn", "expansions", "first", "habits", "seed")

    def __init__(self, seed: int, expansions: np.ndarray, stream: int = 0):
        self.seed = np.uint64(seed)
        self.expansions = expansions
        self.count = self.first = stream * STREAM
        self.habits: np.ndarray | None = None  # (b, draws) shares of ranges to draw around, or not a number
        self.drawn: list[np.ndarray] | None = None  # shares that were drawn, where somebody wants to know

    def several(self, draws: int) -> Chance:
        """Chances for (b·draws,), those of the same branch beside each other."""
        chance = Chance(0, _numbered(self.expansions, draws))
        chance.seed, chance.count = self.seed, self.count
        return chance

    def uniform(self, low: float | np.ndarray = 0.0, high: float | np.ndarray = 1.0) -> np.ndarray:
        """(b,) in [low, high)."""
        self.count += 1
        if self.habits is not None or self.drawn is not None:
            return low + (high - low) * self._habitual()
        if isinstance(low, float) and isinstance(high, float):
            return _uniform(self.seed, self.expansions, self.count, low, high)
        return low + (high - low) * _uniform(self.seed, self.expansions, self.count, 0.0, 1.0)

    def _habitual(self) -> np.ndarray:
        """(b,) shares of a range, near what is habit where there is one."""
        share = _uniform(self.seed, self.expansions, self.count, 0.0, 1.0)
        which = self.count - self.first - 1
        if self.habits is not None and which < self.habits.shape[1]:
            habit = self.habits[:, which]
            near = np.minimum(np.maximum(habit + HABIT_WIDTH * (share - 0.5), 0.0), LAST)
            share = np.where(np.isnan(habit), share, near)
        if self.drawn is not None:
            self.drawn.append(share)
        return share

    def aside(self) -> Chance:
        """Chances for what is decided before the first of these draws."""
        chance = Chance(0, self.expansions)
        chance.seed, chance.count = self.seed, self.first + STREAM // 2
        return chance

    def point(self, box: Box) -> np.ndarray:
        """(b, 2) in x0, y0, x1, y1."""
        if self.habits is None and self.drawn is None:
            self.count += 2
            return _point(self.seed, self.expansions, self.count - 1, box)
        x, y = self.uniform(box[0], box[2]), self.uniform(box[1], box[3])
        place = np.empty((len(x), 2))
        place[:, 0], place[:, 1] = x, y
        return place

    def point_or(self, box: Box, other: Box, share: float) -> np.ndarray:
        """(b, 2) in one box or, with a probability of `share`, in the other."""
        return Places(box, other, share)(self)

    def normal(self, mean: float = 0.0, deviation: float = 1.0) -> np.ndarray:
        """(b,) Gaussian."""
        radius = np.sqrt(-2 * np.log(1.0 - self.uniform()))
        return mean + deviation * radius * np.cos(2 * np.pi * self.uniform())


class Places:
    """Draws of places (b, 2): uniform in an `area`, or in `other` with a probability of `share`.

    Where one is handed over, kernels may draw the same places themselves (`place_of`).
    """

    __slots__ = ("boxes", "draws", "share")

    def __init__(self, area: Box, other: Box | None = None, share: float = 0.0):
        self.boxes = np.array([area, area if other is None else other], dtype=float)
        self.share, self.draws = (share, 5) if other is not None else (-1.0, 2)

    def __call__(self, chance: Chance) -> np.ndarray:
        chance.count += self.draws
        return _places(chance.seed, chance.expansions, chance.count - self.draws, self.boxes, self.share)


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
        result[i] = low + (high - low) * drawn_of(seed, expansions[i], count)
    return result


@kernel
def _point(seed: int | np.uint64, expansions: np.ndarray, count: int, box: Box) -> np.ndarray:
    places = np.empty((len(expansions), 2))
    x0, y0, x1, y1 = box
    for i in range(len(expansions)):
        places[i, 0] = x0 + (x1 - x0) * drawn_of(seed, expansions[i], count)
        places[i, 1] = y0 + (y1 - y0) * drawn_of(seed, expansions[i], count + 1)
    return places


@kernel
def _places(
    seed: int | np.uint64, expansions: np.ndarray, count: int, boxes: np.ndarray, share: float
) -> np.ndarray:
    places = np.empty((len(expansions), 2))
    for i in range(len(expansions)):
        places[i, 0], places[i, 1] = place_of(seed, expansions[i], count, boxes, share)
    return places


@inner
@kernel
def place_of(
    seed: int | np.uint64, expansion: int, count: int, boxes: np.ndarray, share: float
) -> tuple[float, float]:
    """What `Places` draws after `count` draws. A share of less than zero is of one box alone."""
    which, first = 0, count + 1
    if share >= 0.0 and drawn_of(seed, expansion, count + 3) < share:
        which, first = 1, count + 4
    low_x, low_y, high_x, high_y = boxes[which]
    x, y = drawn_of(seed, expansion, first), drawn_of(seed, expansion, first + 1)
    return low_x + (high_x - low_x) * x, low_y + (high_y - low_y) * y


@inner
@kernel
def drawn_of(seed: int | np.uint64, expansion: int, count: int) -> float:
    """In [0, 1)."""
    word = _mix(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
    word = _mix(word ^ _mix(np.uint64(expansion) + np.uint64(0xD1B54A32D192ED03)))
    word = _mix(word ^ _mix(np.uint64(count) + np.uint64(0x8CB92BA72F3D8DD7)))
    return np.float64(word >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inlined
def uniform(stream: np.ndarray) -> float:
    """The next number in [0, 1) of a stream (1,) of 64 bits, in kernels: SplitMix64."""
    stream[0] += np.uint64(0x9E3779B97F4A7C15)
    return np.float64(_mix(stream[0]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inner
@kernel
def _mix(word: np.uint64) -> np.uint64:
    """SplitMix64's finaliser."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
