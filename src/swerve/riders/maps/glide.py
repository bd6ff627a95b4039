"""Riders without physics: every 0.1 s the map says where the body is next and how it leans.

A rider on a map has a place, a heading and a state (roll, yaw rate, roll rate). The nearest state's trials
give the next 0.1 s; what the rider's own state differs from the map's is carried on by a linear rule fitted
to the map's own trajectories, so nothing jumps and nothing is stuck to the states that happen to be stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.kernels import kernel

from ..bodies.body import Motion
from ..bodies.threads import in_slices
from .carry import carry_of, outcomes
from .mobility import MobilityMap
from .trials import DECIDE

PACE_LAG = 1.3  # [s] of a change of speed; the human takes 1.0 s slowing down and 1.7 s speeding up


class Glide:
    """A batch of riders on one map. It takes the same commands as bodies in full, in steps of 0.1 s."""

    def __init__(self, map_: MobilityMap, count: int, threads: int = 1):
        if count < 1:
            raise BadInput("riders", count, "must be at least 1")
        self.map, self.count, self.step, self.threads = map_, count, DECIDE, threads
        self.pose = np.zeros((count, 3))
        self.state = np.zeros((count, 3))
        self.velocity = np.zeros((count, 2))
        self.velocity[:, 0] = map_.speed
        self.pace = np.full(count, map_.speed)
        self.fell = np.zeros(count, dtype=bool)
        first = outcomes(map_)[:, 1].reshape(len(map_.states), map_.actions, 6)
        fell = map_.tracks.fell.reshape(first.shape[:2])
        self._rule = (np.ascontiguousarray(first), carry_of(map_)[1], fell)
        self.falling = np.zeros(count)  # share of a fall that is done

    def put(self, rows: np.ndarray, motion: Motion) -> None:
        """Take riders over as they are; their state goes on from exactly there."""
        self.pose[rows] = np.column_stack([motion.x, motion.y, motion.yaw])
        self.state[rows] = np.column_stack([motion.roll, motion.yaw_rate, motion.roll_rate])
        self.velocity[rows] = np.column_stack([motion.vx, motion.vy])
        self.pace[rows] = np.hypot(motion.vx, motion.vy)
        self.fell[rows] = motion.fell
        self.falling[rows] = 0.0

    def move(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray) -> None:
        turned = np.exp(1j * (np.asarray(yaw) - self.pose[:, 2]))
        velocity = (self.velocity[:, 0] + 1j * self.velocity[:, 1]) * turned
        self.velocity[:] = np.column_stack([velocity.real, velocity.imag])
        self.pose[:] = np.column_stack(np.broadcast_arrays(x, y, yaw))

    def advance(self, heading: np.ndarray, speed: np.ndarray, seconds: float) -> None:
        heading = np.broadcast_to(np.asarray(heading, dtype=np.float64), self.count)
        speed = np.broadcast_to(np.asarray(speed, dtype=np.float64), self.count)
        for _ in range(round(seconds / DECIDE)):
            self._tick(heading, speed)

    def _tick(self, heading: np.ndarray, speed: np.ndarray) -> None:
        nearest = self.map.nearest(self.state)
        rule: tuple[Any, ...] = (*self._rule, self.map.states, self.map.turns, self.map.speed)
        mine = (self.pose, self.state, self.velocity, self.pace, self.fell, self.falling)

        def part(rows: slice) -> None:
            own: tuple[Any, ...] = tuple(column[rows] for column in mine)
            _tick(nearest[rows], heading[rows], speed[rows], *own, *rule)

        in_slices(part, self.count, self.threads)

    def motion(self) -> Motion:
        x, y, yaw = self.pose.T.copy()
        roll, yaw_rate, roll_rate = self.state.T.copy()
        vx, vy = self.velocity.T.copy()
        return Motion(x, y, np.zeros(self.count), vx, vy, yaw, roll, yaw_rate, roll_rate, self.fell.copy())


@kernel
def _tick(
    nearest: np.ndarray,
    heading: np.ndarray,
    speed: np.ndarray,
    pose: np.ndarray,
    state: np.ndarray,
    velocity: np.ndarray,
    pace: np.ndarray,
    fell: np.ndarray,
    falling: np.ndarray,
    first: np.ndarray,
    carry: np.ndarray,
    fall_after: np.ndarray,
    states: np.ndarray,
    turns: np.ndarray,
    nominal: float,
) -> None:
    actions = len(turns)
    for i in range(len(pose)):
        if fell[i]:
            velocity[i, 0] = velocity[i, 1] = 0.0
            continue
        turn = min(max(heading[i] - pose[i, 2], turns[0]), turns[actions - 1])
        low = 0
        while low < actions - 2 and turns[low + 1] <= turn:
            low += 1
        share = (turn - turns[low]) / (turns[low + 1] - turns[low])
        one, other = first[nearest[i], low], first[nearest[i], low + 1]
        d0 = state[i, 0] - states[nearest[i], 0]
        d1 = state[i, 1] - states[nearest[i], 1]
        d2 = state[i, 2] - states[nearest[i], 2]
        pace[i] += (speed[i] - pace[i]) * min(1.0, DECIDE / PACE_LAG)
        stretch = pace[i] / nominal
        ahead = (
            (1 - share) * one[0] + share * other[0] + d0 * carry[0, 0] + d1 * carry[1, 0] + d2 * carry[2, 0]
        )
        left = (
            (1 - share) * one[1] + share * other[1] + d0 * carry[0, 1] + d1 * carry[1, 1] + d2 * carry[2, 1]
        )
        c, s = np.cos(pose[i, 2]), np.sin(pose[i, 2])
        velocity[i, 0] = stretch * (c * ahead - s * left) / DECIDE
        velocity[i, 1] = stretch * (s * ahead + c * left) / DECIDE
        pose[i, 0] += velocity[i, 0] * DECIDE
        pose[i, 1] += velocity[i, 1] * DECIDE
        for k in range(2, 6):
            new = (1 - share) * one[k] + share * other[k]
            new += d0 * carry[0, k] + d1 * carry[1, k] + d2 * carry[2, k]
            if k == 2:
                pose[i, 2] += new
            else:
                state[i, k - 3] = new
        # who keeps commanding a turn that ends in a fall has fallen when it would have
        after = fall_after[nearest[i], low + 1 if share > 0.5 else low]
        falling[i] = falling[i] + DECIDE / after if after < np.inf else 0.0
        fell[i] = falling[i] >= 1.0 - 1e-9
