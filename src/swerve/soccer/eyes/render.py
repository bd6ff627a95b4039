"""Pictures of a scene as a camera would take them.

What never moves (carpet, lines, the fall-off of light) is painted once a camera. Bodies are painted where
they are, sixteen rays a pixel: each starts at its own spot of the pixel's blur and at its own moment of the
exposure, so that edges, lens blur and motion blur come from one loop. A ray is known by where it meets the
ground, since at height z it is at `ground + (camera − ground)·z/height of the camera`.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .camera import Camera
from .pattern import BALL_RADIUS, CENTRE_DOT, DOTS, FRONT, PINK, ROBOT_HEIGHT, ROBOT_RADIUS, SIDE_DOT
from .scene import BLANK, BLUE, CARPET, DARK, GREEN, ORANGE, PAINTS, WHITE, YELLOW, Light, Scene
from .scene import PINK as PINK_PAINT
from .view import NOISE, View

RAYS = 16  # a pixel
FULL = 270.0  # level of a white paint in full light
_SLOTS = np.array([0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5])  # moments, mixed over a pixel
_SQUARES = np.column_stack([DOTS, np.full(4, SIDE_DOT**2)])


def take(view: View, scene: Scene, light: Light, random: np.random.Generator) -> tuple[np.ndarray, float]:
    """A picture (height, width, 3) of levels, and the share of the ball that is not hidden (NaN: not in
    it)."""
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
    boxes = _boxes(camera, robots, ball if scene.ball is not None else None)
    dots = np.where(PINK[scene.number], PINK_PAINT, GREEN)
    centre = np.where(scene.team == 0, BLUE, YELLOW)
    place = camera.place
    seen = np.zeros(2)
    where = random.integers(0, NOISE, camera.height)
    noise = np.float32(view.disturbance.noise)
    _background(picture, view.bright, view.white, view.beyond, paints, view.noise, where, noise)
    _bodies(
        picture,
        view.ground,
        view.bright,
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
        seen,
    )
    return picture, float(seen[1] / seen[0]) if seen[0] > 0 else float("nan")


def _boxes(camera: Camera, robots: np.ndarray, ball: np.ndarray | None) -> np.ndarray:
    """First and last column and row (n + 1, 4) in which each robot and then the ball can be."""
    turn = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    ring = np.column_stack([np.cos(turn), np.sin(turn)]) * 1.08  # corners of the octagon lie outside
    boxes = np.zeros((len(robots) + 1, 4), dtype=np.int64)
    boxes[:, 1], boxes[:, 3] = -1, -1
    for k in range(len(robots) + (ball is not None)):
        at = robots[k, [0, -1], :2] if k < len(robots) else ball[[0, -1], :2]  # type: ignore[index]
        radius = ROBOT_RADIUS if k < len(robots) else BALL_RADIUS
        low = 0.0 if k < len(robots) else ball[0, 2] - BALL_RADIUS  # type: ignore[index]
        high = ROBOT_HEIGHT if k < len(robots) else ball[0, 2] + BALL_RADIUS  # type: ignore[index]
        rings = (at[:, None] + radius * ring).reshape(-1, 2)
        points = np.vstack([np.column_stack([rings, np.full(len(rings), z)]) for z in (low, high)])
        u, v = camera.project(points).T
        boxes[k] = (
            max(int(np.floor(u.min())) - 2, 0),
            min(int(np.ceil(u.max())) + 2, camera.width - 1),
            max(int(np.floor(v.min())) - 2, 0),
            min(int(np.ceil(v.max())) + 2, camera.height - 1),
        )
    return boxes


@inlined
def _level(value: float, noise: float, strength: np.float32) -> np.uint8:
    """A level of the sensor: noise grows with the light."""
    noisy = value + noise * strength * (np.float32(1.0) + value * np.float32(1 / 255)) + np.float32(0.5)
    return np.uint8(min(max(noisy, np.float32(0.0)), np.float32(255.0)))


@kernel
def _background(
    picture: np.ndarray,
    bright: np.ndarray,
    white: np.ndarray,
    beyond: np.ndarray,
    paints: np.ndarray,
    noise: np.ndarray,
    where: np.ndarray,
    strength: np.float32,
) -> None:
    height, width = bright.shape
    for v in range(height):
        row = noise[where[v] : where[v] + 3 * width]
        for u in range(width):
            share, here = white[v, u], bright[v, u]
            base = BLANK if beyond[v, u] else CARPET
            for c in range(3):
                value = here * (paints[base, c] + share * (paints[WHITE, c] - paints[base, c]))
                picture[v, u, c] = _level(value, row[3 * u + c], strength)


@kernel
def _bodies(
    picture: np.ndarray,
    ground: np.ndarray,
    bright: np.ndarray,
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
                shift = (u * 7 + v * 13) % RAYS
                rgb[:] = 0.0
                for s in range(RAYS):
                    du, dv = blur * ((s % 4) / 4 - 0.375), blur * ((s // 4) / 4 - 0.375)
                    x = ground[v, u, 0] + du * ux + dv * vx
                    y = ground[v, u, 1] + du * uy + dv * vy
                    moment = (_SLOTS[s] + shift) % RAYS
                    paint, shade = -1, 1.0
                    for i in range(count):
                        if near[i] < last and paint < 0:
                            paint = _robot_top(
                                x, y, place, robots[near[i], moment], dots[near[i]], centre[near[i]]
                            )
                    if paint < 0:
                        for i in range(count):
                            if (
                                near[i] < last
                                and paint < 0
                                and _robot_side(x, y, place, robots[near[i], moment])
                            ):
                                paint, shade = DARK, 1.3
                    if count and near[count - 1] == last:
                        glow = _ball_hit(x, y, place, ball[moment])
                        if glow > 0:
                            seen[0] += 1
                            if paint < 0 or ball[moment, 2] > ROBOT_HEIGHT:
                                seen[1] += 1
                                paint, shade = ORANGE, 0.7 + 0.3 * glow
                    if paint < 0:
                        share = white[v, u]
                        for c in range(3):
                            rgb[c] += paints[CARPET, c] + share * (paints[WHITE, c] - paints[CARPET, c])
                    else:
                        for c in range(3):
                            rgb[c] += shade * paints[paint, c]
                for c in range(3):
                    value = np.float32(rgb[c] / RAYS) * bright[v, u]
                    picture[v, u, c] = _level(value, noise[where[v] + 3 * u + c], strength)


@inner
@inlined
def _robot_top(
    x: float, y: float, place: np.ndarray, robot: np.ndarray, dots: np.ndarray, centre: int
) -> int:
    """The paint that a ray meets on top of a robot, −1 if it misses it."""
    up = ROBOT_HEIGHT / place[2]
    dx, dy = x + (place[0] - x) * up - robot[0], y + (place[1] - y) * up - robot[1]
    away = dx * dx + dy * dy
    if away > ROBOT_RADIUS * ROBOT_RADIUS:
        return -1
    a, b = robot[2] * dx + robot[3] * dy, robot[2] * dy - robot[3] * dx
    if a > FRONT:
        return -1
    if away < CENTRE_DOT * CENTRE_DOT:
        return centre
    for d in range(4):
        if (a - _SQUARES[d, 0]) ** 2 + (b - _SQUARES[d, 1]) ** 2 < _SQUARES[d, 2]:
            return dots[d]
    return DARK


@inner
@inlined
def _robot_side(x: float, y: float, place: np.ndarray, robot: np.ndarray) -> bool:
    """Whether a ray that passed a robot's top goes through its side before it meets the ground."""
    up = ROBOT_HEIGHT / place[2]
    bx, by = x - robot[0], y - robot[1]
    dx, dy = (place[0] - x) * up, (place[1] - y) * up
    along = min(max(-(bx * dx + by * dy) / max(dx * dx + dy * dy, 1e-12), 0.0), 1.0)
    px, py = bx + along * dx, by + along * dy
    inside = px * px + py * py <= ROBOT_RADIUS * ROBOT_RADIUS
    return inside and robot[2] * px + robot[3] * py <= FRONT


@inner
@inlined
def _ball_hit(x: float, y: float, place: np.ndarray, ball: np.ndarray) -> float:
    """How squarely a ray meets the ball, 0 to 1; −1 if it misses it."""
    dx, dy, dz = x - place[0], y - place[1], -place[2]
    bx, by, bz = ball[0] - place[0], ball[1] - place[1], ball[2] - place[2]
    along = (bx * dx + by * dy + bz * dz) / (dx * dx + dy * dy + dz * dz)
    ex, ey, ez = along * dx - bx, along * dy - by, along * dz - bz
    square = 1 - (ex * ex + ey * ey + ez * ez) / (BALL_RADIUS * BALL_RADIUS)
    return np.sqrt(square) if square > 0 else -1.0
