"""Packets of the Common Image Generator Interface 3.3, as records that are encoded many at once.

Everything is big-endian. A message from the host begins with an IG Control packet, an answer of the image
generator with Start of Frame; both carry the number 0x8000 by which the receiver knows the byte order, and
both echo the other side's last frame counter. Sizes and fields are those of the interface's control document,
version 3.3.

>>> ig_control(frame=7, last_generator_frame=6, seconds=0.1).tobytes()[:8].hex()
'0118030035008000'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

MAJOR, MINOR = 3, 3
MAGIC = 0x8000
STANDBY, OPERATE = 0, 1  # modes
MOST_PAYLOAD = 1472  # [bytes] of a datagram that crosses Ethernet in one piece
TICKS = 100_000  # time stamps count 10 µs
INACTIVE, ACTIVE = 0, 1  # entity state
ON_ENTITY, ON_TERRAIN = 0, 8  # component classes: entity, global terrain surface
LAMPS, SIGNAL_GROUP = 1, 100  # component numbers: lamps of a vehicle; the first traffic light group
BRAKE_LAMP, LEFT_LAMP, RIGHT_LAMP, BEACON = 1, 2, 4, 8  # bits of a lamps component's state

_HEAD = [("id", "u1"), ("size", "u1")]
IG_CONTROL = np.dtype(
    [
        *_HEAD,
        ("major", "u1"),
        ("database", "i1"),
        ("flags", "u1"),  # mode 0x03, time stamp valid 0x04, extrapolation 0x08, minor version 0xf0
        ("_1", "u1"),
        ("magic", ">u2"),
        ("frame", ">u4"),
        ("timestamp", ">u4"),
        ("last_other_frame", ">u4"),
        ("_2", ">u4"),
    ]
)
START_OF_FRAME = np.dtype(
    [
        *_HEAD,
        ("major", "u1"),
        ("database", "i1"),
        ("status", "u1"),
        ("flags", "u1"),  # mode 0x03, time stamp valid 0x04, earth model 0x08 (0: WGS 84), minor version 0xf0
        ("magic", ">u2"),
        ("frame", ">u4"),
        ("timestamp", ">u4"),
        ("last_other_frame", ">u4"),
        ("_2", ">u4"),
    ]
)
ENTITY_CONTROL = np.dtype(
    [
        *_HEAD,
        ("entity", ">u2"),
        ("flags", "u1"),  # state 0x03, attached 0x04, collisions 0x08, inherits alpha 0x10, clamped 0x60
        ("animation", "u1"),
        ("alpha", "u1"),
        ("_1", "u1"),
        ("type", ">u2"),
        ("parent", ">u2"),
        ("roll", ">f4"),  # [deg]
        ("pitch", ">f4"),
        ("yaw", ">f4"),  # [deg] clockwise from north
        ("latitude", ">f8"),  # [deg]
        ("longitude", ">f8"),
        ("altitude", ">f8"),  # [m]
    ]
)
SHORT_COMPONENT = np.dtype(
    [
        *_HEAD,
        ("component", ">u2"),
        ("instance", ">u2"),  # which entity
        ("class_", "u1"),
        ("state", "u1"),
        ("data_1", ">u4"),
        ("data_2", ">u4"),
    ]
)
VIEW_CONTROL = np.dtype(
    [
        *_HEAD,
        ("view", ">u2"),
        ("group", "u1"),
        ("enabled", "u1"),  # x 0x01, y 0x02, z 0x04, roll 0x08, pitch 0x10, yaw 0x20
        ("entity", ">u2"),
        ("x", ">f4"),  # [m] forward of the entity
        ("y", ">f4"),  # [m] to its right
        ("z", ">f4"),  # [m] down
        ("roll", ">f4"),
        ("pitch", ">f4"),
        ("yaw", ">f4"),
    ]
)
IDS = {1: IG_CONTROL, 2: ENTITY_CONTROL, 5: SHORT_COMPONENT, 16: VIEW_CONTROL, 101: START_OF_FRAME}
_ID_OF = {layout: number for number, layout in IDS.items()}


def packets(layout: np.dtype, count: int = 1) -> np.ndarray:
    """Zeroed packets of one layout, with id and size set."""
    made = np.zeros(count, layout)
    made["id"], made["size"] = _ID_OF[layout], layout.itemsize
    return made


def ig_control(
    frame: int, last_generator_frame: int, seconds: float, mode: int = OPERATE, database: int = 0
) -> np.ndarray:
    """The packet that opens every message of the host; `seconds` is the time of the simulation."""
    made = _opening(IG_CONTROL, frame, last_generator_frame, seconds, mode)
    made["database"] = database
    return made


def start_of_frame(frame: int, last_host_frame: int, seconds: float, mode: int = OPERATE) -> np.ndarray:
    """The packet that opens every answer of the image generator."""
    return _opening(START_OF_FRAME, frame, last_host_frame, seconds, mode)


def view_control(entity: int, x: float = 0.0, y: float = 0.0, z: float = 0.0, view: int = 0) -> np.ndarray:
    """Ties a view to an entity, offset [m] forward, to the right and down."""
    made = packets(VIEW_CONTROL)
    made["view"], made["entity"], made["enabled"] = view, entity, 0x3F
    made["x"], made["y"], made["z"] = x, y, z
    return made


def datagrams(opening: np.ndarray, blocks: Sequence[np.ndarray], most: int = MOST_PAYLOAD) -> Iterator[bytes]:
    """Messages that hold all packets of the blocks in order, each opened by `opening`, none over `most`
    bytes."""
    head = opening.tobytes()
    message = bytearray(head)
    for block in blocks:
        size, data, done = block.itemsize, block.tobytes(), 0
        while done < len(data):
            fits = (most - len(message)) // size * size
            message += data[done : done + fits]
            done += fits
            if done < len(data):
                yield bytes(message)
                message = bytearray(head)
    yield bytes(message)


def read_message(message: bytes) -> list[np.ndarray]:
    """The packets of a message as records, in order; packets this module does not know are passed over.

    Raises ValueError for a message that is cut short, in the other byte order or of another version.
    """
    if len(message) < 8 or message[0] not in (1, 101):
        raise ValueError("does not begin with IG Control or Start of Frame")
    if message[2] != MAJOR:
        raise ValueError(f"is of version {message[2]}, not {MAJOR}")
    if message[6:8] != MAGIC.to_bytes(2, "big"):
        raise ValueError("is not in big-endian byte order")
    found, at = [], 0
    while at < len(message):
        size = message[at + 1] if at + 1 < len(message) else 0
        if size < 8 or size % 8 or at + size > len(message):
            raise ValueError(f"has a packet of {size} bytes at {at} of {len(message)}")
        layout = IDS.get(message[at])
        if layout is not None:
            if size != layout.itemsize:
                raise ValueError(f"has packet {message[at]} with {size} bytes, not {layout.itemsize}")
            found.append(np.frombuffer(message, layout, 1, at)[0])
        at += size
    return found


def _opening(layout: np.dtype, frame: int, other: int, seconds: float, mode: int) -> np.ndarray:
    made = packets(layout)
    made["major"], made["magic"] = MAJOR, MAGIC
    made["flags"] = mode | 0x04 | MINOR << 4
    made["frame"], made["last_other_frame"] = frame % 2**32, other % 2**32
    made["timestamp"] = round(seconds * TICKS) % 2**32
    return made
