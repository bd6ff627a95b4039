"""A camera above the field: a pinhole behind a lens that bends towards the edges.

With X a place in the field, p that of the camera and R its attitude, a picture has it at

    (a, b, c) = R·(X − p),  x = a/c,  y = b/c,  r² = x² + y²
    u = u₀ + f·x·(1 + k₁·r² + k₂·r⁴),  v likewise

Pixels have their middles at whole numbers; u goes right, v down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from swerve.core.kernels import kernel

from .pitch import Pitch

WIDTH, HEIGHT = 1200, 900  # [pixels]
DOWN = np.diag([1.0, -1.0, -1.0])  # a camera that looks straight down with the field's x to the right


@dataclass(frozen=True)
class Camera:
    """`lens` is f, u₀, v₀ [pixels], k₁, k₂; `turn` how it is turned from looking straight down, a rotation
    vector [rad]; `place` where it hangs [m]."""

    lens: np.ndarray
    turn: np.ndarray
    place: np.ndarray
    width: int = WIDTH
    height: int = HEIGHT
    attitude: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "attitude", Rotation.from_rotvec(self.turn).as_matrix() @ DOWN)

    @classmethod
    def from_numbers(cls, numbers: np.ndarray, width: int = WIDTH, height: int = HEIGHT) -> Camera:
        """From the eleven numbers that calibration looks for."""
        return cls(numbers[:5].copy(), numbers[5:8].copy(), numbers[8:11].copy(), width, height)

    @property
    def numbers(self) -> np.ndarray:
        return np.concatenate([self.lens, self.turn, self.place])

    @classmethod
    def from_row(cls, row: Sequence[float]) -> Camera:
        """From what `row` gives."""
        return cls.from_numbers(np.array(row[:11]), int(row[11]), int(row[12]))

    @property
    def row(self) -> tuple[float, ...]:
        """All that it is, as plain numbers."""
        return (*self.numbers.tolist(), self.width, self.height)

    @property
    def turned_round(self) -> Camera:
        """The same as seen from the other end of the field."""
        turn = Rotation.from_rotvec(self.turn) * Rotation.from_rotvec([0.0, 0.0, np.pi])
        place = self.place * np.array([-1.0, -1.0, 1.0])
        return Camera(self.lens, turn.as_rotvec(), place, self.width, self.height)

    def project(self, points: np.ndarray) -> np.ndarray:
        """Pixels (n, 2) of places (n, 2) on the ground or (n, 3)."""
        points = np.asarray(points, dtype=float)
        if points.shape[1] == 2:
            points = np.column_stack([points, np.zeros(len(points))])
        return project(self.lens, self.attitude, self.place, points)

    def unproject(self, pixels: np.ndarray, height: float = 0.0) -> np.ndarray:
        """Places (n, 2) of pixels (n, 2), for things at that height [m]."""
        return unproject(self.lens, self.attitude, self.place, np.asarray(pixels, dtype=float), height)

    def ground(self) -> np.ndarray:
        """Where every pixel looks at on the ground (height, width, 2) [m]."""
        v, u = np.mgrid[0 : self.height, 0 : self.width]
        pixels = np.column_stack([u.ravel(), v.ravel()])
        return self.unproject(pixels).reshape(self.height, self.width, 2)

    def sees(self, points: np.ndarray, edge: float = 0.0) -> np.ndarray:
        """Which places are in the picture, at least `edge` pixels from its rim; what a bent lens would fold
        into it from far outside is not."""
        u, v = self.project(points).T
        x, y = (points[:, :2] - self.place[:2]).T
        angle = np.hypot(x, y) / (self.place[2] - (points[:, 2] if points.shape[1] == 3 else 0.0))
        r2 = angle**2
        plain = 1 + r2 * (3 * self.lens[3] + 5 * r2 * self.lens[4]) > 0.05
        inside = (u >= edge) & (v >= edge) & (u <= self.width - 1 - edge) & (v <= self.height - 1 - edge)
        return inside & plain


@kernel
def project(lens: np.ndarray, attitude: np.ndarray, place: np.ndarray, points: np.ndarray) -> np.ndarray:
    found = np.empty((len(points), 2))
    for i in range(len(points)):
        dx, dy, dz = points[i, 0] - place[0], points[i, 1] - place[1], points[i, 2] - place[2]
        a = attitude[0, 0] * dx + attitude[0, 1] * dy + attitude[0, 2] * dz
        b = attitude[1, 0] * dx + attitude[1, 1] * dy + attitude[1, 2] * dz
        c = attitude[2, 0] * dx + attitude[2, 1] * dy + attitude[2, 2] * dz
        x, y = a / c, b / c
        r2 = x * x + y * y
        bent = lens[0] * (1 + r2 * (lens[3] + r2 * lens[4]))
        found[i, 0], found[i, 1] = lens[1] + bent * x, lens[2] + bent * y
    return found


@kernel
def unproject(
    lens: np.ndarray, attitude: np.ndarray, place: np.ndarray, pixels: np.ndarray, height: float
) -> np.ndarray:
    found = np.empty((len(pixels), 2))
    for i in range(len(pixels)):
        xd, yd = (pixels[i, 0] - lens[1]) / lens[0], (pixels[i, 1] - lens[2]) / lens[0]
        bent = np.sqrt(xd * xd + yd * yd)
        r = bent
        for _ in range(8):  # Newton's method for r·(1 + k₁r² + k₂r⁴) = bent
            r2 = r * r
            slope = max(1 + r2 * (3 * lens[3] + 5 * r2 * lens[4]), 0.2)
            step = (r * (1 + r2 * (lens[3] + r2 * lens[4])) - bent) / slope
            r -= step
            if abs(step) < 1e-12:
                break
        straight = r / bent if bent > 1e-12 else 1.0
        x, y = xd * straight, yd * straight
        a = attitude[0, 0] * x + attitude[1, 0] * y + attitude[2, 0]
        b = attitude[0, 1] * x + attitude[1, 1] * y + attitude[2, 1]
        c = attitude[0, 2] * x + attitude[1, 2] * y + attitude[2, 2]
        far = (height - place[2]) / c
        found[i, 0], found[i, 1] = place[0] + far * a, place[1] + far * b
    return found


def rig(pitch: Pitch, random: np.random.Generator) -> list[Camera]:
    """Cameras as they hang above such a field: four above the big one, two above the seed's. No two alike."""
    columns, rows, high, focal = (2, 2, 4.2, 900.0) if pitch.length > 7 else (2, 1, 4.4, 780.0)
    cameras = []
    for row in range(rows):
        for column in range(columns):
            x = (column - (columns - 1) / 2) * pitch.length / columns
            y = (row - (rows - 1) / 2) * pitch.width / rows
            place = np.array([x, y, high]) + random.uniform(-1, 1, 3) * [0.05, 0.05, 0.03]
            turn = random.uniform(-1, 1, 3) * [0.02, 0.02, 0.03]
            lens = np.array([focal, (WIDTH - 1) / 2, (HEIGHT - 1) / 2, -0.14, 0.02])
            lens += random.uniform(-1, 1, 5) * [6.0, 8.0, 8.0, 0.015, 0.005]
            cameras.append(Camera(lens, turn, place))
    return cameras
