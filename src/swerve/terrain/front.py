"""Time against energy: the ways between the fastest and the thriftiest, none worse than another in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from swerve.core.show.figures import ACCENT, INK, figure, heading

from .fastest import PathOptions, fastest_path
from .route import Route
from .surface import Terrain
from .vehicle import Vehicle

SHARES = (0.1, 0.3, 1.0, 3.0)  # weights of energy, in units of the fastest way's time over its energy


@dataclass(frozen=True)
class Trade:
    """A way that is best for one price of energy."""

    cost: str
    route: Route


def front(
    terrain: Terrain,
    start: Sequence[float],
    goal: Sequence[float],
    vehicle: Vehicle,
    options: PathOptions = PathOptions(paths=40, keep=3),
    shares: Sequence[float] = SHARES,
) -> list[Trade]:
    """Drivable ways of falling energy and rising time; empty when there is none."""
    first = fastest_path(terrain, start, goal, vehicle, options=options)
    if not first.feasible:
        return []
    unit = first.best.profile.time / max(first.best.profile.energy, 1.0)
    costs = ["time", *(f"time+{share * unit:.3g}*energy" for share in shares), "energy"]
    tried = [Trade("time", first.best)]
    for cost in costs[1:]:
        found = fastest_path(terrain, start, goal, vehicle, cost, replace(options, step=None))
        if found.feasible:
            tried.append(Trade(cost, found.best))
    return undominated(tried)


def undominated(tried: Sequence[Trade]) -> list[Trade]:
    """Those that no other beats in time and energy, fastest first."""
    kept: list[Trade] = []
    for one in sorted(tried, key=lambda trade: (trade.route.profile.time, trade.route.profile.energy)):
        if not kept or one.route.profile.energy < kept[-1].route.profile.energy:
            kept.append(one)
    return kept


def draw_front(path: str | Path, trades: Sequence[Trade], title: str) -> Path:
    """Time over energy, one point a way, with the price that it is best for."""
    times = np.array([trade.route.profile.time for trade in trades])
    energies = np.array([trade.route.profile.energy for trade in trades]) / 1e6
    with figure(path, (7.0, 5.0)) as axes:
        axes.plot(energies, times, color=INK, lw=0.8, zorder=1)
        axes.scatter(energies, times, color=ACCENT, s=36, zorder=2)
        for trade, x, y in zip(trades, energies, times, strict=True):
            axes.annotate(
                trade.cost, (x, y), xytext=(4, 7), textcoords="offset points", fontsize=8, rotation=30
            )
        axes.set(xlabel="energy [MJ]", ylabel="time [s]", xlim=(0, None), ylim=(0, None))
        axes.margins(x=0.25)
        heading(axes, title)
    return Path(path)
