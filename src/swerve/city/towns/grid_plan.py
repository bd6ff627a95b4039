"""A town of straight streets at right angles, the usual place to measure traffic."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import require

from .street_plan import Node, Street, StreetPlan, build_town
from .town import Town

LANE_WIDTH = 3.5  # [m]
LIMIT = 13.9  # [m/s] 50 km/h
_SETBACK = 2.0  # [m] from pavement to building
_CUT = 1.0 - np.sqrt(0.5)  # by which a rounder corner, a metre more of radius, comes nearer to both walls
_GOLDEN = 0.6180339887498949


def grid(
    columns: int = 5,
    rows: int = 5,
    block: float = 200.0,
    lanes: int = 2,
    signals: bool = True,
    left_hand: bool = False,
    pavements: bool = True,
    buses: bool = False,
    bays: bool = False,
) -> Town:
    """`columns` by `rows` junctions, `block` [m] apart, `lanes` each way; `buses` get round its corners if
    they are asked for, and there are `bays` to park in.

    >>> town = grid(3, 2)
    >>> len(town.roads), town.roads.junctions
    (60, 6)
    """
    return build_town(plan_grid(columns, rows, block, lanes, signals, left_hand, pavements, buses, bays))


def plan_grid(
    columns: int,
    rows: int,
    block: float = 200.0,
    lanes: int = 2,
    signals: bool = True,
    left_hand: bool = False,
    pavements: bool = True,
    buses: bool = False,
    bays: bool = False,
) -> StreetPlan:
    """Junctions `block` [m] apart; corners are bends, everything else has lights or stop signs."""
    require(columns >= 2, "columns", columns, "must be at least 2")
    require(rows >= 2, "rows", rows, "must be at least 2")
    most = max(columns, rows)
    require(most >= 3, "columns and rows", (columns, rows), "one must be at least 3: four bends are no grid")
    require(1 <= lanes <= 4, "lanes", lanes, "must be from 1 to 4")
    require(80.0 <= block <= 5000.0, "block", block, "must be from 80 to 5000 m")
    nodes, streets = [], []
    for j in range(rows):
        for i in range(columns):
            corner = i in (0, columns - 1) and j in (0, rows - 1)
            offset = ((j * columns + i) * _GOLDEN) % 1.0  # no two neighbours in step
            nodes.append(Node(i * block, j * block, signal=signals and not corner, offset=offset))
    sign = "free" if signals else "stop"
    for j in range(rows):
        for i in range(columns):
            here = j * columns + i
            for there in [here + 1] * (i + 1 < columns) + [here + columns] * (j + 1 < rows):
                streets.append(Street(here, there, (), lanes, lanes, LANE_WIDTH, LIMIT, sign, sign))
    plan = StreetPlan(f"grid {columns}x{rows}", tuple(nodes), tuple(streets), left_hand=left_hand)
    usual, plan = plan.corner, plan.for_buses() if buses else plan
    plan = plan.with_bays() if bays else plan
    if not pavements:
        return plan.without_pavements()
    inset = lanes * LANE_WIDTH + plan.pavement + _SETBACK + _CUT * (plan.corner - usual)
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    buildings = tuple(
        square * (block - 2 * inset) + [i * block + inset, j * block + inset]
        for j in range(rows - 1)
        for i in range(columns - 1)
    )
    return plan.with_buildings(buildings)
