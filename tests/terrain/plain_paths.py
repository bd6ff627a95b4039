"""Straights and circles whose times have closed forms, plain grounds, and vehicles without other limits."""

import math

import numpy as np

from swerve.terrain import SurfacePath, Terrain

G = 9.81
FREE = {"height_to_half_width": 0.0, "max_steer": math.pi / 2}  # no tip-over, no steering limit
STRONG = {"engine_force": 1e6, "brake_force": 1e6, **FREE}
FLAT = Terrain.from_heights(np.zeros((11, 11)), 100.0)
HILL = Terrain.from_function(
    lambda x, y: 90 * np.exp(-((x - 500) ** 2 + (y - 500) ** 2) / 130**2), (1000.0, 1000.0), 25.0
)
HILLS = Terrain.from_function(
    lambda x, y: 30 * np.sin(x / 150) * np.cos(y / 170) + 6 * np.sin(x / 60 + y / 80), (1000.0, 1000.0), 20.0
)


def straight(length, n=1000, slope=0.0):
    u = np.linspace(0, length, n)
    normal = np.tile([-math.sin(slope), 0, math.cos(slope)], (n, 1))
    return SurfacePath.from_points(np.column_stack([u * math.cos(slope), 0 * u, u * math.sin(slope)]), normal)


def circle(radius, n=1000, bank=0.0, turn=2 * math.pi, closed=True):
    """A circle to the left; `bank` leans the ground towards its middle."""
    a = np.linspace(0, turn, n, endpoint=not closed)
    inward = -np.column_stack([np.cos(a), np.sin(a), 0 * a])
    normal = math.sin(bank) * inward + [0, 0, math.cos(bank)]
    return SurfacePath.from_points(-radius * inward, normal, closed=closed)
