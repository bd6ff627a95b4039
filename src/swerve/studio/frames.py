"""Frames of a world on their way to a page: who is new, and one packet of poses.

A packet is b"F", three zeros, the number of rows (u32), the time (f64), and then by column: id (i32), x y z
(f32) row by row, quaternion x y z w times 32767 (i16) row by row, speed in cm/s (i16), flags (u16).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from swerve.core.attitude import COLUMNS as QUATERNION
from swerve.core.attitude import quaternion
from swerve.core.recorder import Recorder
from swerve.core.recording import stacked
from swerve.core.show.looks import Look, flags_of, look_of

from .words import FRAME

PRESENT = 1


class Tap(Recorder):
    """A world's recorder that keeps the last `keep` seconds and hands out the newest frame."""

    def __init__(self, keep: float = 180.0):
        super().__init__()
        self.keep = keep

    def add(self, t: float, columns: Mapping[str, Any]) -> None:
        super().add(t, columns)
        first = self._pieces[0][1]["t"]
        if t - first > 1.1 * self.keep:  # now and then, so that it costs next to nothing
            self._pieces = [piece for piece in self._pieces if t - piece[1]["t"] <= self.keep]

    def newest(self) -> dict[str, np.ndarray]:
        """The rows of the newest frame."""
        t = self._pieces[-1][1]["t"] if self._pieces else 0.0
        pieces = []
        for piece in reversed(self._pieces):
            if piece[1]["t"] != t:
                break
            pieces.append(piece)
        return stacked(pieces[::-1])


def turn_of(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """(n, 4) quaternions, w first, of rows that hold either angles or quaternions."""
    n = len(columns["id"])
    angles = [
        np.nan_to_num(columns.get(name, np.zeros(n)).astype(float)) for name in ("yaw", "pitch", "roll")
    ]
    turned = quaternion(*angles)
    if "qw" in columns:
        given = np.stack([columns[name] for name in QUATERNION], axis=-1).astype(float)
        turned = np.where(np.isnan(given), turned, given)
    return turned


def packet(columns: Mapping[str, np.ndarray]) -> bytes:
    """The newest frame of a tap as bytes."""
    ids = columns["id"].astype("<i4")
    n = len(ids)
    blank = np.zeros(n)
    place = np.stack([np.nan_to_num(columns.get(name, blank)) for name in ("x", "y", "z")], axis=-1)
    turn = np.round(32767 * turn_of(columns)[:, [1, 2, 3, 0]])
    speed = np.hypot(np.nan_to_num(columns.get("vx", blank)), np.nan_to_num(columns.get("vy", blank)))
    flags = flags_of(columns) | PRESENT
    t = float(columns["t"][0]) if n else 0.0
    return b"".join(
        (
            FRAME + b"\0\0\0" + struct.pack("<Id", n, t),
            ids.tobytes(),
            place.astype("<f4").tobytes(),
            turn.astype("<i2").tobytes(),
            np.round(100 * speed.clip(0, 320)).astype("<i2").tobytes(),
            flags.astype("<u2").tobytes(),
        )
    )


class Newcomers:
    """Which bodies the page has not been told about yet."""

    def __init__(self, ego: int | None = None):
        self.ego, self._known = ego, np.zeros(0, np.int64)

    def looks(self, columns: Mapping[str, np.ndarray]) -> list[Look]:
        """The looks of those who are new in this frame."""
        ids = columns["id"].astype(np.int64)
        fresh = np.flatnonzero(~np.isin(ids, self._known))
        if not len(fresh):
            return []
        self._known = np.union1d(self._known, ids)
        parts = columns.get("part", np.full(len(ids), "", dtype=object))
        parents = columns.get("parent", np.full(len(ids), -1))
        size = np.stack([np.nan_to_num(columns[name]) for name in ("length", "width", "height")], axis=-1)
        return [
            look_of(
                int(ids[k]),
                str(columns["kind"][k]),
                tuple(float(s) for s in size[k]),
                str(parts[k]),
                int(parents[k]),
                int(ids[k]) == self.ego,
            )
            for k in fresh
        ]
