"""Winding towns from a seed: crooked streets, a few main streets, dead ends, and houses along them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from swerve.core.errors import require
from swerve.core.geometry import outlines
from swerve.core.seeding import generator

from ..roads.curves import Curve
from .street_plan import Node, ShortStreet, Street, StreetPlan, build_town, centre_line
from .town import Town

JITTER = 0.13  # of the spacing, by which a node lies off the lattice
BEND = 0.05  # of its length, by which a street swings to the side
CLOSED = 0.22  # share of side streets that are left out
MAIN_EVERY = 5  # streets, counted from the middle
MAIN_LIMIT, SIDE_LIMIT = 13.9, 8.3  # [m/s] 50 and 30 km/h
_SETBACK = (2.5, 5.0)  # [m] from pavement to house
_FRONT, _DEPTH = (9.0, 16.0), (8.0, 12.0)  # [m] of a house


def winding(
    seed: int = 0,
    columns: int = 7,
    rows: int = 6,
    spacing: float = 140.0,
    left_hand: bool = False,
    pavements: bool = True,
    buses: bool = False,
    bays: bool = False,
) -> Town:
    """A winding town for a seed: main streets, side streets, dead ends, lights, signs, and houses where
    there is room for them; `buses` get round its corners if they are asked for, and there are `bays` to park
    in."""
    plan = plan_winding_town(seed, columns, rows, spacing)
    plan = plan.with_bays() if bays else plan
    plan, town = _built(plan.for_buses() if buses else plan)
    if not pavements:
        return build_town(replace(plan, pavement=0.0, left_hand=left_hand))
    houses = _houses(plan, town, generator(seed, "houses"))
    return build_town(replace(plan, buildings=houses, left_hand=left_hand))


def _built(plan: StreetPlan) -> tuple[StreetPlan, Town]:
    """The town of a plan; streets that bends leave too short for their junctions are straight in it."""
    while True:
        try:
            return plan, build_town(plan)
        except ShortStreet as error:
            ends = {plan.streets[error.street].start, plan.streets[error.street].end}
            near = [
                k for k, street in enumerate(plan.streets) if street.via and ends & {street.start, street.end}
            ]
            if not near:
                raise
            some = [error.street] if error.street in near else near
            straight = [
                replace(street, via=()) if k in some else street for k, street in enumerate(plan.streets)
            ]
            plan = replace(plan, streets=tuple(straight))


def plan_winding_town(seed: int, columns: int, rows: int, spacing: float) -> StreetPlan:
    """Nodes on a shaken lattice; every fifth street is a main street with two lanes each way."""
    require(columns >= 3, "columns", columns, "must be at least 3")
    require(rows >= 3, "rows", rows, "must be at least 3")
    require(110.0 <= spacing <= 1000.0, "spacing", spacing, "must be from 110 to 1000 m")
    rng = generator(seed, "town")
    place = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 2) * spacing
    place = place + rng.uniform(-JITTER, JITTER, place.shape) * spacing
    across = [(j - rows // 2) % MAIN_EVERY == 0 for j in range(rows)]
    along = [(i - columns // 2) % MAIN_EVERY == 0 for i in range(columns)]
    edges = []
    for j in range(rows):
        for i in range(columns):
            here = j * columns + i
            if i + 1 < columns:
                edges.append((here, here + 1, across[j]))
            if j + 1 < rows:
                edges.append((here, here + columns, along[i]))
    kept = _thin_out(edges, len(place), rng)
    degree = np.bincount(np.array([edge[:2] for edge in kept]).ravel(), minlength=len(place))
    mains = np.bincount(np.array([edge[:2] for edge in kept if edge[2]]).ravel(), minlength=len(place))
    signal = (degree >= 3) & ((mains >= 3) | (rng.random(len(place)) < np.where(mains > 0, 0.4, 0.15)))
    nodes = tuple(
        Node(float(x), float(y), 0.0, bool(lit), float(rng.random()))
        for (x, y), lit in zip(place, signal, strict=True)
    )
    streets = []
    for a, b, main in kept:
        signs = [_sign(node, (a, b), main, kept, place, degree, mains) for node in (a, b)]
        lanes, limit = (2, MAIN_LIMIT) if main else (1, SIDE_LIMIT)
        via = _bends(place[a], place[b], rng)
        streets.append(Street(a, b, via, lanes, lanes, 3.5, limit, signs[0], signs[1]))
    return StreetPlan(f"town {seed}", nodes, tuple(streets))


def _thin_out(
    edges: list[tuple[int, int, bool]], nodes: int, rng: np.random.Generator
) -> list[tuple[int, int, bool]]:
    """Leave out some side streets so that everything stays connected; dead ends may come of it."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    kept = list(edges)
    for k in rng.permutation(len(edges)):
        if edges[k][2] or rng.random() > CLOSED:
            continue
        trial = [edge for edge in kept if edge != edges[k]]
        ends = np.array([edge[:2] for edge in trial])
        graph = csr_matrix((np.ones(len(ends)), ends.T), shape=(nodes, nodes))
        if connected_components(graph, directed=False)[0] == 1:
            kept = trial
    return kept


def _sign(
    node: int,
    street: tuple[int, int],
    main: bool,
    kept: list[tuple[int, int, bool]],
    place: np.ndarray,
    degree: np.ndarray,
    mains: np.ndarray,
) -> str:
    """What binds who arrives at a node: side streets yield to main ones, the stem of a T to its bar; where
    four equal streets meet, all stop."""
    if degree[node] < 3:
        return "free"
    if mains[node]:
        return "free" if main else "stop" if degree[node] == 4 else "yield"
    if degree[node] == 4:
        return "stop"
    others = [b if a == node else a for a, b, _ in kept if node in (a, b)]
    away = {other: _unit(place[other] - place[node]) for other in others}
    mine = street[0] if street[1] == node else street[1]
    opposed = min(away[mine] @ away[other] for other in others if other != mine)
    return "free" if opposed < -0.7 else "yield"


def _bends(a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> tuple[tuple[float, float], ...]:
    """Points a third and two thirds of the way, off to the side."""
    way = b - a
    aside = np.array([-way[1], way[0]])
    points = a + np.outer([1 / 3, 2 / 3], way) + np.outer(rng.uniform(-BEND, BEND, 2), aside)
    return tuple((float(x), float(y)) for x, y in points)


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.hypot(*vector)


def _houses(plan: StreetPlan, town: Town, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Houses that face their streets, kept where they are clear of roads, pavements and each other."""
    from scipy.spatial import cKDTree

    poses, sizes = [], []
    for street in plan.streets:
        centre = centre_line(plan, street)
        for side, lanes in ((-1.0, street.lanes), (1.0, street.back)):
            kerb = lanes * street.width + plan.pavement
            at = 12.0
            while at < centre.length - 12.0:
                front, depth = rng.uniform(*_FRONT), rng.uniform(*_DEPTH)
                aside = side * (kerb + rng.uniform(*_SETBACK) + depth / 2)
                poses.append(_pose(centre, at + front / 2, aside))
                sizes.append((front, depth))
                at += front + rng.uniform(2.0, 9.0)
    rings = [outlines(np.array([p]), *size)[0] for p, size in zip(poses, sizes, strict=True)]
    pave = town.paving.reshape(-1, 4, 2)
    middles = [pave.mean(axis=1), *((pave + np.roll(pave, -1, axis=1)) / 2).swapaxes(0, 1)]
    points = np.concatenate([np.stack([town.roads.x, town.roads.y], -1), pave.reshape(-1, 2), *middles])
    busy = cKDTree(points)
    centres = np.array(poses)[:, :2]
    reach = np.array([np.hypot(*size) / 2 for size in sizes])
    close = cKDTree(centres).query_ball_point(centres, 2 * reach.max() + 1.0)
    kept = np.zeros(len(rings), bool)
    for i in range(len(rings)):
        near = busy.query_ball_point(centres[i], reach[i] + 2.0)
        if near and _inside(points[near], poses[i], sizes[i], 1.2).any():
            continue
        others = [k for k in close[i] if kept[k]]
        gaps = np.hypot(*(centres[others] - centres[i]).T) - reach[others] - reach[i]
        kept[i] = not (gaps < 1.0).any()
    return tuple(rings[i] for i in np.flatnonzero(kept))


def _pose(centre: Curve, station: float, aside: float) -> tuple[float, float, float]:
    at = station / centre.length * (len(centre.x) - 1)
    x, y, h = (float(np.interp(at, np.arange(len(centre.x)), v)) for v in centre[:3])
    return x - aside * np.sin(h), y + aside * np.cos(h), h


def _inside(
    points: np.ndarray, pose: tuple[float, float, float], size: tuple[float, float], margin: float
) -> np.ndarray:
    """Which points lie within a box or `margin` [m] of it."""
    dx, dy = points[:, 0] - pose[0], points[:, 1] - pose[1]
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return (np.abs(c * dx + s * dy) < size[0] / 2 + margin) & (np.abs(c * dy - s * dx) < size[1] / 2 + margin)
