"""The crosswalks at the arms of a junction, and what of its connectors lies on them."""

from __future__ import annotations

import numpy as np

from .arm import STOP_GAP, Arm
from .crossings import Crossings
from .curves import Curve
from .lights import GROUPS_PER_AXIS, WALK
from .swept import USUAL


def crosswalks_of(arms: tuple[Arm, ...], axis: np.ndarray | None, curves: list[Curve]) -> Crossings:
    """The crosswalks of the arms and the stretches of connectors that lie on them."""
    corners, ends, widths, lengths, lights, counts = [], [], [], [], [], []
    strips: list[int] = []
    stretches: list[tuple[float, float, int]] = []
    dense = []
    for c in curves:
        u = np.linspace(0.0, len(c.x) - 1.0, max(2, int(c.length / 0.1)))
        columns = [np.interp(u, np.arange(len(c.x)), v) for v in (c.x, c.y, c.heading)]
        dense.append((*columns, u / (len(c.x) - 1) * c.length))
    for k, arm in enumerate(arms):
        if not arm.crosswalk:
            continue
        out = np.array([np.cos(arm.angle), np.sin(arm.angle)])
        side = np.array([-out[1], out[0]])
        left, right = arm.lanes_in * arm.width, arm.lanes_out * arm.width
        near, far = STOP_GAP, STOP_GAP + arm.crosswalk
        origin = np.array([arm.x, arm.y])
        around = ((near, left), (near, -right), (far, -right), (far, left))
        corners.append([origin - depth * out + aside * side for depth, aside in around])
        middle = origin - (near + far) / 2 * out
        ends.append([middle + left * side, middle - right * side])
        widths.append(arm.crosswalk)
        lengths.append(left + right)
        lights.append(-1 if axis is None else axis[k] * GROUPS_PER_AXIS + WALK)
        counts.append(0)
        for strip, (x, y, heading, station) in enumerate(dense):
            depth = -(x - arm.x) * out[0] - (y - arm.y) * out[1]
            aside = (x - arm.x) * side[0] + (y - arm.y) * side[1]
            # a vehicle that crosses askew reaches out by half its width
            skew = USUAL.width / 2 * np.abs(np.sin(heading - arm.angle))
            on = (depth > near - skew) & (depth < far + skew)
            on &= (aside < left + USUAL.width / 2) & (aside > -right - USUAL.width / 2)
            if on.any():
                strips.append(strip)
                s = station[on]
                nearer = 0 if aside[on].mean() > (left - right) / 2 else 1
                stretches.append((float(s[0]), float(s[-1]), nearer))
                counts[-1] += 1
    from_, to, half = (np.array([s[k] for s in stretches]) for k in range(3))
    return Crossings(
        np.array(corners, float).reshape(-1, 4, 2),
        np.array(ends, float).reshape(-1, 2, 2),
        np.array(widths, float),
        np.array(lengths, float),
        np.array(lights, np.int32),
        np.zeros(len(widths), np.int32),
        np.concatenate([[0], np.cumsum(counts, dtype=int)]).astype(np.int32),
        np.array(strips, np.int32),
        from_.astype(float),
        to.astype(float),
        half.astype(np.int8),
    )
