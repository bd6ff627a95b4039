"""A simulator on the network: three ports for packets of the simulation protocol, one for pictures to go to.

Everything is bound to loopback and sent to loopback unless another address is asked for. Nothing a client
sends stops it: a port is emptied before every frame, up to a limit, answers go back to whoever asked, and
what cannot be sent is dropped, as packets are.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from swerve.core.errors import BadInput, SwerveError, require

from ..eyes.camera import Camera
from ..eyes.detect import Detection
from ..eyes.pitch import Pitch
from .desk import Desk
from .messages import message
from .packets import detection, geometry, of_camera
from .simulator import BLUE, YELLOW, Simulator

LOOPBACK = "127.0.0.1"
LARGEST = 65_536  # [bytes] of a packet
A_FRAME = 200  # packets of one port that are read in a frame: more is a flood
GEOMETRY_EVERY = 60  # frames


@dataclass(frozen=True)
class Ports:
    """The league's. 0 takes any that is free; `vision` and `referee` are where packets are sent to."""

    control: int = 10300
    blue: int = 10301
    yellow: int = 10302
    vision: int = 10020
    referee: int = 10003

    def __post_init__(self) -> None:
        for name in ("vision", "referee"):
            to = getattr(self, name)
            ours = to > 0 and to in (self.control, self.blue, self.yellow)
            require(not ours, f"{name} port", to, "must be none of those that are listened on")


Seen = tuple[float, np.ndarray, np.ndarray | None]


class Server:
    """Serves a simulator until it is closed; use it in a `with` block. Pictures show what is `seen`: a time
    [s], robots and ball as the simulator has them; without it the simulator's own truth."""

    def __init__(
        self,
        simulator: Simulator,
        ports: Ports = Ports(),
        host: str = LOOPBACK,
        send_to: str = LOOPBACK,
        frame: float = 1 / 60,
        cameras: Callable[[], Sequence[Camera]] = tuple,
        seen: Callable[[], Seen] | None = None,
    ):
        self.desk = Desk(simulator)
        self.seen = seen or (lambda: (simulator.time, simulator.robots(), simulator.ball()))
        self.frame, self.send_to, self.ports = frame, _address("send_to", send_to), ports
        self.frames = self.received = self.late = 0
        self.cameras = cameras
        self.epoch = time.time()  # packets tell UNIX time, which passes as the simulator's does
        self._sockets: list[socket.socket] = []
        try:
            for port in (ports.control, ports.blue, ports.yellow):
                self._sockets.append(_listening(_address("host", host), port))
            self._out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self._sockets.append(self._out)
            self._out.setblocking(False)
            if ipaddress.ip_address(send_to).is_multicast:
                self._out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
        except BaseException:
            self.close()
            raise
        self.bound = self.desk.listened = tuple(one.getsockname()[1] for one in self._sockets[:3])

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *ending: object) -> None:
        self.close()

    def close(self) -> None:
        for one in self._sockets:
            one.close()

    def once(self) -> None:
        """One frame: read what came, let time pass, send pictures."""
        control, blue, yellow = self._sockets[:3]
        self._answer(control, self.desk.control)
        self._answer(blue, lambda data: self.desk.robots(BLUE, data))
        self._answer(yellow, lambda data: self.desk.robots(YELLOW, data))
        if self.desk.speed > 0:
            self.desk.step(self.frame * self.desk.speed)
        simulator = self.desk.simulator
        t, robots, ball = self.seen()
        now = self.epoch + simulator.time
        picture = detection(self.frames, self.epoch + t, robots, ball, sent=now)
        port = self.desk.vision_port or self.ports.vision
        self._send(picture, port)
        if self.frames % GEOMETRY_EVERY == 0:
            self._send(geometry(simulator.pitch, self.cameras()), port)
        self.frames += 1

    def run(self, seconds: float | None = None, going_on: Callable[[], bool] = lambda: True) -> None:
        """Frames by the clock, for that long, while `going_on` says so. A frame that came too late counts."""
        started = due = time.monotonic()
        while going_on() and (seconds is None or due - started < seconds):
            self.once()
            due += self.frame
            wait = due - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            elif wait < -self.frame:
                self.late += 1
                due = time.monotonic()

    def send_referee(self, packet: bytes) -> None:
        self._send(packet, self.ports.referee)

    def _answer(self, port: socket.socket, handle: Callable[[bytes], bytes]) -> None:
        for _ in range(A_FRAME):
            try:
                data, sender = port.recvfrom(LARGEST)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:  # somebody closed the port that an answer went to
                continue
            self.received += 1
            reply = handle(data)
            with contextlib.suppress(OSError):
                port.sendto(reply, sender)

    def _send(self, packet: bytes, port: int) -> None:
        if port > 0:
            with contextlib.suppress(OSError):
                self._out.sendto(packet, (self.send_to, port))


class Vision:
    """Sends what eyes saw as SSL-Vision does, to a port of `send_to`; use it in a `with` block."""

    def __init__(self, pitch: Pitch, port: int, send_to: str = LOOPBACK):
        require(0 < port <= 65535, "port", port, "must be 1 to 65535")
        self.pitch, self.to = pitch, (_address("send_to", send_to), port)
        message("SSL_WrapperPacket")  # so that a missing library is said before long work
        self._out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._out.setblocking(False)

    def __enter__(self) -> Vision:
        return self

    def __exit__(self, *ending: object) -> None:
        self._out.close()

    def send(
        self, frame: int, t: float, detections: Sequence[Detection], cameras: Sequence[Camera] = ()
    ) -> None:
        """One frame, a packet a camera; geometry of field and cameras with the first and once a second."""
        packets = [of_camera(frame, t, k, seen) for k, seen in enumerate(detections)]
        if frame % GEOMETRY_EVERY == 0:
            packets.append(geometry(self.pitch, cameras))
        for packet in packets:
            with contextlib.suppress(OSError):
                self._out.sendto(packet, self.to)


def _listening(host: str, port: int) -> socket.socket:
    require(0 <= port <= 65535, "port", port, "must be 0 to 65535")
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        made.setblocking(False)
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise SwerveError(f"port {port} of {host}: cannot be used ({error.strerror or error})") from error
    return made


def _address(what: str, words: str) -> str:
    try:
        return str(ipaddress.IPv4Address(words))
    except ValueError as error:
        raise BadInput(what, words, "must be an IPv4 address") from error
