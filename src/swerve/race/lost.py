"""What turning towards a far point and reaching top speed lose, exactly, for a tree in open space."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel
from swerve.core.library import MotionLibrary

BINS = 72  # headings the turn table knows
SETTLED = 200  # rounds of iteration after which only a steady loss goes on
UNREACHED = 1e6  # [frames] where nothing leads on


def lost_frames(tree: MotionLibrary) -> np.ndarray:
    """Frames lost (nodes, BINS) on the way to a far point that lies `bin` to the left of the nose.

    In open space the time to a far point is distance over top speed plus what turning and accelerating
    lose: L(node, θ) = min over clips of frames − advance/top + L(target, θ − turn), solved by iteration.

    A tree whose turns are multiples of 10° never faces a goal that lies 5° beside them, and loses a little
    with every clip; this steady loss is the same whatever is chosen, and is taken out.
    """
    top = tree.top_speed * tree.dt
    angle = 2 * np.pi * np.arange(BINS) / BINS
    end = np.array([clip.pose[-1] for clip in tree.clips])
    frames = np.array([clip.frames for clip in tree.clips])
    cost = frames[:, None] - (np.cos(angle) * end[:, :1] + np.sin(angle) * end[:, 1:2]) / top
    shift = np.round(end[:, 2] * BINS / (2 * np.pi)).astype(np.int64)
    ways = np.column_stack([tree.source, tree.target, shift])[tree.target >= 0]
    return _settle(cost[tree.target >= 0], ways, len(tree.node_names))


@kernel
def _settle(cost: np.ndarray, ways: np.ndarray, nodes: int) -> np.ndarray:
    lost = np.zeros((nodes, BINS))
    halfway = lost
    for count in range(2 * SETTLED):
        if count == SETTLED:
            halfway = lost
        better = np.full((nodes, BINS), UNREACHED)
        for k in range(ways.shape[0]):
            a, b, shift = ways[k, 0], ways[k, 1], ways[k, 2]
            for i in range(BINS):
                better[a, i] = min(better[a, i], cost[k, i] + lost[b, (i - shift) % BINS])
        better -= better.min()
        change = np.abs(better - lost).max()
        lost = better
        if change < 1e-6:
            return lost
    steady = (lost - halfway) / SETTLED
    lost = lost - 2 * SETTLED * steady
    return lost - lost.min()
