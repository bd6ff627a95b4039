"""A drive through a town as a `Way`: every lane of one's own direction may be used, and the road's edges are
its widths.

On a road the line leads from the lane one comes into to the lane one leaves by; across a junction it is the
connector, as wide as the narrower of the roads that it joins.
"""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.way import Way

from .roads import CONNECTOR, LANE, U_TURN, Roads

SPACING = 1.0  # [m] between points
TRIES = 400  # of a random drive before it is given up


def way_along(roads: Roads, connectors: list[int], lead_in: float | None = None) -> Way:
    """The way over roads joined by `connectors`, from the start of the first road to the end of the last.

    `lead_in` [m] keeps only so much of the first road.
    """
    if not connectors:
        raise BadInput("connectors", 0, "must be at least one")
    before = [int(roads.before[roads.before_first[k]]) for k in connectors]
    after = [int(roads.after[roads.after_first[k]]) for k in connectors]
    for k, (here, there) in enumerate(zip(after[:-1], before[1:], strict=True)):
        if roads.road[here] != roads.road[there]:
            raise BadInput(
                f"connector {connectors[k + 1]}", None, f"does not leave the road of {connectors[k]}"
            )
    pieces = [_road(roads, before[0], before[0])]
    if lead_in is not None:
        keep = max(2, min(len(pieces[0]), round(lead_in / SPACING)))
        pieces[0] = pieces[0][-keep:]
    for k, connector in enumerate(connectors):
        leaves_by = before[k + 1] if k + 1 < len(connectors) else after[k]
        road = _road(roads, after[k], leaves_by)
        pieces += [_across(roads, connector, pieces[-1][-1], road[0]), road]
    return _way(np.vstack(pieces), "route")


def random_drive(roads: Roads, metres: float, rng: np.random.Generator) -> list[int]:
    """Connectors of a drive of at least so many metres that comes to no junction twice and makes no U-turn.

    Drives with more turns are preferred: of a handful the one that turns most is taken.
    """
    starts = np.flatnonzero(
        (roads.kind == CONNECTOR) & (roads.turn != U_TURN) & (roads.length > 1.0) & (_successors(roads) > 0)
    )
    if len(starts) == 0:
        raise BadInput("metres", metres, f"{roads.name} has no junction that a drive leads through")
    found: list[list[int]] = []
    for _ in range(TRIES):
        at = int(rng.choice(starts))
        chosen, seen, driven = [at], {int(roads.junction[at])}, 0.0
        while driven < metres:
            lane = int(roads.after[roads.after_first[chosen[-1]]])
            driven += float(roads.length[chosen[-1]] + roads.length[lane])
            onwards = [
                int(c)
                for beside in np.flatnonzero((roads.road == roads.road[lane]) & (roads.kind == LANE))
                for c in roads.after[roads.after_first[beside] : roads.after_first[beside + 1]]
                if roads.kind[c] == CONNECTOR and roads.turn[c] != U_TURN
            ]
            onwards = [c for c in onwards if int(roads.junction[c]) not in seen and _successors(roads)[c] > 0]
            if not onwards:
                break
            chosen.append(int(rng.choice(onwards)))
            seen.add(int(roads.junction[chosen[-1]]))
        end = int(roads.after[roads.after_first[chosen[-1]]])
        if driven >= metres and int(roads.junction[end]) not in seen:
            found.append(chosen)
            if len(found) == 4:
                break
    if not found:
        raise BadInput("metres", metres, f"no drive of {roads.name} is so long without coming back;")
    return max(found, key=lambda some: int((roads.turn[some] != 0).sum()))


def lone_road(roads: Roads, metres: float, rng: np.random.Generator) -> Way:
    """The way along one road, at least so long, of roads that no junction joins."""
    lanes = np.flatnonzero((roads.kind == LANE) & (roads.outer < 0))
    longest = float(roads.length[lanes].max(initial=0.0))
    if longest < metres:
        raise BadInput("metres", metres, f"no road of {roads.name} is longer than {longest:.0f} m")
    long = lanes[roads.length[lanes] >= max(metres, 0.5 * longest)]
    lane = int(rng.choice(long))
    return _way(_road(roads, lane, lane), "road")


def _way(rows: np.ndarray, name: str) -> Way:
    """Through rows of `_road`."""
    return Way.through(rows[:, :2], rows[:, 2], rows[:, 3], rows[:, 4], spacing=SPACING, name=name)


def _successors(roads: Roads) -> np.ndarray:
    return np.diff(roads.after_first)


def _road(roads: Roads, enters: int, leaves: int) -> np.ndarray:
    """(k, 5) x, y, right, left, z along a road, from the lane one enters to the lane one leaves by."""
    side = -1.0 if roads.left_hand else 1.0  # lanes lie towards the middle: to the left, or to the right
    kerb = enters
    while roads.outer[kerb] >= 0:
        kerb = int(roads.outer[kerb])
    lanes = [kerb]
    while roads.inner[lanes[-1]] >= 0:
        lanes.append(int(roads.inner[lanes[-1]]))
    widths = roads.width[lanes]
    middles = np.cumsum(widths) - widths / 2 - widths[0] / 2  # from the kerb lane's middle
    count = max(2, round(float(roads.length[kerb]) / SPACING) + 1)
    share = np.linspace(0.0, 1.0, count)
    blend = np.clip((share - 0.15) / 0.6, 0.0, 1.0)
    blend = blend * blend * (3.0 - 2.0 * blend)
    at = middles[lanes.index(enters)] + blend * (middles[lanes.index(leaves)] - middles[lanes.index(enters)])
    station = share * roads.length[kerb]
    strip = np.full(count, kerb)
    x, y, _ = roads.place(strip, station, side * at)
    outwards, inwards = at + widths[0] / 2, widths.sum() - widths[0] / 2 - at
    right, left = (inwards, outwards) if roads.left_hand else (outwards, inwards)
    return np.column_stack([x, y, right, left, roads.height(strip, station)])


def _across(roads: Roads, connector: int, last: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The same across a junction, as wide as the narrower of the two roads."""
    count = max(3, round(float(roads.length[connector]) / SPACING) + 1)
    share = np.linspace(0.0, 1.0, count)[1:-1]
    strip, station = np.full(len(share), connector), share * roads.length[connector]
    x, y, _ = roads.place(strip, station)
    right, left = (
        min(last[k], first[k])
        + max(last[k] - first[k], 0.0) * np.clip(1.0 - 5.0 * share, 0.0, 1.0)
        + max(first[k] - last[k], 0.0) * np.clip(5.0 * share - 4.0, 0.0, 1.0)
        for k in (2, 3)
    )
    return np.column_stack([x, y, right, left, roads.height(strip, station)])
