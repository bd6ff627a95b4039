"""Bodies to keep clear of, as a search sees them: where each is predicted to be, and how large it is.

Every body has an outline of its own: a person, a cyclist and a bus are all boxes. What is not sure widens:
the outline of a body whose prediction may be wrong grows with the time ahead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.kernels import kernel

VANISHED = 100.0  # [m/frame] a body that is faster has left or come


@dataclass(frozen=True)
class Others:
    """`poses` (n, frames, 4) x, y, cosine and sine of the heading at every frame from now on; afterwards a
    body stands where it was last. `sizes` (n, 2 or more) length and width [m]; `widening` (n,) [m/s]
    by which each side of an outline moves outwards with the time ahead.

    >>> walker = Others(np.tile([12.0, 1.0, 0.0, 1.0], (1, 50, 1)), [[0.5, 0.5]], [0.3])
    >>> len(walker), walker.sizes.shape
    (1, (1, 2))
    """

    poses: np.ndarray
    sizes: np.ndarray
    widening: np.ndarray = field(default_factory=lambda: np.zeros(1))

    def __post_init__(self) -> None:
        poses = np.ascontiguousarray(self.poses, dtype=np.float64)
        if poses.ndim != 3 or poses.shape[1] < 1 or poses.shape[2] != 4:
            raise BadInput("others, poses", poses.shape, "must be (n, frames, 4)")
        n = len(poses)
        sizes = np.asarray(self.sizes, dtype=np.float64)
        if sizes.ndim != 2 or len(sizes) != n or sizes.shape[1] < 2:
            raise BadInput("others, sizes", sizes.shape, f"must be ({n}, 2)")
        widening = np.asarray(self.widening, dtype=np.float64)
        if widening.shape not in ((), (1,), (n,)):
            raise BadInput("others, widening", widening.shape, f"must be ({n},)")
        for name, values in (("poses", poses), ("sizes", sizes), ("widening", widening)):
            if not np.isfinite(values).all() or (name != "poses" and (values < 0).any()):
                raise BadInput(f"others, {name}", None, "must be finite, and sizes not negative")
        object.__setattr__(self, "poses", poses)
        object.__setattr__(self, "sizes", sizes[:, :2])
        object.__setattr__(self, "widening", np.broadcast_to(widening, (n,)))

    def __len__(self) -> int:
        return len(self.poses)


class Movers(NamedTuple):
    """The same for kernels; times in frames."""

    poses: np.ndarray  # (n, frames, 4)
    stray: np.ndarray  # (n, frames) how far a point's step strays from the mean step [m/frame]
    size: np.ndarray  # (n, 4) half length, half width, radius around them, growth of every side [m/frame]


def nobody() -> Others:
    return Others(np.zeros((0, 1, 4)), np.zeros((0, 2)))


def pack_others(others: Others, dt: float, frames: int) -> Movers:
    """For a search by slices of `frames` frames of `dt` seconds."""
    half = others.sizes / 2
    radius = np.hypot(half[:, 0], half[:, 1])
    size = np.column_stack([half, radius, others.widening * dt])
    return Movers(others.poses, stray(others.poses, radius, frames), size)


@kernel
def stray(poses: np.ndarray, radius: np.ndarray, frames: int) -> np.ndarray:
    """How far (n, frames) any point's step strays from its body's mean step, during any of the next `frames`
    frames and for a mean over any run of them [m].

    A step differs from a mean of steps by no more than from one of these.
    """
    n, last = poses.shape[0], poses.shape[1] - 1
    bound = np.zeros((n, last + 1))
    step = np.zeros((last + frames + 1, 4))  # x, y, turn, whether it is a step at all
    for k in range(n):
        for f in range(last):
            a, b = poses[k, f], poses[k, f + 1]
            step[f, 0], step[f, 1] = b[0] - a[0], b[1] - a[1]
            step[f, 2] = abs(np.arctan2(a[2] * b[3] - a[3] * b[2], a[2] * b[2] + a[3] * b[3]))
            step[f, 3] = 1.0 if abs(step[f, 0]) + abs(step[f, 1]) < VANISHED else 0.0
        step[last:] = 0.0
        step[last:, 3] = 1.0
        for f in range(last + 1):
            change, turned = 0.0, 0.0
            for i in range(f, f + frames):
                turned = max(turned, step[i, 2] * step[i, 3])
                for j in range(i + 1, f + frames):
                    dx, dy = step[i, 0] - step[j, 0], step[i, 1] - step[j, 1]
                    change = max(change, (dx * dx + dy * dy) * step[i, 3] * step[j, 3])
            bound[k, f] = np.sqrt(change) + radius[k] * turned
    return bound
