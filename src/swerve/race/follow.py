"""Driving a plan for real: the car's own physics, steered along the planned motion by feedback.

A clip comes with the controls that made it, so playing them is almost enough; what keeps the car on the
plan through a slide is a linear regulator around every frame of every clip, worked out once for a tree by
going backwards through the linearised physics (a time-varying LQR).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.clips import body_velocity, world_states
from swerve.core.errors import BadInput, require
from swerve.core.geometry import wrapped
from swerve.core.kernels import inner, kernel
from swerve.core.library import MotionLibrary

from .car import FRAME, MAX_DRIVE, MAX_STEER, MAX_STEER_RATE, SUBSTEPS, CarParameters, advance, different
from .deviation import error_of
from .driven import Drive
from .touch import first_contact
from .trees import car_of

# what an error is worth: along, across [m], heading [rad], forward, sideways [m/s], yaw rate [rad/s]
ERROR_WEIGHT = np.diag([1.0, 4.0, 12.0, 0.3, 0.3, 0.3])
CONTROL_WEIGHT = np.diag([1.0 / 0.1**2, 1.0 / 40.0**2])  # steer [rad], drive [units]
SETTLE = 400  # frames over which the regulator of straight driving settles


@dataclass(frozen=True)
class Execution:
    """How a plan was driven: states (n, 6), the controls (n − 1, 3) that were applied, distance from the plan
    (n,) [m], first contact or −1.
    """

    states: np.ndarray
    controls: np.ndarray
    deviation: np.ndarray
    contact: int

    @property
    def touched(self) -> bool:
        return self.contact >= 0


def follow(
    drive: Drive, parameters: CarParameters | None = None, mismatch: float = 0.0, seed: int = 0
) -> Execution:
    """Drive a plan with the physics and a regulator.

    The car is the one that the tree was made for, unless `parameters` tell another. `mismatch` makes the real
    car differ from it: every constant is off by up to this fraction, drawn from `seed`.
    """
    require(0 <= mismatch < 0.5, "mismatch", mismatch, "must be between 0 and 0.5")
    where = f"move tree {drive.tree.name}, frame"
    require(
        abs(drive.tree.dt - FRAME) < 1e-9, where, drive.tree.dt, f"must be {FRAME:g} s to be driven for real"
    )
    planned = parameters or car_of(drive.tree)
    real = different(planned, mismatch, seed).packed()
    states, applied = _run(drive.states, drive.controls, _gains_of(drive, planned), real)
    deviation = np.hypot(*(states[:, :2] - drive.states[:, :2]).T)
    return Execution(
        states, applied, deviation, first_contact(states[:, :3], drive.track.walls, drive.traffic)
    )


def _gains_of(drive: Drive, parameters: CarParameters) -> np.ndarray:
    """Gains (n, 2, 6) for every frame of a drive: those of its clips, or round a line, its own."""
    if len(drive.clips):
        gains = regulator(drive.tree, parameters)
        offsets = np.cumsum([0] + [clip.frames for clip in drive.tree.clips])
        rows = [offsets[k] + np.arange(drive.tree.clips[k].frames) for k in drive.clips]
        return gains[np.concatenate(rows)[: len(drive.controls)]]
    a, b = _linearised(drive.states[:-1], drive.controls, drive.states[1:], parameters.packed())
    gains, value = np.empty((len(a), 2, 6)), 4.0 * ERROR_WEIGHT
    for f in range(len(a) - 1, -1, -1):
        gains[f], value = _riccati(a[f], b[f], value)
    return gains


def check_controls(tree: MotionLibrary) -> None:
    """Refuse a tree whose clips do not say how they were driven."""
    if any(clip.controls.size == 0 for clip in tree.clips):
        raise BadInput(f"move tree {tree.name}", None, "has clips without controls and cannot be driven")


def regulator(tree: MotionLibrary, parameters: CarParameters) -> np.ndarray:
    """Feedback gains (all frames of all clips, 2, 6) from error to steer and drive, kept with the tree."""
    check_controls(tree)
    return tree.once(("regulator", parameters), lambda: _gains(tree, parameters))


def _gains(tree: MotionLibrary, parameters: CarParameters) -> np.ndarray:
    before = np.concatenate([world_states(c.pose[:-1], c.velocity[:-1]) for c in tree.clips])
    after = np.concatenate([world_states(c.pose[1:], c.velocity[1:]) for c in tree.clips])
    controls = np.concatenate([c.controls for c in tree.clips])
    a, b = _linearised(before, controls, after, parameters.packed())
    offsets = np.cumsum([0] + [clip.frames for clip in tree.clips])
    final = [_settled(tree, node, a, b, offsets) for node in range(len(tree.node_names))]
    gains = np.empty((len(a), 2, 6))
    for k, clip in enumerate(tree.clips):
        value = final[tree.target[k]]
        for f in range(offsets[k] + clip.frames - 1, offsets[k] - 1, -1):
            gains[f], value = _riccati(a[f], b[f], value)
    return gains


def _settled(tree: MotionLibrary, node: int, a: np.ndarray, b: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Value of errors when driving straight on at a node's speed for long."""
    value = ERROR_WEIGHT.copy()
    loops = [k for k in tree.out_of(node) if tree.target[k] == node]
    if not loops or tree.node_velocity[node, 0] < 2.0:
        return 4.0 * value
    straight = min(loops, key=lambda k: abs(tree.clips[k].pose[-1, 2]) + abs(tree.clips[k].pose[-1, 1]))
    f = int(offsets[straight])
    for _ in range(SETTLE):
        _, value = _riccati(a[f], b[f], value)
    return value


def _riccati(a: np.ndarray, b: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One step back: gain K and value P of x' = A·x + B·u with u = −K·x."""
    bp = b.T @ value
    gain = np.linalg.solve(CONTROL_WEIGHT + bp @ b, bp @ a)
    closed = a - b @ gain
    value = ERROR_WEIGHT + gain.T @ CONTROL_WEIGHT @ gain + closed.T @ value @ closed
    return gain, (value + value.T) / 2


def _linearised(
    before: np.ndarray, controls: np.ndarray, after: np.ndarray, packed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A (n, 6, 6) and B (n, 6, 2) of every frame, by central differences through the physics."""
    step = np.array([1e-4, 1e-4, 1e-5, 1e-4, 1e-4, 1e-5, 1e-5, 1e-2])
    columns = np.empty((len(before), 6, 8))
    for k in range(8):
        ends = []
        for sign in (1.0, -1.0):
            nudge = np.zeros(8)
            nudge[k] = sign * step[k]
            ends.append(_one_frame(before, nudge, controls, after, packed))
        columns[:, :, k] = (ends[0] - ends[1]) / (2 * step[k])
    return columns[:, :, :6], columns[:, :, 6:]


def _one_frame(
    before: np.ndarray, nudge: np.ndarray, controls: np.ndarray, after: np.ndarray, packed: np.ndarray
) -> np.ndarray:
    """Error after a frame that began with the error `nudge[:6]` and the extra controls `nudge[6:]`."""
    c, s = np.cos(before[:, 2]), np.sin(before[:, 2])
    velocity = body_velocity(before) + nudge[3:6]
    pose = np.column_stack(
        [
            before[:, 0] + c * nudge[0] - s * nudge[1],
            before[:, 1] + s * nudge[0] + c * nudge[1],
            before[:, 2] + nudge[2],
        ]
    )
    ends = _frames(world_states(pose, velocity), controls, np.ascontiguousarray(nudge[6:]), packed)
    return error_of(ends, after)


@kernel
def _frames(states: np.ndarray, controls: np.ndarray, extra: np.ndarray, packed: np.ndarray) -> np.ndarray:
    out = np.empty_like(states)
    for i in range(states.shape[0]):
        s = (states[i, 0], states[i, 1], states[i, 2], states[i, 3], states[i, 4], states[i, 5])
        steer, throttle, brake, reverse = _commands(controls[i], extra[0], extra[1])
        for _ in range(SUBSTEPS):
            s = advance(s, steer, throttle, brake, reverse, FRAME / SUBSTEPS, packed)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4], out[i, 5] = s
    return out


@inner
@kernel
def _commands(planned: np.ndarray, steer: float, drive: float) -> tuple[float, float, float, bool]:
    """Planned controls plus corrections, within what the car can do; more drive first releases the brake."""
    reverse = planned[1] < 0.0
    steer = min(MAX_STEER, max(-MAX_STEER, planned[0] + steer))
    if reverse:
        return steer, min(-1e-3, max(-MAX_DRIVE, planned[1] + drive)), planned[2], True
    wanted = min(MAX_DRIVE, max(-MAX_DRIVE, planned[1] - planned[2] + drive))
    return steer, max(0.0, wanted), max(0.0, -wanted), False


@kernel
def _run(
    reference: np.ndarray, controls: np.ndarray, gains: np.ndarray, packed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The car under feedback along a reference (n + 1, 6) with planned controls (n, 3): states and what was
    applied. The wheel turns no faster than hands do.
    """
    wheel, reach = controls[0, 0] if len(controls) else 0.0, MAX_STEER_RATE * FRAME
    out, applied = np.empty_like(reference), np.empty((controls.shape[0], 3))
    out[0] = reference[0]
    for f in range(controls.shape[0]):
        r, a = reference[f], out[f]
        c, s = np.cos(r[2]), np.sin(r[2])
        ca, sa = np.cos(a[2]), np.sin(a[2])
        dx, dy = a[0] - r[0], a[1] - r[1]
        turn = wrapped(a[2] - r[2])
        e0, e1 = c * dx + s * dy, -s * dx + c * dy
        e3 = ca * a[3] + sa * a[4] - (c * r[3] + s * r[4])
        e4 = -sa * a[3] + ca * a[4] - (-s * r[3] + c * r[4])
        e5 = a[5] - r[5]
        k = gains[f]
        steer = -(k[0, 0] * e0 + k[0, 1] * e1 + k[0, 2] * turn + k[0, 3] * e3 + k[0, 4] * e4 + k[0, 5] * e5)
        drive = -(k[1, 0] * e0 + k[1, 1] * e1 + k[1, 2] * turn + k[1, 3] * e3 + k[1, 4] * e4 + k[1, 5] * e5)
        steer, throttle, brake, reverse = _commands(controls[f], steer, drive)
        steer = wheel = min(wheel + reach, max(wheel - reach, steer))
        applied[f, 0], applied[f, 1], applied[f, 2] = steer, throttle, brake
        state = (a[0], a[1], a[2], a[3], a[4], a[5])
        for _ in range(SUBSTEPS):
            state = advance(state, steer, throttle, brake, reverse, FRAME / SUBSTEPS, packed)
        for i in range(6):
            out[f + 1, i] = state[i]
    return out, applied
