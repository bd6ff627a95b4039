"""The forms of bodies in a compiled MJCF model: how large, of what kind, and where their links are."""

from __future__ import annotations

import mujoco
import numpy as np
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

GEOM = mujoco.mjtGeom
ROUND = tuple(int(g) for g in (GEOM.mjGEOM_SPHERE, GEOM.mjGEOM_CAPSULE, GEOM.mjGEOM_CYLINDER))


def geoms_of(model: mujoco.MjModel, body: int) -> np.ndarray:
    """Numbers of a body's geoms, the finite ones."""
    mine = np.flatnonzero(model.geom_bodyid == body)
    return mine[model.geom_type[mine] != int(GEOM.mjGEOM_PLANE)]


def corners_of(model: mujoco.MjModel, geom: int) -> np.ndarray:
    """(8, 3) of the box around a geom, in its body's frame [m]."""
    middle, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    turn = Rotation.from_quat(model.geom_quat[geom], scalar_first=True)
    return np.asarray(model.geom_pos[geom] + turn.apply(middle + signs * half))


def size_of(model: mujoco.MjModel, body: int) -> tuple[float, float, float]:
    """Length, width and height of a body in its own frame [m]; zeros for one without finite geoms."""
    geoms = geoms_of(model, body)
    if not len(geoms):
        return (0.0, 0.0, 0.0)
    corners = np.vstack([corners_of(model, int(g)) for g in geoms[:1] if model.geom_type[g] in ROUND] or [
        corners_of(model, int(g)) for g in geoms
    ])  # fmt: skip
    length, width, height = (float(side) for side in np.ptp(corners, axis=0))
    return (length, width, height)


def middle_of(model: mujoco.MjModel, body: int) -> np.ndarray:
    """(3,) the middle of a body's outline in its own frame [m]: links reach away from their joints."""
    corners = [corners_of(model, int(g)) for g in geoms_of(model, body)]
    both = np.vstack(corners) if corners else np.zeros((1, 3))
    return np.asarray(0.5 * (both.min(axis=0) + both.max(axis=0)))


def is_round(model: mujoco.MjModel, body: int) -> bool:
    """Whether a body is round seen from above: its first geom is a sphere, or an upright cylinder."""
    geoms = geoms_of(model, body)
    if not len(geoms) or model.geom_type[geoms[0]] not in ROUND:
        return False
    length, width, _ = size_of(model, body)
    return abs(length - width) < 1e-6 * max(length, 1e-9)


def outline_radius(model: mujoco.MjModel, body: int) -> float:
    """Radius of the smallest circle around a body's middle that holds it, seen from above [m]."""
    widest = 0.0
    for geom in geoms_of(model, body):
        size, middle = model.geom_size[geom], model.geom_pos[geom]
        if model.geom_type[geom] in ROUND and not middle[:2].any():
            widest = max(widest, float(size[0]))
        else:
            widest = max(widest, float(np.hypot(*corners_of(model, int(geom))[:, :2].T).max()))
    return widest


def rectangles(
    model: mujoco.MjModel, body: int, places: np.ndarray, headings: np.ndarray, least: float = 0.0
) -> list[np.ndarray]:
    """Outlines (4, 2) of a body's box-like geoms seen from above, at its places (n, 2), headings (n,).

    Geoms thinner upwards than `least` [m] are left out.
    """
    found = []
    for geom in geoms_of(model, body):
        corners = corners_of(model, int(geom))
        if np.ptp(corners[:, 2]) < least:
            continue
        (x0, y0), (x1, y1) = corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)
        flat = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
        if model.geom_type[geom] == int(GEOM.mjGEOM_BOX):  # its own sides, not those of the frame
            order = np.argsort(np.arctan2(*(corners[:, :2] - corners[:, :2].mean(axis=0)).T[::-1]))
            flat = corners[order][::2, :2]
        for place, heading in zip(places, headings, strict=True):
            turn = np.array([[np.cos(heading), -np.sin(heading)], [np.sin(heading), np.cos(heading)]])
            found.append(flat @ turn.T + place)
    return found


def shadow(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> np.ndarray:
    """Outline (n, 2) of a geom as it stands in `data`, seen from above, counter-clockwise."""
    points = (data.geom_xpos[geom] + _points_on(model, geom) @ data.geom_xmat[geom].reshape(3, 3).T)[:, :2]
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:  # seen from above it is a line
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def _points_on(model: mujoco.MjModel, geom: int) -> np.ndarray:
    """(n, 3) points of a geom's surface in its own frame, whose hull it nearly is."""
    kind, size = GEOM(int(model.geom_type[geom])), model.geom_size[geom]
    if kind == GEOM.mjGEOM_MESH:
        first = model.mesh_vertadr[model.geom_dataid[geom]]
        return np.asarray(model.mesh_vert[first : first + model.mesh_vertnum[model.geom_dataid[geom]]])
    if int(kind) not in ROUND and kind != GEOM.mjGEOM_ELLIPSOID:
        signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
        return np.asarray(model.geom_aabb[geom, :3] + signs * model.geom_aabb[geom, 3:])
    round_ = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    up = np.linspace(-np.pi / 2, np.pi / 2, 13)[:, None]
    ball = np.stack([np.cos(up) * np.cos(round_), np.cos(up) * np.sin(round_), np.sin(up) + 0 * round_], -1)
    ball = ball.reshape(-1, 3)
    if kind == GEOM.mjGEOM_ELLIPSOID:
        return ball * size
    if kind == GEOM.mjGEOM_SPHERE:
        return ball * size[0]
    if kind == GEOM.mjGEOM_CYLINDER:
        ball = ball[np.abs(ball[:, 2]) < 1e-9]  # a ring at either end
    ends = np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]])
    return np.asarray((ball * size[0] + ends[:, None]).reshape(-1, 3))


def yaw_of(turn: np.ndarray) -> np.ndarray:
    """(b,) of attitudes (b, 4)."""
    w, x, y, z = turn.T
    return np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def link_poses(model: mujoco.MjModel, body: int, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (b, 3) and attitudes (b, 4) of a body on joints, from generalised positions `qpos` (b, nq)."""
    place, turn, *_ = link_motions(model, body, qpos, np.zeros((len(qpos), model.nv)))
    return place, turn.as_quat(scalar_first=True)


def link_motions(
    model: mujoco.MjModel, body: int, qpos: np.ndarray, qvel: np.ndarray
) -> tuple[np.ndarray, Rotation, np.ndarray, np.ndarray]:
    """Places (b, 3) and attitudes of a body on joints, from generalised positions `qpos` (b, nq), and with
    generalised velocities `qvel` (b, nv) how its origin moves and how it turns, (b, 3) each.

    Goes down from the world, one parent after the other.
    """
    chain = [body]
    while model.body_parentid[chain[0]] != 0:
        chain.insert(0, int(model.body_parentid[chain[0]]))
    n = len(qpos)
    place, turn, speed, spin = np.zeros((n, 3)), Rotation.identity(n), np.zeros((n, 3)), np.zeros((n, 3))
    for link in chain:
        off = turn.apply(np.tile(model.body_pos[link], (n, 1)))
        place, speed = place + off, speed + np.cross(spin, off)
        turn = turn * Rotation.from_quat(model.body_quat[link], scalar_first=True)
        first = int(model.body_jntadr[link])
        for joint in range(first, first + int(model.body_jntnum[link])):
            at, kind = int(model.jnt_qposadr[joint]), model.jnt_type[joint]
            rate = qvel[:, int(model.jnt_dofadr[joint]) :]
            if kind == int(mujoco.mjtJoint.mjJNT_FREE):
                place, speed = qpos[:, at : at + 3], rate[:, :3]
                turn = Rotation.from_quat(qpos[:, at + 3 : at + 7], scalar_first=True)
                spin = turn.apply(rate[:, 3:6])
                continue
            axis, anchor = model.jnt_axis[joint], model.jnt_pos[joint]
            if kind == int(mujoco.mjtJoint.mjJNT_SLIDE):
                off = turn.apply(axis * (qpos[:, at : at + 1] - model.qpos0[at]))
                place, speed = place + off, speed + np.cross(spin, off) + turn.apply(axis * rate[:, :1])
                continue
            arm = turn.apply(np.tile(anchor, (n, 1)))
            pivot, speed = place + arm, speed + np.cross(spin, arm)
            if kind == int(mujoco.mjtJoint.mjJNT_BALL):
                turn = turn * Rotation.from_quat(qpos[:, at : at + 4], scalar_first=True)
                spin = spin + turn.apply(rate[:, :3])
            else:
                spin = spin + turn.apply(axis * rate[:, :1])
                turn = turn * Rotation.from_rotvec(axis * (qpos[:, at : at + 1] - model.qpos0[at]))
            arm = turn.apply(np.tile(anchor, (n, 1)))
            place, speed = pivot - arm, speed - np.cross(spin, arm)
    return place, turn, speed, spin
