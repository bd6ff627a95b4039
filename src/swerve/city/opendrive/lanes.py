"""Where the lanes of OpenDRIVE roads lie: their borders by station, and pavements for people."""

from __future__ import annotations

import numpy as np

from .lines import evaluate
from .records import Lane, RoadRecord
from .surface import beside, lift, spine

DRIVING = {"driving", "entry", "exit", "onRamp", "offRamp", "connectingRamp", "bus", "taxi", "bidirectional"}
RESERVED = {"bus", "taxi"}  # driven by all nevertheless
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
    """Pieces (q, 4, 3) [m] of the lanes that people walk on, cut also at `marks` [m] of the road."""
    pieces = [np.zeros((0, 4, 3))]
    for index, section in enumerate(road.sections):
        walked = [name for name, lane in section.lanes.items() if lane.type in WALKED and name != 0]
        if section.end - section.start < 0.05 or not walked:
            continue
        s = np.linspace(section.start, section.end, max(2, int((section.end - section.start) / step) + 1))
        s = np.union1d(s, [mark for mark in marks if section.start < mark < section.end])
        for name in walked:
            kerb = _raised(section.lanes[name], s - section.start)
            near, far = (
                border_points(road, s, t) + np.outer(up, [0.0, 0.0, 1.0])
                for t, up in zip(lane_borders(road, index, name, s), kerb, strict=True)
            )
            pieces.append(np.stack([near[:-1], near[1:], far[1:], far[:-1]], axis=1))
    return np.concatenate(pieces)


def border_points(road: RoadRecord, s: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Points (k, 3) [m] of the ground at stations s, ascending, and offsets t (k,)."""
    found = beside(spine(road, s), t, np.zeros_like(t), lift(road, s, t))
    return np.stack([found.x, found.y, found.z], -1)


def _raised(lane: Lane, s: np.ndarray) -> np.ndarray:
    """How far (2, k) [m] the inner and the outer border of a lane lie above the road."""
    out = np.zeros((2, len(s)))
    for start, inner, outer in lane.heights:
        out[:, s >= start - 1e-9] = [[inner], [outer]]
    return out
