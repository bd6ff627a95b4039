"""What the kernels work on, in one file: made where the wings are, read where only NumPy and JAX are.

A case is a set of records (`cars.Roads`, `riders.Map`, `lanes.Lanes` …) with what the wings' kernels made of
them over five seconds, for `agree` to hold a device against.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import jax.numpy as jnp
import numpy as np

from swerve.core.errors import BadInput

from .cars import Cars, Numbers, Roads, Starts
from .lanes import Drivers, Lanes, Rules, Traffic
from .riders import Map, Riders
from .ways import Ways

T = TypeVar("T")


class CarCase(NamedTuple):
    """Cars, actions (t, n) and what they gave: `state` (k, 8, n) x to station at `frames` (k,), `seen`
    (17, n) at the end, `reward` (n,) in all and `fine` (n,) who never left the road; by the steady driver's
    own actions `steady` (8, n) at the end, and `steady_fine` (n,)."""

    numbers: Numbers
    roads: Roads
    starts: Starts
    cars: Cars
    steer: np.ndarray
    pedal: np.ndarray
    frames: np.ndarray
    state: np.ndarray
    seen: np.ndarray
    reward: np.ndarray
    fine: np.ndarray
    steady: np.ndarray
    steady_fine: np.ndarray


class RiderCase(NamedTuple):
    """Riders on ways, and their `pose` (k, n, 3) and `roll` (k, n) at `ticks` (k,)."""

    map: Map
    ways: Ways
    riders: Riders
    way: np.ndarray
    ticks: np.ndarray
    pose: np.ndarray
    roll: np.ndarray
    fell: np.ndarray


class LaneCase(NamedTuple):
    """Cars on lanes with an end, and where they are [m] and how fast (k, l, m) after `steps`
    (k,) of 0.1 s."""

    rules: Rules
    lanes: Lanes
    drivers: Drivers
    traffic: Traffic
    steps: np.ndarray
    station: np.ndarray
    speed: np.ndarray


class Cases(NamedTuple):
    """All of them; `rings` are the lanes' cars once more, on rings."""

    cars: CarCase
    riders: RiderCase
    lanes: LaneCase
    rings: LaneCase


def save(path: str | Path, cases: Cases) -> Path:
    """Write all arrays as one file of NumPy's."""
    with open(path, "wb") as stream:
        write: Any = np.savez_compressed
        write(stream, **dict(_flat("", cases)))
    return Path(path)


def load(path: str | Path) -> Cases:
    """Read what `save` wrote."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            given = {name: archive[name] for name in archive.files}
        return _read(Cases, "", given)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise BadInput(f"arrays {path}", None, "cannot be read as arrays of swerve.gpu") from error


def on_device(record: T, dtype: str = "float32") -> T:
    """The same record on JAX's device: its real numbers in that precision, but for what is single anyway."""
    made: dict[str, Any] = {}
    for name, value in record._asdict().items():  # type: ignore[attr-defined]
        array = np.asarray(value)
        made[name] = jnp.asarray(array, dtype if array.dtype == np.float64 else None)
    return type(record)(**made)


def host(kind: type[T], *columns: object) -> T:
    """A record of NumPy's arrays, before it goes to a device."""
    make: Any = kind
    made: T = make(*columns)
    return made


def _flat(before: str, record: Any) -> list[tuple[str, np.ndarray]]:
    found: list[tuple[str, np.ndarray]] = []
    for name, value in record._asdict().items():
        if hasattr(value, "_asdict"):
            found += _flat(f"{before}{name}.", value)
        else:
            found.append((before + name, np.asarray(value)))
    return found


def _read(kind: Any, before: str, given: Mapping[str, np.ndarray]) -> Any:
    made: list[Any] = []
    for name in kind._fields:
        inner = _KINDS.get((kind, name))
        if inner is not None:
            made.append(_read(inner, f"{before}{name}.", given))
        elif kind in (Numbers, Rules):
            made.append(_plain(given[before + name]))
        else:
            made.append(given[before + name])
    return kind(*made)


def _plain(value: np.ndarray) -> float | tuple[float, ...]:
    """Numbers that are compiled in must be Python's own."""
    return float(value) if value.ndim == 0 else tuple(float(one) for one in value)


_KINDS: dict[tuple[type, str], type] = {
    (Cases, "cars"): CarCase,
    (Cases, "riders"): RiderCase,
    (Cases, "lanes"): LaneCase,
    (Cases, "rings"): LaneCase,
    (CarCase, "numbers"): Numbers,
    (CarCase, "roads"): Roads,
    (CarCase, "starts"): Starts,
    (CarCase, "cars"): Cars,
    (RiderCase, "map"): Map,
    (RiderCase, "ways"): Ways,
    (RiderCase, "riders"): Riders,
    (LaneCase, "rules"): Rules,
    (LaneCase, "lanes"): Lanes,
    (LaneCase, "drivers"): Drivers,
    (LaneCase, "traffic"): Traffic,
}
