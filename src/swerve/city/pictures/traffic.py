"""Pictures of traffic: what the lights of one car say, how a turn is driven, what yielding is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.show.figures import ACCENT, GOOD, INK, SECOND, WARM, figure, plain_map

from ..roads.roads import CONNECTOR, Roads
from ..simulate import Simulation


def draw_signals(path: Path, rows: np.ndarray, roads: Roads, dt: float = 0.1) -> Path:
    """Speed, brake light and indicator of the car that turns most, over time, with the junctions it
    crosses.

    `rows` (steps, vehicles) are copies of the fleet.
    """
    on = roads.kind[rows["strip"]] == CONNECTOR
    turning = on & (roads.turn[rows["strip"]] != 0)
    i = int(np.argmax((np.diff(turning.astype(int), axis=0) > 0).sum(axis=0)))
    t = np.arange(len(rows)) * dt
    with figure(path, size=(9, 3.6)) as axes:
        speed = rows["speed"][:, i]
        axes.plot(t, speed, color=INK, lw=1.6, label="speed")
        top = speed.max() * 1.1 + 1
        axes.fill_between(t, 0, top, where=on[:, i], color="#00000012", lw=0, label="in a junction")
        axes.fill_between(t, -1.2, -0.5, where=rows["brake"][:, i], color=ACCENT, lw=0, label="brake light")
        for side, colour, word in ((1, WARM, "left indicator"), (-1, SECOND, "right indicator")):
            shown = rows["indicator"][:, i] == side
            axes.fill_between(t, -2.2, -1.5, where=shown, color=colour, lw=0, label=word)
        axes.set(xlabel="time [s]", ylabel="speed [m/s]", ylim=(-2.5, top), xlim=(0, t[-1]))
        axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= top])  # lamps have no speed
        axes.set_title("What a car shows: braking, and turning within 50 m")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=5)
    return path


def draw_turns(path: Path, ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> Path:
    """A left turn along nodes and as one arc: the ways seen from above, and the yaw rates."""
    with figure(path, size=(9, 4), columns=2, width_ratios=(1, 1.5)) as (above, rates):
        for turn, colour, word in (
            (theirs, ACCENT, "before: from node to node"),
            (ours, GOOD, "after: one arc"),
        ):
            back = np.exp(-1j * turn["heading"][0])
            way = (turn["x"] + 1j * turn["y"]) * back
            way -= way[0]
            above.plot(way.real, way.imag, color=colour, lw=2)
            rates.plot(turn["way"], turn["yaw_rate"], color=colour, lw=2, label=word)
        plain_map(above)
        above.margins(0.08)
        above.set_title("A left turn")
        rates.set(xlabel="way [m]", ylabel="yaw rate [°/s]")
        rates.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return path


def draw_siren_times(path: Path, runs: list[dict[str, float]]) -> Path:
    """Mean speeds of ambulances without siren, with it, and with others yielding; one dot a seed."""
    names = {"off": "siren off", "alone": "siren on,\nnobody yields", "yielding": "siren on,\nothers yield"}
    with figure(path, size=(6, 3.6)) as axes:
        for k, name in enumerate(names):
            values = np.array([run[name] for run in runs])
            cars = np.array([run[f"cars_{name}"] for run in runs])
            axes.bar(k - 0.2, values.mean(), 0.38, color=ACCENT, label="ambulances" if k == 0 else None)
            axes.bar(k + 0.2, cars.mean(), 0.38, color="#b9bec4", label="cars" if k == 0 else None)
            axes.scatter(np.full(len(values), k - 0.2), values, color=INK, s=12, zorder=3)
        axes.set_xticks(range(len(names)), list(names.values()))
        axes.set_ylabel("mean speed [m/s]")
        axes.set_title("What a siren is worth")
        axes.legend()
    return path


def draw_junction(path: Path, simulation: Simulation, size: float = 60.0) -> Path:
    """Vehicles around the busiest junction now, best one with a siren, with their lights."""
    from swerve.core.show.figures import boxes

    from .town import draw_controls, draw_ground, draw_markings

    roads, fleet = simulation.town.roads, simulation.traffic.fleet
    connectors = np.flatnonzero(roads.kind == CONNECTOR)
    places = np.array(
        [
            [
                roads.x[roads.first[c] : roads.first[c + 1]].mean(),
                roads.y[roads.first[c] : roads.first[c + 1]].mean(),
            ]
            for c in connectors
        ]
    )
    worth = np.where(fleet.emergency, 10, 1)  # of being seen
    counts = [worth[np.hypot(fleet.x - x, fleet.y - y) < size / 2].sum() for x, y in places]
    cx, cy = places[int(np.argmax(counts))]
    with figure(path, size=(6.4, 6.4)) as axes:
        draw_ground(axes, simulation.town)
        draw_markings(axes, roads)
        draw_controls(axes, roads, simulation.time)
        near = np.flatnonzero((np.abs(fleet.x - cx) < size) & (np.abs(fleet.y - cy) < size))
        for i in near:
            pose = np.array([[fleet.x[i], fleet.y[i], fleet.heading[i]]])
            colour = "#2e6f95" if fleet.emergency[i] else "#5d6a75"
            boxes(
                axes,
                pose,
                fleet.length[i],
                fleet.width[i],
                facecolors=colour,
                edgecolors=INK,
                lw=0.6,
                zorder=3.5,
            )
            _lamps(axes, fleet[i])
        axes.set(xlim=(cx - size / 1.6, cx + size / 1.6), ylim=(cy - size / 1.6, cy + size / 1.6))
        plain_map(axes)
    return path


def _lamps(axes: Any, car: Any) -> None:
    c, s = np.cos(car.heading), np.sin(car.heading)

    def at(ahead: float, aside: float) -> tuple[float, float]:
        return car.x + ahead * c - aside * s, car.y + ahead * s + aside * c

    half, wide = car.length / 2, car.width / 2 - 0.25
    if car.brake:
        for side in (-wide, wide):
            axes.scatter(*at(-half, side), color=ACCENT, s=14, zorder=4, lw=0)
    if car.indicator:
        for end in (-half + 0.2, half - 0.2):
            axes.scatter(*at(end, car.indicator * (wide + 0.2)), color=WARM, s=16, zorder=5, lw=0)
