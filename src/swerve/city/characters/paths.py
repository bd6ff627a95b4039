"""What a path is, for people and drivers alike: where each of a batch goes, in which state that is, and
refiners that improve what lies just ahead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from .columns import longer


class PathState(IntEnum):
    """The states of a path (Hynes, section 3.5)."""

    IDLE = 0
    UNKNOWN_SOURCE = 1
    UNKNOWN_TARGET = 2
    PATHFINDING = 3
    PARTIAL = 4  # the first part is known
    ENTIRE = 5  # all that is possible is known; it does not reach the target
    ENDS_AT_TARGET = 6


class Placed(Protocol):
    """Bodies with places [m]: a `Crowd` is it, and a `Fleet`."""

    @property
    def x(self) -> np.ndarray: ...

    @property
    def y(self) -> np.ndarray: ...


P_contra = TypeVar("P_contra", contravariant=True)
B_contra = TypeVar("B_contra", contravariant=True)
B = TypeVar("B", bound=Placed)


class Refiner(Protocol[P_contra, B_contra]):
    """Improves what lies just ahead on the paths of `rows`: may move, add or drop nodes, lower `paths.speed`,
    or write down what it has found."""

    def refine(self, paths: P_contra, bodies: B_contra, rows: np.ndarray) -> None: ...


class Paths(Generic[B]):
    """Paths of n bodies. `node` (n, k, 2) [m] are places ahead and `nodes` (n,) how many; `speed` (n,) [m/s]
    is the limit just ahead. `look` (n,) pieces are refined ahead every `interval` (n,) [s]."""

    def __init__(self, count: int, most_nodes: int, look: int):
        self.state = np.full(count, PathState.IDLE, np.int8)
        self.goal = np.zeros((count, 2))
        self.node = np.zeros((count, most_nodes, 2))
        self.nodes = np.zeros(count, np.int32)
        self.speed = np.full(count, np.inf)
        self.look = np.full(count, look, np.int32)
        self.interval = np.full(count, 0.2)
        self.age = np.full(count, np.inf)  # [s] since the last refinement
        self.refiners: list[Refiner[Any, B]] = []

    # what of a body is kept, and what it is of one that is new
    fresh: ClassVar[dict[str, float]] = {
        "state": PathState.IDLE, "goal": 0.0, "node": 0.0, "nodes": 0, "speed": np.inf, "interval": 0.2,
        "age": np.inf,
    }  # fmt: skip

    def grow(self, count: int) -> None:
        """Make room for `count` bodies; those there are stay."""
        for name, value in self.fresh.items():
            old = getattr(self, name)
            setattr(self, name, longer(old, count, value))

    def due(self, dt: float, moving: np.ndarray) -> np.ndarray:
        """Rows among `moving` (n,) whose turn it is to be refined; their speeds are free again."""
        self.age += dt
        rows = np.flatnonzero(moving & (self.age >= self.interval))
        first = np.isinf(self.age[rows])  # from then on not all in the same step
        self.age[rows] = np.where(first, self.interval[rows] * np.mod(0.618 * rows, 1.0), 0.0)
        self.speed[rows] = np.inf
        return rows

    def seen_from(self, viewer: Callable[[], tuple[float, float] | None]) -> None:
        """Let paths be refined in more detail near the place (x, y) [m] that `viewer` gives."""
        for refiner in self.refiners:
            if isinstance(refiner, LevelOfDetail):
                refiner.viewer = viewer


@dataclass
class LevelOfDetail:
    """Near the viewer many pieces are refined, often; far away few, seldom.

    `viewer()` gives x, y [m], or None: then everybody is near.
    """

    viewer: Callable[[], tuple[float, float] | None] = lambda: None
    near: float = 150.0  # [m]
    pieces: tuple[int, int] = (24, 10)
    intervals: tuple[float, float] = (0.2, 0.6)  # [s]

    def refine(self, paths: Paths[B], bodies: B, rows: np.ndarray) -> None:
        eye = self.viewer()
        if eye is None:
            far = np.zeros(len(rows), bool)
        else:
            far = np.hypot(bodies.x[rows] - eye[0], bodies.y[rows] - eye[1]) > self.near
        paths.look[rows] = np.where(far, self.pieces[1], self.pieces[0])
        paths.interval[rows] = np.where(far, self.intervals[1], self.intervals[0])
