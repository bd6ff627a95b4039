"""A plan in one picture: its way coloured by speed, and beside it its states and controls over time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import BadInput
from ..plan import POSE, Plan
from ..recording import Recording
from .figures import ACCENT, INK, PALETTE, figure, plain_map, round_length, scale_bar
from .picture import draw_outlines, draw_scene, draw_trails
from .view import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (4.2, 1.8, 1.4)  # [m] of a body that does not say
GREY = "#8d959d"
MOST_CHARTS, MOST_LINES = 7, 6
UNITS = {
    **dict.fromkeys(("x", "y", "z"), "m"),
    **dict.fromkeys(("heading", "pitch", "roll", "steer"), "rad"),
    **dict.fromkeys(("speed", "vx", "vy", "vz"), "m/s"),
    "yaw_rate": "rad/s",
}


def write_plan_picture(plan: Plan, path: str | Path, title: str | None = None) -> Path:
    """Draw the plan as PNG, SVG or PDF, by the ending of `path`."""
    view = look(recording_of(plan), most=20_000)
    charts = list(charted(plan))
    x0, y0, x1, y1 = view.bounds()
    y0 -= 0.06 * (y1 - y0)  # room for the scale bar
    tall = max(5.2, 1.35 * len(charts) + 0.8)
    names = [["map", f"chart {k}"] for k in range(len(charts))]
    with figure(path, (13.0, tall), mosaic=names, width_ratios=(1.55, 1.0)) as axes:
        place = axes["map"]
        place.set_xlim(x0, x1)
        place.set_ylim(y0, y1)
        plain_map(place)
        draw_scene(place, view)
        draw_trails(place, view)
        draw_outlines(place, view, 0)
        _draw_others(place, plan)
        scale_bar(place, round_length(0.2 * (x1 - x0)), y=0.015)
        words = title if title is not None else str(plan.meta.get("scene") or "plan")
        place.figure.suptitle(
            f"{words}: {plan.duration:.1f} s, {plan.status.value}", x=0.02, ha="left", weight="bold", size=12
        )
        for k, (unit, columns) in enumerate(charts):
            _draw_chart(axes[f"chart {k}"], plan, unit, columns, last=k == len(charts) - 1)
    return Path(path)


def recording_of(plan: Plan) -> Recording:
    """The plan's body as a recording, so that whatever shows recordings shows plans."""
    if not all(name in plan.columns for name in POSE):
        raise BadInput("plan, columns", list(plan.columns), "hold no body (x, y, heading) to draw")
    if len(plan) < 2:
        raise BadInput("plan", len(plan), f"has no motion to draw ({plan.status.value}); times")
    size = tuple(float(s) for s in plan.meta.get("size", SIZE))
    if len(size) != 3 or not min(size) > 0:
        raise BadInput("plan, size", size, "must be three positive lengths")
    velocity = np.column_stack([np.gradient(plan[name], plan.times) for name in "xy"])
    z = plan["z"] if "z" in plan.columns else size[2] / 2
    meta = {**plan.meta, "ego": 0}
    pose = np.column_stack([plan[name] for name in POSE])
    return Recording.planar(plan.times, 0, str(plan.meta.get("kind", "body")), pose, velocity, size, z, meta)


def speed_of(plan: Plan) -> np.ndarray:
    """(n,) [m/s], from the velocity if the plan has one, else from the places."""
    if "speed" in plan.columns:
        return plan["speed"]
    if "vx" in plan.columns and "vy" in plan.columns:
        return np.hypot(plan["vx"], plan["vy"])
    return np.hypot(*(np.gradient(plan[name], plan.times) for name in "xy"))


def charted(plan: Plan) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is drawn over time, chart by chart: a unit and the columns that have it.

    Speed and heading first, then other states, then controls. Columns that stay zero, a height that stays the
    same, and those of other bodies of the scene (`ball.x`) are left out; there are at most `MOST_CHARTS`.
    """
    groups: dict[tuple[bool, str], list[str]] = {(True, "m/s"): ["speed"]}
    skipped = {"x", "y", "speed", "vx", "vy"}
    for names, is_state in ((plan.columns, True), (plan.control_columns, False)):
        for name in names:
            values = np.nan_to_num(plan[name])
            if name in skipped or (is_state and "." in name) or not (np.abs(values) > 1e-9).any():
                continue
            if name == "z" and np.ptp(values) < 1e-3:
                continue
            group = groups.setdefault((is_state, unit_of(plan, name)), [])
            if len(group) < MOST_LINES:
                group.append(name)
    for (_, unit), columns in list(groups.items())[:MOST_CHARTS]:
        yield unit, tuple(columns)


def unit_of(plan: Plan, column: str) -> str:
    """The unit of a column, by its own name or the last part of it; '' for none."""
    last = column.rsplit(".", 1)[-1]
    known = {**UNITS, **plan.meta.get("units", {})}
    return str(known.get(column, known.get(last, "")))


def _draw_others(axes: Axes, plan: Plan) -> None:
    """Where other bodies of the scene go that the plan tells of."""
    names = [name.removesuffix(".x") for name in plan.columns if name.endswith(".x")]
    for name in names[:MOST_LINES]:
        way = plan.states[:, [plan.columns.index(f"{name}.{axis}") for axis in "xy"]]
        mine = np.allclose(way[:, 0], plan["x"]) and np.allclose(way[:, 1], plan["y"])
        if not mine and np.ptp(way, axis=0).max() > 0:
            axes.plot(*way.T, color=GREY, lw=1.2, ls=(0, (3, 2)), zorder=2)
            axes.annotate(name, way[0], color=INK, size=9, xytext=(5, 5), textcoords="offset points")


def _draw_chart(axes: Axes, plan: Plan, unit: str, columns: tuple[str, ...], last: bool) -> None:
    colours = (ACCENT, *PALETTE[1:])
    for colour, name in zip(colours, columns, strict=False):
        if name in plan.control_columns:
            held = np.append(plan[name], plan[name][-1:])
            axes.step(plan.times, held, where="post", color=colour, lw=1.3, label=_words(name))
        else:
            values = speed_of(plan) if name == "speed" else plan[name]
            axes.plot(plan.times, values, color=colour, lw=1.5, label=_words(name))
    held_words = " (held)" if columns[0] in plan.control_columns else ""
    if len(columns) == 1:
        axes.set_title(f"{_words(columns[0])}{held_words}", fontsize=9, pad=3, weight="normal")
    else:
        axes.set_title(f"controls{held_words}" if held_words else " ", fontsize=9, pad=3, weight="normal")
        axes.legend(
            loc="lower right", bbox_to_anchor=(1.0, 0.98), ncol=3, fontsize=8, borderpad=0, columnspacing=1.2
        )
    if columns == ("speed",):
        axes.set_ylim(bottom=0.0)
    axes.set_ylabel(unit or "value", fontsize=9)
    axes.tick_params(labelsize=8, labelbottom=last)
    axes.set_xlim(plan.times[0], plan.times[-1])
    axes.grid(color="#dcd9d0", lw=0.6)
    if last:
        axes.set_xlabel("time [s]", fontsize=9)


def _words(column: str) -> str:
    return column.replace("_", " ")
