"""Wheels, pedals and gamepads that Linux shows as /dev/input/js0 and so on: what a person does with them.

    live = LiveInputs()
    Joystick("/dev/input/js0", WHEEL, live).start()
    ScenarioManager(simulation, scenario, source=live)

The kernel sends eight bytes for every change: a time, a value from -32767 to 32767, whether it is a button or
an axis, and which.
"""

from __future__ import annotations

import struct
import threading
from pathlib import Path
from typing import BinaryIO, NamedTuple

from swerve.core.errors import BadInput

from .inputs import LiveInputs
from .platform import Inputs

EVENT = struct.Struct("<IhBB")
BUTTON, AXIS, AT_START = 1, 2, 0x80
WHOLE = 32767.0


class Layout(NamedTuple):
    """Which axes steer, accelerate and brake, what a released pedal reads (-1 or 1), and buttons: to reverse
    while they are held, and for the indicators."""

    steer: int
    throttle: int
    brake: int
    released: float
    reverse: int
    left: int
    right: int


GAMEPAD = Layout(0, 5, 2, -1.0, 0, 4, 5)  # left stick, triggers, A, shoulders
WHEEL = Layout(0, 2, 3, 1.0, 0, 5, 4)  # wheel, accelerator, brake, paddles


class Joystick:
    """Reads a device in a thread of its own; `lost` when it has gone."""

    def __init__(self, path: str | Path, layout: Layout, live: LiveInputs):
        self.layout, self.live, self.lost = layout, live, False
        self.axes: dict[int, float] = {}
        self.held: set[int] = set()
        try:
            self._device: BinaryIO = Path(path).open("rb", buffering=0)  # noqa: SIM115, closed by `_listen`
        except OSError as error:
            raise BadInput("wheel", str(path), f"cannot be read ({error.strerror})") from error

    def start(self) -> Joystick:
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def take(self, event: bytes) -> None:
        """What one event of the device says."""
        _, value, kind, number = EVENT.unpack(event)
        if kind & ~AT_START == BUTTON:
            (self.held.add if value else self.held.discard)(number)
        elif kind & ~AT_START == AXIS and (value or not kind & AT_START):  # at the start 0 is "not known"
            self.axes[number] = max(-1.0, value / WHOLE)
        self.live.put(self.inputs)

    @property
    def inputs(self) -> Inputs:
        """As the driver's car takes them: left is positive, pedals run from 0 to 1."""
        layout = self.layout
        throttle, brake = self._pedal(layout.throttle), self._pedal(layout.brake)
        throttle = -throttle if layout.reverse in self.held else throttle
        indicator = int(layout.left in self.held) - int(layout.right in self.held)
        return Inputs(-self.axes.get(layout.steer, 0.0), throttle, brake, indicator)

    def _pedal(self, axis: int) -> float:
        released = self.layout.released
        return abs(self.axes.get(axis, released) - released) / 2.0

    def _listen(self) -> None:
        with self._device as device:
            while True:
                try:
                    event = device.read(EVENT.size)
                except OSError:
                    break
                if event is None or len(event) < EVENT.size:
                    break
                self.take(event)
        self.lost = True
        self.live.put(Inputs())
