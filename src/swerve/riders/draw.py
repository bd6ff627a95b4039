"""Pictures of maps, rides along curves, and herds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.collections import PolyCollection

from swerve.core.show.figures import (
    ACCENT,
    GOOD,
    INK,
    PALETTE,
    SECOND,
    WARM,
    boxes,
    figure,
    plain_map,
    scale_bar,
)

from .maps.mobility import MobilityMap
from .maps.trials import state_names
from .steering.curves import Course
from .steering.follow import Followed
from .steering.herded import Herded

AXES = {
    "roll": "lean to the right [°]",
    "yaw_rate": "yaw rate [°/s]",
    "roll_rate": "rate of the lean [°/s]",
    "slip": "sliding to the left [°]",
    "slip_rate": "rate of the slip [°/s]",
}
SPECKS = 65.0  # times a rider's radius to either side, from where on it is drawn as a dot
COLOURS = {"lod": ACCENT, "simple": SECOND, "unaimed": WARM, "straight on": GOOD}
WORDS = {
    "lod": "with the map",
    "simple": "simple, tuned",
    "unaimed": "simple, no look ahead",
    "straight on": "simple, foreseeing others straight on",
}


def draw_map(path: str | Path, map_: MobilityMap) -> Path:
    """The ways out of three states at nominal speed, leaning (sliding) to either side and neither, and all
    states there are."""
    nominal = map_.speeds[map_.nearest_level(np.array([map_.speed]))[0]]
    mine = map_.states[map_.paces == nominal]
    leans = np.quantile(mine[:, 0], [0.03, 0.5, 0.97])
    middle = float(np.abs(mine[:, 0]).min())
    leans[1] = middle if abs(leans[1]) > 0.1 else leans[1]
    slow = np.abs(map_.states[:, 2]) < np.quantile(np.abs(mine[:, 2]), 0.6)
    calm = slow & (map_.paces == nominal)
    with figure(path, size=(11, 7.5), rows=2, columns=2) as grid:
        fans = (grid[0, 0], grid[0, 1], grid[1, 0])
        for axes, lean in zip(fans, leans, strict=True):
            rows = np.flatnonzero(calm)
            state = int(rows[np.argmin(np.abs(map_.states[rows, 0] - lean))])
            _fan(axes, map_, state)
        axes = grid[1, 1]
        names = state_names(map_.sideways)
        told_by = map_.dimensions if len(map_.dimensions) == 2 else names[:2]
        across, up = (np.degrees(map_.states[:, names.index(name)]) for name in told_by)
        end = "fall" if map_.sideways == "roll" else "spin"
        falls = np.isfinite(map_.tracks.fell).reshape(len(map_.states), -1).mean(axis=1)
        axes.scatter(across, up, c=SECOND, s=14, alpha=0.8, label="states")
        if (falls > 0).any():
            fallen = falls > 0
            axes.scatter(across[fallen], up[fallen], c=ACCENT, s=26, marker="x", label=f"some turns {end}")
        axes.set(xlabel=AXES[told_by[0]], ylabel=AXES[told_by[1]])
        words = f"{map_.name}: {len(map_.states)} states × {map_.actions} turns, {map_.fall_share:.1%} {end}"
        axes.set_title(words, fontsize=10)
        axes.legend()
    return Path(path)


def _fan(axes, map_: MobilityMap, state: int) -> None:  # type: ignore[no-untyped-def]
    times = np.linspace(0, map_.seconds, 101)
    for action in range(map_.actions):
        row = state * map_.actions + action
        fell = map_.tracks.fell[row]
        shown = times[times <= fell - map_.tracks.dt] if np.isfinite(fell) else times
        x, y, *_ = map_.spline(state, action)(shown).T
        axes.plot(x, y, color=ACCENT if np.isfinite(fell) else SECOND, lw=1.5)
        seconds = np.arange(1, int(shown[-1]) + 1)
        sx, sy, *_ = map_.spline(state, action)(seconds).T if len(seconds) else (np.empty(0), np.empty(0))
        axes.scatter(sx, sy, s=7, color=INK, zorder=3)
        if np.isfinite(fell):
            axes.scatter(x[-1], y[-1], marker="x", s=50, color=ACCENT, zorder=4)
    angle, turning = np.degrees(map_.states[state, :2])
    leans = map_.sideways == "roll"
    side = "right" if (angle > 0) == leans else "left"  # lean is positive to the right, slip to the left
    words = f"{'leaning' if leans else 'sliding'} {abs(angle):.0f}° to the {side}"
    if abs(angle) <= 1.5:
        words = "upright" if leans else "rolling straight on"
    axes.set_title(f"{words}, yaw rate {turning:+.0f} °/s", fontsize=10)
    axes.set(xlabel="ahead [m]; a dot a second", ylabel="to the left [m]")
    axes.set_aspect("equal")


def draw_curves(path: str | Path, runs: Mapping[str, Followed], curves: Sequence[Course], title: str) -> Path:
    """The curves from above with one track a controller, and how far off each was on the sharpest."""
    with figure(path, size=(12, 5.5), columns=2, width_ratios=(3, 2)) as (above, beside):
        for number, way in enumerate(curves, 1):
            above.plot(*way.points[:, :2].T, color="#d8d4c8", lw=5, zorder=1, solid_capstyle="butt")
            tip = way.place(way.length + 4.0)[:2]
            above.annotate(str(number), tip, ha="center", va="center")
            above.update_datalim([tip])
        for name, done in reversed(list(runs.items())):
            for way in curves:
                mine = _first(done, way)
                above.plot(*done.pose[:, mine, :2].T, color=COLOURS[name], lw=1.3, zorder=3)
        for name, done in runs.items():
            mine = _first(done, curves[-1])
            beside.plot(done.t, done.aside[:, mine], color=COLOURS[name], lw=1.8, label=WORDS[name])
        plain_map(above)
        scale_bar(above, 20, x=0.02, y=0.12)
        above.set_title(title)
        beside.axhline(0, color=INK, lw=0.6)
        beside.set(xlabel="time [s]", ylabel="left of the path [m]")
        beside.set_title(f"curve {len(curves)}")
        beside.legend()
    return Path(path)


def _first(done: Followed, way: Course) -> int:
    return next(i for i, other in enumerate(done.ways) if other.name == way.name)


def draw_track(path: str | Path, done: Followed, title: str) -> Path:
    """Ways from above with the riders' tracks, and below how far off they were over time."""
    with figure(path, size=(9, 8), rows=2, height_ratios=(3, 1)) as (above, below):
        for way in {way.name: way for way in done.ways}.values():
            above.plot(*way.points[:, :2].T, color="#c9c5ba", lw=5, zorder=1, solid_capstyle="butt")
        names = list(dict.fromkeys(way.name for way in done.ways))
        for i, way in enumerate(done.ways):
            colour = PALETTE[names.index(way.name) % len(PALETTE)]
            above.plot(*done.pose[:, i, :2].T, color=colour, lw=1.3, zorder=2)
            off = np.where(done.judged[:, i], done.aside[:, i], np.nan)
            below.plot(done.t, done.aside[:, i], color=colour, lw=0.6, alpha=0.6)
            below.plot(done.t, off, color=colour, lw=1.5)
        plain_map(above)
        scale_bar(above, 20, x=0.8)
        below.axhline(0, color=INK, lw=0.6)
        below.set(xlabel="time [s]; bold where it counts", ylabel="left of the path [m]")
        above.set_title(title)
    return Path(path)


def draw_curve_errors(path: str | Path, errors: Mapping[str, np.ndarray], title: str) -> Path:
    """Mean error a curve (7, starts) for every controller, as figures 6 and 7 of the seed show it."""
    with figure(path, size=(7.5, 4.5)) as axes:
        for name, values in errors.items():
            at = np.arange(1, len(values) + 1)
            axes.plot(at, values.mean(axis=1), "o-", color=COLOURS[name], label=WORDS[name])
            axes.fill_between(
                at, values.min(axis=1), values.max(axis=1), color=COLOURS[name], alpha=0.15, lw=0
            )
        axes.set(xlabel="curve (15° to 105°)", ylabel="mean distance from the path [m]", ylim=(0, None))
        axes.set_title(title)
        axes.legend()
    return Path(path)


def draw_herd(
    path: str | Path,
    done: Herded,
    radius: float,
    title: str,
    scenery: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> Path:
    """The herd from above at four times, seen from its middle, with where everyone came from, and the lines
    and areas of its `scenery`."""
    last = done.frame_times[-1]
    wanted = np.array([0.0, min(2.0, last / 4), min(10.0, last / 2), last])
    frames, few = [int(np.argmin(np.abs(done.frame_times - t))) for t in wanted], done.pose.shape[1] <= 200
    with figure(path, size=(12, 4.0), columns=4) as grid:
        centres = (done.pose[..., :2].max(axis=1) + done.pose[..., :2].min(axis=1)) / 2
        centred = done.pose[..., :2] - centres[:, None]
        reaches = np.maximum(np.abs(centred[frames]).max(axis=(1, 2)) + 2, 6.0)
        alike = reaches.max() < 2 * reaches.min()  # else each moment has a scale of its own
        for axes, k, own in zip(grid, frames, reaches, strict=True):
            reach = reaches.max() if alike else own
            first = max(k - 15, 0)
            if few:
                for i in range(done.pose.shape[1]):
                    axes.plot(*centred[first : k + 1, i].T, color="#c9c5ba", lw=1.2, zorder=1)
            pose = np.column_stack([centred[k], done.pose[k, :, 2]])
            full = done.level[k].astype(bool)
            for rows, colour in ((~full, SECOND), (full, ACCENT)):
                if rows.any() and few and reach > SPECKS * radius:  # too small to be seen as they are
                    axes.scatter(*pose[rows, :2].T, s=14, color=colour, edgecolors=INK, lw=0.4, zorder=3)
                elif rows.any():
                    boxes(axes, pose[rows], 2 * radius, 0.6, facecolors=colour, edgecolors=INK, lw=0.4)
            middle = centres[k]
            for line in (scenery or {}).get("lines", ()):
                axes.plot(*(line["points"] - middle).T, color="#d8d4c8", lw=1.5, zorder=0)
            areas = [area["points"] - middle for area in (scenery or {}).get("areas", ())]
            axes.add_collection(PolyCollection(areas, color="#9b958a", zorder=0))
            axes.set_xlim(-reach, reach)
            axes.set_ylim(-reach, reach)
            plain_map(axes)
            axes.set_title(f"{done.frame_times[k]:.0f} s, error {_error_at(done, done.frame_times[k]):.2f} m")
            if axes is grid[0] or not alike:
                scale_bar(axes, 5 if reach < 60 else 50)
        mixed = "; red: in full physics" if done.level.any() and not done.level.all() else ""
        grid[0].figure.suptitle(title + mixed, x=0.01, ha="left", fontweight="bold")
    return Path(path)


def draw_errors(path: str | Path, runs: Mapping[str, Sequence[Herded]], title: str) -> Path:
    """Mean position error over time for every controller; thin lines are single starts."""
    with figure(path, size=(8.5, 4.8)) as axes:
        for name, all_ in runs.items():
            colour = COLOURS.get(name, GOOD)
            every = np.array([done.position_error for done in all_])
            if len(every) > 1:
                axes.plot(all_[0].t, every.T, color=colour, lw=0.5, alpha=0.35)
            axes.plot(all_[0].t, every.mean(axis=0), color=colour, lw=2.2, label=WORDS.get(name, name))
        axes.set(xlabel="time [s]", ylabel="mean position error [m]")
        if any((done.position_error > 0).any() for all_ in runs.values() for done in all_):  # not one alone
            axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_title(title)
        axes.legend()
    return Path(path)


def _error_at(done: Herded, t: float) -> float:
    return float(done.position_error[int(np.argmin(np.abs(done.t - t)))])
