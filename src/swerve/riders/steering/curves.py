"""Ways to ride: the seven corners of the path experiment, and any line of points.

A corner is an arc as long as the body rides in 7 s, with straights before and behind it. The seven turn by
15° to 105°; their curvature grows in equal steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from swerve.core.errors import BadInput
from swerve.core.files import existing
from swerve.core.kernels import kernel

from ..maps.trials import DECIDE

SPACING = 0.25  # [m] between the points of a way
CORNER = 7.0  # [s] that a corner takes at nominal speed, as in the seed
LEAD_IN, LEAD_OUT = 2.0, 3.0  # [s] straights before and behind
TURNS = np.radians(15.0 * np.arange(1, 8))  # [rad] by which the seven curves turn


@dataclass(frozen=True)
class Way:
    """`points` (m, 3) x, y, heading every `SPACING`; `corner` are the distances [m] it is judged between."""

    name: str
    points: np.ndarray
    corner: tuple[float, float]

    @property
    def length(self) -> float:
        return (len(self.points) - 1) * SPACING

    def line(self) -> dict[str, Any]:
        """As recordings and plans hold it for whoever draws them."""
        return {"points": self.points[::4, :2].round(2), "role": "path"}

    @classmethod
    def through(cls, points: np.ndarray, name: str = "path") -> Way:
        """A smooth line through `points` (k, 2); it is judged from end to end."""
        points = np.asarray(points, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2:
            raise BadInput(f"path {name}", points.shape, "must be points (k, 2)")
        if len(points) < 2:
            raise BadInput(f"path {name}", len(points), "needs at least two points")
        if not np.isfinite(points).all():
            bad = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
            raise BadInput(f"path {name}, point {bad}", points[bad].tolist(), "must be finite")
        steps = np.hypot(*np.diff(points, axis=0).T)
        if (steps < 1e-6).any():
            bad = int(np.argmin(steps)) + 1
            raise BadInput(
                f"path {name}, point {bad}", points[bad].tolist(), "stands where the one before does"
            )
        along = np.concatenate([[0.0], np.cumsum(steps)])
        line = CubicSpline(along, points) if len(points) > 2 else None
        fine = np.linspace(0.0, along[-1], max(int(along[-1] / 0.02), 2) + 1)
        dense = line(fine) if line else points[0] + np.outer(fine / along[-1], points[1] - points[0])
        true = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(dense, axis=0).T))])
        at = np.arange(0.0, true[-1], SPACING)
        x, y = np.interp(at, true, dense[:, 0]), np.interp(at, true, dense[:, 1])
        heading = np.unwrap(np.arctan2(np.gradient(y), np.gradient(x))) if len(at) > 1 else np.zeros(1)
        return cls(name, np.column_stack([x, y, heading]), (0.0, float(at[-1])))

    @classmethod
    def read(cls, path: str | Path) -> Way:
        """A CSV file with x, y [m] in a row; a first line of names is skipped."""
        path = existing(path, "path")
        rows = []
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            words = [word for word in line.replace(";", ",").split(",") if word.strip()]
            if not words or line.lstrip().startswith("#"):
                continue
            try:
                rows.append((float(words[0]), float(words[1])))
            except (ValueError, IndexError) as error:
                if number == 1:
                    continue
                raise BadInput(f"path {path}, line {number}", line, "must be two numbers x, y") from error
        return cls.through(np.array(rows).reshape(-1, 2), str(path))


def curve(number: int, speed: float) -> Way:
    """One of the seven curves, for a body of nominal `speed` [m/s]."""
    if not 1 <= number <= len(TURNS):
        raise BadInput("curve", number, f"must be 1 to {len(TURNS)}")
    before, corner, behind = LEAD_IN * speed, CORNER * speed, LEAD_OUT * speed
    at = np.arange(0.0, before + corner + behind, SPACING)
    curvature = TURNS[number - 1] / corner
    turned = np.clip(at - before, 0.0, corner) * curvature
    inside = np.clip(at - before, 0.0, corner)
    x = np.minimum(at, before) + np.sin(turned) / curvature
    y = (1.0 - np.cos(turned)) / curvature
    rest = at - before - inside
    rest = np.where(at < before, 0.0, rest)
    points = np.column_stack([x + rest * np.cos(turned), y + rest * np.sin(turned), turned])
    return Way(f"curve {number}", points, (before, before + corner))


class Ways:
    """One way a rider, as arrays: where riders are on them and what lies ahead."""

    def __init__(self, ways: Sequence[Way]):
        self.ways = list(ways)
        distinct = {id(way): way for way in ways}
        offsets = dict(
            zip(distinct, np.cumsum([0] + [len(w.points) for w in distinct.values()]), strict=False)
        )
        self.points = np.concatenate([way.points for way in distinct.values()])
        self.first = np.array([offsets[id(way)] for way in ways])
        self.last = self.first + np.array([len(way.points) - 1 for way in ways])
        self.corner = np.array([way.corner for way in ways])
        self.at = self.first.astype(np.float64)

    def locate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Go along with riders at x, y: how far [m] along their ways and how far off to the left (n,)."""
        aside = np.empty(len(self.at))
        _locate(x, y, self.points, self.first, self.last, self.at, aside)
        return (self.at - self.first) * SPACING, aside

    def ahead(self, speed: float, ticks: int) -> np.ndarray:
        """Reference (n, ticks, 3): where each rider should be every 0.1 s from now at `speed` [m/s]."""
        out = np.empty((len(self.at), ticks, 3))
        _ahead(self.points, self.last, self.at, speed * DECIDE / SPACING, out)
        return out


@kernel
def _locate(
    x: np.ndarray,
    y: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    at: np.ndarray,
    aside: np.ndarray,
) -> None:
    for i in range(len(x)):
        k = int(at[i])
        best = (points[k, 0] - x[i]) ** 2 + (points[k, 1] - y[i]) ** 2
        found = k
        for j in range(max(k - 8, first[i]), min(k + 48, last[i]) + 1):  # riders do not leap along a way
            far = (points[j, 0] - x[i]) ** 2 + (points[j, 1] - y[i]) ** 2
            if far < best:
                best, found = far, j
        c, s = np.cos(points[found, 2]), np.sin(points[found, 2])
        dx, dy = x[i] - points[found, 0], y[i] - points[found, 1]
        step = (c * dx + s * dy) / SPACING
        at[i] = min(max(found + min(max(step, -0.5), 0.5), first[i]), last[i])
        aside[i] = c * dy - s * dx


@kernel
def _ahead(points: np.ndarray, last: np.ndarray, at: np.ndarray, step: float, out: np.ndarray) -> None:
    for i in range(len(at)):
        for k in range(out.shape[1]):
            u = at[i] + (k + 1) * step
            j = min(int(u), last[i] - 1)
            share = u - j
            if u > last[i]:  # straight on behind the end
                end = points[last[i]]
                out[i, k, 0] = end[0] + (u - last[i]) * SPACING * np.cos(end[2])
                out[i, k, 1] = end[1] + (u - last[i]) * SPACING * np.sin(end[2])
                out[i, k, 2] = end[2]
            else:
                for d in range(3):
                    out[i, k, d] = (1 - share) * points[j, d] + share * points[j + 1, d]
