"""Where people stand: places for all of them, the ground under them, and who stands in a fast body's way."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.errors import BadInput, require

from ..ground.mesh import Mesh
from ..ground.mesh_arrays import heights_under
from .footing import BETWEEN, SKIN, Crowd

DANGER = 0.8  # [m] beside the way of a fast body


def spread_out(
    mesh: Mesh,
    allowed: np.ndarray,
    walls: np.ndarray,
    radius: np.ndarray,
    rng: np.random.Generator,
    taken: np.ndarray | None = None,
) -> np.ndarray:
    """Random places (n, 2) [m] for discs that touch neither each other, nor those `taken` (m, 3), nor a wall
    (k, 4)."""
    n = len(radius)
    placed = np.zeros((0, 2))
    others = np.zeros((0, 3)) if taken is None else taken
    for _ in range(200):
        missing = n - len(placed)
        if missing == 0:
            return placed
        trial = mesh.random_points(rng, 2 * missing + 8, allowed)
        size = radius.max()
        if len(others):
            apart = cKDTree(others[:, :2]).query(trial)[0]
            trial = trial[apart > size + others[:, 2].max() + 2 * BETWEEN]
        trial = trial[_wall_distance(trial, walls) > size + 2 * SKIN]
        near = cKDTree(trial).query_pairs(2 * size + 2 * BETWEEN, output_type="ndarray")
        keep = np.ones(len(trial), bool)
        for a, b in near:
            if keep[a]:
                keep[b] = False
        trial = trial[keep]
        if len(placed) and len(trial):
            trial = trial[cKDTree(placed).query(trial)[0] > 2 * size + 2 * BETWEEN]
        placed = np.vstack([placed, trial])[:n]
    raise BadInput("pedestrians", n, f"there is room for {len(placed)} only")


def stand(
    mesh: Mesh,
    crowd: Crowd,
    positions: np.ndarray | None,
    allowed: np.ndarray,
    walls: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """Put everybody at its position, or somewhere on allowed cells, apart from each other and from walls."""
    n = len(crowd.x)
    if positions is not None:
        require(np.shape(positions) == (n, 2), "positions", np.shape(positions), f"must be ({n}, 2)")
        crowd.x[:], crowd.y[:] = np.asarray(positions, float).T
    else:
        crowd.x[:], crowd.y[:] = spread_out(mesh, allowed, walls, crowd.radius, rng).T
    crowd.cell[:] = mesh.locate(crowd.x, crowd.y)
    off = np.flatnonzero(crowd.cell < 0)
    if len(off):
        raise BadInput(f"positions[{off[0]}]", (crowd.x[off[0]], crowd.y[off[0]]), "is off the mesh")


def stand_too(
    mesh: Mesh,
    crowd: Crowd,
    rows: np.ndarray,
    positions: np.ndarray | None,
    allowed: np.ndarray,
    walls: np.ndarray,
    foreign: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """Put `rows` among those who are there already: at positions (k, 2) [m], or anywhere on allowed cells.

    `foreign` (m, 6) are bodies that are no people: x, y, heading, length, width, speed.
    """
    there = np.setdiff1d(np.arange(len(crowd.x)), rows)
    taken = np.stack([crowd.x[there], crowd.y[there], crowd.radius[there]], -1)
    around = np.column_stack([foreign[:, :2], np.hypot(foreign[:, 3], foreign[:, 4]) / 2])
    taken = np.vstack([taken, around])
    if positions is None:
        positions = spread_out(mesh, allowed, walls, crowd.radius[rows], rng, taken)
    require(np.shape(positions) == (len(rows), 2), "at", np.shape(positions), f"must be ({len(rows)}, 2)")
    for row, (x, y) in zip(rows, np.asarray(positions, float), strict=True):
        apart = np.hypot(taken[:, 0] - x, taken[:, 1] - y) - taken[:, 2] - crowd.radius[row] - BETWEEN
        cell = int(mesh.locate(np.array([x]), np.array([y]))[0])
        free = apart.min(initial=np.inf) > 0.0
        free &= _wall_distance(np.array([[x, y]]), walls)[0] > crowd.radius[row] + SKIN
        require(cell >= 0, "at", (float(x), float(y)), "is off the mesh")
        require(bool(allowed[cell]), "at", (float(x), float(y)), "is on a crosswalk")
        require(bool(free), "at", (float(x), float(y)), "has no room for a person")
        crowd.x[row], crowd.y[row], crowd.cell[row] = x, y, cell
        taken = np.vstack([taken, [x, y, crowd.radius[row]]])


def in_danger(crowd: Crowd, poses: np.ndarray, half: np.ndarray) -> np.ndarray:
    """(n,) whether a person stands on the way, poses (m, k, 3), of bodies 2 · `half` (m,) wide."""
    a, b = poses[:, :-1, :2].reshape(-1, 2), poses[:, 1:, :2].reshape(-1, 2)
    wide = np.repeat(half + DANGER, poses.shape[1] - 1)
    at = np.stack([crowd.x, crowd.y], -1)[:, None]
    d = b - a
    share = ((at - a) * d).sum(-1) / np.maximum((d * d).sum(-1), 1e-9)
    off = at - a - np.clip(share, 0.0, 1.0)[..., None] * d
    return (np.hypot(off[..., 0], off[..., 1]) < wide + crowd.radius[:, None]).any(axis=1)


def ground_under(mesh: Mesh, crowd: Crowd, planes: np.ndarray | None) -> np.ndarray:
    """Height [m] of the ground under everybody (n,), on the `planes` of their cells if these are told."""
    if planes is None:
        return heights_under(mesh.arrays, crowd.cell, crowd.x, crowd.y)
    level, ahead, left, x, y = planes[np.maximum(crowd.cell, 0)].T
    return np.asarray(level + ahead * (crowd.x - x) + left * (crowd.y - y))


def _wall_distance(points: np.ndarray, walls: np.ndarray) -> np.ndarray:
    """Distance (n,) [m] of points to the nearest wall."""
    best = np.full(len(points), np.inf)
    for k in range(0, len(walls), 512):
        a, b = walls[k : k + 512, :2], walls[k : k + 512, 2:]
        d = b - a
        to = points[:, None] - a
        along = np.clip((to * d).sum(-1) / np.maximum((d * d).sum(-1), 1e-12), 0.0, 1.0)
        best = np.minimum(best, np.hypot(*np.moveaxis(to - along[..., None] * d, -1, 0)).min(axis=1))
    return best
