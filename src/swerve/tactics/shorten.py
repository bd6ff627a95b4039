"""Shorter and closer motions out of one that was found: cut some steps out, repair the end, and keep what holds.

The model is only known as a function, so the repair takes differences: how the end moves when the controls are
changed a little, all of it in one batch. Changes are hats over the window (piecewise linear); a few damped
Gauss-Newton steps bring the window's end to where it was, or to the goal. What comes out is replayed step by
step and kept only if it is valid all along, reaches the goal and is shorter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

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


@dataclass
class Workshop:
    """Where motions of one model are mended. `aim` (e,) is the goal's point, or None where the goal is a test."""

    model: Model
    there: Callable[[Array], Array]  # (b,) of states: at the goal
    embed: Callable[[Array], Array]  # points (b, e) of states
    limits: Array
    dt: float
    aim: Array | None
    random: np.random.Generator
    share: float = 0.1  # of a window that is cut out, adapted
    steps: int = 0  # of the model that were taken

    def close(self, way: Way) -> Way | None:
        """The motion with its end brought to the aim, or None."""
        if self.aim is None:
            return None
        n = len(way.controls)
        for window in (n, max(n // 2, 2), max(n // 4, 2)):
            window = min(window, n)
            found = self._try(way, window, 0, np.full(CANDIDATES, n - window))
            if found is not None:
                return found
        return None

    def shorten(self, way: Way) -> Way | None:
        """One attempt at a shorter motion; None where none of its candidates holds."""
        n = len(way.controls)
        if n < 4:
            return None
        window = n if self.random.random() < 0.3 else int(self.random.integers(min(6, n), n + 1))
        cut = min(max(1, round(self.share * window * self.random.random())), window - 2)
        starts = self.random.integers(0, n - window + 1, CANDIDATES)
        found = self._try(way, window, cut, starts)
        self.share = min(0.5, 1.5 * self.share) if found else max(1e-3, 0.9 * self.share)
        return found

    def _try(self, way: Way, window: int, cut: int, starts: Array) -> Way | None:
        """The best of a batch of windows, each `cut` steps shorter, repaired and replayed."""
        n, kept, c = len(way.controls), window - cut, len(self.limits)
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
            wanted = np.where((starts + window == n)[:, None], self.aim, wanted)
        for _ in range(REPAIRS):
            change = change + self._correction(begin, base, hats, change, wanted, span)
        new = self._limited(base + np.einsum("tk,bkc->btc", hats, change))
        full = np.stack(
            [
                np.concatenate([way.controls[:s], u, way.controls[s + window :]])
                for s, u in zip(starts, new, strict=True)
            ]
        )
        return self._replayed(way.states[0], full)

    def _left(self, window: int, kept: int) -> Array:
        """Which steps of a window stay: those around one place are cut out, or some all over it."""
        if kept == window or self.random.random() < 0.5:
            return ((np.arange(kept) + 0.5) * window / kept).astype(int)
        at = int(self.random.integers(0, kept + 1))
        return np.concatenate([np.arange(at), np.arange(at + window - kept, window)])

    def _limited(self, controls: Array) -> Array:
        return np.clip(controls, self.limits[:, 0], self.limits[:, 1])

    def _correction(
        self, begin: Array, base: Array, hats: Array, change: Array, wanted: Array, span: Array
    ) -> Array:
        """The least change of the hats (b, knots, c) that brings each end to where it is wanted."""
        b, knots, c = change.shape
        unit = np.zeros((1 + knots * c, knots, c))
        inward = np.where(self.random.random(knots * c) < 0.5, -1.0, 1.0) * NUDGE
        unit[1:] = (np.eye(knots * c) * inward[:, None]).reshape(-1, knots, c) * span
        varied = change[:, None] + unit[None]  # (b, 1 + p, knots, c)
        controls = self._limited(base[:, None] + np.einsum("tk,bpkc->bptc", hats, varied))
        p = 1 + knots * c
        ends = self._end(np.repeat(begin, p, axis=0), controls.reshape(b * p, -1, c))
        points = self.embed(ends).reshape(b, p, -1)
        slopes = (points[:, 1:] - points[:, :1]) / inward[None, :, None]  # (b, knots·c, e), a range's worth
        off = wanted - points[:, 0]
        square = np.einsum("bpe,bpf->bef", slopes, slopes)
        size = np.trace(square, axis1=1, axis2=2)[:, None, None]
        square = square + (DAMPING * size + 1e-12) * np.eye(square.shape[1])
        bad = ~(np.isfinite(square).all(axis=(1, 2)) & np.isfinite(off).all(axis=1))
        square[bad], off[bad] = np.eye(square.shape[1]), 0.0
        slopes[bad] = 0.0
        step = np.einsum("bpe,be->bp", slopes, np.linalg.solve(square, off[:, :, None])[:, :, 0])
        step = np.clip(step, -0.5, 0.5).reshape(b, knots, c)
        return np.asarray(step * span)

    def _end(self, states: Array, controls: Array) -> Array:
        """Ends (b, d) of controls (b, n, c)."""
        self.steps += controls.shape[0] * controls.shape[1]
        return self.model.end(self.model.step, states, np.ascontiguousarray(controls.swapaxes(0, 1)), self.dt)

    def _replayed(self, start: Array, controls: Array) -> Way | None:
        """The first of the candidates (b, n, c) to be valid up to the goal."""
        b, n, _ = controls.shape
        who, states = np.arange(b), np.tile(start, (b, 1))
        rows = np.empty((b, n + 1, len(start)))
        rows[:, 0] = start
        for t in range(n):
            self.steps += len(who)
            states = self.model.step(states, controls[who, t], self.dt)
            rows[who, t + 1] = states
            fine = self.model.fine(states)
            done = np.flatnonzero(fine & self.there(states))
            if len(done):
                k = who[done[0]]
                return Way(controls[k, : t + 1].copy(), rows[k, : t + 2].copy())
            who, states = who[fine], np.ascontiguousarray(states[fine])
            if not len(who):
                break
        return None


def _hats(n: int, knots: int) -> Array:
    """(n, knots): piecewise linear weights that sum to one."""
    place = np.linspace(0.0, knots - 1.0, n) if knots > 1 else np.zeros(n)
    return np.maximum(1.0 - np.abs(place[:, None] - np.arange(knots)), 0.0)
