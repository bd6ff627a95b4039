"""UDP messages as a capture file that Wireshark reads, written without capturing anything.

with Capture("link.pcap", host_port=8005, generator_port=8004) as capture:
    link = CigiLink("127.0.0.1", 8004, tap=capture.add)
"""

from __future__ import annotations

import struct
from contextlib import ExitStack
from pathlib import Path

from swerve.core.files import replacing

RAW_IP = 101  # link type: packets begin with the IP header
_LOOPBACK = bytes([127, 0, 0, 1])


class Capture:
    """A tap for a link: every message becomes a UDP packet over IPv4, loopback to loopback."""

    def __init__(self, path: str | Path, host_port: int, generator_port: int):
        self.path, self.ports = Path(path), (host_port, generator_port)
        self._whole = ExitStack()  # a capture that was cut off by Ctrl-C is one too
        self._file = self._whole.enter_context(self._whole.enter_context(replacing(self.path)).open("wb"))
        self._file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, RAW_IP))

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._whole.close()

    def add(self, sender: str, message: bytes, seconds: float) -> None:
        """A message of the "host" or the "generator" at a time [s]."""
        source, target = self.ports if sender == "host" else self.ports[::-1]
        udp = struct.pack(">HHHH", source, target, 8 + len(message), 0) + message
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + 2 * _LOOPBACK
        head = head[:10] + struct.pack(">H", _checksum(head)) + head[12:]
        packet = head + udp
        whole, micro = divmod(round(seconds * 1e6), 1_000_000)
        self._file.write(struct.pack("<IIII", whole, micro, len(packet), len(packet)) + packet)


def _checksum(head: bytes) -> int:
    total = sum(struct.unpack(f">{len(head) // 2}H", head))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF
