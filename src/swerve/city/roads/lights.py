"""Traffic lights: groups of heads that switch together, over a cycle that repeats.

A group is a row of arrays, so the state of every light of a town is one expression. A signalised junction
has axes (pairs of opposite arms), and every axis has three groups: through and right, left, and the people
who walk across its arms. Left turns get green some seconds before the through traffic does (the advanced
turn) and keep it; from then on they must find a gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.core.errors import require

RED, YELLOW, GREEN = 0, 1, 2
THROUGH, LEFT, WALK = 0, 1, 2  # groups of an axis
GROUPS_PER_AXIS = 3
_NEVER = np.inf


@dataclass(frozen=True)
class Lights:
    """`cycle` [s] and `offset` [s] (m,); `switch_at` [s] (m, k), ascending and padded with infinity, says
    when in its cycle a group takes the state `switch_to` (m, k)."""

    cycle: np.ndarray
    offset: np.ndarray
    switch_at: np.ndarray
    switch_to: np.ndarray

    def __len__(self) -> int:
        return len(self.cycle)

    def state(self, t: float) -> np.ndarray:
        """RED, YELLOW or GREEN of every group at time t [s], int8 (m,).

        >>> lights = no_lights()
        >>> lights.state(0.0).shape
        (0,)
        """
        passed = (self.switch_at <= self._phase(t)[:, None]).sum(axis=1) - 1
        return self.switch_to[np.arange(len(self)), passed]

    def until_change(self, t: float) -> np.ndarray:
        """Time [s] until each group next changes its state, (m,)."""
        phase = self._phase(t)[:, None]
        ahead = np.where(self.switch_at > phase, self.switch_at, _NEVER).min(axis=1, initial=_NEVER)
        first = self.switch_at[:, 0] if len(self) else np.zeros(0)
        return np.where(np.isfinite(ahead), ahead, self.cycle + first) - phase[:, 0]

    def some(self, groups: np.ndarray) -> Lights:
        """These groups alone."""
        return Lights(self.cycle[groups], self.offset[groups], self.switch_at[groups], self.switch_to[groups])

    def _phase(self, t: float) -> np.ndarray:
        return np.mod(t + self.offset, self.cycle)


@dataclass(frozen=True)
class SignalTimes:
    """Durations [s] of a junction's phases; at the pace `walking` [m/s] people can finish crossing."""

    advance: float = 6.0
    green: float = 24.0
    yellow: float = 3.0
    all_red: float = 2.0
    walking: float = 1.0

    def __post_init__(self) -> None:
        for name in ("green", "yellow", "walking"):
            value = getattr(self, name)
            require(bool(np.isfinite(value)) and value > 0, name, value, "must be positive")
        for name in ("advance", "all_red"):
            value = getattr(self, name)
            require(bool(np.isfinite(value)) and value >= 0, name, value, "must not be negative")


def no_lights() -> Lights:
    return Lights(np.zeros(0), np.zeros(0), np.zeros((0, 1)), np.zeros((0, 1), np.int8))


def junction_lights(advanced: list[bool], crossing: list[float], times: SignalTimes) -> Lights:
    """The groups of one junction, three an axis: through, left, walk.

    `advanced` says for every axis whether its left turns start early, `crossing` [m] how far people walk to
    cross its arms. People of one axis walk while another axis drives, and start no later than lets them
    finish: their yellow means "finish, do not start".
    """
    axes = len(advanced)
    starts = np.zeros(axes)
    now = 0.0
    for axis in range(axes):
        starts[axis] = now
        now += times.advance * advanced[axis] + times.green + times.yellow + times.all_red
    rows: list[list[tuple[float, int]]] = []
    for axis in range(axes):
        begin = starts[axis] + times.advance * advanced[axis]
        end = begin + times.green
        for green_from in (begin, starts[axis]):
            rows.append([(green_from, GREEN), (end, YELLOW), (end + times.yellow, RED)])
        other = (axis + 1) % axes
        begin = starts[other] + times.advance * advanced[other]
        finish = begin + times.green + times.yellow
        stop = finish - crossing[axis] / times.walking
        if stop >= begin + 2.0:
            rows.append([(begin, GREEN), (stop, YELLOW), (finish, RED)])
        else:
            rows.append([(begin, RED)])
    width = max(len(row) for row in rows)
    at = np.full((len(rows), width), _NEVER)
    to = np.zeros((len(rows), width), np.int8)
    for i, row in enumerate(rows):
        at[i, : len(row)] = [time for time, _ in row]
        to[i] = row[-1][1]
        to[i, : len(row)] = [state for _, state in row]
    return Lights(np.full(len(rows), now), np.zeros(len(rows)), at, to)


def join_lights(parts: list[Lights], offsets: list[float]) -> Lights:
    """All groups of several junctions, each shifted by its offset [s]."""
    if not parts:
        return no_lights()
    width = max(part.switch_at.shape[1] for part in parts)

    def wide(values: np.ndarray, **fill: Any) -> np.ndarray:
        missing = width - values.shape[1]
        return np.pad(values, ((0, 0), (0, missing)), **fill) if missing else values

    return Lights(
        np.concatenate([part.cycle for part in parts]),
        np.concatenate([part.offset + by for part, by in zip(parts, offsets, strict=True)]),
        np.concatenate([wide(part.switch_at, constant_values=_NEVER) for part in parts]),
        np.concatenate([wide(part.switch_to, mode="edge") for part in parts]),
    )
