"""The vehicles' state: one record a vehicle, one field a quantity, ready for kernels.

In a kernel `fleet[i].speed` is one number; outside, `fleet.speed` is the column of all vehicles. The guide
point of a vehicle is the middle of its front axle: `station` and `lateral` place it on `strip`, while x and
y are the middle of the outline.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

NONE = -1
STOPS, PULLS_OVER, MOVES_OVER = 1, 2, 3  # how one yields to a siren
Fleet: TypeAlias = Any  # a record array of VEHICLE, in kernels and outside

_WHOLE, _SMALL, _FLAG, _REAL = np.int32, np.int8, np.bool_, np.float64

_FIELDS = (
    # the body
    ("length", _REAL),  # [m]
    ("width", _REAL),  # [m]
    ("wheelbase", _REAL),  # [m]
    ("overhang", _REAL),  # [m] front axle to front bumper
    ("middle", _REAL),  # [m] rear axle to the middle of the outline
    ("swing", _REAL),  # [m²] how far outside the line it drives in a bend, by curvature
    ("max_speed", _REAL),  # [m/s]
    ("max_accel", _REAL),  # [m/s²]
    ("max_brake", _REAL),  # [m/s²]
    ("max_steer", _REAL),  # [rad]
    ("steer_rate", _REAL),  # [rad/s]
    # the driver
    ("comfort", _REAL),  # [m/s²] braking
    ("headway", _REAL),  # [s]
    ("clearance", _REAL),  # [m]
    ("person_clearance", _REAL),  # [m]
    ("bend_share", _REAL),  # of the pace in bends
    ("limit_share", _REAL),  # of the speed limit
    ("driver", _SMALL),  # 0 fast, 1 medium, 2 slow
    ("threshold", _REAL),  # of frustration, for passing on the kerb side
    ("yield_distance", _REAL),  # [m]
    ("yield_oncoming", _FLAG),
    ("look_ahead", _REAL),  # [m]
    ("emergency", _FLAG),
    ("autonomous", _FLAG),
    # where it is and how it moves
    ("strip", _WHOLE),
    ("segment", _WHOLE),  # point of the strip behind the guide point
    ("station", _REAL),  # [m]
    ("lateral", _REAL),  # [m] left of the strip's middle
    ("x", _REAL),
    ("y", _REAL),
    ("z", _REAL),
    ("heading", _REAL),
    ("speed", _REAL),  # [m/s] of the front axle
    ("accel", _REAL),  # [m/s²]
    ("steer", _REAL),  # [rad]
    ("odometer", _REAL),  # [m]
    # what it intends
    ("next", _WHOLE),  # strip after this one
    ("previous", _WHOLE),  # strip that its tail is still on, or -1
    ("earlier", _WHOLE),  # the one before that, or -1
    ("granted", _WHOLE),  # connector it may enter, or -1
    ("asked", _REAL),  # [s] when it first asked for the connector
    ("leave", _REAL),  # [s] it has been standing with leave to enter
    ("side", _WHOLE),  # lane it is leaving in a lane change, or -1
    ("side_station", _REAL),  # [m] in that lane
    ("shift_from", _REAL),  # [m] lateral reference: from, to, over a distance
    ("shift_to", _REAL),
    ("shift_at", _REAL),  # [m] odometer
    ("shift_length", _REAL),  # [m]
    ("destination", _WHOLE),  # row of the field
    ("draws", np.int64),  # random numbers used
    ("arrivals", _WHOLE),
    ("ready", _REAL),  # [s] since a standing driver could have started
    ("waiting", _REAL),  # [s] standing
    ("delayed", _REAL),  # [s] standing or moving up a little
    ("held", _SMALL),  # why it does not go, see rules
    ("frustration", _REAL),  # 0 to 1
    ("yielding", _SMALL),  # 0, or how it yields to a siren
    ("stuck", _REAL),  # [s] emergency: since its way was last open
    ("creep", _FLAG),  # emergency: faces a red light or a stop sign
    ("passing", _SMALL),  # emergency: 0 own road, 1 on the opposite road
    ("desired", _REAL),  # [m/s]
    ("brake", _FLAG),
    ("indicator", _SMALL),
)
VEHICLE = np.dtype([(name, kind) for name, kind in _FIELDS], align=True)


def empty_fleet(n: int) -> Fleet:
    """n vehicles nowhere, with nothing set."""
    fleet = np.zeros(n, VEHICLE).view(np.recarray)
    for name in ("strip", "next", "previous", "earlier", "granted", "side"):
        fleet[name] = NONE
    fleet.shift_length = 1.0
    fleet.asked = np.inf
    fleet.autonomous = True
    return fleet
