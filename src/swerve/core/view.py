"""What a mind may know of its world: the state of this frame, the same for everybody."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np
from scipy.spatial import cKDTree

from .motion import Motion

SAME_LEVEL = 3.0  # [m] of height between bodies that can meet at all


@dataclass(frozen=True)
class Everyone:
    """All bodies of a world in one frame, batch after batch."""

    motion: Motion
    outline: np.ndarray  # (n, 3) [m]
    kinds: np.ndarray  # (n,)
    is_round: np.ndarray  # (n,)
    batch: np.ndarray  # (n,) number of the batch
    ids: np.ndarray  # (n,) identities
    names: tuple[str, ...]  # of the batches
    owners: tuple[object, ...]  # the batches themselves, to ask which rows are whose

    def __len__(self) -> int:
        return len(self.kinds)

    def of(self, *bodies: object) -> np.ndarray:
        """(n,) whether a row belongs to one of these batches."""
        numbers = [k for k, owner in enumerate(self.owners) if any(owner is b for b in bodies)]
        return np.isin(self.batch, numbers)

    def called(self, words: Collection[str]) -> np.ndarray:
        """(n,) whether a row is of one of these kinds, or of a batch with one of these names."""
        numbers = [k for k, name in enumerate(self.names) if name in words]
        return np.isin(self.batch, numbers) | np.isin(self.kinds.astype(str), list(words))


@dataclass(frozen=True)
class Seen:
    """Some of everyone: their `rows`, how they move, outlines (m, 3) [m], kinds, and predicted `poses`
    (m, k, 3), if they were asked for."""

    rows: np.ndarray
    motion: Motion
    outline: np.ndarray
    kinds: np.ndarray
    poses: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))

    def __len__(self) -> int:
        return len(self.rows)


class View:
    """A frame, as the batch in rows `first` to `stop` of everyone sees it. It holds until bodies move.

    Nothing is looked at before it is asked for: a batch that is alone in its world costs nothing to see.
    """

    def __init__(
        self,
        t: float,
        first: int,
        stop: int,
        everyone: Callable[[], Everyone],
        index: Callable[[], cKDTree],
        predict: Callable[[np.ndarray, int], np.ndarray],
        count: int,
        own: Callable[[], Motion],
    ):
        self.t, self.first, self.stop, self.count, self._own = t, first, stop, count, own
        self._everyone, self._index, self._predict = everyone, index, predict

    @property
    def everyone(self) -> Everyone:
        return self._everyone()

    @cached_property
    def mine(self) -> Motion:
        """How the batch moves itself, with its own extras and nobody else's."""
        return self._own()

    @property
    def alone(self) -> bool:
        """Whether there is nobody of another batch in the world."""
        return self.stop - self.first == self.count

    def others(self, within: float = np.inf, level: bool = False) -> Seen:
        """Everybody of other batches, or those within so many metres of any body of the batch; `level`
        leaves out who is above or below all of it, as on a bridge."""
        rows = np.concatenate([np.arange(self.first), np.arange(self.stop, len(self.everyone))])
        if np.isfinite(within) and len(rows):
            near = self._index().query_ball_point(self._places(self.first, self.stop), within)
            close = np.unique(np.concatenate([np.asarray(r, dtype=np.int64) for r in near] or [rows[:0]]))
            rows = close[(close < self.first) | (close >= self.stop)]
        if level and len(rows):
            z, mine = self.everyone.motion.z, self.mine.z
            tall = self.everyone.outline[rows, 2] / 2
            apart = np.maximum(z[rows] - tall - mine.max(), mine.min() - z[rows] - tall)
            rows = rows[apart < SAME_LEVEL / 2]
        return self.pick(rows)

    def near(self, radius: float) -> tuple[np.ndarray, np.ndarray]:
        """Neighbours of every body of the batch, own batch included, on its level: (n + 1) offsets and the
        rows of everyone; those of body i are rows[first[i] : first[i + 1]]."""
        found = self._index().query_ball_point(
            self._places(self.first, self.stop), radius, return_sorted=True
        )
        lengths = np.array([len(rows) for rows in found], dtype=np.int64)
        near = np.fromiter(chain.from_iterable(found), np.int64, int(lengths.sum()))
        own = np.repeat(np.arange(self.first, self.stop), lengths)
        z = self.everyone.motion.z
        kept = (near != own) & (np.abs(z[near] - z[own]) < SAME_LEVEL)
        counts = np.bincount(own[kept] - self.first, minlength=len(lengths))
        return np.concatenate([[0], np.cumsum(counts)]), near[kept]

    def foresee(self, times: np.ndarray, within: float = np.inf, level: bool = False) -> Seen:
        """Everybody of other batches, with the poses at `times` (k,) [s] from now that they are predicted to
        take, each by its own predictor."""
        return self.with_poses(self.others(within, level), times)

    def pick(self, rows: np.ndarray) -> Seen:
        """Some rows of everyone."""
        e = self.everyone
        return Seen(rows, e.motion[rows], e.outline[rows], e.kinds[rows])

    def with_poses(self, seen: Seen, times: np.ndarray) -> Seen:
        """The same bodies with their predicted poses."""
        poses = np.zeros((len(seen), len(times), 3))
        batch = self.everyone.batch
        starts = np.searchsorted(batch, np.arange(int(batch.max(initial=-1)) + 1))
        for number in np.unique(batch[seen.rows]):
            mine = batch[seen.rows] == number
            poses[mine] = self._predict(np.asarray(times, dtype=np.float64), int(number))[
                seen.rows[mine] - starts[number]
            ]
        return Seen(seen.rows, seen.motion, seen.outline, seen.kinds, poses)

    def _places(self, first: int, stop: int) -> np.ndarray:
        motion = self.everyone.motion
        return np.column_stack([motion.x[first:stop], motion.y[first:stop]])
