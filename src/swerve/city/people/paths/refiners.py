"""Refiners: each improves, for a batch of paths, what lies just ahead. They run in the order of the list.

A refiner is anything with `refine(paths, crowd, rows)`: `paths` is the `PathManager`, `rows` the people whose
turn it is. It may move, add or drop nodes, lower `paths.speed`, or write down what it has found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ...characters.paths import LevelOfDetail, Refiner
from ...ground.mesh import Mesh
from ...ground.mesh_arrays import MeshArrays
from ...ground.mesh_path import portal, pull_string
from ..footing import Crowd
from .manager import PathManager

KERB_TIME, KERB_PACE = 0.7, 0.4  # [s] towards a kerb one walks as if to stop in this time; [m/s] at least
NEAR_ENOUGH = 0.2  # [m] from a body to a corner: nobody insists on a spot where another one stands
_SIDE_ROOM = 0.3  # [m] between a body and an obstacle it goes round


@dataclass
class Smoothing:
    """Pulls the path tight through the cells ahead, so that nodes stand at corners only.

    Everybody keeps its `paths.margin` (n, 2) [m] from corners to the right and to the left.
    """

    def refine(self, paths: PathManager, crowd: Crowd, rows: np.ndarray) -> None:
        _pull(
            paths.mesh.arrays, crowd, rows, paths.cells, paths.kept, paths.at, paths.look, paths.state,
            paths.goal, paths.margin, paths.node, paths.nodes,
        )  # fmt: skip


@dataclass
class Obstacles:
    """Leads paths round things that stand about: `discs` (k, 3) x, y, radius [m], which may change."""

    discs: np.ndarray

    def refine(self, paths: PathManager, crowd: Crowd, rows: np.ndarray) -> None:
        discs = np.reshape(np.asarray(self.discs, float), (-1, 3))
        if len(discs):
            _go_round(crowd, rows, discs, paths.node, paths.nodes)


@dataclass
class PedestrianTraffic:
    """Finds the next crosswalk on the path, slows down towards its kerb; the crossing itself is reserved in
    `crossing`. `crossing_of` (cells) is the crosswalk of each cell, or -1."""

    crossing_of: np.ndarray

    def refine(self, paths: PathManager, crowd: Crowd, rows: np.ndarray) -> None:
        _find_kerb(
            paths.mesh.arrays, crowd, rows, paths.cells, paths.kept, paths.at, self.crossing_of,
            paths.crossing, paths.to_kerb,
        )  # fmt: skip
        waits = (paths.crossing[rows] >= 0) & (crowd.leave[rows] != paths.crossing[rows])
        slow = np.maximum((paths.to_kerb[rows] - crowd.radius[rows]) / KERB_TIME, KERB_PACE)
        paths.speed[rows] = np.where(waits, np.minimum(paths.speed[rows], slow), paths.speed[rows])


@dataclass
class VehicleTraffic:
    """Speed limits for whoever uses a carriageway on foot paths (service carts, deliveries): cells have a
    blind datum `limit` [m/s], and a path obeys that of the cell it is in. Cars on roads have `rules`."""

    limit: np.ndarray

    def refine(self, paths: PathManager, crowd: Crowd, rows: np.ndarray) -> None:
        paths.speed[rows] = np.minimum(paths.speed[rows], self.limit[crowd.cell[rows]])


def usual_refiners(mesh: Mesh) -> list[Refiner[PathManager, Crowd]]:
    """Smoothing, level of detail, obstacles, traffic for vehicles, traffic for pedestrians."""
    n = len(mesh)
    return [
        Smoothing(),
        LevelOfDetail(),
        Obstacles(np.zeros((0, 3))),
        VehicleTraffic(np.asarray(mesh.data.get("limit", np.full(n, np.inf)), float)),
        PedestrianTraffic(np.asarray(mesh.data.get("crossing", np.full(n, -1)), np.int32)),
    ]


@kernel
def _pull(
    mesh: MeshArrays,
    crowd: Crowd,
    rows: np.ndarray,
    cells: np.ndarray,
    kept: np.ndarray,
    at: np.ndarray,
    look: np.ndarray,
    state: np.ndarray,
    goal: np.ndarray,
    margin: np.ndarray,
    node: np.ndarray,
    nodes: np.ndarray,
) -> None:
    for i in rows:
        count = min(kept[i] - at[i], look[i])
        if count < 1:
            nodes[i] = 0
            continue
        ahead = cells[i, at[i] : at[i] + count]
        gx, gy = goal[i, 0], goal[i, 1]
        right, left = crowd.radius[i] + margin[i, 0], crowd.radius[i] + margin[i, 1]
        if state[i] != 6 or at[i] + count < kept[i]:
            if count > 1:  # the middle of the last edge
                rx, ry, lx, ly, _ = portal(mesh, ahead[count - 2], ahead[count - 1], 0.0, 0.0)
                gx, gy = 0.5 * (rx + lx), 0.5 * (ry + ly)
                count -= 1
            else:
                gx, gy = crowd.x[i], crowd.y[i]
        written = pull_string(mesh, ahead, count, crowd.x[i], crowd.y[i], gx, gy, right, left, node[i])
        while written > 1 and (
            np.hypot(node[i, 0, 0] - crowd.x[i], node[i, 0, 1] - crowd.y[i]) < crowd.radius[i] + NEAR_ENOUGH
        ):
            for k in range(1, written):
                node[i, k - 1, 0], node[i, k - 1, 1] = node[i, k, 0], node[i, k, 1]
            written -= 1
        nodes[i] = written


@kernel
def _find_kerb(
    mesh: MeshArrays,
    crowd: Crowd,
    rows: np.ndarray,
    cells: np.ndarray,
    kept: np.ndarray,
    at: np.ndarray,
    crossing_of: np.ndarray,
    crossing: np.ndarray,
    to_kerb: np.ndarray,
) -> None:
    """The first crosswalk ahead that the person is not on, within a dozen cells, and the way to its edge."""
    for i in rows:
        crossing[i] = -1
        to_kerb[i] = np.inf
        here = crossing_of[cells[i, at[i]]]
        for k in range(at[i] + 1, min(kept[i], at[i] + 12)):
            c = crossing_of[cells[i, k]]
            if c >= 0 and c != here:
                crossing[i] = c
                rx, ry, lx, ly, _ = portal(mesh, cells[i, k - 1], cells[i, k], 0.0, 0.0)
                to_kerb[i] = _to_segment(crowd.x[i], crowd.y[i], rx, ry, lx, ly)
                break
            here = c if c != here else here


@inner
@bare
def _to_segment(x: float, y: float, x0: float, y0: float, x1: float, y1: float) -> float:
    dx, dy = x1 - x0, y1 - y0
    along = ((x - x0) * dx + (y - y0) * dy) / max(dx * dx + dy * dy, 1e-12)
    along = min(1.0, max(0.0, along))
    return float(np.hypot(x - x0 - along * dx, y - y0 - along * dy))


@kernel
def _go_round(crowd: Crowd, rows: np.ndarray, discs: np.ndarray, node: np.ndarray, nodes: np.ndarray) -> None:
    """Put a node beside the first disc that the way to the first node would touch."""
    for i in rows:
        if nodes[i] < 1:
            continue
        x, y = crowd.x[i], crowd.y[i]
        dx, dy = node[i, 0, 0] - x, node[i, 0, 1] - y
        length = np.hypot(dx, dy)
        if length < 1e-6:
            continue
        dx, dy = dx / length, dy / length
        nearest, which, aside_there = length, -1, 0.0
        for k in range(len(discs)):
            px, py = discs[k, 0] - x, discs[k, 1] - y
            ahead, aside = px * dx + py * dy, dx * py - dy * px
            if 0.0 < ahead < nearest and abs(aside) < discs[k, 2] + crowd.radius[i] + 0.5 * _SIDE_ROOM:
                nearest, which, aside_there = ahead, k, aside
        if which < 0:
            continue
        room = discs[which, 2] + crowd.radius[i] + _SIDE_ROOM
        side = -1.0 if aside_there >= 0.0 else 1.0  # pass on the side where the way already is
        last = min(nodes[i], node.shape[1] - 1)
        for k in range(last, 0, -1):
            node[i, k, 0], node[i, k, 1] = node[i, k - 1, 0], node[i, k - 1, 1]
        nodes[i] = last + 1
        node[i, 0, 0] = discs[which, 0] - side * dy * room
        node[i, 0, 1] = discs[which, 1] + side * dx * room
