"""What a camera sees of the empty field: painted once, under the fall-off of its light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.kernels import kernel

from .camera import Camera
from .pitch import Pitch
from .scene import Disturbance

FULL = 270.0  # level of a white paint in full light
LAMPS = 4.5  # [m] above the carpet
SPOT = (30.0, 80.0)  # [pixels] how wide a spot of glare is, to where it has fallen to 0.6
NOISE = 1 << 16  # places in the table of noise at which a row of a picture may begin


@dataclass(frozen=True)
class View:
    """A camera with what it sees of an empty field: where pixels look at, how bright it is there, its
    paint."""

    camera: Camera
    ground: np.ndarray  # (height, width, 2) [m]
    bright: np.ndarray  # (height, width)
    white: np.ndarray  # (height, width) share of a pixel that is line
    beyond: np.ndarray  # (height, width) whether it lies outside the carpet
    glare: np.ndarray  # (height, width) levels that the carpet adds where it mirrors a lamp
    lamps: np.ndarray  # (4, 3) [m] where they hang, for shadows
    noise: np.ndarray  # standard normal numbers, enough for a row from every place
    disturbance: Disturbance

    @property
    def strength(self) -> np.float32:
        """Of the noise [levels]."""
        return np.float32(self.disturbance.noise)


def view_of(camera: Camera, pitch: Pitch, disturbance: Disturbance, random: np.random.Generator) -> View:
    """Look at the empty field; lamps hang where `random` says."""
    ground = camera.ground()
    x, y = ground[..., 0], ground[..., 1]
    phase = random.uniform(0, 2 * np.pi, 4)
    waves = np.cos(2 * np.pi * x / 5.5 + phase[0]) * np.cos(2 * np.pi * y / 4.5 + phase[1])
    slope = (np.cos(phase[2]) * x + np.sin(phase[2]) * y) / (pitch.length / 2)
    v, u = np.mgrid[0 : camera.height, 0 : camera.width]
    rim = ((u - camera.width / 2) ** 2 + (v - camera.height / 2) ** 2) / (camera.width**2 + camera.height**2)
    bright = (1 - disturbance.uneven * (0.5 - 0.4 * waves - 0.1 * slope)) * (
        1 - disturbance.vignette * 4 * rim
    )
    white = _lines(ground, pitch.segments(), pitch.line / 2, disturbance.blur)
    beyond = (np.abs(x) > pitch.length / 2 + pitch.margin) | (np.abs(y) > pitch.width / 2 + pitch.margin)
    noise = random.standard_normal(NOISE + 3 * camera.width, dtype=np.float32)
    middle = random.uniform(0.15, 0.85, 2) * [camera.width, camera.height]
    wide = random.uniform(*SPOT)
    spot = FULL * disturbance.glare * np.exp(-((u - middle[0]) ** 2 + (v - middle[1]) ** 2) / (2 * wide**2))
    lamps = [(x * pitch.length / 4, y * pitch.width / 4, LAMPS) for x in (-1, 1) for y in (-1, 1)]
    return View(
        camera,
        ground,
        bright.astype(np.float32),
        white,
        beyond,
        np.where(beyond, 0.0, spot).astype(np.float32),
        np.array(lamps),
        noise,
        disturbance,
    )


@kernel
def _lines(ground: np.ndarray, segments: np.ndarray, half: float, blur: float) -> np.ndarray:
    """Share of each pixel that is white, by distance to the nearest line against the size of the pixel."""
    height, width = ground.shape[:2]
    white = np.zeros((height, width), dtype=np.float32)
    for v in range(height):
        w = min(max(v, 1), height - 2)
        for u in range(width):
            x, y = ground[v, u, 0], ground[v, u, 1]
            size = 0.5 * np.hypot(
                ground[w + 1, u, 0] - ground[w - 1, u, 0], ground[w + 1, u, 1] - ground[w - 1, u, 1]
            )
            spread = blur * size
            best = 0.0
            for s in range(len(segments)):
                ax, ay = segments[s, 0], segments[s, 1]
                dx, dy = segments[s, 2] - ax, segments[s, 3] - ay
                reach = half + spread
                if (x < min(ax, ax + dx) - reach or x > max(ax, ax + dx) + reach) or (
                    y < min(ay, ay + dy) - reach or y > max(ay, ay + dy) + reach
                ):
                    continue
                along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)
                along = min(max(along, 0.0), 1.0)
                away = np.hypot(x - ax - along * dx, y - ay - along * dy)
                share = (min(away + spread / 2, half) - max(away - spread / 2, -half)) / spread
                best = max(best, min(max(share, 0.0), 1.0))
            white[v, u] = best
    return white
