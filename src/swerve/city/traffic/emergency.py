"""How emergency vehicles drive (Hynes, section 4.4); how others let them through is in `yielding`.

With its siren on a vehicle crosses a red light or a stop sign at 15 % of its top speed and does not slow
for yielding. It looks 25 m ahead; when its lane is obstructed it searches the lanes outwards for an open
one, and when there is none it passes on the opposite road at 25 % of its top speed, and returns when its
own road is free. None of this overrides what keeps vehicles apart: a siren asks for a junction, it does
not take it.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..roads.abreast import INNER, OPPOSITE, OUTER
from ..roads.lights import RED, YELLOW
from ..roads.roads import CONNECTOR, LANE, LIGHT, STOP
from .desk import AT_CONFLICT, GENTLE, Desk
from .fleet import Fleet
from .following import JAM
from .lane_change import begin_change, gap_needed, has_way_out, is_free
from .motion import goes_on_opposite
from .net import Net, across
from .order import MAIN, Order

CROSSING_SHARE = 0.15  # of top speed, over a red light or a stop sign
OPPOSITE_SHARE = 0.25  # of top speed, on the opposite road
HEARD_AT = 15.0  # [m] of the stop line a siren is given the junction, even standing
HEARD_BEFORE = 5.0  # [s] and this long before it is there
KEEP_BACK = 8.0  # [m] a siren stops behind an obstruction, so that it can pull out
KEEP_BACK_ONCOMING = 18.0  # [m] likewise from one that comes towards it, so that it can swing back
SWERVE, SWERVE_TIME = 12.0, 2.7  # [m], [s] a siren takes at least to move over by a lane, and at speed
SHORTEST_SWERVE = 4.0  # [m] over which one swings back that has hardly left its lane
SWERVE_BACK = 18.0  # [m] over which it swings back in a junction
GIVES_UP_AFTER = 6.0  # [s] a siren finds no way; then it queues, and those ahead go on
MOST_SPEED = 60.0  # [m/s] of anybody
LONGEST_STEP = 0.25  # [s]


@inner
@kernel
def watch_sirens(net: Net, fleet: Fleet, desk: Desk, lights: np.ndarray, sirens: np.ndarray) -> None:
    """Give every junction to the nearest siren within reach; note which sirens face a stop."""
    desk.siren[:] = -1
    desk.siren_distance[:] = np.inf
    for k in range(len(sirens)):
        i = sirens[k]
        strip = fleet[i].strip
        junction = net.strips[strip].junction
        distance = 0.0
        if net.strips[strip].kind == LANE:
            distance = net.strips[strip].length - fleet[i].station - fleet[i].overhang
            ahead = fleet[i].next
            stop = ahead >= 0 and net.strips[ahead].control == STOP
            if ahead >= 0 and net.strips[ahead].control == LIGHT:
                state = lights[net.strips[ahead].light]
                crossing = CROSSING_SHARE * fleet[i].max_speed
                need = (fleet[i].speed * fleet[i].speed - crossing * crossing) / (2.0 * GENTLE)
                stop = state == RED or (state == YELLOW and (need < distance or fleet[i].creep))
            if distance > 0.0:
                fleet[i].creep = stop  # settled at the line, until it has left the junction
        if junction < 0 or distance > HEARD_AT + HEARD_BEFORE * fleet[i].speed or gives_up(fleet, i):
            continue
        if distance < desk.siren_distance[junction]:
            desk.siren[junction] = i
            desk.siren_distance[junction] = distance


@inner
@bare
def gives_up(fleet: Fleet, i: int) -> bool:
    """Whether a siren has found no way for long: it queues like everyone, and those ahead go on.

    Who waits only for others to leave the junction does not give up: they are leaving it.
    """
    return fleet[i].stuck > GIVES_UP_AFTER and fleet[i].held != AT_CONFLICT


@inner
@bare
def begin_shift(fleet: Fleet, i: int, to: float, length: float) -> None:
    """Let the reference line swing from where the vehicle is to `to` [m] beside the strip's middle."""
    fleet[i].shift_from = fleet[i].lateral
    fleet[i].shift_to = to
    fleet[i].shift_at = fleet[i].odometer
    fleet[i].shift_length = length


@bare
def swerve_length(fleet: Fleet, i: int) -> float:
    """Way [m] over which a siren moves over by a lane at its present speed."""
    return max(SWERVE, SWERVE_TIME * fleet[i].speed)


@inner
@kernel
def pass_others(
    net: Net,
    fleet: Fleet,
    order: Order,
    desk: Desk,
    field: np.ndarray,
    sirens: np.ndarray,
    inwards: bool,
    dt: float,
) -> None:
    """Lane search and passing of all vehicles with their siren on."""
    for k in range(len(sirens)):
        i = sirens[k]
        strip = fleet[i].strip
        if fleet[i].passing > 0:
            fleet[i].stuck = 0.0 if fleet[i].speed > 1.0 else fleet[i].stuck + dt
            _return_when_free(net, fleet, order, i)
            continue
        if net.strips[strip].kind != LANE:
            fleet[i].stuck = fleet[i].waiting
            continue
        is_open = _is_open(fleet, order, i, strip, fleet[i].station + fleet[i].overhang, 0.0)
        fleet[i].stuck = 0.0 if is_open and fleet[i].speed > 1.0 else fleet[i].stuck + dt
        if is_open:
            continue
        if fleet[i].side >= 0 or fleet[i].previous >= 0 or fleet[i].granted >= 0:
            continue
        toward = _search_lanes(net, fleet, order, i, strip)
        left = net.strips[strip].length - fleet[i].station - fleet[i].overhang
        length = swerve_length(fleet, i)
        if toward == 0 and net.strips[strip].inner >= 0:
            toward = 1  # nearer to the opposite road
        if toward != 0:
            target = net.strips[strip].inner if toward > 0 else net.strips[strip].outer
            fits = left > length + 3.0 and has_way_out(fleet, order, i, strip, length)
            if (toward > 0) == inwards and fits and is_free(net, fleet, order, desk, i, strip, target):
                begin_change(net, fleet, field, i, target, length)
        elif left > _way_out_and_back(net, fleet, i, length) and has_way_out(fleet, order, i, strip, length):
            _pull_out(net, fleet, order, desk, sirens, i, strip, inwards)


@bare
def _way_out_and_back(net: Net, fleet: Fleet, i: int, length: float) -> float:
    """Way [m] left that one needs to pull out: also back again, where the opposite lane ends without a
    junction."""
    ahead, opposite = fleet[i].next, net.strips[fleet[i].strip].opposite
    if ahead < 0 or net.strips[ahead].kind != LANE or opposite < 0:
        return length + 2.0
    goes_on = net.strips[ahead].opposite >= 0 and net.strips[ahead].opposite == net.strips[opposite].follows
    return length + 2.0 if goes_on else 3.0 * length


@bare
def _search_lanes(net: Net, fleet: Fleet, order: Order, i: int, strip: int) -> int:
    """Outwards from the own lane, one to each side, two to each side, ...: 1 open towards the middle, -1
    towards the kerb, 0 none."""
    inner, outer = net.strips[strip].inner, net.strips[strip].outer
    front = fleet[i].station + fleet[i].overhang
    within, without = across(net, strip, front, INNER), across(net, strip, front, OUTER)
    while inner >= 0 or outer >= 0:
        if inner >= 0:
            if _is_open(fleet, order, i, inner, within, SWERVE_BACK):
                return 1
            within = across(net, inner, within, INNER)
            inner = net.strips[inner].inner
        if outer >= 0:
            if _is_open(fleet, order, i, outer, without, SWERVE_BACK):
                return -1
            without = across(net, outer, without, OUTER)
            outer = net.strips[outer].outer
    return 0


@bare
def _is_open(fleet: Fleet, order: Order, i: int, lane: int, front: float, further: float) -> bool:
    """Whether nobody slower is in a lane beside the vehicle, whose front is at `front` [m] there, or within
    its look-ahead and `further` [m]."""
    for e in range(order.first[lane], order.first[lane + 1]):
        j = order.vehicle[e]
        rear = order.front[e] - fleet[j].length
        if (
            j != i
            and order.front[e] > front - fleet[i].length
            and rear < front + fleet[i].look_ahead + further
        ):
            slower = fleet[j].speed < 0.9 * fleet[i].desired
            if slower:
                return False
    return True


@bare
def _pull_out(
    net: Net, fleet: Fleet, order: Order, desk: Desk, sirens: np.ndarray, i: int, strip: int, turn: bool
) -> None:
    """To the opposite road, if that is empty far enough for whoever might come to stop.

    One siren at a junction may do so: two would stand in the lanes by which the other leaves it. The two
    directions of a road take turns, so that nobody has to know what is decided at the next junction. Who
    turns round at the end of the road does not: it would stand where it wants to go.
    """
    other, way = net.strips[strip].opposite, fleet[i].next
    if other < 0 or desk.strips[other].inbound > 0.0:
        return
    goes_on = way >= 0 and net.strips[way].kind == CONNECTOR
    if goes_on and net.strips[net.after[net.strips[way].after_first]].road == net.strips[other].road:
        return
    if (net.strips[strip].road < net.strips[other].road) != turn:
        return
    junction = net.strips[strip].junction
    for j in sirens:
        same = junction >= 0 and net.strips[fleet[j].strip].junction == junction
        if j != i and fleet[j].passing > 0 and same:
            return
    soon = fleet[i].speed + LONGEST_STEP * max(0.0, fleet[i].accel)
    if soon > OPPOSITE_SHARE * fleet[i].max_speed:
        return
    nose = across(net, strip, fleet[i].station + fleet[i].overhang, OPPOSITE)
    tail = nose + fleet[i].length
    if _comes_on(net, fleet, order, i, net.strips[other].follows, nose):
        return
    for lane in (other, net.strips[other].outer):
        if lane < 0:
            continue
        for e in range(order.first[lane], order.first[lane + 1]):
            j = order.vehicle[e]
            if lane != other and fleet[j].strip != other:
                continue  # did not change over in this very step
            if order.front[e] - fleet[j].length > tail + 1.0:
                continue  # behind us, driving away
            speed = fleet[j].speed
            if fleet[j].passing > 0 or nose - order.front[e] < 2.0 * fleet[i].look_ahead + 3.0 * speed:
                return
    aside = 0.5 * (net.strips[strip].width + net.strips[other].width)
    fleet[i].passing = 1
    fleet[i].side = other
    begin_shift(fleet, i, -aside if net.left_hand else aside, swerve_length(fleet, i))


@bare
def _comes_on(net: Net, fleet: Fleet, order: Order, i: int, lane: int, gap: float) -> bool:
    """Whether somebody on the lanes that lead into the opposite one, the first of which ends `gap` [m] ahead,
    is too near for a siren to pull out."""
    far = 2.0 * fleet[i].look_ahead + 3.0 * MOST_SPEED
    while lane >= 0 and gap < far:
        for e in range(order.first[lane], order.first[lane + 1]):
            j = order.vehicle[e]
            away = gap + net.strips[lane].length - order.front[e]
            if fleet[j].passing > 0 or away < 2.0 * fleet[i].look_ahead + 3.0 * fleet[j].speed:
                return True
        gap += net.strips[lane].length
        lane = net.strips[lane].follows
    return False


@bare
def _return_when_free(net: Net, fleet: Fleet, order: Order, i: int) -> None:
    """Back to the own lane once it is free beside and ahead; on a connector, always."""
    strip = fleet[i].strip
    back = fleet[i].shift_to == 0.0
    if back:
        if fleet[i].odometer >= fleet[i].shift_at + fleet[i].shift_length:
            fleet[i].passing = 0
            fleet[i].side = -1
        return
    if net.strips[strip].kind == CONNECTOR:
        begin_shift(fleet, i, 0.0, max(SWERVE_BACK, 0.8 * net.strips[strip].length))
        return
    front = fleet[i].station + fleet[i].overhang
    length, ahead = swerve_length(fleet, i), fleet[i].look_ahead
    followed = order.place[i, MAIN] >= 0  # its tail is still in its lane, so those behind keep clear of it
    if fleet[i].stuck > GIVES_UP_AFTER:  # nobody gets on here: back into whatever room there is
        aside = abs(fleet[i].shift_to)
        length = max(SHORTEST_SWERVE, SWERVE * np.sqrt(min(1.0, abs(fleet[i].lateral) / aside)))
        ahead = length + JAM
    way_on = fleet[i].next
    joint = way_on >= 0 and goes_on_opposite(net, fleet, i, way_on)
    if net.strips[strip].length - front < length and not joint:
        return
    for e in range(order.first[strip], order.first[strip + 1]):
        j = order.vehicle[e]
        if j == i:
            continue
        rear = order.front[e] - fleet[j].length
        if rear < front + ahead and order.front[e] > front - fleet[i].length:
            return
        if order.front[e] <= front - fleet[i].length and not followed:
            gap = front - fleet[i].length - order.front[e]
            if gap < gap_needed(fleet[j].speed, fleet[i].speed):
                return
    begin_shift(fleet, i, 0.0, length)
