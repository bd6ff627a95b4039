"""Lanes of OpenDRIVE roads as curves: where a run of lanes lies, and which of them go on into which.

A *run* is a group of lanes side by side in one direction, over as many lane sections as they keep together.
Records are of right-hand traffic: lanes with negative ids go along s, those with positive ids against it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.errors import BadInput

from ..roads.curves import Curve, evenly, reverse
from .lines import evaluate, reference_line
from .records import RoadRecord

DRIVING = {"driving", "entry", "exit", "onRamp", "offRamp", "connectingRamp", "bus", "taxi"}
WALKED = {"sidewalk", "walking"}
NARROWEST = 1.8  # [m] that a lane must have somewhere to be driven on
_STEP = 0.25  # [m]


@dataclass(frozen=True)
class Run:
    """`lanes[k][i]` is the id of lane k, from the kerb, in section `sections[i]`; sections ascend in s."""

    road: str
    forward: bool
    sections: tuple[int, ...]
    lanes: tuple[tuple[int, ...], ...]

    @property
    def entry(self) -> int:
        """The section in which one enters the run."""
        return self.sections[0] if self.forward else self.sections[-1]

    @property
    def exit(self) -> int:
        return self.sections[-1] if self.forward else self.sections[0]

    def at(self, lane: int, section: int) -> int:
        """Id of lane number `lane` in a section."""
        return self.lanes[lane][self.sections.index(section)]


def runs_of(road: RoadRecord) -> list[Run]:
    """All runs of driving lanes of a road."""
    runs: list[Run] = []
    for forward in (True, False):
        open_: list[tuple[list[int], list[list[int]]]] = []
        for index, section in enumerate(road.sections):
            going = []
            for group in _side_by_side(road, index, forward):
                for run in open_:
                    sections, lanes = run
                    last = road.sections[index - 1].lanes
                    onward = [last[lane[-1]].after for lane in lanes]
                    back = [section.lanes[name].before for name in group]
                    if onward == group and back == [lane[-1] for lane in lanes]:
                        sections.append(index)
                        for lane, name in zip(lanes, group, strict=True):
                            lane.append(name)
                        going.append(run)
                        break
                else:
                    going.append(([index], [[name] for name in group]))
            runs += [_closed(road, forward, run) for run in open_ if not any(run is g for g in going)]
            open_ = going
        runs += [_closed(road, forward, run) for run in open_]
    return runs


def lane_curve(
    road: RoadRecord,
    sections: tuple[int, ...],
    ids: tuple[int, ...],
    forward: bool,
    between: tuple[float, float] = (-np.inf, np.inf),
) -> tuple[Curve, np.ndarray, float]:
    """The middle of a lane over sections (ascending), its height [m] at every point and its width [m].

    Only what lies `between` two distances along the road is taken.
    """
    start = max(road.sections[sections[0]].start, between[0])
    end = min(road.sections[sections[-1]].end, between[1])
    s = np.linspace(start, end, max(5, int(np.ceil((end - start) / _STEP)) + 1))
    bounds = np.array([road.sections[k].start for k in sections[1:]])
    which = np.searchsorted(bounds, s, side="right")
    aside, width = np.zeros(len(s)), np.zeros(len(s))
    for i, (k, name) in enumerate(zip(sections, ids, strict=True)):
        own = which == i
        inner, outer = lane_borders(road, k, name, s[own])
        aside[own], width[own] = (inner + outer) / 2, np.abs(outer - inner)
    line = reference_line(road.geometry, s)
    slope = np.gradient(aside, s, edge_order=2)
    stretch = np.maximum(1.0 - line.curvature * aside, 0.05)
    heading = line.heading + np.arctan2(slope, stretch)
    x, y = line.x - aside * np.sin(line.heading), line.y + aside * np.cos(line.heading)
    far = np.hypot(np.diff(x), np.diff(y)).sum()
    if not far <= 4.0 * (end - start) + 1.0:
        where = f"road {road.id}, lane {ids[0]}"
        raise BadInput(
            where, float(f"{far:.4g}"), f"is far longer than its {end - start:.4g} m along the road"
        )
    gone = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    curvature = np.gradient(heading, np.maximum.accumulate(gone + 1e-9 * np.arange(len(s))), edge_order=2)
    curve = evenly(x, y, heading, curvature)
    height = np.interp(np.linspace(0.0, gone[-1], len(curve.x)), gone, evaluate(road.elevation, s))
    if not forward:
        curve, height = reverse(curve), height[::-1]
    return curve, height, float(np.median(width))


def lane_borders(road: RoadRecord, section: int, name: int, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inner and outer border of a lane: how far [m] to the left of the reference line, at s (k,)."""
    sign = 1 if name > 0 else -1
    lanes, start = road.sections[section].lanes, road.sections[section].start
    inner = evaluate(road.offset, s)
    for k in range(1, abs(name)):
        inner = inner + sign * np.maximum(evaluate(lanes[sign * k].widths, s - start), 0.0)
    return inner, inner + sign * np.maximum(evaluate(lanes[name].widths, s - start), 0.0)


def is_driven(road: RoadRecord, section: int, name: int) -> bool:
    """Whether cars use a lane."""
    part = road.sections[section]
    lane = part.lanes.get(name)
    if lane is None or name == 0 or lane.type not in DRIVING or part.end - part.start < 0.05:
        return False
    return bool(evaluate(lane.widths, np.linspace(0.0, part.end - part.start, 9)).max() >= NARROWEST)


def sidewalks(road: RoadRecord, step: float = 1.5) -> np.ndarray:
    """Pieces (q, 4, 2) [m] of the lanes that people walk on."""
    pieces = [np.zeros((0, 4, 2))]
    for index, section in enumerate(road.sections):
        if section.end - section.start < 0.05:
            continue
        s = np.linspace(section.start, section.end, max(2, int((section.end - section.start) / step) + 1))
        line = reference_line(road.geometry, s)
        for name, lane in section.lanes.items():
            if lane.type not in WALKED or name == 0:
                continue
            near, far = (
                np.stack([line.x - t * np.sin(line.heading), line.y + t * np.cos(line.heading)], -1)
                for t in lane_borders(road, index, name, s)
            )
            pieces.append(np.stack([near[:-1], near[1:], far[1:], far[:-1]], axis=1))
    return np.concatenate(pieces)


def _side_by_side(road: RoadRecord, section: int, forward: bool) -> list[list[int]]:
    """Driving lanes of one direction in groups without a gap, each from the kerb to the middle."""
    sign = -1 if forward else 1
    names = sorted((n for n in road.sections[section].lanes if n * sign > 0), key=abs, reverse=True)
    groups: list[list[int]] = []
    for name in names:
        if not is_driven(road, section, name):
            continue
        if groups and abs(groups[-1][-1]) - abs(name) == 1:
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


def _closed(road: RoadRecord, forward: bool, run: tuple[list[int], list[list[int]]]) -> Run:
    sections, lanes = run
    return Run(road.id, forward, tuple(sections), tuple(tuple(lane) for lane in lanes))
