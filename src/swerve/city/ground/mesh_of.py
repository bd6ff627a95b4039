"""Any ground as a mesh that people walk on: a town, a mesh, the squares of a quadtree, waypoints, and several
of them connected.

A waypoint becomes a cell round it, an edge a strip between two of them; edges that cross without a waypoint
pass over each other.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from swerve.core.errors import BadInput

from ..towns.town import Town
from .contexts import NavigationContext
from .mesh import PAVEMENT, Mesh
from .mesh_meta import cells_of
from .mesh_read import mesh_of_town
from .meta import MetaNetwork
from .quadtree import QuadTree
from .waypoints import WaypointNetwork

Place: TypeAlias = Town | Mesh | QuadTree | WaypointNetwork | MetaNetwork
SHARE = 0.45  # of the way to the next waypoint that the cell round one may take
WIDEST = np.radians(50.0)  # [rad] half the angle at a waypoint that an edge may take
ROUND = np.radians(40.0)  # [rad] between corners of a cell where no edge begins
LEAST = np.radians(3.0)  # [rad] half the angle between edges that can be told apart


def mesh_of(place: Place) -> Mesh:
    """The mesh of a place.

    >>> mesh = mesh_of(WaypointNetwork([[0, 0], [10, 0], [10, 10]], [(0, 1), (1, 2)], radius=1.5))
    >>> len(mesh), mesh.parts().max() + 1
    (5, np.int32(1))
    """
    if isinstance(place, Mesh):
        return place
    if isinstance(place, Town):
        return mesh_of_town(place)
    if not isinstance(place, MetaNetwork):
        rings = _rings(place)
        return Mesh.from_cells(rings, surface=[PAVEMENT] * len(rings))
    cells, owner = cells_of(place, [_rings(context) for context in place.contexts])
    surface = np.full(len(cells), PAVEMENT)
    for number, context in enumerate(place.contexts):
        if isinstance(context, Mesh) and "surface" in context.data:
            mine = np.flatnonzero(owner == number)
            at = context.locate(*np.array([cells[k].mean(axis=0) for k in mine]).T)
            surface[mine] = np.where(at >= 0, context.data["surface"][at], PAVEMENT)
    return Mesh.from_cells(cells, surface=surface)


def _rings(context: NavigationContext) -> list[np.ndarray]:
    if isinstance(context, WaypointNetwork):
        return _rings_of_network(context)
    if isinstance(context, (Mesh, QuadTree)):
        return [np.asarray(context.ring(k)) for k in range(len(context))]
    raise BadInput("context", type(context).__name__, "must be a mesh, a quadtree or a waypoint network")


def _rings_of_network(network: WaypointNetwork) -> list[np.ndarray]:
    """Cells of the waypoints, then those of the edges."""
    edges = sorted({(min(a, b), max(a, b)) for a, b in network.edges.tolist() if a != b})
    way = {(a, b): network.points[b] - network.points[a] for i, j in edges for a, b in ((i, j), (j, i))}
    angle = {pair: float(np.arctan2(to[1], to[0])) for pair, to in way.items()}
    doors: dict[tuple[int, int], np.ndarray] = {}
    rings = []
    for a, middle in enumerate(network.points):
        mine = [pair for pair in way if pair[0] == a]
        nearest = min((float(np.hypot(*way[pair])) for pair in mine), default=np.inf)
        radius = min(float(network.radius[a]), SHARE * nearest)
        towards = np.array([angle[pair] for pair in mine])
        half = _half_angle(towards)
        if half < LEAST:
            raise BadInput(f"waypoint {a}", len(mine), "has edges that lead the same way")
        for pair in mine:
            ends = angle[pair] + np.array([-half, half])
            doors[pair] = middle + radius * np.stack([np.cos(ends), np.sin(ends)], -1)
        free = np.arange(-np.pi, np.pi, ROUND)
        apart = np.abs(np.angle(np.exp(1j * (free[:, None] - towards[None])))).min(axis=1, initial=np.inf)
        free = free[apart > half + 0.1]
        corners = np.concatenate([*(doors[pair] for pair in mine), middle + radius * _unit(free)])
        around = np.arctan2(*(corners - middle).T[::-1])
        rings.append(corners[np.argsort(around)])
    rings += [np.concatenate([doors[a, b], doors[b, a]]) for a, b in edges]
    return rings


def _half_angle(towards: np.ndarray) -> float:
    """Half the angle [rad] that each of the edges of a waypoint may take."""
    if len(towards) < 2:
        return float(WIDEST)
    turn = np.sort(towards)
    gaps = np.diff(np.append(turn, turn[0] + 2 * np.pi))
    return float(min(WIDEST, gaps.min() / 2))


def _unit(angles: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(angles), np.sin(angles)], -1)
