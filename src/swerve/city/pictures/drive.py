"""A drive in one picture: speed, pedals, place in the lane and gap over time, with stimuli and reactions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.show.figures import ACCENT, GOOD, INK, SECOND, WARM, figure

FAR = 80.0  # [m] gaps beyond this are not drawn


def draw_report(report: dict[str, Any], table: dict[str, np.ndarray], path: str | Path) -> Path:
    """Draw as PNG, SVG or PDF, by the ending of `path`."""
    t = table["t"]
    with figure(path, size=(9.0, 8.2), rows=4, sharex=True) as axes:
        speed, pedals, lane, gap = axes
        speed.plot(t, 3.6 * table["speed"], color=SECOND, label="driver")
        limit = np.where(table["limit"] > 0, 3.6 * table["limit"], np.nan)
        speed.plot(t, limit, color=INK, lw=0.8, ls=":", label="limit")
        ahead = np.isfinite(table["gap"]) & (table["gap"] < FAR)
        speed.plot(
            t, np.where(ahead, 3.6 * table["leader_speed"], np.nan), color=WARM, lw=1.2, label="car ahead"
        )
        speed.set_ylabel("speed [km/h]")
        speed.set_ylim(bottom=0)
        pedals.plot(t, table["throttle"], color=GOOD, label="throttle")
        pedals.plot(t, table["brake"], color=ACCENT, label="brake")
        pedals.plot(t, table["steer"], color=SECOND, lw=1.0, label="steer (left +)")
        pedals.set_ylabel("inputs")
        lowest = float(np.minimum(table["steer"], table["throttle"]).min(initial=0.0))
        pedals.set_ylim(min(-0.2, 1.1 * lowest), 1.05)
        on_lane = np.where(table["on_lane"] > 0, table["lateral"], np.nan)
        lane.plot(t, on_lane, color=SECOND)
        lane.axhline(0.0, color=INK, lw=0.6)
        lane.set_ylabel("lane position [m]")
        reach = (
            max(0.5, 1.2 * float(np.nanmax(np.abs(on_lane), initial=0.0)))
            if np.isfinite(on_lane).any()
            else 0.5
        )
        lane.set_ylim(-reach, reach)
        gap.plot(t, np.where(ahead, table["gap"], np.nan), color=WARM, label="gap ahead")
        gap.plot(
            t,
            np.where(table["nearest"] < FAR, table["nearest"], np.nan),
            color=INK,
            lw=0.8,
            label="nearest body",
        )
        gap.set_ylabel("gap [m]")
        gap.set_ylim(bottom=min(0.0, float(np.nanmin(table["nearest"], initial=0.0))))
        gap.set_xlabel("time [s]")
        _mark_stimuli(axes, report["stimuli"])
        for panel in (speed, pedals, gap):
            panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=9)
        speed.set_title(report["name"] or "Drive", pad=20 if report["stimuli"] else 6)
    return Path(path)


def _mark_stimuli(axes: Any, stimuli: list[dict[str, Any]]) -> None:
    for stimulus in stimuli:
        begin = stimulus["t"]
        for panel in axes:
            panel.axvline(begin, color=ACCENT, lw=1.0)
            if stimulus["reaction_time"] is not None:
                panel.axvspan(begin, begin + stimulus["reaction_time"], color=ACCENT, alpha=0.15, lw=0)
        after = (
            ""
            if stimulus["reaction_time"] is None
            else f": {stimulus['reaction']} after {stimulus['reaction_time']:.2f} s"
        )
        axes[0].annotate(
            f"{stimulus['name']}{after}",
            (begin, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(2, 4),
            textcoords="offset points",
            color=ACCENT,
            fontsize=9,
        )
