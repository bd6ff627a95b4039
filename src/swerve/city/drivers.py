"""What every driver does with the pedals: the smallest of all wishes, under the bound that keeps it
safe."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, kernel

from .fleet import Fleet
from .following import (
    BRAKING,
    JERK_DOWN,
    JERK_UP,
    free_wish,
    gap_wish,
    safe_speed,
    stop_wish,
)
from .net import CONNECTOR, EASY_BRAKING, GREEN, LANE, LIGHT, Net
from .order import MAIN, PLACES, Order
from .rules import LINE_MARGIN, REQUEST_BRAKING

STOP_BEFORE = 0.9  # [m] a driver aims to stop this far before the line
RED_BRAKING = 1.7  # [m/s²] at which braking for a known stop begins


@kernel
def accelerate(net: Net, fleet: Fleet, order: Order, lights: np.ndarray, busy: np.ndarray, dt: float) -> None:
    """Choose every vehicle's acceleration [m/s²] for the next step, and its desired speed [m/s]."""
    for i in range(len(fleet)):
        if fleet[i].strip < 0 or not fleet[i].autonomous:
            continue
        speed = fleet[i].speed
        wanted = _wanted_speed(net, fleet, i)
        fleet[i].desired = wanted
        power, comfort, headway = fleet[i].max_accel, fleet[i].comfort, fleet[i].headway
        free = free_wish(speed, wanted, power, comfort)
        wish, bound = free, np.inf
        # leaders on every strip it touches
        for k in range(PLACES):
            e = order.place[i, k]
            if e < 0:
                continue
            strip = _strip_of(fleet, i, k)
            if e + 1 < order.first[strip + 1]:
                j = order.vehicle[e + 1]
                gap = order.front[e + 1] - fleet[j].length - order.front[e]
                wish = min(wish, gap_wish(speed, fleet[j].speed, gap, free, power, comfort, headway))
                bound = min(bound, safe_speed(gap - fleet[i].clearance, fleet[j].speed, dt))
        # what lies along the way
        wish, bound = _look_along(net, fleet, order, lights, busy, i, wish, bound, free, dt)
        now = fleet[i].accel
        wish = min(now + JERK_UP * dt, max(now - JERK_DOWN * dt, wish)) if speed > 0.0 else max(0.0, wish)
        wish = max(wish, -BRAKING)
        if speed + wish * dt > bound:
            wish = (bound - speed) / dt
        fleet[i].accel = max(wish, -speed / dt)


@bare
def _strip_of(fleet: Fleet, i: int, role: int) -> int:
    if role == 0:
        return fleet[i].strip
    if role == 1:
        return fleet[i].previous
    if role == 2:
        return fleet[i].earlier
    return fleet[i].side


@bare
def _wanted_speed(net: Net, fleet: Fleet, i: int) -> float:
    """The speed the driver would go with nobody about [m/s]: limit, bends, own top speed."""
    strip, p = fleet[i].strip, fleet[i].segment
    wanted = min(fleet[i].max_speed, net.strips[strip].limit * fleet[i].limit_share)
    length = net.points[p + 1].station - net.points[p].station
    share = min(1.0, max(0.0, (fleet[i].station - net.points[p].station) / length))
    bend = net.points[p].pace + share * (net.points[p + 1].pace - net.points[p].pace)
    left = net.strips[strip].length - fleet[i].station
    ahead = fleet[i].next
    if ahead >= 0:
        entry = min(
            net.points[net.strips[ahead].first].pace,
            net.strips[ahead].limit * fleet[i].limit_share / fleet[i].bend_share,
        )
        bend = min(bend, np.sqrt(entry * entry + 2.0 * EASY_BRAKING * max(0.0, left)))
    return min(wanted, bend * fleet[i].bend_share)


@bare
def _look_along(
    net: Net,
    fleet: Fleet,
    order: Order,
    lights: np.ndarray,
    busy: np.ndarray,
    i: int,
    wish: float,
    bound: float,
    free: float,
    dt: float,
) -> tuple[float, float]:
    """Leaders beyond the strip's end, stop lines and crosswalks on the way, as far as matters at this
    speed."""
    speed = fleet[i].speed
    strip = fleet[i].strip
    front = fleet[i].station + fleet[i].overhang
    horizon = speed * speed / (2.0 * 1.5) + 2.0 * speed + 15.0
    e = order.place[i, MAIN]
    led = e + 1 < order.first[strip + 1]
    start = -front  # where the strip begins, from the bumper
    while True:
        if net.strips[strip].kind == LANE:
            for w in range(net.strips[strip].walk_first, net.strips[strip + 1].walk_first):
                distance = start + net.walks[w].begin - fleet[i].person_clearance
                if distance > 0.0 and busy[net.walks[w].crosswalk]:
                    wish = min(wish, stop_wish(speed, distance, free, RED_BRAKING))
                    bound = min(bound, safe_speed(distance, 0.0, dt))
        end = start + net.strips[strip].length
        if end > horizon:
            break
        ahead = fleet[i].next if strip == fleet[i].strip else _single_way_on(net, strip)
        closed = ahead < 0
        if not closed and net.strips[strip].kind == LANE and net.strips[ahead].kind == CONNECTOR:
            closed = fleet[i].granted != ahead and end > -LINE_MARGIN
        if closed:
            known = (
                ahead < 0 or net.strips[ahead].control != LIGHT or lights[net.strips[ahead].light] != GREEN
            )
            start_at = RED_BRAKING if known else REQUEST_BRAKING
            wish = min(wish, stop_wish(speed, end - STOP_BEFORE, free, start_at))
            bound = min(bound, safe_speed(end - LINE_MARGIN, 0.0, dt))
            break
        start, strip = end, ahead
        if not led:
            e = order.first[strip]
            if e < order.first[strip + 1]:
                led = True
                j = order.vehicle[e]
                gap = start + order.front[e] - fleet[j].length
                power, comfort, headway = fleet[i].max_accel, fleet[i].comfort, fleet[i].headway
                wish = min(wish, gap_wish(speed, fleet[j].speed, gap, free, power, comfort, headway))
                bound = min(bound, safe_speed(gap - fleet[i].clearance, fleet[j].speed, dt))
    return wish, bound


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
