"""Random streets and what stands in them, and what recordings say of riders there: from rows alone."""

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial import cKDTree


def random_street(rng):
    """Points of its middle, and the widths to its right and left [m]."""
    x = np.arange(0, 501, 12.5)
    wide, long, phase = rng.uniform(4, 14), rng.uniform(32, 60), rng.uniform(0, 6.3)
    straight = rng.random() < 0.2
    y = 0 * x if straight else wide * (np.sin(x / long + phase) - np.sin(phase))
    return x, y, *rng.uniform(3.5, 5.0, 2)


def random_discs(rng, x, y, right, left, first=90.0):
    """(k, 3) of one to five that leave 2.4 m of the street on one side at least, 14 m apart."""
    middle, found = CubicSpline(x, y), []
    for _ in range(int(rng.integers(1, 6))):
        for _ in range(100):
            at, radius, aside = rng.uniform(first, 420), rng.uniform(0.3, 2.2), rng.uniform(-right, left)
            if max(left - aside, right + aside) - radius < 2.4:
                continue
            turn = np.arctan(middle(at, 1))
            disc = (at - aside * np.sin(turn), float(middle(at)) + aside * np.cos(turn), radius)
            if all(np.hypot(disc[0] - a, disc[1] - b) > radius + c + 14 for a, b, c in found):
                found.append(disc)
                break
    return np.array(found).reshape(-1, 3)


def written(folder, x, y, right, left):
    file = folder / "street.csv"
    rows = (f"{a},{b:.4f},{right},{left}" for a, b in zip(x, y, strict=True))
    file.write_text("x,y,right,left\n" + "\n".join(rows) + "\n")
    return file


def riders(recording):
    """id, x, y, heading, length and width of whole riders, a row a frame."""
    whole = recording.whole()
    names = ("id", "x", "y", "length", "width")
    return {name: np.asarray(whole[name], float) for name in names} | {"yaw": np.asarray(whole.heading)}


def entries(recording, discs):
    """Sorted pairs of riders and discs that the rider's outline was in."""
    rows, found = riders(recording), set()
    for k, (x, y, radius) in enumerate(discs):
        dx, dy = x - rows["x"], y - rows["y"]
        c, s = np.cos(rows["yaw"]), np.sin(rows["yaw"])
        ahead, left = (
            np.abs(c * dx + s * dy) - rows["length"] / 2,
            np.abs(c * dy - s * dx) - rows["width"] / 2,
        )
        gap = np.hypot(np.maximum(ahead, 0), np.maximum(left, 0)) - radius
        found |= {(int(rider), k) for rider in rows["id"][gap < 0]}
    return sorted(found)


def off_street(recording, x, y, right, left):
    """Who left the street between its ends."""
    rows, middle = riders(recording), CubicSpline(x, y)
    fine = np.linspace(x[0], x[-1], 20 * len(x) + 1)
    line, slope = np.column_stack([fine, middle(fine)]), middle(fine, 1)
    near = cKDTree(line).query(np.column_stack([rows["x"], rows["y"]]))[1]
    off = (rows["y"] - line[near, 1] - (rows["x"] - fine[near]) * slope[near]) / np.hypot(1, slope[near])
    inside = (rows["x"] > x[0] + 2) & (rows["x"] < x[-1] - 5)
    return sorted({int(rider) for rider in rows["id"][inside & ((off > left) | (off < -right))]})
