"""Who holds what of the junctions, and who wants it: written down anew every step.

A grant is taken back here as long as its holder can still stop; `rules` gives new ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..roads.lights import GREEN, RED, YELLOW
from ..roads.roads import CONNECTOR, LANE, LIGHT
from .fleet import MOVES_OVER, Fleet
from .following import JAM, safe_speed
from .net import Net
from .order import MAIN, Order, is_out

GOES, AT_LIGHT, AT_CONFLICT, AT_ROOM, AT_CROSSWALK, AT_RIGHT_OF_WAY, AT_STOP, BEHIND, AT_SIREN, TOO_FAST = (
    range(10)
)

GENTLE = 3.0  # [m/s²] a driver turns back from a junction as long as this suffices
LINE_MARGIN = 0.3  # [m] the bumper stays behind the line by at least this
DUE_AFTER = 60.0  # [s] of delay at the line, after which the others let one go first
AT_LINE = 3.0  # [m] before it
ROOM_AFTER = 30.0  # [s] likewise, after which nobody else takes the room on the lane beyond the junction
WALKS_DUE_AFTER = 45.0  # [s] likewise, after which people do: a red light, from its beginning to its end
BARRED_FOR = 50.0  # [s] of delay, after which a siren that is not there yet lets one go first
HOLDS_FOR = 4.0  # [s] one may stand before the line with leave to go
ALONG_AT = 2.0  # [m/s] along a connector, above which a foreign body drives on it and does not cross it
SOON = 2.5  # [s] within which a foreign body gets to where two ways touch


HOLDINGS = np.dtype(
    [
        ("pending", np.int32),  # granted, not yet on the connector
        ("inbound", np.float64),  # [m] of the lane that vehicles on their way into it will take
        ("occupied", np.float64),  # [m] of the lane taken in a standing queue by those on it
        ("eta", np.float64),  # [s] until someone wants to enter the connector
        ("due", np.float64),  # [s] someone has waited for the connector beyond patience
        ("wanted", np.float64),  # [s] someone has waited for room on the lane, with nothing else in the way
    ],
    align=True,
)


class Desk(NamedTuple):
    """Who holds what, anew every step."""

    strips: np.ndarray  # (strips) of HOLDINGS
    claims: np.ndarray  # (crosswalks) [s] until cars that cannot stop have left it
    due: np.ndarray  # (crosswalks) bool: a driver has waited for long to cross it
    candidates: np.ndarray  # (vehicles) int32
    siren: np.ndarray  # (junctions) int32: emergency vehicle that is let through, or -1
    siren_distance: np.ndarray  # (junctions) [m]


def empty_desk(net: Net, vehicles: int, crosswalks: int) -> Desk:
    junctions = int(net.strips["junction"].max(initial=-1)) + 1
    return Desk(
        np.zeros(len(net.strips), HOLDINGS),
        np.zeros(crosswalks),
        np.zeros(crosswalks, np.bool_),
        np.zeros(vehicles, np.int32),
        np.full(junctions, -1, np.int32),
        np.zeros(junctions),
    )


@kernel
def survey(
    net: Net,
    fleet: Fleet,
    rows: np.ndarray,
    order: Order,
    desk: Desk,
    lights: np.ndarray,
    until: np.ndarray,
    busy: np.ndarray,
    dt: float,
) -> None:
    """Take back grants that must not be used, then write down who holds and wants what.

    `lights` (groups) states, `until` [s] their next change, `busy` (crosswalks) whether people are on them.
    """
    for s in range(len(desk.strips)):
        desk.strips[s].pending = 0
        desk.strips[s].inbound = 0.0
        desk.strips[s].occupied = 0.0
        desk.strips[s].eta = np.inf
        desk.strips[s].due = 0.0
        desk.strips[s].wanted = 0.0
    desk.claims[:] = 0.0
    desk.due[:] = False
    for i in rows:
        strip = fleet[i].strip
        room = fleet[i].length + JAM
        front = fleet[i].station + fleet[i].overhang
        if net.strips[strip].kind == CONNECTOR:
            desk.strips[fleet[i].next].inbound += room
            _claim(net, fleet, desk, i, strip, front)
            continue
        desk.strips[strip].occupied += room
        if fleet[i].previous >= 0 and net.strips[fleet[i].previous].kind == CONNECTOR:
            _claim(net, fleet, desk, i, fleet[i].previous, front + net.strips[fleet[i].previous].length)
        ahead = fleet[i].next
        if ahead < 0 or net.strips[ahead].kind == LANE:
            continue
        distance = net.strips[strip].length - front
        standing = fleet[i].granted == ahead and fleet[i].waiting > 0.0
        fleet[i].leave = fleet[i].leave + dt if standing else 0.0
        if fleet[i].granted == ahead and _takes_back(
            net, fleet, order, desk, lights, until, busy, i, distance, dt
        ):
            fleet[i].granted = -1
        if fleet[i].granted == ahead:
            desk.strips[ahead].pending += 1
            desk.strips[net.after[net.strips[ahead].after_first]].inbound += room
            if not can_stop(fleet[i].speed, distance):
                _claim(net, fleet, desk, i, ahead, -distance)
            elif distance < AT_LINE and fleet[i].delayed > WALKS_DUE_AFTER:
                _let_by(net, desk, ahead)  # until it has set off, or its leave would be taken back again
            continue
        if fleet[i].held == AT_ROOM or fleet[i].held == AT_CONFLICT:
            lane = net.after[net.strips[ahead].after_first]
            if distance < AT_LINE and fleet[i].delayed > ROOM_AFTER and net.strips[lane].ring < 0:
                desk.strips[lane].wanted = max(desk.strips[lane].wanted, fleet[i].delayed)
        lets = net.strips[ahead].control != LIGHT or lights[net.strips[ahead].light] == GREEN
        if fleet[i].held != AT_ROOM and lets:
            desk.strips[ahead].eta = min(desk.strips[ahead].eta, distance / max(fleet[i].speed, 2.5))
            if distance < AT_LINE and fleet[i].delayed > DUE_AFTER:
                desk.strips[ahead].due = max(desk.strips[ahead].due, fleet[i].delayed)
            if distance < AT_LINE and fleet[i].delayed > WALKS_DUE_AFTER:
                _let_by(net, desk, ahead)


@inner
@bare
def _let_by(net: Net, desk: Desk, connector: int) -> None:
    """People are to let those by who have waited for long to drive over the crosswalks of a connector."""
    for w in range(net.strips[connector].walk_first, net.strips[connector + 1].walk_first):
        desk.due[net.walks[w].crosswalk] = True


@inner
@bare
def can_stop(speed: float, distance: float) -> bool:
    """Whether a driver can still stop gently within `distance` [m]."""
    return speed * speed / (2.0 * GENTLE) + 0.3 * speed < distance - LINE_MARGIN


@inner
@bare
def _takes_back(
    net: Net,
    fleet: Fleet,
    order: Order,
    desk: Desk,
    lights: np.ndarray,
    until: np.ndarray,
    busy: np.ndarray,
    i: int,
    distance: float,
    dt: float,
) -> bool:
    """Whether a vehicle that may enter must not any more, and can still stop."""
    speed, ahead = fleet[i].speed, fleet[i].granted
    if distance <= 0.0:
        return False
    gently = can_stop(speed, distance)
    if net.strips[ahead].control == LIGHT and not fleet[i].emergency:
        state = lights[net.strips[ahead].light]
        late = state == RED or (
            state == YELLOW and distance > speed * max(0.0, until[net.strips[ahead].light] - 0.4)
        )
        if state != GREEN and (gently or (late and safe_speed(distance - LINE_MARGIN, 0.0, dt) >= speed)):
            return True
    if not gently:
        return False
    if is_blocked_ahead(net, fleet, order, i) or stands_aside(fleet, i) or fleet[i].leave > HOLDS_FOR:
        return True
    if is_crossed(net, fleet, order, ahead):
        return True
    if is_barred_by_siren(net, fleet, desk, i, ahead):
        return True
    for w in range(net.strips[ahead].walk_first, net.strips[ahead + 1].walk_first):
        if busy[net.walks[w].crosswalk]:
            return True
    return False


@bare
def stands_aside(fleet: Fleet, i: int) -> bool:
    """Whether it stops for a siren and wants nothing of the junction."""
    return 0 < fleet[i].yielding < MOVES_OVER


@inner
@bare
def is_blocked_ahead(net: Net, fleet: Fleet, order: Order, i: int) -> bool:
    """Whether someone ahead in the same lane has no leave to enter yet."""
    if order.place[i, MAIN] < 0 or is_out(fleet, i):
        return False
    e = order.place[i, MAIN] + 1
    if e >= order.first[fleet[i].strip + 1]:
        return False
    j = order.vehicle[e]
    return fleet[j].strip == fleet[i].strip and fleet[j].granted < 0


@inner
@bare
def is_crossed(net: Net, fleet: Fleet, order: Order, connector: int) -> bool:
    """Whether a foreign body is on the connector, or will be, and does not drive along it, or is where
    another way through the junction touches it."""
    for e in range(order.first[connector], order.first[connector + 1]):
        j = order.vehicle[e]
        if fleet[j].foreign and fleet[j].speed < ALONG_AT:
            return True
    for k in range(net.strips[connector].conflict_first, net.strips[connector + 1].conflict_first):
        other = net.conflicts[k].other
        for e in range(order.first[other], order.first[other + 1]):
            j = order.vehicle[e]
            if (
                fleet[j].foreign
                and not net.conflicts[k].parting
                and order.front[e] - fleet[j].length < net.conflicts[k].other_end
                and order.front[e] + SOON * fleet[j].speed > net.conflicts[k].other_begin
            ):
                return True
    return False


@inner
@bare
def is_barred_by_siren(net: Net, fleet: Fleet, desk: Desk, i: int, connector: int) -> bool:
    """Whether a siren has been given the junction and its way there may touch this connector.

    Those before it on its own road may go on: they clear its way. Who does not yield at all is not barred,
    nor is who has stood for long, unless the siren is there.
    """
    lock = desk.siren[net.strips[connector].junction]
    if lock < 0 or lock == i or fleet[i].yield_distance <= 0.0:
        return False
    if fleet[i].delayed > BARRED_FOR and desk.siren_distance[net.strips[connector].junction] > 0.0:
        return False
    if fleet[lock].passing > 0:
        return True
    way = fleet[lock].strip
    if net.strips[way].kind == LANE:
        if net.strips[way].road == net.strips[fleet[i].strip].road:
            return False
        way = fleet[lock].next
    for k in range(net.strips[connector].conflict_first, net.strips[connector + 1].conflict_first):
        if net.conflicts[k].other == way:
            return True
    return False


@inner
@bare
def _claim(net: Net, fleet: Fleet, desk: Desk, i: int, connector: int, front: float) -> None:
    """Claim the crosswalks of a connector that the vehicle has still to leave; `front` [m] on it."""
    rear = front - fleet[i].length
    for w in range(net.strips[connector].walk_first, net.strips[connector + 1].walk_first):
        left = net.walks[w].end - rear
        if left > 0.0:
            time = left / max(fleet[i].speed, 2.0) + 0.5
            desk.claims[net.walks[w].crosswalk] = max(desk.claims[net.walks[w].crosswalk], time)
