"""How a value gets from one to another: by shape, over a time, a distance or at a rate."""

from __future__ import annotations

import math
from dataclasses import dataclass

from swerve.core.errors import BadInput, require

from .nodes import Node

SHAPES = ("step", "linear", "cubic", "sinusoidal")
STEEPEST = {"step": 0.0, "linear": 1.0, "cubic": 1.5, "sinusoidal": math.pi / 2}  # of the mean rate


@dataclass
class Transition:
    """From a value to another; `dimension` says in what `value` counts. Over a time or at a rate it never
    changes by more than `most` a second."""

    shape: str
    dimension: str
    value: float
    first: float = 0.0
    last: float = 0.0
    gone: float = 0.0  # [s] or [m]
    most: float = math.inf

    def begin(self, first: float, last: float) -> None:
        self.first, self.last, self.gone = first, last, 0.0

    @property
    def whole(self) -> float:
        """[s] or [m] that it takes."""
        if self.shape == "step":
            return 0.0
        if self.dimension == "distance":
            return self.value
        steep = STEEPEST[self.shape] * abs(self.last - self.first)
        wanted = steep / max(abs(self.value), 1e-9) if self.dimension == "rate" else self.value
        return max(wanted, steep / max(self.most, 1e-9))

    def advance(self, dt: float, way: float) -> float:
        """The value after dt [s] and `way` [m] more."""
        self.gone += abs(way) if self.dimension == "distance" else dt
        if self.finished:
            return self.last
        share = self.gone / self.whole
        if self.shape == "cubic":
            share = share * share * (3.0 - 2.0 * share)
        elif self.shape == "sinusoidal":
            share = (1.0 - math.cos(math.pi * share)) / 2.0
        return self.first + share * (self.last - self.first)

    @property
    def finished(self) -> bool:
        return self.gone >= self.whole - 1e-9


def transition_of(node: Node) -> Transition:
    """From a `…Dynamics` node."""
    shape, dimension = node.text("dynamicsShape"), node.text("dynamicsDimension", "time")
    require(
        shape in SHAPES,
        f"{node.where}, {node.tag} dynamicsShape",
        shape,
        f"must be one of {', '.join(SHAPES)}",
    )
    if dimension not in ("time", "distance", "rate"):
        raise BadInput(
            f"{node.where}, {node.tag} dynamicsDimension", dimension, "must be time, distance or rate"
        )
    return Transition(shape, dimension, node.number("value", 0.0))
