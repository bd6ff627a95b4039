"""The custom additions of Hynes (2012), chapter 4, each before and after: brake lights, indicators, left
turns, emergency vehicles. The thesis shows them as pictures and words; here they are measured.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from swerve.city import Simulation, SimulationOptions, grid, queue_discharge
from swerve.city.pictures import draw_signals, draw_siren_times, draw_turns
from swerve.city.roads.roads import CONNECTOR, LANE
from swerve.city.traffic.signalling import INDICATE_WITHIN
from swerve.core.geometry import wrap
from swerve.core.sweep import sweep

from .report import Conclusion, Report

SECONDS, CARS, SIDE = 120.0, 250, 4
SIRENS = 8
DT = 0.1
NODE_SPEED, NODE_TURN = 4.5, 1.6  # [m/s], [rad/s]: a character that seeks path nodes
LEFT = 1


def additions(out: Path, seed: int, trials: int | None) -> Report:
    """All four; `trials` is the number of seeds of the emergency part (default 3)."""
    watched = _watch(seed)
    rows = [*_brake_rows(watched), *_indicator_rows(watched)]
    ours, theirs = _left_turn(watched), _left_turn_by_nodes(watched["roads"])
    rows += _turn_rows(ours, theirs)
    sirens = sweep(_siren_speeds, range(seed, seed + (trials or 3)), "sirens")
    means = {name: float(np.mean([run[name] for run in sirens])) for name in sirens[0]}
    rows += [
        {
            "addition": "emergency",
            "measure": "mean speed [m/s], siren off",
            "before": means["off"],
            "after": None,
        },
        {
            "addition": "emergency",
            "measure": "mean speed [m/s], siren on, others do not / do yield",
            "before": means["alone"],
            "after": means["yielding"],
        },
        {
            "addition": "emergency",
            "measure": "times the cars' speed, siren on",
            "before": means["alone"] / means["cars_alone"],
            "after": means["yielding"] / means["cars_yielding"],
        },
        {
            "addition": "emergency",
            "measure": "minutes for 5 km",
            "before": 5000 / means["alone"] / 60,
            "after": 5000 / means["yielding"] / 60,
        },
    ]
    queue = queue_discharge(seed=seed)
    rows += [
        {"addition": "queue (ours)", "measure": measure, "before": None, "after": value}
        for measure, value in (
            ("cars an hour a lane that leave a light", queue.flow),
            ("start-up loss [s]", queue.start_up_loss),
        )
    ]
    brakes, indicators = rows[0], rows[1]
    conclusions = [
        Conclusion(
            "brake lights are on whenever a vehicle slows down or stands",
            brakes["after"] == 1.0,
            f"{100 * brakes['after']:.1f} % of all such moments",
        ),
        Conclusion(
            "the right indicator is on within 50 m of a junction before every turn",
            indicators["after"] == 1.0 and rows[2]["after"] <= INDICATE_WITHIN,
            f"{100 * indicators['after']:.1f} % of turns; first seen {rows[2]['after']:.1f} m before at most",
        ),
        Conclusion(
            "a left turn is one continuous curve instead of two separate turns",
            _swings(ours) == 1 and _swings(theirs) == 2,
            f"{_swings(theirs)} swings of the wheel before, {_swings(ours)} after",
        ),
        Conclusion(
            "emergency vehicles get through faster when others yield",
            means["yielding"] > means["alone"],
            f"{means['alone']:.1f} m/s without, {means['yielding']:.1f} m/s with yielding, "
            f"{means['off']:.1f} m/s without siren",
        ),
    ]
    files = [
        draw_signals(out / "hynes-signals.png", watched["rows"], watched["roads"]),
        draw_turns(out / "hynes-left-turn.png", ours, theirs),
        draw_siren_times(out / "hynes-emergency.png", sirens),
    ]
    notes = [
        "Before: no lights at all (brakes, indicators); a character that turns at a fixed rate towards the "
        "entry and exit nodes of the junction (left turn); traffic in which nobody yields, "
        "on the road or at junctions (emergency)."
    ]
    return Report("hynes", "The custom additions of Hynes, before and after", rows, conclusions, notes, files)


def _watch(seed: int) -> dict[str, Any]:
    """The state of every step of cars on a grid."""
    simulation = Simulation(
        grid(SIDE, SIDE), vehicles=CARS, seed=seed, options=SimulationOptions(dt=DT, referee=False)
    )
    rows = []
    for _ in range(round(SECONDS / DT)):
        simulation.step()
        rows.append(simulation.traffic.fleet.copy())
    return {"rows": np.stack(rows), "roads": simulation.town.roads}


def _brake_rows(watched: dict[str, Any]) -> list[dict[str, Any]]:
    rows = watched["rows"]
    due = (rows["accel"] < -0.3) | ((rows["speed"] < 0.01) & (rows["accel"] <= 0))
    return [
        {
            "addition": "brake lights",
            "measure": "share of braking and standing moments with the light on",
            "before": 0.0,
            "after": float(rows["brake"][due].mean()),
        }
    ]


def _indicator_rows(watched: dict[str, Any]) -> list[dict[str, Any]]:
    """Every entry into a turning connector: was the indicator right, and from how far before?"""
    rows, roads = watched["rows"], watched["roads"]
    right, farthest = [], []
    for i in range(rows.shape[1]):
        strip = rows["strip"][:, i]
        for k in np.flatnonzero((roads.kind[strip[1:]] == CONNECTOR) & (roads.kind[strip[:-1]] == LANE)):
            turn = roads.turn[strip[k + 1]]
            right.append(rows["indicator"][k, i] == turn)
            before = np.arange(max(0, int(k) - 400), int(k) + 1)
            before = before[strip[before] == strip[k]]
            left = roads.length[strip[k]] - rows["station"][before, i] - rows["overhang"][before, i]
            # a lane change signals by its own right
            steady = (
                rows["odometer"][before, i] >= rows["shift_at"][before, i] + rows["shift_length"][before, i]
            )
            shown = (rows["indicator"][before, i] == turn) & steady
            if turn and shown.any():
                farthest.append(left[shown].max())
    return [
        {
            "addition": "indicators",
            "measure": "share of junctions entered with the right indicator",
            "before": None,
            "after": float(np.mean(right)),
        },
        {
            "addition": "indicators",
            "measure": "farthest from the junction when it came on [m]",
            "before": None,
            "after": float(max(farthest)),
        },
    ]


def _left_turn(watched: dict[str, Any]) -> dict[str, np.ndarray]:
    """The first complete left turn of a car that did not have to stop in it."""
    rows, roads = watched["rows"], watched["roads"]
    for i in range(rows.shape[1]):
        strip = rows["strip"][:, i]
        on = (roads.kind[strip] == CONNECTOR) & (roads.turn[strip] == LEFT)
        starts = np.flatnonzero(on[1:] & ~on[:-1]) + 1
        for start in starts:
            end = start + int(np.argmin(on[start:]))
            if (
                end > start
                and end + 15 < len(strip)
                and start > 15
                and rows["speed"][start:end, i].min() > 2.0
            ):
                span = slice(start - 15, end + 15)
                return _profile(*(rows[name][span, i] for name in ("x", "y", "heading", "speed")))
    raise RuntimeError("no left turn was driven")


def _profile(x: np.ndarray, y: np.ndarray, heading: np.ndarray, speed: np.ndarray) -> dict[str, np.ndarray]:
    heading = np.unwrap(heading)
    way = np.concatenate([[0.0], np.cumsum((speed * DT)[1:])])
    turned = np.degrees(np.diff(heading, prepend=heading[0]) / DT)
    return {"x": x, "y": y, "heading": heading, "way": way, "yaw_rate": turned}


def _left_turn_by_nodes(roads: Any) -> dict[str, np.ndarray]:
    """What the thesis started from: turn towards the entry node, the exit node, then into the lane."""
    strip = int(np.flatnonzero((roads.kind == CONNECTOR) & (roads.turn == LEFT))[0])
    first, last = roads.first[strip], roads.first[strip + 1] - 1
    a, b = roads.heading[first], roads.heading[last]
    entry, exit_ = (np.array([roads.x[p], roads.y[p]]) for p in (first, last))
    nodes = [entry, exit_, exit_ + 12 * np.array([np.cos(b), np.sin(b)])]
    place, heading = entry - 7 * np.array([np.cos(a), np.sin(a)]), a
    states: list[tuple[float, float, float, float]] = []
    for node in nodes:
        while (node - place) @ (node - place) > 0.5 and len(states) < 400:
            aim = np.arctan2(*(node - place)[::-1])
            off = wrap(aim - heading)
            heading += float(np.clip(off, -NODE_TURN * DT, NODE_TURN * DT))
            place = place + NODE_SPEED * DT * np.array([np.cos(heading), np.sin(heading)])
            states.append((*place, heading, NODE_SPEED))
    return _profile(*np.array(states).T)


def _turn_rows(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    return [
        {
            "addition": "left turn",
            "measure": "separate swings of the wheel",
            "before": _swings(theirs),
            "after": _swings(ours),
        },
        {
            "addition": "left turn",
            "measure": "fastest turning [°/s]",
            "before": float(np.abs(theirs["yaw_rate"]).max()),
            "after": float(np.abs(ours["yaw_rate"]).max()),
        },
    ]


def _swings(turn: dict[str, np.ndarray]) -> int:
    """How often the yaw rate rises above a third of its peak after having been below."""
    rate = np.abs(turn["yaw_rate"])
    high = rate > rate.max() / 3
    return int((high[1:] & ~high[:-1]).sum() + high[0])


def _siren_speeds(seed: int) -> dict[str, float]:
    """Mean speeds [m/s] of the same ambulances: siren off, on with nobody yielding, on with all
    yielding."""
    result = {}
    for name, siren, distance in (("off", False, 0.0), ("alone", True, 0.0), ("yielding", True, None)):
        simulation = Simulation(
            grid(SIDE, SIDE), CARS, emergency=SIRENS, seed=seed, options=SimulationOptions(dt=DT)
        )
        people = simulation.characters
        ambulances = simulation.traffic.ids[simulation.traffic.fleet.emergency]
        rows = np.isin(simulation.traffic.ids, ambulances)
        if distance is not None:
            people.set(simulation.traffic.ids, "yield_distance", distance)
        if not siren:
            people.set(ambulances, "emergency", False)
            people.set(ambulances, "max_speed_ratio", 1.0)
            people.set(ambulances, "min_speed_ratio", 1.0)
        for _ in range(round(SECONDS / DT)):
            simulation.step()
        way = simulation.traffic.fleet.odometer / simulation.time
        result[name] = float(way[rows].mean())
        result[f"cars_{name}"] = float(way[~rows].mean())
    return result
