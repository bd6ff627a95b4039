"""Pictures of tracks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from swerve.core.figures import ACCENT, INK, ROAD, boxes, figure, plain_map, scale_bar

from .car import LENGTH, WIDTH
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
        axes.set_title(f"{track.name}, {track.finish:.0f} m")
        plain_map(axes)
        scale_bar(axes, 50.0 if span.max() < 800 else 200.0)
    return Path(path)
