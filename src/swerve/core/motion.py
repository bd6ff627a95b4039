"""How bodies move now: one type for everything that moves, a batch at a time.

Position is that of the middle of the outline. Attitude is the body's own, not that of its path: yaw
counter-clockwise from +x, pitch positive with the nose up, roll positive leaning to the right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .errors import BadInput

FIELDS = ("x", "y", "z", "yaw", "pitch", "roll", "vx", "vy", "vz", "yaw_rate")


@dataclass(frozen=True)
class Motion:
    """How n bodies move now; every field is an array (n,), in metres, seconds and radians, in the world.

    `extras` holds what only some bodies have: lean rates, slip, steer, lamps, whether one `fell`.

    >>> two = Motion.planar(x=[0.0, 5.0], y=[0.0, 0.0], yaw=[0.0, np.pi / 2], vx=[3.0, 0.0], vy=[4.0, 1.0])
    >>> two.speed, two[1:].yaw.round(2)
    (array([5., 1.]), array([1.57]))
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    yaw: np.ndarray
    pitch: np.ndarray
    roll: np.ndarray
    vx: np.ndarray
    vy: np.ndarray
    vz: np.ndarray
    yaw_rate: np.ndarray
    extras: Mapping[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def planar(
        cls,
        x: Sequence[float] | np.ndarray,
        y: Sequence[float] | np.ndarray,
        yaw: Sequence[float] | np.ndarray | float = 0.0,
        vx: Sequence[float] | np.ndarray | float = 0.0,
        vy: Sequence[float] | np.ndarray | float = 0.0,
        yaw_rate: Sequence[float] | np.ndarray | float = 0.0,
        z: Sequence[float] | np.ndarray | float = 0.0,
        roll: Sequence[float] | np.ndarray | float = 0.0,
        **extras: np.ndarray,
    ) -> Motion:
        """Bodies on the flat; what is not given is 0."""
        n = len(x)
        given = {"x": x, "y": y, "z": z, "yaw": yaw, "roll": roll, "vx": vx, "vy": vy, "yaw_rate": yaw_rate}
        columns = {name: np.zeros(n) for name in FIELDS}
        for name, values in given.items():
            columns[name][:] = values
        return cls(**columns, extras=extras)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, rows: slice | np.ndarray) -> Motion:
        """Some of the bodies."""
        columns = {name: getattr(self, name)[rows] for name in FIELDS}
        return Motion(**columns, extras={name: column[rows] for name, column in self.extras.items()})

    def extra(self, name: str, blank: float | bool = 0.0) -> np.ndarray:
        """A named extra (n,), or `blank` for everybody where there is none."""
        return self.extras[name] if name in self.extras else np.full(len(self), blank)

    @property
    def speed(self) -> np.ndarray:
        """Over the ground [m/s], never negative."""
        return np.hypot(self.vx, self.vy)

    @property
    def along(self) -> np.ndarray:
        """Speed along the body [m/s]; negative backwards."""
        return self.vx * np.cos(self.yaw) + self.vy * np.sin(self.yaw)

    @property
    def pose(self) -> np.ndarray:
        """(n, 3) x, y, yaw."""
        return np.stack([self.x, self.y, self.yaw], axis=-1)

    @property
    def fell(self) -> np.ndarray:
        """(n,) bool: who lies on the ground."""
        return self.extra("fell", False).astype(bool)

    @property
    def roll_rate(self) -> np.ndarray:
        """[rad/s], 0 for bodies that do not lean."""
        return self.extra("roll_rate")

    def checked(self, what: str) -> Motion:
        """The motion itself, if every field is (n,) and finite."""
        for name in FIELDS:
            column = getattr(self, name)
            if np.shape(column) != (len(self),):
                raise BadInput(f"{what}, {name}", np.shape(column), f"must have the shape ({len(self)},)")
            if not np.isfinite(column).all():
                row = int(np.flatnonzero(~np.isfinite(column))[0])
                raise BadInput(f"{what}, {name}[{row}]", float(column[row]), "must be finite")
        return self


def joined(parts: Sequence[Motion]) -> Motion:
    """Several batches as one; where a batch lacks an extra of another it is 0 or false."""
    if not parts:
        return Motion.planar(x=np.zeros(0), y=np.zeros(0))
    if len(parts) == 1:
        return parts[0]
    kinds = {name: column.dtype for part in parts for name, column in part.extras.items()}
    extras = {
        name: np.concatenate([p.extras.get(name, np.zeros(len(p), kind)) for p in parts])
        for name, kind in kinds.items()
    }
    columns = {name: np.concatenate([getattr(p, name) for p in parts]) for name in FIELDS}
    return Motion(**columns, extras=extras)
