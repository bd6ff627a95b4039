"""Every segment of a rider and every part of the machine as it stands in the world, for recordings."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco.batch import Batch

from swerve.core import attitude
from swerve.core.bodies import Parts
from swerve.core.motion import Motion


def boxes(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray]:
    """Middle and size (b, 3) [m] of the box round each body's geoms, in the body's frame; b without world."""
    low, high = np.full((model.nbody, 3), np.inf), np.full((model.nbody, 3), -np.inf)
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
        signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
        corners = attitude.turned(model.geom_quat[geom][None], centre + signs * half) + model.geom_pos[geom]
        low[body], high[body] = np.minimum(low[body], corners.min(0)), np.maximum(high[body], corners.max(0))
    least = 0.02  # [m] a disc has no thickness of its own
    return (low[1:] + high[1:]) / 2, np.maximum(high[1:] - low[1:], least)


def parts_of(model: mujoco.MjModel, batch: Batch, box: tuple[np.ndarray, np.ndarray]) -> Parts:
    """The parts of all riders of a batch now; `box` as `boxes` gives it."""
    middle, size = box
    names = ("xquat", "xpos", "cvel", "subtree_com")
    turn, place, moving, mass_at = (batch.bind(name) for name in names)  # filled by what follows
    batch.forward(stage=mujoco.mjtStage.mjSTAGE_VEL)
    turn, place = turn[:, 1:], place[:, 1:]
    centre = place + attitude.turned(turn, np.broadcast_to(middle, place.shape))
    spin, glide = np.split(moving[:, 1:], 2, axis=-1)  # about the root's centre of mass
    velocity = glide + np.cross(spin, centre - mass_at[:, model.body_rootid[1:]])
    n, b = centre.shape[:2]
    yaw, pitch, roll = attitude.angles(turn)
    fields = {
        **dict(zip("xyz", centre.reshape(-1, 3).T.copy(), strict=True)),
        "yaw": yaw.ravel(),
        "pitch": pitch.ravel(),
        "roll": roll.ravel(),
        **dict(zip(("vx", "vy", "vz"), velocity.reshape(-1, 3).T.copy(), strict=True)),
        "yaw_rate": spin[..., 2].ravel().copy(),
    }
    words = np.array([model.body(k).name for k in range(1, model.nbody)], dtype=object)
    return Parts(Motion(**fields), np.repeat(np.arange(n), b), np.tile(words, n), np.tile(size, (n, 1)))
