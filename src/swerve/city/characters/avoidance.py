"""What may collide with a character, of which kind that is, and how it is avoided; for people and drivers.

A threat is *stationary*, *incoming*, *outgoing* (it goes the same way, slower) or a *sideswipe*. For every
kind of body and of collision a character has a method: it *circumvents* the threat or it *queues*.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare

STATIONARY, INCOMING, OUTGOING, SIDESWIPE = 0, 1, 2, 3
QUEUE, CIRCUMVENT = 0, 1
PERSON, VEHICLE = 0, 1
STILL = 0.1  # [m/s] slower than this is stationary
ALONG = np.cos(np.radians(50.0))  # within this of ahead or back a threat is incoming or outgoing
_QUEUES, _GOES_ROUND = (QUEUE,) * 4, (CIRCUMVENT,) * 4
WAYS = ("usual", "seed", "patient")
OF_PEOPLE = {  # against people, against vehicles; by kind of collision
    "usual": (_GOES_ROUND, _GOES_ROUND),
    "seed": (_QUEUES, _GOES_ROUND),  # Hynes, section 4.6.1: wait for people, go round vehicles
    "patient": ((CIRCUMVENT, CIRCUMVENT, QUEUE, CIRCUMVENT), _QUEUES),
}
OF_DRIVERS = {  # against vehicles; a driver always waits for people, for who comes and for who crosses
    "usual": (CIRCUMVENT, QUEUE, CIRCUMVENT, QUEUE),
    "seed": _QUEUES,  # Hynes, section 4.6.2; with its siren on it goes round whatever this says
    "patient": (CIRCUMVENT, QUEUE, QUEUE, QUEUE),
}


@bare
def collision_kind(ex: float, ey: float, vx: float, vy: float) -> int:
    """Of which kind a collision would be with something that moves with v, for one who heads along e."""
    speed = np.hypot(vx, vy)
    if speed < STILL:
        return STATIONARY
    along = (ex * vx + ey * vy) / speed
    if along < -ALONG:
        return INCOMING
    return OUTGOING if along > ALONG else SIDESWIPE
