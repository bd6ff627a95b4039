"""How others let emergency vehicles through (Hynes, section 4.4).

They stop for a siren that comes from behind, pull over if they are in the outer lane, stay if they stand,
and go on when it has gone.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import NO, bare, inner, kernel, plain

from ..roads.roads import CONNECTOR, LANE
from .desk import DUE_AFTER
from .emergency import GIVES_UP_AFTER, begin_shift, gives_up
from .fleet import BOUND, MOVES_OVER, PULLS_OVER, STOPS, Fleet
from .following import FAR, JAM
from .net import Net

KEEP_EXIT_CLEAR = 30.0  # [m] behind a junction nobody stops for a siren
PULL_OVER_LEAST = 5.0  # [m] of way left, to pull over while stopping
KERB = 0.15  # [m] kept from the kerb
STANDING = 0.3  # [m/s]


@inner
@kernel
def yield_to_sirens(net: Net, fleet: Fleet, rows: np.ndarray, sirens: np.ndarray) -> None:
    """Decide for all others of `rows` whether they stop for the nearest siren, and whether they pull over.

    `yielding` becomes STOPS (also for those who stand already), PULLS_OVER or MOVES_OVER, or 0 again when
    the siren is gone. Who drives in an inner lane moves over to the outer one as soon as there is a gap, and
    stops there; who stands right before the siren in its lane goes on when the light allows.
    """
    for i in rows:
        strip = fleet[i].strip
        if fleet[i].emergency or fleet[i].berth > BOUND:
            continue
        if len(sirens) == 0 and fleet[i].yielding == 0:
            continue
        if net.strips[strip].kind == CONNECTOR or fleet[i].delayed > DUE_AFTER:
            _go_on(fleet, i)  # nobody stops inside a junction, or for ever
            continue
        nearest, best, wants_in = plain(-1), FAR, NO
        for k in range(len(sirens)):
            wants_in = wants_in or _wants_in_before(fleet, sirens[k], i)
            dx, dy = fleet[sirens[k]].x - fleet[i].x, fleet[sirens[k]].y - fleet[i].y
            if dx * dx + dy * dy < best * best:
                nearest, best = sirens[k], np.sqrt(dx * dx + dy * dy)
        if wants_in and fleet[i].yield_distance > 0.0:
            fleet[i].yielding = max(fleet[i].yielding, STOPS)
            continue
        if nearest < 0 or best > fleet[i].yield_distance or gives_up(fleet, nearest):
            _go_on(fleet, i)
            continue
        if fleet[i].yielding == MOVES_OVER and net.strips[strip].outer < 0 and fleet[i].side < 0:
            fleet[i].yielding = STOPS  # it has reached the outer lane
            _pull_over(net, fleet, i, strip)
        if fleet[i].yielding > 0 or fleet[i].station < KEEP_EXIT_CLEAR:
            continue
        if not _comes_this_way(net, fleet, nearest, i):
            continue
        if net.strips[strip].outer >= 0 and (fleet[i].speed > STANDING or _is_before(net, fleet, nearest, i)):
            fleet[i].yielding = MOVES_OVER
        elif fleet[i].speed > STANDING or not _is_before(net, fleet, nearest, i):
            fleet[i].yielding = STOPS
            _pull_over(net, fleet, i, strip)


@bare
def _wants_in_before(fleet: Fleet, siren: int, i: int) -> bool:
    """Whether a siren that gets no further on the opposite road wants back into its lane, and the vehicle,
    which is behind it there, can stop for it with ease."""
    if fleet[siren].passing == 0 or fleet[siren].stuck <= GIVES_UP_AFTER:
        return False
    gap = fleet[siren].station + fleet[siren].overhang - fleet[siren].length
    gap -= fleet[i].station + fleet[i].overhang + JAM
    easy = fleet[i].speed * fleet[i].speed / (2.0 * fleet[i].comfort)
    return fleet[i].strip == fleet[siren].strip and easy < gap < fleet[i].yield_distance


@bare
def _comes_this_way(net: Net, fleet: Fleet, siren: int, i: int) -> bool:
    """Whether the siren is behind on the same road, about to enter it, comes against its traffic, or (if that
    counts) is on the opposite road."""
    road = net.strips[fleet[i].strip].road
    strip = fleet[siren].strip
    if net.strips[strip].kind == CONNECTOR:
        return net.strips[fleet[siren].next].road == road
    if fleet[siren].passing > 0 and net.strips[fleet[siren].side].road == road:
        return fleet[siren].station < net.strips[strip].length - fleet[i].station
    if net.strips[strip].road == road:
        return fleet[siren].station < fleet[i].station
    if not fleet[i].yield_oncoming:
        return False
    innermost = strip
    while net.strips[innermost].inner >= 0:
        innermost = net.strips[innermost].inner
    opposite = net.strips[innermost].opposite
    return opposite >= 0 and net.strips[opposite].road == road


@bare
def _is_before(net: Net, fleet: Fleet, siren: int, i: int) -> bool:
    """Whether the vehicle is in the very lane that the siren uses or is about to enter."""
    strip = fleet[siren].strip
    if fleet[siren].passing > 0 and net.strips[strip].kind == LANE:
        strip = fleet[siren].side
    return (strip if net.strips[strip].kind == LANE else fleet[siren].next) == fleet[i].strip


@bare
def _pull_over(net: Net, fleet: Fleet, i: int, strip: int) -> None:
    """In the outer lane and moving: towards the kerb while slowing, facing forward."""
    way = fleet[i].speed * fleet[i].speed / (2.0 * fleet[i].comfort)
    if net.strips[strip].outer >= 0 or way < PULL_OVER_LEAST or fleet[i].side >= 0 or fleet[i].granted >= 0:
        return
    aside = 0.5 * (net.strips[strip].width - fleet[i].width) - KERB
    if aside <= 0.0:
        return
    begin_shift(fleet, i, aside if net.left_hand else -aside, max(PULL_OVER_LEAST, 0.8 * way))
    fleet[i].yielding = PULLS_OVER


@bare
def _go_on(fleet: Fleet, i: int) -> None:
    if fleet[i].yielding == PULLS_OVER:
        begin_shift(fleet, i, 0.0, 14.0)
    fleet[i].yielding = 0
