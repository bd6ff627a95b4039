"""The host's end of a CIGI link: frames of a city go to an image generator by UDP.

    link = CigiLink("127.0.0.1", 8004)
    link.open()
    while True:
        link.wait()               # for the generator's Start of Frame
        ...                       # one frame of the simulation
        link.send(frame, seconds, lights)

The image generator draws, so it sets the pace: every Start of Frame asks for one frame. With `pace="clock"`
the host's own clock does, in real time, and with `pace="none"` nobody does.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.core.attitude import quaternion, turned
from swerve.core.errors import BadInput, require

from . import packets as cigi
from .geodesy import OnEarth, Origin, compass

PACES = ("generator", "clock", "none")
OFF_PACE = 0.05  # of real time, beyond which one is told
ENTITY_TYPES = {"sedan": 1, "mini": 2, "suv": 3, "vehicle": 4, "ambulance": 5, "driver": 6,
                "van": 7, "lorry": 8, "bicycle": 9, "pedestrian": 10, "bus": 11}  # fmt: skip
OTHER_TYPE = 99
EYE = (0.3, -0.35, -1.2)  # [m] of the driver: forward of the middle, to the right, down
HELLO_AGAIN = 0.5  # [s]
REFRESH = 60  # frames in which every traffic light is told once even if it does not change
WITH_LAMPS = np.dtype([("entity", cigi.ENTITY_CONTROL), ("lamps", cigi.SHORT_COMPONENT)])

Frame = Mapping[str, np.ndarray]
Tap = Callable[[str, bytes, float], None]


@dataclass(frozen=True)
class LinkOptions:
    """The port to `listen` on (by default the one after the generator's), who sets the `pace`, the length of
    a frame [s], and how long [s] one waits for the generator."""

    listen: int | None = None
    pace: str = "generator"
    frame_seconds: float = 1 / 60
    patience: float = 5.0

    def __post_init__(self) -> None:
        require(self.pace in PACES, "pace", self.pace, f"must be one of {', '.join(PACES)}")


class CigiLink:
    """Sends frames to `host`:`port`.

    `driver` is the id of the character at whose eyes the view is; it becomes entity 0, every other character
    its id + 1. `tap` is told every message: "host" or "generator", the bytes, the time [s].
    """

    def __init__(
        self,
        host: str,
        port: int,
        origin: OnEarth | None = None,
        driver: int | None = None,
        tap: Tap | None = None,
        options: LinkOptions | None = None,
    ):
        options = options or LinkOptions()
        require(0 < port < 65536, "CIGI port", port, "must be between 1 and 65535")
        self.address, self.pace, self.frame_seconds = (host, port), options.pace, options.frame_seconds
        self.listen = port + 1 if options.listen is None else options.listen
        self.origin, self.driver, self.patience, self.tap = origin or Origin(), driver, options.patience, tap
        self.frame = 0  # number of the last frame sent
        self.generator_frame = 0  # number of the generator's last frame
        self.unseen = 0  # frames that the generator had not received when it asked for the next
        self.skipped = 0  # frames of the generator for which no Start of Frame was answered
        self.bytes_sent = 0
        self._clock: list[tuple[float, int]] = []  # [s] of the generator and our frame, first and last
        self._socket: socket.socket | None = None
        self._lights: np.ndarray | None = None
        self._next_tick = 0.0

    def open(self) -> None:
        """Take the port and tell the generator, with a message in standby, where to answer."""
        try:
            address = socket.getaddrinfo(*self.address, socket.AF_INET, socket.SOCK_DGRAM)[0][4]
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            self._socket.bind(("", self.listen))
            self._to = (str(address[0]), int(address[1]))
        except OSError as error:
            self.close()
            raise BadInput("--cigi", self._name, f"cannot be used ({error.strerror or error})") from error
        self._say_hello()
        self._next_tick = time.monotonic()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def wait(self) -> None:
        """Return when the next frame is due."""
        if self.pace == "generator":
            self._await_start_of_frame()
            return
        self._take_what_is_there()
        if self.pace == "clock":
            self._next_tick += self.frame_seconds
            time.sleep(max(0.0, self._next_tick - time.monotonic()))

    def send(self, frame: Frame, seconds: float, lights: np.ndarray) -> int:
        """Tell the generator a frame: where all characters are, their lamps, the traffic lights. Bytes sent.

        `frame` has the columns of a recorded frame, `lights` (groups) the states of the traffic lights.
        """
        self.frame += 1
        before = self.bytes_sent
        opening = cigi.ig_control(self.frame, self.generator_frame, seconds)
        blocks = [*entity_blocks(frame, self.origin, self.driver), self._signals(lights)]
        if self.driver is not None:
            blocks.insert(0, cigi.view_control(0, *EYE))
        for message in cigi.datagrams(opening, blocks):
            self._give(message, seconds)
        return self.bytes_sent - before

    def figures(self) -> dict[str, Any]:
        return {
            "frames": self.frame,
            "generator_frame": self.generator_frame,
            "unseen_frames": self.unseen,
            "skipped_frames": self.skipped,
            "megabytes": self.bytes_sent / 1e6,
            "pace": self.pace_seen,
            "warning": self.warning,
        }

    @property
    def pace_seen(self) -> float | None:
        """Simulated seconds in a second of the generator's clock: 1 is real time, less is slow motion."""
        if len(self._clock) < 2 or self._clock[1][0] <= self._clock[0][0]:
            return None
        (first, began), (last, frames) = self._clock
        return (frames - began) * self.frame_seconds / (last - first)

    @property
    def warning(self) -> str | None:
        """That the picture ran slower or faster than real time, and which step would mend it."""
        pace = self.pace_seen
        if self.pace != "generator" or pace is None or abs(pace - 1.0) < OFF_PACE:
            return None
        return (
            f"the picture ran at {pace:.2f} of real time: a step is {1e3 * self.frame_seconds:.1f} ms, "
            f"the generator takes {1e3 * self.frame_seconds / pace:.1f} ms for one; "
            f"--dt {self.frame_seconds / pace:.4f} would suit it"
        )

    @property
    def _name(self) -> str:
        return f"{self.address[0]}:{self.address[1]}"

    def _signals(self, lights: np.ndarray) -> np.ndarray:
        """Traffic lights that changed, and a share of the others so that a lost message is made good."""
        groups = np.arange(len(lights))
        due = (groups + self.frame) % REFRESH == 0
        if self._lights is None or len(self._lights) != len(lights):
            due[:] = True
        else:
            due |= lights != self._lights
        self._lights = np.array(lights)
        made = cigi.packets(cigi.SHORT_COMPONENT, int(due.sum()))
        made["class_"] = cigi.ON_TERRAIN
        made["component"] = cigi.SIGNAL_GROUP + groups[due]
        made["state"] = lights[due]
        return made

    def _say_hello(self) -> None:
        self._give(cigi.ig_control(0, 0, 0.0, mode=cigi.STANDBY).tobytes(), 0.0)

    def _give(self, message: bytes, seconds: float) -> None:
        assert self._socket is not None, "the link is not open"
        with suppress(ConnectionRefusedError):  # nobody there yet: loopback reports what a network would lose
            self._socket.sendto(message, self._to)
        self.bytes_sent += len(message)
        if self.tap:
            self.tap("host", message, seconds)

    def _await_start_of_frame(self) -> None:
        assert self._socket is not None, "the link is not open"
        until = time.monotonic() + self.patience
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise BadInput(
                    "--cigi",
                    self._name,
                    f"no Start of Frame came to port {self.listen} within {self.patience:g} s; "
                    "is the image generator running?",
                )
            self._socket.settimeout(min(left, HELLO_AGAIN))
            try:
                message = self._socket.recv(65536)
            except (TimeoutError, ConnectionRefusedError):
                if self.generator_frame == 0 and self.frame == 0:
                    self._say_hello()  # a generator that has just started did not hear the first one
                continue
            if self._note(message):
                self._take_what_is_there()  # if the generator is ahead, its newest frame counts
                return

    def _take_what_is_there(self) -> None:
        assert self._socket is not None, "the link is not open"
        self._socket.setblocking(False)
        while True:
            try:
                if self._note(self._socket.recv(65536)):
                    self.skipped += self.pace == "generator"
            except BlockingIOError:
                return
            except ConnectionRefusedError:
                continue

    def _note(self, message: bytes) -> bool:
        """Whether the message is a Start of Frame; what it says is kept."""
        try:
            first = cigi.read_message(message)[0]
        except (ValueError, IndexError):
            return False
        if first["id"] != 101:
            return False
        self.generator_frame = int(first["frame"])
        self._clock = [*self._clock[:1], (float(first["timestamp"]) / cigi.TICKS, self.frame)]
        self.unseen += self.frame > 0 and int(first["last_other_frame"]) != self.frame
        if self.tap:
            self.tap("generator", message, float(first["timestamp"]) / cigi.TICKS)
        return True


def entity_blocks(frame: Frame, origin: OnEarth, driver: int | None) -> list[np.ndarray]:
    """Packets of all characters of a frame: those with lamps together with their lamps, then the others.

    The entity is where the character stands on the ground: half its height below its middle, by its own axes.
    Who is not here (outside of open roads, or removed) is in standby, at the origin.
    """
    ids = np.asarray(frame["id"])
    entity = np.where(ids == driver, 0, ids + 1) if driver is not None else ids + 1
    if len(entity) and entity.max() > 65535:
        raise BadInput("characters", int(ids.max()), "CIGI numbers entities up to 65535")
    kinds = np.asarray(frame["kind"])
    walks = kinds == "pedestrian"
    placed = cigi.packets(cigi.ENTITY_CONTROL, len(ids))
    here = np.asarray(frame["here"])
    placed["entity"], placed["alpha"] = entity, 255
    placed["flags"] = np.where(here, cigi.ACTIVE, cigi.INACTIVE)
    words, which = np.unique(kinds.astype(str), return_inverse=True)
    placed["type"] = np.array([ENTITY_TYPES.get(word, OTHER_TYPE) for word in words], int)[which]
    placed["yaw"] = compass(frame["heading"])
    placed["pitch"], placed["roll"] = np.degrees(frame["pitch"]), np.degrees(frame["roll"])
    stands = quaternion(frame["heading"], frame["pitch"], frame["roll"])
    up = turned(stands, np.array([0.0, 0.0, 1.0])) * (np.asarray(frame["height"]) / 2)[:, None]
    x, y, ground = (np.asarray(frame[name]) - up[:, k] for k, name in enumerate("xyz"))
    placed["latitude"], placed["longitude"], placed["altitude"] = origin.to_earth(
        *(np.where(here, column, 0.0) for column in (x, y, ground))
    )
    lamps = cigi.packets(cigi.SHORT_COMPONENT, len(ids))
    lamps["component"], lamps["instance"] = cigi.LAMPS, entity
    lamps["state"] = lamp_bits(frame)
    together = np.zeros(int((~walks).sum()), WITH_LAMPS)
    together["entity"], together["lamps"] = placed[~walks], lamps[~walks]
    return [together, placed[walks]]


def lamp_bits(frame: Frame) -> np.ndarray:
    """Brake lamps, indicators and beacons of a frame as the state of a lamps component."""
    indicator = np.asarray(frame["indicator"])
    return (
        np.asarray(frame["brake"]) * cigi.BRAKE_LAMP
        | (indicator > 0) * cigi.LEFT_LAMP
        | (indicator < 0) * cigi.RIGHT_LAMP
        | np.asarray(frame["emergency"]) * cigi.BEACON
    ).astype(np.uint8)
