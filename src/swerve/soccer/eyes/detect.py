"""Robots and balls from the coloured regions of one picture.

A robot is a dot in a team's colour with dots around it. Every dot nearby is tried as every one of the
pattern's four: that gives a heading, and with it where the others must be. The heading that finds most
dots, closest, is kept; place and heading are then the least-squares fit of the whole pattern. Three dots
are enough where the picture itself shows the colour of the fourth, which may have run into a neighbour's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .boxes import everywhere
from .camera import Camera, project, unproject
from .hidden import hidden_ball
from .pattern import BALL_RADIUS, CENTRE_DOT, DOTS, NUMBER_OF, REACH, ROBOT_HEIGHT, ROBOT_RADIUS, SIDE_DOT
from .regions import AREA, COLOUR, U, V, find_regions
from .scene import BLUE, GREEN, ORANGE, PINK, YELLOW
from .table import ColourTable, sample_of

NEAR = 0.022  # [m] that a dot may be from where the pattern has it
SMALLEST, LARGEST = 0.3, 2.2  # areas of dots, as shares of what they should be
SMALLEST_BALL, WHOLE_BALL = 0.18, 0.85
MOST = 64  # robots or balls in one picture
TEAM, NUMBER, X, Y, HEADING, DOTS_SEEN, ERROR, PIXEL_U, PIXEL_V = range(9)  # columns of robots
_ANGLES = np.arctan2(DOTS[:, 1], DOTS[:, 0])


@dataclass(frozen=True)
class Detection:
    """What one camera sees: `robots` (n, 9) with team, number, x, y, heading, dots, error [m] and pixel;
    `balls` (m, 5) with x, y, confidence and pixel, surest first."""

    robots: np.ndarray
    balls: np.ndarray


def detect(
    picture: np.ndarray,
    camera: Camera,
    table: ColourTable,
    robot_height: float = ROBOT_HEIGHT,
) -> Detection:
    """Robots and balls in a picture."""
    strips = everywhere(*picture.shape[:2])
    return detect_in(picture, strips, sample_of(picture), camera, table, robot_height)


def detect_in(
    picture: np.ndarray,
    strips: np.ndarray,
    sample: np.ndarray,
    camera: Camera,
    table: ColourTable,
    robot_height: float = ROBOT_HEIGHT,
) -> Detection:
    """Robots and balls in strips (row, first column, column after the last; in order) of a picture, of which
    the `sample` tells the light."""
    parts = table.indices(sample)
    regions = find_regions(picture, parts, table.tiles, table.markers, 5, strips)
    return from_regions(picture, regions, camera, table, parts, robot_height)


def from_regions(
    picture: np.ndarray,
    regions: np.ndarray,
    camera: Camera,
    table: ColourTable,
    parts: np.ndarray,
    robot_height: float = ROBOT_HEIGHT,
) -> Detection:
    lens, attitude, place = camera.lens, camera.attitude, camera.place
    top = _placed(regions, lens, attitude, place, robot_height)
    robots = find_robots(picture, regions, top, lens, attitude, place, robot_height)
    low = _placed(regions, lens, attitude, place, BALL_RADIUS)
    balls = find_balls(regions, low, robots)
    for ball in balls:
        if ball[5] < WHOLE_BALL:
            hidden_ball(ball, picture, parts, table.tiles, table.cells)
            at = unproject(lens, attitude, place, ball[None, 3:5], BALL_RADIUS)[0]
            ball[:2] = at
    return Detection(robots, balls[np.argsort(-balls[:, 2], kind="stable")][:, :5])


@kernel
def _placed(
    regions: np.ndarray, lens: np.ndarray, attitude: np.ndarray, place: np.ndarray, height: float
) -> np.ndarray:
    """Where each region is if it is at that height, and how large (n, 3) x, y [m], area [m²]."""
    n = len(regions)
    pixels = np.empty((3 * n, 2))
    for i in range(n):
        u, v = regions[i, U], regions[i, V]
        pixels[3 * i, 0], pixels[3 * i, 1] = u, v
        pixels[3 * i + 1, 0], pixels[3 * i + 1, 1] = u + 1, v
        pixels[3 * i + 2, 0], pixels[3 * i + 2, 1] = u, v + 1
    at = unproject(lens, attitude, place, pixels, height)
    found = np.empty((n, 3))
    for i in range(n):
        x, y = at[3 * i, 0], at[3 * i, 1]
        ux, uy, vx, vy = (
            at[3 * i + 1, 0] - x,
            at[3 * i + 1, 1] - y,
            at[3 * i + 2, 0] - x,
            at[3 * i + 2, 1] - y,
        )
        found[i, 0], found[i, 1] = x, y
        found[i, 2] = regions[i, AREA] * abs(ux * vy - uy * vx)
    return found


@kernel
def find_robots(
    picture: np.ndarray,
    regions: np.ndarray,
    at: np.ndarray,
    lens: np.ndarray,
    attitude: np.ndarray,
    place: np.ndarray,
    height: float,
) -> np.ndarray:
    robots = np.empty((MOST, 9))
    count = 0
    centre_area, side_area = np.pi * CENTRE_DOT**2, np.pi * SIDE_DOT**2
    near = np.empty(16, dtype=np.int64)
    chosen, trial = np.empty(4, dtype=np.int64), np.empty(4, dtype=np.int64)
    pose = np.empty(3)
    for c in range(len(regions)):
        colour = regions[c, COLOUR]
        share = at[c, 2] / centre_area
        if (colour != BLUE and colour != YELLOW) or share < SMALLEST or share > LARGEST:
            continue
        n = 0
        for i in range(len(regions)):
            if regions[i, COLOUR] != PINK and regions[i, COLOUR] != GREEN:
                continue
            away = np.hypot(at[i, 0] - at[c, 0], at[i, 1] - at[c, 1])
            size = at[i, 2] / side_area
            if abs(away - REACH) < NEAR and SMALLEST < size < LARGEST and n < len(near):
                near[n] = i
                n += 1
        best, seen = np.inf, 0
        for i in range(n):
            angle = np.arctan2(at[near[i], 1] - at[c, 1], at[near[i], 0] - at[c, 0])
            for d in range(4):
                matched, cost = _match(at, c, near, n, angle - _ANGLES[d], trial)
                if matched > seen or (matched == seen and cost < best):
                    seen, best = matched, cost
                    for k in range(4):
                        chosen[k] = trial[k]
        if seen < 3 or count == MOST:
            continue
        error = _fit(at, c, chosen, pose)
        code, known = 0, True
        for d in range(4):
            if chosen[d] >= 0:
                pink = regions[chosen[d], COLOUR] == PINK
            else:
                said = _colour_at(picture, d, pose, lens, attitude, place, height)
                known = known and said != 0
                pink = said > 0
            code += (1 << d) if pink else 0
        if not known or error > NEAR:
            continue
        robots[count, 0] = 0.0 if colour == BLUE else 1.0
        robots[count, 1] = NUMBER_OF[code]
        robots[count, 2], robots[count, 3], robots[count, 4] = pose[0], pose[1], pose[2]
        robots[count, 5], robots[count, 6] = seen, error
        robots[count, 7], robots[count, 8] = regions[c, U], regions[c, V]
        count += 1
    return robots[:count]


@inlined
def _match(
    at: np.ndarray, c: int, near: np.ndarray, n: int, heading: float, trial: np.ndarray
) -> tuple[int, float]:
    """Which region is which dot if the robot has that heading: how many are found, and how far off."""
    cos, sin = np.cos(heading), np.sin(heading)
    matched, cost = 0, 0.0
    for d in range(4):
        x = at[c, 0] + cos * DOTS[d, 0] - sin * DOTS[d, 1]
        y = at[c, 1] + sin * DOTS[d, 0] + cos * DOTS[d, 1]
        trial[d] = -1
        closest = NEAR
        for i in range(n):
            away = np.hypot(at[near[i], 0] - x, at[near[i], 1] - y)
            if away < closest:
                closest = away
                trial[d] = near[i]
        if trial[d] >= 0:
            matched += 1
            cost += closest
    return matched, cost


@inlined
def _fit(at: np.ndarray, c: int, chosen: np.ndarray, pose: np.ndarray) -> float:
    """Least-squares place and heading of the pattern; returns the root mean square of what is left [m]."""
    weight, mx, my, qx, qy = 1.0, 0.0, 0.0, at[c, 0], at[c, 1]
    for d in range(4):
        if chosen[d] >= 0:
            weight += 1
            mx += DOTS[d, 0]
            my += DOTS[d, 1]
            qx += at[chosen[d], 0]
            qy += at[chosen[d], 1]
    mx, my, qx, qy = mx / weight, my / weight, qx / weight, qy / weight
    dot = -mx * (at[c, 0] - qx) - my * (at[c, 1] - qy)
    cross = -mx * (at[c, 1] - qy) + my * (at[c, 0] - qx)
    for d in range(4):
        if chosen[d] >= 0:
            px, py = DOTS[d, 0] - mx, DOTS[d, 1] - my
            rx, ry = at[chosen[d], 0] - qx, at[chosen[d], 1] - qy
            dot += px * rx + py * ry
            cross += px * ry - py * rx
    pose[2] = np.arctan2(cross, dot)
    cos, sin = np.cos(pose[2]), np.sin(pose[2])
    pose[0], pose[1] = qx - cos * mx + sin * my, qy - sin * mx - cos * my
    left = (at[c, 0] - pose[0]) ** 2 + (at[c, 1] - pose[1]) ** 2
    for d in range(4):
        if chosen[d] >= 0:
            x = pose[0] + cos * DOTS[d, 0] - sin * DOTS[d, 1]
            y = pose[1] + sin * DOTS[d, 0] + cos * DOTS[d, 1]
            left += (at[chosen[d], 0] - x) ** 2 + (at[chosen[d], 1] - y) ** 2
    return np.sqrt(left / weight)


@inner
@kernel
def _colour_at(
    picture: np.ndarray,
    d: int,
    pose: np.ndarray,
    lens: np.ndarray,
    attitude: np.ndarray,
    place: np.ndarray,
    height: float,
) -> int:
    """The colour of a dot that is no region of its own, from the pixels where it must be: 1 pink, −1 green, 0
    when they do not say."""
    cos, sin = np.cos(pose[2]), np.sin(pose[2])
    spots = np.empty((9, 3))
    for k in range(9):
        x, y = DOTS[d, 0] + (k % 3 - 1) * 0.006, DOTS[d, 1] + (k // 3 - 1) * 0.006
        spots[k, 0], spots[k, 1] = pose[0] + cos * x - sin * y, pose[1] + sin * x + cos * y
        spots[k, 2] = height
    pixels = project(lens, attitude, place, spots)
    green, others = 0.0, 0.0
    for k in range(9):
        u, v = int(np.rint(pixels[k, 0])), int(np.rint(pixels[k, 1]))
        if u < 0 or v < 0 or u >= picture.shape[1] or v >= picture.shape[0]:
            return 0
        green += picture[v, u, 1] / 9
        others += (float(picture[v, u, 0]) + float(picture[v, u, 2])) / 18
    if max(green, others) < 45:
        return 0
    if others > 1.5 * green:
        return 1
    return -1 if green > 1.5 * others else 0


@kernel
def find_balls(regions: np.ndarray, at: np.ndarray, robots: np.ndarray) -> np.ndarray:
    """Balls (n, 6): x, y, confidence, pixel, and the share of its area that is seen."""
    whole = np.pi * BALL_RADIUS**2
    balls = np.empty((MOST, 6))
    count = 0
    for i in range(len(regions)):
        share = at[i, 2] / whole
        if regions[i, COLOUR] != ORANGE or share < SMALLEST_BALL or share > 2.5 or count == MOST:
            continue
        on_top = False
        for k in range(len(robots)):
            on_top = on_top or np.hypot(at[i, 0] - robots[k, 2], at[i, 1] - robots[k, 3]) < 0.5 * ROBOT_RADIUS
        if on_top:
            continue
        balls[count, 0], balls[count, 1] = at[i, 0], at[i, 1]
        balls[count, 2] = min(share, 1 / share)
        balls[count, 3], balls[count, 4], balls[count, 5] = regions[i, U], regions[i, V], share
        count += 1
    return balls[:count]
