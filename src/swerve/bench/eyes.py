"""Eyes: one picture of a megapixel from levels to robots, beside OpenCV's segmentation of the same
picture."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from swerve.soccer.eyes.boxes import everywhere
from swerve.soccer.eyes.detect import detect
from swerve.soccer.eyes.measure import look_at, synthetic_scene
from swerve.soccer.eyes.regions import find_regions
from swerve.soccer.eyes.scene import GREEN, MARKERS, PAINTS, Disturbance
from swerve.soccer.eyes.stand import build_stand
from swerve.soccer.eyes.table import sample_of

ROUNDS = 15
PICTURES = 6
NARROW, LOW, FULL = 12, 90, 255  # widths of OpenCV's ranges around each colour's hue; least saturation, value
BRIGHT = 150  # least value of green, so that the carpet is left out


def run() -> dict[str, Any]:
    """CPU milliseconds a picture, the median over rounds in which both take turns, and their ratio."""
    disturbance, seed = Disturbance(), 17
    stand = build_stand("division-b", disturbance, seed)
    pictures = []
    for frame in range(PICTURES):
        seen = look_at(stand, synthetic_scene(stand, seed, frame, 6), disturbance, seed, frame)
        pictures.append(seen.pictures[0])
    camera, table = stand.eyes.cameras[0], stand.eyes.tables[0]
    parts, markers = table.indices(sample_of(pictures[0])), table.markers
    strips = everywhere(*pictures[0].shape[:2])
    ours: dict[str, Callable[[np.ndarray], object]] = {
        "segmented and joined": lambda picture: find_regions(picture, parts, table.tiles, markers, 5, strips),
        "segmented, joined and detected": lambda picture: detect(picture, camera, table),
    }
    peer = _opencv()
    ways = ours | ({"OpenCV, segmented and joined": peer} if peer is not None else {})
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            started = time.process_time()
            for picture in pictures:
                way(picture)
            spent[name].append(1000 * (time.process_time() - started) / PICTURES)
    middle = {f"{name} ms": float(np.median(times)) for name, times in spent.items()}
    result: dict[str, Any] = {"megapixels": pictures[0].shape[0] * pictures[0].shape[1] / 1e6, **middle}
    if peer is None:
        return result | {"OpenCV": "not installed: pip install opencv-python-headless"}
    both = np.array(spent["OpenCV, segmented and joined"]) / np.array(spent["segmented, joined and detected"])
    return result | {"OpenCV / ours": float(np.median(both)), "OpenCV / ours, worst round": float(both.min())}


def _opencv() -> Callable[[np.ndarray], object] | None:
    """A conversion to hue, saturation and value, then a range and connected components for each colour, by
    one thread; regions only, no robots."""
    try:
        import cv2
    except ImportError:
        return None
    cv2.setNumThreads(1)
    paints = (255 * PAINTS[list(MARKERS)]).astype(np.uint8)[None]
    hues = [int(hue) for hue in cv2.cvtColor(paints, cv2.COLOR_RGB2HSV)[0, :, 0]]

    values = [BRIGHT if marker == GREEN else LOW for marker in MARKERS]

    def segment(picture: np.ndarray) -> list[Any]:
        converted = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV)
        found = []
        for hue, least in zip(hues, values, strict=True):
            low, high = (max(hue - NARROW, 0), LOW, least), (min(hue + NARROW, 180), FULL, FULL)
            found.append(cv2.connectedComponentsWithStats(cv2.inRange(converted, low, high), connectivity=8))
        return found

    return segment
