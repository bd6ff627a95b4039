"""What the eyes saw, to look at: a picture with what was found in it, its colours, and how far off it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.show.figures import ACCENT, INK, SECOND, figure

from .calibrate import Calibration
from .camera import Camera
from .detect import Detection
from .measure import Tally
from .pattern import DOTS, ROBOT_HEIGHT, ROBOT_RADIUS, TEAMS
from .pitch import Pitch
from .scene import COLOURS, GREEN, PAINTS
from .stand import Look, Stand
from .table import ColourTable

_FRAME = "#ffffff"


def seen_picture(stand: Stand, seen: Look, path: str | Path, camera: int) -> Path:
    """One camera's picture with what it found."""
    found = stand.eyes.cameras[camera]
    return found_picture(seen.pictures[camera], seen.detections[camera], found, f"Camera {camera}", path)


def found_picture(
    picture: np.ndarray, detection: Detection, camera: Camera, name: str, path: str | Path
) -> Path:
    """A picture with outlines, names and headings of what was found in it."""
    with figure(path, (10.0, 8.0)) as axes:
        axes.imshow(_brighter(picture), interpolation="nearest")
        _outlines(axes, camera, detection)
        axes.set_title(f"{name}: {len(detection.robots)} robots, {len(detection.balls[:1])} ball")
        axes.axis("off")
    return Path(path)


def colours_picture(seen: Look, table: ColourTable, camera: int, path: str | Path) -> Path:
    """The same picture as the table has it."""
    return classified(seen.pictures[camera], table, f"Camera {camera}", path)


def classified(picture: np.ndarray, table: ColourTable, name: str, path: str | Path) -> Path:
    """A picture in the colours of a table; what is no marker is faint."""
    inks = np.clip(255 * PAINTS, 0, 255)
    inks[GREEN + 1 :] = 255 - 0.35 * (255 - inks[GREEN + 1 :])
    inks[0] = (235, 235, 235)
    with figure(path, (10.0, 8.0)) as axes:
        axes.imshow(inks[table.classify(picture)].astype(np.uint8), interpolation="nearest")
        for k in range(1, len(COLOURS)):
            axes.plot([], [], "s", color=inks[k] / 255, mec=INK, mew=0.5, label=COLOURS[k])
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=8)
        axes.set_title(f"{name}: colours by the table")
        axes.axis("off")
    return Path(path)


def errors_picture(tally: Tally, path: str | Path, words: str = "") -> Path:
    """Histograms of how far off places and headings were."""
    with figure(path, (10.0, 4.2), columns=2) as (left, right):
        robots, balls = 1000 * np.array(tally.place), 1000 * np.array(tally.ball)
        most = (
            max(float(np.percentile(np.append(robots, balls), 99.5)), 1.0)
            if len(robots) or len(balls)
            else 1.0
        )
        edges = np.linspace(0, 1.2 * most, 50)
        if len(robots):
            left.hist(
                np.minimum(robots, edges[-1]), edges, color=SECOND, alpha=0.85, label="robots", density=True
            )
        if len(balls):
            left.hist(
                np.minimum(balls, edges[-1]),
                edges,
                histtype="step",
                lw=1.6,
                color=ACCENT,
                label="ball",
                density=True,
            )
        left.set(xlabel="error of place [mm]", ylabel="density", title=words or "How far off")
        left.legend()
        angles = np.degrees(tally.angle)
        if len(angles):
            right.hist(angles, 50, color=SECOND, alpha=0.85)
        right.set(xlabel="error of heading [°]", ylabel="robots", title="Heading")
    return Path(path)


def lines_picture(
    picture: np.ndarray, calibration: Calibration, pitch: Pitch, name: str, path: str | Path
) -> Path:
    """The field's lines where the calibrated camera has them, over the picture it was calibrated with."""
    found = calibration.camera
    with figure(path, (10.0, 8.0)) as axes:
        axes.imshow(_brighter(picture), interpolation="nearest")
        for x0, y0, x1, y1 in pitch.segments():
            share = np.linspace(0, 1, 40)[:, None]
            points = np.array([[x0, y0]]) + share * np.array([[x1 - x0, y1 - y0]])
            pixels = np.where(found.sees(points)[:, None], found.project(points), np.nan)
            axes.plot(*pixels.T, color=ACCENT, lw=0.8)
        axes.plot(*calibration.places.T, ".", color="#ffd166", ms=3, label="line found")
        axes.legend(loc="lower right", labelcolor="white")
        axes.set_title(
            f"{name}: lines off by {calibration.lines_error:.2f} pixels, "
            f"clicked points by {calibration.points_error:.2f}"
        )
        axes.axis("off")
    return Path(path)


def _brighter(picture: np.ndarray) -> np.ndarray:
    """As a person would set the screen."""
    return np.clip(255 * (picture / 255.0) ** 0.7, 0, 255).astype(np.uint8)


def _outlines(axes: Any, lens: Camera, detection: Detection) -> None:
    turn = np.linspace(0, 2 * np.pi, 40)
    ring = ROBOT_RADIUS * np.column_stack([np.cos(turn), np.sin(turn)])
    for team, number, x, y, heading, *_ in detection.robots:
        top = np.full((len(ring), 1), ROBOT_HEIGHT)
        axes.plot(*lens.project(np.hstack([ring + np.array([x, y]), top])).T, color=_FRAME, lw=1.0)
        ahead = np.array([[x, y], [x + 0.16 * np.cos(heading), y + 0.16 * np.sin(heading)]])
        arrow = lens.project(np.hstack([ahead, np.full((2, 1), ROBOT_HEIGHT)]))
        axes.annotate(
            "", arrow[1], arrow[0], arrowprops={"arrowstyle": "->", "color": _FRAME, "lw": 1.2, "shrinkA": 0}
        )
        cos, sin = np.cos(heading), np.sin(heading)
        dots = DOTS @ np.array([[cos, sin], [-sin, cos]]) + [x, y]
        axes.plot(*lens.project(np.hstack([dots, np.full((4, 1), ROBOT_HEIGHT)])).T, "+", color=INK, ms=4)
        u, v = lens.project(np.array([[x, y, ROBOT_HEIGHT]]))[0]
        axes.text(
            u, v - 30, f"{TEAMS[int(team)]} {int(number)}", color=_FRAME, ha="center", va="bottom", size=9
        )
    for _, _, _, u, v in detection.balls[:1]:
        axes.plot(u, v, "o", mfc="none", mec=_FRAME, ms=14)
        axes.text(u, v - 12, "ball", color=_FRAME, ha="center", va="bottom", size=9)
