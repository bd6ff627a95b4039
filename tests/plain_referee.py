"""Who touches whom in a recording, worked out again from its rows alone: corners, edges and discs.

It shares no code with the referee of the world: outlines are polygons, people are discs, and between two frames
everybody is looked at several times on the way.
"""

import numpy as np
from scipy.spatial import cKDTree

LOOKS = 5  # between two frames
DISCS = ("pedestrian",)


def touching_pairs(recording, shrink=0.0):
    """Sorted list of (id, id, time of the first touch [s]). Outlines are `shrink` [m] smaller on every side."""
    whole = recording.whole()
    times = whole.times
    found = {}
    before = None
    for t in times:
        now = _frame(whole, t)
        if before is None:
            before = now
        common = np.intersect1d(before["id"], now["id"])
        a, b = (frame["at"][np.searchsorted(frame["id"], common)] for frame in (before, now))
        size = now["size"][np.searchsorted(now["id"], common)] - [2 * shrink, 2 * shrink, 0]
        disc = now["disc"][np.searchsorted(now["id"], common)]
        turn = np.angle(np.exp(1j * (b[:, 3] - a[:, 3])))
        for share in np.linspace(0, 1, LOOKS + 1)[1:]:
            at = a + share * (b - a)
            at[:, 3] = a[:, 3] + share * turn
            for i, j in _close(at, size):
                pair = (int(common[i]), int(common[j]))
                if pair not in found and _touch(at[i], size[i], disc[i], at[j], size[j], disc[j]):
                    found[pair] = float(t)
        before = now
    return sorted((i, j, t) for (i, j), t in found.items())


def _frame(whole, t):
    rows = np.flatnonzero(whole["t"] == t)
    rows = rows[np.argsort(whole["id"][rows])]
    heading = whole.heading[rows]
    at = np.column_stack([whole["x"][rows], whole["y"][rows], whole["z"][rows], heading])
    size = np.column_stack([whole[name][rows].astype(float) for name in ("length", "width", "height")])
    return {"id": whole["id"][rows], "at": at, "size": size, "disc": np.isin(whole["kind"][rows], DISCS)}


def _close(at, size):
    reach = np.hypot(size[:, 0], size[:, 1]) / 2
    pairs = cKDTree(at[:, :2]).query_pairs(2 * reach.max(), output_type="ndarray")
    i, j = pairs[:, 0], pairs[:, 1]
    near = np.hypot(*(at[i, :2] - at[j, :2]).T) < reach[i] + reach[j]
    level = np.abs(at[i, 2] - at[j, 2]) < (size[i, 2] + size[j, 2]) / 2
    return pairs[near & level]


def _corners(at, size):
    ahead, aside = np.array([1, -1, -1, 1]) * size[0] / 2, np.array([1, 1, -1, -1]) * size[1] / 2
    c, s = np.cos(at[3]), np.sin(at[3])
    return np.column_stack([at[0] + c * ahead - s * aside, at[1] + s * ahead + c * aside])


def _touch(a, size_a, disc_a, b, size_b, disc_b):
    if disc_a and disc_b:
        return np.hypot(*(a - b)[:2]) < (size_a[0] + size_b[0]) / 2
    if disc_a:
        return _disc_meets(_corners(b, size_b), a[:2], size_a[0] / 2)
    if disc_b:
        return _disc_meets(_corners(a, size_a), b[:2], size_b[0] / 2)
    one, other = _corners(a, size_a), _corners(b, size_b)
    return any(_inside(p, other) for p in one) or any(_inside(p, one) for p in other) or _edges_cross(one, other)


def _inside(point, ring):
    edges = np.roll(ring, -1, axis=0) - ring
    to = point - ring
    return (edges[:, 0] * to[:, 1] - edges[:, 1] * to[:, 0] > 0).all()


def _edges_cross(one, other):
    for p, q in zip(one, np.roll(one, -1, axis=0), strict=True):
        for r, s in zip(other, np.roll(other, -1, axis=0), strict=True):
            d, e = q - p, s - r
            cross = d[0] * e[1] - d[1] * e[0]
            if abs(cross) < 1e-12:
                continue
            t = ((r - p)[0] * e[1] - (r - p)[1] * e[0]) / cross
            u = ((r - p)[0] * d[1] - (r - p)[1] * d[0]) / cross
            if 0 < t < 1 and 0 < u < 1:
                return True
    return False


def _disc_meets(ring, middle, radius):
    if _inside(middle, ring):
        return True
    for p, q in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        d = q - p
        share = np.clip((middle - p) @ d / (d @ d), 0, 1)
        if np.hypot(*(p + share * d - middle)) < radius:
            return True
    return False
