"""Where the limbs go: joint angles that keep hands on the bar and feet on the pedals.

Arms and legs close loops through the machine. Their angles follow from the steer angle and the crank angle
alone, so they are solved once, on a grid of both, and looked up while riding. Beside them stand the joint
torques that push: for a bar torque τ each hand presses along its way round the steer axis, and the joints
carry that force f as τ_j = J_jᵀ f, which moves nothing but the bar. The same for feet and crank.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from swerve.core.errors import BadInput

from .anatomy import RiderDefinition, hinges
from .bicycle import STEER
from .cyclist_xml import CRANK

MOST_STEER = 0.7  # [rad] the table's ends
STEERS, CRANKS = 29, 72  # entries
KEEP_REST = 0.02  # [m/rad] pull towards the rest angles, against misses of hand or foot


@dataclass(frozen=True)
class Posture:
    """Tables of the joints' targets, in the order of the model's actuators (nu)."""

    rest: np.ndarray  # [rad] (nu,) with the bar straight and the crank at zero
    by_steer: np.ndarray  # [rad] (STEERS, nu) added to `rest`; zero but for the arms
    by_crank: np.ndarray  # [rad] (CRANKS + 1, nu) added to `rest`; zero but for the legs; one turn
    push_steer: np.ndarray  # (STEERS, nu) joint torques for one newton metre on the bar
    push_crank: np.ndarray  # (CRANKS + 1, nu) for one on the crank, each leg as if alone
    limb: np.ndarray  # (nu,) which limb a joint is of: left leg, right leg, an arm, none


def find_posture(rider: RiderDefinition, model: mujoco.MjModel) -> Posture:
    """Solve the loops for every angle of the bar and the crank."""
    rest = np.array([hinge.rest for limb in rider.limbs() for hinge in hinges(limb)])
    arms, legs = _chain(rider, "bar"), _chain(rider, "pedal")
    names = [model.actuator(i).name for i in range(model.nu)]
    arm = np.array([_in(name, arms) for name in names])
    leg = np.array([("left", "right").index(n.split()[0]) if _in(n, legs) else -1 for n in names])
    solver = _Loops(model, rest, np.flatnonzero(arm | (leg >= 0)), rider)
    steers = np.linspace(-MOST_STEER, MOST_STEER, STEERS)
    by_steer, push_steer = np.zeros((STEERS, model.nu)), np.zeros((STEERS, model.nu))
    middle = STEERS // 2
    neutral = solver.solve(0.0, 0.0, rest)
    for way in (range(middle, STEERS), range(middle, -1, -1)):
        angles = neutral
        for i in way:
            angles = solver.solve(steers[i], 0.0, angles)
            by_steer[i] = np.where(arm, angles - neutral, 0.0)
            push_steer[i] = np.where(arm, solver.push(STEER, slice(0, 2)), 0.0)
    by_crank, push_crank = np.zeros((CRANKS + 1, model.nu)), np.zeros((CRANKS + 1, model.nu))
    angles = neutral
    for i in range(CRANKS + 1):
        angles = solver.solve(0.0, 2 * np.pi * i / CRANKS, angles)
        by_crank[i] = np.where(leg >= 0, angles - neutral, 0.0)
        for side in range(2):
            push_crank[i] += np.where(leg == side, solver.push(CRANK, slice(2 + side, 3 + side)), 0.0)
    limb = np.where(leg >= 0, leg, np.where(arm, 2, 3))
    return Posture(neutral, by_steer, by_crank, push_steer, push_crank, limb)


def _chain(rider: RiderDefinition, place: str) -> set[str]:
    """Names of the joints between the body and what grips `place`: the paired ones above it."""
    parents = {s.name: s for s in rider.segments}
    segment = next(s for s in rider.segments if s.grips == place)
    joints = set()
    while segment.paired:
        joints |= {hinge.name for hinge in hinges(segment)}
        segment = parents[segment.parent]
    return joints


def _in(name: str, joints: set[str]) -> bool:
    return any(name.endswith(f" {joint}") for joint in joints)


class _Loops:
    """Damped Gauss-Newton on the four gaps: hands from grips, feet from pedals."""

    def __init__(self, model: mujoco.MjModel, rest: np.ndarray, free: np.ndarray, rider: RiderDefinition):
        self.model, self.data, self.rest, self.free = model, mujoco.MjData(model), rest, free
        joints = model.actuator_trnid[:, 0]
        self.places, self.rates = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
        hand = next(s.name for s in rider.segments if s.grips == "bar")
        foot = next(s.name for s in rider.segments if s.grips == "pedal")
        self.pairs = [
            (model.site(f"{side} {limb}").id, model.site(f"{side} {place}").id)
            for limb, place in ((hand, "grip"), (foot, "pedal"))
            for side in ("left", "right")
        ]
        self.name = rider.name

    def solve(self, steer: float, crank: float, start: np.ndarray) -> np.ndarray:
        """Angles (nu,) that close the gaps, near the rest angles where that leaves a choice."""
        angles, model = start.copy(), self.model
        self.data.qpos[model.joint(STEER).qposadr[0]] = steer
        self.data.qpos[model.joint(CRANK).qposadr[0]] = crank
        pull = KEEP_REST * np.eye(len(angles))[self.free]
        for _ in range(40):  # a compromise between both wishes
            gap, slopes = self._gaps(angles)
            wish = KEEP_REST * (self.rest - angles)[self.free]
            change = self._step(np.vstack([slopes, pull[:, self.free]]), np.concatenate([gap, wish]))
            angles = angles + np.clip(change, -0.3, 0.3)
            if np.abs(change).max() < 1e-10:
                break
        for _ in range(20):  # then closed for good, moving as little as possible
            gap, slopes = self._gaps(angles)
            if np.abs(gap).max() < 1e-10:
                break
            angles = angles + self._step(slopes, gap)
        if np.abs(gap).max() > 1e-4:
            short = f"{100 * np.abs(gap).max():.1f} cm short at steer {steer:.2f}, crank {crank:.2f} rad"
            raise BadInput(f"rider {self.name}", None, f"cannot reach bar or pedals: {short}")
        return angles

    def push(self, joint: str, which: slice) -> np.ndarray:
        """Joint torques (nu,) for one newton metre about `joint`, by the limbs at the gaps `which`.

        The force on a place that moves by p' with the joint is p' / Σ|p'|², so that its torque sums to one.
        """
        model, data = self.model, self.data
        column = int(model.joint(joint).dofadr[0])
        places, limbs = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        torques, total = np.zeros(len(self.rest)), 0.0
        for limb, place in self.pairs[which]:
            mujoco.mj_jacSite(model, data, places, None, place)
            mujoco.mj_jacSite(model, data, limbs, None, limb)
            way = places[:, column]
            torques += limbs[:, self.rates].T @ way
            total += float(way @ way)
        return torques / total

    def _step(self, slopes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        change = np.zeros(len(self.rest))
        change[self.free] = np.linalg.lstsq(slopes, wanted, rcond=1e-9)[0]
        return change

    def _gaps(self, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """From limb to place, (12,) [m], and how the limbs move with the free angles, (12, free)."""
        model, data = self.model, self.data
        data.qpos[self.places] = angles
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        jacobian = np.zeros((3, model.nv))
        rows, misses = [], []
        for limb, place in self.pairs:
            mujoco.mj_jacSite(model, data, jacobian, None, limb)
            rows.append(jacobian[:, self.rates[self.free]].copy())
            misses.append(data.site_xpos[place] - data.site_xpos[limb])
        return np.concatenate(misses), np.vstack(rows)
