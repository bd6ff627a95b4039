"""The route search in plain Python with brute force: what `swerve bench race` compares with.

The same tree growth and the same geometric questions as `swerve.race.route`, but every piece of a clip is
tested against every wall, and every slice against every car, with Python's own numbers and containers.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.race.collide import LEAP, LEAST_STEP
from swerve.race.grow import HEADINGS, RESOLUTION
from swerve.race.guide import MAP_CELL
from swerve.race.laid import OFF_ROAD
from swerve.race.route import RouteSearch


@dataclass(frozen=True)
class PlainRoute:
    cost: float
    kept: int
    generated: int


def plain_search(search: RouteSearch, pose: np.ndarray, node: int) -> PlainRoute:
    """Grow the same route tree as `search.search(pose, node)`, progress without an end, no tail."""
    moves = {name: getattr(search.moves, name).tolist() for name in search.moves._fields}
    walls = search.track.segments.tolist()
    cars = search.movers.poses.tolist()
    strays = search.movers.stray.tolist()
    size = search.movers.size[0].tolist()
    guide, options = search.guide, search.options
    table = {name: np.asarray(getattr(guide, name)).tolist() for name in guide._fields}
    x, y, heading = (float(value) for value in pose)
    nodes: list[tuple[float, ...]] = [
        (x, y, math.cos(heading), math.sin(heading), heading, float(node), 0.0, 0.0)
    ]
    progress = [float(search.track.progress(pose[:2])[0])]
    costs = [0.0]
    seen: set[tuple[int, ...]] = set()
    heap: list[tuple[float, int]] = [(0.0, 0)]
    generated, best = 0, 0
    while heap and len(nodes) < options.nodes:
        _, at = heapq.heappop(heap)
        x, y, c, s, heading, here, frame, _ = nodes[at]
        if frame >= options.horizon:
            if best == 0 or costs[at] < costs[best]:
                best = at
            continue
        first, stop = moves["first"][int(here)], moves["first"][int(here) + 1]
        for clip in moves["order"][first:stop]:
            generated += 1
            ex, ey, ec, es, turn = moves["end"][clip]
            nx, ny, angle = x + c * ex - s * ey, y + s * ex + c * ey, heading + turn
            target, late = moves["target"][clip], frame + moves["frames"][clip]
            frames, along = _estimate(nx, ny, target, table)
            if frames >= OFF_ROAD:
                continue
            key = (
                math.floor(nx * (1.0 / RESOLUTION)),
                math.floor(ny * (1.0 / RESOLUTION)),
                math.floor(angle * (HEADINGS / (2 * math.pi)) + 0.5) % HEADINGS,
                target,
                int(late),
            )
            if options.duplicates and key in seen:
                continue
            if _hits_walls(x, y, c, s, clip, moves, walls):
                continue
            if _hits_cars(x, y, c, s, clip, frame, moves, cars, strays, size):
                continue
            seen.add(key)
            length = table["lap"][0]
            frames += table["lap"][1] * (int(along >= length) - int(along < 0.0))
            along += length * round((progress[at] - along) / length)
            frames += table["lap"][1] * (0.0 - math.floor(along / length))
            nodes.append((nx, ny, c * ec - s * es, s * ec + c * es, angle, target, late, at))
            progress.append(along)
            costs.append(late + options.weight * frames)
            heapq.heappush(heap, (costs[-1], len(nodes) - 1))
            if len(nodes) >= options.nodes:
                break
    if best == 0 and heap:
        best = min((k for _, k in heap if k > 0), key=lambda k: costs[k] - nodes[k][6])
    return PlainRoute(costs[best], len(nodes), generated)


def _estimate(x: float, y: float, node: int, table: dict[str, Any]) -> tuple[float, float]:
    """Frames to the end of the lap and progress, by distance alone."""
    i, j = int((x - table["corner"][0]) / MAP_CELL), int((y - table["corner"][1]) / MAP_CELL)
    nearest = table["nearest"]
    if not (0 <= i < len(nearest) and 0 <= j < len(nearest[0])) or nearest[i][j] < 0:
        return OFF_ROAD, 0.0
    k = nearest[i][j]
    px, py, tx, ty, _, _, spacing = table["line"][k][:7]
    along = (x - px) * tx + (y - py) * ty
    value = table["value"]
    frames = value[k][node]
    if along >= 0:
        frames += min(1.0, along / spacing) * (value[k + 1][node] - frames)
    elif k > 0:
        frames += min(1.0, -along / spacing) * (value[k - 1][node] - frames)
    return frames, k * spacing + along


def _hits_walls(
    x: float, y: float, c: float, s: float, clip: int, moves: dict[str, Any], walls: list[list[float]]
) -> bool:
    for piece in moves["pieces"][moves["piece_start"][clip] : moves["piece_start"][clip + 1]]:
        px, py = x + c * piece[0] - s * piece[1], y + s * piece[0] + c * piece[1]
        ax, ay = c * piece[2] - s * piece[3], s * piece[2] + c * piece[3]
        half_length, half_width = piece[4], piece[5]
        for x0, y0, x1, y1 in walls:
            u0, v0 = ax * (x0 - px) + ay * (y0 - py), -ay * (x0 - px) + ax * (y0 - py)
            u1, v1 = ax * (x1 - px) + ay * (y1 - py), -ay * (x1 - px) + ax * (y1 - py)
            if min(u0, u1) > half_length or max(u0, u1) < -half_length:
                continue
            if min(v0, v1) > half_width or max(v0, v1) < -half_width:
                continue
            du, dv = u1 - u0, v1 - v0
            if abs(u0 * dv - v0 * du) <= half_length * abs(dv) + half_width * abs(du):
                return True
    return False


def _hits_cars(
    x: float,
    y: float,
    c: float,
    s: float,
    clip: int,
    frame: float,
    moves: dict[str, Any],
    cars: list[list[list[float]]],
    strays: list[list[float]],
    size: list[float],
) -> bool:
    """Every frame of the clip against every car: conservative advancement, as in the compiled search."""
    half_length, half_width, margin = moves["outline"]
    base = moves["pose_start"][clip]
    for row in moves["slices"][moves["slice_start"][clip] : moves["slice_start"][clip + 1]]:
        for car, stray in zip(cars, strays, strict=True):
            last = len(car) - 1
            t, stop = row[0], row[1]
            a, b = car[min(last, int(frame + t))], car[min(last, int(frame + stop))]
            dx = c * row[8] - s * row[9] - (b[0] - a[0]) / (stop - t)
            dy = s * row[8] + c * row[9] - (b[1] - a[1]) / (stop - t)
            leaps = (abs(b[0] - a[0]) + abs(b[1] - a[1])) / (stop - t) > LEAP
            slack = stray[min(last, int(frame + t))]
            least = math.hypot(dx, dy) if leaps else 0.0
            while True:
                f = min(int(t), int(stop) - 1)
                part = t - f
                e0, e1 = moves["poses"][base + f], moves["poses"][base + f + 1]
                lx, ly, lc, ls = (p + part * (q - p) for p, q in zip(e0, e1, strict=True))
                norm = math.hypot(lc, ls)
                o0, o1 = car[min(last, int(frame) + f)], car[min(last, int(frame) + f + 1)]
                ox, oy, oc, os = (p + part * (q - p) for p, q in zip(o0, o1, strict=True))
                other = math.hypot(oc, os)
                safe = _apart_for(
                    (ox - x - c * lx + s * ly, oy - y - s * lx - c * ly),
                    ((c * lc - s * ls) / norm, (s * lc + c * ls) / norm),
                    (half_length, half_width),
                    (oc / other, os / other),
                    (size[0], size[1]),
                    margin,
                    (dx, dy, least, row[10] + slack),
                )
                if safe <= 0:
                    return True
                if safe >= stop - t:
                    break
                t = min(stop, t + max(LEAST_STEP, safe))
    return False


Pair = tuple[float, float]


def _apart_for(
    between: Pair,
    axis: Pair,
    half: Pair,
    other_axis: Pair,
    other_half: Pair,
    margin: float,
    motion: tuple[float, float, float, float],
) -> float:
    """Frames for which two boxes surely stay `margin` apart, by each of their four axes."""
    c = abs(axis[0] * other_axis[0] + axis[1] * other_axis[1])
    s = abs(axis[0] * other_axis[1] - axis[1] * other_axis[0])
    (half_length, half_width), (other_length, other_width) = half, other_half
    ux, uy, least, stray = motion
    times = []
    for (nx, ny), reach in (
        (axis, half_length + c * other_length + s * other_width),
        ((-axis[1], axis[0]), half_width + s * other_length + c * other_width),
        (other_axis, other_length + c * half_length + s * half_width),
        ((-other_axis[1], other_axis[0]), other_width + s * half_length + c * half_width),
    ):
        distance, speed = nx * between[0] + ny * between[1], nx * ux + ny * uy
        towards = speed if distance > 0 else -speed
        times.append((abs(distance) - reach - margin) / (max(towards, least) + stray))
    return max(times)
