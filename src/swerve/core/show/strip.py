"""A body of a recording at several moments, seen from behind, from the side or from above.

The eye goes with the body: it looks along its heading, across it or down on it. Parts are drawn where there
are any, so that legs pedal, bars turn and bodies lean; otherwise the body's own box.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..attitude import COLUMNS, turned
from ..errors import BadInput, require
from ..recording import Recording
from .figures import ACCENT, INK, SECOND, WARM, figure
from .view import shape_of

SIDES = ("behind", "side", "above")
MOMENTS = 7
MOST_MOMENTS = 24
GREY = "#6b7785"


def write_strip(
    recording: Recording,
    path: str | Path,
    side: str,
    body: int | None = None,
    moments: int = MOMENTS,
    title: str | None = None,
) -> Path:
    """Draw `moments` of `body` (by default the first with parts) from a `side`, evenly over its time."""
    require(side in SIDES, "side", side, f"must be one of {', '.join(SIDES)}")
    require(1 <= moments <= MOST_MOMENTS, "moments", moments, f"must lie within 1 and {MOST_MOMENTS}")
    who = _first(recording) if body is None else body
    whole = recording.whole()
    whole = whole.where(whole["id"] == who)
    if not len(whole):
        raise BadInput("body", who, "is not in the recording")
    parts = recording.parts(who)
    picked = np.unique(np.linspace(0, len(whole) - 1, moments).round().astype(int))
    frames = [_frame(whole, parts, int(k), side) for k in picked]
    low = np.min([shadow.min(axis=0) for shapes in frames for _, shadow in shapes], axis=0) - 0.1
    high = np.max([shadow.max(axis=0) for shapes in frames for _, shadow in shapes], axis=0) + 0.1
    wide, tall = high - low
    size = (min(24.0, max(1.3, 2.0 * wide / tall) * len(frames) + 0.6), 3.2)
    with figure(path, size=size, columns=len(frames), sharey=True, squeeze=False) as axes:
        axes = np.ravel(axes)
        for ax, k, shapes in zip(axes, picked, frames, strict=True):
            for colour, shadow in shapes:
                clear = 0.3 if colour in (INK, GREY) else 0.92  # boxes round machines hold much air
                ax.fill(
                    *_hull(shadow).T, facecolor=(colour, clear), edgecolor=INK, lw=2 if colour == INK else 0.5
                )
            if side != "above":
                ax.axhline(0, color=INK, lw=1)
            ax.set_aspect("equal")
            ax.set_xlim(low[0], high[0])
            ax.set_ylim(low[1], high[1])
            ax.set_xticks([])
            ax.set_title(f"{whole['t'][k]:.1f} s", fontsize=10)
        axes[0].set_ylabel("ahead [m]" if side == "above" else "height [m]")
        name = title if title is not None else str(recording.meta.get("scene") or "")
        axes[0].figure.suptitle(f"{name}, from {'the side' if side == 'side' else side}".lstrip(", "))
    return Path(path)


def _first(recording: Recording) -> int:
    """The first body that has parts, or else the first body."""
    owners = recording.parts()["parent"] if "parent" in recording.columns else np.empty(0, dtype=int)
    return int(owners.min() if len(owners) else recording.whole()["id"].min())


def _frame(whole: Recording, parts: Recording, k: int, side: str) -> list[tuple[str, np.ndarray]]:
    """Colours and shadows (p, 2) of what is seen at row `k`, the farthest first."""
    rows = np.flatnonzero(parts["t"] == whole["t"][k]) if len(parts) else np.empty(0, dtype=int)
    shown, rows = (parts, rows) if len(rows) else (whole, np.array([k]))
    yaw = float(whole.heading[k])
    ahead = np.array([np.cos(yaw), np.sin(yaw), 0.0])
    right, up = np.array([np.sin(yaw), -np.cos(yaw), 0.0]), np.array([0.0, 0.0, 1.0])
    across, upward, away = {
        "behind": (right, up, ahead),
        "side": (ahead, up, right),
        "above": (right, ahead, -up),
    }[side]  # the side is the right one
    away = -away if side == "side" else away
    middle = np.array([whole["x"][k], whole["y"][k], 0.0])
    found = []
    for row in rows:
        corners = _solid(shown, int(row)) - middle
        name = str(shown["part"][row]) if "part" in shown.columns else ""
        depth = float(corners.mean(axis=0) @ away)
        found.append((depth, _colour(name), np.column_stack([corners @ across, corners @ upward])))
    return [(colour, shadow) for _, colour, shadow in sorted(found, key=lambda item: -item[0])]


def _solid(recording: Recording, row: int) -> np.ndarray:
    """Points (p, 3) on a body or a part: wheels and round bodies are discs, or balls where they are as high
    as wide; the rest are boxes with their edges taken off."""
    half = np.array([recording[name][row] for name in ("length", "width", "height")]) / 2
    around = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    kind, part = str(recording["kind"][row]), "part" in recording.columns and recording["part"][row]
    whole = not part and shape_of(kind, 2 * half[0], 2 * half[1]) == "disc"
    if kind == "wheel":
        ring = np.column_stack([np.cos(around), np.zeros(24), np.sin(around)])
        local = np.concatenate([ring + np.array([0.0, s, 0.0]) for s in (-1.0, 1.0)]) * half
    elif whole and half[2] < 0.99 * half[0]:
        ring = np.column_stack([np.cos(around), np.sin(around), np.zeros(24)])
        local = np.concatenate([ring + np.array([0.0, 0.0, s]) for s in (-1.0, 1.0)]) * half
    else:
        u, v = (grid.ravel() for grid in np.meshgrid(around, np.linspace(0.05, np.pi - 0.05, 9)))
        ball = np.column_stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])
        local = (ball if whole else np.sign(ball) * np.sqrt(np.abs(ball))) * half
    turn = np.array([recording[name][row] for name in COLUMNS])
    place = np.array([recording[name][row] for name in "xyz"])
    return turned(np.broadcast_to(turn, (len(local), 4)), local) + place


def _colour(part: str) -> str:
    first = part.split()[0] if part else ""
    if "wheel" in part:
        return INK
    if first in ("frame", "fork", "crank", "handlebar"):
        return GREY
    return {"left": ACCENT, "right": SECOND}.get(first, WARM)


def _hull(points: np.ndarray) -> np.ndarray:
    from scipy.spatial import ConvexHull, QhullError

    try:
        return points[ConvexHull(points).vertices]
    except QhullError:  # seen edge on
        return points
