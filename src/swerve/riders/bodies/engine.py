"""A batch of riders in full physics: state rows in MuJoCo, one control period after another."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco.batch import Batch

from swerve.core.attitude import multiply, quaternion, turned
from swerve.core.bodies import Parts
from swerve.core.contact import Touch
from swerve.core.errors import require
from swerve.core.motion import Motion
from swerve.core.steered import AIM, SteeredBodies

from . import balance
from .anatomy import RiderDefinition, hinges
from .attitude import attitude
from .bicycle import FRAME, FRONT_SPIN, REAR_SPIN, STEER
from .cyclist_xml import CRANK, cyclist_xml
from .limbs import boxes, parts_of
from .meeting import Meeting
from .outline import HEIGHT, WIDTH, kind_of, middle_height
from .posture import Posture, find_posture
from .solids import Solids

PHYSICS_STEP = 0.002  # [s] the herds' step


@dataclass(frozen=True)
class Cyclist:
    """A rider and its machine, ready for simulation; shared by all batches of it."""

    rider: RiderDefinition
    model: mujoco.MjModel
    posture: Posture
    numbers: np.ndarray  # both as `balance` wants them
    joints: np.ndarray
    boxes: tuple[np.ndarray, np.ndarray]  # round its parts, as `limbs` gives them

    @property
    def outline(self) -> tuple[float, float, float]:
        """Length, width and height [m]; the middle of both is the centre of mass, seen from above."""
        machine = self.rider.machine
        return machine.wheelbase + machine.rear_radius + machine.front_radius, WIDTH, HEIGHT

    @classmethod
    def of(cls, rider: RiderDefinition, timestep: float = PHYSICS_STEP) -> Cyclist:
        model = mujoco.MjModel.from_xml_string(cyclist_xml(rider, timestep))
        posture = find_posture(rider, model)
        controllers = [hinge for limb in rider.limbs() for hinge in hinges(limb)]
        joints = np.zeros((model.nu, balance.JOINT_COLUMNS))
        joints[:, balance.REST] = posture.rest
        joints[:, balance.STIFFNESS] = [hinge.stiffness for hinge in controllers]
        joints[:, balance.LAG] = [hinge.damping / hinge.stiffness for hinge in controllers]
        joints[:, balance.LIMB] = posture.limb
        return cls(rider, model, posture, _pack(rider, model), joints, boxes(model))


def _pack(rider: RiderDefinition, model: mujoco.MjModel) -> np.ndarray:
    """The numbers that `balance` reads."""
    spec = mujoco.mjtState
    row = np.arange(mujoco.mj_stateSize(model, spec.mjSTATE_INTEGRATION), dtype=float)

    def begins(part: mujoco.mjtState) -> int:
        found = np.zeros(mujoco.mj_stateSize(model, part))
        mujoco.mj_extractState(model, row, spec.mjSTATE_INTEGRATION, found, part)
        return int(found[0])

    qpos, qvel = begins(spec.mjSTATE_QPOS), begins(spec.mjSTATE_QVEL)
    steer, crank, control = model.joint(STEER), model.joint(CRANK), rider.control
    blown = rider.segments[min(1, len(rider.segments) - 1)].name  # what the air presses on: the trunk
    p = np.zeros(balance.NUMBERS)
    p[[balance.QPOS, balance.QVEL, balance.TARGETS]] = qpos, qvel, begins(spec.mjSTATE_CTRL)
    p[balance.AIR] = begins(spec.mjSTATE_XFRC_APPLIED) + 6 * model.body(blown).id
    p[[balance.STEER_Q, balance.STEER_V]] = qpos + steer.qposadr[0], qvel + steer.dofadr[0]
    p[[balance.CRANK_Q, balance.CRANK_V]] = qpos + crank.qposadr[0], qvel + crank.dofadr[0]
    p[[balance.TURNING, balance.LEANING]] = control.turning, control.leaning
    p[[balance.PACE, balance.DRAG]] = control.pace, control.drag
    p[[balance.BAR_TORQUE, balance.CRANK_TORQUE]] = control.bar_torque, control.crank_torque
    p[[balance.MASS, balance.GRAVITY]] = model.body_subtreemass[0], rider.machine.gravity
    p[balance.NOMINAL] = rider.speed
    p[[balance.POWER, balance.BRAKING]] = control.power, control.braking
    torques, wheels = begins(spec.mjSTATE_QFRC_APPLIED), (model.joint(REAR_SPIN), model.joint(FRONT_SPIN))
    p[[balance.REAR_TORQUE, balance.FRONT_TORQUE]] = [torques + wheel.dofadr[0] for wheel in wheels]
    p[[balance.REAR_RATE, balance.FRONT_RATE]] = [qvel + wheel.dofadr[0] for wheel in wheels]
    p[[balance.REAR_RADIUS, balance.FRONT_RADIUS]] = rider.machine.rear_radius, rider.machine.front_radius
    p[balance.FEET] = begins(spec.mjSTATE_XFRC_APPLIED) + 6 * model.body(FRAME).id
    p[balance.FRAME_HEIGHT] = model.body(FRAME).ipos[2]
    p[balance.LEVER] = rider.machine.rear_radius * rider.fittings.gear
    return p


def _hush(message: str) -> None:
    """Numbers that run away are falls here, and are noted as such."""


class CyclistRide(SteeredBodies):
    """`count` cyclists in full physics, each in a world of its own unless they are brought `together`.

    `gains` (k, 7) is the regulator by speed; with zeros nobody balances. Places are those of the centre of
    mass, seen from above.
    """

    period = balance.TICK

    def __init__(self, cyclist: Cyclist, count: int, gains: np.ndarray, threads: int = 1):
        require(count >= 1, "riders", count, "must be at least 1")
        self.cyclist, self.count, self.gains = cyclist, count, gains
        self.kinds = np.full(count, kind_of(cyclist.rider.name), dtype=object)
        self.outline = np.tile(np.array(cyclist.outline), (count, 1))
        if mujoco.get_mju_user_warning() is None:  # MuJoCo would write a log into the folder it is run from
            mujoco.set_mju_user_warning(_hush)
        self.batch = Batch(cyclist.model, count, threads)
        self.qpos, self.qvel = self.batch.bind("qpos"), self.batch.bind("qvel")
        self.sensed = self.batch.bind("sensordata")
        self.memory = np.zeros((count, balance.MEMORY))
        self.wishes = np.zeros((count, balance.WISHES))
        self.substeps = round(self.period / cyclist.model.opt.timestep)
        self.meeting: Meeting | None = None
        self.solids: Solids | None = None
        self.meets = np.ones(count, dtype=bool)
        self.touched_pairs: set[tuple[int, int]] = set()
        self.roll_at(cyclist.rider.speed)

    def roll_at(self, speed: float) -> None:
        """Everyone upright at the origin in the rest posture, wheels rolling at `speed` [m/s]."""
        model, p, posture = self.cyclist.model, self.cyclist.rider.machine, self.cyclist.posture
        self.batch.reset(stage=mujoco.mjtStage.mjSTAGE_NONE)
        joints = model.actuator_trnid[:, 0]
        self.qpos[:, model.jnt_qposadr[joints]] = posture.rest
        self.qvel[:, 0] = speed
        self.qvel[:, model.joint(REAR_SPIN).dofadr[0]] = speed / p.rear_radius
        self.qvel[:, model.joint(FRONT_SPIN).dofadr[0]] = speed / p.front_radius
        cadence = speed / p.rear_radius / self.cyclist.rider.fittings.gear
        self.qvel[:, model.joint(CRANK).dofadr[0]] = cadence
        slopes = (posture.by_crank[1] - posture.by_crank[0]) / (2 * np.pi / (len(posture.by_crank) - 1))
        self.qvel[:, model.jnt_dofadr[joints]] = slopes * cadence
        self.memory[:] = 0.0
        self.wishes[:, balance.PACE_WISH] = speed

    @property
    def mass(self) -> np.ndarray:
        return np.full(self.count, self.cyclist.model.body_subtreemass[0])

    @property
    def told(self) -> np.ndarray:  # type: ignore[override]
        return self.wishes[:, [balance.HEADING, balance.PACE_WISH]]

    @property
    def steer(self) -> np.ndarray:
        """Angle of the bar, positive to the right [rad] (n,)."""
        return self.batch.state[:, int(self.cyclist.numbers[balance.STEER_Q])].copy()

    def advance(self, heading: np.ndarray, speed: np.ndarray, seconds: float) -> None:
        self.wishes[:, balance.HEADING], self.wishes[:, balance.PACE_WISH] = heading, speed
        for name, column in (("heading", balance.HEADING), ("speed", balance.PACE_WISH)):
            wish = self.wishes[:, column]
            bad = wish[~np.isfinite(wish)]
            require(not len(bad), name, bad[:1].tolist(), "must be finite")
        if self.meeting is not None:  # who was put elsewhere is there already
            self.batch.forward(stage=mujoco.mjtStage.mjSTAGE_VEL)
        for _ in range(self.ticks(seconds)):
            self.tick()

    def tick(self) -> None:
        """One control period with the present wishes: command, physics, note."""
        cyclist, state, memory = self.cyclist, self.batch.state, self.memory
        posture = cyclist.posture
        tables = (posture.by_steer, posture.push_steer, posture.by_crank, posture.push_crank)
        balance.command(state, memory, self.wishes, cyclist.numbers, self.gains, cyclist.joints, tables)
        frozen = memory[:, balance.FROZEN] > 0
        ids = np.flatnonzero(~frozen).astype(np.int32) if frozen.any() else None
        if ids is not None and not len(ids):
            return
        before = state.copy()
        self._move(ids)
        balance.note(state, cyclist.numbers, self.sensed, memory)
        lost = (memory[:, balance.FROZEN] > 0) & ~frozen
        if lost.any():  # the numbers ran away: it stays where it last was
            state[lost] = before[lost]
            self.qvel[lost] = 0.0

    def _move(self, ids: np.ndarray | None) -> None:
        """A control period of physics; who is near another is pushed by it in every step."""
        pairs, posts = self._pairs(), self._posts()
        if self.meeting is None or not (len(pairs) or len(posts)):
            self.batch.step(ids, nstep=self.substeps)
            return
        others = self.meeting.applied.copy()
        for _ in range(self.substeps):
            self.meeting.applied[posts[:, 0]] = others[posts[:, 0]]
            if len(pairs):
                self.meeting.push(pairs, others)
                self.touched_pairs |= {(int(i), int(j)) for i, j in self.meeting.touching}
            if self.solids is not None and len(posts):
                self.solids.push(posts)
            self.batch.step(ids, nstep=1)
        self.meeting.applied[:] = others

    def _posts(self) -> np.ndarray:
        """(k, 2) riders and posts that are near enough to touch."""
        if self.solids is None:
            return np.empty((0, 2), dtype=np.int64)
        rows = np.flatnonzero(self.meets & (self.memory[:, balance.FROZEN] == 0))
        return self.solids.near(rows, *self.sensed[rows, :2].T)

    def _pairs(self) -> np.ndarray:
        if self.meeting is None:
            return np.empty((0, 2), dtype=np.int64)
        here = self.meets & (self.memory[:, balance.FROZEN] == 0)
        rows = np.flatnonzero(here)
        return rows[self.meeting.near(*self.sensed[rows, :2].T)] if len(rows) > 1 else np.empty((0, 2), int)

    def bring_together(self) -> None:
        """From now on riders of this batch touch each other; `touched_pairs` tells who did, and only those
        whom `meets` (n,) names count."""
        if self.meeting is None:
            self.meeting = Meeting(self.cyclist.model, self.batch)

    def stand(self, posts: np.ndarray) -> None:
        """From now on `posts` (k, 3) of places and radii [m] stand there, and `solids.touched` tells who
        touched which."""
        self.bring_together()
        if self.meeting is not None:
            self.solids = Solids(self.meeting, posts)

    def snapshot(self) -> np.ndarray:
        return np.hstack([self.batch.state, self.memory, self.wishes])

    def restore(self, rows: np.ndarray) -> None:
        """As they were, and told what they were told; those of maps are told nothing and go on straight."""
        width = self.batch.state.shape[1]
        wide = width + balance.MEMORY
        known = (self.count, wide + balance.WISHES)
        fits = rows.shape in (known, (self.count, wide))
        require(fits, "snapshot", rows.shape, f"must be of shape {known}")
        self.batch.state[:], self.memory[:] = rows[:, :width], rows[:, width:wide]
        if rows.shape == known:
            self.wishes[:] = rows[:, wide:]
        else:
            self.wishes[:, balance.HEADING] = self.memory[:, balance.YAW]

    def put(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray) -> None:
        now = self.motion()
        turn = np.asarray(yaw, float) - now.yaw
        c, s = np.cos(turn), np.sin(turn)
        px, py = self.qpos[:, 0] - now.x, self.qpos[:, 1] - now.y
        self.qpos[:, 0], self.qpos[:, 1] = x + c * px - s * py, y + s * px + c * py
        self.qpos[:, 3:7] = multiply(quaternion(turn), self.qpos[:, 3:7])
        for vector in (self.qvel, self.batch.bind("qacc_warmstart")):  # linear parts are in the world's frame
            u, v = vector[:, 0].copy(), vector[:, 1].copy()
            vector[:, 0], vector[:, 1] = c * u - s * v, s * u + c * v
        self.memory[:, balance.YAW] = self.wishes[:, balance.HEADING] = yaw

    def go_at(self, speed: np.ndarray) -> None:
        now = self.motion()
        self.fit(np.arange(self.count), now.roll, now.roll_rate, np.asarray(speed, dtype=float))
        self.wishes[:, balance.PACE_WISH] = speed

    def fit(self, rows: np.ndarray, roll: np.ndarray, roll_rate: np.ndarray, speed: np.ndarray) -> None:
        """Let riders `rows` lean by `roll` [rad], at `roll_rate` [rad/s], and ride at `speed` [m/s], all of
        them together: the whole is turned about the line it rides on, and everything that goes round goes
        round as fast as that speed asks."""
        now, model = self.motion(), self.cyclist.model
        lean, yaw = roll - now.roll[rows], now.yaw[rows]
        half, flat = np.sin(lean / 2), np.zeros(len(rows))
        turn = np.column_stack([np.cos(lean / 2), half * np.cos(yaw), half * np.sin(yaw), flat])
        self.qpos[rows, 3:7] = multiply(turn, self.qpos[rows, 3:7])
        rolling = (roll_rate - now.roll_rate[rows])[:, None]
        back = self.qpos[rows, 3:7] * (1.0, -1.0, -1.0, -1.0)  # the spin is told in the frame's own axes
        self.qvel[rows, 3:6] += turned(back, rolling * np.column_stack([np.cos(yaw), np.sin(yaw), flat]))
        ratio = speed / np.maximum(now.speed[rows], 0.1)
        joints = [model.joint(name).dofadr[0] for name in (REAR_SPIN, FRONT_SPIN, CRANK)]
        turning = [*(0, 1, 2), *joints, *model.jnt_dofadr[model.actuator_trnid[:, 0]]]
        for column in turning:
            self.qvel[rows, column] *= ratio
        after = self.motion()
        vx, vy = after.vx[rows], after.vy[rows]
        aside, ahead = vy * np.cos(yaw) - vx * np.sin(yaw), vx * np.cos(yaw) + vy * np.sin(yaw)
        faster = np.sqrt(np.maximum(speed**2 - aside**2, 0.0)) - ahead  # tyres do not slide aside
        self.qvel[rows, 0] += faster * np.cos(yaw)
        self.qvel[rows, 1] += faster * np.sin(yaw)
        self.memory[rows, balance.LEAN] += lean

    def motion(self) -> Motion:
        self.batch.forward(stage=mujoco.mjtStage.mjSTAGE_VEL)
        stands = attitude(self.qpos[:, 3:7], self.qvel[:, 3:6])
        x, y, _, vx, vy, vz = self.sensed[:, :6].T.copy()
        fell = self.memory[:, balance.FELL] > 0
        told = self.wishes[:, balance.HEADING].copy()
        return Motion(
            x=x,
            y=y,
            z=middle_height(stands.roll, fell, self.outline),
            yaw=self.memory[:, balance.YAW].copy(),
            pitch=-stands.pitch,
            roll=stands.roll,
            vx=vx,
            vy=vy,
            vz=vz,
            yaw_rate=stands.yaw_rate,
            extras={"roll_rate": stands.roll_rate, "steer": -self.steer, "fell": fell, AIM: told},
        )

    def parts(self) -> Parts:
        """Every segment, wheel and part of the machine now."""
        return parts_of(self.cyclist.model, self.batch, self.cyclist.boxes)

    def touched(self, touch: Touch) -> None:
        """Pushed back and thrown as a whole; whether a rider keeps its balance then is up to it."""
        for column, change in enumerate(touch.shift.T):
            np.add.at(self.qpos[:, column], touch.rows, change)
        for column, kick in zip((0, 1, 5), touch.kick.T, strict=True):
            np.add.at(self.qvel[:, column], touch.rows, kick)

    def freedoms(self) -> tuple[tuple[str, ...], np.ndarray]:
        model = self.cyclist.model
        stands = attitude(self.qpos[:, 3:7], self.qvel[:, 3:6])
        yaw = self.memory[:, balance.YAW]
        joints = range(1, model.njnt)
        names = ("x", "y", "z", "roll", "pitch", "yaw", *(model.joint(j).name for j in joints))
        values = np.column_stack(
            [
                self.qpos[:, :3],
                *(stands.roll, stands.pitch, yaw),
                self.qpos[:, 7:],
                self.qvel[:, :3],
                *(stands.roll_rate, stands.pitch_rate, stands.yaw_rate),
                self.qvel[:, 6:],
            ]
        )
        return (*names, *(f"{name} rate" for name in names)), values
