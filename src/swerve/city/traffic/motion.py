"""How a vehicle moves: a body with a wheelbase whose pose comes from its own steering, never from its lane.

The front axle is steered towards a reference line, the middle of the strip plus a sideways shift s(u). With
heading ψ, reference direction θ and offset e from the reference, the front wheels are turned to

    δ = θ - ψ - atan(k e / (v + v₀))        bounded in angle and in rate,

so that the axle moves along the line and closes any offset; the rear follows as dψ/ds = sin δ / L (s
measured at the front axle). A shift runs over a distance, not over a time: a car that stands does not move
sideways.
"""

from __future__ import annotations

import numpy as np

from swerve.core.geometry import wrapped
from swerve.core.kernels import bare, inner, kernel

from ..roads.abreast import INNER, OUTER
from ..roads.roads import LANE
from .fleet import Fleet
from .net import Net, across

CLOSING = 1.3  # [1/s] how quickly an offset is closed
SOFTENING = 1.5  # [m/s]
STANDS = 1e-9  # [m/s] below which a vehicle stands
SIDE_LIMIT = 6.0  # [m/s²] no steering beyond this side acceleration


@kernel
def move_all(net: Net, fleet: Fleet, field: np.ndarray, dt: float) -> None:
    """`move` for every vehicle that drives on its own."""
    for i in range(len(fleet)):
        if fleet[i].strip >= 0 and fleet[i].autonomous:
            move(net, fleet, field, i, dt)


@inner
@bare
def move(net: Net, fleet: Fleet, field: np.ndarray, i: int, dt: float) -> None:
    """Advance a vehicle by one step, from its speed and its acceleration [m/s²] chosen before."""
    speed = fleet[i].speed + fleet[i].accel * dt
    if speed < STANDS:  # what rounding leaves of a stop
        speed = 0.0
    fleet[i].speed = speed
    if speed > 0.0:
        _steer_and_roll(net, fleet, i, speed, dt)
        follow_strip(net, fleet, field, i)
        _leave_behind(net, fleet, i, speed * dt)


@inner
@bare
def _steer_and_roll(net: Net, fleet: Fleet, i: int, speed: float, dt: float) -> None:
    step = speed * dt
    strip, p = fleet[i].strip, fleet[i].segment
    base = fleet[i].wheelbase
    # reference direction where the axle will be half a step ahead
    there = fleet[i].station + 0.5 * step
    while p + 2 < net.strips[strip + 1].first and net.points[p + 1].station < there:
        p += 1
    share = (there - net.points[p].station) / (net.points[p + 1].station - net.points[p].station)
    if share > 1.0 and fleet[i].next >= 0:
        strip, there = fleet[i].next, there - net.strips[strip].length
        p = net.strips[strip].first
        share = min(1.0, there / (net.points[p + 1].station - net.points[p].station))
    share = min(1.0, share)
    direction = net.points[p].heading + share * (net.points[p + 1].heading - net.points[p].heading)
    u = (fleet[i].odometer - fleet[i].shift_at) / fleet[i].shift_length
    by = fleet[i].shift_to - fleet[i].shift_from
    aside = fleet[i].shift_to
    if u < 1.0 and by != 0.0:
        u = max(0.0, u)
        aside = fleet[i].shift_from + by * u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)
        u = min(1.0, u + 0.5 * step / fleet[i].shift_length)
        direction += np.arctan(30.0 * u * u * (1.0 - u) * (1.0 - u) * by / fleet[i].shift_length)
    bend = (net.points[p + 1].heading - net.points[p].heading) / (
        net.points[p + 1].station - net.points[p].station
    )
    aside -= fleet[i].swing * bend
    heading = fleet[i].heading
    off = direction - heading - 0.5 * step * np.sin(fleet[i].steer) / base  # it turns during the step
    wish = wrapped(off) - np.arctan(CLOSING * (fleet[i].lateral - aside) / (speed + SOFTENING))
    wish *= min(1.0, 0.8 * base / step)  # coarse steps at high speed must not overshoot
    most = min(fleet[i].max_steer, np.arctan(base * SIDE_LIMIT / (speed * speed + 1e-9)))
    wish = min(most, max(-most, wish))
    rate = fleet[i].steer_rate * dt
    steer = min(fleet[i].steer + rate, max(fleet[i].steer - rate, wish))
    fleet[i].steer = steer
    # exact arc of the rear axle
    rear = step * np.cos(steer)
    turned = step * np.sin(steer) / base
    middle = fleet[i].middle
    rear_x = fleet[i].x - middle * np.cos(heading) + rear * np.cos(heading + 0.5 * turned)
    rear_y = fleet[i].y - middle * np.sin(heading) + rear * np.sin(heading + 0.5 * turned)
    heading += turned
    fleet[i].heading = heading
    fleet[i].x = rear_x + middle * np.cos(heading)
    fleet[i].y = rear_y + middle * np.sin(heading)
    fleet[i].odometer += step


@inner
@bare
def follow_strip(net: Net, fleet: Fleet, field: np.ndarray, i: int) -> None:
    """Place the guide point on its strip again; change to the next strip when it has passed the end."""
    reach = fleet[i].wheelbase - fleet[i].middle
    gx = fleet[i].x + reach * np.cos(fleet[i].heading)
    gy = fleet[i].y + reach * np.sin(fleet[i].heading)
    for _ in range(4):
        strip = fleet[i].strip
        share = locate(net, fleet, i, gx, gy)
        if share <= 1.0 or fleet[i].next < 0:
            return
        if fleet[i].previous >= 0:
            fleet[i].earlier = fleet[i].previous
        fleet[i].previous = strip
        if fleet[i].passing > 0 and goes_on_opposite(net, fleet, i, fleet[i].next):
            fleet[i].side = net.strips[fleet[i].next].opposite
        fleet[i].strip = fleet[i].next
        fleet[i].segment = net.strips[fleet[i].strip].first
        fleet[i].next = choose_next(net, field, fleet[i].strip, fleet[i].destination)
        if net.strips[fleet[i].strip].kind == LANE:
            fleet[i].granted = -1
            fleet[i].asked = np.inf


@inner
@bare
def goes_on_opposite(net: Net, fleet: Fleet, i: int, ahead: int) -> bool:
    """Whether the opposite lane that a siren drives on goes on beside the lane `ahead` of its own."""
    if net.strips[ahead].kind != LANE or net.strips[ahead].opposite < 0:
        return False
    return net.strips[ahead].opposite == net.strips[fleet[i].side].follows


@bare
def locate(net: Net, fleet: Fleet, i: int, gx: float, gy: float) -> float:
    """Set segment, station and lateral from the place of the guide point.

    Returns the share of the segment; above one only beyond the end of the strip.
    """
    strip, p = fleet[i].strip, fleet[i].segment
    low, high = net.strips[strip].first, net.strips[strip + 1].first - 2
    while True:
        ax, ay = net.points[p].x, net.points[p].y
        dx, dy = net.points[p + 1].x - ax, net.points[p + 1].y - ay
        share = ((gx - ax) * dx + (gy - ay) * dy) / (dx * dx + dy * dy)
        if share > 1.0 and p < high:
            p += 1
            ax, ay = net.points[p].x, net.points[p].y
            dx, dy = net.points[p + 1].x - ax, net.points[p + 1].y - ay
            if (gx - ax) * dx + (gy - ay) * dy < 0.0:  # in the wedge outside a bend
                share = 0.0
                break
        elif share < 0.0 and p > low:
            p -= 1
        else:
            break
    fleet[i].segment = p
    fleet[i].station = net.points[p].station + share * (net.points[p + 1].station - net.points[p].station)
    fleet[i].lateral = ((gy - ay) * dx - (gx - ax) * dy) / np.sqrt(dx * dx + dy * dy)
    return share


@inner
@bare
def _leave_behind(net: Net, fleet: Fleet, i: int, step: float) -> None:
    """Forget the strips that the tail has left, and the lane that a lane change came from."""
    rear = fleet[i].station + fleet[i].overhang - fleet[i].length
    if (
        fleet[i].earlier >= 0
        and rear + net.strips[fleet[i].previous].length > net.strips[fleet[i].previous].part
    ):
        fleet[i].earlier = -1
    if fleet[i].previous >= 0 and rear > net.strips[fleet[i].strip].part and fleet[i].earlier < 0:
        fleet[i].previous = -1
    if fleet[i].side >= 0 and fleet[i].passing == 0:
        if fleet[i].side == net.strips[fleet[i].strip].inner:
            fleet[i].side_station = across(net, fleet[i].strip, fleet[i].station, INNER)
        elif fleet[i].side == net.strips[fleet[i].strip].outer:
            fleet[i].side_station = across(net, fleet[i].strip, fleet[i].station, OUTER)
        else:
            fleet[i].side_station += step
        if fleet[i].odometer >= fleet[i].shift_at + fleet[i].shift_length:
            fleet[i].side = -1


@bare
def choose_next(net: Net, field: np.ndarray, strip: int, destination: int) -> int:
    """The strip to take after `strip` on the quickest way to the destination, or -1 at a dead end."""
    best, chosen = np.inf, -1
    for k in range(net.strips[strip].after_first, net.strips[strip + 1].after_first):
        option = net.after[k]
        if chosen < 0 or field[destination, option] < best:
            best, chosen = field[destination, option], option
    return chosen
