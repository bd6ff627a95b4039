"""Shorter and closer motions out of one that was found: cut some steps out, repair the end, keep what holds.

The model is only known as a function, so the repair takes differences: how the end moves when the controls
are changed a little, all of it in one batch. Changes are hats over the window (piecewise linear); a few
damped Gauss-Newton steps bring the window's end to where it was, or to the goal. What comes out is replayed
step by step and kept only if it is valid all along, reaches the goal and is shorter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swerve.core.kernels import kernel
from swerve.core.seeding import generator

from .rollout import Model

Array = np.ndarray
CANDIDATES, REPAIRS, KNOTS = 8, 4, 8  # at once; Gauss-Newton steps; hats over a window
NUDGE = 1e-4  # of a control's range, for differences
DAMPING = 1e-6  # of the squares that are to be inverted
WILDEST = 0.3  # of a control's range: the largest random change


@dataclass
class Way:
    """A motion: `controls` (n, c) and `states` (n + 1, d)."""

    controls: Array
    states: Array
    share: float = 0.2  # of a window that is cut out next, adapted

    def __len__(self) -> int:
        """In steps."""
        return len(self.controls)


@dataclass
class Workshop:
    """Where motions of one model are mended. `aim` (e,) is the goal's point, None if the goal is a test."""

    model: Model
    there: Callable[[Array], Array]  # (b,) of states: at the goal
    embed: Callable[[Array], Array]  # points (b, e) of states
    limits: Array
    dt: float
    aim: Array | None
    seed: int
    steps: int = 0  # of the model that were taken

    @cached_property
    def random(self) -> np.random.Generator:
        return generator(self.seed, "shorten")

    def close(self, way: Way) -> Way | None:
        """The motion with its end brought to the aim, or None."""
        if self.aim is None:
            return None
        n = len(way)
        for window in (n, max(n // 2, 2), max(n // 4, 2)):
            window = min(window, n)
            found = self._try(way, window, 0, np.full(CANDIDATES, n - window))
            if found is not None:
                return found
        return None

    def shorten(self, way: Way) -> Way | None:
        """One attempt at a shorter motion; None where none of its candidates holds."""
        n = len(way)
        if n < 4:
            return None
        window = n if self.random.random() < 0.3 else int(self.random.integers(min(6, n), n + 1))
        cut = min(max(1, round(way.share * window * self.random.random())), window - 2)
        starts = self.random.integers(0, n - window + 1, CANDIDATES)
        found = self._try(way, window, cut, starts)
        if found is None:
            way.share = max(1e-3, 0.85 * way.share)
            return None
        found.share = min(0.5, 1.5 * way.share)
        return found

    def _try(self, way: Way, window: int, cut: int, starts: Array) -> Way | None:
        """The best of a batch of windows, each `cut` steps shorter, repaired and replayed."""
        n, kept, c = len(way), window - cut, len(self.limits)
        span = self.limits[:, 1] - self.limits[:, 0]
        knots = int(np.clip(kept // 3, 1, KNOTS))
        hats = _hats(kept, knots)  # (kept, knots)
        base = np.stack([way.controls[s + self._left(window, kept)] for s in starts])
        wild = WILDEST * self.random.random(len(starts)) ** 3
        wild[0] = 0.0
        change = wild[:, None, None] * span * self.random.standard_normal((len(starts), knots, c))
        begin = way.states[starts]
        wanted = self.embed(way.states[starts + window])
        if self.aim is not None:
            last = (starts + window == n)[:, None] & ~np.isnan(self.aim)
            wanted = np.where(last, self.aim, wanted)
        for _ in range(REPAIRS):
            change = change + self._correction(begin, base, hats, change, wanted, span)
        new = varied(base, hats, change, np.zeros(0), self.limits)  # (kept, b, c)
        full = [
            np.concatenate([way.controls[:s], new[:, k], way.controls[s + window :]])
            for k, s in enumerate(starts)
        ]
        return self._replayed(way.states[0], np.stack(full, axis=1))

    def _left(self, window: int, kept: int) -> Array:
        """Which steps of a window stay: those around one place are cut out, or some all over it."""
        if kept == window or self.random.random() < 0.5:
            return ((np.arange(kept) + 0.5) * window / kept).astype(int)
        at = int(self.random.integers(0, kept + 1))
        return np.concatenate([np.arange(at), np.arange(at + window - kept, window)])

    def _correction(
        self, begin: Array, base: Array, hats: Array, change: Array, wanted: Array, span: Array
    ) -> Array:
        """The least change of the hats (b, knots, c) that brings each end to where it is wanted."""
        b, knots, c = change.shape
        p = 1 + knots * c
        nudges = np.where(self.random.random(knots * c) < 0.5, -NUDGE, NUDGE)
        controls = varied(base, hats, change, nudges * np.tile(span, knots), self.limits)
        self.steps += controls.shape[0] * controls.shape[1]
        ends = self.model.roll(np.repeat(begin, p, axis=0), controls, self.dt)[-1]
        points = self.embed(ends).reshape(b, p, -1)
        slopes = (points[:, 1:] - points[:, :1]) / nudges[None, :, None]  # (b, knots·c, e), a range's worth
        off = wanted - points[:, 0]
        square = slopes.swapaxes(1, 2) @ slopes
        size = np.trace(square, axis1=1, axis2=2)[:, None, None]
        square = square + (DAMPING * size + 1e-12) * np.eye(square.shape[1])
        bad = ~(np.isfinite(square).all(axis=(1, 2)) & np.isfinite(off).all(axis=1))
        square[bad], off[bad], slopes[bad] = np.eye(square.shape[1]), 0.0, 0.0
        step = (slopes @ np.linalg.solve(square, off[:, :, None]))[:, :, 0]
        return np.asarray(np.clip(step, -0.5, 0.5).reshape(b, knots, c) * span)

    def _replayed(self, start: Array, controls: Array) -> Way | None:
        """Of candidates (n, b, c) the one that is valid up to the goal and gets there first."""
        n, b, _ = controls.shape
        self.steps += n * b
        with np.errstate(all="ignore"):  # beyond what is valid a model may compute anything
            rows = self.model.roll(np.tile(start, (b, 1)), controls, self.dt)
            flat, before = (np.ascontiguousarray(part).reshape(n * b, -1) for part in (rows[1:], rows[:-1]))
            fine = self.model.clear(before, flat).reshape(n, b) & np.isfinite(flat).all(axis=1).reshape(n, b)
            there = self.there(flat).reshape(n, b) & np.logical_and.accumulate(fine, axis=0)
        if not there.any():
            return None
        last, k = np.argwhere(there)[0]
        return Way(controls[: last + 1, k].copy(), rows[: last + 2, k].copy())


@kernel
def varied(base: Array, hats: Array, change: Array, nudges: Array, limits: Array) -> Array:
    """Controls (t, b·(1 + p), c) of b windows (b, t, c): each changed by hats, then with each of the
    p = knots·c hats nudged alone."""
    b, n, c = base.shape
    p = 1 + len(nudges)
    result = np.empty((n, b * p, c))
    for t in range(n):
        for i in range(b):
            for m in range(c):
                value = base[i, t, m]
                for k in range(hats.shape[1]):
                    value += hats[t, k] * change[i, k, m]
                for j in range(p):
                    given = value
                    if j > 0 and (j - 1) % c == m:
                        given += hats[t, (j - 1) // c] * nudges[j - 1]
                    result[t, i * p + j, m] = min(max(given, limits[m, 0]), limits[m, 1])
    return result


def _hats(n: int, knots: int) -> Array:
    """(n, knots): piecewise linear weights that sum to one."""
    place = np.linspace(0.0, knots - 1.0, n) if knots > 1 else np.zeros(n)
    return np.maximum(1.0 - np.abs(place[:, None] - np.arange(knots)), 0.0)
