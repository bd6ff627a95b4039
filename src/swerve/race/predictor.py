"""A move tree as a predictor: a clip laid down where a body is tells where it gets.

Any motion library will do: a move tree of the sliding car, or the clips of a mobility map.
"""

from __future__ import annotations

import numpy as np

from swerve.core.clips import body_velocity
from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary
from swerve.core.motion import Motion


class TreePredictor:
    """Where clips of `tree` lead. A command is the number of a clip; those that fit a body start from the
    node nearest to it.

    >>> from .trees import load_tree
    >>> predictor = TreePredictor(load_tree("five"))
    >>> one = Motion.planar(x=[100.0], y=[0.0], vx=predictor.tree.node_velocity[:1, 0])
    >>> clip = predictor.clips_from(one)[0][:1]
    >>> bool(predictor.foresee(one, clip, np.array([0.2]))[0, 0, 0] > 100.0)
    True
    """

    def __init__(self, tree: MotionLibrary):
        self.tree = tree

    def nearest(self, motion: Motion) -> np.ndarray:
        """The node (n,) whose velocity is nearest to each body's own, in its frame."""
        rows = np.column_stack([motion.pose, motion.vx, motion.vy, motion.yaw_rate])
        apart = np.abs(body_velocity(rows)[:, None] - self.tree.node_velocity[None]).sum(-1)
        return np.argmin(apart, axis=1)

    def clips_from(self, motion: Motion) -> list[np.ndarray]:
        """For every body, the clips that start from its nearest node."""
        return [self.tree.out_of(int(node)) for node in self.nearest(motion)]

    def foresee(self, motion: Motion, commands: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Poses (n, k, 3) of bodies that each play a clip from here; at its end they go on as it ends."""
        chosen, times = np.asarray(commands).reshape(len(motion)), np.asarray(times, dtype=np.float64)
        bad = chosen[(chosen < 0) | (chosen >= len(self.tree.clips))]
        if len(bad):
            raise BadInput("clip", int(bad[0]), f"must be one of the {len(self.tree.clips)} clips")
        out = np.empty((len(motion), len(times), 3))
        for i, (clip, pose) in enumerate(
            zip((self.tree.clips[int(k)] for k in chosen), motion.pose, strict=True)
        ):
            frames = np.minimum(times / clip.dt, clip.frames)
            way = np.column_stack([np.interp(frames, np.arange(clip.frames + 1), c) for c in clip.pose.T])
            u, v, rate = clip.velocity[-1]
            beyond, heading = np.maximum(times - clip.duration, 0.0), clip.pose[-1, 2]
            moved = (u + 1j * v) * np.exp(1j * (heading + 0.5 * rate * beyond)) * beyond
            place = (way[:, 0] + 1j * way[:, 1] + moved) * np.exp(1j * pose[2])
            out[i] = np.column_stack(
                [pose[0] + place.real, pose[1] + place.imag, pose[2] + way[:, 2] + rate * beyond]
            )
        return out
