"""Towns of users, from a YAML or TOML file of nodes and streets; or a grid or a town with its numbers.

name: corner shop
left_hand: false
buses: false           # true: junctions are laid out for them
bays: false            # true: there are bays to park in at the kerbs
pavement: 3.0          # [m] wide; 0 for none
crosswalk: 3.0         # [m] wide
corner: 6.0            # [m] radius of kerbs at corners
signals: {advance: 6, green: 24, yellow: 3, all_red: 2, walking: 1.0}
nodes:
  middle: {at: [0, 0], signal: true}
  west: {at: [-150, 10], signal: {greens: [30, 12], least: 6}}
  east: {at: [150, 0], height: 4}
  south: {at: [20, -120]}
streets:
  - {from: west, to: middle, via: [[-80, 20]], lanes: 2, back: 2, turns_to: [[right, straight], [left]]}
  - {from: middle, to: east, lanes: 2, back: 2, limit: 13.9}
  - {from: south, to: middle, sign_to: stop, limit: 8.3}
buildings:
  - [[30, 30], [60, 30], [60, 55], [30, 55]]

A node where one street ends is a dead end with a turning loop; one between two streets may be a crosswalk
(`crossing: true`), with lights for it (`signal: true`) or without. `lanes` lead from the first node to the
second, `back` the other way; 0 makes a one-way street. Instead of nodes and streets a file may say
`grid: {columns: 5, rows: 4, block: 150}` or `town: {seed: 3, columns: 6}`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from swerve.core.errors import BadInput, require
from swerve.core.scene_file import load

from ..roads.lights import SignalTimes
from ..roads.roads import LEFT, RIGHT, STRAIGHT
from .grid_plan import grid
from .level_crossings import check_crossings
from .street_plan import Node, Street, StreetPlan, build_town
from .town import Town
from .winding_plan import winding

_TURNS = {"right": RIGHT, "straight": STRAIGHT, "left": LEFT}
Point = tuple[float, float]
Sign = Literal["free", "yield", "stop"]
Turn = Literal["right", "straight", "left"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True, allow_inf_nan=False)


class _Signals(_Part):
    advance: float = 6.0
    green: float = 24.0
    yellow: float = 3.0
    all_red: float = 2.0
    walking: float = 1.0
    greens: tuple[float, ...] = ()
    least: float | None = None


class _Node(_Part):
    at: Point
    height: float = 0.0
    signal: bool | _Signals = False
    offset: float = Field(0.0, ge=0.0, le=1.0)
    crossing: bool = False


class _Street(_Part):
    start: str = Field(alias="from")
    end: str = Field(alias="to")
    via: list[Point] = []
    lanes: int = Field(1, ge=0, le=6)
    back: int = Field(1, ge=0, le=6)
    width: float = 3.5
    limit: float = 13.9
    sign_from: Sign = "free"
    sign_to: Sign = "free"
    turns_from: list[list[Turn]] | None = None
    turns_to: list[list[Turn]] | None = None


class _Grid(_Part):
    columns: int = 5
    rows: int = 5
    block: float = 200.0
    lanes: int = 2
    signals: bool = True
    pavements: bool = True


class _Town(_Part):
    seed: int = 0
    columns: int = 7
    rows: int = 6
    spacing: float = 140.0
    pavements: bool = True


class _Scene(_Part):
    name: str = ""
    left_hand: bool = False
    pavement: float = Field(3.0, ge=0.0, le=20.0)
    crosswalk: float = Field(3.0, ge=1.0, le=10.0)
    corner: float = Field(6.0, ge=1.0, le=50.0)
    signals: _Signals = _Signals()
    nodes: dict[str, _Node] = {}
    streets: list[_Street] = []
    buildings: list[list[Point]] = []
    buses: bool = False
    bays: bool = False
    grid: _Grid | None = None
    town: _Town | None = None


def read_scene(path: str | Path, left_hand: bool = False, buses: bool = False, bays: bool = False) -> Town:
    """The town described in a file; `left_hand` makes it left-hand whatever the file says, `buses` lays its
    junctions out for them, and `bays` are to park in."""
    path = Path(path)
    asked = load(path, "scene", _Scene)
    left_hand, buses, bays = left_hand or asked.left_hand, buses or asked.buses, bays or asked.bays
    try:
        if asked.grid is not None:
            return grid(**asked.grid.model_dump(), buses=buses, bays=bays, left_hand=left_hand)
        if asked.town is not None:
            return winding(**asked.town.model_dump(), buses=buses, bays=bays, left_hand=left_hand)
        plan = _plan(asked, path.stem, left_hand)
        plan = plan.with_bays() if bays else plan
        town = build_town(plan.for_buses() if buses else plan)
        check_crossings(plan)
        return town
    except BadInput as error:
        raise BadInput(str(path), None, str(error)) from error


def _plan(asked: _Scene, stem: str, left_hand: bool) -> StreetPlan:
    index = {name: k for k, name in enumerate(asked.nodes)}
    streets = []
    for k, street in enumerate(asked.streets):
        for word, name in (("from", street.start), ("to", street.end)):
            require(name in index, f"streets.{k}.{word}", name, "is no node")
        streets.append(
            Street(
                index[street.start],
                index[street.end],
                tuple(street.via),
                street.lanes,
                street.back,
                street.width,
                street.limit,
                street.sign_from,
                street.sign_to,
                _turns(street.turns_from),
                _turns(street.turns_to),
            )
        )
    return StreetPlan(
        asked.name or stem,
        tuple(_node(node) for node in asked.nodes.values()),
        tuple(streets),
        asked.pavement,
        asked.crosswalk,
        asked.corner,
        SignalTimes(**asked.signals.model_dump()),
        left_hand,
        tuple(np.array(ring, float).reshape(-1, 2) for ring in asked.buildings),
    )


def _node(asked: _Node) -> Node:
    plan = asked.signal
    if isinstance(plan, bool):
        return Node(*asked.at, asked.height, plan, asked.offset, None, asked.crossing)
    times = SignalTimes(**plan.model_dump())
    return Node(*asked.at, asked.height, True, asked.offset, times, asked.crossing)


def _turns(lanes: list[list[Turn]] | None) -> tuple[frozenset[int], ...] | None:
    if lanes is None:
        return None
    return tuple(frozenset(_TURNS[turn] for turn in lane) for lane in lanes)
