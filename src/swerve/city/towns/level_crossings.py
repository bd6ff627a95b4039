"""Streets that cross each other where there is no node: one must pass above the other."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput

from .street_plan import StreetPlan, centre_line

APART = 4.0  # [m] of height between a street and one above it
STEP = 10.0  # [m] of a street that is looked at as straight


def check_crossings(plan: StreetPlan) -> None:
    """Refuse a plan whose streets cross at the same height outside their nodes."""
    starts, ends, heights, owner = [], [], [], []
    for k, street in enumerate(plan.streets):
        line = centre_line(plan, street)
        count = max(2, int(line.length / STEP) + 1) if len(line.x) > 2 else 2
        at = np.linspace(0.0, len(line.x) - 1.0, count)
        points = np.stack([np.interp(at, np.arange(len(line.x)), v) for v in (line.x, line.y)], -1)
        z = np.linspace(plan.nodes[street.start].z, plan.nodes[street.end].z, count)
        starts.append(points[:-1])
        ends.append(points[1:])
        heights.append((z[:-1] + z[1:]) / 2)
        owner += [k] * (count - 1)
    a, b, level, who = np.concatenate(starts), np.concatenate(ends), np.concatenate(heights), np.array(owner)
    nodes = np.array([(street.start, street.end) for street in plan.streets])
    for i in range(len(a)):
        others = np.arange(i + 1, len(a))
        shared = (nodes[who[others]][:, :, None] == nodes[who[i]][None, None]).any(axis=(1, 2))
        others = others[~shared & (np.abs(level[others] - level[i]) < APART)]
        hit = others[_cross(a[i], b[i], a[others], b[others])]
        if len(hit):
            what = f"streets {who[i]} and {who[hit[0]]}"
            raise BadInput(what, None, f"cross without a node; one must pass {APART:g} m above the other")


def _cross(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Whether the segment from a to b meets segments (k,) from c to d."""

    def side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
        return np.asarray((q - p)[..., 0] * (r - p)[..., 1] - (q - p)[..., 1] * (r - p)[..., 0])

    return (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
