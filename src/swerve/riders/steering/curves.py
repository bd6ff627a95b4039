"""Courses to ride: the seven corners of the path experiment, and any line of points.

A course is a way with a stretch on which riders are judged. A corner of the experiment is an arc with
straights before and behind it; the seven turn by 15° to 105°, their curvature grows in equal steps. The seed
says that an arc is as long as the body rides in 7 s, and prints 49 m for the human: at its 12 m/s that would
be 84 m. Both lengths can be had.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.files import existing
from swerve.core.geometry import wrap
from swerve.core.way import Way

SPACING = 0.25  # [m] between the points of a course
CORNER = 7.0  # [s] that a corner takes at nominal speed, as in the seed
PRINTED = {"human": 49.0, "alien": 47.18}  # [m] lengths of the corners as the seed prints them
LEAD_IN, LEAD_OUT = 2.0, 3.0  # [s] straights before and behind
TURNS = np.radians(15.0 * np.arange(1, 8))  # [rad] by which the seven curves turn
LONGEST = 100_000.0  # [m] of a course
EDGES, WIDEST = ("right", "left"), 1000.0  # columns of a path's edges; [m] off it at most
FASTEST = 2.2  # chords: half a circle takes 2, and who turns by more must do so near the point
ABOUT = np.radians(179.5)  # [rad] at a point from which on a line leads back rather than bends
CLOSES = 1.0  # [m] between first and last point of a line that is meant to be closed


@dataclass(frozen=True)
class Course(Way):
    """A way with a point every `SPACING`; `corner` are the stations [m] it is judged between."""

    corner: tuple[float, float] = (0.0, np.inf)

    def line(self) -> dict[str, Any]:
        """As recordings and plans hold it for whoever draws them."""
        return {"points": self.points[::4].round(2), "role": "path"}

    @classmethod
    def smooth(cls, points: np.ndarray, name: str = "path", closed: bool | None = None) -> Course:
        """A smooth line through `points` (k, 2) that does not swing out between them; it is judged from end
        to end. It is closed if its ends are within 1 m, it is at least ten times as long, and `closed` does
        not say otherwise."""
        points = _checked(points, name)
        steps, left = np.hypot(*np.diff(points, axis=0).T), np.hypot(*(points[0] - points[-1]))
        if closed is None:
            closed = bool(len(points) > 3 and steps.sum() > 10 * CLOSES and left < CLOSES)
        if closed and left < min(CLOSES, np.median(steps) / 2):  # its last point is its first
            points = points[:-1]
        dense = rounded(points, closed)
        steps = np.hypot(*np.diff(np.vstack([dense, dense[:1]]) if closed else dense, axis=0).T)
        if steps.sum() > LONGEST:
            raise BadInput(f"path {name}", f"{steps.sum():.0f} m", f"is longer than {LONGEST:.0f} m")
        if steps.sum() < 4 * SPACING:
            raise BadInput(f"path {name}", f"{steps.sum():.2f} m", "is too short to be ridden")
        found = cls.through(dense, closed=closed, spacing=SPACING, name=name)
        return cls(found.points, found.right, found.left, found.z, closed, name, corner=(0.0, found.length))

    @classmethod
    def read(cls, path: str | Path) -> Course:
        """A CSV file with the places [m] in a row each: columns `x` and `y` by the names in the first line,
        or the first two columns where there are no names. Columns `right` and `left`, where there are both,
        say how far [m] its edges are. A line that ends where it begins is closed; a point that is told
        twice in a row counts once."""
        path = existing(path, "path")
        rows: list[tuple[float, ...]] = []
        columns: tuple[int, ...] | None = None
        lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            if not line.strip(" ,;\t") or line.lstrip().startswith("#"):
                continue
            words = [word.strip() for word in next(csv.reader([line.replace(";", ",").replace("\t", ",")]))]
            if columns is None and not _number(words[0]):
                columns = _columns(words, path, number)
                continue
            columns = columns or (0, 1)
            place = tuple(words[k] if k < len(words) else "" for k in columns)
            if not all(_number(word) for word in place):
                wanted = ", ".join(("x", "y", *EDGES)[: len(columns)])
                raise BadInput(
                    f"path {path}, line {number}", line[:60], f"must hold finite numbers: {wanted}"
                )
            row = tuple(float(word) for word in place)
            if rows and row[:2] == rows[-1][:2]:
                continue
            rows.append(row)
            if len(columns) > 2 and not 0 <= min(rows[-1][2:]) <= max(rows[-1][2:]) <= WIDEST:
                raise BadInput(
                    f"path {path}, line {number}", line[:60], f"edges lie 0 to {WIDEST:g} m off it"
                )
        table = np.array(rows).reshape(-1, len(columns or (0, 1)))
        if table.shape[1] > 2 and len(table) and not table[:, 2:].any():
            raise BadInput(
                f"path {path}", 0, "must have edges above 0 m off it somewhere, or no such columns;"
            )
        return cls.smooth(table[:, :2], str(path)).edged(table)

    def edged(self, table: np.ndarray) -> Course:
        """The course with the edges that rows of x, y, right and left (k, 4) [m] give it; of x and y alone
        (k, 2), without."""
        if table.shape[1] == 2:
            return self
        steps = np.hypot(*np.diff(table[:, :2], axis=0).T)
        along = np.concatenate([[0.0], np.cumsum(steps)])
        station = np.maximum.accumulate(self.locate(table[:, :2], along * self.length / along[-1])[0])
        right, left = (np.interp(self.station, station, edge) for edge in table[:, 2:].T)
        return replace(self, right=right, left=left)


def _number(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False


def _columns(words: list[str], path: Path, number: int) -> tuple[int, ...]:
    names = [word.lower().removesuffix("[m]").strip().removesuffix("_m") for word in words]
    if names.count("x") != 1 or names.count("y") != 1:
        raise BadInput(
            f"path {path}, line {number}", ",".join(words)[:60], "must name one column x and one y"
        )
    told = [names.count(edge) for edge in EDGES]
    if sum(told) == 1:
        raise BadInput(f"path {path}, line {number}", ",".join(words)[:60], "must name both edges or none")
    edges = EDGES if told == [1, 1] else ()
    return tuple(names.index(name) for name in ("x", "y", *edges))


def _checked(points: np.ndarray, name: str) -> np.ndarray:
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise BadInput(f"path {name}", points.shape, "must be points (k, 2)")
    if len(points) < 2:
        raise BadInput(f"path {name}", len(points), "needs at least two points")
    if not np.isfinite(points).all() or np.abs(points).max() > 1e7:
        bad = int(np.flatnonzero(~(np.abs(points) <= 1e7).all(axis=1))[0])
        raise BadInput(f"path {name}, point {bad}", points[bad].tolist(), "must be finite, within 10,000 km;")
    steps = np.hypot(*np.diff(points, axis=0).T)
    if (steps < 1e-6).any():
        bad = int(np.argmin(steps)) + 1
        raise BadInput(f"path {name}, point {bad}", points[bad].tolist(), "stands where the one before does")
    chord = np.diff(points[:, 0] + 1j * points[:, 1])
    turn = np.abs(np.angle(chord[1:] / chord[:-1]))
    if len(turn) and turn.max() > ABOUT:
        bad = int(np.argmax(turn)) + 1
        why = "leads straight back from there, and nobody turns about on the spot"
        raise BadInput(f"path {name}, point {bad}", points[bad].tolist(), why)
    return points


def rounded(points: np.ndarray, closed: bool) -> np.ndarray:
    """(m, 2) a smooth line through `points` (k, 2), about every 5 cm. At a point it goes in the direction
    from the one before to the one behind, so that long straights stay nearly straight and short steps take
    the bend; between points it turns as evenly as a circle would (the velocities of Hobby 1986). It makes no
    loops or cusps, and does not bend where it begins and ends, so that who starts upright starts on it."""
    if len(points) == 2:
        return points
    if closed:
        points = np.vstack([points[-1], points, points[0], points[1]])
    z = points[:, 0] + 1j * points[:, 1]
    chord = np.diff(z)
    heading = np.angle(z[2:] - z[:-2])
    leaves = np.concatenate([[0.0], wrap(heading - np.angle(chord[1:]))])  # [rad] off each chord, at its ends
    enters = np.concatenate([wrap(heading - np.angle(chord[:-1])), [0.0]])
    leaves[0], enters[-1] = -enters[0] / 2, -leaves[-1] / 2
    kept = slice(1, -1) if closed else slice(None)
    pieces = []
    for begin, step, out, into in zip(z[:-1][kept], chord[kept], leaves[kept], enters[kept], strict=True):
        t = np.linspace(0.0, 1.0, int(np.clip(abs(step) / 0.05, 4, 4000)), endpoint=False)
        ease = t * t * (3.0 - 2.0 * t)
        u, v = _velocity(out, -into) * np.exp(1j * out), _velocity(-into, out) * np.exp(1j * into)
        pieces.append(begin + step * (ease + t * (1 - t) * ((1 - t) * u - t * v)))
    line = np.concatenate(pieces if closed else [*pieces, z[-1:]])
    return np.column_stack([line.real, line.imag])


def _velocity(here: float, there: float) -> float:
    """How fast, in chords, a span leaves an end at which it is `here` [rad] off its chord, and `there` at the
    other, both counted to the same side."""
    a, b = np.sin(here), np.sin(there)
    bump = np.sqrt(2.0) * (a - b / 16) * (b - a / 16) * (np.cos(here) - np.cos(there))
    flat = 1 + 0.5 * (np.sqrt(5.0) - 1) * np.cos(here) + 0.5 * (3 - np.sqrt(5.0)) * np.cos(there)
    return float(min((2.0 + bump) / max(flat, 1e-3), FASTEST))


def curve(number: int, speed: float, length: float | None = None) -> Course:
    """One of the seven curves, for a body of nominal `speed` [m/s]; the arc is `length` [m] long, by
    default as far as the body rides in 7 s."""
    if not 1 <= number <= len(TURNS):
        raise BadInput("curve", number, f"must be 1 to {len(TURNS)}")
    corner = CORNER * speed if length is None else length
    if not (np.isfinite(corner) and 1.0 <= corner <= LONGEST):
        raise BadInput("length", corner, f"must lie within 1 and {LONGEST:.0f} m")
    before, behind = LEAD_IN * speed, LEAD_OUT * speed
    at = np.arange(0.0, before + corner + behind, SPACING)
    curvature = TURNS[number - 1] / corner
    turned = np.clip(at - before, 0.0, corner) * curvature
    x = np.minimum(at, before) + np.sin(turned) / curvature
    y = (1.0 - np.cos(turned)) / curvature
    rest = np.maximum(at - before - corner, 0.0)
    points = np.column_stack([x + rest * np.cos(turned), y + rest * np.sin(turned)])
    none = np.zeros(len(points))
    return Course(points, none, none, none, name=f"curve {number}", corner=(before, before + corner))


def as_course(way: Way) -> Course:
    """A way of any spacing as a course that is judged from end to end."""
    if isinstance(way, Course):
        return way
    found = Course.through(way.points, closed=way.closed, spacing=SPACING, name=way.name)
    width = np.zeros(len(found.points))
    return Course(found.points, width, width, width, way.closed, way.name, corner=(0.0, found.length))


def courses(ways: Sequence[Way]) -> list[Course]:
    """`as_course` of each; the same way gives the same course."""
    known = {id(way): as_course(way) for way in ways}
    return [known[id(way)] for way in ways]
