"""Where the lanes of OpenDRIVE roads lie: their borders by station, and pavements for people."""

from __future__ import annotations

import numpy as np

from .lines import evaluate, reference_line
from .records import RoadRecord

DRIVING = {"driving", "entry", "exit", "onRamp", "offRamp", "connectingRamp", "bus", "taxi", "bidirectional"}
WALKED = {"sidewalk", "walking"}


def lane_borders(road: RoadRecord, section: int, name: int, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inner and outer border of a lane: how far [m] to the left of the reference line, at s (k,)."""
    sign = 1 if name > 0 else -1
    lanes, start = road.sections[section].lanes, road.sections[section].start
    inner = outer = evaluate(road.offset, s)
    for k in range(1, abs(name) + 1):
        lane, inner = lanes[sign * k], outer
        if lane.widths or not lane.borders:
            outer = inner + sign * np.maximum(evaluate(lane.widths, s - start), 0.0)
        else:  # borders count from the reference line, offset included
            outer = evaluate(road.offset, s) + evaluate(lane.borders, s - start)
            outer = np.maximum(outer, inner) if sign > 0 else np.minimum(outer, inner)
    return inner, outer


def sidewalks(road: RoadRecord, marks: tuple[float, ...] = (), step: float = 1.5) -> np.ndarray:
    """Pieces (q, 4, 2) [m] of the lanes that people walk on, cut also at `marks` [m] of the road."""
    pieces = [np.zeros((0, 4, 2))]
    for index, section in enumerate(road.sections):
        if section.end - section.start < 0.05:
            continue
        s = np.linspace(section.start, section.end, max(2, int((section.end - section.start) / step) + 1))
        s = np.union1d(s, [mark for mark in marks if section.start < mark < section.end])
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
