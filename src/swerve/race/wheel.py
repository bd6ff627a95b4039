"""How fast the wheel turns in a move tree, in its clips and where one follows another."""

from __future__ import annotations

import numpy as np

from swerve.core.clips import Clip
from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary

from .car import MAX_STEER_RATE

ROUNDING = 1e-9  # of the rate


def steer_rate(tree: MotionLibrary) -> float:
    """[rad/s] at most, seams included; 0 for other bodies than cars, and where no clip tells its controls.

    >>> from swerve.race import load_tree
    >>> steer_rate(load_tree("large")) < 4.0
    True
    """
    return tree.once("steer rate", lambda: max((rate for rate, _ in _places(tree)), default=0.0))


def check_wheel(tree: MotionLibrary) -> None:
    """Refuse a tree that turns the wheel faster than hands do."""
    if steer_rate(tree) > MAX_STEER_RATE * (1 + ROUNDING):
        rate, where = max(_places(tree))
        why = f"turns the wheel too fast {where}: at most {MAX_STEER_RATE:g} rad/s, got {rate:.1f}"
        raise BadInput(f"move tree {tree.name}", None, f"{why}; build it again")


def _places(tree: MotionLibrary) -> list[tuple[float, str]]:
    """How fast the wheel turns, clip by clip and node by node, and where that is."""
    if "outline" in tree.meta:
        return []
    places = [
        (float(np.abs(np.diff(clip.controls[:, 0])).max()) / tree.dt, f"in {clip.name}")
        for clip in tree.clips
        if clip.frames > 1 and clip.controls.size
    ]
    for node, name in enumerate(tree.node_names):
        last = _wheels(tree, np.flatnonzero(tree.target == node), -1)
        first = _wheels(tree, tree.out_of(node), 0)
        if len(last) and len(first):
            jump = max(last.max() - first.min(), first.max() - last.min())
            places.append((float(jump) / tree.dt, f"at {name}"))
    return places


def check_joins(tree: MotionLibrary, clip: Clip, source: int, target: int) -> None:
    """Refuse a clip between two nodes of a tree whose wheel is too far from where that of others is there."""
    if not clip.controls.size:
        return
    first, last = float(clip.controls[0, 0]), float(clip.controls[-1, 0])
    before, after = (
        _wheels(tree, np.flatnonzero(tree.target == source), -1),
        _wheels(tree, tree.out_of(target), 0),
    )
    itself = [last] if source == target else []
    for end, angle, others in (("start", first, [*before, *itself]), ("end", last, list(after))):
        reach = MAX_STEER_RATE * tree.dt * (1 + ROUNDING)
        far = max((abs(angle - other) for other in others), default=0.0)
        if far > reach:
            near = f"the wheel is {far:.2f} rad from that of a clip it would meet, beyond {reach:.2f} a frame"
            raise BadInput(f"clip {clip.name}, its {end}", None, near)


def _wheels(tree: MotionLibrary, clips: np.ndarray, frame: int) -> np.ndarray:
    """Steering in the first (0) or last (−1) frame of the clips that tell it."""
    return np.array([tree.clips[k].controls[frame, 0] for k in clips if tree.clips[k].controls.size])
