"""A whole recording in one picture: the place, the ways taken coloured by speed, and the bodies."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..recording import Recording
from .figures import ACCENT, INK, PAPER, SECOND, WARM, figure, heading, plain_map, round_length, scale_bar
from .sprites import ellipse, rounded, sprites
from .view import AREA_COLOURS, LINE_COLOURS, OTHER_AREA, OTHER_LINE, View, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPEED_COLOURS = (SECOND, "#7a5195", ACCENT, WARM)  # slow to fast
BETWEEN, BETWEEN_SLIDING = 1.0, 0.3  # [s] between two outlines of the ego


def write_picture(recording: Recording, path: str | Path, title: str | None = None) -> Path:
    """Draw the recording as PNG, SVG or PDF, by the ending of `path`.

    The ego is outlined about every second and more often while it slides; every body stands where it was
    seen last.
    """
    view = look(recording, most=20_000)
    x0, y0, x1, y1 = view.bounds()
    y0 -= 0.05 * (y1 - y0)  # room for the scale bar
    tall = float(np.clip((y1 - y0) / (x1 - x0), 0.3, 1.3))
    width = 9.0 if tall < 1 else 9.0 / tall
    with figure(path, size=(width, 0.88 * width * tall + 0.4)) as axes:
        axes.set_xlim(x0, x1)
        axes.set_ylim(y0, y1)
        plain_map(axes)
        draw_scene(axes, view)
        draw_trails(axes, view)
        if view.ego is not None:
            draw_outlines(axes, view, view.ego)
        _draw_last(axes, view)
        scale_bar(axes, round_length(0.2 * (x1 - x0)), y=0.015)
        name = title if title is not None else str(recording.meta.get("scene") or "")
        heading(axes, f"{name}  {view.times[-1] - view.times[0]:.1f} s".strip())
    return Path(path)


def draw_scene(axes: Axes, view: View) -> None:
    for area in view.areas:
        axes.fill(*area.points.T, color=AREA_COLOURS.get(area.role, OTHER_AREA), lw=0, zorder=0)
    styles: dict[str, dict[str, Any]] = {
        "wall": {"lw": 1.4},
        "centre": {"lw": 0.9, "ls": (0, (5, 6))},
        "path": {"lw": 1.1, "ls": (0, (5, 3))},
        "finish": {"lw": 3.0, "ls": (0, (0.6, 0.6))},
    }
    for line in view.lines:
        colour = LINE_COLOURS.get(line.role, OTHER_LINE)
        axes.plot(*line.points.T, color=colour, zorder=1, **styles.get(line.role, {"lw": 0.8}))


def draw_trails(axes: Axes, view: View) -> None:
    """The way of every body, coloured by speed, with a bar that says which colour is how fast."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    joined = view.joined()
    ends = np.stack([view.x, view.y], -1)
    segments = np.stack([ends[:, :-1], ends[:, 1:]], -2)
    speed = (view.speed[:, 1:] + view.speed[:, :-1]) / 2
    if not joined.any():
        return
    scale = Normalize(0.0, max(float(speed[joined].max()), 1e-3))
    colours = LinearSegmentedColormap.from_list("speed", SPEED_COLOURS)
    chosen = np.zeros(len(view.bodies), bool)
    chosen[view.followed] = view.ego is not None
    faint = 0.45 if len(view.bodies) < 40 else 0.25
    for rows, width, alpha in ((~chosen, 1.1, faint if chosen.any() else 0.8), (chosen, 2.2, 1.0)):
        wanted = joined & rows[:, None]
        drawn = LineCollection(
            list(segments[wanted]),
            cmap=colours,
            norm=scale,
            lw=width,
            alpha=alpha,
            zorder=2,
            capstyle="round" if alpha == 1 else "butt",
        )
        drawn.set_array(speed[wanted])
        axes.add_collection(drawn, autolim=False)
    bar = axes.figure.colorbar(
        ScalarMappable(scale, colours), ax=axes, shrink=0.45, pad=0.015, aspect=22, label="speed [m/s]"
    )
    bar.outline.set_visible(False)


def draw_outlines(axes: Axes, view: View, ego: int) -> None:
    """The ego's box about every second, more often in a slide, never where it would cover itself."""
    from matplotlib.collections import PolyCollection

    body = view.bodies[ego]
    sliding = view.sliding[ego]
    kept: list[int] = []
    for i in np.flatnonzero(view.present[ego]):
        wait = BETWEEN_SLIDING if sliding[i] else BETWEEN
        if kept:
            moved = np.hypot(view.x[ego, i] - view.x[ego, kept[-1]], view.y[ego, i] - view.y[ego, kept[-1]])
            if view.times[i] - view.times[kept[-1]] < wait - 1e-9 or moved < 0.6 * body.length:
                continue
        kept.append(int(i))
    outline = ellipse if body.is_round else partial(rounded, share=0.24)
    world = (
        outline(body.length, body.width) @ np.array([1, 1j]) * np.exp(1j * view.heading[ego, kept])[:, None]
    )
    world += (view.x[ego, kept] + 1j * view.y[ego, kept])[:, None]
    boxes = PolyCollection(
        list(np.stack([world.real, world.imag], -1)),
        facecolors=[(*_rgb(ACCENT), 0.28) if sliding[i] else (*_rgb(PAPER), 0.7) for i in kept],
        edgecolors=INK,
        lw=0.7,
        zorder=3,
    )
    axes.add_collection(boxes, autolim=False)


def _draw_last(axes: Axes, view: View) -> None:
    """Every body where it was seen last."""
    from matplotlib.collections import PolyCollection

    frames = view.present.shape[1] - 1 - np.argmax(view.present[:, ::-1], axis=1)
    rows = np.arange(len(view.bodies))
    turned = np.exp(1j * view.heading[rows, frames])
    place = (view.x + 1j * view.y)[rows, frames]
    extent = max(view.bounds()[2] - view.bounds()[0], view.bounds()[3] - view.bounds()[1])
    for part in sprites(view.bodies, least=extent / 130):
        on = (view.flags[rows, frames][part.bodies] & part.when > 0) | (part.when == 0)
        local = part.outlines[on] @ np.array([1, 1j])
        world = local * turned[part.bodies[on], None] + place[part.bodies[on], None]
        shapes = PolyCollection(
            list(np.stack([world.real, world.imag], -1)),
            facecolors=part.fill,
            edgecolors=part.edge or "none",
            lw=0.4,
            alpha=part.alpha,
            zorder=4,
        )
        axes.add_collection(shapes, autolim=False)


def _rgb(colour: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(colour)
