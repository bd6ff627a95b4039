"""A step of all vehicles as one kernel, for now and for foreseeing.

The order of a step can be read off `advance`: who is where, sirens, who may enter junctions, pedals, lane
changes, motion, arrivals, moods, signals.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, kernel

from .desk import Desk, survey
from .destinations import arrive
from .doors import depart
from .drivers import accelerate
from .emergency import pass_others, watch_sirens
from .fleet import PARKED, Fleet
from .frustration import feel
from .lane_change import change_lanes
from .motion import move
from .net import Net
from .order import Order, sort_entries
from .rules import grant
from .signalling import signal
from .yielding import yield_to_sirens


@kernel
def advance(
    net: Net,
    fleet: Fleet,
    own: int,
    rows: np.ndarray,
    order: Order,
    desk: Desk,
    field: np.ndarray,
    roads: np.ndarray,
    lights: np.ndarray,
    until: np.ndarray,
    busy: np.ndarray,
    now: float,
    step: int,
    seed: int,
    dt: float,
) -> int:
    """All vehicles, the first `own` rows of the fleet, by `dt` [s]; how many arrived.

    `rows` are those who are on the roads, ascending, whoever they are; `lights` (groups) states, `until` [s]
    their next change, `busy` (crosswalks) where people are.
    """
    sirens = np.empty(len(rows), np.int64)
    count = mine = 0
    for i in rows:
        if fleet[i].emergency:
            sirens[count] = i
            count += 1
            if i < own:
                mine += 1
    sirens = sirens[:count]
    inwards = step % 2 == 0
    sort_entries(net, fleet, rows, order)
    watch_sirens(net, fleet, desk, lights, sirens)
    yield_to_sirens(net, fleet, rows, sirens)
    survey(net, fleet, rows, order, desk, lights, until, busy, dt)
    grant(net, fleet, rows, order, desk, lights, busy, now)
    accelerate(net, fleet, rows, order, lights, dt)
    change_lanes(net, fleet, rows, order, desk, field, inwards, step)
    pass_others(net, fleet, order, desk, field, sirens[:mine], inwards, dt)
    arrived = 0
    for i in rows:
        if fleet[i].autonomous:
            move(net, fleet, field, i, dt)
            if i < own and depart(net, fleet, i):
                continue
            arrived += arrive(net, fleet, field, roads, i, seed)
        feel(fleet, i, dt)
        signal(net, fleet, i)
    return arrived


@kernel
def present(fleet: Fleet) -> np.ndarray:
    """Rows of those who are on the lanes."""
    rows = np.empty(len(fleet), np.int64)
    count = 0
    for i in range(len(fleet)):
        if fleet[i].strip >= 0 and fleet[i].berth != PARKED:
            rows[count] = i
            count += 1
    return rows[:count]


@kernel
def roll(
    net: Net,
    fleet: Fleet,
    own: int,
    order: Order,
    desk: Desk,
    field: np.ndarray,
    roads: np.ndarray,
    lights: np.ndarray,
    until: np.ndarray,
    busy: np.ndarray,
    times: np.ndarray,
    step: int,
    seed: int,
    dt: float,
) -> np.ndarray:
    """Poses (k + 1, own, 3) of the vehicles now and after each of k steps, which a copy of the fleet takes.

    `lights`, `until` (k, groups) at `times` (k,). Foreign bodies go on along their strips or leave them.
    """
    poses = np.empty((len(times) + 1, own, 3))
    _note(fleet, own, poses[0])
    for k in range(len(times)):
        advance(
            net,
            fleet,
            own,
            present(fleet),
            order,
            desk,
            field,
            roads,
            lights[k],
            until[k],
            busy,
            times[k],
            step + k,
            seed,
            dt,
        )
        for i in range(own, len(fleet)):
            fleet[i].station += fleet[i].speed * dt
            fleet[i].arrives = max(0.0, fleet[i].arrives - dt)
            fleet[i].leaves -= dt
            if fleet[i].leaves <= 0.0:
                fleet[i].strip = -1
        _note(fleet, own, poses[k + 1])
    return poses


@bare
def _note(fleet: Fleet, own: int, poses: np.ndarray) -> None:
    for i in range(own):
        poses[i, 0], poses[i, 1], poses[i, 2] = fleet[i].x, fleet[i].y, fleet[i].heading
