"""What of a world the planar model (`planar`) knows: discs, upright boxes, bars that nothing can turn and one
ball, on level ground, all at one height, and nothing that moves them but forces and impacts."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from .bodies import Motion, World
from .shape import ROUND, corners_of, geoms_of, link_poses

HEAVY = 1000.0  # times the inertia of what hits it that a bar must have not to notice
CLOSE = 1e-9  # [m]
_BOX, _PLANE = int(mujoco.mjtGeom.mjGEOM_BOX), int(mujoco.mjtGeom.mjGEOM_PLANE)
_OFF = mujoco.mjtDisableBit
_OFF_STRANGE = int(_OFF.mjDSBL_CONSTRAINT | _OFF.mjDSBL_CONTACT | _OFF.mjDSBL_DAMPER)


def strange(world: World) -> str:
    """What of a world the planar model does not know, or nothing."""
    return next(_strange(world), "")


def solid(model: mujoco.MjModel, body: int) -> np.ndarray:
    """Numbers of a body's finite geoms that can touch anything."""
    geoms = geoms_of(model, body)
    return geoms[(model.geom_contype[geoms] | model.geom_conaffinity[geoms]) != 0]


def span(world: World, name: str) -> tuple[float, float]:
    """The lowest and the highest point [m] of what of a body can touch anything, as it begins."""
    model = world.model
    body = model.body(name).id
    corners = [corners_of(model, int(geom))[:, 2] for geom in solid(model, body)]
    if not corners:
        return 0.0, 0.0
    return float(np.min(corners) + world.slot(name).base[2]), float(
        np.max(corners) + world.slot(name).base[2]
    )


def _strange(world: World) -> Iterator[str]:
    model, names = world.model, [body.name for body in world.bodies]
    if len(world.balls) > 1:
        yield "more than one ball"
    if world.gravity[:2].any():
        yield "ground that is not level"
    if model.opt.density or model.opt.viscosity or model.body_gravcomp.any():
        yield "a medium or bodies without weight"
    if model.nu or model.neq or model.ntendon or model.nmocap or model.opt.disableflags & _OFF_STRANGE:
        yield "actuators, tendons, equalities, or contacts or dampers that are switched off"
    if _planes(model):
        yield _planes(model)
    for name in names:
        what = _body(world, name)
        if what:
            yield f"{name}, which {what}"
    yield from _unlisted(world)
    for k, one in enumerate(names):
        for other in names[:k]:
            if world.may_touch(one, other):
                what = _pair(world, one, other)
                if what:
                    yield f"{one} and {other}, which {what}"


def _body(world: World, name: str) -> str:
    """What of one body is not known."""
    slot, model = world.slot(name), world.model
    body = model.body(name).id
    if slot.motion is Motion.JOINTED or (slot.motion is Motion.FREE and name not in world.balls):
        return f"is {slot.motion.value}, and no ball"
    geoms = solid(model, body)
    bits = np.column_stack([model.geom_contype[geoms], model.geom_conaffinity[geoms]])
    if slot.motion is not Motion.PLANAR and len(np.unique(bits, axis=0)) > 1:
        return "has parts that touch different things"
    if model.geom_margin[geoms].any():
        return "touches before it is there"
    joints = np.flatnonzero(model.jnt_bodyid == body)
    dofs = np.flatnonzero(model.dof_bodyid == body)
    if (
        model.jnt_stiffness[joints].any()
        or model.jnt_limited[joints].any()
        or model.dof_frictionloss[dofs].any()
    ):
        return "is on springs, has an end to its way or sticks"
    if slot.motion is Motion.FREE:
        return "has an armature" if model.dof_armature[dofs].any() else ""
    if slot.motion is Motion.PLANAR:
        if model.dof_armature[dofs[:2]].any():
            return "has an armature"
        middles = bool(np.abs(model.geom_pos[geoms, :2]).max(initial=0.0) > CLOSE)
        alike = all(_round(model, int(g)) for g in geoms) and float(np.ptp(model.geom_size[geoms, 0])) < CLOSE
        return "" if len(geoms) and alike and not middles else "is no disc"
    shapes = model.geom_type[geoms]
    turned = not (np.abs(model.geom_quat[geoms, 0]) > 1 - CLOSE).all()
    if slot.motion is Motion.TURNING:
        off = bool(np.abs(model.geom_pos[geoms, :2]).max(initial=0.0) > CLOSE)
        bar = len(geoms) == 1 and int(shapes[0]) == _BOX and not (off or turned)
        return (
            "brakes by itself" if model.dof_damping[dofs].any() else "" if bar else "is no bar on its middle"
        )
    _, ((w, *_),) = link_poses(model, body, model.qpos0[None])
    upright = abs(w) > 1 - CLOSE and not turned
    return "" if upright and (shapes == _BOX).all() else "is no upright box"


def _round(model: mujoco.MjModel, geom: int) -> bool:
    """Whether a geom is round seen from above."""
    length, width, _ = np.ptp(corners_of(model, geom), axis=0)
    return model.geom_type[geom] in ROUND and abs(length - width) < 1e-6 * length


def _planes(model: mujoco.MjModel) -> str:
    """What of planes is not known."""
    planes = np.flatnonzero(model.geom_type == _PLANE)
    level = [
        np.hypot(*model.geom_quat[g, 1:3]) < CLOSE
        and np.hypot(*model.body_quat[model.geom_bodyid[g], 1:3]) < CLOSE
        for g in planes
    ]
    return "" if all(level) and len(planes) <= 1 else "planes that are not level, or several"


def _unlisted(world: World) -> Iterator[str]:
    """Things of the MJCF that are no bodies of the world and that something might touch, and pairs of bodies
    whose contacts it makes or leaves out by itself."""
    model, listed = world.model, {world.model.body(body.name).id for body in world.bodies}
    moving = [g for b in listed if model.body_dofnum[b] for g in solid(model, b)]
    for geom in range(model.ngeom):
        if int(model.geom_bodyid[geom]) in listed:
            continue
        met = model.geom_contype[geom] & model.geom_conaffinity[moving]
        if (met | model.geom_conaffinity[geom] & model.geom_contype[moving]).any():
            yield "things that are not listed as bodies"
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
    for one, other in excluded:
        names = [model.body(one).name, model.body(other).name]
        known = {one, other} <= listed
        if known and not set(names) <= set(world.balls) and world.may_touch(*names):
            yield f"{names[0]} and {names[1]}, which the MJCF keeps apart"
    one, other = model.pair_geom1, model.pair_geom2
    met = model.geom_contype[one] & model.geom_conaffinity[other]
    if not (met | model.geom_contype[other] & model.geom_conaffinity[one]).all():
        yield "contacts of the MJCF's own"


def _pair(world: World, one: str, other: str) -> str:
    """What of two bodies that may touch is not known."""
    slots, motions = [world.slot(one), world.slot(other)], {world.slot(n).motion for n in (one, other)}
    if motions == {Motion.NONE} or any(world.by_name[n].floor for n in (one, other)):
        return ""
    (low, high), (bottom, top) = span(world, one), span(world, other)
    if Motion.FREE in motions:  # the heights of boxes are known to what meets a ball
        ball, thing = (one, other) if slots[0].motion is Motion.FREE else (other, one)
        lowest = span(world, thing)[0]
        if world.slot(thing).motion is not Motion.NONE and lowest > world.slot(ball).radius:
            return "passes below"
    elif high <= bottom or top <= low:
        return "are at different heights"
    if Motion.TURNING not in motions:
        return ""
    bar, thing = (one, other) if slots[0].motion is Motion.TURNING else (other, one)
    slot, hit = world.slot(bar), world.slot(thing)
    if hit.motion in (Motion.FREE, Motion.PLANAR):
        heavy = world.joint_inertia[slot.dof] >= HEAVY * hit.mass * slot.radius**2
        return "" if heavy else "turns when it is hit"
    away = _away(world, thing, slot.base[:2]) - (hit.radius if hit.motion is Motion.TURNING else 0.0)
    return "" if away > slot.radius else "stops it"


def _away(world: World, name: str, place: np.ndarray) -> float:
    """From a place to a bar's middle or to the nearest box of what stands [m]."""
    slot, model = world.slot(name), world.model
    if slot.motion is Motion.TURNING:
        return float(np.hypot(*(slot.base[:2] - place)))
    nearest = np.inf
    for geom in solid(model, model.body(name).id):
        corners = (corners_of(model, int(geom)) + slot.base)[:, :2]
        beyond = np.maximum(np.maximum(corners.min(axis=0) - place, place - corners.max(axis=0)), 0.0)
        nearest = min(nearest, float(np.hypot(*beyond)))
    return nearest
