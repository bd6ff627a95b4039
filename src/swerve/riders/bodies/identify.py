"""The linear model of a simulated machine, found from the simulation itself.

A small push to the lean or to the bar, then free riding: because every motion is reached by pushing, wheels
roll and contacts carry load in all of it, and no state has to be invented. Each push is made both ways and
the difference is taken, which removes whatever the straight ride does by itself (sag of the contact, pedal
strokes). The states at successive moments then obey x' = A x + B u, and least squares gives A and B.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import mujoco
import numpy as np
from mujoco.batch import Batch

from .attitude import attitude
from .bicycle import FRONT_SPIN, REAR_SPIN, STEER, bicycle_xml
from .whipple import BicycleParameters, LinearBicycle, capsize, crossing, in_order, weave

PERIOD = 0.01  # [s] between successive states, or the nearest that the time step allows
SETTLE, PUSH, REST, FREE = 0.2, 0.1, 0.02, 0.3  # [s] phases of an experiment
LEAN_PUSH, STEER_PUSH = 0.1, 0.001  # [N m] small enough that the response is linear to nine digits


LINEAR = 0.2  # [rad] of lean up to which a linear model holds


@dataclass(frozen=True)
class Identified:
    """Discrete model over one `period`: x' = A x + B u; states as `whipple.STATES`."""

    speed: float  # [m/s]
    period: float  # [s]
    transition: np.ndarray  # A, (4, 4)
    misfit: float  # largest error of the fit, as a part of the largest state
    effect: np.ndarray = field(default_factory=lambda: np.zeros(4))  # B, (4,) a newton metre on the bar

    @property
    def eigenvalues(self) -> np.ndarray:
        """Of the continuous motion [1/s], in the order of `whipple.in_order`."""
        values = np.linalg.eigvals(self.transition).astype(complex)
        return in_order(np.log(values) / self.period)


def lean_and_steer(qpos: np.ndarray, qvel: np.ndarray, position: int, rate: int) -> np.ndarray:
    """The four states (..., 4) from generalised positions and velocities; the frame's joint comes first.

    `position` and `rate` are the addresses of the steer joint in the two.
    """
    stands = attitude(qpos[..., 3:7], qvel[..., 3:6])
    return np.stack([stands.roll, qpos[..., position], stands.roll_rate, qvel[..., rate]], -1)


def identify_bicycle(
    speed: float, timestep: float = 0.0005, parameters: BicycleParameters | None = None
) -> Identified:
    """The linear model of the simulated bicycle at `speed` [m/s]."""
    p = parameters or BicycleParameters()
    return identify_model(mujoco.MjModel.from_xml_string(bicycle_xml(p, timestep)), p, speed)


def identify_model(model: mujoco.MjModel, p: BicycleParameters, speed: float) -> Identified:
    """The same for a compiled model, which must be a plain bicycle with parameters `p`."""
    dt = model.opt.timestep
    batch = Batch(model, 4, 1)
    qpos, qvel, force = batch.bind("qpos"), batch.bind("qvel"), batch.bind("qfrc_applied")
    steer = model.joint(STEER)
    position, rate = int(steer.qposadr[0]), int(steer.dofadr[0])
    qvel[:, 0] = speed
    qvel[:, model.joint(REAR_SPIN).dofadr[0]] = speed / p.rear_radius
    qvel[:, model.joint(FRONT_SPIN).dofadr[0]] = speed / p.front_radius
    batch.step(nstep=round(SETTLE / dt))
    force[:2, 3] = LEAN_PUSH, -LEAN_PUSH
    force[2:, rate] = STEER_PUSH, -STEER_PUSH
    batch.step(nstep=round(PUSH / dt))
    force[:] = 0.0
    batch.step(nstep=round(REST / dt))
    states = [lean_and_steer(qpos, qvel, position, rate)]
    steps = max(round(PERIOD / dt), 1)
    for _ in range(round(FREE / (steps * dt))):
        batch.step(nstep=steps)
        states.append(lean_and_steer(qpos, qvel, position, rate))
    answers = np.array(states)
    return fit(speed, (answers[:, ::2] - answers[:, 1::2]) / 2, steps * dt)


def fit(speed: float, answers: np.ndarray, period: float) -> Identified:
    """Least squares over `answers` (moments, pushes, 4), `period` [s] apart."""
    answers = answers / np.abs(answers).max(axis=(0, 2), keepdims=True)
    before, after = answers[:-1].reshape(-1, 4), answers[1:].reshape(-1, 4)
    transposed, *_ = np.linalg.lstsq(before, after, rcond=None)
    misfit = float(np.abs(before @ transposed - after).max())
    return Identified(speed, period, transposed.T, misfit)


def fit_with_input(speeds: np.ndarray, answers: np.ndarray, inputs: np.ndarray) -> list[Identified]:
    """A model for each of `speeds` (k,), from `answers` (k, moments, trials, 4) to `inputs` (k, moments − 1,
    trials), `PERIOD` apart.

    All are fitted at once, by least squares: every number of the model is a parabola over the speed. One by
    one, slow rides would tell too little: lean, steer and their rates nearly go together there. Moments that
    lean too far for a linear model are left out.
    """
    upright = np.abs(np.maximum.accumulate(np.abs(answers[:, 1:, :, 0]), axis=1)) <= LINEAR
    scale = np.abs(answers[:, 1:][upright]).max(axis=0)
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise ValueError("pushes on its bar move nothing, or everything")
    middle, half = (speeds.max() + speeds.min()) / 2, max(np.ptp(speeds) / 2, 1e-9)
    powers = ((speeds - middle) / half)[:, None] ** np.arange(min(3, len(speeds)))  # (k, 3)
    before, after = answers[:, :-1] / scale, answers[:, 1:] / scale
    told = np.concatenate([before, inputs[..., None]], axis=-1)  # (k, moments − 1, trials, 5)
    rows = (told[..., None, :] * powers[:, None, None, :, None])[upright].reshape(-1, 5 * powers.shape[1])
    found, *_ = np.linalg.lstsq(rows, after[upright], rcond=None)
    misfit = float(np.abs(rows @ found - after[upright]).max())
    numbers = np.einsum("kp,pio->kio", powers, found.reshape(-1, 5, 4))  # (k, 5, 4)
    return [
        Identified(float(v), PERIOD, one[:4].T * scale[:, None] / scale, misfit, one[4] * scale)
        for v, one in zip(speeds, numbers, strict=True)
    ]


@dataclass(frozen=True)
class Check:
    """The simulated bicycle beside the theory."""

    timestep: float  # [s]
    weave_speed: tuple[float, float]  # [m/s] simulated, theory
    capsize_speed: tuple[float, float]
    speeds: np.ndarray  # [m/s] (k,)
    simulated: np.ndarray  # eigenvalues [1/s], (k, 4)
    theory: np.ndarray

    @property
    def speed_error(self) -> float:
        """Largest relative error of the two speeds."""
        return max(abs(a / b - 1) for a, b in (self.weave_speed, self.capsize_speed))

    @property
    def errors(self) -> np.ndarray:
        """Relative error of every eigenvalue, (k, 4)."""
        return np.abs(self.simulated - self.theory) / np.abs(self.theory)


def check_bicycle(
    timestep: float = 0.0005,
    speeds: np.ndarray | None = None,
    parameters: BicycleParameters | None = None,
    watch: Callable[[list[float]], Iterable[float]] = list,
) -> Check:
    """Hold the simulated bicycle against the theory at `speeds` [m/s]; `watch` is passed the list of them."""
    p = parameters or BicycleParameters()
    model = mujoco.MjModel.from_xml_string(bicycle_xml(p, timestep))
    truth = LinearBicycle.of(p)
    speeds = np.arange(1.0, 11.0) if speeds is None else np.asarray(speeds, float)

    def modes(speed: float) -> np.ndarray:
        return identify_model(model, p, speed).eigenvalues

    weave_speed, capsize_speed = truth.weave_speed(), truth.capsize_speed()
    return Check(
        timestep,
        (_near(lambda v: weave(modes(v)), weave_speed), weave_speed),
        (_near(lambda v: -capsize(modes(v)), capsize_speed), capsize_speed),
        speeds,
        np.array([modes(float(v)) for v in watch(speeds.tolist())]),
        np.array([truth.eigenvalues(v) for v in speeds]),
    )


def _near(growth: Callable[[float], float], expected: float) -> float:
    """Where the simulation crosses zero, looked for within a fifth of the expected speed."""
    return crossing(growth, 0.8 * expected, 1.2 * expected, 5)
