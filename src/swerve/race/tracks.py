"""Where tracks come from: named ones, a generator, and files of real circuits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from swerve.core.circuit_file import PLACE, WIDTHS, Table, read_table, write_table
from swerve.core.errors import BadInput, require
from swerve.core.files import is_there
from swerve.core.geometry import arc_length, resample
from swerve.core.seeding import generator

from .track import LONGEST, NARROWEST, Lane, Loop, Track

WIDEST = 1000.0  # [m] from the middle of a road to its edge
STEP = 1.0  # [m] when drawing straights and arcs
BAY, BAY_LENGTH = 4.1, 14.0  # [m] width and length of the bay of `yard`


def load_track(name: str) -> Track:
    """A named track, or a circuit from a CSV file of centre line and widths."""
    if name in NAMED:
        return NAMED[name]()
    if Path(name).suffix or is_there(name):
        return read_circuit(name)
    raise BadInput("track", name, f"must be one of {', '.join(NAMED)} or a CSV file")


def long_straight() -> Track:
    """Four and a half kilometres straight ahead with slower cars in four lanes."""
    lanes = (
        Lane(-5.4, 12.0, 62.0, 55.0),
        Lane(-1.8, 15.0, 70.0, 90.0),
        Lane(1.8, 17.0, 66.0, 70.0),
        Lane(5.4, 14.0, 74.0, 110.0),
    )
    return lay("long-straight", [(4500.0, 0.0)], 16.0, lanes=lanes)


def cornered() -> Track:
    """A variety of corners on the way up, with slower cars in two lanes.

    The tree `five` turns on 57 m at its slowest: tighter corners it could not pass even alone.
    """
    pieces = [
        (110.0, 0.0),
        (0.0, -50.0, 60.0),
        (50.0, 0.0),
        (0.0, 95.0, 55.0),
        (60.0, 0.0),
        (0.0, -90.0, 55.0),
        (70.0, 0.0),
        (0.0, -45.0, 70.0),
        (40.0, 0.0),
        (0.0, 110.0, 55.0),
        (55.0, 0.0),
        (0.0, -80.0, 55.0),
        (60.0, 0.0),
        (0.0, 60.0, 55.0),
        (70.0, 0.0),
        (0.0, -30.0, 90.0),
        (120.0, 0.0),
    ]
    lanes = (Lane(-3.2, 9.0, 85.0, 70.0), Lane(3.2, 11.0, 95.0, 120.0))
    return lay("cornered", pieces, 15.0, lanes=lanes)


def sharp_cornered() -> Track:
    """Long straights joined by corners too sharp to be driven at speed without sliding."""
    pieces = [
        (170.0, 0.0),
        (0.0, -90.0, 9.5),
        (150.0, 0.0),
        (0.0, 180.0, 13.0),
        (190.0, 0.0),
        (0.0, -150.0, 12.0),
        (160.0, 0.0),
        (0.0, 60.0, 12.0),
        (150.0, 0.0),
    ]
    return lay("sharp-cornered", pieces, 15.0)


def final() -> Track:
    """Normal turns, a wide field in which cars go round in circles, a hairpin, and slower cars behind it."""
    pieces = [
        (120.0, 0.0),
        (0.0, -60.0, 50.0),
        (60.0, 0.0),
        (0.0, 100.0, 40.0),
        (80.0, 0.0),
        (0.0, -40.0, 70.0),
        (330.0, 0.0),
        (0.0, -165.0, 13.0),
        (130.0, 0.0),
        (0.0, 105.0, 38.0),
        (100.0, 0.0),
        (0.0, 60.0, 50.0),
        (120.0, 0.0),
    ]
    lanes = (
        Loop(18.0, 1.4, 425.0, 655.0, 9.0, 34.0, sway=3.2),
        Loop(13.8, 5.6, 432.0, 648.0, 11.0, 44.0, sway=3.2),
        Loop(-4.6, -21.2, 425.0, 655.0, 10.0, 38.0, sway=3.2),
        Loop(-8.8, -17.0, 432.0, 648.0, 8.0, 48.0, sway=3.2),
        Lane(-3.4, 10.0, 90.0, 760.0, 1150.0),
        Lane(3.4, 12.0, 110.0, 800.0, 1150.0),
    )
    return lay("final", pieces, 15.0, lanes=lanes, wide=(380.0, 700.0, 46.0))


def yard() -> Track:
    """A car nose to the wall in a bay too narrow to turn in: backwards is the only way out of the yard."""
    pieces = [(52.0, 0.0), (0.0, -70.0, 25.0), (60.0, 0.0)]
    track = lay("yard", pieces, 9.0, wide=None)
    bay = 0.5 * BAY + (4.5 - 0.5 * BAY) * np.clip((track.s - BAY_LENGTH) / 4.0, 0.0, 1.0)
    return replace(track, right=bay, left=bay, start=(0.0, 4.0, -np.pi / 2))


NAMED = {
    "long-straight": long_straight,
    "cornered": cornered,
    "sharp-cornered": sharp_cornered,
    "final": final,
    "yard": yard,
}


def lay(
    name: str,
    pieces: Sequence[Sequence[float]],
    width: float,
    lanes: tuple[Lane | Loop, ...] = (),
    wide: tuple[float, float, float] | None = None,
) -> Track:
    """A track from straights `(length, 0)` and arcs `(0, degrees, radius)`, starting north from the origin.

    `wide` (from, to, width) widens the road smoothly between two distances.
    """
    centre = np.array(_points(pieces))
    half = np.full(len(centre), width / 2)
    if wide is not None:
        s = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(centre, axis=0).T))])
        start, stop, most = wide
        share = np.clip(np.minimum(s - start, stop - s) / 35.0, 0, 1)
        half += (most - width) / 2 * share * share * (3 - 2 * share)
    return Track.from_centre(name, centre, half, half, lanes=lanes)


def generate(
    length: float = 1000.0,
    corners: int = 8,
    sharpness: float = 0.5,
    width: float = 14.0,
    seed: int = 0,
    closed: bool = False,
) -> Track:
    """A random track that does not cross itself and can be driven, open or `closed` to a lap.

    `sharpness` from 0 (wide sweeps) to 1 (hairpins) sets the radius and the angle of the corners.

    >>> lap = generate(800.0, 9, 0.6, 10.0, seed=2, closed=True)
    >>> lap.closed, bool(abs(lap.length / 800.0 - 1.0) < 0.02)
    (True, True)
    """
    require(100 <= length <= LONGEST, "length", length, f"must be between 100 and {LONGEST:g} m")
    require(corners >= 0, "corners", corners, "must not be negative")
    require(0 <= sharpness <= 1, "sharpness", sharpness, "must be between 0 and 1")
    require(np.isfinite(width) and 6 <= width <= 60, "width", width, "must be between 6 and 60 m")
    rng = generator(seed, "track")
    if closed:
        return _round_track(length, corners, sharpness, width, rng, seed)
    angle = 35.0 + 115.0 * sharpness
    name = f"generated-{length:g}m-{corners}c-{sharpness:g}-{width:g}w-{seed}"
    for attempt in range(200):
        calm = 0.985**attempt  # when a layout does not fit the length, corners get milder
        turns = calm * angle * rng.uniform(0.6, 1.15, corners)
        radii = np.maximum(
            (70.0 - 58.0 * sharpness) * rng.uniform(0.8, 1.5, corners), width / 2 + 4.0 + 20 * (1 - sharpness)
        )
        arcs = np.radians(turns) * radii
        straight = length - arcs.sum()
        if straight < 12.0 * (corners + 1):
            continue
        shares = rng.dirichlet(np.full(corners + 1, 2.0)) * (straight - 10.0 * (corners + 1)) + 10.0
        signs = _signs(turns, rng)
        pieces: list[tuple[float, ...]] = [(float(shares[0]), 0.0)]
        for k in range(corners):
            pieces += [(0.0, float(signs[k] * turns[k]), float(radii[k])), (float(shares[k + 1]), 0.0)]
        try:
            return lay(name, pieces, width)
        except BadInput:
            continue
    raise BadInput(
        "track", name, f"{corners} corners do not fit into {length:g} m at this sharpness and width"
    )


def _round_track(
    length: float, corners: int, sharpness: float, width: float, rng: np.random.Generator, seed: int
) -> Track:
    """Corners on a ring, further in and further out the sharper, rounded and scaled to the length."""
    require(corners >= 3, "corners", corners, "must be at least 3 for a closed track")
    name = f"lap-{length:g}m-{corners}c-{sharpness:g}-{width:g}w-{seed}"
    for attempt in range(200):
        calm = sharpness * 0.985**attempt
        angle = 2 * np.pi * (np.arange(corners) + 0.3 * rng.uniform(-1, 1, corners)) / corners
        far = 1.0 + 0.6 * calm * rng.uniform(-1, 1, corners)
        posts = far[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        smooth = _rounded(posts, 0.5 - 0.35 * calm)
        smooth *= length / arc_length(smooth, True)[-1]
        try:
            track = Track.from_centre(name, smooth - smooth[0], width / 2, width / 2, closed=True)
        except BadInput:
            continue
        if track.tightest_radius > width / 2 + 3.0:
            return track
    raise BadInput(
        "track", name, f"{corners} corners do not fit into a lap of {length:g} m at this sharpness and width"
    )


def _rounded(posts: np.ndarray, share: float) -> np.ndarray:
    """A closed line (m, 2) round posts (n, 2): straights, and parabolas that begin `share` of a side before
    every post.
    """
    before, behind = np.roll(posts, 1, axis=0), np.roll(posts, -1, axis=0)
    t = np.linspace(0, 1, 40, endpoint=False)[:, None]
    pieces = []
    for a, p, b in zip(before, posts, behind, strict=True):
        begin, end = p + share * (a - p), p + share * (b - p)
        pieces.append((1 - t) ** 2 * begin + 2 * t * (1 - t) * p + t**2 * end)
        last = b + share * (p - b)
        if np.hypot(*(last - end)) > 1e-6:
            pieces.append(end + t * (last - end))
    return resample(np.vstack(pieces), arc_length(np.vstack(pieces), True)[-1] / 2000, True)


def read_circuit(path: str | Path) -> Track:
    """A circuit from CSV columns `x_m, y_m, w_tr_right_m, w_tr_left_m` (see `core.circuit_file`).

    It is closed when its ends are about as close as neighbouring points. Where it crosses itself at a fair
    angle, the later stretch passes over the earlier one on a bridge.
    """
    table = read_table(path, "track", (*PLACE, *WIDTHS))
    if len(table) < 4:
        raise BadInput(f"track {path}", len(table), "needs at least 4 points")
    right, left = (table[name] for name in WIDTHS)
    for name in WIDTHS:
        _refuse(table, table[name] <= 0, name, table[name], "must be positive")
        _refuse(table, table[name] > WIDEST, name, table[name], f"must be at most {WIDEST:g} m")
    narrow = f"is too narrow for a car; at least {NARROWEST:g} m"
    _refuse(table, right + left < NARROWEST, " + ".join(WIDTHS), right + left, narrow)
    centre = np.column_stack([table[name] for name in PLACE])
    steps = np.hypot(*np.diff(centre, axis=0).T)
    gap = np.hypot(*(centre[0] - centre[-1]))
    closed = bool(gap < 3 * np.median(steps))
    try:
        return Track.from_centre(table.path.stem, centre, right, left, closed, bridges=True)
    except BadInput as error:
        raise BadInput(f"track {path}", error.value, error.why) from None


def _refuse(table: Table, bad: np.ndarray, field: str, values: np.ndarray, why: str) -> None:
    """Name the first row (n,) that is `bad`."""
    if bad.any():
        row = int(np.argmax(bad))
        where = f"track {table.path}, line {table.lines[row]}, {field}"
        raise BadInput(where, float(values[row]), why)


def write_circuit(track: Track, path: str | Path) -> Path:
    """Write a track as a CSV file that `read_circuit` reads."""
    keep = track.s <= track.finish + 1e-6
    columns = (*track.centre.T, track.right, track.left)
    return write_table(path, {name: c[keep] for name, c in zip((*PLACE, *WIDTHS), columns, strict=True)})


def _points(pieces: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    x, y, heading = 0.0, 0.0, np.pi / 2
    points = [(x, y)]
    for piece in pieces:
        straight, degrees = piece[0], piece[1]
        if straight:
            count = max(1, round(straight / STEP))
            for _ in range(count):
                x, y = x + straight / count * np.cos(heading), y + straight / count * np.sin(heading)
                points.append((x, y))
        if degrees:
            turn = np.radians(degrees)
            count = max(2, round(abs(turn) * piece[2] / STEP))
            chord = 2 * piece[2] * np.sin(abs(turn) / count / 2)
            for _ in range(count):
                heading += turn / count / 2
                x, y = x + chord * np.cos(heading), y + chord * np.sin(heading)
                heading += turn / count / 2
                points.append((x, y))
    return points


def _signs(turns: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Left or right for every corner, such that the road keeps a general direction."""
    signs, heading = np.zeros(len(turns)), 0.0
    for k, turn in enumerate(turns):
        free = [sign for sign in (-1.0, 1.0) if abs(heading + sign * turn) <= 100.0]
        if not free:
            free = [-np.sign(heading)] if heading else [-1.0, 1.0]
        signs[k] = rng.choice(free)
        heading += signs[k] * turn
    return signs
