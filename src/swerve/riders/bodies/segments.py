"""What a cyclist in full physics is made of, for recordings: limbs, frame, fork, crank, wheels, as boxes."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from swerve.core.attitude import angles, turned
from swerve.core.bodies import Parts
from swerve.core.motion import Motion

CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
THIN = 0.02  # [m] least size of a box: a wheel is thinner than can be seen


@dataclass(frozen=True)
class Segments:
    """k bodies of a model: their numbers there, names, and boxes around their shapes in their own axes."""

    bodies: np.ndarray  # (k,)
    names: np.ndarray  # (k,)
    middle: np.ndarray  # (k, 3) [m]
    outline: np.ndarray  # (k, 3) [m]

    @classmethod
    def of(cls, model: mujoco.MjModel) -> Segments:
        bodies, middles, sizes = [], [], []
        for body in range(1, model.nbody):
            first, count = model.body_geomadr[body], model.body_geomnum[body]
            shapes = range(first, first + count) if count else ()
            corners = [
                model.geom_pos[g] + turned(model.geom_quat[g], middle + CORNERS * half)
                for g in shapes
                for middle, half in [np.split(model.geom_aabb[g], 2)]
            ]
            if corners:
                low, high = np.concatenate(corners).min(axis=0), np.concatenate(corners).max(axis=0)
                bodies.append(body)
                middles.append((low + high) / 2)
                sizes.append(np.maximum(high - low, THIN))
        names = np.array([model.body(body).name for body in bodies], dtype=object)
        return cls(np.array(bodies), names, np.array(middles), np.array(sizes))

    def placed(self, data: mujoco.MjData, qpos: np.ndarray, qvel: np.ndarray) -> Parts:
        """Where the parts of n riders are, from their coordinates (n, nq) and velocities (n, nv); `data` is
        written over."""
        places, turns = [], []
        for row in qpos:
            data.qpos[:] = row
            mujoco.mj_kinematics(data.model, data)
            turn = data.xquat[self.bodies]
            places.append(data.xpos[self.bodies] + turned(turn, self.middle))
            turns.append(turn)
        n, k = len(qpos), len(self.bodies)
        x, y, z = np.concatenate(places).T
        yaw, pitch, roll = angles(np.concatenate(turns))
        vx, vy, vz = np.repeat(qvel[:, :3], k, axis=0).T
        motion = Motion(x, y, z, yaw, pitch, roll, vx, vy, vz, np.zeros(n * k))
        parent, names = np.repeat(np.arange(n), k), np.tile(self.names, n)
        return Parts(motion, parent, names, np.tile(self.outline, (n, 1)))
