"""A line of a road as the reference of a search: its knots, and the room beside it.

Offsets from a line bunch inside its bends, where its normals meet: a reference keeps away from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import solve_banded
from scipy.ndimage import gaussian_filter1d

from .lap import tightest

PER_RADIUS = 6.0  # knots to the radius of the tightest bend, at least,
MOST_FINER = 4.0  # unless they are so many times as many
SAFETY = 0.002  # [m] kept from the edges
INWARD = 0.6  # of a reference's radius that a stage may go towards its middle
MOST_LOST = 0.5  # [m] between knots, that the edges are drawn in for
TRIES = 21  # places across the road at which its edges are looked for
LEAST_KNOTS = 96  # of a line, however short: fewer bend unevenly between them
FINE, HALF = 8, 4  # points from knot to knot, and half-way, where edges are looked at

Rooms = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
Normals = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Road:
    """What the search asks of a road. `rooms(points)`: distance to the right and to the left edge (n,) [m].
    `normals(points)`: of its surface (n, 3), under points of a line; None where it is flat."""

    rooms: Rooms
    normals: Normals | None
    closed: bool
    v_start: float | None = None  # [m/s] on an open road; None: free
    v_end: float | None = None


@dataclass(frozen=True)
class Reference:
    """Points (n, 2) at even distances, the direction to the left there and half-way to the next (n, 2, 2),
    and the least and largest offset at both (n, 4)."""

    points: np.ndarray
    across: np.ndarray
    room: np.ndarray

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and largest offset (n,) that is free at each point and half-way to both neighbours."""
        low, high = np.maximum(*self.room[:, 0::2].T), np.minimum(*self.room[:, 1::2].T)
        before = np.roll(self.room, 1, axis=0)[:, 2:]
        return np.maximum(low, before[:, 0]), np.minimum(high, before[:, 1])


def smoothed(line: np.ndarray, knots: float, closed: bool) -> np.ndarray:
    if knots == 0.0:
        return line
    smooth: np.ndarray = gaussian_filter1d(line, knots * FINE, axis=0, mode="wrap" if closed else "nearest")
    if not closed:
        smooth[[0, -1]] = line[[0, -1]]
    return smooth


def dense(coefficients: np.ndarray, per_knot: int, closed: bool) -> np.ndarray:
    """Points (m, 2) of the B-spline with these coefficients (n, 2)."""
    t = np.arange(per_knot) / per_knot
    s = 1.0 - t
    weights = np.column_stack(
        [s**3 / 6, (3 * t**3 - 6 * t**2 + 4) / 6, (3 * s**3 - 6 * s**2 + 4) / 6, t**3 / 6]
    )
    if closed:
        q = np.vstack([coefficients[-1:], coefficients, coefficients[:2]])
    else:
        q = np.vstack(
            [2 * coefficients[0] - coefficients[1], coefficients, 2 * coefficients[-1] - coefficients[-2]]
        )
    spans = np.stack([q[k : len(q) - 3 + k] for k in range(4)], axis=1)
    points = np.einsum("kw,mwc->mkc", weights, spans).reshape(-1, 2)
    return points if closed else np.vstack([points, coefficients[-1:]])


def reference_along(road: Road, line: np.ndarray, gap: float, half_width: float, bulges: bool) -> Reference:
    """A line resampled at even distances, with the room beside it."""
    ring = np.vstack([line, line[:1]]) if road.closed else line
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(ring, axis=0).T))])
    spline = CubicSpline(along, ring, bc_type="periodic" if road.closed else "not-a-knot")
    at = np.linspace(0.0, along[-1], max(16, round(along[-1])))
    tight = tightest(bend_of(spline(at, 1), spline(at, 2)), road.closed)
    gap = float(np.clip(1.0 / max(PER_RADIUS * tight, 1e-9), gap / MOST_FINER, gap))
    n = max(LEAST_KNOTS, round(along[-1] / gap))
    at = np.linspace(0.0, along[-1], n * FINE + 1)
    at = at[:-1] if road.closed else at
    fine = spline(at)
    ahead, turn = spline(at[::HALF], 1), spline(at[::HALF], 2)
    across = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.linalg.norm(ahead, axis=1, keepdims=True)
    rooms = road.rooms(fine)
    kept = [
        half_width
        + SAFETY
        + (np.minimum(_bulges(room, road.closed), MOST_LOST) if bulges else 0.0 * room[::HALF])
        for room in rooms
    ]
    low, high = _free(road, fine[::HALF], across, [room[::HALF] for room in rooms], kept)
    bend = bend_of(ahead, turn)
    reach, middle = INWARD / np.maximum(np.abs(bend), 1e-6), 0.5 * (low + high)
    low = np.where(bend < 0, np.minimum(np.maximum(low, -reach), middle), low)
    high = np.where(bend > 0, np.maximum(np.minimum(high, reach), middle), high)
    if not road.closed:  # half-way after the last point is nowhere
        across, low, high = (np.concatenate([v, v[-1:]]) for v in (across, low, high))
    room = np.column_stack([low[0::2], high[0::2], low[1::2], high[1::2]])
    return Reference(fine[::FINE], across.reshape(-1, 2, 2), room)


def bend_of(ahead: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Curvature (n,) [1/m] from first and second derivatives (n, 2)."""
    bend: np.ndarray = (ahead[:, 0] * turn[:, 1] - ahead[:, 1] * turn[:, 0]) / np.hypot(*ahead.T) ** 3
    return bend


def _bulges(room: np.ndarray, closed: bool) -> np.ndarray:
    """How much less room there is between the places that are checked than on straight lines."""
    here = room[::HALF]
    after = np.append(here[1:], here[:1]) if closed else here[1:]
    part = np.arange(HALF) / HALF
    straight = ((1 - part) * here[: len(after), None] + part * after[:, None]).ravel()
    lost = np.maximum(straight - room[: len(straight)], 0.0).reshape(-1, HALF).max(axis=1)
    before = np.roll(lost, 1) if closed else np.append(0.0, lost)
    result: np.ndarray = np.maximum(before, lost if closed else np.append(lost, 0.0))
    return result


def _free(
    road: Road, points: np.ndarray, across: np.ndarray, rooms: list[np.ndarray], kept: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The least and largest offset (n,) [m] along `across` that leave `kept` to the right and left edge.

    `rooms` are the distances to the edges now, right and left. From the nearest place on the ray that is free
    of both edges, outwards either way, to the first that is not.
    """
    share = np.linspace(-1.0, 1.0, TRIES)[:, None]
    far = np.where(share < 0, *(1.3 * np.abs(r - k) + 0.5 for r, k in zip(rooms, kept, strict=True)))
    reach = far * np.sign(share) * np.abs(share) ** 2.5
    spare = np.full((TRIES, len(points)), np.inf)
    for k, row in enumerate(reach):
        there = road.rooms(points + row[:, None] * across)
        spare[k] = np.minimum(there[0] - kept[0], there[1] - kept[1])
    free = spare >= 0.0
    order = np.argsort(np.abs(np.arange(TRIES) - TRIES // 2), kind="stable")
    first = order[np.argmax(free[order], axis=0)]
    index, column = np.arange(TRIES)[:, None], np.arange(len(points))
    ends: list[np.ndarray] = []
    for beyond in (index < first, index > first):
        shut = ~free & beyond
        nearest = np.where(shut, np.abs(index - first), TRIES).argmin(axis=0)
        found = shut.any(axis=0)
        inner = nearest + np.sign(first - nearest)
        a, b = spare[inner, column], spare[nearest, column]
        part = np.clip(a / np.maximum(a - b, 1e-9), 0.0, 1.0)
        at = reach[inner, column] + part * (reach[nearest, column] - reach[inner, column])
        end = reach[0] if len(ends) == 0 else reach[-1]
        ends.append(np.where(found, at, end))
    return ends[0], ends[1]


def coefficients_of(points: np.ndarray, closed: bool) -> np.ndarray:
    """Of the B-spline through points (n, 2) at its knots."""
    n = len(points)
    if closed:
        spectrum = (4.0 + 2.0 * np.cos(2 * np.pi * np.fft.rfftfreq(n))) / 6.0
        return np.fft.irfft(np.fft.rfft(points, axis=0) / spectrum[:, None], n=n, axis=0)
    band = np.tile(np.array([[1 / 6], [4 / 6], [1 / 6]]), (1, n))
    band[1, [0, -1]], band[0, 1], band[2, -2] = 1.0, 0.0, 0.0
    result: np.ndarray = solve_banded((1, 1), band, points)
    return result


def stencils(reference: Reference, closed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Weights of a B-spline's coefficients in its derivatives at a knot (n, 6), first and second; weights of
    their offsets in the offsets at a knot and half-way (n, 2, 4), of the one before and those after."""
    n = len(reference.points)
    stencil = np.tile([-0.5, 0.0, 0.5, 1.0, -2.0, 1.0], (n, 1))
    value = np.tile([[1 / 6, 4 / 6, 1 / 6, 0.0], [1 / 48, 23 / 48, 23 / 48, 1 / 48]], (n, 1, 1))
    if not closed:
        stencil[0], stencil[-1] = (0, -1, 1, 0, 0, 0), (-1, 1, 0, 0, 0, 0)
        value[0], value[-1] = [(0, 1, 0, 0), (0, 0.5, 23 / 48, 1 / 48)], [(0, 1, 0, 0), (0, 0, 0, 0)]
        value[-2, 1] = 1 / 48, 23 / 48, 0.5, 0
    tilt = reference.across
    near = np.stack([np.roll(tilt[:, 0], k, 0) for k in (1, 0, -1, -2)], axis=1)
    return stencil, np.einsum("nhc,nkc->nhk", tilt, near) * value
