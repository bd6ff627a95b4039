"""Pictures of search trees: where every body went in any branch, and the solution on top of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from swerve.core.show.figures import (
    ACCENT,
    INK,
    boxes,
    figure,
    plain_map,
    round_length,
    scale_bar,
)
from swerve.core.show.view import (
    AREA_COLOURS,
    LINE_COLOURS,
    OTHER_AREA,
    OTHER_LINE,
    colours_of,
)

from .bodies import Motion, Role
from .plan import TacticsPlan
from .pools import NOBODY
from .problem import Problem
from .record import ending_upright, is_cube, kind_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "#8d959d"
MOMENTS = 7  # at which bodies on hinges are drawn along their motion
SMALL = 0.012  # of the picture's width: what is smaller is marked by a dot


def draw_tree(plan: TacticsPlan, path: str | Path, title: str | None = None) -> Path:
    """The whole tree from above, one colour a body, the way of the solution dark on top."""
    from matplotlib.collections import LineCollection

    problem, tree = plan.problem, plan.tree
    assert problem is not None and tree is not None
    colours = {name: colour for name, colour in body_colours(problem).items() if name in problem.show}
    nodes = np.flatnonzero(tree.alive[: tree.count] & (tree.parent[: tree.count] != NOBODY))
    here, above = problem.scene(tree.rows[nodes]), problem.scene(tree.rows[tree.parent[nodes]])
    points = [np.array(area["points"], dtype=float) for area in problem.scenery.get("areas", ())]
    around = np.vstack(points) if points else here.xy(problem.ego)
    (x0, y0), (x1, y1) = around.min(axis=0), around.max(axis=0)
    tall = float(np.clip((y1 - y0) / (x1 - x0), 0.35, 1.3))
    with figure(path, (8.4, 8.4 * tall + 1.5)) as axes:
        for area, corners in zip(problem.scenery.get("areas", ()), points, strict=True):
            axes.fill(*corners.T, color=AREA_COLOURS.get(area["role"], OTHER_AREA), lw=0, zorder=0)
        for line in problem.scenery.get("lines", ()):
            colour = LINE_COLOURS.get(line["role"], OTHER_LINE)
            axes.plot(*np.array(line["points"], dtype=float).T, color=colour, lw=1.2, zorder=1)
        faint = float(np.clip(600 / max(len(nodes), 1), 0.12, 0.8))
        for name, colour in colours.items():
            ends = np.stack([above.xy(name), here.xy(name)], axis=1)
            axes.add_collection(
                LineCollection(list(ends), colors=colour, lw=0.7, alpha=faint, zorder=2), autolim=False
            )
            axes.plot([], [], color=colour, lw=2, label=name)
        _draw_others(axes, plan, SMALL * (x1 - x0))
        if len(plan.nodes):
            way = problem.scene(plan.rows)
            for name, colour in colours.items():
                axes.plot(*way.xy(name).T, color="white", lw=3.6, zorder=3, solid_capstyle="round")
                axes.plot(*way.xy(name).T, color=colour, lw=2.0, zorder=3, solid_capstyle="round")
                _draw_body(axes, problem, name, plan.rows[0], "white", SMALL * (x1 - x0))
            for name, colour in colours.items():
                _draw_body(axes, problem, name, plan.rows[-1], colour, SMALL * (x1 - x0))
        else:
            for name in colours:
                _draw_body(axes, problem, name, problem.start, "white", SMALL * (x1 - x0))
        axes.set_xlim(x0 - 0.02 * (x1 - x0), x1 + 0.02 * (x1 - x0))
        axes.set_ylim(y0 - 0.08 * (y1 - y0), y1 + 0.02 * (y1 - y0))
        plain_map(axes)
        scale_bar(axes, round_length(0.2 * (x1 - x0)), y=0.015)
        found = f"solved, {plan.duration:.1f} s long" if plan.solved else "not solved"
        axes.set_title(title or f"{problem.name}: {tree.alive_nodes} nodes, {found}")
        if problem.show:
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=len(problem.show))
    return Path(path)


def body_colours(problem: Problem) -> dict[str, str]:
    """Of all bodies that move, by name: those that they have in recordings."""
    names = [body.name for body in problem.world.bodies if body.role is not Role.STATIC]
    ego = names.index(problem.ego) if problem.ego in names else None
    return dict(zip(names, colours_of([kind_of(problem.world, name) for name in names], ego), strict=True))


def bar_moments(n: int) -> np.ndarray:
    """Which of n states bars on hinges are drawn at: from the first to the last, a few."""
    return np.unique(np.linspace(0, n - 1, MOMENTS).round().astype(int))


def _draw_others(axes: Axes, plan: TacticsPlan, small: float) -> None:
    """Bodies that move but whose ways are not drawn: bars on hinges along their motion, others at the end.

    Small dots show where the other bodies are at the moments at which bars are drawn.
    """
    problem = plan.problem
    assert problem is not None
    rows = plan.rows if len(plan.nodes) else problem.start[None]
    for body in problem.world.bodies:
        if body.role is Role.STATIC or body.name in problem.show:
            continue
        if is_cube(problem.world, body.name):
            _draw_cube(axes, plan, body.name, rows[-1])
        elif problem.world.slot(body.name).motion is Motion.TURNING:
            moments = bar_moments(len(rows))
            for k, moment in enumerate(moments):
                faint = 0.12 + 0.5 * (k + 1) / len(moments)
                _draw_body(axes, problem, body.name, rows[moment], GREY, small, faint, layer=1.5)
            for name in problem.show:
                places = problem.scene(rows[moments]).xy(name)
                axes.plot(*places.T, "o", ms=3.5, mfc="white", mec=INK, mew=0.6, zorder=3.5)
        else:
            _draw_body(axes, problem, body.name, rows[-1], GREY, small)


def _draw_body(
    axes: Axes,
    problem: Problem,
    name: str,
    row: np.ndarray,
    face: str,
    small: float,
    alpha: float = 1.0,
    layer: float = 4.0,
) -> None:
    """A body as it is seen from above: a box as a box, something round as a disc, a small one as a dot."""
    from matplotlib.patches import Circle

    world, scene = problem.world, problem.scene(row[None])
    slot = world.slot(name)
    on_joint = slot.motion in (Motion.JOINTED, Motion.TURNING)
    (x, y), *_ = scene.middle(name)[:, :2] if on_joint else scene.xy(name)
    style = {"facecolor": face, "edgecolor": INK, "lw": 0.6, "alpha": alpha, "zorder": layer}
    if world.is_box(name):
        long, wide, _ = world.size(name)
        boxes(axes, np.array([x, y, scene.heading(name)[0]]), long, wide, **style)
    elif slot.radius < small:
        axes.plot(x, y, "o", ms=7, mfc=face, mec=INK, alpha=alpha, zorder=layer)
    else:
        axes.add_patch(Circle((x, y), slot.radius, **style))


def _draw_cube(axes: Axes, plan: TacticsPlan, name: str, row: np.ndarray) -> None:
    """The square that a lying cube is from above."""
    assert plan.problem is not None
    slot, edge = plan.problem.world.slot(name), plan.problem.world.size(name)[0]
    attitude = ending_upright(row[None, slot.qpos + 3 : slot.qpos + 7])[0]
    heading = 2 * np.arctan2(attitude[3], attitude[0])
    pose = np.array([*row[slot.qpos : slot.qpos + 2], heading])
    boxes(axes, pose, edge, edge, facecolor=ACCENT, edgecolor=INK, lw=0.4, zorder=2)
