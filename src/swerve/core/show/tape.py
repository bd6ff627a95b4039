"""A recording in space, on one clock: what bodies, parts and lights look like, and where they are.

The studio, the standalone page in 3-D and the glTF file are all made from a `Tape`. Packed, it is `SWV1`, the
length of a JSON text (u32), the text, and zlib of little-endian int32 second differences: first the times,
then for every body x, y, z, the quaternion, the speed and the flags, each (frames,).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..attitude import COLUMNS as QUATERNION
from ..errors import BadInput, require
from ..files import plain, to_json
from ..recording import LIGHT, Recording
from .captions import captions_of
from .frames import thin
from .looks import Look, flags_of, look_of, scenery_of

MAGIC = b"SWV1"
TIME_STEP, PLACE_STEP, TURN_STEP, SPEED_STEP = 1e-4, 1e-3, 1e-4, 1e-2  # [s], [m], [1], [m/s] of one unit
FARTHEST = 2e6  # [m]
MOST_STATES = 2_000_000
PRESENT = 1


@dataclass(frozen=True)
class Tape:
    """n bodies, parts and lights over f frames: `place` (n, f, 3) [m], `turn` (n, f, 4) with w first, `speed`
    (n, f) [m/s] and `flags` (n, f), whose lowest bit says whether it is there."""

    times: np.ndarray
    looks: tuple[Look, ...]
    place: np.ndarray
    turn: np.ndarray
    speed: np.ndarray
    flags: np.ndarray
    scene: Mapping[str, Any]

    @property
    def present(self) -> np.ndarray:
        return (self.flags & PRESENT) > 0

    @property
    def origin(self) -> np.ndarray:
        """(3,) a round place near the middle [m]; what is far from zero keeps its millimetres so."""
        seen = self.place[self.present]
        return np.round((seen.min(axis=0) + seen.max(axis=0)) / 2)


def tape_of(recording: Recording, rate: float | None = None, most: int = MOST_STATES) -> Tape:
    """The recording at its own frames, no more than `rate` a second and about `most` states in all.

    A body without a row at a frame stays where it was and is marked as absent, unless its own rows are
    only less dense than the frames.
    """
    require(rate is None or 0 < rate <= 1000, "frames a second", rate, "must be above 0 and at most 1000")
    finite = np.isfinite(
        np.stack([recording[name] for name in ("t", "x", "y", "z", *QUATERNION)], axis=-1)
    ).all(axis=-1)
    if not finite.any():
        raise BadInput("recording", None, "has no rows with finite numbers")
    rows = recording if finite.all() else recording.where(np.flatnonzero(finite))
    known, first, body = np.unique(rows["id"], return_index=True, return_inverse=True)
    times = np.unique(rows["t"])
    span = max(float(np.ptp(times)), 1e-9)
    densest = max(most / len(known) / span, 1.0)
    times = thin(times, min(rate or densest, densest))
    at = np.searchsorted(times, rows["t"])
    at[at == len(times)] = len(times) - 1
    kept = times[at] == rows["t"]
    body, at = body[kept], at[kept]
    here = np.zeros((len(known), len(times)), bool)
    here[body, at] = True
    source = np.zeros(here.shape, np.int64)
    source[body, at] = np.flatnonzero(kept)
    source, there = _held(source, here, times)
    columns = {name: rows[name][source] for name in ("x", "y", "z", *QUATERNION)}
    speed = np.hypot(np.hypot(rows["vx"], rows["vy"]), rows["vz"]).astype(float)
    flags = np.where(there, PRESENT | flags_of(rows.columns)[source], 0)
    ego = rows.meta.get("ego")
    return Tape(
        times,
        tuple(_look(rows, row, ego) for row in first),
        np.stack([columns[name] for name in ("x", "y", "z")], axis=-1).astype(float),
        _continuous(np.stack([columns[name] for name in QUATERNION], axis=-1).astype(float)),
        np.nan_to_num(speed)[source],
        flags.astype(np.int64),
        {
            **scenery_of(rows.meta),
            "captions": captions_of(rows.meta),
            "ego": ego,
            "title": str(rows.meta.get("scene") or "Recording"),
        },
    )


def packed(tape: Tape) -> bytes:
    """The tape as bytes for a page."""
    origin = tape.origin
    head = {
        **tape.scene,
        "origin": origin,
        "start": float(tape.times[0]),
        "frames": len(tape.times),
        "bodies": [look.row() for look in tape.looks],
        "steps": [TIME_STEP, PLACE_STEP, TURN_STEP, SPEED_STEP],
    }
    moved = np.moveaxis((tape.place - origin) / PLACE_STEP, -1, 1)  # (n, 3, f)
    if np.abs(moved).max(initial=0.0) > FARTHEST / PLACE_STEP:
        raise BadInput("recording", None, f"reaches further than {FARTHEST / 1e3:g} km from its middle")
    turned = np.moveaxis(tape.turn / TURN_STEP, -1, 1)
    each = np.concatenate(
        [moved, turned, tape.speed[:, None] / SPEED_STEP, tape.flags[:, None].astype(float)], axis=1
    )
    clock = (tape.times - tape.times[0])[None] / TIME_STEP
    whole = np.round(np.vstack([clock, each.reshape(-1, len(tape.times))])).astype(np.int64).astype("<i4")
    for _ in range(2):
        whole = np.diff(whole, axis=1, prepend=whole.dtype.type(0))
    text = to_json(plain(head)).encode()
    return MAGIC + struct.pack("<I", len(text)) + text + zlib.compress(whole.tobytes(), 6)


def _look(rows: Recording, row: int, ego: object) -> Look:
    size = tuple(float(rows[name][row]) for name in ("length", "width", "height"))
    identity = int(rows["id"][row])
    part = str(rows["part"][row]) if "part" in rows.columns else ""
    parent = int(rows["parent"][row]) if "parent" in rows.columns else -1
    kind = str(rows["kind"][row])
    if kind != LIGHT:
        sides = dict(zip(("length", "width", "height"), size, strict=True))
        for name, side in sides.items():
            require(0 < side < np.inf, f"recording, {name} of body {identity}", side, "must be positive")
    return look_of(identity, kind, size, part, parent, identity == ego)


def _held(source: np.ndarray, here: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For every body and frame the row that it is drawn from, and whether it counts as there."""
    frames = np.arange(len(times))
    last = np.maximum.accumulate(np.where(here, frames, -1), axis=1)
    first = here.argmax(axis=1)[:, None]
    at = np.where(last < 0, first, last)
    gap = times[None] - times[at]
    usual = np.array([np.median(np.diff(times[one])) if one.sum() > 1 else 0.0 for one in here])[:, None]
    final = here.shape[1] - 1 - here[:, ::-1].argmax(axis=1)[:, None]
    there = here | ((last >= 0) & (frames <= final) & (gap < 1.5 * usual))
    return np.take_along_axis(source, at, axis=1), there


def _continuous(turn: np.ndarray) -> np.ndarray:
    """Quaternions (n, f, 4) without jumps of sign, of unit length."""
    turn = turn / np.linalg.norm(turn, axis=-1, keepdims=True).clip(1e-9)
    flip = np.sign((turn[:, 1:] * turn[:, :-1]).sum(-1))
    flip[flip == 0] = 1.0
    sign = np.concatenate([np.ones((len(turn), 1)), np.cumprod(flip, axis=1)], axis=1)
    return turn * sign[..., None]
