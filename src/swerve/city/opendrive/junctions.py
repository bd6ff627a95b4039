"""Junctions of OpenDRIVE files: which light and which sign holds for a way across, and when."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..roads.curves import Curve, wrap
from ..roads.junctions import Junction, Rules, find_axes, junction_of, light_group, turn_of
from ..roads.lights import GROUPS_PER_AXIS, WALK, Lights, SignalTimes, junction_lights, no_lights
from ..roads.roads import FREE, LEFT, LIGHT, STOP, U_TURN, YIELD
from ..roads.swept import USUAL
from .crosswalks import FOR_PEOPLE, Arm, Crosswalk, crossings_of
from .paths import Connector
from .pieces import Piece
from .records import OpenDrive, Signal
from .threads import Thread

SIGNS = {"205": YIELD, "206": STOP, "R1-2": YIELD, "R1-1": STOP}
_SIGNAL_REACH = 60.0  # [m] before a junction within which a signal stands for it
NARROWEST = 2.0  # [m] of vehicles for which conflicts are looked for
BESIDE = 0.35  # [m] of a lane that a vehicle leaves free


def build_connectors(
    drive: OpenDrive,
    pieces: list[Piece],
    connectors: list[Connector],
    lanes: np.ndarray,
    cuts: dict[Arm, Crosswalk],
) -> Junction:
    """The junction of these connectors, with lights and right of way; `lanes` are their sources' strips."""
    arms = sorted({_arm(pieces[c.source].thread) for c in connectors})
    a = np.array([arms.index(_arm(pieces[c.source].thread)) for c in connectors])
    angles = [float(connectors[int(np.argmax(a == k))].curve.heading[0] + np.pi) for k in range(len(arms))]
    axis, opposed = find_axes(angles, [True] * len(arms))
    turn = np.array([_turn(c.curve) for c in connectors])
    signals = [_signals(drive, pieces, c) for c in connectors]
    heads = [_head(some) for some in signals]
    merges = np.array([any(pieces[k].thread.merges for k in c.path) for c in connectors])
    lit = np.array([head is not None for head in heads])
    control = np.where(lit, LIGHT, np.array([_sign(some) for some in signals]))
    if lit.any():  # who has no light of their own gives way to those who have
        control[~lit] = np.maximum(control[~lit], YIELD)
    control[merges & ~lit] = np.maximum(control[merges & ~lit], YIELD)
    phase, phases = axis[a], max(2, int(axis.max()) + 1)
    early = (turn == LEFT) & opposed[a]
    orders = _orders(drive, {pieces[k].thread.road.junction for c in connectors for k in c.path}, heads)
    if any(order is not None for order in orders):
        phases = max(2, max(order for order in orders if order is not None) + 1)
        phase = np.array([int(axis[a[k]]) % phases if o is None else o for k, o in enumerate(orders)])
        early = np.zeros(len(connectors), bool)
    advanced = [bool((early & lit & (phase == q)).any()) for q in range(phases)]
    ends = arms + [(e[0], e[1]) for e in (pieces[c.target].thread.entry for c in connectors)]
    walkers = {arms[a[k]]: int(phase[k]) * GROUPS_PER_AXIS + WALK for k in np.flatnonzero(lit)}
    lights, light = no_lights(), np.where(lit, light_group(phase, early), -1)
    if drive.programs:
        lights, light, walkers = _programmed(drive, heads, set(ends))
    crossings = crossings_of(drive, ends, cuts, [c.curve for c in connectors], walkers)
    if lit.any() and not drive.programs:
        across = [max(crossings.length, default=0.0)] * phases
        lights = junction_lights(advanced, across, SignalTimes())
    lane = np.unique(lanes, return_inverse=True)[1]
    width = np.array([float(c.shape.width.min()) for c in connectors])
    rules = Rules(
        turn,
        control,
        light,
        np.array([c.limit for c in connectors]),
        np.maximum(width, NARROWEST),
        axis[a],
        opposed[a],
    )
    junction = junction_of(
        [c.curve for c in connectors],
        (a, lane.astype(np.int32), a, lane),
        rules,
        lights,
        crossings,
        heights=np.concatenate([c.shape.height for c in connectors]),
        largest=USUAL._replace(width=float(np.clip(width.min() - BESIDE, NARROWEST, USUAL.width))),
    )
    return _with_priorities(drive, junction, pieces, connectors)


def _programmed(
    drive: OpenDrive, heads: list[Signal | None], arms: set[Arm]
) -> tuple[Lights, np.ndarray, dict[Arm, int]]:
    """A light group for every program, the group of every connector, -1 without a light, and those of the
    crosswalks at `arms`."""
    programs = [None if head is None else drive.programs[head.id] for head in heads]
    walks = [walk for walk in drive.walks if walk.head and (walk.into, "end") in arms]
    shown = [*programs, *(drive.programs[walk.head] for walk in walks)]
    known = list(dict.fromkeys(program for program in shown if program is not None))
    if not known:
        return no_lights(), np.full(len(heads), -1), {}
    width = max(len(program.switch_at) for program in known)
    at, to = np.full((len(known), width), np.inf), np.zeros((len(known), width), np.int8)
    for k, program in enumerate(known):
        at[k, : len(program.switch_at)] = program.switch_at
        to[k] = program.switch_to[-1]
        to[k, : len(program.switch_to)] = program.switch_to
    cycle, offset = (np.array([getattr(p, name) for p in known]) for name in ("cycle", "offset"))
    group = [-1 if program is None else known.index(program) for program in programs]
    walkers = {(walk.into, "end"): known.index(drive.programs[walk.head]) for walk in walks}
    return Lights(cycle, offset, at, to), np.array(group), walkers


def _arm(thread: Thread) -> Arm:
    return thread.exit[:2]


def _with_priorities(
    drive: OpenDrive, junction: Junction, pieces: list[Piece], connectors: list[Connector]
) -> Junction:
    """Right of way that the file itself lays down between connecting roads."""
    laid_down = {pair for record in drive.junctions.values() for pair in record.priorities}
    roads = [{pieces[k].thread.road.id for k in c.path} for c in connectors]
    rank = junction.rank.copy()
    for k, (a, b) in enumerate(zip(junction.conflicts.strip, junction.conflicts.other, strict=True)):
        pairs = (
            {(one, other) for one in roads[a] for other in roads[b] if one != other} if laid_down else set()
        )
        if pairs & laid_down:
            rank[k] = 1
        elif {(other, one) for one, other in pairs} & laid_down:
            rank[k] = -1
    return replace(junction, rank=rank)


def _turn(curve: Curve) -> int:
    by = float(curve.heading[-1] - curve.heading[0])
    if abs(by) > np.radians(150):
        return U_TURN
    return turn_of(0.0, wrap(by))


def _signals(drive: OpenDrive, pieces: list[Piece], c: Connector) -> list[Signal]:
    """Signals that stand for who takes a connector: before the junction, or on its connecting roads."""
    found = []
    last = pieces[c.source].thread
    for k in c.path:
        thread = pieces[k].thread
        if thread.road.junction == "-1":
            last = thread
            continue
        road, contact, lane = last.exit
        incoming, towards_end = drive.roads[road], contact == "end"
        for signal in incoming.signals if incoming.junction == "-1" else ():
            away = incoming.length - signal.s if towards_end else signal.s
            fits = signal.forward in (None, towards_end) and away <= _SIGNAL_REACH
            if fits and _holds_for(signal, lane):
                found.append(signal)
        lane = thread.entry[2]
        for signal in thread.road.signals:
            if signal.forward in (None, lane < 0) and _holds_for(signal, lane):
                found.append(signal)
        last = thread
    known = {s.id: s for r in drive.roads.values() for s in r.signals if s.type} if found else {}
    return [known.get(s.id, s) if not s.type else s for s in found]


def unused_signals(drive: OpenDrive) -> list[str]:
    """What signals of a file nobody obeys, in words: signs not known here, and lights that stand at no
    junction."""
    signs: set[str] = set()
    lights = 0
    for road in drive.roads.values():
        for signal in road.signals:
            if not signal.dynamic and signal.type:
                signs |= {signal.type} - {*SIGNS, *FOR_PEOPLE}
            elif signal.dynamic and signal.type not in FOR_PEOPLE and road.junction == "-1":
                ahead = [(road.after, road.length - signal.s)] if signal.forward is not False else []
                ahead += [(road.before, signal.s)] if signal.forward is not True else []
                near = [link for link, away in ahead if link is not None and away <= _SIGNAL_REACH]
                lights += not any(link.type == "junction" for link in near)
    found = [f"signs ({', '.join(sorted(signs))})"] if signs else []
    return found + ([f"lights away from junctions ({lights})"] if lights else [])


def _holds_for(signal: Signal, lane: int) -> bool:
    return not signal.lanes or any(min(pair) <= lane <= max(pair) for pair in signal.lanes)


def _head(signals: list[Signal]) -> Signal | None:
    """The light for a connector."""
    lights = [s for s in signals if s.dynamic and s.type not in FOR_PEOPLE]
    return lights[0] if lights else None


def _sign(signals: list[Signal]) -> int:
    return max((SIGNS.get(s.type, FREE) for s in signals if not s.dynamic), default=FREE)


def _orders(drive: OpenDrive, junctions: set[str], heads: list[Signal | None]) -> list[int | None]:
    """The phase of every head: the place of its controller among those of the junction that drivers obey."""
    names = [
        name
        for junction in sorted(junctions & set(drive.junctions))
        for name in drive.junctions[junction].controllers
    ]
    shown = {head.id for head in heads if head is not None}
    driven = [name for name in names if shown & set(drive.controllers[name])]
    return [
        next(
            (k for k, name in enumerate(driven) if head is not None and head.id in drive.controllers[name]),
            None,
        )
        for head in heads
    ]
