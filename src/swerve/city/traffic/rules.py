"""The rules of the road at junctions: who may enter, and when.

A connector is entered only with everything it needs, all at once: the light, every stretch where it may
touch another connector, the crosswalks on it, and room for the whole vehicle behind it. Whoever holds less
holds nothing and can stop at the line, so nobody waits inside a junction for someone who waits for them.
Requests are served first come, first served; right of way makes a request wait while someone who goes first
is near.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..roads.lights import GREEN
from ..roads.roads import CONNECTOR, LANE, LIGHT, STOP
from .desk import (
    AT_CONFLICT,
    AT_CROSSWALK,
    AT_LIGHT,
    AT_RIGHT_OF_WAY,
    AT_ROOM,
    AT_SIREN,
    AT_STOP,
    BEHIND,
    DUE_AFTER,
    GENTLE,
    GOES,
    TOO_FAST,
    Desk,
    is_barred_by_siren,
    is_blocked_ahead,
    is_crossed,
    stands_aside,
)
from .fleet import SEEKS, Fleet
from .following import JAM
from .net import Net
from .order import Order

REQUEST_BRAKING = 2.5  # [m/s²] one asks while this much would still do for the stop line
REQUEST_MARGIN = 5.0  # [m]
CLEAR = 0.2  # [m] beyond a stretch
STOP_TIME = 1.0  # [s] to stand at a stop sign
PATIENCE = 20.0  # [s] of delay, after which right of way is asked no more, where there is no light
PLACE = 8.5  # [m] that anybody takes in a queue
LANE_RESERVE = 3.0  # [m] of a lane that is never given away


@inner
@bare
def entry_speed(net: Net, fleet: Fleet, i: int, connector: int) -> float:
    """[m/s] at which a driver takes the start of a connector: its limit, and the bends on it."""
    return min(
        net.points[net.strips[connector].first].pace * fleet[i].bend_share,
        net.strips[connector].limit * fleet[i].limit_share,
    )


@inner
@kernel
def grant(
    net: Net,
    fleet: Fleet,
    rows: np.ndarray,
    order: Order,
    desk: Desk,
    lights: np.ndarray,
    busy: np.ndarray,
    now: float,
) -> None:
    """Serve the requests of all who are near their stop line, in the order in which they came."""
    count = 0
    asked = np.empty(len(rows))
    for i in rows:
        strip = fleet[i].strip
        if net.strips[strip].kind != LANE or not fleet[i].autonomous:
            continue
        ahead = fleet[i].next
        if ahead < 0 or net.strips[ahead].kind != CONNECTOR or fleet[i].granted == ahead:
            continue
        speed = fleet[i].speed
        distance = net.strips[strip].length - fleet[i].station - fleet[i].overhang
        far = speed * speed / (2.0 * REQUEST_BRAKING) + 0.5 * speed + REQUEST_MARGIN
        if fleet[i].emergency:
            far += 20.0
        busy_else = (fleet[i].side >= 0 and fleet[i].passing == 0) or fleet[i].berth > SEEKS
        if distance > far or busy_else or stands_aside(fleet, i):
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
    if is_blocked_ahead(net, fleet, order, i):
        return BEHIND
    entry = entry_speed(net, fleet, i, ahead)
    if fleet[i].speed * fleet[i].speed > entry * entry + 2.0 * GENTLE * max(0.0, distance):
        return TOO_FAST
    if not siren:
        if net.strips[ahead].control == LIGHT and lights[net.strips[ahead].light] != GREEN:
            return AT_LIGHT
        if net.strips[ahead].control == STOP and (fleet[i].waiting < STOP_TIME or distance > 3.0):
            return AT_STOP
    if is_barred_by_siren(net, fleet, desk, i, ahead):
        return AT_SIREN
    if is_crossed(net, fleet, order, ahead):
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


@inner
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


@inner
@bare
def _leaves_a_place(net: Net, desk: Desk, strip: int, lane: int) -> bool:
    """Whether one who comes from `strip` onto a lane of a ring leaves a place on it: a ring that is full
    cannot move. Who is on it already goes on."""
    places = whole = 0
    at = lane
    while True:
        if at == strip:
            return True
        room = net.strips[at].length - LANE_RESERVE
        whole += int(room / PLACE)
        places += int(max(0.0, room - desk.strips[at].occupied - desk.strips[at].inbound) / PLACE)
        at = net.strips[at].ring
        if at == lane or at < 0:
            break
    return places > 1 or whole < 2


@inner
@bare
def _has_room(net: Net, fleet: Fleet, order: Order, desk: Desk, i: int, distance: float) -> bool:
    """Whether the vehicle will fit behind the connector: by the length of the queue that the lane beyond
    can hold, and by where its last vehicle will be when this one gets there."""
    ahead = fleet[i].next
    lane = net.after[net.strips[ahead].after_first]
    need = fleet[i].length + JAM
    if desk.strips[lane].wanted > fleet[i].delayed and not fleet[i].emergency:
        return False  # somebody has waited for that room for longer
    if desk.strips[lane].occupied + desk.strips[lane].inbound + need > net.strips[lane].length - LANE_RESERVE:
        return False
    if net.strips[lane].ring >= 0 and not _leaves_a_place(net, desk, fleet[i].strip, lane):
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
