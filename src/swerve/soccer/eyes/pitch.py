"""The field that cameras look at: its size and its white lines [m], the middle of the field at the origin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.errors import BadInput

ARC_PIECES = 72  # straight pieces of the centre circle


@dataclass(frozen=True)
class Pitch:
    """Sizes [m]: between the middles of the lines, as the league counts them."""

    name: str
    length: float
    width: float
    margin: float  # carpet outside the lines
    line: float  # width of the white lines
    circle: float  # radius of the centre circle
    area_depth: float  # of the defence areas
    area_width: float
    goal_width: float
    goal_depth: float = 0.18

    def segments(self) -> np.ndarray:
        """Middles of all lines as straight pieces (n, 4) x0, y0, x1, y1; the circle is the last
        ARC_PIECES."""
        x, y, depth, half = self.length / 2, self.width / 2, self.area_depth, self.area_width / 2
        straight = [
            (-x, y, x, y),
            (-x, -y, x, -y),
            (-x, -y, -x, y),
            (x, -y, x, y),
            (0.0, -y, 0.0, y),
            (-x, 0.0, x, 0.0),
        ]
        for side in (-1.0, 1.0):
            front = side * (x - depth)
            straight += [
                (front, -half, front, half),
                (front, -half, side * x, -half),
                (front, half, side * x, half),
            ]
        turn = np.linspace(0, 2 * np.pi, ARC_PIECES + 1)
        arc = self.circle * np.column_stack([np.cos(turn), np.sin(turn)])
        return np.vstack([np.array(straight), np.hstack([arc[:-1], arc[1:]])])

    def corners(self) -> np.ndarray:
        """Where lines meet, corners and goal posts (n, 2): what a person clicks at."""
        found: list[tuple[float, float]] = [(0.0, 0.0), (0.0, self.circle), (0.0, -self.circle)]
        for end in (-1.0, 1.0):
            x = end * self.length / 2
            front = x - end * self.area_depth
            found += [(x, 0.0), (front, 0.0), (end * self.circle, 0.0)]
            for side in (-1.0, 1.0):
                half = side * self.area_width / 2
                found += [
                    (x, side * self.width / 2),
                    (x, half),
                    (front, half),
                    (x, side * self.goal_width / 2),
                ]
        found += [(0.0, self.width / 2), (0.0, -self.width / 2)]
        return np.array(found)


PITCHES = {
    "division-b": Pitch("division-b", 9.0, 6.0, 0.7, 0.01, 0.5, 1.0, 2.0, 1.0),
    "seed": Pitch("seed", 6.05, 4.05, 0.25, 0.01, 0.5, 0.5, 1.35, 0.7),
}


def pitch_named(name: str) -> Pitch:
    if name not in PITCHES:
        raise BadInput("field", name, f"must be one of {', '.join(PITCHES)}")
    return PITCHES[name]
