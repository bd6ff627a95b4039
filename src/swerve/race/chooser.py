"""A pilot in a world: the route search drives a real car, among whoever is predicted to be in its way.

The pilot thinks in clips of its move tree; the car is physics. In every frame of the world the planned motion
is played and a regulator, worked out once for the tree, keeps the car on it. When the car has been pushed off
its plan, the pilot goes on from where the car really is.
"""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.geometry import wrap
from swerve.core.plan import Status
from swerve.core.view import Seen, View

from .car import MAX_DRIVE, MAX_STEER, Car, CarParameters
from .deviation import error_of
from .follow import regulator
from .others import Others
from .pilot import Move, Pilot
from .touch import first_contact

HELD = 0.02  # [s] a command is held for
SEEN = 140.0  # [m] within which others are planned around
LOST = (1.5, 0.5, 4.0)  # [m], [rad], [m/s] off the plan from which it is made anew from the real state
WIDENING = {"pedestrian": 0.35}  # [m/s] by which an outline grows with the time ahead, by kind
WIDENING_ELSE = 0.12  # [m/s]
GLANCE = 2.0  # [s] ahead within which a contact foreseen is braked for at once
STILL, AT_REST = 0.2, 0.02  # [m/s]: it stands; nothing moves any more while it brakes
AHEAD, ASIDE = 60.0, 1.5  # [m] of the road that a car without a plan looks at, and keeps from its edges
CLOSE = 0.1  # [m] by which others are taken larger then


class PilotChooser:
    """Lets a `Pilot` drive the one car of a batch of sliding cars in a world.

    It looks `pilot.search.options.horizon` frames ahead, and brakes to a halt where it has arrived. `foresee`
    tells others what it is about to do.
    `lost` counts how often the plan was given up because the car was not on it, `braked` the frames in
    which it braked because its plan would have touched somebody.
    """

    def __init__(self, pilot: Pilot, parameters: CarParameters | None = None):
        self.pilot, self.car = pilot, Car(parameters)
        tree = pilot.tree
        slowest = float(np.hypot(*tree.node_velocity[np.unique(tree.source), :2].T).min())
        if slowest > LOST[2]:
            why = f"holds no clip by which a car at rest sets off: they begin at {slowest:.1f} m/s and more"
            raise BadInput("move tree", tree.name, why)
        self._gains = regulator(tree, self.car.parameters)
        self._first = np.cumsum([0] + [clip.frames for clip in tree.clips])
        self._states = [_state(pilot.pose, pilot.velocity)]  # (k, 6) reference, a row a frame of the tree
        self._controls: list[np.ndarray] = []
        self._rows: list[int] = []
        self._begin = 0.0  # [s] of the world at which the reference begins
        self._state = self._states[0]  # the car's, as last seen
        self._now = 0.0
        self.lost = self.braked = self.plans = 0
        self.stood = 0.0  # [s] since it has come to rest at its goal

    def choose(self, view: View, dt: float) -> np.ndarray:
        """Commands (1, m, 3) for the next frame of the world."""
        self._now = view.t
        self._state = state = _world_state(view)
        others: Seen | None = None
        if self.pilot.arrived:
            self.stood = self.stood + dt if np.hypot(state[3], state[4]) < STILL else 0.0
            return self._brake(state)
        if self._off(state):
            self._start_anew(state)
            if self._off(state):  # no clip begins like this: calm down first
                self.braked += 1
                return self._brake(state)
        elif self._blocked(view):
            self.braked += 1
            return self._brake(state)
        while self._end < view.t + dt - 1e-9:
            if self.pilot.at_transition:
                if others is None:
                    others = view.foresee(self._times(), SEEN, level=True)
                self.plans += 1
            self._note(self.pilot.choose(0, self._others(others, self._end - view.t) if others else None))
        if others is not None and self.pilot.status is Status.STUCK and self._blocked(view):
            self.braked += 1
            return self._brake(state)
        return self._follow(state, dt)

    def foresee(self, times: np.ndarray) -> np.ndarray:
        """Poses (1, k, 3) of the car at `times` [s] from now, as planned, or as it stops."""
        tree = self.pilot.tree
        if self.pilot.arrived:
            frames = int(np.ceil(np.max(times, initial=0.0) / tree.dt)) + 2
            poses = self._stopping(self._state, frames)
            at = np.asarray(times) / tree.dt
            return np.stack([np.interp(at, np.arange(frames), poses[:, k]) for k in range(3)], -1)[None]
        planned = np.array([s[:3] for s in self._states])
        frames = int(np.ceil(np.max(times, initial=0.0) / tree.dt)) + 1
        poses = np.vstack([planned, self.pilot.foresee(frames)])
        at = (self._now - self._begin + np.asarray(times)) / tree.dt
        return np.stack([np.interp(at, np.arange(len(poses)), poses[:, k]) for k in range(3)], -1)[None]

    @property
    def _end(self) -> float:
        """[s] of the world up to which the reference goes."""
        return self._begin + (len(self._states) - 1) * self.pilot.tree.dt

    def _times(self) -> np.ndarray:
        """[s] from now at which others are foreseen: every 0.1 s up to the horizon."""
        return np.arange(0.0, self.pilot.search.options.horizon * self.pilot.tree.dt + 0.2, 0.1)

    def _others(self, seen: Seen, later: float) -> Others:
        """What was foreseen now, as a search sees it that begins `later` seconds from now."""
        dt = self.pilot.tree.dt
        times = self._times()
        at = np.clip((later + np.arange(0.0, times[-1] - later, dt)) / 0.1, 0.0, len(times) - 1.001)
        k, share = at.astype(int), (at % 1.0)[None, :, None]
        poses = seen.poses
        turned = wrap(poses[:, k + 1, 2] - poses[:, k, 2])
        place = (1 - share) * poses[:, k, :2] + share * poses[:, k + 1, :2]
        yaw = poses[:, k, 2] + share[..., 0] * turned
        widening = np.array([WIDENING.get(str(kind), WIDENING_ELSE) for kind in seen.kinds])
        ahead = np.concatenate([place, np.cos(yaw)[..., None], np.sin(yaw)[..., None]], axis=-1)
        return Others(ahead, seen.outline[:, :2], widening)

    def _blocked(self, view: View) -> bool:
        """Whether the plan would soon touch somebody, as now foreseen, and to brake would touch later."""
        if not self._controls:
            return False
        seen = view.foresee(self._times(), SEEN, level=True)
        if len(seen) == 0:
            return False
        sure = self._others(seen, 0.0)
        sure = Others(sure.poses, sure.sizes + CLOSE, np.zeros(len(sure)))
        dt = self.pilot.tree.dt
        frames = np.arange(0.0, GLANCE, dt)
        walls = self.pilot.track.walls
        planned = first_contact(self.foresee(frames)[0], walls, sure, 0, self.pilot.outline)
        if planned < 0:
            return False
        braking = first_contact(
            self._stopping(_world_state(view), len(frames)), walls, sure, 0, self.pilot.outline
        )
        return braking < 0 or braking > planned + 2

    def _stopping(self, state: np.ndarray, frames: int) -> np.ndarray:
        """Poses (frames, 3) of the car if it brakes as hard as it can, along its plan."""
        dt, poses, way = self.pilot.tree.dt, [state[:3]], self._way()
        while len(poses) < frames and np.hypot(state[3], state[4]) > AT_REST:
            steer = self._along(state, way)
            for _ in range(4):
                state = self.car.step(state, steer, 0.0, MAX_DRIVE, dt / 4)
            poses.append(state[:3])
        return np.array(poses + [state[:3]] * (frames - len(poses)))

    def _brake(self, state: np.ndarray) -> np.ndarray:
        return np.array([[self._along(state, self._way()), 0.0, MAX_DRIVE]])

    def _way(self) -> np.ndarray:
        """Points (k, 2) of what was planned and of what the pilot would do next, or of the road ahead."""
        if not self._controls:
            track = self.pilot.track
            along, aside = track.progress(self._state[:2])
            right, left = (float(track.way.at(side, along)) - ASIDE for side in (track.right, track.left))
            aside = np.clip(aside, -max(right, 0.0), max(left, 0.0))
            return track.pose(along + np.arange(0.0, AHEAD, 1.0), aside)[:, :2]
        return np.vstack([[s[:2] for s in self._states], self.pilot.foresee(50)[:, :2]])

    def _along(self, state: np.ndarray, way: np.ndarray) -> float:
        """Steering angle [rad] towards a planned way a little ahead of the car."""
        ahead = max(3.0, 0.4 * float(np.hypot(state[3], state[4])))
        nearest = int(np.argmin(np.hypot(*(way - state[:2]).T)))
        far = np.flatnonzero(np.hypot(*(way[nearest:] - state[:2]).T) >= ahead)
        if len(far) == 0:
            return 0.0
        aim = way[nearest + far[0]] - state[:2]
        turn = wrap(np.arctan2(aim[1], aim[0]) - state[2])
        p = self.car.parameters
        bend = 2.0 * np.sin(turn) / np.hypot(*aim)
        return float(np.clip(np.arctan(bend * (p.front_axle + p.rear_axle)), -MAX_STEER, MAX_STEER))

    def _note(self, move: Move) -> None:
        self._states.append(_state(move.pose, move.velocity))
        self._controls.append(move.controls)
        self._rows.append(int(self._first[move.clip]) + move.frame)

    def _off(self, state: np.ndarray) -> bool:
        reference, _ = self._reference(self._now)
        e = error_of(state, reference)
        return bool(np.hypot(e[0], e[1]) > LOST[0] or abs(e[2]) > LOST[1] or np.hypot(e[3], e[4]) > LOST[2])

    def _start_anew(self, state: np.ndarray) -> None:
        """From where the car is, at the node whose velocity is nearest to its own."""
        tree = self.pilot.tree
        c, s = np.cos(state[2]), np.sin(state[2])
        own = np.array([c * state[3] + s * state[4], c * state[4] - s * state[3], 2.0 * state[5]])
        leaves = np.bincount(tree.source, minlength=len(tree.node_names)) > 0
        far = np.linalg.norm(tree.node_velocity * [1.0, 1.0, 2.0] - own, axis=1)
        node = int(np.argmin(np.where(leaves, far, np.inf)))
        self.pilot.place(state[:3], node)
        self._states, self._controls, self._rows = [_state(self.pilot.pose, self.pilot.velocity)], [], []
        self._begin = self._now
        self.lost += 1

    def _reference(self, t: float) -> tuple[np.ndarray, int]:
        """The planned state (6,) at a time of the world, and the frame of the tree it is in."""
        at = max(0.0, (t - self._begin) / self.pilot.tree.dt)
        k = min(int(at + 1e-9), max(len(self._states) - 2, 0))
        if len(self._states) == 1:
            return self._states[0], 0
        share = at - k
        a, b = self._states[k], self._states[k + 1]
        between = a + share * (b - a)
        between[2] = a[2] + share * wrap(b[2] - a[2])
        return between, k

    def _follow(self, state: np.ndarray, dt: float) -> np.ndarray:
        """Planned controls with feedback, each held for `HELD` seconds, the car's own motion foreseen."""
        count = max(1, round(dt / HELD))
        commands = np.empty((1, count, 3))
        for j in range(count):
            reference, k = self._reference(self._now + j * dt / count)
            error = error_of(state, reference)
            more = -self._gains[self._rows[k]] @ error
            steer, throttle, brake = self._controls[k]
            steer = float(np.clip(steer + more[0], -MAX_STEER, MAX_STEER))
            if throttle >= 0.0:
                drive = float(np.clip(throttle - brake + more[1], -MAX_DRIVE, MAX_DRIVE))
                throttle, brake = max(drive, 0.0), max(-drive, 0.0)
            commands[0, j] = steer, throttle, brake
            for _ in range(2):
                state = self.car.step(state, steer, throttle, brake, dt / count / 2)
        self._forget()
        return commands

    def _forget(self) -> None:
        """Drop what lies more than a second back."""
        dt = self.pilot.tree.dt
        old = int((self._now - self._begin) / dt) - 25
        if old > 25:
            del self._states[:old], self._controls[:old], self._rows[:old]
            self._begin += old * dt


def _state(pose: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    u, v, w = velocity
    return np.array([*pose, c * u - s * v, s * u + c * v, w])


def _world_state(view: View) -> np.ndarray:
    m = view.mine
    return np.array([m.x[0], m.y[0], m.yaw[0], m.vx[0], m.vy[0], m.yaw_rate[0]])
