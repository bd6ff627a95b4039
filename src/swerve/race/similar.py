"""Frames of takes in a row, and which of them fit each other: what a motion graph is cut from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swerve.core.errors import require
from swerve.core.kernels import kernel

from .car import MAX_STEER_RATE
from .takes import Take


@dataclass(frozen=True)
class Settings:
    """`epsilon` bounds every seam; `k_c` and `k_s` thin the comparison [frames]; a clip adds nothing where
    another ends within `same_place` [m], `same_heading` [rad] and `same_time` [s] of it.
    """

    epsilon: float = 0.4
    k_c: int = 12
    k_s: int = 8
    same_place: float = 0.5
    same_heading: float = 0.05
    same_time: float = 0.12

    def __post_init__(self) -> None:
        for name in ("epsilon", "same_place", "same_heading", "same_time"):
            require(bool(0 < getattr(self, name) < np.inf), name, getattr(self, name), "must be positive")
        for name in ("k_c", "k_s"):
            require(getattr(self, name) >= 0, name, getattr(self, name), "must not be negative")


@dataclass
class Report:
    """How much there was at every stage, and what was cut for which reason."""

    counts: dict[str, int] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"counts": dict(self.counts), "cut": dict(self.cut)}

    def __str__(self) -> str:
        lines = [f"{key:<42}{value:>12,}" for key, value in self.counts.items()]
        lines += [f"cut: {key:<37}{value:>12,}" for key, value in self.cut.items()]
        return "\n".join(lines)


@dataclass(frozen=True)
class Frames:
    """All frames of all takes in a row: velocity (n, 3) and pose (n, 3), whose take and where in it; `wheel`
    (n, 2) is the steering before and after a frame, zero where it is not known.
    """

    velocity: np.ndarray
    pose: np.ndarray
    take: np.ndarray
    index: np.ndarray
    contact: np.ndarray
    dt: float
    wheel: np.ndarray

    @property
    def reach(self) -> float:
        """What the wheel turns in a frame [rad]; rounding must not put what is just within it outside."""
        return MAX_STEER_RATE * self.dt * (1 + 1e-12)

    @property
    def rushed(self) -> np.ndarray:
        """Where (n,) the wheel turns quicker than hands do."""
        return np.abs(np.diff(self.wheel, axis=1)[:, 0]) > self.reach

    @classmethod
    def of(cls, takes: Sequence[Take], report: Report) -> Frames:
        require(len(takes) > 0, "takes", 0, "needs at least one")
        dts = sorted({take.dt for take in takes})
        require(len(dts) == 1, "takes", dts, "differ in frame length")
        frames = cls(
            np.concatenate([take.velocity for take in takes]),
            np.concatenate([take.states[:, :3] for take in takes]),
            np.repeat(np.arange(len(takes)), [len(take.states) for take in takes]),
            np.concatenate([np.arange(len(take.states)) for take in takes]),
            np.concatenate([take.contact for take in takes]),
            dts[0],
            np.concatenate([_wheel(take) for take in takes]),
        )
        report.counts |= {"takes": len(takes), "frames": len(frames.take)}
        report.cut["frames in contact"] = int(frames.contact.sum())
        return frames


def _wheel(take: Take) -> np.ndarray:
    if not take.controls.size:
        return np.zeros((take.frames + 1, 2))
    steer = take.controls[:, 0]
    return np.column_stack([np.append(steer[:1], steer), np.append(steer, steer[-1:])])


def similar_frames(frames: Frames, settings: Settings, report: Report) -> np.ndarray:
    """With how many others each frame (n,) fits, in the thinned comparison."""
    fits = np.zeros(len(frames.take), dtype=np.int64)
    similar, near, kept = _compare(
        frames.velocity, frames.take, frames.contact, settings.epsilon, settings.k_c, settings.k_s, fits
    )
    report.counts |= {"pairs of frames that fit": similar, "pairs after thinning": kept}
    report.cut["pairs within k_c of each other"] = near
    report.cut["pairs skipped by k_s"] = similar - near - kept
    return fits


@kernel
def _compare(
    velocity: np.ndarray,
    take: np.ndarray,
    contact: np.ndarray,
    epsilon: float,
    k_c: int,
    k_s: int,
    fits: np.ndarray,
) -> tuple[int, int, int]:
    """Each frame with every later one, without memory: counts of pairs that fit, that are within k_c, and
    that are kept.
    """
    similar, near, kept = 0, 0, 0
    resting_take, resting_until = -1, -1
    for i in range(len(take)):
        if contact[i]:
            continue
        resting = take[i] == resting_take and i <= resting_until
        found = False
        last_take, skip_until = -1, -1
        for j in range(i + 1, len(take)):
            d = abs(velocity[i, 0] - velocity[j, 0])
            if d >= epsilon or contact[j]:
                continue
            d += abs(velocity[i, 1] - velocity[j, 1]) + abs(velocity[i, 2] - velocity[j, 2])
            if d >= epsilon:
                continue
            similar += 1
            if take[j] == take[i] and j <= i + k_c:
                near += 1
                continue
            if resting or (take[j] == last_take and j <= skip_until):
                continue
            kept += 1
            fits[i] += 1
            fits[j] += 1
            found = True
            last_take, skip_until = take[j], j + k_s
        if found:
            resting_take, resting_until = take[i], i + k_s
    return similar, near, kept
