"""One field from several cameras, whose pictures overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swerve.core.geometry import wrap

from .camera import Camera
from .detect import Detection

SAME = 0.06  # [m] within which two cameras speak of the same body


@dataclass(frozen=True)
class Sighting:
    """`robots` by team (0 blue, 1 yellow) and number: x, y, heading; `ball` x, y, None where none is seen.
    Of one `camera` alone in packets of others, which say how `sure` (to 1) its ball is."""

    robots: dict[tuple[int, int], np.ndarray]
    ball: np.ndarray | None
    camera: int = 0
    sure: float = 1.0


def merge(detections: Sequence[Detection], cameras: Sequence[Camera]) -> Sighting:
    """A robot that several cameras see is where they see it on average, the nearer to the middle of a picture
    the more; where they disagree the one that saw more of it is believed."""
    found: dict[tuple[int, int], list[tuple[float, np.ndarray]]] = {}
    balls: list[tuple[float, float, np.ndarray]] = []
    for detection, camera in zip(detections, cameras, strict=True):
        for row in detection.robots:
            trust = (1.0 if row[5] == 4 else 0.2) * _middle(camera, row[7:9])
            found.setdefault((int(row[0]), int(row[1])), []).append((trust, row[2:5]))
        if len(detection.balls):
            first = detection.balls[0]
            balls.append((float(first[2]), _middle(camera, first[3:5]), first[:2]))
    robots = {key: _agreed(views) for key, views in found.items()}
    ball = None
    if balls:
        surest = max(balls, key=lambda seen: seen[0])
        same = [seen for seen in balls if np.hypot(*(seen[2] - surest[2])) < SAME]
        weights = np.array([sure**4 * middle for sure, middle, _ in same])
        ball = weights @ np.array([place for _, _, place in same]) / weights.sum()
    return Sighting(robots, ball)


def _middle(camera: Camera, pixel: np.ndarray) -> float:
    """1 in the middle of a picture, less towards its rim, where lenses and heights tell less."""
    return 1.05 - math.hypot(pixel[0] / camera.width - 0.5, pixel[1] / camera.height - 0.5)


def _agreed(views: list[tuple[float, np.ndarray]]) -> np.ndarray:
    trust, best = max(views, key=lambda view: view[0])
    if len(views) == 1:
        return np.array([best[0], best[1], wrap(best[2])])
    total, pose = 0.0, np.zeros(3)
    for trust, seen in views:
        if np.hypot(*(seen[:2] - best[:2])) < SAME:
            total += trust
            pose += trust * np.array([seen[0] - best[0], seen[1] - best[1], wrap(seen[2] - best[2])])
    pose = best + pose / total
    return np.array([pose[0], pose[1], wrap(pose[2])])
