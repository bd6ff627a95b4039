"""Who stands at the end of a ride, and why: before what is closed, or behind somebody who stands or lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from .gaps import AHEAD, FREE
from .herd import HerdOptions
from .herded import Herded

BEHIND = 8.0  # [m] up to which somebody is in a rider's way
MOST = 400  # riders of a herd that are told one by one


def stood(done: Herded, options: HerdOptions) -> list[dict[str, Any]] | None:
    """Each rider that stands on its wheels at the end, where and why; None of too large a herd."""
    if len(done.fell) > MOST:
        return None
    pose, rows = done.pose[-1], np.flatnonzero(done.standing)
    station, offset = pose[:, 0], pose[:, 1]
    if options.way is not None:
        station, offset = options.way.locate(pose[:, :2])
    shut = np.zeros(len(pose), dtype=bool)
    if options.gaps is not None:
        lines = options.gaps.lines(station, offset, np.repeat(offset[:, None], AHEAD + 1, axis=1))
        shut = lines.near & (lines.rest < FREE)
    found = []
    for i in rows:
        ahead = station - station[i]
        if options.way is not None and options.way.closed:
            ahead = ahead % options.way.length
        still = (ahead > 0) & (ahead < BEHIND) & (done.fell | done.standing)
        why = "nobody gets on from there" if shut[i] else "it was told to"
        if still.any():
            first = int(np.argmin(np.where(still, ahead, np.inf)))
            why = f"behind rider {first}, who {'fell' if done.fell[first] else 'stands'}"
        found.append({"rider": int(i), "at": round(float(station[i]), 1), "why": why})
    return found
