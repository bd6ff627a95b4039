"""A hilly circuit of our own making: drawn by a seed, wide, without bank, with walls along its edges."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d, uniform_filter1d

from swerve.core.broadphase import WallMap
from swerve.core.errors import BadInput
from swerve.core.geometry import resample
from swerve.core.seeding import generator
from swerve.core.way import Way
from swerve.race import Track
from swerve.terrain.circuit import Circuit

CORNERS = 12
REACH = (110.0, 330.0)  # [m] of corners from the middle
RADIUS = (16.0, 60.0)  # [m] of corners, before they are smoothed
HALF_WIDTH = 10.0  # [m]
EASING = 6.0  # [m] over which a bend sets in
STRAIGHT = 121  # [m] around the line where the lap begins that should be straight
WAVES = 12  # hills round the lap, the longest once round
RELIEF = 6.0  # [m] of the longest hill; shorter ones are lower
STEEPEST = 0.14  # metres up a metre
TRIES = 200


class Course:
    """A closed road over hills. `way` is its centre line with heights, `walls` its edges.

    >>> course = Course.drawn(seed=1)
    >>> 1200 < course.way.length < 2600
    True
    """

    def __init__(self, track: Track, z: np.ndarray):
        self.track = track
        self.way = Way(track.centre, track.right, track.left, z, True, track.name)

    @classmethod
    def drawn(cls, seed: int) -> Course:
        """A circuit of straights and rounded corners, some of them hairpins; the same for the same seed."""
        rng = generator(seed, "rally")
        for _ in range(TRIES):
            line = _rounded_polygon(rng)
            if line is None:
                continue
            try:
                track = Track.from_centre(f"rally {seed}", line, HALF_WIDTH, HALF_WIDTH, closed=True)
            except BadInput:  # it crosses itself
                continue
            return cls(track, _hills(rng, track.length, len(track.centre)))
        raise BadInput("rally seed", seed, f"no circuit in {TRIES} tries that does not cross itself")

    @property
    def walls(self) -> WallMap:
        return self.track.walls

    @cached_property
    def circuit(self) -> Circuit:
        """The road as terrain sees it."""
        way = self.way
        return Circuit(np.column_stack([way.points, way.z]), way.right, way.left, way.name)

    @cached_property
    def _curve(self) -> CubicSpline:
        """x, y and z over a parameter that counts the points of the centre line."""
        ring = np.column_stack([self.way.points, self.way.z])
        return CubicSpline(np.arange(len(ring) + 1), np.vstack([ring, ring[:1]]), bc_type="periodic")

    def ground(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Height and its slopes along x and y at places (n,): as high as the centre line beside them.

        With u the parameter of the nearest point C(u) of the centre line and d = P − C, d·C' = 0 holds for
        every place P, so ∇u = C' / (|C'|² − d·C'') and ∇z = z'·∇u.
        """
        curve, count = self._curve, len(self.way.points)
        place = np.stack([x, y], axis=-1)
        u = self.way.locate(place)[0] * (count / self.way.length)
        for _ in range(3):  # Newton, to where the connection is at a right angle
            here, first, second = curve(u), curve(u, 1), curve(u, 2)
            d = place - here[..., :2]
            bent = (first[..., :2] ** 2).sum(-1) - (d * second[..., :2]).sum(-1)
            u = u + (d * first[..., :2]).sum(-1) / np.maximum(bent, 0.1)
        here, first, second = curve(u), curve(u, 1), curve(u, 2)
        d = place - here[..., :2]
        bent = (first[..., :2] ** 2).sum(-1) - (d * second[..., :2]).sum(-1)
        rise = first[..., 2] / np.maximum(bent, 0.1)
        return here[..., 2], rise * first[..., 0], rise * first[..., 1]


def _rounded_polygon(rng: np.random.Generator) -> np.ndarray | None:
    """Points (n, 2) of a star-shaped polygon with arcs for corners, None where two arcs would overlap."""
    angle = 2 * np.pi * (np.arange(CORNERS) + rng.uniform(-0.3, 0.3, CORNERS)) / CORNERS
    reach, radius = rng.uniform(*REACH, CORNERS), rng.uniform(*RADIUS, CORNERS)
    corner = reach[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    back, on = np.roll(corner, 1, axis=0) - corner, np.roll(corner, -1, axis=0) - corner
    far = np.linalg.norm(on, axis=1)
    back, on = back / np.linalg.norm(back, axis=1, keepdims=True), on / far[:, None]
    opening = np.arccos(np.clip((back * on).sum(1), -1.0, 1.0))
    cut = radius / np.tan(opening / 2)
    if (cut + np.roll(cut, -1) > far - 10.0).any():
        return None
    arcs = []
    for i in range(CORNERS):
        inward = (back[i] + on[i]) / np.linalg.norm(back[i] + on[i])
        middle = corner[i] + inward * radius[i] / np.sin(opening[i] / 2)
        first, last = (np.arctan2(*(corner[i] + cut[i] * way - middle)[::-1]) for way in (back[i], on[i]))
        turn = (last - first + np.pi) % (2 * np.pi) - np.pi
        a = first + turn * np.linspace(0.0, 1.0, max(3, int(abs(turn) * radius[i])))
        arcs.append(middle + radius[i] * np.column_stack([np.cos(a), np.sin(a)]))
    line = resample(np.vstack(arcs), 1.0, closed=True)
    line = gaussian_filter1d(line, EASING, axis=0, mode="wrap")
    bend = np.abs(Way.through(line, closed=True).curvature)
    straightest = int(np.argmin(uniform_filter1d(bend, STRAIGHT, mode="wrap")) * len(line) / len(bend))
    return np.roll(line, -straightest, axis=0)


def _hills(rng: np.random.Generator, length: float, count: int) -> np.ndarray:
    """Heights (count,) [m] round the lap: waves of random size and place, no steeper than `STEEPEST`."""
    s = np.arange(count) / count
    wave = np.arange(1, WAVES + 1)
    high = RELIEF * rng.normal(size=WAVES) / wave**1.2
    z = (high * np.cos(2 * np.pi * (np.outer(s, wave) + rng.random(WAVES)))).sum(axis=1)
    steep = np.abs(np.roll(z, -1) - np.roll(z, 1)).max() * count / (2 * length)
    return z * min(1.0, STEEPEST / steep)
