"""Circuits whose laps are known, and the car that drives them, for several files of tests."""

import numpy as np

from swerve.terrain import Vehicle
from swerve.terrain.circuit import Circuit

CAR = Vehicle.racing_car()


def ring(radius=80.0, width=6.0, n=160, height=0.0):
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    centre = np.column_stack([radius * np.cos(a), radius * np.sin(a), height * np.sin(a)])
    return Circuit(centre, np.full(n, width), np.full(n, width))


def bean(n=200):
    """A closed track with bends either way."""
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    r = 150 + 50 * np.cos(3 * a) + 15 * np.sin(2 * a)
    return Circuit(np.column_stack([r * np.cos(a), r * np.sin(a), 0 * a]), np.full(n, 6.0), np.full(n, 5.0))
