"""A recording seen from above: every body on one clock, and the place in which they move.

The player, the film and the picture all draw from a `View`, so that they agree with each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np

from ..errors import BadInput, require
from ..recording import Recording
from .figures import ACCENT, INK, PALETTE, ROAD, SECOND, named_colour
from .frames import JUMPED, PRESENT, SLIDE_ANGLE, resample, sideslip, thin

HEIGHTS = (  # of ground in bands, low to high
    *("#8bbd9d", "#91c391", "#a5c895", "#b7cc99", "#c6d09c"),
    *("#d4d39f", "#d8caa2", "#e0ccb3", "#ebd6ca", "#f6e9e7"),
)
AREA_COLOURS = {
    "road": ROAD,
    "pavement": "#efece4",
    "crossing": "#f6f4ee",
    "grass": "#e2ead8",
    "field": "#dfeadb",
    "water": "#d3e3ea",
    "building": "#cbc7bd",
    "obstacle": "#aeb3b8",
    "goal": "#cfe5d3",
    "mud": "#cdb58f",
    **{f"height-{k}": colour for k, colour in enumerate(HEIGHTS)},
}
LINE_COLOURS = {
    "wall": INK,
    "centre": "#ffffff",
    "median": "#ffffff",
    "line": "#ffffff",  # of a field
    "finish": INK,
    "path": SECOND,
    "goal": "#3f8f5b",
}
KIND_COLOURS = (*PALETTE[1:], "#9a6a3a", "#4aa3a2")
STATES = ("", "red", "amber", "green", "walk", "stop", "red-amber")  # of a light
OTHER_AREA, OTHER_LINE, STATIC_GREY = "#edeae2", "#bdb9ae", "#8d959d"

_SHAPES = {
    "disc": ("ball", "puck", "disc", "marble"),
    "person": ("pedestrian", "person", "walker", "human", "child"),
    "cycle": ("cycl", "bike", "rider", "scooter"),
    "cube": ("cube",),
    "block": ("obstacle", "block", "wall", "pillar", "bar", "cone"),
}


@dataclass(frozen=True)
class Body:
    """How one body looks. `shape` is disc, person, cycle, cube, block, vehicle or box; sizes in metres."""

    id: int
    kind: str
    length: float
    width: float
    shape: str
    colour: str

    @property
    def is_round(self) -> bool:
        return self.shape in ("disc", "person")


@dataclass(frozen=True)
class Shape:
    """A line or an area of the scene: `points` (n, 2) [m]."""

    points: np.ndarray
    role: str


@dataclass(frozen=True)
class Lamps:
    """Traffic lights: `place` (n, 2) [m] and `state` (n, frames), numbers of `STATES`."""

    place: np.ndarray
    state: np.ndarray


@dataclass(frozen=True)
class View:
    """Frames of all bodies. Arrays are (bodies, frames): metres, radians (unwrapped), metres a second.

    A body that is absent at a frame keeps its nearest known state there and lacks the bit `PRESENT`.
    `JUMPED` marks a frame that must not be joined to the one before it.
    """

    times: np.ndarray
    bodies: tuple[Body, ...]
    x: np.ndarray
    y: np.ndarray
    heading: np.ndarray
    vx: np.ndarray
    vy: np.ndarray
    flags: np.ndarray
    lines: tuple[Shape, ...]
    areas: tuple[Shape, ...]
    ego: int | None  # index of the body that the scene is about
    followed: int  # index of the body to follow: the ego, or the first
    lamps: Lamps

    @property
    def present(self) -> np.ndarray:
        return (self.flags & PRESENT) > 0

    @property
    def speed(self) -> np.ndarray:
        return np.hypot(self.vx, self.vy)

    @property
    def slip(self) -> np.ndarray:
        return sideslip(self.heading, self.vx, self.vy)

    @property
    def sliding(self) -> np.ndarray:
        """Whether each body slides; what is round or tumbles goes any way and never does."""
        marking = np.array([[not body.is_round and body.shape != "cube"] for body in self.bodies])
        return (np.abs(self.slip) > SLIDE_ANGLE) & marking

    def joined(self) -> np.ndarray:
        """(bodies, frames - 1): whether a body moved continuously from each frame to the next."""
        return self.present[:, 1:] & self.present[:, :-1] & ((self.flags[:, 1:] & JUMPED) == 0)

    def at(self, t: float) -> dict[str, np.ndarray]:
        """x, y, heading, vx, vy and flags (bodies,) at a time, linear between frames."""
        i = int(np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 1))
        j = min(i + 1, len(self.times) - 1)
        gap = self.times[j] - self.times[i]
        share = float(np.clip((t - self.times[i]) / gap, 0.0, 1.0)) if gap > 0 else 0.0
        whole = (self.flags[:, i] & self.flags[:, j] & PRESENT > 0) & (self.flags[:, j] & JUMPED == 0)
        share_of = np.where(whole, share, 0.0)
        states = {
            name: (values := getattr(self, name))[:, i] + share_of * (values[:, j] - values[:, i])
            for name in ("x", "y", "heading", "vx", "vy")
        }
        return {**states, "flags": self.flags[:, i]}

    def group_size(self) -> float | None:
        """How wide bodies get that travel together over open ground [m], or None where they do not.

        They do if at all times they lie within half the scene, and nothing of it stands still.
        """
        if self.ego is not None or self.areas or len(self.bodies) < 2:
            return None
        widest = 0.0
        for values in (self.x, self.y):
            high = np.where(self.present, values, -np.inf).max(axis=0)
            low = np.where(self.present, values, np.inf).min(axis=0)
            widest = max(widest, float(np.where(np.isfinite(high), high - low, 0.0).max()))
        widest += 2 * max(body.length for body in self.bodies)
        x0, y0, x1, y1 = self.bounds()
        return widest if widest < 0.5 * max(x1 - x0, y1 - y0) else None

    def bounds(self, margin: float = 0.04) -> tuple[float, float, float, float]:
        """x0, y0, x1, y1 around everything [m], with a margin as a share of the larger side."""
        reach = max(max(body.length, body.width) for body in self.bodies) / 2
        corners = [shape.points for shape in (*self.lines, *self.areas)]
        seen = self.present
        way = np.column_stack([self.x[seen], self.y[seen]])
        corners += [way.min(0, keepdims=True) - reach, way.max(0, keepdims=True) + reach]
        low, high = np.vstack(corners).min(0), np.vstack(corners).max(0)
        edge = margin * (high - low).max()
        return (*(low - edge), *(high + edge))


def look(recording: Recording, rate: float = 25.0, follow: int | None = None, most: int = 3_000_000) -> View:
    """The recording at no more than `rate` frames a second and about `most` states in all.

    Frames are times of the recording, so what is shown at them is what was recorded. A body without a row
    at a frame is interpolated between its own rows, unless they lie too far apart. Bodies are
    shown as wholes, without their parts; lights are lamps.
    """
    hung, recording = recording.lights(), recording.whole()
    rows = np.all(np.isfinite([recording[name] for name in ("t", "x", "y", "vx", "vy")]), axis=0)
    rows &= np.isfinite(recording.heading)
    if not rows.any():
        raise BadInput("recording", None, "has no rows with finite numbers")
    t, ids = recording["t"][rows], recording["id"][rows]
    order = np.lexsort((t, ids))
    known, starts = np.unique(ids[order], return_index=True)
    span = max(float(np.ptp(t)), 1e-9)
    times = thin(np.unique(t), min(rate, max(most / len(known) / span, 2.0)))
    ego = _ego(recording.meta, known, follow)

    columns = {name: column[rows][order] for name, column in recording.columns.items()}
    columns["heading"] = recording.heading[rows][order]
    tracks = [
        {name: column[a:b] for name, column in columns.items()}
        for a, b in zip(starts, [*starts[1:], len(order)], strict=True)
    ]
    frames = [resample(track, times) for track in tracks]
    bodies = _bodies(tracks, known, ego)
    stacked = {name: np.array([one[name] for one in frames]) for name in frames[0]}
    return View(
        times=times,
        bodies=bodies,
        lines=_shapes(recording.meta, "lines", 2),
        areas=_shapes(recording.meta, "areas", 3),
        ego=ego,
        followed=ego or 0,
        lamps=_lamps(hung, times),
        **stacked,
    )


def _lamps(lights: Recording, times: np.ndarray) -> Lamps:
    """What every light showed at the times, held from row to row."""
    known, first = np.unique(lights["id"], return_index=True)
    state = np.zeros((len(known), len(times)), np.int64)
    words = lights.columns.get("state", np.zeros(len(lights), object))
    number = np.select([words == word for word in STATES], np.arange(len(STATES)), 0)
    for k, identity in enumerate(known):
        own = lights["id"] == identity
        at = np.searchsorted(lights["t"][own], times + 1e-9, side="right") - 1
        state[k] = number[own][at.clip(0)]
    return Lamps(np.column_stack([lights["x"][first], lights["y"][first]]), state)


def colours_of(kinds: Sequence[str], ego: int | None = None) -> list[str]:
    """A colour for every body of these kinds: those of a kind look alike, the ego (an index) stands out."""
    moving = [kind for kind in dict.fromkeys(kinds) if shape_of(kind, 1, 1) != "block"]
    plain = [kind for kind in moving if named_colour(kind) is None]
    colours = {kind: named_colour(kind) or STATIC_GREY for kind in moving}
    free = [colour for colour in KIND_COLOURS if colour not in colours.values()] or KIND_COLOURS
    colours |= dict(zip(plain, cycle(free), strict=False))
    return [ACCENT if i == ego else colours.get(kind, STATIC_GREY) for i, kind in enumerate(kinds)]


def _bodies(tracks: list[dict[str, np.ndarray]], known: np.ndarray, ego: int | None) -> tuple[Body, ...]:
    colours = colours_of([str(track["kind"][0]) for track in tracks], ego)
    bodies = []
    for i, track in enumerate(tracks):
        kind = str(track["kind"][0])
        length, width = (float(track[name][0]) for name in ("length", "width"))
        require(0 < length < np.inf, f"recording, length of body {known[i]}", length, "must be positive")
        require(0 < width < np.inf, f"recording, width of body {known[i]}", width, "must be positive")
        bodies.append(Body(int(known[i]), kind, length, width, shape_of(kind, length, width), colours[i]))
    return tuple(bodies)


def shape_of(kind: str, length: float, width: float) -> str:
    """disc, person, cycle, cube, block, vehicle or box: by the words of a kind and its size [m]."""
    for shape, words in _SHAPES.items():
        if any(word in kind.lower() for word in words):
            return shape
    return "vehicle" if length > 1.3 * width else "box"


def _ego(meta: Mapping[str, Any], known: np.ndarray, follow: int | None) -> int | None:
    """Index of the body the scene is about: the one asked for, the one the file names, or the only one."""
    wanted = meta.get("ego") if follow is None else follow
    if wanted is None:
        return 0 if len(known) == 1 else None
    where = np.flatnonzero(known == wanted) if isinstance(wanted, (int, np.integer)) else np.empty(0, int)
    if len(where) == 0:
        raise BadInput("recording, ego" if follow is None else "follow", wanted, "no such body")
    return int(where[0])


def _shapes(meta: Mapping[str, Any], field: str, least: int) -> tuple[Shape, ...]:
    """The polygons or polylines of `meta[field]`, each {"points": [[x, y], ...], "role": word}."""
    listed = meta.get(field) or []
    require(isinstance(listed, (list, tuple)), f"recording, {field}", type(listed).__name__, "must be a list")
    shapes = []
    for i, entry in enumerate(listed):
        where = f"recording, {field}[{i}]"
        require(isinstance(entry, dict) and "points" in entry, where, None, "must have points and a role")
        try:
            points = np.array(entry["points"], dtype=float)
        except (TypeError, ValueError):
            points = np.empty(0)
        require(
            points.ndim == 2 and len(points) >= least and points.shape[1] in (2, 3),
            f"{where}.points",
            None,
            f"must be at least {least} pairs of numbers",
        )
        require(bool(np.isfinite(points).all()), f"{where}.points", None, "must be finite numbers")
        shapes.append(Shape(points[:, :2], str(entry.get("role", ""))))
    return tuple(shapes)
