"""A picture of a game: the way of every body as it was, as it was believed and as it was planned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.show.figures import (
    INK,
    PALETTE,
    boxes,
    figure,
    named_colour,
    plain_map,
    round_length,
    scale_bar,
)
from swerve.core.show.view import AREA_COLOURS, LINE_COLOURS, OTHER_AREA, OTHER_LINE

from ..bodies import Motion, Role
from ..problem import Problem
from .frames import Log
from .reality import moving

MANY = 4  # foreign bodies from which on they are drawn alike, behind what matters
CROWD = "#9aa3ac"
JUMP = 0.2  # [m] in a frame: nothing moves as fast, it was put there


def draw(log: Log, problem: Problem, path: str | Path, title: str) -> Path:
    """From above: truth as lines, estimates as dots, plans dashed; bodies where they are at the end. Of many
    obstacles only the ways are shown, all alike."""
    world = problem.world
    truth, estimate = np.array(log.truth), np.array(log.estimate)
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
        going = [name for name in moving(world) if world.slot(name).motion is not Motion.TURNING]
        shown, crowd = told_apart(problem, going)
        put = jumps(problem, truth, going)
        for name in crowd:
            _way(axes, problem, truth, name, put, color=CROWD, lw=0.8, alpha=0.7, zorder=2)
            _disc(axes, problem, truth, name, CROWD)
        for name, colour in shown.items():
            believed = problem.scene(estimate).xy(name)
            axes.plot(*believed.T, ".", color=colour, ms=2, alpha=0.4, zorder=3)
            _way(axes, problem, truth, name, put, color=colour, lw=1.8, zorder=4, label=name)
            plan = np.array([np.full(world.width, np.nan) if row is None else row for row in log.planned])
            _way(axes, problem, plan, name, put, color=INK, lw=1.0, ls="--", alpha=0.8, zorder=5)
            _disc(axes, problem, truth, name, colour)
        for name in moving(world):
            if world.slot(name).motion is Motion.TURNING:
                long, wide, _ = world.size(name)
                some = np.linspace(0, len(truth) - 1, 5).astype(int)
                scene = problem.scene(truth[some])
                poses = np.column_stack([scene.xy(name), scene.heading(name)])
                boxes(
                    axes, poses, long, wide, facecolor="#8d959d", edgecolor=INK, lw=0.5, alpha=0.35, zorder=2
                )
        if crowd:
            axes.plot([], [], color=CROWD, lw=0.8, label="obstacles")
        axes.plot([], [], "--", color=INK, lw=1.0, label="as planned")
        axes.plot([], [], ".", color=INK, ms=3, label="as seen")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=5)
        axes.set_xlim(x0 - 0.02 * (x1 - x0), x1 + 0.02 * (x1 - x0))
        axes.set_ylim(y0 - 0.08 * (y1 - y0), y1 + 0.02 * (y1 - y0))
        plain_map(axes)
        scale_bar(axes, round_length(0.2 * (x1 - x0)), y=0.015)
        axes.set_title(title)
    return Path(path)


def told_apart(problem: Problem, names: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The colours of bodies, those of teams as they are called, and those bodies that are drawn alike."""
    foreign = [name for name in names if problem.world.by_name[name].role is Role.FOREIGN]
    crowd = foreign if len(foreign) >= MANY else []
    called = {name: named_colour(name) for name in names if name not in crowd}
    free = iter([colour for colour in PALETTE if colour not in called.values()])
    return {name: colour or next(free, CROWD) for name, colour in called.items()}, crowd


def jumps(problem: Problem, truth: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Frames (k,) into which bodies did not move but were put, as at a kick-off."""
    places = np.array([problem.scene(truth).xy(name) for name in names])
    far = np.hypot(*np.moveaxis(np.diff(places, axis=1), 2, 0)).max(axis=0)
    return np.flatnonzero(far > JUMP) + 1


def _way(axes: Any, problem: Problem, rows: np.ndarray, name: str, put: np.ndarray, **how: Any) -> None:
    """A line through the places of a body, broken where there are none and where it was put."""
    axes.plot(*np.insert(problem.scene(rows).xy(name), put[put < len(rows)], np.nan, axis=0).T, **how)


def _disc(axes: Any, problem: Problem, truth: np.ndarray, name: str, colour: str) -> None:
    """A body where it is at the end."""
    from matplotlib.patches import Circle

    place, radius = problem.scene(truth[-1:]).xy(name)[0], problem.world.slot(name).radius
    axes.add_patch(Circle(tuple(place), radius, facecolor=colour, edgecolor=INK, lw=0.7, zorder=6))
