"""Pictures of a lap: the line in the track coloured by speed, its speeds, hills and banks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.show.figures import (
    ACCENT,
    GOOD,
    INK,
    ROAD,
    SECOND,
    WARM,
    figure,
    heading,
    plain_map,
    round_length,
    scale_bar,
)

from .circuit import Circuit
from .lap import Lap
from .plans import slopes
from .profile import Profile

LEVEL, UPRIGHT = 0.5, 0.5  # [m] of rise and [°] of lean over a lap, up to which they are not drawn


def draw_circuit(
    path: str | Path,
    track: Circuit,
    lap: Lap,
    reference: np.ndarray | None,
    baseline: Profile,
    title: str = "",
) -> Path:
    """The track from above with the fastest line, the line it is compared with, and both speeds; of a road
    that rises or leans also its height and its lean under the line."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    left, right = track.edges()
    name = "centre line" if reference is None else "given line"
    lean = np.degrees(slopes(lap.path)[1])
    rises, leans = np.ptp(lap.line[:, 2]) > LEVEL, np.abs(lean).max() > UPRIGHT
    tall, shares = (10.6, (3.2, 1.0, 0.7)) if rises or leans else (9.0, (3.2, 1.0))
    with figure(path, (9.0, tall), rows=len(shares), height_ratios=shares) as (above, speeds, *below):
        again = 1 if track.closed else 0
        ring = np.vstack([left, left[:again], right[::-1], right[len(right) - again :]])
        codes = [Outline.LINETO] * len(ring)
        codes[0] = Outline.MOVETO
        if track.closed:
            codes[len(left) + 1] = Outline.MOVETO
        above.add_patch(PathPatch(Outline(ring, codes), fc=ROAD, ec=INK, lw=0.6))
        if reference is not None:
            closed = np.vstack([reference, reference[:again]])
            above.plot(closed[:, 0], closed[:, 1], color=INK, lw=0.7, ls=(0, (4, 3)), label=name)
        line = np.vstack([lap.line[:, :2], lap.line[:again, :2]])
        pieces = LineCollection(
            list(np.stack([line[:-1], line[1:]], axis=1)), array=lap.profile.speed, cmap="plasma", lw=2.2
        )
        above.add_collection(pieces)
        _start(above, line)
        above.figure.colorbar(pieces, ax=above, shrink=0.5, label="speed [m/s]")
        above.set(xlim=(ring[:, 0].min() - 20, ring[:, 0].max() + 20))
        across = float(np.ptp(ring[:, 1]))
        above.set(ylim=(ring[:, 1].min() - 20 - 0.08 * across, ring[:, 1].max() + 20))  # room for the bar
        times = [f"{p.time:.2f} s" if p.feasible else "not drivable" for p in (lap.profile, baseline)]
        heading(above, f"{title}: {times[0]}, {name} {times[1]}")
        plain_map(above)
        scale_bar(above, round_length(0.2 * float(np.ptp(above.get_xlim()))), y=0.01)
        share = lap.profile.distance / lap.profile.length
        if baseline.feasible:
            along = baseline.distance / baseline.length
            speeds.plot(along, baseline.speed, color=SECOND, lw=1.1, label=name)
        speeds.plot(share, lap.profile.speed, color=ACCENT, lw=1.6, label="fastest line")
        speeds.set(xlim=(0, 1), ylim=(0, None), xlabel="share of the lap", ylabel="speed [m/s]")
        speeds.legend(ncols=2, fontsize=9, loc="lower right")
        for ground in below:
            speeds.set(xlabel="")
            _hills(ground, share, lap.line[:, 2] if rises else None, lean if leans else None)
    return Path(path)


def _start(axes: Any, line: np.ndarray) -> None:
    """Where a lap begins, and which way it goes."""
    along = line[1] - line[0]
    turned = float(np.degrees(np.arctan2(along[1], along[0]))) - 90.0
    axes.plot(*line[0], marker=(3, 0, turned), ms=13, color=INK, mec="white", zorder=5)
    axes.annotate("start", line[0], xytext=(11, 11), textcoords="offset points", weight="bold", zorder=5)


def _hills(axes: Any, share: np.ndarray, height: np.ndarray | None, lean: np.ndarray | None) -> None:
    """Height [m] and lean [°] of the road under a line, where it has them."""
    axes.set(xlim=(0, 1), xlabel="share of the lap")
    if height is not None:
        axes.fill_between(share, height.min(), height, color=GOOD, alpha=0.35, lw=0)
        axes.set(ylabel="height [m]", ylim=(height.min(), None))
    if lean is not None:
        leaning = axes.twinx() if height is not None else axes
        leaning.plot(share, lean, color=WARM, lw=1.4)
        leaning.axhline(0.0, color=INK, lw=0.5, ls=(0, (4, 3)))
        leaning.set_ylabel("lean to the right [°]", color=WARM)
        leaning.spines["right"].set_visible(height is not None)
