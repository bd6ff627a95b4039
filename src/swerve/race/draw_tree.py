"""Pictures of move trees and motion graphs: all clips of a node fanned out from one car."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from swerve.core.clips import Clip
from swerve.core.library import MotionLibrary
from swerve.core.show.figures import ACCENT, INK, SECOND, WARM, boxes, figure, plain_map, scale_bar

from .car import LENGTH, WIDTH
from .trees import skids

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 7
GRIP, SLIDE, BACK = SECOND, ACCENT, WARM


def draw_tree(tree: MotionLibrary, path: str | Path) -> Path:
    """One panel a node, the busiest first where there are too many; skids stand out, with the car drawn on
    the way. Forward is up.
    """
    slides = skids(tree)
    counts = np.bincount(tree.source, minlength=len(tree.node_names))
    nodes = np.arange(len(counts))
    if len(nodes) > MOST_PANELS:
        nodes = np.argsort(-counts, kind="stable")[:MOST_PANELS]
    if len(nodes) == 1:
        with figure(path, (7.5, 7.0)) as axes:
            _fan(axes, tree, int(nodes[0]), slides)
            _legend(axes, tree, slides)
        return Path(path)
    columns = min(4, len(nodes) + 1)
    rows = -(-(len(nodes) + 1) // columns)
    with figure(path, (4.2 * columns, 4.5 * rows), rows, columns) as grid:
        panels = list(np.ravel(grid))
        for axes, node in zip(panels, nodes, strict=False):
            _fan(axes, tree, int(node), slides)
        for axes in panels[len(nodes) :]:
            axes.axis("off")
        _key(panels[len(nodes)], tree, slides)
    return Path(path)


def _fan(axes: Axes, tree: MotionLibrary, node: int, slides: np.ndarray) -> None:
    plain_map(axes)
    for k in sorted(tree.out_of(node), key=lambda k: bool(slides[k])):
        clip = tree.clips[k]
        colour = _colour(clip, bool(slides[k]))
        x, y = _up(clip.pose)[:, :2].T
        axes.plot(x, y, color=colour, lw=1.3 if slides[k] else 1.1, alpha=0.85, solid_capstyle="round")
        if slides[k]:
            way = _up(clip.pose[6 : clip.frames - 2 : 7])
            boxes(axes, way, LENGTH, WIDTH, facecolor="none", edgecolor=colour, lw=0.5, alpha=0.35)
        end = _up(clip.pose[-1:])
        boxes(axes, end, LENGTH, WIDTH, facecolor=colour, edgecolor="none", alpha=0.16)
        boxes(axes, end, LENGTH, WIDTH, facecolor="none", edgecolor=colour, lw=0.8, alpha=0.8)
    boxes(axes, _up(np.zeros((1, 3))), LENGTH, WIDTH, facecolor="none", edgecolor=INK, lw=1.6, zorder=5)
    _frame(axes, np.concatenate([_up(tree.clips[k].pose) for k in tree.out_of(node)])[:, :2])
    name = tree.node_names[node]
    title = f"{name}, {tree.node_velocity[node, 0]:.0f} m/s" if len(tree.node_names) > 1 else tree.name
    axes.set_title(f"{title} · {len(tree.out_of(node))} clips")


def _frame(axes: Axes, points: np.ndarray) -> None:
    """A square view of `points` (n, 2) with the cars at their ends, and room for the scale bar below."""
    low, high = points.min(axis=0) - LENGTH / 2, points.max(axis=0) + LENGTH / 2
    low[1] -= 0.12 * (high[1] - low[1])
    middle, half = (low + high) / 2, 0.53 * max(high - low)
    axes.set_xlim(middle[0] - half, middle[0] + half)
    axes.set_ylim(middle[1] - half, middle[1] + half)
    scale_bar(axes, next(m for m in (50, 20, 10, 5, 2, 1) if m < half / 1.5 or m == 1))


def _key(axes: Axes, tree: MotionLibrary, slides: np.ndarray) -> None:
    """The panel that is left over: which node leads to which, and what the colours mean."""
    if len(tree.node_names) > MOST_PANELS:
        _legend(axes, tree, slides)
        return
    speeds = tree.node_velocity[:, 0]
    for a in range(len(speeds)):
        for b in range(len(speeds)):
            joining = (tree.source == a) & (tree.target == b)
            for chosen, colour, side in ((joining & ~slides, GRIP, 1), (joining & slides, SLIDE, -1)):
                count = int(chosen.sum())
                if count and a != b:
                    axes.annotate(
                        "",
                        (side * 0.06, speeds[b]),
                        (side * 0.06, speeds[a]),
                        arrowprops={
                            "arrowstyle": "-|>",
                            "color": colour,
                            "lw": 0.4 + 0.25 * count,
                            "alpha": 0.7,
                            "connectionstyle": f"arc3,rad={0.45 * (1 if b > a else -1) * side}",
                        },
                    )
    axes.scatter(np.zeros_like(speeds), speeds, s=90, color=INK, zorder=3)
    for name, speed in zip(tree.node_names, speeds, strict=True):
        axes.annotate(name, (0, speed), (34, 0), textcoords="offset points", va="center", zorder=4)
    axes.set_xlim(-0.8, 1.2)
    axes.set_ylim(speeds.min() - 9, speeds.max() + 2)
    axes.set_title(f"{tree.name} · {len(tree.clips)} clips")
    _legend(axes, tree, slides)


def _legend(axes: Axes, tree: MotionLibrary, slides: np.ndarray) -> None:
    kinds = {_colour(clip, bool(slide)) for clip, slide in zip(tree.clips, slides, strict=True)}
    words = {GRIP: "with grip", SLIDE: "skid, over 20° of sideslip", BACK: "in reverse"}
    for colour, text in words.items():
        if colour in kinds:
            axes.plot([], [], color=colour, lw=2, label=text)
    axes.legend(loc="lower right", fontsize=9)


def _colour(clip: Clip, slide: bool) -> str:
    if clip.velocity[:, 0].min() < -0.1 and not slide:
        return BACK
    return SLIDE if slide else GRIP


def _up(pose: np.ndarray) -> np.ndarray:
    """Poses turned so that forward is up in the picture."""
    return np.stack([-pose[:, 1], pose[:, 0], pose[:, 2] + np.pi / 2], axis=1)
