"""The log of a drive: every input and what came of it frame by frame, and every event with its time."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.files import replacing
from swerve.core.world import Contact

from ..roads.lights import RED
from ..roads.roads import CONNECTOR, LANE, LIGHT, Roads
from .outsiders import DriverCar
from .platform import Inputs
from .sight import Sight

COLUMNS = (
    "t",  # [s] when the inputs were taken
    "steer",
    "throttle",
    "brake",
    "indicator",
    "x",  # [m] before they had an effect, as everything up to `leader_brakes`
    "y",
    "heading",  # [rad]
    "speed",  # [m/s]
    "strip",
    "station",  # [m]
    "lateral",  # [m] left of the middle of the strip
    "on_lane",  # 1 on a lane, 0 in a junction or off the road
    "limit",  # [m/s]
    "gap",  # [m] to whoever is ahead
    "leader",  # its character id
    "leader_speed",  # [m/s]
    "leader_brakes",
    "acceleration",  # [m/s²] that came of the inputs
    "nearest",  # [m] to the nearest body of any kind, after the frame; at most 0 in contact
    "nearest_id",
)
PRESSED = 0.05  # of a pedal's way


@dataclass(frozen=True)
class Note:
    """Something that happened: when [s], what kind (stimulus, event, spawn, mark, input, contact, red light),
    its name, and more."""

    t: float
    kind: str
    name: str
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"t": self.t, "kind": self.kind, "name": self.name, **self.more}


class DriverLog:
    """Grows by a row a frame. `mark` is told every note as it is made."""

    def __init__(self, mark: Callable[[Note], None] | None = None):
        self.notes: list[Note] = []
        self._mark = mark
        self._rows: list[tuple[float, ...]] = []
        self._last = Inputs()
        self._strip = -1

    def __len__(self) -> int:
        return len(self._rows)

    def note(self, t: float, kind: str, name: str, **more: Any) -> None:
        note = Note(float(t), kind, name, more)
        self.notes.append(note)
        if self._mark is not None:
            self._mark(note)

    def add(
        self,
        sight: Sight,
        inputs: Inputs,
        car: DriverCar,
        frame: Mapping[str, np.ndarray],
        contacts: Sequence[Contact],
        roads: Roads,
    ) -> None:
        """A frame: what was seen and done at its start, and who was near at its end."""
        nearest, who = nearest_body(car, frame)
        on_lane = sight.strip >= 0 and roads.kind[sight.strip] == LANE
        self._rows.append(
            (
                sight.time, *inputs, sight.x, sight.y, sight.heading, sight.speed, sight.strip, sight.station,
                sight.lateral, float(on_lane), sight.limit, sight.gap, sight.leader, sight.leader_speed,
                float(sight.leader_brakes), car.acceleration, nearest, who,
            )
        )  # fmt: skip
        self._note_pedals(sight.time, inputs)
        self._note_contacts(sight, car.character, frame, contacts)
        self._note_red_light(sight, roads)

    def table(self) -> dict[str, np.ndarray]:
        """The log as columns."""
        values = np.array(self._rows, dtype=float).reshape(-1, len(COLUMNS))
        return {name: values[:, k] for k, name in enumerate(COLUMNS)}

    def write(self, path: str | Path) -> Path:
        """As CSV, in full precision: the file can be driven again as a file of inputs."""
        whole = {"indicator", "strip", "on_lane", "leader", "leader_brakes", "nearest_id"}
        with replacing(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            for row in self._rows:
                writer.writerow(
                    int(value) if name in whole else repr(float(value))
                    for name, value in zip(COLUMNS, row, strict=True)
                )
        return Path(path)

    def _note_pedals(self, t: float, inputs: Inputs) -> None:
        """When a pedal goes down or comes up, and when an indicator changes."""
        for name in ("throttle", "brake"):
            before, now = abs(getattr(self._last, name)) > PRESSED, abs(getattr(inputs, name)) > PRESSED
            if before != now:
                self.note(t, "input", f"{name} {'on' if now else 'off'}")
        if inputs.indicator != self._last.indicator:
            self.note(t, "input", f"indicator {('right', 'off', 'left')[inputs.indicator + 1]}")
        self._last = inputs

    def _note_contacts(
        self, sight: Sight, own: int, frame: Mapping[str, np.ndarray], contacts: Sequence[Contact]
    ) -> None:
        """What the world's referee saw of the car in this frame."""
        for contact in contacts:
            if own not in (contact.a, contact.b):
                continue
            other = contact.b if contact.a == own else contact.a
            rows = np.flatnonzero(np.asarray(frame["id"]) == other)
            speed = float(frame["speed"][rows[0]]) if len(rows) else 0.0
            self.note(
                sight.time, "contact", f"character {other}", driver_speed=sight.speed, other_speed=speed,
                impulse=contact.impulse,
            )  # fmt: skip

    def _note_red_light(self, sight: Sight, roads: Roads) -> None:
        """When the car has gone from a lane onto a connector whose light is red."""
        before, self._strip = self._strip, sight.strip
        if (
            before < 0
            or sight.strip < 0
            or roads.kind[before] != LANE
            or roads.kind[sight.strip] != CONNECTOR
        ):
            return
        if roads.control[sight.strip] == LIGHT:
            entered = max(0.0, sight.time - sight.station / max(sight.speed, 1.0))
            if roads.lights.state(entered)[roads.light[sight.strip]] == RED:
                self.note(sight.time, "red light", f"connector {sight.strip}")


def body_gaps(car: DriverCar, frame: Mapping[str, np.ndarray]) -> np.ndarray:
    """Gap [m] between the outline of the car and that of everyone in a frame; infinite for itself.

    The largest gap along the axes of both boxes: exact beside a face, a little short of it off a corner, and
    negative exactly when they overlap.
    """
    x, y, heading = car.pose
    dx, dy = frame["x"] - x, frame["y"] - y
    c, s = np.cos(heading), np.sin(heading)
    oc, os_ = np.cos(frame["heading"]), np.sin(frame["heading"])
    together, across = np.abs(c * oc + s * os_), np.abs(c * os_ - s * oc)
    half, side = car.length / 2, car.width / 2
    other, beside = frame["length"] / 2, frame["width"] / 2
    gaps = np.max(
        [
            np.abs(c * dx + s * dy) - half - (together * other + across * beside),
            np.abs(-s * dx + c * dy) - side - (across * other + together * beside),
            np.abs(oc * dx + os_ * dy) - other - (together * half + across * side),
            np.abs(-os_ * dx + oc * dy) - beside - (across * half + together * side),
        ],
        axis=0,
    )
    return np.where(np.asarray(frame["id"]) == car.character, np.inf, gaps)


def nearest_body(car: DriverCar, frame: Mapping[str, np.ndarray]) -> tuple[float, int]:
    """Gap [m] to the nearest other body of a frame, and its id; infinite and -1 when there is nobody."""
    gaps = body_gaps(car, frame)
    best = int(np.argmin(gaps)) if len(gaps) else -1
    if best < 0 or not np.isfinite(gaps[best]):
        return np.inf, -1
    return float(gaps[best]), int(frame["id"][best])
