"""Where the driver's inputs come from: a person, a file, or code.

A source is a function of what the driver sees (`sight.Sight`) that gives `Inputs`.
"""

from __future__ import annotations

import csv
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.files import existing

from .platform import Inputs, checked
from .sight import Sight

Source = Callable[[Sight], Inputs]
COLUMNS = ("t", "steer", "throttle", "brake")


class LiveInputs:
    """A person's inputs: whoever reads wheel and pedals calls `put`, from any thread, as often as it likes.

    >>> live = LiveInputs()
    >>> live.put(Inputs(throttle=0.3))
    >>> live(None).throttle
    0.3
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest = Inputs()

    def put(self, inputs: Inputs) -> None:
        checked(inputs)
        with self._lock:
            self._latest = inputs

    def __call__(self, sight: Sight | None) -> Inputs:
        with self._lock:
            return self._latest


class FileInputs:
    """Inputs from a CSV file with the columns t [s], steer, throttle, brake and perhaps indicator.

    A row holds from its time until the next one. The file that a run writes can be driven again.
    """

    def __init__(self, path: str | Path):
        self.path = existing(path, "driver's inputs")
        self.times, self.rows = _read(self.path)

    def __call__(self, sight: Sight) -> Inputs:
        at = int(np.searchsorted(self.times, sight.time + 1e-9, side="right")) - 1
        return self.rows[at] if at >= 0 else Inputs()


def _read(path: Path) -> tuple[np.ndarray, list[Inputs]]:
    try:
        return _rows(path)
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"driver's inputs {path}", None, f"is not a CSV file ({error})") from error


def _rows(path: Path) -> tuple[np.ndarray, list[Inputs]]:
    times: list[float] = []
    rows: list[Inputs] = []
    with path.open(newline="", encoding="utf-8") as file:
        table = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (table.fieldnames or [])]
        if missing:
            raise BadInput(f"driver's inputs {path}", missing, "lacks columns")
        for number, row in enumerate(table, start=2):
            try:
                t, steer, throttle, brake = (float(row[name]) for name in COLUMNS)
                indicator = int(float(row.get("indicator") or 0))
            except (TypeError, ValueError, OverflowError) as error:
                raise BadInput(
                    f"driver's inputs {path}, line {number}", None, f"holds no numbers ({error})"
                ) from error
            try:
                rows.append(checked(Inputs(steer, throttle, brake, indicator)))
            except BadInput as error:
                raise BadInput(f"driver's inputs {path}, line {number}", None, str(error)) from error
            if times and not t > times[-1]:
                raise BadInput(f"driver's inputs {path}, line {number}", t, f"t must be above {times[-1]:g}")
            times.append(t)
    if not rows:
        raise BadInput(f"driver's inputs {path}", None, "has no rows")
    return np.array(times), rows
