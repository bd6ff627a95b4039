"""Junctions of OpenDRIVE files: which lane leads over which connecting road into which lane, and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from swerve.core.errors import BadInput, require

from ..roads.crossings import Crossings
from ..roads.curves import Curve, wrap
from ..roads.junctions import Junction, find_axes, junction_of, light_group, turn_of
from ..roads.lights import SignalTimes, junction_lights, no_lights
from ..roads.roads import FREE, LEFT, LIGHT, STOP, U_TURN, YIELD
from .lanes import is_driven, lane_curve
from .records import Connection, JunctionRecord, OpenDrive, RoadRecord, Signal

FOR_PEOPLE = {"1000002", "1000007", "1000013"}  # light types for people on foot and bicycles
SIGNS = {"205": YIELD, "206": STOP, "R1-2": YIELD, "R1-1": STOP}
_SIGNAL_REACH = 60.0  # [m] before a junction within which a signal stands for it
Place = tuple[str, int, int]  # road, section, lane id


@dataclass(frozen=True)
class Connector:
    """A way across a junction, from lane `source` over `road` into lane `target`."""

    source: Place
    target: Place
    road: str
    lane: int  # id on the connecting road where it is entered
    enters_at: str  # end of the incoming road: start or end
    leaves_at: str  # end of the road it leads to
    curve: Curve
    height: np.ndarray
    width: float
    limit: float

    def with_curve(self, curve: Curve) -> Connector:
        return replace(self, curve=curve)


def check_connections(drive: OpenDrive, junction: JunctionRecord) -> None:
    """Roads, lanes and controllers that a junction names exist and belong together."""
    for c in junction.connections:
        where = f"junction {junction.id}, connection from road {c.incoming}"
        require(c.incoming in drive.roads, f"{where}, incomingRoad", c.incoming, "does not exist")
        require(c.connecting in drive.roads, f"{where}, connectingRoad", c.connecting, "does not exist")
        incoming, road = drive.roads[c.incoming], drive.roads[c.connecting]
        link = road.before if c.contact == "start" else road.after
        if link is None or link.type != "road" or link.id != c.incoming:
            raise BadInput(f"{where}, connectingRoad", c.connecting, "is not linked with its incoming road")
        first = incoming.sections[0 if link.contact == "start" else -1].lanes
        second = road.sections[0 if c.contact == "start" else -1].lanes
        for given, taken in c.lanes:
            require(given in first, f"{where}, laneLink from", given, "is an unknown lane")
            require(taken in second, f"{where}, laneLink to", taken, "is an unknown lane")
    for name in junction.controllers:
        require(name in drive.controllers, f"junction {junction.id}, controller", name, "does not exist")


def trace_connectors(drive: OpenDrive, junction: JunctionRecord) -> list[Connector]:
    """Every connection between driving lanes."""
    found = []
    for c in junction.connections:
        incoming, road = drive.roads[c.incoming], drive.roads[c.connecting]
        link = road.before if c.contact == "start" else road.after
        assert link is not None  # checked by `check_connections`
        section = 0 if link.contact == "start" else len(incoming.sections) - 1
        first = 0 if c.contact == "start" else len(road.sections) - 1
        for given, taken in c.lanes:
            if is_driven(road, first, taken) and is_driven(incoming, section, given):
                connector = _trace(drive, road, c, taken, (c.incoming, section, given), link.contact)
                if connector is not None:
                    found.append(connector)
    return found


def _trace(
    drive: OpenDrive, road: RoadRecord, c: Connection, lane: int, source: Place, contact: str
) -> Connector | None:
    """Follow a lane over its connecting road to the lane it ends in; None where there is none."""
    forward = c.contact == "start"
    order = range(len(road.sections)) if forward else range(len(road.sections) - 1, -1, -1)
    ids = [lane]
    for section in list(order)[:-1]:
        here = road.sections[section].lanes[ids[-1]]
        onward = here.after if forward else here.before
        if onward is None:
            return None
        ids.append(onward)
    link = road.after if forward else road.before
    if link is None or link.type != "road":
        return None
    last = road.sections[order[-1]].lanes[ids[-1]]
    onward = last.after if forward else last.before
    other = drive.roads[link.id]
    section = 0 if link.contact == "start" else len(other.sections) - 1
    if onward is None or not is_driven(other, section, onward):
        return None
    pairs = sorted(zip(order, ids, strict=True))
    curve, height, width = lane_curve(
        road, tuple(k for k, _ in pairs), tuple(name for _, name in pairs), forward
    )
    limit = road.sections[order[0]].lanes[lane].limit or road.limit
    return Connector(
        source, (other.id, section, onward), road.id, lane, contact, link.contact, curve, height, width, limit
    )


def build_connectors(
    drive: OpenDrive,
    record: JunctionRecord,
    connectors: list[Connector],
    source: np.ndarray,
    make_crossings: Callable[[dict[tuple[str, str], int]], Crossings],
) -> Junction:
    """The junction of these connectors, with lights and right of way; `source` are their lanes' strips.

    `make_crossings` is told the light phases of the arms.
    """
    arms = sorted({(c.source[0], c.enters_at) for c in connectors})
    a = np.array([arms.index((c.source[0], c.enters_at)) for c in connectors])
    angles = [
        float(next(c for c in connectors if (c.source[0], c.enters_at) == arm).curve.heading[0] + np.pi)
        for arm in arms
    ]
    axis, opposed = find_axes(angles, [True] * len(arms))
    turn = np.array([_turn(c.curve) for c in connectors])
    heads = [_head(drive, c) for c in connectors]
    signs = [_sign(drive, c) for c in connectors]
    lit = np.array([head is not None for head in heads])
    control = np.where(lit, LIGHT, np.array(signs))
    if lit.any():  # who has no light of their own gives way to those who have
        control[~lit] = np.maximum(control[~lit], YIELD)
    phase, phases = axis[a], max(2, int(axis.max()) + 1)
    early = (turn == LEFT) & opposed[a]
    orders = [_controller(drive, record, head) for head in heads]
    if any(order is not None for order in orders):
        phases = max(2, len(record.controllers))
        phase = np.array([int(axis[a[k]]) % phases if o is None else o for k, o in enumerate(orders)])
        early = np.zeros(len(connectors), bool)
    advanced = [bool((early & lit & (phase == q)).any()) for q in range(phases)]
    crossings = make_crossings({arms[a[k]]: int(phase[k]) for k in np.flatnonzero(lit)})
    across = [max(crossings.length, default=0.0)] * phases
    lights = junction_lights(advanced, across, SignalTimes()) if lit.any() else no_lights()
    lanes = np.unique(source, return_inverse=True)[1]
    junction = junction_of(
        [c.curve for c in connectors],
        (a, lanes.astype(np.int32), a, lanes),
        turn,
        control,
        np.where(lit, light_group(phase, early), -1),
        np.array([c.limit for c in connectors]),
        np.array([c.width for c in connectors]),
        axis[a],
        opposed[a],
        lights,
        crossings,
    )
    return _with_priorities(junction, record, [c.road for c in connectors])


def _with_priorities(junction: Junction, record: JunctionRecord, roads: list[str]) -> Junction:
    """Right of way that the file itself lays down between connecting roads."""
    rank = junction.rank.copy()
    for k, (a, b) in enumerate(zip(junction.conflicts.strip, junction.conflicts.other, strict=True)):
        if (roads[a], roads[b]) in record.priorities:
            rank[k] = 1
        elif (roads[b], roads[a]) in record.priorities:
            rank[k] = -1
    return replace(junction, rank=rank)


def _turn(curve: Curve) -> int:
    by = float(curve.heading[-1] - curve.heading[0])
    if abs(by) > np.radians(150):
        return U_TURN
    return turn_of(0.0, wrap(by))


def _signals(drive: OpenDrive, c: Connector) -> list[Signal]:
    """Signals that stand for who takes a connector: at the end of their road, or on the connecting road."""
    incoming, road = drive.roads[c.source[0]], drive.roads[c.road]
    towards_end = c.enters_at == "end"
    found = []
    for signal in incoming.signals:
        away = incoming.length - signal.s if towards_end else signal.s
        fits = signal.forward in (None, towards_end) and away <= _SIGNAL_REACH
        if fits and _holds_for(signal, c.source[2]):
            found.append(signal)
    for signal in road.signals:
        if signal.forward in (None, c.lane < 0) and _holds_for(signal, c.lane):
            found.append(signal)
    known = {s.id: s for r in drive.roads.values() for s in r.signals if s.type}
    return [known.get(s.id, s) if not s.type else s for s in found]


def _holds_for(signal: Signal, lane: int) -> bool:
    return not signal.lanes or any(min(pair) <= lane <= max(pair) for pair in signal.lanes)


def _head(drive: OpenDrive, c: Connector) -> Signal | None:
    """The light for a connector."""
    lights = [s for s in _signals(drive, c) if s.dynamic and s.type not in FOR_PEOPLE]
    return lights[0] if lights else None


def _sign(drive: OpenDrive, c: Connector) -> int:
    return max((SIGNS.get(s.type, FREE) for s in _signals(drive, c) if not s.dynamic), default=FREE)


def _controller(drive: OpenDrive, record: JunctionRecord, head: Signal | None) -> int | None:
    """Place of the controller of a light in the junction's sequence."""
    if head is None:
        return None
    for k, name in enumerate(record.controllers):
        if head.id in drive.controllers[name]:
            return k
    return None
