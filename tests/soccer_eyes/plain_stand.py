"""A corner of a field under one small camera that sees as finely as the big ones: cheap enough for tests."""

from functools import lru_cache

import numpy as np

from swerve.core.seeding import generator
from swerve.soccer.eyes import Camera, Disturbance, Pitch
from swerve.soccer.eyes.stand import stand_of

PITCH = Pitch("corner", 2.4, 1.6, 0.2, 0.01, 0.3, 0.3, 0.8, 0.5)
CAMERA = Camera(
    np.array([600.0, 302.0, 221.0, -0.14, 0.02]),
    np.array([0.01, -0.02, 0.015]),
    np.array([0.05, -0.03, 2.6]),
    600,
    450,
)


@lru_cache(maxsize=1)
def small_stand():
    return stand_of(PITCH, [CAMERA], Disturbance(), generator(3, "small stand"))
