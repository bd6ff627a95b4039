"""How a mobility map is made: a body swings from side to side, and turns are tried from the states it met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.steered import Steerable

from .data import MapData
from .limits import paces_of, speeds_of, spread, widest_turn
from .trials import Moments, Tracks, state_names, swing, try_turns

KNOT = 0.2  # [s] between the knots of a spline
PERIOD = 6.0  # [s] of the swinging ride
SWINGS = (0.15, 0.4, 0.7, 1.0)  # amplitudes of the swinging ride, as shares of the largest turn
GRAIN = 2.0**-13  # stored numbers are multiples of this (0.12 mm, 0.007°), which halves the file


@dataclass(frozen=True)
class MapOptions:
    """How a map is built: `states` at each of `speeds` speeds (1: the nominal one), `actions` turns of
    `seconds` each. `swings` are amplitudes as shares of the body's own largest turn, of `period` [s]; the
    seed rode one. `widest` [rad] is the largest turn, by default the body's own; `by_trial` finds it by
    trial. `dimensions` names what the nearest state of a speed is found by."""

    states: int = 100
    actions: int = 10
    seconds: float = 5.0
    speeds: int = 1
    swings: Sequence[float] = SWINGS
    period: float = PERIOD
    widest: float | None = None
    by_trial: bool = False
    dimensions: Sequence[str] | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        at_least("states", self.states, 1)
        at_least("actions", self.actions, 2)
        at_least("seconds", self.seconds, 2 * KNOT)
        at_least("speeds", self.speeds, 1)
        if self.widest is not None and not 0 < self.widest < np.pi:
            raise BadInput("widest", self.widest, "must lie between 0 and half a turn")


def gather(body: Steerable, o: MapOptions) -> MapData:
    """Let `body` swing from side to side, then try turns from the states it met."""
    names = state_names(body.sideways)
    dimensions = names[:2] if o.dimensions is None else o.dimensions
    if not dimensions or any(name not in names for name in dimensions):
        raise BadInput("dimensions", list(dimensions), f"must be some of {', '.join(names)}")
    speeds = speeds_of(body, o.speeds)
    tried: list[tuple[float, float]] = []
    turns = np.linspace(body.turns[0], body.turns[1], o.actions)
    if o.by_trial:
        widest, tried = widest_turn(body, speeds, o.threads)
        turns = spread(widest, o.actions)
    elif o.widest is not None:
        turns = spread(o.widest, o.actions)
    swings = np.asarray(o.swings) * max(body.turns)
    rides = [swing(body, swings, o.states, o.period, o.threads, float(v)) for v in speeds]
    snapshots = np.concatenate([ride.snapshots for ride in rides])
    moments = Moments(snapshots, np.concatenate([ride.states for ride in rides]))
    paces = np.repeat(speeds, [len(ride) for ride in rides])
    each = np.repeat(np.arange(len(moments)), o.actions)
    commands = np.tile(turns, len(moments))
    tracks = try_turns(body, moments.pick(each), commands, o.seconds, KNOT, o.threads, paces[each])
    meta = {
        "swings": list(o.swings),
        "period": o.period,
        "seconds": o.seconds,
        "kind": body.kind,
        "outline": list(body.outline),
        "mass": float(body.start(1).mass[0]),
        "sideways": body.sideways,
        "turns tried": [list(pair) for pair in tried],
    }
    return MapData(
        body.name,
        body.speed,
        body.radius,
        turns,
        moments.states,
        moments.snapshots,
        grained(tracks),
        paces,
        paces_of(body, speeds, o.threads),
        tuple(dimensions),
        meta,
    )


def grained(tracks: Tracks) -> Tracks:
    """Numbers as they will be stored, so that a map behaves the same before and after."""
    coarse = [np.round(part / GRAIN) * GRAIN for part in (tracks.pose, tracks.velocity, tracks.lean)]
    pose, velocity, lean = (part.astype(np.float32).astype(float) for part in coarse)
    return Tracks(tracks.dt, pose, velocity, lean, tracks.fell)


def at_least(what: str, value: float, least: float) -> None:
    if not (np.isfinite(value) and value >= least):
        raise BadInput(what, value, f"must be at least {least:g}")
