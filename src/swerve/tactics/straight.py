"""Whether bodies are where their columns of a state row say.

A planar body is read off its row as x and y from where it begins, and its heading; a turning one as its
heading. That holds only where the MJCF neither turns them, nor shifts their joints. MuJoCo itself is asked,
at other values of the joints, so that frames, axes, anchors and references are all seen.
"""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from swerve.core.errors import BadInput

from .shape import link_poses

AWAY = (0.7, -0.4, 0.9)  # [m, m, rad] values of joints at which it is tried
CLOSE = 1e-6  # [m], and of a quaternion


def standing(model: mujoco.MjModel, body: int) -> tuple[np.ndarray, float]:
    """Where a body without joints stands, in the world: its place (3,) and its heading."""
    (place,), (turn,) = link_poses(model, body, model.qpos0[None])
    w, x, y, z = turn
    return place, float(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


def check_straight(model: mujoco.MjModel, planar: Mapping[str, int], turning: Mapping[str, int]) -> None:
    """Refuse bodies, given by name with their first column of generalised positions, that are elsewhere."""
    if not (planar or turning):
        return
    data = mujoco.MjData(model)
    data.qpos[:] = model.qpos0
    for at in planar.values():
        data.qpos[at : at + 3] = AWAY
    for at in turning.values():
        data.qpos[at] = AWAY[2]
    mujoco.mj_kinematics(model, data)
    heading = Rotation.from_euler("z", AWAY[2]).as_quat(scalar_first=True)
    for name in (*planar, *turning):
        body = data.body(name)
        place = model.body(name).pos + ([*AWAY[:2], 0.0] if name in planar else 0.0)
        off = np.abs(body.xpos - place).max(), 1.0 - abs(float(body.xquat @ heading))
        if max(off) > CLOSE:
            why = "its MJCF must not turn it (euler, quat), nor shift its joints (pos, ref): use place"
            raise BadInput(f"body {name}", None, why)
