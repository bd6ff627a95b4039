"""Where a road passes over itself, as at Suzuka: two levels, each with walls of its own.

A file of a circuit does not tell heights. Where its centre line crosses itself at a fair angle there is a
bridge, and the stretch that comes later passes over the earlier one. A car is held against the walls of the
level that it is on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STEEP = np.radians(30.0)  # least angle between the two roads
BESIDE = 6.0  # [m] beyond the other road along which the walls belong to a level
NEAR = 12.0  # [m] beyond that from which a car counts as on that level
HAIR = 1e-6  # of a piece of the line, by which two may miss each other and still cross
FAR_APART = 4  # points of the centre line between two that can cross


@dataclass(frozen=True)
class Bridge:
    """Stations [m] at which a road passes `under` itself and `over` itself, and `half` [m] of road on either
    side of both whose walls belong to a level.
    """

    under: float
    over: float
    half: float


def find_bridges(
    centre: np.ndarray, station: np.ndarray, reach: np.ndarray, length: float, closed: bool
) -> tuple[Bridge, ...]:
    """Proper crossings of a centre line (n, 2) with stations (n,) and widths to the wider side (n,) [m],
    as far as each leaves room for two levels.
    """
    a = centre if closed else centre[:-1]
    b = np.roll(centre, -1, axis=0) if closed else centre[1:]
    step, period = length / len(a), length if closed else np.inf
    found: list[Bridge] = []
    for i in range(len(a)):
        rest = slice(i + FAR_APART, len(a))
        d, e, w = b[i] - a[i], b[rest] - a[rest], a[rest] - a[i]
        turn = d[0] * e[:, 1] - d[1] * e[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (w[:, 0] * e[:, 1] - w[:, 1] * e[:, 0]) / turn
            u = (w[:, 0] * d[1] - w[:, 1] * d[0]) / turn
        on_both = (np.abs(t - 0.5) <= 0.5 + HAIR) & (np.abs(u - 0.5) <= 0.5 + HAIR)
        for k in np.flatnonzero(on_both):
            j = i + FAR_APART + int(k)
            steep = abs(turn[k]) / (np.hypot(*d) * np.hypot(*e[k]))
            under, over = float(station[i] + t[k] * step), float(station[j] + u[k] * step)
            half = float((reach[i] + reach[j]) / steep + BESIDE)
            # two pieces that meet on the other road cross it both
            same = ((under, over), (over, under)) if closed else ((under, over),)
            known = any(
                max(gap(low, f.under, period), gap(high, f.over, period)) < step
                for f in found
                for low, high in same
            )
            if steep >= np.sin(STEEP) and not known:
                found.append(Bridge(under, over, half))
    return tuple(found) if _apart(found, period) else ()


def _apart(bridges: list[Bridge], period: float) -> bool:
    """Whether no stretch of a level overlaps another."""
    spans = [(s, bridge.half + NEAR) for bridge in bridges for s in (bridge.under, bridge.over)]
    return all(
        gap(a, b, period) > left + right for k, (a, left) in enumerate(spans) for b, right in spans[:k]
    )


def gap(a: np.ndarray | float, b: np.ndarray | float, period: float) -> np.ndarray:
    """[m] along the road from one station to another; `period` is infinite where it is open."""
    apart = np.abs(np.asarray(a, dtype=np.float64) - b)
    return np.minimum(apart, period - apart)
