"""Pictures of search trees: where every body went in any branch, and the solution on top of it."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from swerve.core.show.figures import (
    ACCENT,
    GOOD,
    INK,
    SECOND,
    WARM,
    boxes,
    figure,
    named_colour,
    plain_map,
    scale_bar,
)
from swerve.core.show.view import AREA_COLOURS, LINE_COLOURS, OTHER_AREA, OTHER_LINE, round_length

from .bodies import Motion, Role
from .plan import TacticsPlan
from .record import ending_upright, is_cube
from .tree import NOBODY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = (SECOND, WARM, GOOD, "#7a5195", "#6b7785")


def draw_tree(plan: TacticsPlan, path: str | Path, title: str | None = None) -> Path:
    """The whole tree from above, one colour a body, the way of the solution dark on top."""
    from matplotlib.collections import LineCollection

    problem, tree = plan.problem, plan.tree
    assert problem is not None and tree is not None
    named = {name: named_colour(name) for name in problem.show}
    others = cycle([colour for colour in COLOURS if colour not in named.values()] or COLOURS)
    colours = {name: colour or next(others) for name, colour in named.items()}
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
        _draw_others(axes, plan)
        if len(plan.nodes):
            way = problem.scene(plan.rows)
            for name, colour in colours.items():
                axes.plot(*way.xy(name).T, color="white", lw=3.6, zorder=3, solid_capstyle="round")
                axes.plot(*way.xy(name).T, color=colour, lw=2.0, zorder=3, solid_capstyle="round")
                axes.plot(*way.xy(name)[0], "o", ms=7, mfc="white", mec=INK, zorder=4)
                axes.plot(*way.xy(name)[-1], "o", ms=7, mfc=ACCENT, mec=INK, zorder=4)
        axes.set_xlim(x0 - 0.02 * (x1 - x0), x1 + 0.02 * (x1 - x0))
        axes.set_ylim(y0 - 0.08 * (y1 - y0), y1 + 0.02 * (y1 - y0))
        plain_map(axes)
        scale_bar(axes, round_length(0.2 * (x1 - x0)), y=0.015)
        found = f"solved, {plan.duration:.1f} s long" if plan.solved else "not solved"
        axes.set_title(title or f"{problem.name}: {tree.alive_nodes} nodes, {found}")
        if problem.show:
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=len(problem.show))
    return Path(path)


def _draw_others(axes: Axes, plan: TacticsPlan) -> None:
    """Bodies that move but whose ways are not drawn, where they are at the end."""
    from matplotlib.patches import Circle

    problem = plan.problem
    assert problem is not None
    rows = plan.rows[-1:] if len(plan.nodes) else problem.start[None]
    scene = problem.scene(rows)
    for body in problem.world.bodies:
        if body.role is Role.STATIC or body.name in problem.show:
            continue
        if is_cube(problem.world, body.name):
            _draw_cube(axes, plan, body.name, rows[0])
            continue
        slot, (x, y) = problem.world.slot(body.name), scene.xy(body.name)[0]
        if slot.motion is Motion.TURNING:
            long, wide, _ = problem.world.size(body.name)
            pose = np.array([x, y, scene.heading(body.name)[0]])
            boxes(axes, pose, long, wide, facecolor="#8d959d", edgecolor=INK, lw=0.6, zorder=2)
        else:
            axes.add_patch(Circle((x, y), slot.radius, facecolor="#8d959d", edgecolor=INK, lw=0.6, zorder=2))


def _draw_cube(axes: Axes, plan: TacticsPlan, name: str, row: np.ndarray) -> None:
    """The square that a lying cube is from above."""
    assert plan.problem is not None
    slot, edge = plan.problem.world.slot(name), plan.problem.world.size(name)[0]
    attitude = ending_upright(row[None, slot.qpos + 3 : slot.qpos + 7])[0]
    heading = 2 * np.arctan2(attitude[3], attitude[0])
    pose = np.array([*row[slot.qpos : slot.qpos + 2], heading])
    boxes(axes, pose, edge, edge, facecolor=ACCENT, edgecolor=INK, lw=0.4, zorder=2)
