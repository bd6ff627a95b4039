"""The pictures of the seed: relief, limit curves with the motion, forces. Data in, files out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.show.figures import ACCENT, GOOD, INK, PALETTE, SECOND, WARM, figure, plain_map

from .curves import limit_curves
from .ground_picture import tint
from .route import Route
from .surface import Terrain
from .vehicle import Vehicle

MIST = "#a9b2bb"
LIMITS = (SECOND, GOOD, WARM, *PALETTE[4:], "#b5651d")  # colours, one each
RELIEF = 60  # lines of the ground in perspective, either way
VIEWED_FROM = np.radians((-62.0, 38.0))  # azimuth and elevation
LIT_FROM = np.array([-0.66, 0.31, 0.68])


def draw_relief(path: str | Path, terrain: Terrain, routes: Sequence[Route], title: str = "") -> Path:
    """The ground in perspective with the routes on it, dotted where the ground hides them."""
    x0, y0, x1, y1 = terrain.extent
    gx, gy = np.meshgrid(np.linspace(x0, x1, RELIEF), np.linspace(y0, y1, RELIEF))
    z = terrain.height(gx, gy)
    stretch = min(2.0, 0.35 * (x1 - x0) / (np.ptp(z) + 1e-9))
    azimuth, elevation = VIEWED_FROM
    eye = np.array([np.cos(azimuth), np.sin(azimuth), np.tan(elevation) / stretch])

    def seen(points: np.ndarray) -> np.ndarray:
        """Where (…, 2) in the picture points (…, 3) of the world are."""
        across = points[..., 1] * np.cos(azimuth) - points[..., 0] * np.sin(azimuth)
        away = -points[..., 0] * np.cos(azimuth) - points[..., 1] * np.sin(azimuth)
        up = away * np.sin(elevation) + stretch * (points[..., 2] - z.min()) * np.cos(elevation)
        return np.stack([across, up], axis=-1)

    with figure(path, (9.0, 6.4), margins=(0.2, 0.2, 0.2, 0.45)) as axes:
        _facets(axes, seen(np.stack([gx, gy, z], axis=-1)), gx, gy, z, stretch)
        lift = 0.01 * (np.ptp(z) + 1.0)
        for k, route in enumerate(routes):
            p = route.path.points + np.array([0.0, 0.0, lift])
            away = np.linspace(0.01, 1.2, 60)[:, None, None] * (x1 - x0) * eye + p
            inside = (away[..., 0] >= x0) & (away[..., 0] <= x1) & (away[..., 1] >= y0) & (away[..., 1] <= y1)
            inside &= away[..., 2] < z.max()
            over = np.full(inside.shape, -np.inf)
            over[inside] = terrain.height(away[inside, 0], away[inside, 1])
            hidden = (over > away[..., 2]).any(axis=0)
            color, line = PALETTE[k % len(PALETTE)], seen(p)
            axes.plot(*np.where(hidden[:, None], line, np.nan).T, color=color, lw=1.2, ls=":", zorder=2)
            axes.plot(*np.where(hidden[:, None], np.nan, line).T, color=color, lw=2.4, zorder=3)
        low = float(z.min())
        for words, side, ends in (
            (f"x, {x1 - x0:.5g} m", "right", ((x0, y0, low), (x1, y0, low))),
            (f"y, {y1 - y0:.5g} m", "left", ((x1, y0, low), (x1, y1, low))),
        ):
            line = seen(np.array(ends))
            axes.plot(*line.T, color=INK, lw=0.8)
            axes.annotate(
                words, line.mean(axis=0), xytext=(0, -6), textcoords="offset points", ha=side, va="top"
            )
        plain_map(axes)
        axes.set_title(title)
    return Path(path)


def _facets(
    axes: Any, places: np.ndarray, gx: np.ndarray, gy: np.ndarray, z: np.ndarray, stretch: float
) -> None:
    """The ground as facets between `places` (n, n, 2) in the picture, the farthest first."""
    from matplotlib.collections import PolyCollection

    quads = np.stack([places[:-1, :-1], places[:-1, 1:], places[1:, 1:], places[1:, :-1]], axis=2)
    middle = 0.25 * (z[:-1, :-1] + z[:-1, 1:] + z[1:, 1:] + z[1:, :-1])
    fall_y, fall_x = (
        np.diff(0.5 * (z[:, 1:] + z[:, :-1]), axis=0),
        np.diff(0.5 * (z[1:] + z[:-1]), axis=1),
    )
    normal = np.stack(
        [
            -stretch * fall_x / (gx[0, 1] - gx[0, 0]),
            -stretch * fall_y / (gy[1, 0] - gy[0, 0]),
            np.ones_like(middle),
        ],
        axis=-1,
    )
    light = normal @ LIT_FROM / np.linalg.norm(normal, axis=-1)
    colors = tint(middle) * (0.55 + 0.45 * np.clip(light, 0.0, 1.0))[..., None]
    azimuth, _ = VIEWED_FROM
    near = (gx * np.cos(azimuth) + gy * np.sin(azimuth))[:-1, :-1].ravel()
    order = np.argsort(near, kind="stable")
    facets = PolyCollection(
        list(quads.reshape(-1, 4, 2)[order]),
        facecolors=colors.reshape(-1, 3)[order],
        edgecolors="face",
        lw=0.3,
        zorder=1,
    )
    axes.add_collection(facets)
    axes.autoscale_view()


def draw_limits(path: str | Path, route: Route, vehicle: Vehicle, title: str = "") -> Path:
    """Velocity limits over the distance, each alone and all together, with the fastest motion under them."""
    profile = route.profile
    curves = limit_curves(route.path, vehicle)
    finite = profile.limit[np.isfinite(profile.limit)]
    top = 1.6 * max(profile.max_speed, 1.0)
    with figure(path, (9.0, 4.6), margins=(0.8, 1.0, 0.3, 0.45)) as axes:
        axes.plot(
            profile.distance, np.minimum(profile.limit, 3 * top), color=MIST, lw=6, label="all together"
        )
        for (name, curve), color in zip(curves.items(), LIMITS, strict=False):
            shown = np.where(curve > 3 * top, np.nan, curve)
            if np.isfinite(shown).any():
                axes.plot(profile.distance, shown, color=color, lw=1.2, label=f"{name} alone")
        axes.fill_between(
            profile.distance, np.minimum(profile.limit, 3 * top), 3 * top, color=INK, alpha=0.07
        )
        if profile.feasible:
            axes.plot(profile.distance, profile.speed, color=ACCENT, lw=2.4, label="this motion")
        if len(finite) and not profile.feasible:
            top = max(top, min(1.2 * float(np.median(finite)), 100.0))
        bad = profile.trouble > 0
        if bad.any():
            axes.fill_between(
                profile.distance, 0, top, where=bad, color=ACCENT, alpha=0.3, lw=0, label="no motion possible"
            )
        axes.set(xlim=(0, profile.length), ylim=(0, top), title=title)
        axes.set(xlabel="distance along the path [m]", ylabel="speed [m/s]")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=5, fontsize=9)
    return Path(path)


def draw_forces(path: str | Path, route: Route, vehicle: Vehicle, title: str = "") -> Path:
    """Forces over the distance: drive and brakes within their bounds, side force, load; use of friction."""
    p = route.profile
    with figure(
        path, (9.0, 6.4), rows=2, margins=(0.8, 0.6, 0.3, 0.45), sharex=True, height_ratios=(3, 2)
    ) as (forces, use):
        forces.plot(p.distance, p.drive_force / 1e3, color=ACCENT, lw=1.8, label="drive and brakes")
        forces.plot(p.distance, p.side_force / 1e3, color=SECOND, lw=1.4, label="side force")
        forces.plot(p.distance, p.normal_force / 1e3, color=GOOD, lw=1.4, label="load on the ground")
        for bound in (vehicle.engine_force, -vehicle.brake_force):
            forces.axhline(bound / 1e3, color=ACCENT, lw=0.8, ls=(0, (4, 3)))
        low = min(-vehicle.brake_force, float(p.drive_force.min()), float(p.side_force.min()))
        forces.set(ylabel="force [kN]", title=title, ylim=(1.1 * low / 1e3, None))
        forces.legend(ncols=3, fontsize=9, loc="upper left")
        use.plot(p.distance, p.friction_use, color=INK, lw=1.6, label="friction")
        if vehicle.height_to_half_width:
            use.plot(p.distance, p.tip_use, color=WARM, lw=1.4, label="tip-over")
            loads = "wheel loads" if vehicle.least_wheel_load else "pitch-over"
            use.plot(p.distance, p.load_use, color=SECOND, lw=1.2, label=loads)
        use.axhline(1.0, color=INK, lw=0.8, ls=(0, (4, 3)))
        use.set(
            ylim=(0, 1.25), ylabel="share in use", xlabel="distance along the path [m]", xlim=(0, p.length)
        )
        use.legend(ncols=3, fontsize=9, loc="upper left")
    return Path(path)
