"""Pictures of towns from above: roads, markings, crosswalks, pavements, buildings, signs and lights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from swerve.core.show.figures import (
    ACCENT,
    GOOD,
    INK,
    ROAD,
    SECOND,
    WARM,
    figure,
    heading,
    plain_map,
    round_length,
    scale_bar,
)

from ..roads.lights import GREEN, RED, YELLOW
from ..roads.roads import CONNECTOR, LANE, LIGHT, STOP, YIELD, Roads
from ..towns.town import Town

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAVEMENT, HOUSE, ASPHALT = "#efece4", "#d8cfc0", "#c9c7c1"
_SIGNS = {YIELD: ("yield", "#7a5195"), STOP: ("stop", INK)}
_LIGHTS = {RED: ("red", ACCENT), YELLOW: ("yellow", WARM), GREEN: ("green", GOOD)}


def draw_town(
    town: Town,
    path: str | Path,
    view: tuple[float, float, float, float] | None = None,
    time: float = 0.0,
    title: str | None = None,
) -> Path:
    """The town, or the part `view` (x0, y0, x1, y1 [m]) of it, with its lights as at `time` [s]."""
    x0, y0, x1, y1 = view or town.bounds
    margin = 0.02 * max(x1 - x0, y1 - y0)
    x0, y0, x1, y1 = x0 - margin, y0 - 2 * margin, x1 + margin, y1 + margin
    tall = float(np.clip((y1 - y0) / (x1 - x0), 0.25, 2.0))
    width = 9.0 if tall < 1 else 9.0 / tall
    with figure(path, (max(width, 6.5), width * tall + 0.4)) as axes:
        axes.set_xlim(x0, x1)
        axes.set_ylim(y0, y1)
        plain_map(axes)
        draw_ground(axes, town)
        draw_markings(axes, town.roads, lines=max(x1 - x0, y1 - y0) < 1200)
        draw_controls(axes, town.roads, time)
        scale_bar(axes, round_length(0.2 * (x1 - x0)), y=0.01)
        lanes = int((town.roads.kind == LANE).sum())
        heading(axes, title or f"{town.name}: {lanes} lanes, {town.roads.junctions} junctions")
    return Path(path)


def draw_ground(axes: Axes, town: Town) -> None:
    """Buildings, pavements, asphalt and crosswalks."""
    from matplotlib.collections import PolyCollection

    def fill(rings: Any, colour: str, layer: float) -> None:
        rings = list(rings)
        if rings:
            axes.add_collection(
                PolyCollection(rings, facecolors=colour, edgecolors=colour, lw=0.3, zorder=layer),
                autolim=False,
            )

    fill(town.obstacles, HOUSE, 0)
    fill(town.paving, PAVEMENT, 0.5)
    fill(town.surfaces, ROAD, 0.9)
    fill(_bands(town.roads, np.flatnonzero(town.roads.kind == CONNECTOR)), ROAD, 1)
    fill(_bands(town.roads, np.flatnonzero(town.roads.kind == LANE)), ASPHALT, 1.1)
    fill(town.roads.lay_by_rings(), ASPHALT, 1.1)
    fill(_stripes(town), "white", 1.2)


def draw_markings(axes: Axes, roads: Roads, lines: bool = True) -> None:
    """Lines between lanes, and the paths across junctions."""
    from matplotlib.collections import LineCollection

    def draw(strips: np.ndarray, side: float, **style: Any) -> None:
        axes.add_collection(LineCollection(_paths(roads, strips, side), zorder=1.5, **style), autolim=False)

    if not lines:
        return
    lane = roads.kind == LANE
    middle = -0.5 if roads.left_hand else 0.5
    draw(np.flatnonzero(lane & (roads.inner >= 0)), middle, colors="white", lw=0.7, linestyles=(0, (6, 6)))
    draw(np.flatnonzero(lane & (roads.inner < 0)), middle, colors="white", lw=0.9)
    draw(np.flatnonzero(roads.kind == CONNECTOR), 0.0, colors=SECOND, lw=0.5, alpha=0.5)


def draw_controls(axes: Axes, roads: Roads, time: float = 0.0) -> None:
    """A bar at every stop line: in the colour of its light, or of its sign."""
    from matplotlib.collections import LineCollection

    connectors = np.flatnonzero((roads.kind == CONNECTOR) & (roads.control > 0))
    if not len(connectors):
        return
    # one bar a lane: what holds for going straight on, or else for its first turn
    source = roads.before[roads.before_first[connectors]]
    order = np.lexsort((np.abs(roads.turn[connectors]), source))
    first = np.unique(source[order], return_index=True)[1]
    shown, lanes = connectors[order][first], source[order][first]
    state = roads.lights.state(time)
    looks = [
        _LIGHTS[int(state[roads.light[strip]])]
        if roads.control[strip] == LIGHT
        else _SIGNS[int(roads.control[strip])]
        for strip in shown
    ]
    half = 0.42 * roads.width[lanes]
    ends = [np.stack(roads.place(lanes, roads.length[lanes], side * half)[:2], -1) for side in (-1, 1)]
    bars = LineCollection(list(np.stack(ends, 1)), colors=[colour for _, colour in looks], lw=2.2, zorder=3)
    axes.add_collection(bars, autolim=False)
    for name, colour in sorted(set(looks)):
        axes.plot([], [], color=colour, lw=3, label=name)
    axes.legend(loc="lower right", ncols=5, fontsize=8, handlelength=1.0, borderaxespad=0.2)


def _paths(roads: Roads, strips: np.ndarray, side: float) -> list[np.ndarray]:
    """Points along strips, `side` widths to the left of their middle."""
    paths = []
    for i in strips:
        own = slice(roads.first[i], roads.first[i + 1])
        by = side * roads.width[i]
        heading = roads.heading[own]
        paths.append(np.stack([roads.x[own] - by * np.sin(heading), roads.y[own] + by * np.cos(heading)], -1))
    return paths


def _bands(roads: Roads, strips: np.ndarray) -> list[np.ndarray]:
    return [
        np.vstack([left, right[::-1]])
        for left, right in zip(_paths(roads, strips, 0.5), _paths(roads, strips, -0.5), strict=True)
    ]


def _stripes(town: Town) -> list[np.ndarray]:
    """The bars of the crosswalks."""
    bars = []
    for (a, b, c, d), length in zip(town.roads.crossings.corners, town.roads.crossings.length, strict=True):
        edges = np.arange(0.5, length - 0.4, 1.2) / length
        for u in edges:
            v = u + 0.6 / length
            bars.append(np.array([a + u * (b - a), a + v * (b - a), d + v * (c - d), d + u * (c - d)]))
    return bars
