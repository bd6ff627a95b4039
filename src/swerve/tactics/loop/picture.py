"""A picture of a game: the way of every body as it was, as it was believed and as it was planned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.show.figures import INK, PALETTE, boxes, figure, plain_map, round_length, scale_bar
from swerve.core.show.view import AREA_COLOURS, LINE_COLOURS, OTHER_AREA, OTHER_LINE

from ..bodies import Motion
from ..problem import Problem
from .frames import Log
from .reality import moving


def draw(log: Log, problem: Problem, path: str | Path, title: str) -> Path:
    """From above: truth as lines, estimates as dots, plans dashed; bodies where they are at the end."""
    from matplotlib.patches import Circle

    world = problem.world
    truth, estimate = np.array(log.truth), np.array(log.estimate)
    planned = [row for row in log.planned if row is not None]
    areas = problem.scenery.get("areas", ())
    corners = np.vstack([np.array(area["points"], dtype=float) for area in areas])
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    tall = float(np.clip((y1 - y0) / (x1 - x0), 0.35, 1.3))
    with figure(path, (8.4, 8.4 * tall + 1.4)) as axes:
        for area in areas:
            outline = np.array(area["points"], dtype=float)
            axes.fill(*outline.T, color=AREA_COLOURS.get(area["role"], OTHER_AREA), lw=0, zorder=0)
        for line in problem.scenery.get("lines", ()):
            colour = LINE_COLOURS.get(line["role"], OTHER_LINE)
            axes.plot(*np.array(line["points"], dtype=float).T, color=colour, lw=1.2, zorder=1)
        shown = [name for name in moving(world) if world.slot(name).motion is not Motion.TURNING]
        for k, name in enumerate(shown):
            colour = PALETTE[k % len(PALETTE)]
            truly, believed = problem.scene(truth).xy(name), problem.scene(estimate).xy(name)
            if len(shown) <= 4:
                axes.plot(*believed.T, ".", color=colour, ms=2, alpha=0.4, zorder=2)
            axes.plot(*truly.T, color=colour, lw=1.8, zorder=3, label=name if len(shown) <= 6 else None)
            if planned and len(shown) <= 6:
                way = problem.scene(np.array(planned)).xy(name)
                axes.plot(*way.T, "--", color=INK, lw=1.0, alpha=0.8, zorder=4)
            face: Any = {"facecolor": colour, "edgecolor": INK, "lw": 0.7, "zorder": 5}
            axes.add_patch(Circle(tuple(truly[-1]), world.slot(name).radius, **face))
        for name in moving(world):
            if world.slot(name).motion is Motion.TURNING:
                long, wide, _ = world.size(name)
                some = np.linspace(0, len(truth) - 1, 5).astype(int)
                scene = problem.scene(truth[some])
                poses = np.column_stack([scene.xy(name), scene.heading(name)])
                boxes(
                    axes, poses, long, wide, facecolor="#8d959d", edgecolor=INK, lw=0.5, alpha=0.35, zorder=2
                )
        if len(shown) <= 6:
            axes.plot([], [], "--", color=INK, lw=1.0, label="as planned")
            axes.plot([], [], ".", color=INK, ms=3, label="as seen")
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=4)
        axes.set_xlim(x0 - 0.02 * (x1 - x0), x1 + 0.02 * (x1 - x0))
        axes.set_ylim(y0 - 0.08 * (y1 - y0), y1 + 0.02 * (y1 - y0))
        plain_map(axes)
        scale_bar(axes, round_length(0.2 * (x1 - x0)), y=0.015)
        axes.set_title(title)
    return Path(path)
