"""Traffic lights: groups of heads that switch together, over a cycle that repeats.

A group is a row of arrays, so the state of every light of a town is one expression. A signalised junction
has axes (pairs of opposite arms), and every axis has three groups: through and right, left, and the people
who walk across its arms. Left turns get green some seconds before the through traffic does (the advanced
turn) and keep it; from then on they must find a gap.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

import numpy as np

from swerve.core.errors import require

RED, YELLOW, GREEN = 0, 1, 2
THROUGH, LEFT, WALK = 0, 1, 2  # groups of an axis
GROUPS_PER_AXIS = 3
_NEVER = np.inf
_TINY = 1e-7  # [s] by which a clock is put beyond a change


@dataclass(frozen=True)
class Lights:
    """`cycle` [s] and `offset` [s] (m,); `switch_at` [s] (m, k), ascending and padded with infinity, says
    when in its cycle a group takes the state `switch_to` (m, k). Groups of one `controller` (m,) run by one
    clock. `least` [s] (m,) is how long green lasts at least where a controller cuts it short when nobody
    comes, and infinite where it does not."""

    cycle: np.ndarray
    offset: np.ndarray
    switch_at: np.ndarray
    switch_to: np.ndarray
    controller: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    least: np.ndarray = field(default_factory=lambda: np.zeros(0))
    skips: list[tuple[float, int, float]] = field(default_factory=list)  # when, which clock, by how much [s]

    def __post_init__(self) -> None:
        if len(self.controller) != len(self.cycle):
            object.__setattr__(self, "controller", np.zeros(len(self.cycle), np.int32))
        if len(self.least) != len(self.cycle):
            object.__setattr__(self, "least", np.full(len(self.cycle), _NEVER))

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
        columns = (self.cycle, self.offset, self.switch_at, self.switch_to, self.controller, self.least)
        return Lights(*(column[groups] for column in columns))

    def actuated(self, least: float | None = None) -> Lights:
        """A copy whose clocks may be put forward by `skip`; all green lasts at least `least` [s], or as it
        says."""
        if least is not None:
            require(least > 0, "least", least, "must be above 0 s")
        kept = self.least if least is None else np.full(len(self), float(least))
        return replace(self, offset=self.offset.copy(), least=kept, skips=[])

    def skip(self, controllers: np.ndarray, t: float) -> None:
        """Put the clocks of `controllers` (k,) forward to their next change."""
        ahead = self.until_change(t)
        for one in controllers:
            mine = self.controller == one
            by = float(ahead[mine].min()) + _TINY
            self.offset[mine] += by
            self.skips.append((t, int(one), by))

    def _phase(self, t: float) -> np.ndarray:
        offset = self.offset
        if self.skips and t < self.skips[-1][0]:  # what was shown then, not what the clocks say since
            offset = offset.copy()
            for _, one, by in takewhile(lambda skip: t < skip[0], reversed(self.skips)):
                offset[self.controller == one] -= by
        return np.mod(t + offset, self.cycle)


@dataclass(frozen=True)
class SignalTimes:
    """Durations [s] of a junction's phases; at the pace `walking` [m/s] people can finish crossing."""

    advance: float = 6.0
    green: float = 24.0
    yellow: float = 3.0
    all_red: float = 2.0
    walking: float = 1.0
    greens: tuple[float, ...] = ()  # of every axis, where they differ
    least: float | None = None  # green lasts no longer than this when nobody comes and somebody waits

    def __post_init__(self) -> None:
        for name in ("green", "yellow", "walking"):
            value = getattr(self, name)
            require(bool(np.isfinite(value)) and value > 0, name, value, "must be positive")
        for name in ("advance", "all_red"):
            value = getattr(self, name)
            require(bool(np.isfinite(value)) and value >= 0, name, value, "must not be negative")
        for value in (*self.greens, *([] if self.least is None else [self.least])):
            require(bool(np.isfinite(value)) and value > 0, "green", value, "must be positive")

    def green_of(self, axis: int) -> float:
        """[s] that axis number `axis` has green."""
        return self.greens[axis] if axis < len(self.greens) else self.green


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
        now += times.advance * advanced[axis] + times.green_of(axis) + times.yellow + times.all_red
    rows: list[list[tuple[float, int]]] = []
    for axis in range(axes):
        begin = starts[axis] + times.advance * advanced[axis]
        end = begin + times.green_of(axis)
        for green_from in (begin, starts[axis]):
            rows.append([(green_from, GREEN), (end, YELLOW), (end + times.yellow, RED)])
        other = (axis + 1) % axes
        begin = starts[other] + times.advance * advanced[other]
        finish = begin + times.green_of(other) + times.yellow
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
    least = np.full(len(rows), _NEVER if times.least is None else times.least)
    return Lights(np.full(len(rows), now), np.zeros(len(rows)), at, to, least=least)


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
        np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts]),
        np.concatenate([part.least for part in parts]),
    )
