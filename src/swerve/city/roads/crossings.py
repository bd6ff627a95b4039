"""Crosswalks: where people walk across strips, and which stretch of each strip that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Crossings:
    """`corners` (c, 4, 2) in order round; `ends` (c, 2, 2) kerb points, a to b; `width`, `length` [m] (c,).

    Crossing i is driven over by `strip[strip_first[i]:strip_first[i + 1]]`, each on its stretch `from_` to
    `to` [m]; `half` says which half of the crossing that is: 0 nearer to `ends[:, 0]`, 1 to `ends[:, 1]`.
    `light` is the walking light group or -1, `junction` the junction or -1.
    """

    corners: np.ndarray
    ends: np.ndarray
    width: np.ndarray
    length: np.ndarray
    light: np.ndarray
    junction: np.ndarray
    strip_first: np.ndarray
    strip: np.ndarray
    from_: np.ndarray
    to: np.ndarray
    half: np.ndarray

    def __len__(self) -> int:
        return len(self.width)


def no_crossings() -> Crossings:
    none, ids = np.zeros(0), np.zeros(0, np.int32)
    return Crossings(
        np.zeros((0, 4, 2)),
        np.zeros((0, 2, 2)),
        none,
        none,
        ids,
        ids,
        np.zeros(1, np.int32),
        ids,
        none,
        none,
        np.zeros(0, np.int8),
    )


def shift_crossings(part: Crossings, by: np.ndarray, strips: int, lights: int, junction: int) -> Crossings:
    """The same crossings `by` (2,) [m] further, with strips, lights and junction numbered from elsewhere."""
    return Crossings(
        part.corners + by,
        part.ends + by,
        part.width,
        part.length,
        np.where(part.light < 0, -1, part.light + lights).astype(np.int32),
        np.full(len(part), junction, np.int32),
        part.strip_first,
        (part.strip + strips).astype(np.int32),
        part.from_,
        part.to,
        part.half,
    )


def join_crossings(parts: list[Crossings]) -> Crossings:
    if not parts:
        return no_crossings()
    counts = np.concatenate([np.diff(part.strip_first) for part in parts])
    rest = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in (
            "corners",
            "ends",
            "width",
            "length",
            "light",
            "junction",
            "strip",
            "from_",
            "to",
            "half",
        )
    }
    return Crossings(strip_first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32), **rest)
