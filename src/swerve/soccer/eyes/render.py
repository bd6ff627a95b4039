"""Pictures of a scene as a camera would take them.

What never moves (carpet, lines, the fall-off of light) is painted once a camera. Bodies are painted where
they are, sixteen rays a pixel: each starts at its own spot of the pixel's blur and at its own moment of the
exposure, so that edges, lens blur and motion blur come from one loop. A ray is known by where it meets the
ground, since at height z it is at `ground + (camera − ground)·z/height of the camera`.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .boxes import boxes_of, nowhere, patches_of
from .carpet import background, level, samples
from .pattern import PINK, ROBOT_HEIGHT, ROBOT_RADIUS
from .rays import NOTHING, RAYS, ball_hit, robot_side, robot_top, surely
from .scene import BLUE, CARPET, DARK, GREEN, ORANGE, PAINTS, WHITE, YELLOW, Light, Scene
from .scene import PINK as PINK_PAINT
from .shadows import shaded
from .view import FULL, NOISE, View

DULL = np.float32(0.3)  # share of the carpet's glare that bodies show, too
_SLOTS = np.array([0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5])  # moments, mixed over a pixel


def take(
    view: View, scene: Scene, light: Light, random: np.random.Generator, watched: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """A picture (height, width, 3) of levels, and the share of the ball that is not hidden (NaN: not in it).
    With `watched` (rows, columns), which is filled in, only the patches about bodies and the pixels that tell
    of the light are painted, as they would be in a whole picture; the rest holds nothing."""
    camera, exposure = view.camera, view.disturbance.exposure
    paints = (FULL * PAINTS * light.gains).astype(np.float32)
    picture = np.empty((camera.height, camera.width, 3), dtype=np.uint8)
    n = len(scene.pose)
    moments = exposure * ((np.arange(RAYS) + 0.5) / RAYS - 0.5)
    robots = np.empty((n, RAYS, 4))
    pose = scene.pose[:, None] + moments[None, :, None] * scene.velocity[:, None]
    robots[..., :2] = pose[..., :2]
    robots[..., 2], robots[..., 3] = np.cos(pose[..., 2]), np.sin(pose[..., 2])
    ball = np.zeros((RAYS, 3))
    if scene.ball is not None:
        ball[:] = scene.ball + moments[:, None] * scene.ball_velocity
    boxes = boxes_of(camera, robots, ball if scene.ball is not None else None)
    slack = np.empty(n + 1)  # [m] that bodies move to either side of where they are on average
    slack[:n] = np.hypot(scene.velocity[:, 0], scene.velocity[:, 1])
    slack[:n] += ROBOT_RADIUS * np.abs(scene.velocity[:, 2])
    slack[n] = np.hypot(*scene.ball_velocity[:2]) + abs(scene.ball_velocity[2])
    slack *= 0.5 * exposure
    dots = np.where(PINK[scene.number], PINK_PAINT, GREEN)
    centre = np.where(scene.team == 0, BLUE, YELLOW)
    place = camera.place
    seen = np.zeros(2)
    where = random.integers(0, NOISE, camera.height)
    noise = np.float32(view.disturbance.noise)
    strength = view.disturbance.shadow
    light_here = shaded(view.bright, camera, view.ground, view.lamps, scene.pose[:, :2], strength)
    empty = light_here, view.glare, view.white, view.beyond, paints, view.noise, where, noise
    if watched is None:
        patches = ~nowhere(camera)
    else:
        patches = watched
        patches_of(boxes, patches)
        samples(picture, *empty)
    background(picture, *empty, patches)
    _bodies(
        picture,
        view.ground,
        view.bright,
        light_here,
        view.glare,
        view.white,
        paints,
        view.noise,
        where,
        noise,
        view.disturbance.blur,
        place,
        robots,
        dots,
        centre,
        ball,
        boxes,
        slack,
        seen,
    )
    return picture, float(seen[1] / seen[0]) if seen[0] > 0 else float("nan")


@kernel
def _bodies(
    picture: np.ndarray,
    ground: np.ndarray,
    bright: np.ndarray,
    dimmed: np.ndarray,
    glare: np.ndarray,
    white: np.ndarray,
    paints: np.ndarray,
    noise: np.ndarray,
    where: np.ndarray,
    strength: np.float32,
    blur: float,
    place: np.ndarray,
    robots: np.ndarray,
    dots: np.ndarray,
    centre: np.ndarray,
    ball: np.ndarray,
    boxes: np.ndarray,
    slack: np.ndarray,
    seen: np.ndarray,
) -> None:
    height, width = bright.shape
    done = np.zeros((height, width), dtype=np.bool_)
    near = np.empty(len(boxes), dtype=np.int64)
    rgb = np.empty(3)
    last = len(boxes) - 1
    for k in range(len(boxes)):
        for v in range(boxes[k, 2], boxes[k, 3] + 1):
            for u in range(boxes[k, 0], boxes[k, 1] + 1):
                if done[v, u]:
                    continue
                done[v, u] = True
                count = 0
                for j in range(len(boxes)):
                    if boxes[j, 0] <= u <= boxes[j, 1] and boxes[j, 2] <= v <= boxes[j, 3]:
                        near[count] = j
                        count += 1
                a, b = min(max(u, 1), width - 2), min(max(v, 1), height - 2)
                ux, uy = (
                    (ground[v, a + 1, 0] - ground[v, a - 1, 0]) / 2,
                    (ground[v, a + 1, 1] - ground[v, a - 1, 1]) / 2,
                )
                vx, vy = (
                    (ground[b + 1, u, 0] - ground[b - 1, u, 0]) / 2,
                    (ground[b + 1, u, 1] - ground[b - 1, u, 1]) / 2,
                )
                edge = 0.375 * blur * (np.hypot(ux, uy) + np.hypot(vx, vy))
                paint, shade = surely(
                    ground[v, u, 0],
                    ground[v, u, 1],
                    place,
                    robots,
                    dots,
                    centre,
                    ball,
                    near,
                    count,
                    edge,
                    slack,
                )
                if paint == NOTHING:
                    continue
                if paint >= 0:
                    for c in range(3):
                        value = np.float32(shade * paints[paint, c]) * bright[v, u] + DULL * glare[v, u]
                        picture[v, u, c] = level(value, noise[where[v] + 3 * u + c], strength)
                    continue
                shift = (u * 7 + v * 13) % RAYS
                rgb[:] = 0.0
                carpet, dim = 0, dimmed[v, u] / bright[v, u]
                for s in range(RAYS):
                    du, dv = blur * ((s % 4) / 4 - 0.375), blur * ((s // 4) / 4 - 0.375)
                    x = ground[v, u, 0] + du * ux + dv * vx
                    y = ground[v, u, 1] + du * uy + dv * vy
                    moment = (_SLOTS[s] + shift) % RAYS
                    paint, shade = -1, 1.0
                    for i in range(count):
                        if near[i] < last and paint < 0:
                            paint = robot_top(
                                x, y, place, robots[near[i], moment], dots[near[i]], centre[near[i]]
                            )
                    if paint < 0:
                        for i in range(count):
                            if (
                                near[i] < last
                                and paint < 0
                                and robot_side(x, y, place, robots[near[i], moment])
                            ):
                                paint, shade = DARK, 1.3
                    if count and near[count - 1] == last:
                        glow = ball_hit(x, y, place, ball[moment])
                        if glow > 0:
                            seen[0] += 1
                            if paint < 0 or ball[moment, 2] > ROBOT_HEIGHT:
                                seen[1] += 1
                                paint, shade = ORANGE, 0.7 + 0.3 * glow
                                if ball[moment, 2] < ROBOT_HEIGHT:
                                    shade *= dim
                    if paint < 0:
                        share = white[v, u]
                        carpet += 1
                        for c in range(3):
                            rgb[c] += dim * (
                                paints[CARPET, c] + share * (paints[WHITE, c] - paints[CARPET, c])
                            )
                    else:
                        for c in range(3):
                            rgb[c] += shade * paints[paint, c]
                shine = (DULL + (np.float32(1) - DULL) * np.float32(carpet / RAYS)) * glare[v, u]
                for c in range(3):
                    value = np.float32(rgb[c] / RAYS) * bright[v, u] + shine
                    picture[v, u, c] = level(value, noise[where[v] + 3 * u + c], strength)
