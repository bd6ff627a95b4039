"""Riders without physics: every 0.1 s the map says where the body is next and how it leans.

A rider on a map has a place, a heading, a pace and a state (roll, yaw rate, roll rate). The nearest state's
trials give the next 0.1 s, at the map's speeds below and above the rider's; what the rider's own state
differs from the map's is carried on by a linear rule fitted to the map's own trajectories, so nothing jumps
and nothing is stuck to the states that happen to be stored. Legs and brakes give what was measured at those
speeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.contact import Touch
from swerve.core.errors import BadInput, require
from swerve.core.kernels import kernel
from swerve.core.motion import Motion
from swerve.core.predict import slide
from swerve.core.quick import cosine_sine
from swerve.core.steered import AIM, SteeredBodies

from ..bodies.outline import LYING
from ..bodies.threads import cut, in_slices
from .carry import outcomes
from .mobility import MobilityMap
from .nearest import fastest, nearest_of, speed_below, turn_below
from .trials import DECIDE, FOOT, state_of

KNOCKED = 1.0  # [m/s] of a push that throws a rider off its wheels


class Glide(SteeredBodies):
    """A batch of riders on one map. It takes the same commands as bodies in full, in steps of 0.1 s.

    Who is told to ride slower than anybody can balance puts a foot down: it stands, upright, until it is
    told to ride on. Below the map's slowest speed riders turn as at that speed, on a shorter way; nobody
    becomes faster than its fastest.
    """

    period = DECIDE
    row = 17  # numbers of a snapshot

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
        self.before = self.velocity.copy()  # of the tick before
        self.pace = np.full(count, map_.speed)
        self.fell = np.zeros(count, dtype=bool)
        self.told = np.column_stack([np.zeros(count), self.pace])
        first = outcomes(map_)[:, 1].reshape(len(map_.states), map_.actions, 6)
        fell = map_.tracks.fell.reshape(first.shape[:2])
        carry = np.ascontiguousarray(map_.carry[:, 1])
        nearby = (map_.index, np.ascontiguousarray(map_.states[:, :3]))
        self._rule: tuple[Any, ...] = (np.ascontiguousarray(first), carry, fell, *nearby)
        self._rule += (map_.speeds, map_.pacing, map_.turns)
        self.falling = np.zeros(count)  # share of a fall that is done
        self.thrown = np.zeros((count, 2))  # [m/s] of who was knocked over and still slides

    @property
    def mass(self) -> np.ndarray:
        return np.full(self.count, self.map.mass)

    def take(self, rows: np.ndarray, motion: Motion) -> None:
        """Take riders over as they are; their state goes on from exactly there."""
        self.pose[rows] = motion.pose
        self.state[rows] = state_of(motion)[:, :3]
        self.velocity[rows] = self.before[rows] = np.column_stack([motion.vx, motion.vy])
        self.pace[rows] = motion.speed
        self.fell[rows] = motion.fell
        self.falling[rows] = self.thrown[rows] = 0.0

    def put(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray) -> None:
        turned = np.exp(1j * (np.asarray(yaw) - self.pose[:, 2]))
        velocity = (self.velocity[:, 0] + 1j * self.velocity[:, 1]) * turned
        self.velocity[:] = np.column_stack([velocity.real, velocity.imag])
        self.before[:] = self.velocity
        self.pose[:] = np.column_stack(np.broadcast_arrays(x, y, yaw))
        self.told[:, 0] = yaw

    def go_at(self, speed: np.ndarray) -> None:
        self.velocity *= (speed / np.maximum(np.hypot(*self.velocity.T), 1e-9))[:, None]
        self.before[:] = self.velocity
        self.pace[:] = self.told[:, 1] = speed

    def advance(self, heading: np.ndarray, speed: np.ndarray, seconds: float) -> None:
        for name, wish in (("heading", heading), ("speed", speed)):
            bad = np.asarray(wish)[~np.isfinite(wish)]
            require(not len(bad), name, bad[:1].tolist(), "must be finite")
        self.told[:, 0], self.told[:, 1] = heading, speed
        for _ in range(self.ticks(seconds)):
            self.before[:] = self.velocity
            self._tick(*self.told.T.copy())
            if self.thrown.any():
                self._slide()

    def _slide(self) -> None:
        """0.1 s of those who were knocked over: bodies and metal rub to a halt."""
        who = self.thrown.any(axis=1)
        self.pose[:, :2] += slide(self.thrown, DECIDE)
        self.velocity[who] = self.before[who] = self.thrown[who]

    def _tick(self, heading: np.ndarray, speed: np.ndarray) -> None:
        mine = (heading, speed, self.pose, self.state, self.velocity, self.pace, self.fell, self.falling)

        in_slices(lambda rows: _tick(*cut(mine, rows), *self._rule), self.count, self.threads)

    def motion(self) -> Motion:
        n, leans = self.count, self.map.sideways == "roll"
        columns, flat, fell = np.empty((10, n)), np.zeros(n), self.fell.copy()
        mine = (self.pose, self.state, self.velocity, self.before, self.pace, self.fell, self.outline)

        def part(rows: slice) -> None:
            slowest = self.map.speeds[0] if leans else 0.0
            _now(slowest, columns[:, rows], *cut(mine, rows))

        in_slices(part, n, self.threads)
        x, y, z, yaw, roll, vx, vy, yaw_rate, first, rate = columns
        extras = {"fell": fell, AIM: self.told[:, 0].copy()}
        if leans:  # `map_roll` is what the map's states are told apart by
            extras |= {"roll_rate": rate, "map_roll": first}
        else:
            extras |= {"slip": first, "slip_rate": rate}
        return Motion(x, y, z, yaw, flat, roll, vx, vy, flat.copy(), yaw_rate, extras)

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
        now = self.motion()
        going = np.column_stack([now.vx, now.vy])
        np.add.at(going, touch.rows, touch.kick[:, :2])
        again = touch.rows[self.fell[touch.rows]]
        thrown = np.union1d(down, again)
        self.thrown[thrown] = self.velocity[thrown] = self.before[thrown] = going[thrown]
        self.fell[down], self.pace[down] = True, 0.0
        self.state[down, 0] = np.copysign(np.abs(self.state[down, 0]) + 1e-6, right[hard])

    def snapshot(self) -> np.ndarray:
        how = (self.pace, self.fell, self.falling, self.told, self.before, self.thrown)
        return np.column_stack([self.pose, self.state, self.velocity, *how])

    def restore(self, rows: np.ndarray) -> None:
        if rows.shape != (self.count, self.row):
            raise BadInput("snapshot", rows.shape, f"must be of shape {(self.count, self.row)}")
        self.pose, self.state, self.velocity = rows[:, :3].copy(), rows[:, 3:6].copy(), rows[:, 6:8].copy()
        self.pace, self.fell, self.falling = rows[:, 8].copy(), rows[:, 9] > 0, rows[:, 10].copy()
        self.told, self.before, self.thrown = (rows[:, k : k + 2].copy() for k in (11, 13, 15))


@kernel
def _now(slowest, out, pose, state, velocity, before, pace, fell, outline):
    """Columns of a motion; riders that do not lean have no `slowest` speed [m/s] of their map."""
    for i in range(len(pose)):
        # at the end of the last tick: a tick's own velocity is that of its middle, and turns on for half as
        # much as from the tick before
        vx, vy, wx, wy = velocity[i, 0], velocity[i, 1], before[i, 0], before[i, 1]
        both = np.sqrt((vx * vx + vy * vy) * (wx * wx + wy * wy))
        half = 0.5 * (wx * vy - wy * vx) / both if both > 1.0 else 0.0
        keep = 1.0 / np.sqrt(1.0 + half * half)
        roll = 0.0
        if slowest > 0.0:
            # who rides slower than any trial turns as fast by leaning less: tan φ = v·ω / g
            roll = np.copysign(LYING, state[i, 0]) if fell[i] else min(pace[i] / slowest, 1.0) * state[i, 0]
        out[0, i], out[1, i], out[3, i], out[4, i] = pose[i, 0], pose[i, 1], pose[i, 2], roll
        c, s = cosine_sine(roll)
        out[2, i] = 0.5 * outline[i, 2] * abs(c)
        out[5, i], out[6, i] = keep * (vx - half * vy), keep * (vy + half * vx)
        out[7, i], out[8, i], out[9, i] = state[i, 1], state[i, 0], state[i, 2]
        if fell[i]:
            out[2, i] += 0.5 * outline[i, 1] * abs(s)
            out[7, i], out[9, i] = 0.0, out[9, i] if slowest == 0.0 else 0.0


@kernel
def _tick(
    heading,
    speed,
    pose,
    state,
    velocity,
    pace,
    fell,
    falling,
    first,
    carry,
    fall_after,
    index,
    states,
    speeds,
    pacing,
    turns,
):
    """0.1 s of every rider."""
    points, begins, columns, scale, origin, per, counts, starts, members = index
    new, asked = np.empty(6), np.empty(len(columns))
    for i in range(len(pose)):
        if fell[i]:
            velocity[i, 0] = velocity[i, 1] = 0.0
            continue
        low, above = speed_below(speeds, pace[i])
        high = min(low + 1, len(speeds) - 1)
        push = (1 - above) * pacing[low, 0] + above * pacing[high, 0]
        brake = (1 - above) * pacing[low, 1] + above * pacing[high, 1]
        gain = (1 - above) * pacing[low, 2] + above * pacing[high, 2]
        change = (min(speed[i], fastest(speeds)) - pace[i]) * min(1.0, DECIDE * gain)
        pace[i] += min(max(change, -brake * DECIDE), push * DECIDE)
        if pace[i] < FOOT and speed[i] < FOOT:  # a foot down: it comes to a stand, upright
            pace[i] = max(0.0, pace[i] - brake * DECIDE)
            c, s = cosine_sine(pose[i, 2])
            velocity[i, 0], velocity[i, 1] = pace[i] * c, pace[i] * s
            pose[i, 0] += velocity[i, 0] * DECIDE
            pose[i, 1] += velocity[i, 1] * DECIDE
            state[i, 0] = state[i, 1] = state[i, 2] = falling[i] = 0.0
            continue
        action, share = turn_below(turns, heading[i] - pose[i, 2])
        for k in range(len(columns)):
            asked[k] = state[i, columns[k]] * scale[k]
        new[:] = 0.0
        falls = 0.0  # shares of a fall that this 0.1 s is
        for side in range(2):
            level, weight = (low, 1 - above) if side == 0 else (high, above)
            if weight == 0.0:
                continue
            near = nearest_of(asked, level, points, begins, origin, per, counts, starts, members)
            drawn = weight * pace[i] / speeds[level]
            d0, d1, d2 = (
                state[i, 0] - states[near, 0],
                state[i, 1] - states[near, 1],
                state[i, 2] - states[near, 2],
            )
            for k in range(6):
                value = (1 - share) * first[near, action, k] + share * first[near, action + 1, k]
                value += d0 * carry[level, 0, k] + d1 * carry[level, 1, k] + d2 * carry[level, 2, k]
                new[k] += (drawn if k < 2 else weight) * value
            after = fall_after[near, action + 1 if share > 0.5 else action]
            if after < np.inf:
                falls += weight * DECIDE / after
        c, s = cosine_sine(pose[i, 2])
        velocity[i, 0] = (c * new[0] - s * new[1]) / DECIDE
        velocity[i, 1] = (s * new[0] + c * new[1]) / DECIDE
        pose[i, 0] += velocity[i, 0] * DECIDE
        pose[i, 1] += velocity[i, 1] * DECIDE
        pose[i, 2] += min(1.0, pace[i] / FOOT) * new[2]  # nobody turns on the spot
        for k in range(3):
            state[i, k] = new[3 + k]
        # who keeps commanding a turn that ends in a fall has fallen when it would have
        falling[i] = falling[i] + falls if falls > 0.0 else 0.0
        fell[i] = falling[i] >= 1.0 - 1e-9
