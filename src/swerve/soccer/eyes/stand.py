"""A field with cameras above it that do not exist, and eyes that were calibrated by looking through them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from swerve.core.seeding import generator

from .calibrate import Calibration, calibrate
from .camera import Camera, rig
from .detect import Detection, detect, detect_in
from .labels import known_pixels
from .merge import Sighting, merge
from .moving import moving
from .pitch import Pitch, pitch_named
from .render import Sheet, glimpse, take
from .scene import PAINTS, Disturbance, Light, Scene, random_scene
from .table import ColourTable, build_table, level_light, tiles_of
from .view import View, view_of

Rig = tuple[tuple[float, ...], ...]  # a row of each camera, see `Camera.row`
CLICKS = 12  # control points a camera
SHOWN = 8  # pictures with robots on whose pixels are labelled
PLAIN_LIGHT = Light(np.ones((len(PAINTS), 3)))


@dataclass(frozen=True)
class Eyes:
    """Cameras as calibrated and their colour tables."""

    cameras: Sequence[Camera]
    tables: Sequence[ColourTable]

    def detect(self, pictures: Sequence[np.ndarray]) -> list[Detection]:
        """What each camera sees."""
        return [
            detect(picture, camera, table)
            for picture, camera, table in zip(pictures, self.cameras, self.tables, strict=True)
        ]

    def see(self, pictures: Sequence[np.ndarray]) -> Sighting:
        """What they see together."""
        return merge(self.detect(pictures), self.cameras)


@dataclass(frozen=True)
class Stand:
    """The true cameras, as views, and the eyes."""

    pitch: Pitch
    views: Sequence[View]
    eyes: Eyes
    calibrations: Sequence[Calibration]


@dataclass(frozen=True)
class Look:
    """One frame through all cameras: `seen` is the share of the ball each sees (NaN: not in its picture),
    `seconds` of processor time each picture took from levels to detections."""

    pictures: list[np.ndarray]
    detections: list[Detection]
    sighting: Sighting
    seen: np.ndarray
    seconds: np.ndarray


def nobody() -> Scene:
    """The empty field."""
    none = np.zeros(0, dtype=np.int64)
    return Scene(np.zeros((0, 3)), np.zeros((0, 3)), none, none)


@lru_cache(maxsize=4)
def build_stand(field: str, disturbance: Disturbance, seed: int, cameras: Rig = ()) -> Stand:
    """Hang cameras (`cameras`, or such as hang above such a field), look at the empty field, click at twelve
    points, measure heights, label pixels.

    Light is plain while calibrating: whatever drifts later has not been seen before.
    """
    random, pitch = generator(seed, "eyes stand"), pitch_named(field)
    hung = [Camera.from_row(row) for row in cameras] or rig(pitch, random)
    return stand_of(pitch, hung, disturbance, random)


def stand_of(
    pitch: Pitch, cameras: Sequence[Camera], disturbance: Disturbance, random: np.random.Generator
) -> Stand:
    """The same with cameras of one's own."""
    views = [view_of(camera, pitch, disturbance, random) for camera in cameras]
    calibrations = [_calibrated(view, pitch, random) for view in views]
    tables = [learn(view, pitch, random) for view in views]
    return Stand(pitch, views, Eyes([one.camera for one in calibrations], tables), calibrations)


def clicked(camera: Camera, pitch: Pitch, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Control points [m] and the pixels where a person with an unsteady hand clicked at them."""
    points = pitch.corners()
    points = points[camera.sees(points, 5)]
    points = points[np.sort(random.permutation(len(points))[:CLICKS])]
    return points, camera.project(points) + random.normal(0.0, 1.0, (len(points), 2))


def _calibrated(view: View, pitch: Pitch, random: np.random.Generator) -> Calibration:
    points, pixels = clicked(view.camera, pitch, random)
    height = view.camera.place[2] + random.normal(0.0, 0.01)
    return calibrate(points, pixels, take(view, nobody(), PLAIN_LIGHT, random)[0], pitch, height)


def learn(view: View, pitch: Pitch, random: np.random.Generator) -> ColourTable:
    """A colour table from pictures of robots that stand still, with their pixels labelled."""
    empty, _ = take(view, nobody(), PLAIN_LIGHT, random)
    tiles, light = tiles_of(empty)
    levels, labels = [], []
    half = np.array([pitch.length, pitch.width]) / 2
    robots = min(16, int(1.5 * half.prod()) + 1)
    for _ in range(SHOWN):
        scene = random_scene(pitch, random, robots)
        near = random.uniform(-0.5, 0.5, 2) * half + view.camera.place[:2]
        ball = np.array([*np.clip(near, -half, half), 0.0215])
        clear = np.hypot(*(scene.pose[:, :2] - ball[:2]).T) > 0.4
        scene = Scene(
            scene.pose[clear], 0 * scene.velocity[clear], scene.team[clear], scene.number[clear], ball
        )
        picture, _ = take(view, scene, PLAIN_LIGHT, random)
        pixels = known_pixels(view.camera, scene, pitch)
        levels.append(level_light(tiles, light, picture)[pixels[:, 1], pixels[:, 0]])
        labels.append(pixels[:, 2])
    return build_table(np.vstack(levels), np.concatenate(labels), empty)


def look(
    stand: Stand, scene: Scene, light: Light, random: np.random.Generator, sheets: Sequence[Sheet] = ()
) -> Look:
    """Take a picture with every camera and see what is in them. With `sheets` to paint on (see `sheets_of`)
    only the parts that tell of robots and ball are painted and searched: many times as fast, and the same is
    found. The pictures are then the sheets' own, on which the next look paints."""
    pictures, detections, seen, seconds = [], [], [], []
    bodies = moving(scene, stand.views[0].disturbance.exposure) if sheets else None
    for k, (camera, table) in enumerate(zip(stand.eyes.cameras, stand.eyes.tables, strict=True)):
        if bodies is not None:
            partly = glimpse(sheets[k], bodies, light, random)
            picture, share = partly.picture, partly.seen
            started = time.process_time()
            detections.append(detect_in(picture, partly.strips, partly.sample, camera, table))
        else:
            picture, share = take(stand.views[k], scene, light, random)
            started = time.process_time()
            detections.append(detect(picture, camera, table))
        seconds.append(time.process_time() - started)
        pictures.append(picture)
        seen.append(share)
    return Look(
        pictures, detections, merge(detections, stand.eyes.cameras), np.array(seen), np.array(seconds)
    )


def sheets_of(stand: Stand) -> list[Sheet]:
    """One for each camera."""
    return [Sheet(view) for view in stand.views]


def drifted(stand: Stand, drift: float) -> Stand:
    """The same stand, calibrated as it is, under light that drifts that much."""
    views = [replace(view, disturbance=replace(view.disturbance, drift=drift)) for view in stand.views]
    return replace(stand, views=views)
