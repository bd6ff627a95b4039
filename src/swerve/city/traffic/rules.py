"""The rules of the road at junctions: who may enter, and when.

A connector is entered only with everything it needs, all at once: the light, every stretch where it may
touch another connector, the crosswalks on it, and room for the whole vehicle behind it. Whoever holds less
holds nothing and can stop at the line, so nobody waits inside a junction for someone who waits for them.
Requests are served first come, first served; right of way makes a request wait while someone who goes first
is near.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import bare, kernel

from ..roads.lights import GREEN, RED, YELLOW
from ..roads.roads import CONNECTOR, LANE, LIGHT, STOP
from .fleet import MOVES_OVER, Fleet
from .following import JAM, safe_speed
from .net import Net
from .order import MAIN, Order, is_out

GOES, AT_LIGHT, AT_CONFLICT, AT_ROOM, AT_CROSSWALK, AT_RIGHT_OF_WAY, AT_STOP, BEHIND, AT_SIREN, TOO_FAST = (
    range(10)
)

REQUEST_BRAKING = 2.5  # [m/s²] one asks while this much would still do for the stop line
REQUEST_MARGIN = 5.0  # [m]
GENTLE = 3.0  # [m/s²] a driver turns back from a junction as long as this suffices
LINE_MARGIN = 0.3  # [m] the bumper stays behind the line by at least this
CLEAR = 0.2  # [m] beyond a stretch
STOP_TIME = 1.0  # [s] to stand at a stop sign
PATIENCE = 20.0  # [s] of delay, after which right of way is asked no more, where there is no light
DUE_AFTER = 60.0  # [s] of delay at the line, after which the others let one go first
BARRED_FOR = 50.0  # [s] of delay, after which a siren that is not there yet lets one go first
HOLDS_FOR = 4.0  # [s] one may stand before the line with leave to go
ALONG_AT = 2.0  # [m/s] along a connector, above which a foreign body drives on it and does not cross it
SOON = 2.5  # [s] within which a foreign body gets to where two ways touch
LANE_RESERVE = 3.0  # [m] of a lane that is never given away


HOLDINGS = np.dtype(
    [
        ("pending", np.int32),  # granted, not yet on the connector
        ("inbound", np.float64),  # [m] of the lane that vehicles on their way into it will take
        ("occupied", np.float64),  # [m] of the lane taken in a standing queue by those on it
        ("eta", np.float64),  # [s] until someone wants to enter the connector
        ("due", np.float64),  # [s] someone has waited for the connector beyond patience
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
    desk.claims[:] = 0.0
    desk.due[:] = False
    for i in range(len(fleet)):
        strip = fleet[i].strip
        if strip < 0:
            continue
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
        elif fleet[i].held != AT_ROOM and (
            net.strips[ahead].control != LIGHT or lights[net.strips[ahead].light] == GREEN
        ):
            desk.strips[ahead].eta = min(desk.strips[ahead].eta, distance / max(fleet[i].speed, 2.5))
            if fleet[i].delayed > DUE_AFTER and distance < 3.0:
                desk.strips[ahead].due = max(desk.strips[ahead].due, fleet[i].delayed)
                for w in range(net.strips[ahead].walk_first, net.strips[ahead + 1].walk_first):
                    desk.due[net.walks[w].crosswalk] = True


@bare
def can_stop(speed: float, distance: float) -> bool:
    """Whether a driver can still stop gently within `distance` [m]."""
    return speed * speed / (2.0 * GENTLE) + 0.3 * speed < distance - LINE_MARGIN


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
    if _is_blocked_ahead(net, fleet, order, i) or _stands_aside(fleet, i) or fleet[i].leave > HOLDS_FOR:
        return True
    if _is_crossed(net, fleet, order, ahead):
        return True
    if _is_barred_by_siren(net, fleet, desk, i, ahead):
        return True
    for w in range(net.strips[ahead].walk_first, net.strips[ahead + 1].walk_first):
        if busy[net.walks[w].crosswalk]:
            return True
    return False


@bare
def _stands_aside(fleet: Fleet, i: int) -> bool:
    """Whether it stops for a siren and wants nothing of the junction."""
    return 0 < fleet[i].yielding < MOVES_OVER


@bare
def _is_blocked_ahead(net: Net, fleet: Fleet, order: Order, i: int) -> bool:
    """Whether someone ahead in the same lane has no leave to enter yet."""
    if order.place[i, MAIN] < 0 or is_out(fleet, i):
        return False
    e = order.place[i, MAIN] + 1
    if e >= order.first[fleet[i].strip + 1]:
        return False
    j = order.vehicle[e]
    return fleet[j].strip == fleet[i].strip and fleet[j].granted < 0


@bare
def _is_crossed(net: Net, fleet: Fleet, order: Order, connector: int) -> bool:
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


@bare
def _is_barred_by_siren(net: Net, fleet: Fleet, desk: Desk, i: int, connector: int) -> bool:
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


@bare
def _claim(net: Net, fleet: Fleet, desk: Desk, i: int, connector: int, front: float) -> None:
    """Claim the crosswalks of a connector that the vehicle has still to leave; `front` [m] on it."""
    rear = front - fleet[i].length
    for w in range(net.strips[connector].walk_first, net.strips[connector + 1].walk_first):
        left = net.walks[w].end - rear
        if left > 0.0:
            time = left / max(fleet[i].speed, 2.0) + 0.5
            desk.claims[net.walks[w].crosswalk] = max(desk.claims[net.walks[w].crosswalk], time)


@bare
def entry_speed(net: Net, fleet: Fleet, i: int, connector: int) -> float:
    """[m/s] at which a driver takes the start of a connector: its limit, and the bends on it."""
    return min(
        net.points[net.strips[connector].first].pace * fleet[i].bend_share,
        net.strips[connector].limit * fleet[i].limit_share,
    )


@kernel
def grant(
    net: Net,
    fleet: Fleet,
    order: Order,
    desk: Desk,
    lights: np.ndarray,
    busy: np.ndarray,
    now: float,
) -> None:
    """Serve the requests of all who are near their stop line, in the order in which they came."""
    count = 0
    asked = np.empty(len(fleet))
    for i in range(len(fleet)):
        strip = fleet[i].strip
        if strip < 0 or net.strips[strip].kind != LANE or not fleet[i].autonomous:
            continue
        ahead = fleet[i].next
        if ahead < 0 or net.strips[ahead].kind != CONNECTOR or fleet[i].granted == ahead:
            continue
        speed = fleet[i].speed
        distance = net.strips[strip].length - fleet[i].station - fleet[i].overhang
        far = speed * speed / (2.0 * REQUEST_BRAKING) + 0.5 * speed + REQUEST_MARGIN
        if fleet[i].emergency:
            far += 20.0
        if distance > far or (fleet[i].side >= 0 and fleet[i].passing == 0) or _stands_aside(fleet, i):
            fleet[i].asked = np.inf
            fleet[i].held = GOES
            continue
        fleet[i].asked = min(fleet[i].asked, now)
        desk.candidates[count] = i
        asked[count] = fleet[i].asked
        count += 1
    waiting = desk.candidates[:count]
    for k in np.argsort(asked[:count], kind="mergesort"):
        i = waiting[k]
        reason = _may_enter(net, fleet, order, desk, lights, busy, i)
        fleet[i].held = reason
        if reason == GOES:
            ahead = fleet[i].next
            fleet[i].granted = ahead
            desk.strips[ahead].pending += 1
            desk.strips[net.after[net.strips[ahead].after_first]].inbound += fleet[i].length + JAM


@bare
def _may_enter(
    net: Net, fleet: Fleet, order: Order, desk: Desk, lights: np.ndarray, busy: np.ndarray, i: int
) -> int:
    """GOES, or what holds the vehicle back."""
    ahead, strip = fleet[i].next, fleet[i].strip
    distance = net.strips[strip].length - fleet[i].station - fleet[i].overhang
    siren = fleet[i].emergency
    if _is_blocked_ahead(net, fleet, order, i):
        return BEHIND
    entry = entry_speed(net, fleet, i, ahead)
    if fleet[i].speed * fleet[i].speed > entry * entry + 2.0 * GENTLE * max(0.0, distance):
        return TOO_FAST
    if not siren:
        if net.strips[ahead].control == LIGHT and lights[net.strips[ahead].light] != GREEN:
            return AT_LIGHT
        if net.strips[ahead].control == STOP and (fleet[i].waiting < STOP_TIME or distance > 3.0):
            return AT_STOP
    if _is_barred_by_siren(net, fleet, desk, i, ahead):
        return AT_SIREN
    if _is_crossed(net, fleet, order, ahead):
        return AT_CONFLICT
    if fleet[i].passing > 0 and not _is_way_back_clear(net, fleet, order, desk, i):
        return AT_CONFLICT
    for w in range(net.strips[ahead].walk_first, net.strips[ahead + 1].walk_first):
        if busy[net.walks[w].crosswalk]:
            return AT_CROSSWALK
    if not _has_room(net, fleet, order, desk, i, distance):
        return AT_ROOM
    patience = DUE_AFTER if net.strips[ahead].control == LIGHT else PATIENCE
    polite = not siren and fleet[i].delayed < patience
    pace = max(fleet[i].speed, 5.0)
    for k in range(net.strips[ahead].conflict_first, net.strips[ahead + 1].conflict_first):
        if net.conflicts[k].parting:
            continue
        other = net.conflicts[k].other
        if not siren and desk.strips[other].due > fleet[i].delayed:
            return AT_RIGHT_OF_WAY
        if desk.strips[other].pending > 0:
            return AT_CONFLICT
        e = order.first[other]
        if e < order.first[other + 1]:
            rear = order.front[e] - fleet[order.vehicle[e]].length
            if rear < net.conflicts[k].other_end + CLEAR or fleet[i].passing > 0:
                return AT_CONFLICT
        if polite and net.conflicts[k].rank < 0:
            clear = (distance + net.conflicts[k].end + fleet[i].length) / pace + 1.0
            if desk.strips[other].eta + net.conflicts[k].other_begin / 10.0 < clear:
                return AT_RIGHT_OF_WAY
    return GOES


@bare
def _is_way_back_clear(net: Net, fleet: Fleet, order: Order, desk: Desk, i: int) -> bool:
    """Whether one on the opposite road can swing back into its lane's way across the junction.

    Nobody may be on the way out into that road, nor start from the lane that it swings back to.
    """
    if desk.strips[fleet[i].side].inbound > 0.0:
        return False
    strip = fleet[i].strip
    for k in range(net.strips[strip].after_first, net.strips[strip + 1].after_first):
        way = net.after[k]
        if desk.strips[way].pending > 0 or order.first[way] < order.first[way + 1]:
            return False
    return True


@bare
def _has_room(net: Net, fleet: Fleet, order: Order, desk: Desk, i: int, distance: float) -> bool:
    """Whether the vehicle will fit behind the connector: by the length of the queue that the lane beyond
    can hold, and by where its last vehicle will be when this one gets there."""
    ahead = fleet[i].next
    lane = net.after[net.strips[ahead].after_first]
    need = fleet[i].length + JAM
    if desk.strips[lane].occupied + desk.strips[lane].inbound + need > net.strips[lane].length - LANE_RESERVE:
        return False
    e = order.first[lane]
    if e == order.first[lane + 1]:
        return True
    last = order.vehicle[e]
    if fleet[last].passing > 0 and fleet[last].side == lane:
        return False  # it comes towards us
    if fleet[last].speed > 4.0:
        return True
    rear = order.front[e] - fleet[last].length
    soon = (distance + net.strips[ahead].length) / max(fleet[i].speed, 6.0)
    return rear + 0.5 * fleet[last].speed * soon > desk.strips[lane].inbound + need
