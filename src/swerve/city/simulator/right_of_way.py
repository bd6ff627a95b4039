"""Right of way of guests: leave to enter a junction is taken back from those who must let a guest through.

Among the city's own drivers whoever has leave to enter holds the junction. A person at the wheel asks nobody;
so when the driver comes up to a junction, others who were let in earlier but can still stop wait again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..fleet import Fleet
from ..net import CONNECTOR, GREEN, LANE, LIGHT
from ..rules import can_stop

CLEARING_PACE = 5.0  # [m/s] at least, of someone who clears a junction
MARGIN = 1.5  # [s]
WILL_STOP = 4.0  # [m/s²] of braking, up to which a driver is believed to stop at a red light


def take_back_grants(traffic: Any, guests: Fleet) -> None:
    """Take leave to enter from vehicles who cross a guest's way and can still stop gently."""
    net, fleet = traffic.net, traffic.fleet
    lights = traffic.town.roads.lights.state(traffic.time)
    for guest in guests:
        ahead = int(guest["next"])
        if ahead < 0 or net.strips["kind"][guest["strip"]] != LANE or net.strips["kind"][ahead] != CONNECTOR:
            continue
        left = float(net.strips["length"][guest["strip"]] - guest["station"])
        speed = float(guest["speed"])
        if speed < 1.0 or left < 0.0:
            continue
        red = net.strips["control"][ahead] == LIGHT and lights[net.strips["light"][ahead]] != GREEN
        if red and speed * speed / (2.0 * max(left, 0.1)) < WILL_STOP:
            continue
        first, last = net.strips["conflict_first"][ahead], net.strips["conflict_first"][ahead + 1]
        for conflict in net.conflicts[first:last]:
            if conflict["parting"]:
                continue
            arrives = (left + float(conflict["begin"])) / speed
            for row in np.flatnonzero(fleet.granted == conflict["other"]):
                if net.strips["kind"][fleet.strip[row]] != LANE:
                    continue
                distance = float(
                    net.strips["length"][fleet.strip[row]] - fleet.station[row] - fleet.overhang[row]
                )
                way = distance + float(conflict["other_end"]) + float(fleet.length[row])
                clears = way / max(float(fleet.speed[row]), CLEARING_PACE) + MARGIN
                if arrives < clears and can_stop(float(fleet.speed[row]), distance):
                    fleet.granted[row] = -1
