"""Bodies: what a world moves. A kind of body starts batches; a batch moves whole, with kernels of its own.

One sliding car, ten thousand vehicles and sixteen cyclists are each one batch. A batch that decides for
itself (traffic, people) looks round in `look` and moves in `step`; others are told what to do by a `Chooser`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from .contact import Touch
from .errors import BadInput, require
from .motion import FIELDS, Motion
from .predict import going_on
from .view import View

DENSITY = 150.0  # [kg/m³] of an outline: a car of 4.2 × 1.8 × 1.4 m weighs 1.6 t


@runtime_checkable
class Body(Protocol):
    """A kind of body: a car, a cyclist, a robot."""

    name: str

    def start(self, count: int) -> Bodies:
        """A batch of `count` at the origin, heading +x; `put` moves them to their places."""
        ...


@runtime_checkable
class Chooser(Protocol):
    """What to do: one mind for a whole batch. A route search, a navigator, a tactic, a script, a person."""

    def choose(self, view: View, dt: float) -> np.ndarray:
        """Commands (n, …) for the next `dt` seconds, in the form the batch takes."""
        ...


@dataclass(frozen=True)
class Parts:
    """Segments, wheels and arms of a batch, for recordings: how they move, whose they are, what they are."""

    motion: Motion
    parent: np.ndarray  # (k,) row of the body in its batch
    names: np.ndarray  # (k,) words
    outline: np.ndarray  # (k, 3) length, width, height [m]


class Bodies:
    """A batch in a world. A subclass says `motion` and `step`; the rest may stay as it is.

    `kinds` (n,) are words for recordings and pictures; `outline` (n, 3) length, width, height [m]; `round`
    (n,) whether the outline is an upright cylinder instead of a box; `mass` (n,) [kg], infinite for what
    nothing can push. Frames must be whole numbers of its `period` [s], where it has one.
    """

    kinds: np.ndarray
    outline: np.ndarray
    own_contacts: bool = False  # whether what its bodies do to each other is settled by the batch itself
    period: float = 0.0

    def motion(self) -> Motion:
        """How the bodies move now."""
        raise TypeError(f"{type(self).__name__} does not say how its bodies move: it lacks motion()")

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        """Move on by `dt` seconds by `commands` (n, …), None for a batch that decides for itself."""
        raise TypeError(f"{type(self).__name__} does not move its bodies: it lacks step()")

    def look(self, view: View) -> None:
        """See the others as they are now; for batches that decide for themselves."""

    def foresee(self, times: np.ndarray) -> np.ndarray:
        """Poses (n, k, 3) x, y, yaw at `times` (k,) [s] from now, if nothing changes."""
        return going_on(self.motion(), times)

    def touched(self, touch: Touch) -> None:
        """Something was touched in this frame: stop, fall, be pushed, or ignore it."""

    def parts(self) -> Parts | None:
        """Segments and wheels now, for recordings."""
        return None

    def lights(self, t: float) -> Mapping[str, np.ndarray] | None:
        """Rows of kind `light` at time `t` [s], for recordings; a street has some."""
        return None

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def ids(self) -> np.ndarray | None:
        """(n,) identities that the batch knows its bodies by; None lets the world number them."""
        return None

    @property
    def present(self) -> np.ndarray | None:
        """(n,) who is in the world now; None for all. Who is not touches nobody and is not recorded; whoever
        comes has moved from nowhere. Their `motion` should be far from everybody's."""
        return None

    @property
    def round(self) -> np.ndarray:
        return np.zeros(len(self), bool)

    @property
    def mass(self) -> np.ndarray:
        return DENSITY * self.outline.prod(axis=1)


StepFunction = Callable[[np.ndarray, np.ndarray, float], np.ndarray]
"""`move(rows (n, k), commands (n, c), dt)` → the rows `dt` seconds later."""


@dataclass
class PlainBody:
    """A kind of body in a few lines: rows of numbers, and a function that moves them on.

    `names` are the columns of a row and hold at least x, y, yaw, vx and vy; those of `Motion` are used where
    they are present, all others are handed on as extras. `start_row` is a body at the origin, heading +x.

    >>> def slide(rows, commands, dt):  # a puck: the command is an acceleration
    ...     rows[:, 3:5] += commands * dt
    ...     rows[:, 0:2] += rows[:, 3:5] * dt
    ...     return rows
    >>> puck = PlainBody("puck", (0.3, 0.3, 0.1), ("x", "y", "yaw", "vx", "vy"), (0, 0, 0, 1, 0), slide)
    >>> pucks = puck.start(2)
    >>> pucks.step(np.array([[0.0, 0.0], [2.0, 0.0]]), 0.5)
    >>> pucks.motion().x
    array([0.5, 1. ])
    """

    name: str
    outline: tuple[float, float, float]
    names: tuple[str, ...]
    start_row: tuple[float, ...]
    move: StepFunction
    cylinder: bool = False
    mass: float | None = None
    extras: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        missing = [name for name in ("x", "y", "yaw", "vx", "vy") if name not in self.names]
        if missing:
            raise BadInput(f"body {self.name}, names", missing, "must hold x, y, yaw, vx and vy; lacks")
        require(
            len(self.start_row) == len(self.names),
            f"body {self.name}, start_row",
            len(self.start_row),
            f"must hold {len(self.names)} numbers",
        )
        twice = [name for name in dict.fromkeys(self.names) if self.names.count(name) > 1]
        require(not twice, f"body {self.name}, names", twice, "must all differ")
        if not (len(self.outline) == 3 and min(self.outline) > 0 and max(self.outline) < np.inf):
            raise BadInput(f"body {self.name}, outline", self.outline, "must be three positive lengths")
        if self.cylinder and self.outline[0] != self.outline[1]:
            raise BadInput(f"body {self.name}, outline", self.outline, "of a cylinder is as wide as long")
        require(self.mass is None or self.mass > 0, f"body {self.name}, mass", self.mass, "must be positive")
        self.extras = tuple(name for name in self.names if name not in FIELDS)

    def start(self, count: int) -> PlainBodies:
        return PlainBodies(self, count)


class PlainBodies(Bodies):
    """A batch of one `PlainBody`; its state is `rows` (n, k)."""

    def __init__(self, body: PlainBody, count: int):
        require(count >= 1, f"number of {body.name}", count, "must be at least 1")
        self.body = body
        self.rows = np.tile(np.array(body.start_row, dtype=np.float64), (count, 1))
        self.kinds = np.full(count, body.name, dtype=object)
        self.outline = np.tile(np.array(body.outline, dtype=np.float64), (count, 1))
        self._at = {name: k for k, name in enumerate(body.names)}

    @property
    def round(self) -> np.ndarray:
        return np.full(len(self), self.body.cylinder)

    @property
    def mass(self) -> np.ndarray:
        return super().mass if self.body.mass is None else np.full(len(self), self.body.mass)

    def put(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray, speed: float | None = None) -> None:
        """Move the bodies to places with headings; their velocities turn along, or become `speed` ahead."""
        at, rows = self._at, self.rows
        turned = np.exp(1j * (np.asarray(yaw) - rows[:, at["yaw"]]))
        velocity = (rows[:, at["vx"]] + 1j * rows[:, at["vy"]]) * turned
        rows[:, at["x"]], rows[:, at["y"]], rows[:, at["yaw"]] = x, y, yaw
        if speed is not None:
            velocity = speed * np.exp(1j * np.asarray(yaw, dtype=np.float64))
        rows[:, at["vx"]], rows[:, at["vy"]] = velocity.real, velocity.imag

    def motion(self) -> Motion:
        columns = {name: self.rows[:, k].copy() for name, k in self._at.items()}
        n = len(self)
        fields = {name: columns.get(name, np.zeros(n)) for name in FIELDS}
        if "z" not in self._at:
            fields["z"] = self.outline[:, 2] / 2
        return Motion(**fields, extras={name: columns[name] for name in self.body.extras})

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        given = np.zeros((len(self), 0)) if commands is None else np.asarray(commands, dtype=np.float64)
        if given.ndim < 1 or len(given) != len(self):
            why = f"must be one row for each of {len(self)} bodies"
            raise BadInput(f"{self.body.name}, commands", given.shape, why)
        moved = np.asarray(self.body.move(self.rows, given, dt), dtype=np.float64)
        if moved.shape != self.rows.shape:
            raise BadInput(f"body {self.body.name}, move", moved.shape, f"must give {self.rows.shape}")
        self.rows = moved

    def touched(self, touch: Touch) -> None:
        """Pushed apart, and thrown by the impulse."""
        at, rows = self._at, self.rows
        for name, change in (("x", touch.shift[:, 0]), ("y", touch.shift[:, 1]), ("vx", touch.kick[:, 0]),
                             ("vy", touch.kick[:, 1]), ("yaw_rate", touch.kick[:, 2])):  # fmt: skip
            if name in at:
                np.add.at(rows[:, at[name]], touch.rows, change)

    def snapshot(self) -> np.ndarray:
        return self.rows.copy()

    def restore(self, rows: np.ndarray) -> None:
        self.rows = np.array(rows, dtype=np.float64)
