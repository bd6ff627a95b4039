"""Riders without physics: every 0.1 s the map says where the body is next and how it leans.

A rider on a map has a place, a heading and a state (roll, yaw rate, roll rate). The nearest state's trials
give the next 0.1 s; what the rider's own state differs from the map's is carried on by a linear rule fitted
to the map's own trajectories, so nothing jumps and nothing is stuck to the states that happen to be stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.contact import Touch
from swerve.core.errors import BadInput
from swerve.core.kernels import kernel
from swerve.core.motion import Motion
from swerve.core.steered import SteeredBodies

from ..bodies.outline import LYING, middle_height
from ..bodies.threads import in_slices
from .carry import outcomes
from .mobility import MobilityMap
from .trials import DECIDE, FOOT, state_of

PACE_LAG = 1.3  # [s] of a change of speed; the human takes 1.0 s slowing down and 1.7 s speeding up
PUSH, BRAKE = 1.5, 3.5  # [m/s²] most that legs and brakes give; a bicycle goes over its front wheel at 6
KNOCKED = 1.0  # [m/s] of a push that throws a rider off its wheels


class Glide(SteeredBodies):
    """A batch of riders on one map. It takes the same commands as bodies in full, in steps of 0.1 s.

    Who is told to ride slower than anybody can balance puts a foot down: it stands, upright, until it is
    told to ride on. A map is of one speed; slower riders lean and turn as at that speed, on a shorter way.
    """

    period = DECIDE

    def __init__(self, map_: MobilityMap, count: int, threads: int = 1):
        if count < 1:
            raise BadInput("riders", count, "must be at least 1")
        self.map, self.count, self.threads = map_, count, threads
        self.predictor = map_
        self.kinds = np.full(count, map_.kind, dtype=object)
        self.outline = np.tile(np.array(map_.outline), (count, 1))
        self.pose = np.zeros((count, 3))
        self.state = np.zeros((count, 3))
        self.velocity = np.zeros((count, 2))
        self.velocity[:, 0] = map_.speed
        self.pace = np.full(count, map_.speed)
        self.fell = np.zeros(count, dtype=bool)
        self.told = np.column_stack([np.zeros(count), self.pace])
        first = outcomes(map_)[:, 1].reshape(len(map_.states), map_.actions, 6)
        fell = map_.tracks.fell.reshape(first.shape[:2])
        self._rule = (np.ascontiguousarray(first), map_.carry[1], fell)
        self.falling = np.zeros(count)  # share of a fall that is done

    def take(self, rows: np.ndarray, motion: Motion) -> None:
        """Take riders over as they are; their state goes on from exactly there."""
        self.pose[rows] = motion.pose
        self.state[rows] = state_of(motion)
        self.velocity[rows] = np.column_stack([motion.vx, motion.vy])
        self.pace[rows] = motion.speed
        self.fell[rows] = motion.fell
        self.falling[rows] = 0.0

    def put(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray) -> None:
        turned = np.exp(1j * (np.asarray(yaw) - self.pose[:, 2]))
        velocity = (self.velocity[:, 0] + 1j * self.velocity[:, 1]) * turned
        self.velocity[:] = np.column_stack([velocity.real, velocity.imag])
        self.pose[:] = np.column_stack(np.broadcast_arrays(x, y, yaw))
        self.told[:, 0] = yaw

    def advance(self, heading: np.ndarray, speed: np.ndarray, seconds: float) -> None:
        self.told[:, 0], self.told[:, 1] = heading, speed
        for _ in range(self.ticks(seconds)):
            self._tick(*self.told.T.copy())

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
        first, yaw_rate, rate = self.state.T.copy()
        vx, vy = self.velocity.T.copy()
        zero, fell = np.zeros(self.count), self.fell.copy()
        extras, roll = {"fell": fell}, zero
        if self.map.sideways == "roll":
            # who rides slower turns as fast by leaning less: tan φ = v·ω / g
            share = np.minimum(self.pace / self.map.speed, 1.0)
            roll = np.where(fell, np.copysign(LYING, first), share * first)
            extras["roll_rate"] = np.where(fell, 0.0, rate)
            extras["map_roll"] = first  # what the map's states are told apart by
        else:
            extras |= {"slip": first, "slip_rate": rate}
        z = middle_height(roll, fell, self.outline)
        return Motion(x, y, z, yaw, zero, roll, vx, vy, zero.copy(), np.where(fell, 0.0, yaw_rate), extras)

    def touched(self, touch: Touch) -> None:
        """A knock throws a rider over, to the side it was pushed to; less only pushes it."""
        for column, change in enumerate(touch.shift.T):
            np.add.at(self.pose[:, column], touch.rows, change)
        yaw = self.pose[touch.rows, 2]
        ahead = touch.kick[:, 0] * np.cos(yaw) + touch.kick[:, 1] * np.sin(yaw)
        right = touch.kick[:, 0] * np.sin(yaw) - touch.kick[:, 1] * np.cos(yaw)
        np.add.at(self.pace, touch.rows, ahead)
        self.pace = np.maximum(self.pace, 0.0)
        hard = np.hypot(touch.kick[:, 0], touch.kick[:, 1]) > KNOCKED
        down = touch.rows[hard]
        self.fell[down], self.velocity[down], self.pace[down] = True, 0.0, 0.0
        self.state[down, 0] = np.copysign(np.abs(self.state[down, 0]) + 1e-6, right[hard])

    def snapshot(self) -> np.ndarray:
        return np.column_stack(
            [self.pose, self.state, self.velocity, self.pace, self.fell, self.falling, self.told]
        )

    def restore(self, rows: np.ndarray) -> None:
        if rows.shape != (self.count, 13):
            raise BadInput("snapshot", rows.shape, f"must be of shape {(self.count, 13)}")
        self.pose, self.state, self.velocity = rows[:, :3].copy(), rows[:, 3:6].copy(), rows[:, 6:8].copy()
        self.pace, self.fell, self.falling = rows[:, 8].copy(), rows[:, 9] > 0, rows[:, 10].copy()
        self.told = rows[:, 11:].copy()


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
        change = (speed[i] - pace[i]) * min(1.0, DECIDE / PACE_LAG)
        pace[i] += min(max(change, -BRAKE * DECIDE), PUSH * DECIDE)
        if pace[i] < FOOT and speed[i] < FOOT:  # a foot down: it comes to a stand, upright
            pace[i] = max(0.0, pace[i] - BRAKE * DECIDE)
            velocity[i, 0], velocity[i, 1] = pace[i] * np.cos(pose[i, 2]), pace[i] * np.sin(pose[i, 2])
            pose[i, 0] += velocity[i, 0] * DECIDE
            pose[i, 1] += velocity[i, 1] * DECIDE
            state[i, 0] = state[i, 1] = state[i, 2] = falling[i] = 0.0
            continue
        stretch = pace[i] / nominal
        turning = min(1.0, pace[i] / FOOT)  # nobody turns on the spot
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
                pose[i, 2] += turning * new
            else:
                state[i, k - 3] = new
        # who keeps commanding a turn that ends in a fall has fallen when it would have
        after = fall_after[nearest[i], low + 1 if share > 0.5 else low]
        falling[i] = falling[i] + DECIDE / after if after < np.inf else 0.0
        fell[i] = falling[i] >= 1.0 - 1e-9
