"""The path manager of a batch of people: where each goes, through which cells, in which state that is.

A path is coarse first: a row of cells to the goal, or the first `CELLS` of it. What lies ahead is refined
into nodes as the person gets there; every refiner sees the whole batch.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from swerve.core.kernels import kernel

from ...characters.paths import Paths, PathState
from ...ground.mesh import Mesh
from ...ground.mesh_arrays import MeshArrays
from ...ground.mesh_path import SearchDesk, make_desk, search_cells
from ..footing import Crowd

CELLS = 96  # of a path that are kept; the rest is looked for when it is needed
NODES = 6  # refined ahead
LOOK = 24  # cells that are refined ahead
CORNER_MARGIN = 0.1  # [m] more than a body's radius
SEARCHES = 8  # a step
_SPARE = 16  # cells before the end of a partial path at which it is continued


class PathManager(Paths[Crowd]):
    """Paths of n people over the allowed cells of a mesh.

    Pieces are cells. `crossing` (n,) and `to_kerb` (n,) [m] are the next crosswalk and the way to it.
    """

    def __init__(self, mesh: Mesh, allowed: np.ndarray, count: int, price: np.ndarray | None = None):
        super().__init__(count, NODES, look=LOOK)
        self.mesh, self.allowed = mesh, np.asarray(allowed, bool)
        self.price = np.ones(len(mesh)) if price is None else np.asarray(price, float)
        self.goal_cell = np.full(count, -1, np.int32)
        self.cells = np.full((count, CELLS), -1, np.int32)
        self.kept = np.zeros(count, np.int32)  # cells of the path that are stored
        self.at = np.zeros(count, np.int32)  # which of them the person is in
        self.crossing = np.full(count, -1, np.int32)
        self.to_kerb = np.full(count, np.inf)
        self.margin = np.full((count, 2), CORNER_MARGIN)  # [m] kept from corners to the right and left
        self.searches = 0
        self._desk: SearchDesk = make_desk(mesh)
        self._turn = 0

    fresh: ClassVar[dict[str, float]] = {
        **Paths.fresh, "look": LOOK, "goal_cell": -1, "cells": -1, "kept": 0, "at": 0, "crossing": -1,
        "to_kerb": np.inf, "margin": CORNER_MARGIN,
    }  # fmt: skip

    def ask(self, rows: np.ndarray, goal: np.ndarray) -> None:
        """From now on `rows` want to go to `goal` (k, 2) [m]."""
        self.goal[rows] = goal
        self.goal_cell[rows] = self.mesh.locate(*np.reshape(goal, (-1, 2)).T)
        self.state[rows] = PathState.PATHFINDING

    def advance(self, crowd: Crowd, dt: float, budget: int = SEARCHES) -> None:
        """Follow everybody along its cells, search for at most `budget` people, refine where it is due."""
        _follow(self.cells, self.kept, self.at, self.state, crowd.cell)
        asking = np.flatnonzero(self.state == PathState.PATHFINDING)
        if len(asking):
            turn = asking[np.argsort((asking - self._turn) % len(self.state), kind="stable")][:budget]
            self._turn = int(turn[-1]) + 1
            _search_batch(
                self.mesh.arrays,
                self._desk,
                self.allowed,
                self.price,
                crowd,
                turn,
                self.goal,
                self.goal_cell,
                self.cells,
                self.kept,
                self.at,
                self.state,
            )
            self.searches += len(turn)
            self.age[turn] = np.inf
        rows = self.due(dt, self.state >= PathState.PARTIAL)
        if len(rows):
            for refiner in self.refiners:
                refiner.refine(self, crowd, rows)


@kernel
def _follow(cells: np.ndarray, kept: np.ndarray, at: np.ndarray, state: np.ndarray, cell: np.ndarray) -> None:
    """Find everybody's cell on its path; who has left it, or is near the end of a part, needs a search."""
    for i in range(len(cell)):
        if state[i] < 4:
            continue
        if cells[i, at[i]] != cell[i]:
            found = -1
            for k in range(max(0, at[i] - 3), min(kept[i], at[i] + 6)):
                if cells[i, k] == cell[i]:
                    found = k
            if found < 0:
                state[i] = 3
                continue
            at[i] = found
        if state[i] == 4 and at[i] > kept[i] - _SPARE:
            state[i] = 3


@kernel
def _search_batch(
    mesh: MeshArrays,
    desk: SearchDesk,
    allowed: np.ndarray,
    price: np.ndarray,
    crowd: Crowd,
    rows: np.ndarray,
    goal: np.ndarray,
    goal_cell: np.ndarray,
    cells: np.ndarray,
    kept: np.ndarray,
    at: np.ndarray,
    state: np.ndarray,
) -> None:
    for i in rows:
        start, end = crowd.cell[i], goal_cell[i]
        if start < 0 or not allowed[start]:
            state[i] = 1
            continue
        if end < 0 or not allowed[end]:
            state[i] = 2
            continue
        count = search_cells(
            mesh,
            desk,
            allowed,
            price,
            start,
            end,
            crowd.x[i],
            crowd.y[i],
            goal[i, 0],
            goal[i, 1],
            crowd.radius[i],
            cells[i],
        )
        kept[i] = min(abs(count), cells.shape[1])
        at[i] = 0
        if count < 0:
            state[i] = 5
        else:
            state[i] = 6 if count <= cells.shape[1] else 4
