"""The map from above with its ways, drawn from plain arrays: who draws it need not load what plans.

draw_ground("map.png", terrain, routes.found, start, goal)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from swerve.core.show.figures import ACCENT, INK, PALETTE, WARM, figure, round_length, scale_bar, settle

if TYPE_CHECKING:
    from .route import Route
    from .surface import Terrain

SAMPLES = 220  # of the ground along a side of the map


@dataclass(frozen=True)
class SeenGround:
    """What a picture shows of a ground: heights [m] (n, n) evenly over its extent, what an eye sees of it,
    its mobility, and regions as corners (k, 2) with theirs."""

    extent: tuple[float, float, float, float]
    heights: np.ndarray
    exposure: np.ndarray | None
    mobility: np.ndarray | None
    regions: tuple[tuple[np.ndarray, float], ...]

    @classmethod
    def of(cls, terrain: Terrain) -> Self:
        x0, y0, x1, y1 = terrain.extent
        heights = terrain.height(*np.meshgrid(np.linspace(x0, x1, SAMPLES), np.linspace(y0, y1, SAMPLES)))
        regions = tuple((np.array(region.corners), region.mobility) for region in terrain.regions)
        return cls(terrain.extent, heights, terrain.exposure, terrain.mobility, regions)


@dataclass(frozen=True)
class SeenWay:
    """A route in a picture: places (n, 2) [m], where it is in trouble (n,), its time [s] and length [m]."""

    places: np.ndarray
    trouble: np.ndarray
    feasible: bool
    time: float
    length: float

    @classmethod
    def of(cls, route: Route) -> Self:
        profile = route.profile
        trouble = profile.trouble > 0
        return cls(route.path.points[:, :2], trouble, profile.feasible, profile.time, profile.length)


Ways = tuple[Sequence[SeenWay], Sequence[SeenWay]]  # those found, and candidates


def draw_ground(
    path: str | Path,
    terrain: Terrain,
    routes: Sequence[Route],
    start: Sequence[float],
    goal: Sequence[float],
    title: str = "",
    candidates: Sequence[Route] = (),
    watcher: Sequence[float] | None = None,
) -> Path:
    """The map from above, shaded as by a low sun, with contours, closed ground and the routes."""
    ways = [SeenWay.of(route) for route in routes], [SeenWay.of(route) for route in candidates]
    return draw_ground_first(path, SeenGround.of(terrain), lambda: ways, start, goal, title, watcher)


def draw_ground_first(
    path: str | Path,
    ground: SeenGround,
    found: Callable[[], Ways],
    start: Sequence[float],
    goal: Sequence[float],
    title: str = "",
    watcher: Sequence[float] | None = None,
) -> Path:
    """The same, with ways and candidates that are asked for when the ground is drawn."""
    x0, y0, x1, y1 = ground.extent
    wide = (x1 - x0) / (y1 - y0)
    with figure(path, (7.6 * max(wide, 0.6) + 1.2, 7.6), margins=(0.9, 1.2, 0.3, 0.45)) as axes:
        _ground(axes, ground)
        axes.set(xlim=(x0, x1), ylim=(y0, y1), title=title, xlabel="x [m]", ylabel="y [m]")
        axes.set_aspect("equal")
        scale_bar(axes, round_length(0.2 * (x1 - x0)), x=0.76)
        if Path(path).suffix.lower() == ".png":
            settle(axes)
        ways, candidates = found()
        for way in candidates:
            axes.plot(*way.places.T, color=INK, lw=0.9, ls=(0, (4, 3)), alpha=0.7, zorder=3)
        for k, way in enumerate(ways):
            _way(axes, way, k)
        if watcher is not None:
            axes.plot(
                *watcher[:2], marker="*", ms=13, color=WARM, mec=INK, ls="none", label="watcher", zorder=6
            )
        axes.plot(*start, "o", ms=8, color="white", mec=INK, zorder=6)
        axes.plot(*goal, "s", ms=8, color="white", mec=INK, zorder=6)
        for text, place in (("start", start), ("goal", goal)):
            low, west = place[1] < (y0 + y1) / 2, place[0] < (x0 + x1) / 2
            axes.annotate(
                text,
                tuple(place),
                xytext=(9 if west else -9, 9 if low else -9),
                textcoords="offset points",
                ha="left" if west else "right",
                va="bottom" if low else "top",
                bbox={"facecolor": "white", "alpha": 0.75, "lw": 0, "pad": 1.5},
                weight="bold",
                zorder=7,
            )
        if ways:
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=2, fontsize=9)
    return Path(path)


def _ground(axes: Any, ground: SeenGround) -> None:
    from matplotlib.colors import LightSource
    from matplotlib.patches import Polygon

    x0, y0, x1, y1 = ground.extent
    z = ground.heights
    xs, ys = np.linspace(x0, x1, z.shape[1]), np.linspace(y0, y1, z.shape[0])
    span = float(np.ptp(z))
    light = LightSource(azdeg=315, altdeg=40)
    shade = light.hillshade(z, vert_exag=2.0, dx=xs[1] - xs[0], dy=ys[1] - ys[0])
    rgb = np.clip(0.45 + 0.55 * (tint(z) * (0.45 + 0.55 * shade[..., None])), 0, 1)
    axes.imshow(rgb, origin="lower", extent=(x0, x1, y0, y1), interpolation="bilinear", zorder=1)
    if span > 0.5:
        lines = axes.contour(xs, ys, z, levels=10, colors=INK, linewidths=0.5, alpha=0.45, zorder=2)
        axes.clabel(lines, fontsize=6.5, fmt="%g")
    if ground.exposure is not None:
        axes.contourf(
            *np.meshgrid(
                np.linspace(x0, x1, ground.exposure.shape[1]), np.linspace(y0, y1, ground.exposure.shape[0])
            ),
            ground.exposure,
            levels=[0.5, 2.0],
            colors=[WARM],
            alpha=0.25,
            zorder=2,
        )
    if ground.mobility is not None:
        closed = np.where(ground.mobility <= 0, 1.0, np.nan)
        axes.imshow(closed, origin="lower", extent=(x0, x1, y0, y1), cmap="Greys", vmin=0, vmax=1.4, zorder=2)
    for corners, mobility in ground.regions:
        face = INK if mobility == 0 else WARM
        axes.add_patch(Polygon(corners, closed=True, fc=face, ec=INK, alpha=0.65, lw=0.8, zorder=2.5))


def tint(z: np.ndarray) -> np.ndarray:
    """(…, 3) colours of heights, green low and pale high."""
    from matplotlib import colormaps

    return colormaps["gist_earth"](0.4 + 0.55 * (z - z.min()) / (np.ptp(z) or 1.0))[..., :3]


def _way(axes: Any, way: SeenWay, k: int) -> None:
    p = way.places
    color = PALETTE[k % len(PALETTE)]
    name = f"{way.time:.1f} s, {way.length:.0f} m" if way.feasible else "not drivable"
    style = "-" if way.feasible else (0, (2, 1.5))
    axes.plot(p[:, 0], p[:, 1], color="white", lw=4.4, zorder=5 - 0.02 * k - 0.01)
    axes.plot(p[:, 0], p[:, 1], color=color, lw=2.6, ls=style, label=f"{k + 1}: {name}", zorder=5 - 0.02 * k)
    if way.trouble.any():
        axes.plot(*p[way.trouble].T, "x", ms=4, color=ACCENT, zorder=5.5, label="no motion possible here")
