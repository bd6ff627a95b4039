"""Volume, middle and moments of inertia of the solids that limbs are made of, in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Solid:
    """Mass properties in some frame. Solids of one body add up with `+`."""

    mass: float  # [kg]
    middle: np.ndarray  # [m] (3,)
    inertia: np.ndarray  # [kg m²] (3, 3) about the middle

    def __add__(self, other: Solid) -> Solid:
        mass = self.mass + other.mass
        middle = (self.mass * self.middle + other.mass * other.middle) / mass
        return Solid(mass, middle, self.about(middle) + other.about(middle))

    def about(self, point: np.ndarray) -> np.ndarray:
        """Inertia (3, 3) about another point (Steiner)."""
        d = self.middle - point
        return self.inertia + self.mass * (d @ d * np.eye(3) - np.outer(d, d))


def ellipsoid(centre: np.ndarray, radii: np.ndarray, density: float) -> Solid:
    """I_x = m (b² + c²) / 5 for the half axes a, b, c along x, y, z."""
    mass = density * 4 / 3 * math.pi * float(np.prod(radii))
    squares = np.square(radii)
    return Solid(mass, np.asarray(centre, float), np.diag(mass / 5 * (squares.sum() - squares)))


def box(centre: np.ndarray, halves: np.ndarray, density: float) -> Solid:
    """I_x = m (b² + c²) / 3 for the half edges a, b, c along x, y, z."""
    mass = density * 8 * float(np.prod(halves))
    squares = np.square(halves)
    return Solid(mass, np.asarray(centre, float), np.diag(mass / 3 * (squares.sum() - squares)))


def capsule(start: np.ndarray, end: np.ndarray, radius: float, density: float) -> Solid:
    """A cylinder between two points with half a ball on either end.

    Along the axis: I = m_c r²/2 + m_b 2 r²/5. Across, with the half balls' middles 3r/8 beyond the ends:
    I = m_c (r²/4 + l²/12) + m_b (2 r²/5 + l²/4 + 3 l r/8).
    """
    start, end = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(end - start))
    axis = (end - start) / length if length else np.array([0.0, 0.0, 1.0])
    tube = density * math.pi * radius**2 * length
    ball = density * 4 / 3 * math.pi * radius**3
    along = tube * radius**2 / 2 + ball * 2 * radius**2 / 5
    across = tube * (radius**2 / 4 + length**2 / 12)
    across += ball * (2 * radius**2 / 5 + length**2 / 4 + 3 * length * radius / 8)
    inertia = across * np.eye(3) + (along - across) * np.outer(axis, axis)
    return Solid(tube + ball, (start + end) / 2, inertia)
