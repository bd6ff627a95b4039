"""How far a device is from the CPU's kernels after up to five seconds: the largest difference of each kind.

`BOUNDS` say what is allowed. In double precision only the order of a few operations differs and everything
stays within a millionth of a millimetre, but for riders: their costs are added up in single precision on the
CPU too, and what a parabola's lowest point makes of that is a turn that differs in its fifth digit. In single
precision a place some hundred metres out is known to 0.03 mm, a car near the limit of its grip multiplies an
error by about ten a second, and a rider may see the next stored state one tick earlier or later.
"""

from __future__ import annotations

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from .arrays import CarCase, Cases, LaneCase, RiderCase, on_device
from .cars import Cars, drive_by
from .lanes import Traffic, flow
from .ways import Rides, ride

BOUNDS: dict[str, dict[str, float]] = {
    "float64": {
        "cars place": 1e-6,
        "cars speed": 1e-6,
        "cars seen": 1e-5,
        "cars reward": 1e-6,
        "riders place": 1e-3,
        "riders roll": 1e-3,
        "lanes place": 1e-6,
        "lanes speed": 1e-6,
        "rings place": 1e-6,
        "rings speed": 1e-6,
    },
    "float32": {
        "cars place": 0.05,
        "cars speed": 0.05,
        "cars seen": 0.02,
        "cars reward": 0.05,
        "riders place": 0.05,
        "riders roll": 0.02,
        "lanes place": 0.01,
        "lanes speed": 0.01,
        "rings place": 0.01,
        "rings speed": 0.01,
    },
}


def differences(cases: Cases, dtype: str = "float32") -> dict[str, float]:
    """The largest differences: places [m], speeds [m/s], roll [rad], observations and rewards as they are."""
    found = {f"cars {name}": value for name, value in of_cars(cases.cars, dtype).items()}
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


def of_riders(case: RiderCase, dtype: str) -> dict[str, float]:
    """Riders along their curves, at every second."""
    map_, ways = on_device(case.map, dtype), on_device(case.ways, dtype)
    n = len(case.way)
    zero = jnp.zeros(n, dtype)
    rides = Rides(on_device(case.riders, dtype), jnp.asarray(case.way), zero, zero > 0)
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
        off = _station(traffic, case.lanes.piece) - station
        off -= np.where(case.lanes.ring, round_ * np.round(off / round_), 0.0)
        place = max(place, float(np.abs(off).max()))
        speed = max(speed, _worst(np.asarray(traffic.speed, float), fast))
        before = int(step)
    return {"place": place, "speed": speed}


def _station(traffic: Traffic, piece: np.ndarray) -> np.ndarray:
    return np.asarray(traffic.piece) * piece + np.asarray(traffic.along, float)


def _columns(record: Cars | object, *names: str) -> np.ndarray:
    return np.array([np.asarray(getattr(record, name)) for name in names], float)


def _worst(ours: np.ndarray, theirs: np.ndarray, rows: np.ndarray | None = None) -> float:
    off = np.abs(ours - theirs)
    return float((off if rows is None else off[..., rows]).max())


def device_name() -> str:
    """What JAX calls the device that this runs on."""
    return str(jax.devices()[0].device_kind)
