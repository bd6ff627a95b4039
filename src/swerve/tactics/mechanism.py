"""Any MJCF model as one to plan over: what its actuators do, what its states mean, who may not touch whom.

    arm = swerve.Mechanism("arm.xml", avoid=[("forearm", "wall")])
    plan = swerve.plan(arm, arm.start, arm.state({"box x": 0.1}, elsewhere=np.nan))

A state is a row `time, qpos, qvel, act, warm start, touched`: all that MuJoCo needs to continue exactly, and
whether bodies that must not touch did so in the step that led here. Many rows are stepped at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import mujoco
import numpy as np
from mujoco.batch import Batch

from swerve.core.errors import BadInput, require
from swerve.core.files import existing

from .rollout import Array, Test
from .sound import check_model, hush
from .space import Space
from .spec import add_sensor

JOINT = mujoco.mjtJoint
FAR = 1.0  # [m], [rad] how far slides and free bodies without limits are sampled about where they start
FAST = 3.0  # [1/s] ranges of a joint that its speed is sampled up to
SPEED_COUNTS = 0.1  # weight of a speed beside that of its joint


class Mechanism:
    """A compiled MJCF model, stepped in batches.

    `mjcf` is a file or the text itself; `avoid` pairs of bodies that must not touch. `ranges` gives joints by
    name where to be sampled, (low, high), in place of the model's limits, and `weights` what a unit of them
    counts in the distance; joints of free bodies have one range and one weight for x, y and z. `start` is the
    model's first keyframe, or its initial state.
    """

    def __init__(
        self,
        mjcf: str | Path,
        *,
        avoid: Sequence[tuple[str, str]] = (),
        ranges: Mapping[str, tuple[float, float]] | None = None,
        weights: Mapping[str, float] | None = None,
        lanes: int = 256,
        threads: int = 1,
    ):
        hush()
        spec = _read(mjcf)
        bodies = {body.name for body in spec.bodies}
        for name in (name for pair in avoid for name in pair):
            require(name in bodies, "avoid", name, f"must be a body of {', '.join(sorted(bodies))};")
        for one, other in avoid:
            require(one != other, "avoid", (one, other), "must be two bodies;")
        first = len(list(spec.sensors))
        for one, other in avoid:
            add_sensor(spec, one, other, force=False)
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # what runs away is not valid
        try:
            self.model = model = spec.compile()
        except ValueError as error:
            raise BadInput("MJCF", None, f"cannot be built ({error})") from error
        check_model(model)
        require(model.nu > 0, "MJCF", None, "has no actuators")
        unlimited = [
            model.actuator(k).name or k for k in range(model.nu) if not model.actuator_ctrllimited[k]
        ]
        require(not unlimited, "MJCF, actuators", unlimited, "must have a ctrlrange; lack one:")
        self.controls = [(float(low), float(high)) for low, high in model.actuator_ctrlrange]
        self.width = 1 + model.nq + 2 * model.nv + model.na
        self.batch, self.lanes = Batch(model, lanes, threads), lanes
        self._rows, self._given = self.batch.state[:, : self.width], self.batch.bind("ctrl")
        self._sensors, self._places = self.batch.bind("sensordata"), self.batch.bind("xpos")
        address = int(model.sensor_adr[first]) if avoid else model.nsensordata
        self._touching = slice(address, address + len(avoid))
        self._ids = np.arange(lanes, dtype=np.int32)
        self.start = self._start()
        self.space = self._space(dict(ranges or {}), dict(weights or {}))

    @property
    def dt(self) -> float:
        """[s] of a step: about a sixtieth of a second, in whole steps of the engine."""
        return float(self.model.opt.timestep * max(1, round(1 / 60 / self.model.opt.timestep)))

    def step(self, states: Array, controls: Array, dt: float) -> Array:
        """States (b, width + 1) after dt [s]."""
        timestep = self.model.opt.timestep
        substeps = round(dt / timestep)
        shape = (len(states), self.model.nu)
        require(
            np.shape(controls) == shape, "controls", np.shape(controls), f"must be {shape}, one an actuator;"
        )
        whole = substeps >= 1 and abs(substeps * timestep - dt) < 1e-6 * timestep
        require(whole, "dt", dt, f"must be a multiple of the model's time step, {timestep:g} s; it is")
        after = np.empty_like(states)
        for some in range(0, len(states), self.lanes):
            part = states[some : some + self.lanes]
            n = len(part)
            ids = None if n == self.lanes else self._ids[:n]
            self._rows[:n], self._given[:n] = part[:, :-1], controls[some : some + n]
            touched = np.zeros(n, dtype=bool)
            for _ in range(substeps):
                self.batch.step(ids)
                touched |= (self._sensors[:n, self._touching] > 0).any(axis=1)
            after[some : some + n, :-1], after[some : some + n, -1] = self._rows[:n], touched
        return after

    def valid(self, states: Array) -> Array:
        """(b,) whether nobody touched who must not."""
        return np.asarray(np.isfinite(states).all(axis=1) & (states[:, -1] == 0))

    def place(self, body: str, states: Array) -> Array:
        """(b, 3) of a body's origin."""
        try:
            index = self.model.body(body).id
        except KeyError as error:
            raise BadInput("body", body, "is not in the MJCF") from error
        found = np.empty((len(states), 3))
        for some in range(0, len(states), self.lanes):
            n = len(states[some : some + self.lanes])
            self._rows[:n] = states[some : some + n, :-1]
            self.batch.forward(None if n == self.lanes else self._ids[:n], mujoco.mjtStage.mjSTAGE_POS)
            found[some : some + n] = self._places[:n, index]
        return found

    def near(self, body: str, to: Sequence[float], within: float) -> Test:
        """A goal: the body's origin is within so many metres of x, y or x, y, z."""
        aim = np.array(to, dtype=float)
        require(
            aim.shape in ((2,), (3,)), f"place of {body}", aim.shape, "must be x, y or x, y, z; the shape is"
        )
        self.place(body, self.start[None])

        def test(states: Array) -> Array:
            off = self.place(body, states)[:, : len(aim)] - aim
            return np.asarray((off * off).sum(axis=1) <= within * within)

        return test

    def state(self, joints: Mapping[str, float], elsewhere: float | None = None) -> Array:
        """The start with joints of one degree at these positions; NaN `elsewhere` makes it a goal that leaves
        the rest open."""
        row = self.start.copy() if elsewhere is None else np.full(len(self.start), elsewhere)
        for name, value in joints.items():
            row[self.column(name)] = value
        return row

    def column(self, joint: str) -> int:
        """Where a joint's position stands in a state."""
        return 1 + self._joint(joint)

    def _joint(self, name: str) -> int:
        try:
            return int(self.model.joint(name).qposadr[0])
        except KeyError as error:
            raise BadInput("joint", name, "is not in the MJCF") from error

    def _start(self) -> Array:
        data = mujoco.MjData(self.model)
        if self.model.nkey:
            mujoco.mj_resetDataKeyframe(self.model, data, 0)
        mujoco.mj_forward(self.model, data)
        touched = (data.sensordata[self._touching] > 0).any()
        row = [[0.0], data.qpos, data.qvel, data.act, np.zeros(self.model.nv), [float(touched)]]
        return np.concatenate(row)

    def _space(self, ranges: dict[str, tuple[float, float]], weights: dict[str, float]) -> Space:
        """Where states are sampled: joints within their limits, or about where they start."""
        model, q = self.model, 1 + self.model.nq
        low, high, counts = self.start.copy(), self.start.copy(), np.zeros(len(self.start))
        columns = [f"state {k}" for k in range(len(low))]
        angles = []
        for name in {*ranges, *weights}:
            self._joint(name)
        for name, span in ranges.items():
            require(len(span) == 2, f"range of {name}", tuple(span), "must be (low, high);")
        for j in range(model.njnt):
            kind, at, dof = JOINT(int(model.jnt_type[j])), 1 + model.jnt_qposadr[j], q + model.jnt_dofadr[j]
            name = model.joint(j).name or f"joint {j}"
            whole = kind == JOINT.mjJNT_HINGE and not model.jnt_limited[j] and name not in ranges
            for k in range({JOINT.mjJNT_FREE: 3, JOINT.mjJNT_BALL: 0}.get(kind, 1)):
                label = name if kind in (JOINT.mjJNT_SLIDE, JOINT.mjJNT_HINGE) else f"{name}.{'xyz'[k]}"
                limited = bool(model.jnt_limited[j])
                span = model.jnt_range[j] if limited else (self.start[at + k] - FAR, self.start[at + k] + FAR)
                low[at + k], high[at + k] = (-np.pi, np.pi) if whole else ranges.get(name, tuple(span))
                require(
                    bool(low[at + k] < high[at + k]),
                    f"range of {name}",
                    (low[at + k], high[at + k]),
                    "must rise",
                )
                counts[at + k] = weights.get(name, 1.0)
                reach = FAST * (high[at + k] - low[at + k])
                low[dof + k], high[dof + k] = -reach, reach
                counts[dof + k] = SPEED_COUNTS * counts[at + k]
                columns[at + k], columns[dof + k] = label, f"{label} speed"
                if whole:
                    angles.append(int(at + k))
        return Space(low.tolist(), high.tolist(), counts.tolist(), tuple(angles), tuple(columns))


def _read(mjcf: str | Path) -> mujoco.MjSpec:
    text = isinstance(mjcf, str) and "<" in mjcf
    path = None if text else str(existing(mjcf, "MJCF"))
    try:
        return mujoco.MjSpec.from_string(mjcf) if path is None else mujoco.MjSpec.from_file(path)
    except ValueError as error:
        raise BadInput("MJCF", None, f"does not parse ({error})") from error
