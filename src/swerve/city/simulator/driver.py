"""The driver as a mind of the world: what is seen, and what wheel and pedals do about it."""

from __future__ import annotations

import numpy as np

from swerve.core.view import View

from ..traffic.traffic import Traffic
from .inputs import Source
from .outsiders import DriverCar
from .platform import Inputs, checked
from .sight import Sight, look


class Driver:
    """Chooses for a `DriverCar`: a person, a file or code is the `source` of inputs."""

    def __init__(self, car: DriverCar, source: Source, traffic: Traffic):
        self.car, self.source, self.traffic = car, source, traffic
        self.sight: Sight | None = None  # of the latest frame
        self.inputs = Inputs()

    def choose(self, view: View, dt: float) -> np.ndarray:
        traffic = self.traffic
        self.sight = look(self.car, traffic, traffic.who, view.t, traffic.crosswalks.taken > 0)
        self.inputs = checked(self.source(self.sight))
        return np.array([self.inputs], dtype=np.float64)
