"""Goals and the estimate of what is still to come.

A guide answers, for a pose and a node of the tree: how many frames to the goal? Two goals, each with two
estimates:

- a far point: distance over top speed (never too much), or better, with the frames lost by turning towards
  the goal and reaching top speed, worked out exactly for the tree in open space;
- progress along a track (a finish line, laps, or as far as possible): shortest way over top speed (never
  too much), or better, the time the tree itself would need along the racing line, corners included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import maximum_filter1d
from scipy.spatial import cKDTree

from swerve.core.kernels import inlined, inner, kernel
from swerve.core.library import MotionLibrary

from .laid import OFF_ROAD, slip_of, value_along
from .line import EDGE, racing_line
from .lost import BINS, lost_frames
from .moves import outline_of
from .track import Track

MAP_CELL = 1.0  # [m] of the map from places to progress
BEYOND = 1.5  # [m] past the wall, a cell of the map is surely off the road
OFF_LINE = 0.1  # [frames/m] for being beside the racing line
NEAR_EDGE = 8.0  # [frames/m] for being so near an edge that turning away from it swings the tail into it


class Guide(NamedTuple):
    """Tables for `estimate`; all times in frames."""

    far: bool
    improved: bool
    goal: np.ndarray  # (3,) far point x, y and top speed [m/frame]
    turn: np.ndarray  # (nodes, BINS) frames lost by a heading that is off
    corner: np.ndarray  # (2,) of the map
    nearest: np.ndarray  # (nx, ny) nearest point of the centre line, −1 off the road
    line: np.ndarray  # (n, 9) x, y, tangent x, y, line heading, line offset, spacing, room right and left
    value: np.ndarray  # (n + 1, nodes) frames from here to the end of the lap or track
    lap: np.ndarray  # (3,) length of the track [m], frames of a lap, 1 if closed


def far_guide(tree: MotionLibrary, point: np.ndarray, improved: bool = True) -> Guide:
    """Towards a point so far away that only its direction matters."""
    top = tree.top_speed * tree.dt
    turn = lost_frames(tree) if improved else np.zeros((len(tree.node_names), BINS))
    return Guide(
        True,
        improved,
        np.array([point[0], point[1], top]),
        turn,
        np.zeros(2),
        np.zeros((1, 1), dtype=np.int32),
        np.zeros((1, 9)),
        np.zeros((2, len(tree.node_names))),
        np.array([1.0, 0.0, 0.0]),
    )


def track_guide(tree: MotionLibrary, track: Track, improved: bool = True) -> Guide:
    """Along a track, to its end or round and round."""
    n = len(track.centre)
    top = tree.top_speed * tree.dt
    offset = racing_line(track, outline_of(tree)[1])
    if improved:
        turn = lost_frames(tree)
        along = (
            np.round(slip_of(tree) * BINS / (2 * np.pi)).astype(int) % BINS
        )  # where the course is the line
        turn = turn - turn[np.arange(len(turn)), along][:, None]
        line_end = int(np.searchsorted(track.s, track.finish - 1e-6))
        heading, value, lap_frames = value_along(tree, track, offset, line_end)
    else:
        turn = np.zeros((len(tree.node_names), BINS))
        heading = np.arctan2(track.tangent[:, 1], track.tangent[:, 0])
        to_go, lap_frames = _shortest(track, top)
        value = np.repeat(to_go[:, None], len(tree.node_names), axis=1)
    line = np.zeros((n, 9))
    line[:, :2], line[:, 2:4] = track.centre, track.tangent
    line[:, 4], line[:, 5] = heading[:n], offset if improved else 0.0
    line[:, 6] = track.s[1] - track.s[0]
    line[:, 7], line[:, 8] = (side - outline_of(tree)[1] / 2 - EDGE for side in (track.right, track.left))
    corner, index = _progress_map(track)
    return Guide(
        False,
        improved,
        np.array([0.0, 0.0, top]),
        turn,
        corner,
        index,
        line,
        value,
        np.array([track.length, lap_frames, float(track.closed)]),
    )


@inner
@inlined
def far_estimate(
    x: float, y: float, heading: float, node: int, goal: np.ndarray, turn: np.ndarray, improved: bool
) -> float:
    """Frames to the far point."""
    dx, dy = goal[0] - x, goal[1] - y
    frames = np.sqrt(dx * dx + dy * dy) / goal[2]
    if improved:
        frames += turn[node, _bin(np.arctan2(dy, dx) - heading)]
    return frames


@inner
@inlined
def track_estimate(
    x: float,
    y: float,
    heading: float,
    node: int,
    corner: np.ndarray,
    index: np.ndarray,
    line: np.ndarray,
    value: np.ndarray,
    turn: np.ndarray,
    improved: bool,
) -> tuple[float, float]:
    """Frames to the end of the track or lap, and progress along it [m]; `OFF_ROAD` frames off the road."""
    k = nearest_point(x, y, corner, index)
    if k < 0:
        return OFF_ROAD, 0.0
    dx, dy = x - line[k, 0], y - line[k, 1]
    along = dx * line[k, 2] + dy * line[k, 3]
    spacing = line[k, 6]
    frames = value[k, node]
    if along >= 0.0:
        frames += min(1.0, along / spacing) * (value[k + 1, node] - frames)
    elif k > 0:
        frames += min(1.0, -along / spacing) * (value[k - 1, node] - frames)
    if improved:
        frames += turn[node, _bin(line[k, 4] - heading)]
        aside = dy * line[k, 2] - dx * line[k, 3]
        frames += OFF_LINE * abs(aside - line[k, 5])
        frames += NEAR_EDGE * max(0.0, max(aside - line[k, 8], -aside - line[k, 7]))
    return frames, k * spacing + along


@inner
@inlined
def nearest_point(x: float, y: float, corner: np.ndarray, index: np.ndarray) -> int:
    """The point of the centre line nearest to a place; −1 off the road."""
    i, j = int((x - corner[0]) * (1.0 / MAP_CELL)), int((y - corner[1]) * (1.0 / MAP_CELL))
    if i < 0 or j < 0 or i >= index.shape[0] or j >= index.shape[1]:
        return -1
    return index[i, j]


@inner
@inlined
def _bin(angle: float) -> int:
    return int(np.floor(angle * (BINS / (2 * np.pi)) + 0.5)) % BINS


def _shortest(track: Track, top: float) -> tuple[np.ndarray, float]:
    """Frames (n + 1,) at top speed along the shortest way inside the track to the finish, and of a lap: never
    too much. Behind the finish of an open track they are negative.
    """
    n = len(track.centre)
    heading = np.unwrap(np.arctan2(track.tangent[:, 1], track.tangent[:, 0]))
    spacing = track.s[1] - track.s[0]
    bend = np.gradient(heading) / spacing
    inside = np.where(bend > 0, track.left, track.right)
    rate = np.clip(1.0 - np.abs(bend) * (inside + 1.0), 0.0, 1.0)
    step = np.minimum(rate, np.roll(rate, -1)) * spacing / top
    if not track.closed:
        step[-1] = 0.0
    to_go = np.concatenate([np.cumsum(step[::-1])[::-1], [0.0]])
    if not track.closed:
        to_go -= np.interp(track.finish, track.s, to_go[:n])
    return to_go[: n + 1], float(step.sum())


def _progress_map(track: Track) -> tuple[np.ndarray, np.ndarray]:
    """Corner of the map and the nearest point of the centre line for every cell that may hold road.

    A cell that lies beyond the wall as a whole is off the road: what ends there has crossed the wall.
    """
    reach = np.maximum(track.left, track.right).max() + 2.0
    corner = track.centre.min(axis=0) - reach
    shape = np.ceil((track.centre.max(axis=0) + reach - corner) / MAP_CELL).astype(int)
    index = np.full(tuple(shape), -1, dtype=np.int32)
    _paint(index, corner, np.ascontiguousarray(track.centre), reach)
    cells = np.argwhere(index >= 0)
    middle = corner + (cells + 0.5) * MAP_CELL
    _, nearest = cKDTree(track.centre).query(middle)
    offset = ((middle - track.centre[nearest]) * track.normal[nearest]).sum(axis=1)
    # where the road widens, the widths of the neighbours count too
    left, right = (maximum_filter1d(width, 11, mode="wrap") for width in (track.left, track.right))
    beyond = (offset > left[nearest] + BEYOND) | (-offset > right[nearest] + BEYOND)
    index[cells[:, 0], cells[:, 1]] = np.where(beyond, -1, nearest)
    return corner, index


@kernel
def _paint(index: np.ndarray, corner: np.ndarray, points: np.ndarray, reach: float) -> None:
    """Mark every cell within `reach` of a point."""
    r = int(np.ceil(reach / MAP_CELL))
    for k in range(points.shape[0]):
        i0, j0 = int((points[k, 0] - corner[0]) / MAP_CELL), int((points[k, 1] - corner[1]) / MAP_CELL)
        for i in range(max(0, i0 - r), min(index.shape[0], i0 + r + 1)):
            for j in range(max(0, j0 - r), min(index.shape[1], j0 + r + 1)):
                index[i, j] = 0
