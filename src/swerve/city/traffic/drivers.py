"""What every driver does with the pedals: the smallest of all wishes, under the bound that keeps it
safe."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..roads.lights import GREEN
from ..roads.roads import CONNECTOR, LANE, LIGHT
from .desk import LINE_MARGIN
from .emergency import CROSSING_SHARE, KEEP_BACK, KEEP_BACK_ONCOMING, OPPOSITE_SHARE, SWERVE
from .fleet import MOVES_OVER, Fleet
from .following import (
    BRAKING,
    FAR,
    JAM,
    JERK_DOWN,
    JERK_UP,
    REACTION,
    START_DELAY,
    free_wish,
    gap_wish,
    safe_speed,
    stop_wish,
)
from .lane_change import is_clear_of
from .motion import goes_on_opposite
from .net import EASY_BRAKING, Net
from .order import MAIN, PLACES, SIDE, Order, is_out
from .rules import REQUEST_BRAKING, entry_speed

STOP_BEFORE = 0.9  # [m] a driver aims to stop this far before the line
LINE_CLEARANCE = 2.0  # [m] that lines keep from crosswalks, about, when one stops there
PREVIEW = 0.6  # [s] ahead a driver looks for the speed to have there
HARDEST_FOR_BENDS = 3.5  # [m/s²]
CROSSING_MARGIN = 3.0  # [m] before the line at which a siren has slowed down
SIREN_BRAKING = 3.0  # [m/s²] at which a siren slows down for a red light
SWERVE_ACCELERATION = 3.0  # [m/s²] to the side, when a siren moves over by a lane
SHARPEST = 5.77  # curvature of a shift where it is sharpest, times length² by width
SEES_ONCOMING = 200.0  # [m] at least, that one on the opposite road looks ahead
SPARE_TIME = 0.8  # [s] between a foreign body and a vehicle at the same place
RED_BRAKING = 1.7  # [m/s²] at which braking for a known stop begins


@kernel
def accelerate(
    net: Net,
    fleet: Fleet,
    rows: np.ndarray,
    order: Order,
    lights: np.ndarray,
    dt: float,
) -> None:
    """Choose the acceleration [m/s²] of all `rows` for the next step, and their desired speeds [m/s]."""
    for i in rows:
        if not fleet[i].autonomous:
            continue
        speed = fleet[i].speed
        wanted = _wanted_speed(net, fleet, i, 0.0)
        fleet[i].desired = wanted
        power, comfort, headway = fleet[i].max_accel, fleet[i].comfort, fleet[i].headway
        free = free_wish(speed, wanted, power, comfort)
        soon = _wanted_speed(net, fleet, i, speed * PREVIEW) if speed > 0.0 else wanted
        if soon < speed:
            free = min(free, max((soon - speed) / PREVIEW, -HARDEST_FOR_BENDS))
        wish, bound, guard = free, np.inf, np.inf
        # leaders on every strip it touches
        for k in range(PLACES):
            e = order.place[i, k]
            if e < 0 or (k == MAIN and is_out(fleet, i)):
                continue
            strip = _strip_of(fleet, i, k)
            if k == SIDE and fleet[i].passing > 0:  # against the traffic of this lane
                returning = fleet[i].shift_to == 0.0
                if not (returning and is_clear_of(net, fleet, i, strip)):
                    gap = _oncoming(net, fleet, order, strip, e, order.front[e] - fleet[i].length, dt)
                    back = fleet[i].clearance - JAM if returning else KEEP_BACK_ONCOMING
                    wish = min(wish, gap_wish(speed, 0.0, gap - back, free, power, comfort, headway))
                    bound = min(bound, safe_speed(gap - fleet[i].clearance, 0.0, dt))
            elif k == SIDE and is_clear_of(net, fleet, i, strip):
                continue
            else:
                leader = _leader(fleet, order, i, e + 1, order.first[strip + 1], order.front[e])
                if leader >= 0:
                    gap, pace, back = _behind(fleet, order, i, leader, strip, order.front[e], dt)
                    wish = min(wish, gap_wish(speed, pace, gap - back, free, power, comfort, headway))
                    if fleet[order.vehicle[leader]].foreign:
                        guard = min(guard, _guard(fleet, i, gap, pace, dt))
                    else:
                        bound = min(bound, safe_speed(gap - fleet[i].clearance, pace, dt))
        if 0 < fleet[i].yielding < MOVES_OVER:
            wish = min(wish, -comfort)
        if fleet[i].passing > 0:
            bound = min(bound, OPPOSITE_SHARE * fleet[i].max_speed)
        # what lies along the way
        wish, bound, guard = _look_along(net, fleet, order, lights, i, wish, bound, guard, free, dt)
        if speed > 0.0:
            now = fleet[i].accel
            wish = min(now + JERK_UP * dt, max(now - JERK_DOWN * dt, wish))
            fleet[i].ready = 0.0
        else:
            fleet[i].ready = fleet[i].ready + dt if wish > 0.0 else 0.0
            wish = max(0.0, wish) if fleet[i].ready > START_DELAY else 0.0
        if fleet[i].emergency and fleet[i].creep:
            wish = min(wish, (_crossing_bound(net, fleet, i) - speed) / dt)
        wish = max(wish, -BRAKING)
        if speed + wish * dt > guard:  # bodies that keep no rules may come too close to brake at ease
            wish = max((guard - speed) / dt, -fleet[i].max_brake)
        if speed + wish * dt > bound:
            wish = (bound - speed) / dt
        fleet[i].accel = max(wish, -speed / dt)


@inner
@bare
def _leader(fleet: Fleet, order: Order, i: int, e: int, stop: int, front: float) -> int:
    """The first entry from e on, before `stop`, that vehicle i has to mind, or -1.

    A foreign body that comes onto the strip only after the vehicle has passed, or has left it before the
    vehicle is there, is not minded. `front` [m] is the vehicle's on that strip.
    """
    while e < stop:
        j = order.vehicle[e]
        if not fleet[j].foreign:
            return e
        speed = max(fleet[i].speed, 1.0)
        gap = order.front[e] - fleet[j].length - front
        passed = gap + fleet[j].length + fleet[i].length < speed * (fleet[j].arrives - SPARE_TIME)
        gone = gap > speed * (fleet[j].leaves + SPARE_TIME)
        if not passed and not gone:
            return e
        e += 1
    return -1


@bare
def _oncoming(net: Net, fleet: Fleet, order: Order, strip: int, e: int, nose: float, dt: float) -> float:
    """Gap [m] from the `nose` of a siren on the opposite lane, entry e there, to where could stop who comes
    towards it on that lane or on those that lead into it."""
    gap = nose
    while True:
        if e > order.first[strip]:
            j = order.vehicle[e - 1]
            return gap - order.front[e - 1] - _way_to_stop(fleet[j].speed, dt)
        strip = net.strips[strip].follows
        if strip < 0 or gap > SEES_ONCOMING:
            return FAR
        e = order.first[strip + 1]
        gap += net.strips[strip].length


@bare
def _guard(fleet: Fleet, i: int, gap: float, pace: float, dt: float) -> float:
    """Largest speed [m/s] behind a foreign body. One beside us is let past with easy braking."""
    if gap < 0.0:
        return max(0.0, fleet[i].speed - fleet[i].comfort * dt)
    return safe_speed(gap - fleet[i].clearance, pace, dt)


@bare
def _behind(
    fleet: Fleet, order: Order, i: int, e: int, strip: int, front: float, dt: float
) -> tuple[float, float, float]:
    """Gap [m] from a bumper at `front` to the vehicle of entry e, and that vehicle's speed [m/s].

    One that comes towards us on this lane counts as standing where it could stop. A siren keeps back from
    what stands, so that it has the way to pull out.
    """
    j = order.vehicle[e]
    gap = order.front[e] - fleet[j].length - front
    if fleet[j].passing > 0 and fleet[j].side == strip:
        return gap - _way_to_stop(fleet[j].speed, dt), 0.0, KEEP_BACK
    if fleet[i].emergency and fleet[i].passing == 0 and fleet[i].side < 0:
        return gap, fleet[j].speed, KEEP_BACK * max(0.0, 1.0 - fleet[j].speed / 5.0)
    return gap, fleet[j].speed, 0.0


@inner
@bare
def _way_to_stop(speed: float, dt: float) -> float:
    """Way [m] to a stop with full braking, reaction and step included."""
    return speed * speed / (2.0 * BRAKING) + speed * (REACTION + dt)


@inner
@bare
def _strip_of(fleet: Fleet, i: int, role: int) -> int:
    if role == 0:
        return fleet[i].strip
    if role == 1:
        return fleet[i].previous
    if role == 2:
        return fleet[i].earlier
    return fleet[i].side


@inner
@bare
def _wanted_speed(net: Net, fleet: Fleet, i: int, further: float) -> float:
    """The speed the driver would go with nobody about [m/s], `further` [m] ahead: limit, bends, top
    speed."""
    strip, p = fleet[i].strip, fleet[i].segment
    station = fleet[i].station + further
    ahead = fleet[i].next
    if station > net.strips[strip].length and ahead >= 0:
        station -= net.strips[strip].length
        strip, p = ahead, net.strips[ahead].first
        ahead = -1
    wanted = min(fleet[i].max_speed, net.strips[strip].limit * fleet[i].limit_share)
    while p + 2 < net.strips[strip + 1].first and net.points[p + 1].station < station:
        p += 1
    length = net.points[p + 1].station - net.points[p].station
    share = min(1.0, max(0.0, (station - net.points[p].station) / length))
    bend = net.points[p].pace + share * (net.points[p + 1].pace - net.points[p].pace)
    left = net.strips[strip].length - station
    if ahead >= 0:
        entry = entry_speed(net, fleet, i, ahead) / fleet[i].bend_share
        bend = min(bend, np.sqrt(entry * entry + 2.0 * EASY_BRAKING * max(0.0, left)))
    wanted = min(wanted, bend * fleet[i].bend_share)
    if fleet[i].emergency:
        if fleet[i].creep:
            crossing = CROSSING_SHARE * fleet[i].max_speed
            way = (
                max(0.0, left - fleet[i].overhang - CROSSING_MARGIN)
                if net.strips[strip].kind == LANE
                else 0.0
            )
            wanted = min(wanted, np.sqrt(crossing * crossing + 2.0 * SIREN_BRAKING * way))
        if fleet[i].passing > 0:
            wanted = min(wanted, OPPOSITE_SHARE * fleet[i].max_speed)
        by = abs(fleet[i].shift_to - fleet[i].shift_from)
        if by > 1.0 and fleet[i].odometer < fleet[i].shift_at + fleet[i].shift_length:
            wanted = min(wanted, fleet[i].shift_length * np.sqrt(SWERVE_ACCELERATION / (SHARPEST * by)))
    return wanted


@inner
@bare
def _crossing_bound(net: Net, fleet: Fleet, i: int) -> float:
    """Largest speed [m/s] of a siren that has a red light ahead or crosses one."""
    crossing = CROSSING_SHARE * fleet[i].max_speed
    strip = fleet[i].strip
    if net.strips[strip].kind != LANE:
        return crossing
    way = max(0.0, net.strips[strip].length - fleet[i].station - fleet[i].overhang - STOP_BEFORE)
    return np.sqrt(crossing * crossing + 2.0 * 1.3 * SIREN_BRAKING * way)


@inner
@bare
def _look_along(
    net: Net,
    fleet: Fleet,
    order: Order,
    lights: np.ndarray,
    i: int,
    wish: float,
    bound: float,
    guard: float,
    free: float,
    dt: float,
) -> tuple[float, float, float]:
    """Leaders beyond the strip's end and stop lines on the way, as far as matters at this speed."""
    speed = fleet[i].speed
    strip = fleet[i].strip
    front = fleet[i].station + fleet[i].overhang
    horizon = speed * speed / (2.0 * 1.5) + 2.0 * speed + 15.0
    e = order.place[i, MAIN]
    led = e >= 0 and not is_out(fleet, i)
    led = led and _leader(fleet, order, i, e + 1, order.first[strip + 1], order.front[e]) >= 0
    start = -front  # where the strip begins, from the bumper
    while True:
        end = start + net.strips[strip].length
        if end > horizon:
            break
        ahead = fleet[i].next if strip == fleet[i].strip else _single_way_on(net, strip)
        if ahead < 0 and net.strips[strip].open:
            break
        closed = ahead < 0
        if not closed and net.strips[strip].kind == LANE:
            if net.strips[ahead].kind == CONNECTOR:
                closed = fleet[i].granted != ahead and end > -LINE_MARGIN
            elif fleet[i].passing > 0 and fleet[i].shift_to != 0.0 and strip == fleet[i].strip:
                closed = not goes_on_opposite(net, fleet, i, ahead)
                end -= SWERVE if closed else 0.0  # room to swing back before the opposite lane ends
        if closed:
            known = (
                ahead < 0 or net.strips[ahead].control != LIGHT or lights[net.strips[ahead].light] != GREEN
            )
            start_at = RED_BRAKING if known else REQUEST_BRAKING
            back = STOP_BEFORE
            if ahead >= 0 and net.strips[ahead].walk_first < net.strips[ahead + 1].walk_first:
                back += max(0.0, fleet[i].person_clearance - LINE_CLEARANCE)
            wish = min(wish, stop_wish(speed, end - back, free, start_at))
            bound = min(bound, safe_speed(end - LINE_MARGIN, 0.0, dt))
            break
        start, strip = end, ahead
        if not led:
            e = _leader(fleet, order, i, order.first[strip], order.first[strip + 1], -start)
            if e >= 0:
                led = True
                gap, pace, back = _behind(fleet, order, i, e, strip, -start, dt)
                power, comfort, headway = fleet[i].max_accel, fleet[i].comfort, fleet[i].headway
                wish = min(wish, gap_wish(speed, pace, gap - back, free, power, comfort, headway))
                if fleet[order.vehicle[e]].foreign:
                    guard = min(guard, _guard(fleet, i, gap, pace, dt))
                else:
                    bound = min(bound, safe_speed(gap - fleet[i].clearance, pace, dt))
    return wish, bound, guard


@inner
@bare
def _single_way_on(net: Net, strip: int) -> int:
    """The strip after another when there is no choice: behind a connector, and where a lane goes on as a
    lane."""
    if net.strips[strip + 1].after_first - net.strips[strip].after_first < 1:
        return -1
    ahead = net.after[net.strips[strip].after_first]
    if net.strips[strip].kind == LANE and net.strips[ahead].kind == CONNECTOR:
        return -1  # it must be asked for first
    return ahead
