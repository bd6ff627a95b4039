"""A stand-in image generator: asks for frames over CIGI, keeps what it is told, draws nothing.

For tests, and to try a link out without a real one:

    swerve city generator --port 8004
    swerve city grid --vehicles 50 --cigi 127.0.0.1:8004
"""

from __future__ import annotations

import socket
import threading
import time

from . import packets as cigi


class ImageGenerator:
    """Listens on `port`, answers to whoever spoke last. With a rate [Hz] it asks for frames by its own clock;
    without one as soon as the last frame has come."""

    def __init__(self, port: int = 0, rate: float | None = None, address: str = "127.0.0.1"):
        self.rate = rate
        self.frame = 0
        self.host_frame = 0
        self.messages = 0
        self.missing = 0  # frame numbers of the host that never came
        self.refused: list[str] = []
        self.entities: dict[int, tuple[float, float, float, float]] = {}  # latitude, longitude, altitude, yaw
        self.lamps: dict[int, int] = {}
        self.lights: dict[int, int] = {}
        self.echoes: list[int] = []  # the host's echo of our frame counter, once a host frame
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self._socket.bind((address, port))
        self._socket.settimeout(0.02)
        self.port = self._socket.getsockname()[1]
        self._host: tuple[str, int] | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self) -> ImageGenerator:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._socket.close()

    def run(self) -> None:
        """Ask for frames and read the host's messages until stopped."""
        started = time.monotonic()
        asked = 0.0
        while not self._stop.is_set():
            now = time.monotonic()
            answered = self.rate is None and self.echoes[-1:] == [self.frame]
            period = 0.2 if self.rate is None else 1 / self.rate
            if self._host is not None and (answered or now - asked >= period):
                self.frame += 1
                asked = now
                ask = cigi.start_of_frame(self.frame, self.host_frame, now - started)
                self._socket.sendto(ask.tobytes(), self._host)
            try:
                message, self._host = self._socket.recvfrom(65536)
            except (TimeoutError, ConnectionRefusedError):
                continue
            self._read(message)

    def _read(self, message: bytes) -> None:
        try:
            first, *rest = cigi.read_message(message)
        except ValueError as error:
            self.refused.append(str(error))
            return
        self.messages += 1
        frame = int(first["frame"])
        if frame != self.host_frame:
            self.missing += max(0, frame - self.host_frame - 1)
            self.host_frame = frame
            self.echoes.append(int(first["last_other_frame"]))
        for packet in rest:
            if packet["id"] == 2:
                self.entities[int(packet["entity"])] = tuple(
                    float(packet[name]) for name in ("latitude", "longitude", "altitude", "yaw")
                )  # type: ignore[assignment]
            elif packet["id"] == 5 and packet["class_"] == cigi.ON_ENTITY:
                self.lamps[int(packet["instance"])] = int(packet["state"])
            elif packet["id"] == 5:
                self.lights[int(packet["component"]) - cigi.SIGNAL_GROUP] = int(packet["state"])
