"""What an MJCF says before it is compiled: how bodies can move, which are balls, and sensors that we add."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

import mujoco
import numpy as np

from swerve.core.errors import BadInput

from .sound import hush

JOINT = mujoco.mjtJoint
_JOINTS = {
    JOINT.mjJNT_FREE: "free",
    JOINT.mjJNT_SLIDE: "slide",
    JOINT.mjJNT_HINGE: "hinge",
    JOINT.mjJNT_BALL: "ball",
}


class Motion(Enum):
    """How a body can move."""

    NONE = "none"
    FREE = "free"
    PLANAR = "planar"
    TURNING = "turning"
    JOINTED = "jointed"


def motion_of(body: mujoco.MjsBody) -> Motion:
    """How a body can move, by its joints and its parents'."""
    carried, parent = False, body.parent
    while parent is not None and parent.parent is not None:
        carried, parent = carried or bool(parent.joints), parent.parent
    kinds = tuple(_JOINTS[JOINT(int(joint.type))] for joint in body.joints)
    if not kinds and not carried:
        return Motion.NONE
    if kinds == ("free",):
        return Motion.FREE
    if carried or body.parent.parent is not None:
        return Motion.JOINTED
    axes = np.array([joint.axis / np.linalg.norm(joint.axis) for joint in body.joints]).round(9)
    if kinds == ("slide", "slide", "hinge") and np.array_equal(axes, np.eye(3)):
        return Motion.PLANAR
    if kinds == ("hinge",) and np.array_equal(axes[0], [0.0, 0.0, 1.0]) and _plain(body):
        return Motion.TURNING
    return Motion.JOINTED


def _plain(body: mujoco.MjsBody) -> bool:
    """Whether a body on a hinge begins unturned, with the hinge at its origin."""
    (hinge,) = body.joints
    turned = body.alt.type != mujoco.mjtOrientation.mjORIENTATION_QUAT or np.any(body.quat != [1, 0, 0, 0])
    return not (turned or np.any(hinge.pos) or hinge.ref or body.frame)


def is_ball(body: mujoco.MjsBody) -> bool:
    """Whether a body is one sphere that moves freely about its own middle."""
    geoms, joints = list(body.geoms), list(body.joints)
    return (
        len(geoms) == len(joints) == 1
        and geoms[0].type == mujoco.mjtGeom.mjGEOM_SPHERE
        and joints[0].type == JOINT.mjJNT_FREE
        and not np.any(geoms[0].pos)
    )


def read_spec(mjcf: str, folder: str | Path | None) -> mujoco.MjSpec:
    """The MJCF before it is compiled, without its own sensors; `folder` holds its meshes."""
    hush()
    try:
        spec = mujoco.MjSpec.from_string(mjcf)
    except ValueError as error:
        raise BadInput("MJCF", None, f"does not parse ({error})") from error
    if folder is not None:
        spec.modelfiledir = str(folder)
    for sensor in list(spec.sensors):  # ours are read by their place
        spec.delete(sensor)
    return spec


def add_sensor(spec: mujoco.MjSpec, first: str, second: str | None, force: bool) -> None:
    """A contact sensor: whether two bodies touch, and for a bounce with what force, where and which way."""
    found, with_force = 1, 0b111011  # found; found, force, distance, position, normal
    sensor = spec.add_sensor(
        type=mujoco.mjtSensor.mjSENS_CONTACT, objtype=mujoco.mjtObj.mjOBJ_BODY, objname=first
    )
    if second is not None:
        sensor.reftype, sensor.refname = mujoco.mjtObj.mjOBJ_BODY, second
    sensor.intprm[:3] = (with_force if force else found, 2, 1)  # the strongest contact, one of them


def add_frame_sensors(spec: mujoco.MjSpec, name: str) -> None:
    """Where a body is, how it moves and how it turns, nine numbers in the world's axes."""
    for kind in ("FRAMEPOS", "FRAMELINVEL", "FRAMEANGVEL"):
        what = getattr(mujoco.mjtSensor, f"mjSENS_{kind}")
        spec.add_sensor(type=what, objtype=mujoco.mjtObj.mjOBJ_XBODY, objname=name)
