"""Protocol buffers by hand, from their published encoding alone; knows nothing of the product's messages."""

import struct

Field = tuple[int, object]


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def real(field: int, value: float) -> bytes:
    return varint(field << 3 | 5) + struct.pack("<f", value)


def inside(field: int, data: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(data)) + data


def fields(data: bytes) -> list[Field]:
    """Numbers and values in order: integers, raw bytes of 4 or 8, or bytes."""
    found: list[Field] = []
    at = 0
    while at < len(data):
        key, at = _take(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _take(data, at)
            found.append((key >> 3, value))
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, at = _take(data, at)
            found.append((key >> 3, data[at : at + size]))
            at += size
    return found


def all_of(data: bytes, field: int) -> list:
    return [value for name, value in fields(data) if name == field]


def one(data: bytes, field: int):
    return all_of(data, field)[-1]


def as_real(data: bytes, field: int) -> float:
    raw = one(data, field)
    return struct.unpack("<f" if len(raw) == 4 else "<d", raw)[0]


def _take(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
