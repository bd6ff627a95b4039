"""Pictures of tracks and of how they were driven."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from swerve.core.show.figures import (
    ACCENT,
    GOOD,
    INK,
    ROAD,
    SECOND,
    WARM,
    boxes,
    figure,
    heading,
    plain_map,
    scale_bar,
)

from .car import LENGTH, WIDTH
from .driven import Drive, sideslip
from .track import Track
from .traffic import drive_lanes


def draw_track(track: Track, path: str | Path) -> Path:
    """The road from above, with where the other cars start."""
    low, high = track.centre.min(axis=0), track.centre.max(axis=0)
    span = np.maximum(high - low, 40.0)
    size = (float(np.clip(9 * span[0] / span.max(), 3, 9)), float(np.clip(9 * span[1] / span.max(), 3, 9)))
    with figure(path, size) as axes:
        right, left = track.edges
        if track.closed:
            right, left = np.vstack([right, right[:1]]), np.vstack([left, left[:1]])
        axes.fill(*np.vstack([right, left[::-1]]).T, color=ROAD, lw=0)
        for edge in (right, left):
            axes.plot(*edge.T, color=INK, lw=0.9)
        axes.plot(*track.centre.T, color=INK, lw=0.4, ls=(0, (6, 8)), alpha=0.5)
        if track.lanes:
            boxes(axes, drive_lanes(track, 1, 0).poses[:, 0], LENGTH, WIDTH, facecolor=ACCENT, lw=0)
        heading(axes, f"{track.name}, {track.finish:.0f} m")
        plain_map(axes)
        scale_bar(axes, 50.0 if span.max() < 800 else 200.0)
    return Path(path)


def draw_moments(
    drive: Drive, path: str | Path, moments: Sequence[tuple[str, float]], reach: float = 38.0
) -> Path:
    """Close-ups of a drive: (title, progress [m]) each, with the outline of the car every few frames.

    The outline is coloured by sideslip; the other cars stand where they are when the driven one is nearest.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    track, states = drive.track, drive.states
    slip = np.degrees(sideslip(states))
    shade = LinearSegmentedColormap.from_list("slip", [SECOND, WARM, ACCENT])
    scale = Normalize(0, 45)
    right, left = track.edges
    with figure(path, (5.6 * len(moments) + 0.6, 5.6), 1, len(moments), squeeze=False) as rows:
        for axes, (title, progress) in zip(rows[0], moments, strict=True):
            middle = track.pose(progress)[:2]
            near = np.hypot(*(states[:, :2] - middle).T)
            now = int(np.argmin(near))
            axes.fill(*np.vstack([right, left[::-1]]).T, color=ROAD, lw=0)
            for edge in (right, left):
                axes.plot(*edge.T, color=INK, lw=2)
            if drive.traffic.cars:
                poses = drive.traffic.poses[:, min(now, drive.traffic.frames - 1)]
                boxes(axes, poses, LENGTH, WIDTH, facecolor=GOOD, edgecolor=INK, lw=0.5)
            axes.plot(*states[:, :2].T, color=INK, lw=0.8, alpha=0.6)
            some = np.arange(now % 4, len(states), 4)
            colours = shade(scale(slip[some]))
            boxes(
                axes,
                states[some, :3],
                LENGTH,
                WIDTH,
                facecolors=colours,
                edgecolor="white",
                lw=0.4,
                alpha=0.85,
            )
            axes.set_title(title, fontsize=10)
            plain_map(axes)
            axes.set_xlim(middle[0] - reach, middle[0] + reach)
            axes.set_ylim(middle[1] - reach, middle[1] + reach)
            scale_bar(axes, 10.0)
        bar = axes.figure.colorbar(ScalarMappable(scale, shade), ax=rows[0], shrink=0.6, pad=0.02)
        bar.set_label("sideslip [°]")
        bar.outline.set_visible(False)
    return Path(path)
