"""Pictures of a lap: the line in the track coloured by speed, and the speeds over the distance."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from swerve.core.show.figures import ACCENT, INK, ROAD, SECOND, figure, heading, plain_map, scale_bar

from .circuit import Circuit
from .lap import Lap
from .profile import Profile


def draw_circuit(
    path: str | Path,
    track: Circuit,
    lap: Lap,
    reference: np.ndarray | None,
    baseline: Profile,
    title: str = "",
) -> Path:
    """The track from above with the fastest line, the line it is compared with, and both speeds."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    left, right = track.edges()
    name = "centre line" if reference is None else "given line"
    with figure(path, (9.0, 9.0), rows=2, height_ratios=(3.2, 1)) as (above, speeds):
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
        above.figure.colorbar(pieces, ax=above, shrink=0.5, label="speed [m/s]")
        above.set(xlim=(ring[:, 0].min() - 20, ring[:, 0].max() + 20))
        tall = float(np.ptp(ring[:, 1]))
        above.set(ylim=(ring[:, 1].min() - 20 - 0.08 * tall, ring[:, 1].max() + 20))  # room for the bar
        times = [f"{p.time:.2f} s" if p.feasible else "not drivable" for p in (lap.profile, baseline)]
        heading(above, f"{title}: {times[0]}, {name} {times[1]}")
        plain_map(above)
        scale_bar(above, 200.0, y=0.01)
        share = lap.profile.distance / lap.profile.length
        if baseline.feasible:
            along = baseline.distance / baseline.length
            speeds.plot(along, baseline.speed, color=SECOND, lw=1.1, label=name)
        speeds.plot(share, lap.profile.speed, color=ACCENT, lw=1.6, label="fastest line")
        speeds.set(xlim=(0, 1), ylim=(0, None), xlabel="share of the lap", ylabel="speed [m/s]")
        speeds.legend(ncols=2, fontsize=9, loc="lower right")
    return Path(path)
