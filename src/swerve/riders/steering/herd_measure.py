"""Whether a herd is one: its groups, its extent, its order, and who touched whom."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.errors import require
from swerve.core.kernels import kernel

from .neighbours import first_of

SPACING = 5.0  # [m] between riders, as in the seed
LINK = 2.0  # spacings between riders that belong to one group, at most
APART = 1.0  # [m] more than its length that each rider needs: told to be nearer, riders touch


def least_spacing(length: float) -> float:
    """[m] that riders of that `length` [m] can be told to be apart, at least."""
    return length + APART


def usual_spacing(length: float) -> float:
    """[m] between riders of that `length` [m] that are told nothing else: 5 m as in the seed, or twice their
    length if that is more."""
    return max(SPACING, 2.0 * length)


def check_spacing(spacing: float, length: float) -> None:
    """Refuse distances [m] at which riders of that `length` [m] would touch."""
    least = least_spacing(length)
    why = f"must be at least {least:.2f} m: a rider is {length:.2f} m long, and nearer ones touch;"
    require(bool(np.isfinite(spacing) and spacing >= least - 1e-9), "spacing", spacing, why)


def groups_of(x: np.ndarray, y: np.ndarray, neighbours: np.ndarray, link: float) -> np.ndarray:
    """(n,) the group of every rider, told by its first member: whoever is within `link` [m] of a neighbour is
    of its group."""
    group = np.arange(len(x))
    _join(x, y, neighbours, link * link, group)
    return group


@kernel
def _join(x, y, neighbours, square, group):
    for i in range(len(x)):
        for k in range(neighbours.shape[1]):
            j = neighbours[i, k]
            if (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2 <= square:
                a, b = first_of(group, i), first_of(group, j)
                group[max(a, b)] = min(a, b)
    for i in range(len(x)):
        group[i] = first_of(group, i)


def largest_group(group: np.ndarray) -> int:
    return int(np.argmax(np.bincount(group)))


def extent_of(x: np.ndarray, y: np.ndarray) -> float:
    """Root mean square distance [m] from the middle of the herd."""
    return float(np.sqrt(np.mean((x - x.mean()) ** 2 + (y - y.mean()) ** 2)))


def order_of(yaw: np.ndarray) -> float:
    """1 where all head the same way, 0 where they head anywhere."""
    return float(np.abs(np.exp(1j * yaw).mean()))


def touching_pairs(pose: np.ndarray, length: float, width: float) -> np.ndarray:
    """(k, 2) pairs of riders with `pose` (n, 3) whose outlines overlap, seen from above."""
    if len(pose) < 2:
        return np.empty((0, 2), dtype=np.int64)
    pairs = cKDTree(pose[:, :2]).query_pairs(float(np.hypot(length, width)), output_type="ndarray")
    if not len(pairs):
        return np.empty((0, 2), dtype=np.int64)
    a, b = pose[pairs[:, 0]], pose[pairs[:, 1]]
    apart = np.zeros(len(pairs), dtype=bool)
    half = np.array([length / 2, width / 2])
    turn = b[:, 2] - a[:, 2]
    c, s = np.abs(np.cos(turn)), np.abs(np.sin(turn))
    for one in (a, b):
        dx, dy = (b - a)[:, 0], (b - a)[:, 1]
        along = np.cos(one[:, 2]) * dx + np.sin(one[:, 2]) * dy
        left = np.cos(one[:, 2]) * dy - np.sin(one[:, 2]) * dx
        apart |= np.abs(along) > half[0] + c * half[0] + s * half[1]
        apart |= np.abs(left) > half[1] + s * half[0] + c * half[1]
    return pairs[~apart]
