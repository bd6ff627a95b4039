"""Who touches whom in a recording, worked out again from its rows alone: corners, sides and discs.

It shares no code with the referee of the world: outlines are polygons, people are discs, and between two
frames everybody is looked at several times on the way.
"""

import numpy as np
from scipy.spatial import cKDTree

from plain_shapes import boxes_touch, corners, inside, point_to_segments

LOOKS = 5  # between two frames
DISCS = ("pedestrian",)


def touching_pairs(recording):
    """Sorted list of (id, id, time of the first touch [s])."""
    found, before = {}, None
    for t, now in _frames(recording.whole()):
        before = now if before is None else before
        common = np.intersect1d(before["id"], now["id"])
        rows = np.searchsorted(now["id"], common)
        a, b = before["at"][np.searchsorted(before["id"], common)], now["at"][rows]
        size, disc = now["size"][rows], now["disc"][rows]
        turn = np.angle(np.exp(1j * (b[:, 3] - a[:, 3])))
        candidates = _close(a, b, size)
        for share in np.linspace(0, 1, LOOKS + 1)[1:] if len(candidates) else ():
            at = a + share * (b - a)
            at[:, 3] = a[:, 3] + share * turn
            for i, j in _near(candidates, at, size):
                pair = (int(common[i]), int(common[j]))
                if pair not in found and _touch(at[i], size[i], disc[i], at[j], size[j], disc[j]):
                    found[pair] = float(t)
        before = now
    return sorted((i, j, t) for (i, j), t in found.items())


def _frames(whole):
    """Times, and who is where then, in order of id."""
    rows = np.lexsort([whole["id"], whole["t"]])
    table = {
        "id": whole["id"][rows],
        "at": np.column_stack([whole["x"], whole["y"], whole["z"], whole.heading])[rows],
        "size": np.column_stack([whole[name].astype(float) for name in ("length", "width", "height")])[rows],
        "disc": np.isin(whole["kind"][rows], DISCS),
    }
    times, first = np.unique(whole["t"][rows], return_index=True)
    for t, a, b in zip(times, first, [*first[1:], len(rows)], strict=True):
        yield t, {name: column[a:b] for name, column in table.items()}


def _close(a, b, size):
    """Pairs that may come near each other on the way from `a` to `b`, looked at from half way."""
    if len(a) == 0:
        return np.zeros((0, 2), int)
    reach = np.hypot(size[:, 0], size[:, 1]).max() + np.hypot(*(b - a)[:, :2].T).max()
    return cKDTree((a + b)[:, :2] / 2).query_pairs(reach, output_type="ndarray")


def _near(pairs, at, size):
    reach = np.hypot(size[:, 0], size[:, 1]) / 2
    i, j = pairs[:, 0], pairs[:, 1]
    near = np.hypot(*(at[i, :2] - at[j, :2]).T) < reach[i] + reach[j]
    level = np.abs(at[i, 2] - at[j, 2]) < (size[i, 2] + size[j, 2]) / 2
    return pairs[near & level]


def _touch(a, size_a, disc_a, b, size_b, disc_b):
    if disc_a and disc_b:
        return np.hypot(*(a - b)[:2]) < (size_a[0] + size_b[0]) / 2
    if disc_a or disc_b:
        disc, radius, box, size = (a, size_a[0] / 2, b, size_b) if disc_a else (b, size_b[0] / 2, a, size_a)
        pose = box[[0, 1, 3]]
        ring = corners(pose[None], *size[:2])[0]
        sides = np.hstack([ring, np.roll(ring, -1, axis=0)])
        return inside(disc[:2], pose, *size[:2]) or point_to_segments(disc[None, :2], sides).min() < radius
    p, q = a[None, [0, 1, 3]], b[None, [0, 1, 3]]
    return bool(boxes_touch(p, tuple(size_a[:2]), q, tuple(size_b[:2]))[0])
