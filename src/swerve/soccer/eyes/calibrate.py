"""Where a camera hangs and how its lens bends, from points that a person clicked and the field's own lines.

Two steps, as in Zickler 2010, appendix B.2.2: the points alone give a rough camera; with it the white lines
are looked for in the picture, across each line at many places, and the eleven numbers of the camera are
fitted to points and lines together by least squares. Points are clicked to a pixel or so; a line's middle
is found to a tenth of one, so three rounds of looking and fitting leave the points little to say.

Seen from straight above, a longer lens higher up looks the same on the ground, but not at the height of a
robot. `height`, measured with a tape, decides it where the points all lie on the ground.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from swerve.core.errors import BadInput, require
from swerve.core.kernels import kernel

from .camera import Camera
from .pitch import Pitch

FEWEST = 4  # points
BEYOND = 1.0  # [m] outside the lines, where nobody clicks
SPACING = 0.06  # [m] between places at which lines are looked for
WINDOWS = (10.0, 10.0, 6.0, 4.0, 3.0)  # [pixels] to each side, in each round
CLICK = 1.0  # [pixels] standard deviation of a clicked point
FAR_CLICK = 15.0  # [pixels] by which no hand misses
LINE = 0.15  # [pixels] of a line's middle
TAPE = 0.01  # [m] of a measured height
FOCAL, FOCAL_SPREAD = 0.75, 0.15  # of a lens about which nothing is known, in widths of the picture
LENS = np.array([0.0, 60.0, 60.0, 0.0, 0.0])  # [pixels] how far the middle of a lens may be off, by and large
DOUBTFUL = 0.3  # [pixels] of error on the lines, above which the model of a camera does not fit
CONTRAST = 12.0  # [levels] of a line above the carpet


@dataclass(frozen=True)
class Calibration:
    """The camera found; how far points and lines lie from where it has them [pixels, root mean square]."""

    camera: Camera
    points_error: float
    lines_error: float
    places: np.ndarray  # (m, 2) pixels at which a line was found


def calibrate(
    points: np.ndarray,
    pixels: np.ndarray,
    picture: np.ndarray | None = None,
    pitch: Pitch | None = None,
    height: float | None = None,
    size: tuple[int, int] | None = None,
) -> Calibration:
    """From control points (n, 2) or (n, 3) [m] at `pixels` (n, 2), and the lines of `pitch` in a
    `picture`."""
    points, pixels = np.asarray(points, dtype=float), np.asarray(pixels, dtype=float)
    require(len(points) == len(pixels), "control points", len(pixels), f"must be {len(points)} pixels")
    require(len(points) >= FEWEST, "control points", len(points), f"must be at least {FEWEST}")
    require(
        bool(np.isfinite(points).all() and np.isfinite(pixels).all()),
        "control points",
        None,
        "must be finite",
    )
    if points.shape[1] == 2:
        points = np.column_stack([points, np.zeros(len(points))])
    spread = np.linalg.svd(points[:, :2] - points[:, :2].mean(axis=0), compute_uv=False)
    require(spread[1] > 0.1, "control points", len(points), "must not lie on one line")
    if pitch is not None:
        _on(pitch, points)
    if picture is not None:
        size = (picture.shape[1], picture.shape[0])
    width, tall = size or (int(2 * pixels[:, 0].mean()), int(2 * pixels[:, 1].mean()))
    start = _first_guess(points, pixels, width, tall, height)
    few = len(points) < 8
    numbers = _fit(start, points, pixels, None, width, tall, height, bend=False)
    numbers = _fit(numbers, points, pixels, None, width, tall, height, bend=not few)
    camera, lines = Camera.from_numbers(numbers, width, tall), None
    if picture is not None and pitch is not None:
        for window in WINDOWS:
            lines = find_lines(picture, camera, pitch, window)
            require(
                len(lines[0]) >= 30, "field lines", len(lines[0]), "too few were found where they should be"
            )
            numbers = _fit(camera.numbers, points, pixels, lines, width, tall, height)
            camera = Camera.from_numbers(numbers, width, tall)
    missed = np.linalg.norm(camera.project(points) - pixels, axis=1)
    worst = int(np.argmax(missed))
    place = ", ".join(f"{v:g}" for v in points[worst, :2])
    require(
        missed[worst] <= FAR_CLICK,
        f"control point at {place} m",
        [round(float(v)) for v in pixels[worst]],
        f"lies {missed[worst]:.0f} pixels from where the best camera has it; look for a wrong click",
    )
    error = float(np.sqrt((missed**2).mean()))
    if lines is None:
        return Calibration(camera, error, np.nan, np.zeros((0, 2)))
    off = ((camera.project(lines[0]) - lines[1]) * lines[2]).sum(axis=1)
    return Calibration(camera, error, float(np.sqrt((off**2).mean())), lines[1])


def _on(pitch: Pitch, points: np.ndarray) -> None:
    """Refuse points that are not on this field: another one, or other units."""
    beyond = np.abs(points[:, :2]) - np.array([pitch.length, pitch.width]) / 2
    worst = int(np.argmax(beyond.max(axis=1)))
    require(
        beyond[worst].max() <= BEYOND,
        "control point",
        [float(v) for v in points[worst, :2]],
        f"lies outside a field of {pitch.length:g} by {pitch.width:g} m; places are in metres",
    )


def find_lines(
    picture: np.ndarray, camera: Camera, pitch: Pitch, window: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places on lines (n, 2) [m], pixels (n, 2) where the line's middle is, and directions (n, 2) across
    it."""
    spots, along = _spots(pitch)
    middle, next_to = camera.project(spots), camera.project(spots + 0.01 * along)
    across = np.column_stack([-(next_to - middle)[:, 1], (next_to - middle)[:, 0]])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    offsets = _line_offsets(picture, middle, across, window)
    found = np.isfinite(offsets) & camera.sees(spots)
    return spots[found], (middle + offsets[:, None] * across)[found], across[found]


def share_of_lines(picture: np.ndarray, camera: Camera, pitch: Pitch, window: float = WINDOWS[0]) -> float:
    """Of the places on lines that are well within a picture, how many show a line where it should be."""
    spots, _ = _spots(pitch)
    there = int(camera.sees(spots, window + 4).sum())
    return len(find_lines(picture, camera, pitch, window)[0]) / max(there, 1)


def _spots(pitch: Pitch) -> tuple[np.ndarray, np.ndarray]:
    """Places on lines (n, 2) [m], and the directions (n, 2) of the lines there."""
    places, ahead = [], []
    for x0, y0, x1, y1 in pitch.segments():
        long = float(np.hypot(x1 - x0, y1 - y0))
        share = (np.arange(max(int(long / SPACING), 1)) + 0.5) / max(int(long / SPACING), 1)
        places.append(np.column_stack([x0 + share * (x1 - x0), y0 + share * (y1 - y0)]))
        ahead.append(np.tile([(x1 - x0) / long, (y1 - y0) / long], (len(share), 1)))
    return np.vstack(places), np.vstack(ahead)


@kernel
def _line_offsets(picture: np.ndarray, middle: np.ndarray, across: np.ndarray, window: float) -> np.ndarray:
    """How far along `across` the middle of a bright line is [pixels]; NaN where there is not one line
    alone."""
    height, width = picture.shape[:2]
    n = int(window / 0.25)
    found = np.full(len(middle), np.nan)
    profile = np.empty(2 * n + 1)
    for i in range(len(middle)):
        reach = window + 2
        if not (reach < middle[i, 0] < width - 1 - reach and reach < middle[i, 1] < height - 1 - reach):
            continue
        for k in range(2 * n + 1):
            u, v = middle[i, 0] + (k - n) * 0.25 * across[i, 0], middle[i, 1] + (k - n) * 0.25 * across[i, 1]
            a, b = int(u), int(v)
            s, t = u - a, v - b
            total = 0.0
            for c in range(0, 3, 2):  # red and blue, of which carpets have little
                upper = (1 - s) * picture[b, a, c] + s * picture[b, a + 1, c]
                lower = (1 - s) * picture[b + 1, a, c] + s * picture[b + 1, a + 1, c]
                total += (1 - t) * upper + t * lower
            profile[k] = total / 2
        base, top = np.inf, -np.inf
        for k in range(2 * n + 1):
            base, top = min(base, profile[k]), max(top, profile[k])
        if top - base < CONTRAST:
            continue
        level = base + 0.4 * (top - base)
        weight, place, first, last = 0.0, 0.0, -1, -1
        for k in range(2 * n + 1):
            if profile[k] > level:
                first = k if first < 0 else first
                last = k
                weight += profile[k] - level
                place += (profile[k] - level) * (k - n) * 0.25
        if first > 2 and last < 2 * n - 2 and (last - first) * 0.25 < 5.5:
            found[i] = place / weight
    return found


def _first_guess(
    points: np.ndarray, pixels: np.ndarray, width: int, tall: int, height: float | None
) -> np.ndarray:
    """A camera that looks straight down, from the map of pixels to places that is nearest to affine."""
    flat = np.column_stack([pixels - [width / 2, tall / 2], np.ones(len(pixels))])
    to_field, *_ = np.linalg.lstsq(flat, points[:, :2], rcond=None)
    area = np.linalg.det(to_field[:2])
    scale = np.sqrt(abs(area))
    if scale < 1e-6:
        raise BadInput("control points", None, "do not tell where the camera is")
    mirrored = "are mirrored: seen from above, y points to the left of x, and v goes down a picture"
    require(bool(area < 0), "control points", None, mirrored)
    focal = (height / scale) if height is not None else FOCAL * width
    turned = np.arctan2(to_field[0, 1], to_field[0, 0])
    place = np.array([*to_field[2], focal * scale])
    lens = np.array([focal, (width - 1) / 2, (tall - 1) / 2, 0.0, 0.0])
    return np.concatenate([lens, [0.0, 0.0, turned], place])


def _fit(
    start: np.ndarray,
    points: np.ndarray,
    pixels: np.ndarray,
    lines: tuple[np.ndarray, np.ndarray, np.ndarray] | None,
    width: int,
    tall: int,
    height: float | None,
    bend: bool = True,
) -> np.ndarray:
    """The eleven numbers for which points, lines and what is known beforehand fit best."""
    free = np.ones(11, dtype=bool)
    if not bend:
        free[1:5] = False
    middle = np.array([(width - 1) / 2, (tall - 1) / 2])

    def left(values: np.ndarray) -> np.ndarray:
        numbers = start.copy()
        numbers[free] = values
        camera = Camera.from_numbers(numbers, width, tall)
        found = [((camera.project(points) - pixels) / CLICK).ravel(), (numbers[1:3] - middle) / LENS[1:3]]
        found.append(np.array([numbers[3] / 0.3, numbers[4] / 0.1]))
        if height is not None:
            found.append(np.array([(numbers[10] - height) / TAPE]))
        else:
            found.append(np.array([np.log(max(numbers[0], 1.0) / (FOCAL * width)) / FOCAL_SPREAD]))
        if lines is not None:
            found.append(((camera.project(lines[0]) - lines[1]) * lines[2]).sum(axis=1) / LINE)
        return np.concatenate(found)

    solved = least_squares(left, start[free], x_scale="jac", loss="soft_l1", f_scale=3.0, max_nfev=200)
    numbers = start.copy()
    numbers[free] = solved.x
    return numbers


def camera_error(found: Camera, true: Camera, pitch: Pitch, height: float = 0.0) -> float:
    """How far apart two cameras have what is on the field, in pixels, root mean square over what they see."""
    x, y = np.meshgrid(
        np.linspace(-pitch.length / 2, pitch.length / 2, 31),
        np.linspace(-pitch.width / 2, pitch.width / 2, 21),
    )
    points = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, height)])
    points = points[true.sees(points)]
    return float(np.sqrt(((found.project(points) - true.project(points)) ** 2).sum(axis=1).mean()))
