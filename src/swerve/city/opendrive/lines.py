"""Reference lines of OpenDRIVE roads: lines, arcs, spirals, cubic and parametric cubic polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .records import Geometry, Poly

_FINE = 0.02  # [m] step of integration
_MOST = 20_000  # steps in one piece


class Line(NamedTuple):
    """Points (k,) of a reference line: x, y [m], heading [rad], curvature [1/m]."""

    x: np.ndarray
    y: np.ndarray
    heading: np.ndarray
    curvature: np.ndarray


def evaluate(polys: Sequence[Poly], s: np.ndarray) -> np.ndarray:
    """Piecewise cubics at s (k,); before the first and without any, zero."""
    s = np.asarray(s, float)
    if not polys:
        return np.zeros_like(s)
    starts = np.array([p.start for p in polys])
    which = np.searchsorted(starts, s + 1e-9, side="right") - 1
    table = np.array([(p.a, p.b, p.c, p.d) for p in polys])[np.maximum(which, 0)]
    u = s - starts[np.maximum(which, 0)]
    value = table[:, 0] + u * (table[:, 1] + u * (table[:, 2] + u * table[:, 3]))
    return np.where(which < 0, 0.0, value)


def rate(polys: Sequence[Poly], s: np.ndarray, times: int = 1) -> np.ndarray:
    """The derivative (the second: `times` 2) of piecewise cubics at s (k,)."""
    for _ in range(times):
        polys = [Poly(p.start, p.b, 2.0 * p.c, 3.0 * p.d, 0.0) for p in polys]
    return evaluate(polys, s)


def reference_line(pieces: Sequence[Geometry], s: np.ndarray) -> Line:
    """The line at distances s (k,) [m] along it, ascending."""
    starts = np.array([piece.s for piece in pieces])
    which = np.clip(np.searchsorted(starts, s + 1e-9, side="right") - 1, 0, len(pieces) - 1)
    out = np.empty((4, len(s)))
    for k in np.unique(which):
        own = which == k
        out[:, own] = _piece(pieces[k], s[own] - starts[k])
    out[2] = np.unwrap(out[2])
    return Line(*out)


def _piece(piece: Geometry, u: np.ndarray) -> np.ndarray:
    """x, y, heading and curvature (4, k) at distances u [m] from the start of a piece."""
    if piece.samples is not None:
        return np.stack([np.interp(u, piece.samples[0], values) for values in piece.samples[1:]])
    if piece.shape == "line":
        local = np.stack([u, np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)])
    elif piece.shape in ("arc", "spiral"):
        first = piece.values.get("curvature", piece.values.get("curvStart", 0.0))
        last = piece.values.get("curvature", piece.values.get("curvEnd", 0.0))
        local = _clothoid(first, (last - first) / max(piece.length, 1e-9), u)
    else:
        local = _cubic(piece, u)
    c, s = np.cos(piece.heading), np.sin(piece.heading)
    x, y, heading, curvature = local
    return np.stack([piece.x + c * x - s * y, piece.y + s * x + c * y, heading + piece.heading, curvature])


def _clothoid(curvature: float, slope: float, u: np.ndarray) -> np.ndarray:
    """A curve whose curvature changes evenly (not at all: an arc), from the origin along +x."""
    end = float(u.max())
    steps = int(np.clip(np.ceil(end / _FINE), 1, _MOST))
    fine = np.linspace(0.0, max(end, 1e-9), steps + 1)
    middle = (fine[1:] + fine[:-1]) / 2
    turned = curvature * middle + slope * middle**2 / 2
    step = np.diff(fine)
    sag = 1.0 - ((curvature + slope * middle) * step) ** 2 / 24
    x = np.concatenate([[0.0], np.cumsum(step * sag * np.cos(turned))])
    y = np.concatenate([[0.0], np.cumsum(step * sag * np.sin(turned))])
    return np.stack(
        [
            np.interp(u, fine, x),
            np.interp(u, fine, y),
            curvature * u + slope * u**2 / 2,
            curvature + slope * u,
        ]
    )


def _cubic(piece: Geometry, u: np.ndarray) -> np.ndarray:
    """Cubic polynomials in the piece's own frame, by the distance along them."""
    v = piece.values
    if piece.shape == "poly3":
        along = (0.0, 1.0, 0.0, 0.0)
        aside = (v["a"], v["b"], v["c"], v["d"])
        most = piece.length
    else:
        along = (v["aU"], v["bU"], v["cU"], v["dU"])
        aside = (v["aV"], v["bV"], v["cV"], v["dV"])
        most = 1.0 if piece.normalized else piece.length
    steps = int(np.clip(np.ceil(piece.length / _FINE), 8, _MOST))
    p = np.linspace(0.0, most, steps + 1)

    def at(k: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        value = k[0] + p * (k[1] + p * (k[2] + p * k[3]))
        return value, k[1] + p * (2 * k[2] + p * 3 * k[3]), 2 * k[2] + 6 * k[3] * p

    (x, x1, x2), (y, y1, y2) = at(along), at(aside)
    speed = np.maximum(np.hypot(x1, y1), 1e-9)
    gone = np.concatenate([[0.0], np.cumsum((speed[1:] + speed[:-1]) / 2 * np.diff(p))])
    if piece.shape == "paramPoly3" and not piece.normalized:
        gone = p  # the parameter is the distance, by definition
    elif piece.shape == "paramPoly3":
        gone = gone * (piece.length / max(gone[-1], 1e-9))
    heading = np.unwrap(np.arctan2(y1, x1))
    curvature = (x1 * y2 - y1 * x2) / speed**3
    return np.stack([np.interp(u, gone, value) for value in (x, y, heading, curvature)])
