"""Fields: their sizes, their lines, and where the ball is put when the game starts again.

Metres; the middle is the origin, blue attacks towards +x and yellow towards −x. In the second half, when
teams have changed ends, world and referee go on as if they had not: what goes out, recordings and packets, is
turned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.core.errors import BadInput

# columns of a field as kernels take it
HALF_LENGTH, HALF_WIDTH, MARGIN, GOAL_HALF, GOAL_DEPTH, GOAL_HEIGHT, AREA_DEPTH, AREA_HALF = range(8)
FROM_LINE = 0.2  # [m] from the lines, where a ball that went out is put


@dataclass(frozen=True)
class Field:
    """A field for `robots` a side. `area` is the defence area, `margin` lies between lines and walls."""

    name: str
    length: float
    width: float
    margin: float
    goal_width: float
    goal_depth: float
    area_depth: float
    area_width: float
    circle: float  # [m] radius of the centre circle
    penalty: float  # [m] from the goal line to the penalty mark
    robots: int
    goal_height: float = 0.155

    @property
    def row(self) -> np.ndarray:
        """(8,) sizes for kernels, halved where they lie about the middle."""
        return np.array(
            [
                self.length / 2,
                self.width / 2,
                self.margin,
                self.goal_width / 2,
                self.goal_depth,
                self.goal_height,
                self.area_depth,
                self.area_width / 2,
            ]
        )

    def scenery(self) -> dict[str, Any]:
        """Areas and lines for pictures and players."""
        x, y = self.length / 2, self.width / 2
        wall = self._box(x + self.margin, y + self.margin)
        angles = np.linspace(0, 2 * np.pi, 49)
        circle = self.circle * np.column_stack([np.cos(angles), np.sin(angles)])
        lines = [
            {"points": [*wall, wall[0]], "role": "wall"},
            {"points": [*self._box(x, y), [-x, -y]], "role": "line"},
            {"points": [[0.0, -y], [0.0, y]], "role": "line"},
            {"points": circle.tolist(), "role": "line"},
        ]
        deep, half, goal = self.area_depth, self.area_width / 2, self.goal_width / 2
        for side in (-1, 1):
            end, back = side * x, side * (x + self.goal_depth)
            area = [[end, -half], [end - side * deep, -half], [end - side * deep, half], [end, half]]
            lines.append({"points": area, "role": "line"})
            lines.append({"points": [[end, -goal], [back, -goal], [back, goal], [end, goal]], "role": "goal"})
        return {"areas": [{"points": wall, "role": "field"}], "lines": lines}

    @staticmethod
    def _box(x: float, y: float) -> list[list[float]]:
        return [[-x, -y], [x, -y], [x, y], [-x, y]]


FIELDS = {
    "division-b": Field("division-b", 9.0, 6.0, 0.3, 1.0, 0.18, 1.0, 2.0, 0.5, 6.0, 6),
    "seed": Field("seed", 6.05, 4.05, 0.25, 0.7, 0.18, 0.5, 1.35, 0.5, 0.75, 5),
}


def load_field(name: str) -> Field:
    """A field by its name.

    >>> load_field("division-b").robots
    6
    """
    if name not in FIELDS:
        raise BadInput("field", name, f"must be one of {', '.join(FIELDS)}")
    return FIELDS[name]
