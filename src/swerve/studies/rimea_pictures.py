"""Pictures of the RiMEA tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.show.figures import ACCENT, INK, ROAD, SECOND, figure, plain_map, scale_bar

from .rimea_tracks import Tracks


def draw_corner(path: Path, tracks: Tracks, outline: np.ndarray) -> Path:
    """Everybody's way round the corner, and where they stood after 6 s."""
    with figure(path, size=(6.0, 6.0)) as axes:
        _floor(axes, outline)
        for i in range(tracks.places.shape[1]):
            axes.plot(*tracks.places[:, i].T, color=SECOND, lw=0.8, alpha=0.6)
        at = int(np.searchsorted(tracks.times, 6.0))
        _bodies(axes, tracks.places[at], tracks.radius)
        axes.set_title("RiMEA 6: twenty people turn a corner")
    return path


def draw_diagram(
    path: Path, measured: list[tuple[float, float]], reference: Callable[[float], float]
) -> Path:
    """Speed over density, and flow over density."""
    density, speed = np.array(measured).T
    fine = np.linspace(0.15, 5.3, 200)
    curve = np.array([reference(float(d)) for d in fine])
    with figure(path, size=(9.0, 4.0), columns=2) as (left, right):
        left.plot(fine, curve, color=INK, lw=1.2, label="Weidmann 1993")
        left.plot(density, speed, "o", color=ACCENT, label="here")
        left.set_xlabel("density [1/m²]")
        left.set_ylabel("speed [m/s]")
        left.set_title("RiMEA 4: speed")
        left.legend()
        right.plot(fine, fine * curve, color=INK, lw=1.2)
        right.plot(density, density * speed, "o", color=ACCENT)
        right.set_xlabel("density [1/m²]")
        right.set_ylabel("flow [1/(m s)]")
        right.set_title("Flow")
    return path


def draw_bottleneck(path: Path, tracks: Tracks, outline: np.ndarray) -> Path:
    """Where people stood when a third had passed, and how many had passed over time."""
    passed = (tracks.places[..., 0] > 15.0).sum(axis=1)
    total = tracks.places.shape[1]
    at = int(np.argmax(passed >= total // 3)) if (passed >= total // 3).any() else len(passed) // 2
    with figure(path, size=(9.0, 6.0), rows=2, height_ratios=(3, 2)) as (above, below):
        _floor(above, outline)
        _bodies(above, tracks.places[at], tracks.radius)
        above.set_title(f"RiMEA 12: a corridor 1 m wide, after {tracks.times[at]:.0f} s")
        below.plot(tracks.times, passed, color=ACCENT)
        below.set_xlabel("time [s]")
        below.set_ylabel("people through")
    return path


def _floor(axes: Any, outline: np.ndarray) -> None:
    axes.fill(*outline.T, color=ROAD, ec=INK, lw=1.5)
    low, high = outline.min(axis=0) - 1, outline.max(axis=0) + 1
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1] - 1.5, high[1])  # room for the scale bar
    plain_map(axes)
    scale_bar(axes, 2.0 if high[0] < 20 else 5.0)


def _bodies(axes: Any, places: np.ndarray, radius: float) -> None:
    from matplotlib.collections import EllipseCollection

    size, flat = np.full(len(places), 2 * radius), np.zeros(len(places))
    style = {"facecolor": ACCENT, "edgecolor": "white", "linewidth": 0.5}
    axes.add_collection(
        EllipseCollection(size, size, flat, offsets=places, units="xy", transOffset=axes.transData, **style)
    )
