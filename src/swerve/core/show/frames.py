"""One body on the clock of a view: its rows at other times, its lights as bits, how far it slides."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

PRESENT, BRAKE, LEFT, RIGHT, EMERGENCY, CONTACT, JUMPED = 1, 2, 4, 8, 16, 32, 64  # bits of `View.flags`
SLIDE_ANGLE = np.radians(10.0)  # [rad] sideslip from which a body counts as sliding
MARGIN = 1.5  # by which a body may have been faster between two rows than at either
STILL = 0.3  # [m/s] below this the direction of motion says nothing


def thin(times: np.ndarray, rate: float) -> np.ndarray:
    """The times nearest to the ticks of a clock of `rate`; all of them if they are no denser than it."""
    ticks = np.arange(times[0], times[-1] + 0.5 / rate, 1 / rate)
    after = np.clip(np.searchsorted(times, ticks), 1, max(len(times) - 1, 1))
    if len(times) < 2:
        return times
    nearest = after - (ticks - times[after - 1] < times[after] - ticks)
    return times[np.unique(np.append(nearest, len(times) - 1))]


def resample(track: Mapping[str, np.ndarray], times: np.ndarray) -> dict[str, np.ndarray]:
    """States of one body at `times`, linear between its rows; lights keep the earlier row's value. Between
    rows that are further apart than it can have gone, it is nowhere."""
    t = track["t"]
    before = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 1)
    after = np.minimum(before + 1, len(t) - 1)
    gap = t[after] - t[before]
    share = np.clip((times - t[before]) / np.where(gap > 0, gap, 1.0), 0.0, 1.0)
    longest = max(0.5, 2.5 * float(np.median(np.diff(t)))) if len(t) > 1 else 0.0
    leaps = _leaps(track)
    apart = (gap > longest) | np.append(leaps, False)[before]
    inside = (times >= t[0]) & (times <= t[-1]) & (~apart | (share < 1e-6))

    def between(values: np.ndarray) -> np.ndarray:
        values = values.astype(float)
        return values[before] + share * (values[after] - values[before])

    result = {name: between(track[name]) for name in ("x", "y", "vx", "vy")}
    result["heading"] = between(np.unwrap(track["heading"]))
    flags = np.where(inside, PRESENT, 0)
    for name, bit in (("brake", BRAKE), ("emergency", EMERGENCY), ("contact", CONTACT)):
        if name in track:
            flags |= np.where(track[name][before] > 0, bit, 0)
    if "indicator" in track:
        side = track["indicator"][before]
        flags |= np.where(side > 0, LEFT, 0) | np.where(side < 0, RIGHT, 0)
    leapt = np.append(0, np.cumsum(leaps))[before]  # how often, up to each of the times
    new = np.diff(leapt, prepend=leapt[0]) > 0
    result["flags"] = (flags | np.where(new, JUMPED, 0)).astype(np.uint8)
    return result


def _leaps(track: Mapping[str, np.ndarray]) -> np.ndarray:
    """(rows - 1,) whether a body was put elsewhere between two rows."""
    speed = np.hypot(track["vx"], track["vy"])
    way = np.hypot(np.diff(track["x"]), np.diff(track["y"]))
    most = MARGIN * np.maximum(speed[1:], speed[:-1]) * np.diff(track["t"])
    return np.asarray(way > most + max(float(track["length"][0]), float(track["width"][0])))


def sideslip(heading: np.ndarray, vx: np.ndarray, vy: np.ndarray) -> np.ndarray:
    """β = direction of motion - heading, in (-π/2, π/2]; rolling straight back is no slip.

    Zero for a body that stands.
    """
    angle = np.arctan2(vy, vx) - heading
    folded = np.remainder(angle + np.pi / 2, np.pi) - np.pi / 2
    return np.where(np.hypot(vx, vy) < STILL, 0.0, folded)
