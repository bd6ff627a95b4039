"""The vehicles' state: one record a vehicle, one field a quantity, ready for kernels.

In a kernel `fleet[i].speed` is one number; outside, `fleet.speed` is the column of all vehicles. The guide
point of a vehicle is the middle of its front axle: `station` and `lateral` place it on `strip`, while x and
y are the middle of the outline.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, get_type_hints

import numpy as np

NONE = -1
STOPS, PULLS_OVER, MOVES_OVER = 1, 2, 3  # how one yields to a siren
SEEKS, BOUND, PULLS_IN, PARKED, PULLS_OUT = 1, 2, 3, 4, 5  # a bay at the kerb, and what one does there

# columns (n,) and what a record holds of them
Real: TypeAlias = Annotated[np.ndarray, np.float64]
Whole: TypeAlias = Annotated[np.ndarray, np.int32]
Long: TypeAlias = Annotated[np.ndarray, np.int64]
Small: TypeAlias = Annotated[np.ndarray, np.int8]
Flag: TypeAlias = Annotated[np.ndarray, np.bool_]


class Fleet(np.recarray):
    """Records of `VEHICLE`, whose fields are these columns."""

    # Memory hands over lines of 64 bytes, so what is looked at together stands together.
    # what others look at most
    length: Real  # [m]
    overhang: Real  # [m] front axle to front bumper
    station: Real  # [m]
    speed: Real  # [m/s] of the front axle
    arrives: Real  # [s] until it gets there
    leaves: Real  # [s] until it has left again
    strip: Whole
    side: Whole  # lane it is leaving in a lane change, or -1
    foreign: Flag
    passing: Small  # emergency: 0 own road, 1 on the opposite road
    emergency: Flag
    autonomous: Flag
    yielding: Small  # 0, or how it yields to a siren
    creep: Flag  # emergency: faces a red light or a stop sign
    driver: Small  # 0 fast, 1 medium, 2 slow
    indicator: Small
    # its way, its pedals and how it fares
    segment: Whole  # point of the strip behind the guide point
    next: Whole  # strip after this one
    previous: Whole  # strip that its tail is still on, or -1
    earlier: Whole  # the one before that, or -1
    granted: Whole  # connector it may enter, or -1
    held: Small  # why it does not go, see rules
    brake: Flag
    berth: Small  # 0, or how far it is with parking
    accel: Real  # [m/s²]
    desired: Real  # [m/s]
    ready: Real  # [s] since a standing driver could have started
    waiting: Real  # [s] standing
    delayed: Real  # [s] standing or moving up a little
    # the driver
    max_speed: Real  # [m/s]
    limit_share: Real  # of the speed limit
    bend_share: Real  # of the pace in bends
    max_accel: Real  # [m/s²]
    comfort: Real  # [m/s²] braking
    headway: Real  # [s]
    clearance: Real  # [m]
    person_clearance: Real  # [m]
    # where it is
    x: Real
    y: Real
    heading: Real
    steer: Real  # [rad]
    lateral: Real  # [m] left of the strip's middle
    asked: Real  # [s] when it first asked for the connector
    leave: Real  # [s] it has been standing with leave to enter
    frustration: Real  # 0 to 1
    # how it steers
    odometer: Real  # [m]
    shift_from: Real  # [m] lateral reference: from, to, over a distance
    shift_to: Real
    shift_at: Real  # [m] odometer
    shift_length: Real  # [m]
    wheelbase: Real  # [m]
    middle: Real  # [m] rear axle to the middle of the outline
    swing: Real  # [m²] how far outside the line it drives in a bend, by curvature
    # what is seldom looked at
    max_steer: Real  # [rad]
    steer_rate: Real  # [rad/s]
    side_station: Real  # [m] in the lane it is leaving
    number: Whole  # its row among all vehicles of the town
    draws: Long  # random numbers used
    destination: Whole  # row of the field
    arrivals: Whole
    z: Real
    width: Real  # [m]
    max_brake: Real  # [m/s²]
    threshold: Real  # of frustration, for passing on the kerb side
    yield_distance: Real  # [m]
    look_ahead: Real  # [m]
    stuck: Real  # [s] emergency: since its way was last open
    yield_oncoming: Flag
    keeps_lane: Flag
    aim: Whole  # lane of its road in which a trip ends, or -1
    arrives_after: Real  # [m] of the odometer, before which it has not gone round to where it arrived
    goes_round: Small  # a bit for every kind of collision that it circumvents

    @property
    def driving(self) -> np.ndarray:
        """(n,) who is on the lanes, not away and not parked."""
        return np.asarray((self.strip >= 0) & (self.berth != PARKED))


LINE = 64  # [bytes] that memory hands over at once


def _record() -> np.dtype:
    """The columns as one record, whole lines of memory long."""
    columns = get_type_hints(Fleet, include_extras=True)
    packed = np.dtype([(name, hint.__metadata__[0]) for name, hint in columns.items()], align=True)
    places: Any = packed.fields
    layout: Any = {
        "names": list(columns),
        "formats": [places[name][0] for name in columns],
        "offsets": [places[name][1] for name in columns],
        "itemsize": -(-packed.itemsize // LINE) * LINE,
    }
    return np.dtype(layout, align=True)


VEHICLE = _record()


def empty_fleet(n: int) -> Fleet:
    """n vehicles nowhere, with nothing set."""
    memory = np.zeros(n * VEHICLE.itemsize + LINE, np.uint8)
    begin = -memory.ctypes.data % LINE
    fleet = memory[begin : begin + n * VEHICLE.itemsize].view(VEHICLE).view(Fleet)
    for name in ("strip", "next", "previous", "earlier", "granted", "side", "aim"):
        fleet[name] = NONE
    fleet.number[:] = np.arange(n)
    fleet.shift_length[:] = 1.0
    fleet.asked[:] = np.inf
    fleet.autonomous[:] = True
    return fleet
