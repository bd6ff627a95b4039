"""Bodies of a scene while a picture is exposed: where each ray of a pixel meets them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .pattern import DOTS, PINK, ROBOT_RADIUS
from .rays import RAYS
from .scene import BLUE, GREEN, YELLOW, Scene
from .scene import PINK as PINK_PAINT

SPOTS = np.vstack([np.zeros((1, 2)), DOTS])  # [m] where dots are, the one in the middle first


@dataclass(frozen=True)
class Moving:
    """`places` (n, 2) of robots on average; `robots` (n, rays, 4) x, y, cosine and sine, and `ball` (rays, 3)
    at each moment; `slack` (n + 1,) [m] that they move to either side of where they are on average; the
    paints of `dots` (n, 5), the one in the middle first, and where they are, `spots` (n, 5, 2, rays)."""

    places: np.ndarray
    robots: np.ndarray
    ball: np.ndarray
    with_ball: bool
    slack: np.ndarray
    dots: np.ndarray
    spots: np.ndarray


def moving(scene: Scene, exposure: float) -> Moving:
    n = len(scene.pose)
    moments = exposure * ((np.arange(RAYS) + 0.5) / RAYS - 0.5)
    robots = np.empty((n, RAYS, 4))
    pose = scene.pose[:, None] + moments[None, :, None] * scene.velocity[:, None]
    robots[..., :2] = pose[..., :2]
    robots[..., 2], robots[..., 3] = np.cos(pose[..., 2]), np.sin(pose[..., 2])
    ball = np.zeros((RAYS, 3))
    if scene.ball is not None:
        ball[:] = scene.ball + moments[:, None] * scene.ball_velocity
    slack = np.empty(n + 1)
    slack[:n] = np.hypot(scene.velocity[:, 0], scene.velocity[:, 1])
    slack[:n] += ROBOT_RADIUS * np.abs(scene.velocity[:, 2])
    slack[n] = np.hypot(*scene.ball_velocity[:2]) + abs(scene.ball_velocity[2])
    dots = np.empty((n, 1 + len(DOTS)), dtype=np.int64)
    dots[:, 0] = np.where(scene.team == 0, BLUE, YELLOW)
    dots[:, 1:] = np.where(PINK[scene.number], PINK_PAINT, GREEN)
    x, y, cos, sin = robots.transpose(2, 0, 1)[:, :, None]
    ahead, left = SPOTS.T[:, None, :, None]
    spots = np.stack([x + cos * ahead - sin * left, y + sin * ahead + cos * left], axis=2)
    places = np.ascontiguousarray(scene.pose[:, :2])
    return Moving(places, robots, ball, scene.ball is not None, 0.5 * exposure * slack, dots, spots)
