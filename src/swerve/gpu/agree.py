"""How far a device is from the CPU's kernels after up to five seconds: the largest difference of each kind.

`BOUNDS` say what is allowed. In double precision only the rounding of single operations differs (a product
and a sum in one, other sines), and five seconds leave less than a millionth of a millimetre; but observations
are single on the CPU too, and so are the costs that riders choose by: their last digits move a turn by a
little, and a rider by micrometres. In single precision places some hundred metres out are known to 0.03 mm,
which adds up over 500 steps of a car. The bounds leave room for roundings alone: a rider as near to one
stored state as to another that took the other one, or a driver that started a step later, would be beyond.
"""

from __future__ import annotations

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from .arrays import CarCase, Cases, LaneCase, RiderCase, on_device
from .cars import drive_by
from .drivers import begin, drive_steadily
from .fused import drive_fused, fits
from .lanes import Traffic, flow
from .ways import Rides, ride

BOUNDS: dict[str, dict[str, float]] = {
    "float64": {
        "cars place": 1e-9,
        "cars speed": 1e-9,
        "cars seen": 1e-6,
        "cars reward": 1e-9,
        "riders place": 1e-4,
        "riders roll": 1e-4,
        "lanes place": 1e-9,
        "lanes speed": 1e-9,
        "rings place": 1e-9,
        "rings speed": 1e-9,
    },
    "float32": {
        "cars place": 5e-3,
        "cars speed": 1e-3,
        "cars seen": 1e-3,
        "cars reward": 1e-3,
        "loop place": 5e-3,
        "loop speed": 1e-3,
        "riders place": 1e-3,
        "riders roll": 1e-3,
        "lanes place": 1e-3,
        "lanes speed": 1e-3,
        "rings place": 1e-3,
        "rings speed": 1e-3,
    },
}


def differences(cases: Cases, dtype: str = "float32") -> dict[str, float]:
    """The largest differences: places [m], speeds [m/s], roll [rad], observations and rewards as they are."""
    found = {f"cars {name}": value for name, value in of_cars(cases.cars, dtype).items()}
    if dtype == "float32":  # the precision of loops on a device, and of what the CPU's driver sees
        found |= {f"loop {name}": value for name, value in of_loop(cases.cars).items()}
    found |= {f"riders {name}": value for name, value in of_riders(cases.riders, dtype).items()}
    found |= {f"lanes {name}": value for name, value in of_lanes(cases.lanes, dtype).items()}
    return found | {f"rings {name}": value for name, value in of_lanes(cases.rings, dtype).items()}


def beyond(found: Mapping[str, float], dtype: str = "float32") -> dict[str, float]:
    """Those of the differences that are larger than their bounds, or no numbers."""
    return {name: value for name, value in found.items() if not value <= BOUNDS[dtype][name]}


def of_cars(case: CarCase, dtype: str) -> dict[str, float]:
    """Cars that never left the road, at every second; what they see at the end."""
    roads, cars = on_device(case.roads, dtype), on_device(case.cars, dtype)
    steer, pedal = jnp.asarray(case.steer, dtype), jnp.asarray(case.pedal, dtype)
    place = speed = total = 0.0
    before, seen = 0, None
    for frame, state in zip(case.frames, case.state, strict=True):
        part = slice(before, int(frame))
        cars, reward, _, seen = drive_by(roads, cars, steer[part], pedal[part], case.numbers)
        total = total + np.asarray(reward, float).sum(axis=0)
        place = max(place, _worst(_columns(cars, "x", "y"), state[[0, 1]], case.fine))
        speed = max(speed, _worst(_columns(cars, "vx", "vy"), state[[3, 4]], case.fine))
        before = int(frame)
    assert seen is not None
    last = np.array([np.asarray(column)[-1] for column in seen], float)
    return {
        "place": place,
        "speed": speed,
        "seen": _worst(last, case.seen, case.fine),
        "reward": _worst(np.asarray(total), case.reward, case.fine),
    }


def of_loop(case: CarCase) -> dict[str, float]:
    """Cars that the steady driver drives on the device, at the end; in one kernel where there can be one."""
    frames = len(case.steer)
    roads, starts = on_device(case.roads), on_device(case.starts)
    first = begin(roads, on_device(case.cars), case.numbers)
    go = drive_fused if fits(len(case.steady_fine)) else drive_steadily
    cars = go(roads, starts, *first, frames, case.numbers)[0]
    return {
        "place": _worst(_columns(cars, "x", "y"), case.steady[[0, 1]], case.steady_fine),
        "speed": _worst(_columns(cars, "vx", "vy"), case.steady[[3, 4]], case.steady_fine),
    }


def of_riders(case: RiderCase, dtype: str) -> dict[str, float]:
    """Riders along their curves, at every second."""
    map_, ways = on_device(case.map, dtype), on_device(case.ways, dtype)
    n = len(case.way)
    zero = jnp.zeros(n, dtype)
    riders = on_device(case.riders, dtype)
    rides = Rides(riders, jnp.asarray(case.way), zero, zero > 0, jnp.copy(riders.yaw))
    place = roll = 0.0
    before = 0
    for tick, pose, lean in zip(case.ticks, case.pose, case.roll, strict=True):
        rides = ride(map_, ways, rides, int(tick) - before)
        here = _columns(rides.riders, "x", "y")
        place = max(place, _worst(here, pose[:, :2].T))
        slow = np.minimum(np.asarray(rides.riders.pace) / float(case.map.speeds[0]), 1.0)
        roll = max(roll, _worst(slow * np.asarray(rides.riders.roll, float), lean, ~case.fell))
        before = int(tick)
    return {"place": place, "roll": roll}


def of_lanes(case: LaneCase, dtype: str) -> dict[str, float]:
    """Cars on lanes, at every second; round a ring places count from where they were first."""
    lanes, drivers = on_device(case.lanes, dtype), on_device(case.drivers, dtype)
    traffic = on_device(case.traffic, dtype)
    place = speed = 0.0
    before = 0
    round_ = case.lanes.pieces * case.lanes.piece
    for step, station, fast in zip(case.steps, case.station, case.speed, strict=True):
        traffic = flow(lanes, drivers, traffic, int(step) - before, 0.1, case.rules)
        off = _station(traffic, np.asarray(case.lanes.piece)) - station
        off -= np.where(case.lanes.ring, round_ * np.round(off / round_), 0.0)
        place = max(place, float(np.abs(off).max()))
        speed = max(speed, _worst(np.asarray(traffic.speed, float), fast))
        before = int(step)
    return {"place": place, "speed": speed}


def _station(traffic: Traffic, piece: np.ndarray) -> np.ndarray:
    return np.asarray(traffic.piece) * piece + np.asarray(traffic.along, float)


def _columns(record: object, *names: str) -> np.ndarray:
    return np.array([np.asarray(getattr(record, name)) for name in names], float)


def _worst(ours: np.ndarray, theirs: np.ndarray, rows: np.ndarray | None = None) -> float:
    off = np.abs(ours - theirs)
    return float((off if rows is None else off[..., rows]).max())


def device_name() -> str:
    """What JAX calls the device that this runs on."""
    return str(jax.devices()[0].device_kind)
