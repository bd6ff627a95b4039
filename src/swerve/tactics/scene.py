"""What a skill sees and does: a batch of branches read body by body, and forces on bodies.

Every array has the branch as its first axis. Metres, seconds, newtons; headings counter-clockwise from +x.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from swerve.core.errors import BadInput, require
from swerve.core.kernels import kernel

from .bodies import Motion, Slot, World
from .shape import link_motions, link_poses, middle_of, yaw_of
from .sound import MOST
from .steering import drive, halt, turn, twist


def checked_rows(what: str, world: World, rows: np.ndarray, branches: int) -> np.ndarray:
    """States (b, width) of somebody else's, of which kernels will read each by its address."""
    rows = np.ascontiguousarray(rows, dtype=float)
    shape = (branches, world.width)
    require(
        rows.shape == shape, f"{what}, shape", rows.shape, f"must be {shape}, a row of the world's a branch;"
    )
    fine = bool((np.abs(rows) <= MOST).all())
    require(fine, what, None, f"must be numbers, none beyond {MOST:g}")
    return rows


class Scene:
    """The states of b branches.

    `rows` (b, width); `touched` (b, watched pairs) is the collision list of the step that led here; `sample`
    (b, 2) is where the planner wants its tree to grow, NaN where it does not say.
    """

    __slots__ = ("rows", "sample", "touched", "world")

    def __init__(self, world: World, rows: np.ndarray, touched: np.ndarray, sample: np.ndarray):
        self.world, self.rows, self.touched, self.sample = world, rows, touched, sample

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, branches: np.ndarray | slice) -> Scene:
        return Scene(self.world, self.rows[branches], self.touched[branches], self.sample[branches])

    @property
    def time(self) -> np.ndarray:
        """(b,) seconds since the initial state."""
        return self.rows[:, 0]

    def position(self, body: str) -> np.ndarray:
        """(b, 3)"""
        slot = self.world.slot(body)
        if slot.motion is Motion.FREE:
            return self.rows[:, slot.qpos : slot.qpos + 3]
        if slot.motion is Motion.JOINTED:
            return self.pose(body)[0]
        place = np.tile(slot.base, (len(self.rows), 1))
        if slot.motion is Motion.PLANAR:
            place[:, :2] += self.rows[:, slot.qpos : slot.qpos + 2]
        return place

    def pose(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Places (b, 3) and attitudes (b, 4) as quaternions of any body, by all joints that carry it."""
        model = self.world.model
        return link_poses(model, model.body(body).id, self.rows[:, 1 : 1 + model.nq])

    def middle(self, body: str) -> np.ndarray:
        """(b, 3) the middle of a body's outline, which of links is not where their joint is."""
        model = self.world.model
        place, turn = self.pose(body)
        off = middle_of(model, model.body(body).id)
        return np.asarray(place + Rotation.from_quat(turn, scalar_first=True).apply(off))

    def xy(self, body: str) -> np.ndarray:
        """(b, 2)"""
        slot = self.world.slot(body)
        if slot.motion is Motion.FREE or (slot.motion is Motion.PLANAR and not slot.offset):
            return self.rows[:, slot.qpos : slot.qpos + 2]
        return self.position(body)[:, :2]

    def velocity(self, body: str) -> np.ndarray:
        """(b, 3) of free bodies, (b, 2) of planar ones, (b, 3) of the middle of others, by all joints that
        carry them; zeros of what cannot move."""
        slot = self.world.slot(body)
        if slot.motion is Motion.NONE:
            return np.zeros((len(self.rows), 2))
        if slot.motion not in (Motion.FREE, Motion.PLANAR):
            return self._velocity_of_middle(body)
        return self.rows[:, slot.qvel : slot.qvel + (3 if slot.motion is Motion.FREE else 2)]

    def _velocity_of_middle(self, body: str) -> np.ndarray:
        model = self.world.model
        index, first = model.body(body).id, 1 + model.nq
        qpos, qvel = self.rows[:, 1:first], self.rows[:, first : first + model.nv]
        _, turn, speed, spin = link_motions(model, index, qpos, qvel)
        return np.asarray(
            speed + np.cross(spin, turn.apply(np.tile(middle_of(model, index), (len(self), 1))))
        )

    def heading(self, body: str) -> np.ndarray:
        """(b,) yaw."""
        slot = self.world.slot(body)
        if slot.motion is Motion.PLANAR:
            return self.rows[:, slot.qpos + 2]
        if slot.motion is Motion.TURNING:
            return self.rows[:, slot.qpos]
        if slot.motion is Motion.NONE:
            return np.full(len(self.rows), slot.heading)
        if slot.motion is Motion.FREE:
            return yaw_of(self.rows[:, slot.qpos + 3 : slot.qpos + 7])
        return yaw_of(self.pose(body)[1])

    def spin(self, body: str) -> np.ndarray:
        """(b,) turning rate [rad/s] about the vertical of planar and turning bodies, or of a link's joint."""
        slot = self.world.slot(body)
        if slot.motion is Motion.PLANAR:
            return self.rows[:, slot.qvel + 2]
        if slot.motion is Motion.TURNING or (slot.motion is Motion.JOINTED and slot.dofs):
            return self.rows[:, slot.qvel]
        raise BadInput(f"spin of {body}", slot.motion.value, "is known of bodies on hinges only")

    def joint(self, body: str) -> np.ndarray:
        """(b,) angle or offset of the first joint of a turning body or a link [rad or m]."""
        slot = self.world.slot(body)
        if not slot.dofs or slot.motion is Motion.FREE:
            raise BadInput(f"joint of {body}", slot.motion.value, "is known of bodies on joints only")
        return self.rows[:, slot.qpos]

    def speed(self, body: str) -> np.ndarray:
        """(b,)"""
        return length(self.velocity(body))

    def distance(self, body: str, target: np.ndarray | str) -> np.ndarray:
        """(b,) from a body's middle to a point or to another body's middle, seen from above."""
        to = self.xy(target) if isinstance(target, str) else target
        return length(self.xy(body) - to)

    def touching(self, first: str, second: str) -> np.ndarray:
        """(b,) whether the two collided during the step that led here; ("die", "*") asks for any body."""
        return self.touched[:, self.world.pair(first, second)]

    def inside(self, body: str, box: tuple[float, float, float, float]) -> np.ndarray:
        """(b,) whether a body's middle lies in x0, y0, x1, y1."""
        return _inside(self.xy(body), *box)


class Action:
    """Forces and torques on bodies of b branches, to be filled by skills. `forces` (b, nv) generalised."""

    __slots__ = ("forces", "scene")

    def __init__(self, scene: Scene, forces: np.ndarray | None = None):
        self.scene = scene
        self.forces = np.zeros((len(scene), scene.world.model.nv)) if forces is None else forces

    def push(self, body: str, force: np.ndarray) -> None:
        """Add a force (b, 2) or (b, 3) [N] at a body's middle."""
        slot = self._movable(body, Motion.FREE, Motion.PLANAR)
        count = min(force.shape[1], 3 if slot.motion is Motion.FREE else 2)
        self.forces[:, slot.dof : slot.dof + count] += force[:, :count]

    def twist(self, body: str, torque: np.ndarray) -> None:
        """Add a torque: (b,) about the vertical or at a link's joint, or (b, 3) in the world's axes on a
        free body [N·m]."""
        slot = self._movable(body)
        if slot.motion is Motion.PLANAR:
            self.forces[:, slot.dof + 2] += torque
        elif slot.motion is not Motion.FREE:
            self.forces[:, slot.dof] += torque
        else:
            full = torque if torque.ndim == 2 else np.column_stack([0 * torque, 0 * torque, torque])
            twist(self.forces, self.scene.rows, slot.numbers, full)

    def drive_to(
        self, body: str, target: np.ndarray, speed: float, acceleration: float, through: bool = False
    ) -> None:
        """Drive towards (b, 2), braking in time to stop there; `through` keeps full speed."""
        slot, dt = self._movable(body, Motion.FREE, Motion.PLANAR), self.scene.world.step_seconds
        drive(self.forces, self.scene.rows, slot.numbers, target, speed, acceleration, dt, through)

    def halt(self, body: str, acceleration: float) -> None:
        """Brake to a stand."""
        slot, dt = self._movable(body, Motion.FREE, Motion.PLANAR), self.scene.world.step_seconds
        halt(self.forces, self.scene.rows, slot.numbers, acceleration, dt)

    def turn_to(self, body: str, heading: np.ndarray, rate: float = 12.0, acceleration: float = 60.0) -> None:
        """Turn a planar body towards a heading (b,), braking in time."""
        slot, dt = self._movable(body, Motion.PLANAR), self.scene.world.step_seconds
        turn(self.forces, self.scene.rows, slot.numbers, heading, rate, acceleration, dt)

    def move_joint(self, body: str, target: np.ndarray, speed: float, torque: float) -> None:
        """Bring the first joint of a link to a value (b,), at up to `speed`, with up to `torque` [N·m, N]."""
        slot, world = self._movable(body), self.scene.world
        if not slot.dofs or slot.motion is Motion.FREE:
            raise BadInput(f"action on {body}", slot.motion.value, "has no joint to move; its motion is")
        dt = world.step_seconds
        inertia = world.joint_inertia[slot.dof]
        left = target - self.scene.rows[:, slot.qpos]
        wanted = np.clip(left / (4 * dt), -speed, speed)
        push = (wanted - self.scene.rows[:, slot.qvel]) * inertia / dt
        self.forces[:, slot.dof] += np.clip(push, -torque, torque)

    def _movable(self, body: str, *motions: Motion) -> Slot:
        return self.scene.world.movable(body, *motions)


def length(vectors: np.ndarray) -> np.ndarray:
    """(b,) of (b, 2 or 3)."""
    return _length(vectors)


def direction(vectors: np.ndarray) -> np.ndarray:
    """Unit vectors (b, 2); zero stays zero."""
    return _direction(vectors)


@kernel
def _inside(places: np.ndarray, x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    result = np.empty(len(places), dtype=np.bool_)
    for i in range(len(places)):
        result[i] = x0 < places[i, 0] < x1 and y0 < places[i, 1] < y1
    return result


@kernel
def _length(vectors: np.ndarray) -> np.ndarray:
    result = np.empty(len(vectors))
    for i in range(len(vectors)):
        total = 0.0
        for k in range(vectors.shape[1]):
            total += vectors[i, k] * vectors[i, k]
        result[i] = np.sqrt(total)
    return result


@kernel
def _direction(vectors: np.ndarray) -> np.ndarray:
    result = np.empty(vectors.shape)
    for i in range(len(vectors)):
        total = 0.0
        for k in range(vectors.shape[1]):
            total += vectors[i, k] * vectors[i, k]
        result[i] = vectors[i] / max(np.sqrt(total), 1e-12)
    return result
