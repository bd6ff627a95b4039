"""Changing lanes: why, when both gaps allow it, and as one smooth shift that a wheelbase can follow.

A vehicle wants another lane because its way leads there, to pass a slower leader (towards the middle;
towards the kerb only when frustrated), or because its driver prefers it. It changes only if it and the one
behind it there could stop for each other gently from the first moment on; while it moves over it stands in
the order of both lanes, so everyone keeps clear of it in both.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..characters.avoidance import INCOMING, OUTGOING, STATIONARY, STILL
from ..roads.abreast import INNER, OUTER
from ..roads.roads import LANE
from .desk import Desk
from .fleet import MOVES_OVER, SEEKS, Fleet
from .following import FAR, JAM
from .motion import choose_next, locate
from .net import Net, across
from .order import MAIN, Order
from .rules import LANE_RESERVE

SHIFT_TIME = 3.6  # [s] a lane change takes at speed
SHORTEST = 17.0  # [m] and over at least this distance
SETTLE = 12.0  # [m] of lane left after it
GAINS = 4.5  # [m/s] that a vehicle may gain meanwhile
CLEAR_AFTER = 0.62  # of that distance a vehicle is past the side of those in its old lane
SIDE_GAP = 0.35  # [m] left between their sides
GENTLE = 2.0  # [m/s²] braking that a change may ask of anyone
GAP_TIME = 0.6  # [s] of headway it leaves
FROM_BEHIND = 45.0  # [m] of lane behind, when vehicles are about to enter it
WORTH = 2.0  # [s] a lane must save on the way to be changed for
SLOWER = 0.75  # share of the desired speed below which a leader is passed
HELD_UP = 40.0  # [m] a leader further ahead is not in the way
PREFERENCE_SHARE = 0.02  # of the steps in which a driver thinks of the preferred lane


@inner
@kernel
def change_lanes(
    net: Net,
    fleet: Fleet,
    rows: np.ndarray,
    order: Order,
    desk: Desk,
    field: np.ndarray,
    inwards: bool,
    step: int,
) -> None:
    """Start the lane changes of this step, all of them inwards or all outwards.

    Two vehicles from both sides cannot take the same gap: the second sees the first in the next step.
    """
    for i in rows:
        strip = fleet[i].strip
        if net.strips[strip].kind != LANE or not fleet[i].autonomous:
            continue
        target = net.strips[strip].inner if inwards else net.strips[strip].outer
        if target < 0 or fleet[i].side >= 0 or fleet[i].previous >= 0:
            continue
        seeks = fleet[i].berth == SEEKS
        moves_over = (fleet[i].yielding == MOVES_OVER or seeks) and not inwards
        if (seeks and inwards) or fleet[i].keeps_lane:
            continue
        if fleet[i].yielding > 0 and not moves_over:
            continue
        if fleet[i].granted >= 0 or fleet[i].speed < 1.0 or fleet[i].passing > 0 or fleet[i].berth > SEEKS:
            continue
        soon = max(fleet[i].speed, min(fleet[i].desired, fleet[i].speed + GAINS))
        length = max(SHORTEST, SHIFT_TIME * soon)
        front = fleet[i].station + fleet[i].overhang
        if net.strips[strip].length - front < length + SETTLE:
            continue
        if (
            (moves_over or _wants(net, fleet, order, field, i, strip, target, inwards, step))
            and has_way_out(fleet, order, i, strip, length)
            and is_free(net, fleet, order, desk, i, strip, target)
        ):
            begin_change(net, fleet, field, i, target, length)


@bare
def _wants(
    net: Net,
    fleet: Fleet,
    order: Order,
    field: np.ndarray,
    i: int,
    strip: int,
    target: int,
    inwards: bool,
    step: int,
) -> bool:
    aim = fleet[i].aim
    if aim >= 0 and net.strips[aim].road == net.strips[strip].road:
        return aim != strip and inwards == (net.strips[aim].lane > net.strips[strip].lane)
    here = _cost_on(net, field, strip, fleet[i].destination)
    beside = _cost_with_changes(net, field, target, fleet[i].destination)
    if beside + WORTH < here:
        return True
    if beside > here + WORTH:
        return False
    if fleet[i].emergency:
        return inwards  # the opposite road is near there, and others make way towards the kerb
    left = net.strips[strip].length - fleet[i].station
    e = order.place[i, MAIN]
    slow = False
    if e + 1 < order.first[strip + 1]:
        j = order.vehicle[e + 1]
        gap = order.front[e + 1] - fleet[j].length - order.front[e]
        slow = gap < HELD_UP and fleet[j].speed < SLOWER * fleet[i].desired and left > 80.0
        slow = slow and goes_round(fleet, i, j)
    if slow and (inwards or fleet[i].frustration >= fleet[i].threshold):
        return _gap_ahead(net, fleet, order, i, target) > HELD_UP
    if (step * 7919 + fleet[i].number * 104729) % 1000 >= 1000 * PREFERENCE_SHARE or slow:
        return False
    return (fleet[i].driver == 0 and inwards) or (fleet[i].driver == 2 and not inwards)


@inner
@bare
def goes_round(fleet: Fleet, i: int, j: int) -> bool:
    """Whether vehicle i passes vehicle j, which is before it on its lane, where it can; else it queues."""
    kind = OUTGOING
    if fleet[j].speed < STILL:
        kind = STATIONARY
    elif fleet[j].passing > 0:
        kind = INCOMING
    return (fleet[i].goes_round >> kind) & 1 == 1


@inner
@bare
def _cost_on(net: Net, field: np.ndarray, lane: int, destination: int) -> float:
    """[s] to the destination if this lane is kept to its end."""
    best = np.inf
    for k in range(net.strips[lane].after_first, net.strips[lane + 1].after_first):
        best = min(best, field[destination, net.after[k]])
    return best


@inner
@bare
def _cost_with_changes(net: Net, field: np.ndarray, lane: int, destination: int) -> float:
    """[s] to the destination from this lane's end on, changing further where that is better."""
    best = _cost_on(net, field, lane, destination)
    further = net.strips[lane].inner
    while further >= 0:
        best = min(best, _cost_on(net, field, further, destination) + WORTH)
        further = net.strips[further].inner
    further = net.strips[lane].outer
    while further >= 0:
        best = min(best, _cost_on(net, field, further, destination) + WORTH)
        further = net.strips[further].outer
    return best


@inner
@bare
def front_beside(net: Net, fleet: Fleet, i: int, lane: int) -> float:
    """Where [m] the front bumper of a vehicle lies abreast on a lane beside its own."""
    strip = fleet[i].strip
    side = INNER if lane == net.strips[strip].inner else OUTER
    return across(net, strip, fleet[i].station + fleet[i].overhang, side)


@inner
@bare
def _gap_ahead(net: Net, fleet: Fleet, order: Order, i: int, target: int) -> float:
    front = front_beside(net, fleet, i, target)
    for e in range(order.first[target], order.first[target + 1]):
        if order.front[e] >= front:
            return order.front[e] - fleet[order.vehicle[e]].length - front
    return FAR


@bare
def has_way_out(fleet: Fleet, order: Order, i: int, strip: int, length: float) -> bool:
    """Whether the leader in the present lane leaves the way that moving over takes."""
    e = order.place[i, MAIN] + 1
    if e >= order.first[strip + 1]:
        return True
    j = order.vehicle[e]
    way = CLEAR_AFTER * length
    trust = 0.5 if fleet[i].emergency else 0.95  # others stop for a siren
    gains = trust * fleet[j].speed * way / max(fleet[i].speed, 2.0)
    return order.front[e] - fleet[j].length - order.front[e - 1] + gains > way + JAM


@inner
@bare
def is_clear_of(net: Net, fleet: Fleet, i: int, lane: int) -> bool:
    """Whether a vehicle that is leaving `lane` is past the side of those in it."""
    apart = 0.5 * (net.strips[fleet[i].strip].width + net.strips[lane].width) - abs(fleet[i].lateral)
    return apart > 0.5 * fleet[i].width + 1.0 + SIDE_GAP


@bare
def is_free(net: Net, fleet: Fleet, order: Order, desk: Desk, i: int, strip: int, target: int) -> bool:
    """Whether both gaps in the target lane are safe from the first moment on."""
    speed = fleet[i].speed
    front = front_beside(net, fleet, i, target)
    rear = front - fleet[i].length
    if (
        desk.strips[target].occupied + desk.strips[target].inbound + fleet[i].length + JAM
        > net.strips[target].length - LANE_RESERVE
    ):
        return False
    behind = False
    for e in range(order.first[target], order.first[target + 1]):
        j = order.vehicle[e]
        if order.front[e] >= front:
            gap = order.front[e] - fleet[j].length - front
            if fleet[j].passing > 0 and fleet[j].side == target:
                return False  # it comes towards us
            return gap > gap_needed(speed, fleet[j].speed) and (behind or _entryis_free(desk, target, rear))
        behind = True
        last = e + 1 == order.first[target + 1] or order.front[e + 1] >= front
        if last and rear - order.front[e] <= gap_needed(fleet[j].speed, speed):
            return False
    return behind or _entryis_free(desk, target, rear)


@inner
@bare
def _entryis_free(desk: Desk, target: int, rear: float) -> bool:
    """With nobody behind in the lane: nobody is about to enter it, or there is way enough."""
    return rear > FROM_BEHIND or (desk.strips[target].inbound == 0.0 and rear > 2.0)


@bare
def gap_needed(follower: float, leader: float) -> float:
    """Gap [m] from which the follower, braking gently, never comes too close."""
    return JAM + GAP_TIME * follower + max(0.0, follower * follower - leader * leader) / (2.0 * GENTLE)


@bare
def begin_change(net: Net, fleet: Fleet, field: np.ndarray, i: int, target: int, length: float) -> None:
    """The vehicle belongs to the target lane from now on; its reference line swings over in `length`
    [m]."""
    strip = fleet[i].strip
    share = fleet[i].station / net.strips[strip].length
    points = net.strips[target + 1].first - net.strips[target].first
    fleet[i].side = strip
    fleet[i].side_station = fleet[i].station
    fleet[i].strip = target
    fleet[i].segment = net.strips[target].first + min(points - 2, max(0, int(share * (points - 1))))
    reach = fleet[i].wheelbase - fleet[i].middle
    locate(
        net,
        fleet,
        i,
        fleet[i].x + reach * np.cos(fleet[i].heading),
        fleet[i].y + reach * np.sin(fleet[i].heading),
    )
    fleet[i].shift_from = fleet[i].lateral
    fleet[i].shift_to = 0.0
    fleet[i].shift_at = fleet[i].odometer
    fleet[i].shift_length = length
    fleet[i].next = choose_next(net, field, target, fleet[i].destination)
    fleet[i].asked = np.inf
