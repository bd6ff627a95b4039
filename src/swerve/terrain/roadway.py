"""The road of a circuit or a stage: a centre line with room on either side, and what lies beside any place.

A place is beside the centre line where that is met at a right angle. Where a road crosses over itself, or
comes close to itself, neighbouring places of a line are beside neighbouring places of it (`beside`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial import cKDTree

from swerve.core.errors import BadInput, require

from .beside import followed
from .circuit_checks import LONGEST, chords, must_lead_on

FINELY = 0.25  # [m] between places of the centre line that are kept
ROUNDS, NEAR = 4, 1e-5  # of Newton's method from there, at most, and until none moves by more [m]


@dataclass(frozen=True)
class Roadway:
    """A centre line (n, 3) [m], the room to its right and left (n,) [m], and how far the road leans to the
    right (n,) [rad], its left side being the higher; closed, or an open stage from first point to last."""

    centre: np.ndarray
    right: np.ndarray
    left: np.ndarray
    name: str = "circuit"
    bank: np.ndarray | None = None
    closed: bool = True

    def __post_init__(self) -> None:
        if self.centre.ndim != 2 or self.centre.shape[1] != 3 or len(self.centre) < 8:
            raise BadInput(self.name, self.centre.shape, "must have at least eight points x, y, z")
        sides = np.concatenate([self.right, self.left])
        if not np.isfinite(self.centre).all() or not np.isfinite(sides).all() or (sides < 0).any():
            raise BadInput(self.name, None, "holds a number that is not finite, or a negative width")
        require(sides.max() <= LONGEST, self.name, float(sides.max()), "must not be as wide [m] as")
        if self.bank is not None and not (np.abs(self.bank) < 1.2).all():
            raise BadInput(self.name, float(np.abs(self.bank).max()), "must not lean by 1.2 rad or more")
        must_lead_on(self.name, self.centre, self.closed)

    @cached_property
    def _along(self) -> tuple[np.ndarray, CubicSpline]:
        """Chord-length knots and a spline of x, y, z, right, left and the bank's slope over them."""
        lean = np.zeros(len(self.centre)) if self.bank is None else np.tan(self.bank)
        ring = np.column_stack([self.centre, self.right, self.left, lean])
        ring = np.vstack([ring, ring[:1]]) if self.closed else ring
        knots = chords(self.name, ring[:, :3])
        return knots, CubicSpline(knots, ring, bc_type="periodic" if self.closed else "not-a-knot")

    @cached_property
    def flat(self) -> bool:
        """Whether the road neither rises nor leans."""
        return self.bank is None and not np.ptp(self.centre[:, 2]) > 0.0

    def stations(self, gap: float) -> tuple[np.ndarray, CubicSpline]:
        """Even places along the centre line, about `gap` [m] apart, and the spline of x, y, z, right and left
        over them."""
        knots, along = self._along
        count = max(16, round(knots[-1] / gap))
        at = np.linspace(0.0, knots[-1], count + 1)
        return at[:-1] if self.closed else at, along

    def _surface(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Height (n,) and normal (n, 3) of the road at points (n, 2 or 3): it is straight across."""
        _, along = self._along
        u = self._beside(points)
        here, ahead, turn = along(u), along(u, 1), along(u, 2)
        pace = np.linalg.norm(ahead[:, :2], axis=1)
        across = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / pace[:, None]
        offset = ((points[:, :2] - here[:, :2]) * across).sum(1)
        bend = (ahead[:, 0] * turn[:, 1] - ahead[:, 1] * turn[:, 0]) / pace**3
        shrink = np.maximum(1.0 - offset * bend, 0.05)
        forward = np.column_stack([ahead[:, :2] * shrink[:, None], ahead[:, 2] + offset * ahead[:, 5]])
        normal = np.cross(forward, np.column_stack([across, here[:, 5]]))
        return here[:, 2] + offset * here[:, 5], normal / np.linalg.norm(normal, axis=1, keepdims=True)

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Left and right edge (n, 2) [m], beside evenly spaced points of the centre line."""
        at, along = self.stations(3.0)
        here, ahead = along(at), along(at, 1)[:, :2]
        across = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.linalg.norm(ahead, axis=1, keepdims=True)
        return here[:, :2] + here[:, 4:5] * across, here[:, :2] - here[:, 3:4] * across

    def margins(self, line: np.ndarray, car_width: float) -> tuple[np.ndarray, np.ndarray]:
        """Room left beside half a car (n,) [m], and the offset to the left of the centre line, of points."""
        _, along = self._along
        u = self._beside(line)
        here, ahead = along(u), along(u, 1)[:, :2]
        gap = line[:, :2] - here[:, :2]
        offset = (ahead[:, 0] * gap[:, 1] - ahead[:, 1] * gap[:, 0]) / np.linalg.norm(ahead, axis=1)
        return np.minimum(here[:, 3] + offset, here[:, 4] - offset) - 0.5 * car_width, offset

    @cached_property
    def _table(self) -> tuple[cKDTree, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The centre line, finely: a tree of its points, station, points, direction, widths and how they
        change."""
        at, along = self.stations(FINELY)
        here, ahead = along(at), along(at, 1)
        pace = np.linalg.norm(ahead[:, :2], axis=1, keepdims=True)
        tree = cKDTree(here[:, :2])
        return tree, at, here[:, :2], ahead[:, :2] / pace, here[:, 3:5], ahead[:, 3:5] / pace

    def rooms(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distance to the right and to the left edge (n,) [m] of points (n, 2), to about a millimetre."""
        _, _, centre, ahead, widths, change = self._table
        i = self._places(points)
        gap, t = points - centre[i], ahead[i]
        along, offset = (gap * t).sum(1), t[:, 0] * gap[:, 1] - t[:, 1] * gap[:, 0]
        here = widths[i] + change[i] * along[:, None]
        return here[:, 0] + offset, here[:, 1] - offset

    def _places(self, line: np.ndarray) -> np.ndarray:
        """Rows of the table (n,) beside a line's points (n, 2)."""
        tree, _, centre, *_ = self._table
        wide = float(self.right.max() + self.left.max())
        return followed(np.ascontiguousarray(line), tree.query(line)[1], centre, FINELY, wide)

    def _beside(self, line: np.ndarray) -> np.ndarray:
        """Where along the centre line (n,) [m] points (n, 2 or 3) have it at a right angle beside them."""
        knots, along = self._along
        u: np.ndarray = self._table[1][self._places(line[:, :2])]
        for _ in range(ROUNDS):
            here, ahead, turn = (along(u, k)[:, :2] for k in range(3))
            gap = line[:, :2] - here
            falls = np.maximum((ahead**2).sum(1) - (gap * turn).sum(1), 0.05 * (ahead**2).sum(1))
            move = np.clip((gap * ahead).sum(1) / falls, -FINELY, FINELY)
            u = u + move
            u = u % knots[-1] if self.closed else np.clip(u, 0.0, knots[-1])
            if np.abs(move).max() < NEAR:
                break
        return u
