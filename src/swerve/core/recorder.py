"""Collects frames while a world runs and makes one recording of them at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .attitude import COLUMNS as QUATERNION
from .attitude import quaternion
from .errors import BadInput, require
from .motion import FIELDS, Motion
from .recording import Recording, stacked

_ANGLES = ("yaw", "pitch", "roll")
_USUAL = {"z": 0.0, "vz": 0.0, "pitch": 0.0, "roll": 0.0}  # where nothing else is said


class Recorder:
    """Frames as they come: a list of arrays, put together once.

    >>> recorder = Recorder()
    >>> for k in range(3):
    ...     recorder.add(0.1 * k, {"id": [1, 2], "kind": "car", "x": [k, -k], "y": 0.0, "yaw": [0.0, np.pi],
    ...                            "vx": [10, -10], "vy": 0.0, "length": 4.2, "width": 1.8, "height": 1.4})
    >>> recording = recorder.recording({"scene": "two cars"})
    >>> len(recording), recording["x"].tolist()
    (6, [0.0, 0.0, 1.0, -1.0, 2.0, -2.0])
    """

    def __init__(self) -> None:
        self._pieces: list[tuple[int, dict[str, Any]]] = []

    def __len__(self) -> int:
        """Rows so far."""
        return sum(n for n, _ in self._pieces)

    def add(self, t: float, columns: Mapping[str, Any]) -> None:
        """Note down bodies at time `t` [s]; a frame may be added in several batches.

        A column is an array (n,), which is copied, or one value for all. `id` (n,) is needed; attitude is
        either `yaw`, `pitch`, `roll` [rad] or `qw, qx, qy, qz`. Any other name is a column of its own. What a
        batch does not say is blank in its rows (and level, on the ground and not climbing).
        """
        require("id" in columns, "frame", None, "lacks id")
        ids = np.atleast_1d(columns["id"])
        kept: dict[str, Any] = {"t": float(t)}
        for name, values in columns.items():
            column = np.array(values)
            if column.ndim and column.shape != ids.shape:
                raise BadInput(
                    f"frame at {t:g} s, column {name}", column.shape, f"must be of shape {ids.shape}"
                )
            kept[name] = column if column.ndim else column[()]
        self._pieces.append((len(ids), kept))

    def clear(self) -> None:
        """Forget all frames."""
        self._pieces.clear()

    def recording(self, meta: Mapping[str, Any] | None = None) -> Recording:
        """Everything that was added, as one recording."""
        require(bool(self._pieces), "recorder", 0, "has no frames; rows")
        pieces = [(n, _USUAL | piece) for n, piece in self._pieces]
        columns = stacked(pieces)
        yaw, pitch, roll = (columns.pop(name, np.zeros(len(columns["t"]))) for name in _ANGLES)
        turned = quaternion(yaw, pitch, roll)
        for k, name in enumerate(QUATERNION):
            given = columns.get(name)
            columns[name] = turned[:, k] if given is None else np.where(np.isnan(given), turned[:, k], given)
        return Recording(columns, meta)


def columns_of(motion: Motion, ids: np.ndarray, kinds: np.ndarray, outline: np.ndarray) -> dict[str, Any]:
    """Rows of a recording."""
    columns: dict[str, Any] = {"id": ids, "kind": kinds}
    columns |= {name: getattr(motion, name) for name in FIELDS if name != "yaw_rate"}
    columns |= dict(zip(("length", "width", "height"), outline.T, strict=True))
    if "roll_rate" in motion.extras:  # a body that leans
        columns["roll_angle"] = motion.roll
    return columns | dict(motion.extras)


def count_up(owner: np.ndarray) -> np.ndarray:
    """0, 1, 2 … within every run of equal numbers."""
    starts = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
    return np.arange(len(owner)) - np.repeat(starts, np.diff(np.append(starts, len(owner))))
