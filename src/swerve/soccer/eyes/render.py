"""Pictures of a scene as a camera would take them.

What never moves (carpet, lines, the fall-off of light) is painted once a camera. Bodies are painted where
they are (`solid`, `tops`). A picture is whole, or only what detection must have is painted: some ten thousand
pixels of a million, most of which tell of the light, with the same levels as in the whole one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .boxes import boxes_of, clear, copy, everywhere, joined, strips_of, telling
from .carpet import background, thinned
from .moving import Moving, moving
from .rays import farthest
from .scene import PAINTS, Light, Scene
from .shadows import darken, shadows_of
from .solid import paint_bodies
from .table import FIRST, SAMPLED, sample_of
from .tops import paint_tops
from .view import FULL, NOISE, View


@dataclass(frozen=True)
class Partly:
    """The parts of a `picture` that tell of robots and ball: `strips` (row, first, after) in order, and the
    `sample` of pixels that tells of the light. `seen` is the share of the ball that is not hidden (NaN: not
    in the picture)."""

    picture: np.ndarray
    strips: np.ndarray
    sample: np.ndarray
    seen: float


class Sheet:
    """What one camera's pictures are painted on where only parts are: nothing is made anew for each."""

    def __init__(self, view: View):
        size = view.camera.height, view.camera.width
        self.view = view
        self.picture = np.zeros((*size, 3), dtype=np.uint8)
        self.dimmed = np.zeros(size, dtype=np.float32)
        self.bright, self.ground = sample_of(view.bright), sample_of(view.ground)
        self.glare, self.white, self.beyond = map(sample_of, (view.glare, view.white, view.beyond))
        self.away = farthest(view.ground, view.disturbance.blur)
        self.rows = everywhere(*self.bright.shape)
        self.sample = np.zeros((*self.bright.shape, 3), dtype=np.uint8)
        self.strips = self.rows[:0]  # of the picture before


def take(view: View, scene: Scene, light: Light, random: np.random.Generator) -> tuple[np.ndarray, float]:
    """A picture (height, width, 3) of levels, and the share of the ball that is not hidden (NaN: not in
    it)."""
    camera, bodies = view.camera, moving(scene, view.disturbance.exposure)
    picture = np.empty((camera.height, camera.width, 3), dtype=np.uint8)
    paints, where = _light_of(view, light, random)
    boxes, rows, dimmed = boxes_of(camera, bodies), everywhere(*view.bright.shape), view.bright.copy()
    darken(dimmed, view.ground, *shadows_of(camera, view.lamps, bodies, view.disturbance.shadow), rows, 0, 1)
    layers = dimmed, view.glare, view.white, view.beyond
    background(picture, rows, *layers, paints, view.noise, where, view.strength)
    parts = picture, dimmed, joined(strips_of(boxes)), 0, 1
    return picture, _bodies(view, bodies, boxes, *parts, paints, where)


def glimpse(sheet: Sheet, bodies: Moving, light: Light, random: np.random.Generator) -> Partly:
    """The parts of a picture that tell of robots and ball, as they would be in the whole one. The sheet's
    next picture takes its place."""
    view, camera, picture, dimmed = sheet.view, sheet.view.camera, sheet.picture, sheet.dimmed
    paints, where = _light_of(view, light, random)
    shadows = shadows_of(camera, view.lamps, bodies, view.disturbance.shadow)
    boxes = boxes_of(camera, bodies)
    strips = telling(camera, bodies, boxes)
    clear(picture, sheet.strips)
    sheet.strips = strips
    left = paint_tops(
        picture,
        strips,
        view.ground,
        view.bright,
        view.glare,
        paints,
        view.noise,
        where,
        view.strength,
        view.disturbance.blur,
        camera.place,
        bodies.robots,
        bodies.spots,
        bodies.dots,
        boxes,
        bodies.slack,
        sheet.away,
    )
    copy(dimmed, view.bright, left)
    darken(dimmed, view.ground, *shadows, left, 0, 1)
    layers = dimmed, view.glare, view.white, view.beyond
    background(picture, left, *layers, paints, view.noise, where, view.strength)
    seen = _bodies(view, bodies, boxes, picture, dimmed, left, 0, 1, paints, where)
    sample, light_there, grid = sheet.sample, sheet.bright.copy(), (FIRST, SAMPLED)
    darken(light_there, sheet.ground, *shadows, sheet.rows, *grid)
    layers = light_there, sheet.glare, sheet.white, sheet.beyond
    noise, begins = thinned(view.noise, where, sheet.bright.shape, *grid)
    background(sample, sheet.rows, *layers, paints, noise, begins, view.strength)
    _bodies(view, bodies, boxes, sample, light_there, joined(strips_of(boxes, *grid)), *grid, paints, where)
    return Partly(picture, strips, sample, seen)


def _light_of(view: View, light: Light, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Levels of all paints, and where in the table of noise each row of the picture begins."""
    return (FULL * PAINTS * light.gains).astype(np.float32), random.integers(0, NOISE, view.camera.height)


def _bodies(
    view: View,
    bodies: Moving,
    boxes: np.ndarray,
    picture: np.ndarray,
    dimmed: np.ndarray,
    strips: np.ndarray,
    first: int,
    step: int,
    paints: np.ndarray,
    where: np.ndarray,
) -> float:
    """Paint bodies in strips of a picture of which pixel i is pixel `first + step·i` of the camera's; the
    share of the ball there that is not hidden."""
    seen = np.zeros(2)
    paint_bodies(
        picture,
        dimmed,
        strips,
        first,
        step,
        view.ground,
        view.bright,
        view.glare,
        view.white,
        paints,
        view.noise,
        where,
        view.strength,
        view.disturbance.blur,
        view.camera.place,
        bodies.robots,
        bodies.dots,
        bodies.ball,
        boxes,
        bodies.slack,
        seen,
    )
    return float(seen[1] / seen[0]) if seen[0] > 0 else float("nan")
