"""Meshes from elsewhere: the pavements of a town, triangles of a model, OBJ files."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import BadInput, require

from ..towns.town import Town
from .mesh import CROSSWALK, PAVEMENT, Mesh
from .mesh_cut import join_convex
from .mesh_stitch import WELD, weld
from .mesh_walk import Walker, walkable_mesh

STEEPEST = np.radians(45.0)  # [rad] that people walk on
_FACET = np.radians(2.0)  # [rad] triangles of one facet differ by less


def mesh_of_town(town: Town) -> Mesh:
    """Pavements (also those read from OpenDRIVE) and crosswalks.

    Blind data: `surface` (1 crosswalk, 2 pavement), `crossing` (its number, or -1), `tag`, the word that a
    person's attribute `crosswalk_tag` is compared with, and `area`, which of the town's pavements it is.
    """
    areas = town.pavements
    require(len(areas) > 0, "pavements", town.name, "a town without pavements has no room for people")
    return Mesh.from_cells(
        [area.points for area in areas],
        surface=[CROSSWALK if area.tag == "crosswalk" else PAVEMENT for area in areas],
        crossing=np.array([area.crossing for area in areas], np.int32),
        tag=np.array([area.tag for area in areas]),
        area=np.arange(len(areas), dtype=np.int32),
    )


def mesh_of_triangles(points: ArrayLike, triangles: ArrayLike, steepest: float = STEEPEST) -> Mesh:
    """From triangles (t, 3) of points (v, 3) [m], z up, without those steeper than `steepest` [rad].

    Neighbours in one plane are joined to larger cells; blind data `slope` [rad] is kept.
    """
    return _mesh_of_triangles(np.asarray(points, float), np.asarray(triangles, np.int64), steepest)


def _mesh_of_triangles(points: np.ndarray, triangles: np.ndarray, steepest: float) -> Mesh:
    require(points.ndim == 2 and points.shape[1] == 3, "points", points.shape, "must be (vertices, 3)")
    require(triangles.ndim == 2 and triangles.shape[1] == 3, "triangles", triangles.shape, "must be (t, 3)")
    if len(triangles) and (triangles.min() < 0 or triangles.max() >= len(points)):
        raise BadInput("triangles", int(triangles.max()), f"must name vertices below {len(points)}")
    label = weld(points, WELD)
    welded = np.zeros((label.max() + 1 if len(points) else 0, 3))
    welded[label] = points
    triangles = label[triangles]
    corners = welded[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normal, axis=1)
    slope = np.arccos(np.clip(normal[:, 2] / np.maximum(size, 1e-12), -1.0, 1.0))
    walkable = (size > 1e-9) & (slope < steepest)
    require(bool(walkable.any()), "triangles", len(triangles), "none is flat enough to walk on")
    triangles, slope = triangles[walkable], slope[walkable]
    unit = (normal / np.maximum(size, 1e-12)[:, None])[walkable]
    _, facet = np.unique(np.round(unit / np.sin(_FACET)).astype(int), axis=0, return_inverse=True)
    owner = {tuple(t): i for i, t in enumerate(triangles.tolist())}
    cells = join_convex(welded[:, :2], [list(t) for t in owner], facet[list(owner.values())].ravel())
    pitch = np.zeros(len(welded))
    np.maximum.at(pitch, triangles.ravel(), np.repeat(slope, 3))
    return Mesh.from_cells(
        [welded[cell] for cell in cells],
        surface=[PAVEMENT] * len(cells),
        slope=[float(pitch[cell].min()) for cell in cells],
    )


def read_obj(path: str | Path, up: str = "y", walker: Walker | None = None) -> Mesh:
    """Where a walker can be on a Wavefront OBJ model; `up` is its axis (y or z) that points up."""
    require(up in ("y", "z"), "up", up, "must be y or z")
    points: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise BadInput("mesh", str(path), "cannot be read") from error
    for number, line in enumerate(lines, 1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                x, y, z = (float(word) for word in words[1:4])
                points.append([x, y, z])
            elif words[:1] == ["f"]:
                face = [_index(word, len(points)) for word in words[1:]]
                triangles += [(face[0], b, c) for b, c in pairwise(face[1:])]
        except (ValueError, IndexError) as error:
            raise BadInput(f"{path}, line {number}", line.strip()[:60], "cannot be understood") from error
    require(len(triangles) > 0, f"{path}", len(triangles), "holds no faces")
    shape = np.array(points)
    require(shape.ndim == 2 and shape.shape[1] == 3, f"{path}", None, "vertices need three numbers")
    if up == "y":
        shape = np.stack([shape[:, 0], -shape[:, 2], shape[:, 1]], -1)
    return walkable_mesh(shape, triangles, walker)


def _index(word: str, known: int) -> int:
    """A vertex of a face: counted from 1, or from the last one backwards."""
    k = int(word.split("/")[0])
    k = k - 1 if k > 0 else known + k
    if not 0 <= k < known:
        raise IndexError(word)
    return k
