"""Time against energy: the ways between the fastest and the thriftiest, none worse than another in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from swerve.core.show.figures import ACCENT, INK, figure, heading

from .costs import parse
from .fastest import PathOptions, fastest_path
from .regions import between
from .route import Route, Routes
from .surface import Terrain
from .vehicle import Vehicle

SHARES = (0.1, 0.3, 1.0, 3.0)  # weights of energy, in units of the fastest way's time over its energy


@dataclass(frozen=True)
class Trade:
    """A way that is best for one price of energy."""

    cost: str
    route: Route

    def summary(self) -> dict[str, float | str]:
        return {"cost": self.cost, "time": self.route.profile.time, "energy": self.route.profile.energy}


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


def with_front(
    routes: Routes,
    terrain: Terrain,
    start: Sequence[float],
    goal: Sequence[float],
    vehicle: Vehicle,
    cost: str,
    options: PathOptions = PathOptions(paths=40, keep=3),
    shares: Sequence[float] = SHARES,
) -> tuple[Routes, list[Trade]]:
    """The front beside an answer for `cost`, each with the best of the other: a better way that the front met
    becomes the answer, and the answer takes its place in the front."""
    trades = front(terrain, start, goal, vehicle, options, shares)
    if not trades or not routes.feasible:
        return routes, trades
    return given_back(routes, trades, cost, terrain), undominated([*trades, Trade(cost, routes.best)])


def given_back(routes: Routes, trades: Sequence[Trade], cost: str, terrain: Terrain) -> Routes:
    """The routes, led by the way of a front where that is the cheapest."""
    best = min((trade.route for trade in trades), key=lambda route: priced(route, cost, terrain))
    price = priced(best, cost, terrain)
    if price >= priced(routes.best, cost, terrain):
        return routes
    return replace(routes, found=[replace(best, cost=price), *routes.found])


def priced(route: Route, cost: str, terrain: Terrain) -> float:
    """What a way costs."""
    p, seen = route.profile, exposure_of(route, terrain)
    return float(parse(cost) @ [p.time, p.length, p.energy, p.time if seen is None else seen])


def exposure_of(route: Route, terrain: Terrain) -> float | None:
    """Seconds in sight, and those out of sight by their lower weight; None on ground that nobody watches."""
    if terrain.exposure is None:
        return None
    p, frame = route.path.points, terrain.ground.frame
    took = route.profile.clock[1:] - route.profile.clock[:-1]
    return float(
        sum(t * between(x, y, terrain.exposure, frame) for t, (x, y, _) in zip(took, p[:-1], strict=True))
    )


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
