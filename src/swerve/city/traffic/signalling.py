"""Lights that say what a vehicle is about to do, by the rules of Hynes, section 4.3.

Brake lights: on when the desired speed is below the present one, or zero. Indicators: on within 50 m of a
junction whose connector turns, until the turn is complete; and, beyond the original rules, during lane
changes.
"""

from __future__ import annotations

from swerve.core.kernels import bare, inner

from ..roads.roads import CONNECTOR
from .fleet import Fleet
from .net import Net

INDICATE_WITHIN = 50.0  # [m] of the junction
DEADBAND = 0.25  # [m/s²] braking weaker than this is letting go of the pedal
STANDING = 0.05  # [m/s]


@inner
@bare
def signal(net: Net, fleet: Fleet, i: int) -> None:
    """Set `brake` and `indicator` of a vehicle."""
    strip = fleet[i].strip
    slowing = fleet[i].accel < -DEADBAND
    standing = fleet[i].speed < STANDING and fleet[i].accel <= 0.0
    fleet[i].brake = slowing or standing
    turn = 0
    if net.strips[strip].kind == CONNECTOR:
        turn = net.strips[strip].signal
    else:
        left = net.strips[strip].length - fleet[i].station - fleet[i].overhang
        ahead = fleet[i].next
        if ahead >= 0 and left <= INDICATE_WITHIN and net.strips[ahead].kind == CONNECTOR:
            turn = net.strips[ahead].signal
    shift = fleet[i].shift_to - fleet[i].shift_from
    if abs(shift) > 0.3 and fleet[i].odometer < fleet[i].shift_at + fleet[i].shift_length:
        turn = 1 if shift > 0.0 else -1
    fleet[i].indicator = turn
