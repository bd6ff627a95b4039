"""Driving a course for real: what the driver knows is late and noisy, what the car does a little different.

Frame by frame the driver looks at the car, works out where it will be when the hands move, tries out futures
from there where anybody or any wall may be in the way, and gives a command. The car's own physics does the
rest: what is recorded is what it did, and it has finished or crashed when the real car has.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from swerve.core.seeding import generator

from .car import FRAME, LENGTH, MAX_STEER_RATE, WIDTH, different
from .course import Course, progress_of
from .estimate import NOISE, Belief
from .line_hold import frame_on, hands, locate, moved_over
from .others import Others
from .reality import Reality
from .scene import Scene
from .touch import first_touch
from .tryout import TOUCHED, try_all

FURTHEST = 140  # frames that are tried out at most
EVERY = 5  # frames from one thought to the next
HELD = 30  # frames for which a future keeps to the side
FACTORS = (1.0, 0.8, 0.6, 0.4, 0.2, 0.0)  # of the line's speeds
SHARES = (0.33, 0.66, 1.0)  # of the room beside the line
STEPS = (2.0, 4.0)  # [m] beside the line
KEPT = 0.05  # [m] from walls in a future
LIKED = 0.15  # [m] a metre further beside the line is worth of progress
WORST = -1e6  # [m] what a future is worth that touches at once
ROOM_WANTED, ROOM_WORTH = 1.0, 3.0  # [m] of gap to others, and what a metre less of it costs in progress
ESCAPE_WORTH = 100.0  # the same for who escapes: the widest gap rather than the fastest way


@dataclass
class Run:
    """What the real car did: states (n + 1, 6), the controls (n, 3) it applied, thoughts in ms, and nodes."""

    states: np.ndarray
    controls: np.ndarray
    thoughts: np.ndarray
    nodes: int
    tried: int
    contact: int  # frame, or −1
    finished: bool


class Racer:
    """Drives a `Course` among the others of a `Scene` as `reality` lets it; `nodes` and `horizon` (frames)
    bound what it tries out in one thought.
    """

    def __init__(
        self,
        course: Course,
        scene: Scene,
        reality: Reality | None = None,
        horizon: int = 200,
        nodes: int = 4000,
        margin: float = 0.25,
        seed: int = 0,
    ):
        self.course, self.scene, self.reality = course, scene, reality or Reality()
        self.horizon, self.nodes = horizon, nodes
        doubt = self.reality.doubt * FRAME
        self.half = np.array([LENGTH / 2, WIDTH / 2, min(margin, KEPT), margin, doubt])
        self.packed = course.parameters.packed()
        off = self.reality.mismatch if self.reality.physics else 0.0
        self.real = different(course.parameters, off, seed).packed()
        self.rng = generator(seed, "sensors")
        self.table, self.slow = course.hold.table, course.hold.slow
        self.walls = tuple(level.arrays() for level in course.track.levels)
        self.over = course.track.on_bridge(course.along)
        self.state = course.states[0].copy()
        self.wheel = 0.0
        self.belief = Belief(self.state, self.packed, self.reality.noise, self.reality.mismatch)
        self.at, self.aside = locate(self.state[0], self.state[1], self.table, 0.0)
        self.choice = np.array([0.0, 1.0, 1e9, 0.0])
        self.chosen = 0
        self.queue: deque[tuple[float, float]] = deque([(0.0, 0.0)] * self.reality.frames)
        self.given = 0.0  # the last angle that was commanded
        self.kept = self.tried = 0
        self.deviation = 0.0  # [m] furthest beside where it meant to be
        self.end = len(self.table) - 2.0  # point of the line at which the drive is over

    def run(self, seconds: float, target: float) -> Run:
        """Drive until `target` metres of progress, a contact or the time is over."""
        self.end = self.course.point_at(target + LENGTH)
        states, controls, thoughts = [self.state.copy()], [], []
        track = self.course.track
        progress = float(progress_of(track, self.course.states)[0])
        frames = int(seconds / FRAME)
        for frame in range(frames):
            began = time.perf_counter()
            self._look()
            ahead = self._expected()
            if frame % EVERY == 0:
                self._think(ahead, frame)
                thoughts.append((1e3 * (time.perf_counter() - began), self.kept, self.tried))
            self._act(ahead, frame)
            controls.append(self._move())
            states.append(self.state.copy())
            self.scene.step(self.state)
            along = float(track.progress(self.state[None, :2], np.array([progress]))[0][0])
            if track.closed:
                along += track.length * np.round((progress - along) / track.length)
            progress = along
            if progress >= target or self.at >= len(self.table) - 2:
                break
        driven, traffic = np.array(states), self.scene.traffic()
        contact = first_touch(track, driven[:, :3], traffic)
        count = len(controls) if contact < 0 else contact
        until = thoughts[: -(-count // EVERY)]  # what came behind a contact does not count
        return Run(
            driven[: count + 1],
            np.array(controls).reshape(-1, 3)[:count],
            np.array([ms for ms, _, _ in until]),
            until[-1][1] if until else 0,
            until[-1][2] if until else 0,
            contact,
            contact < 0 and progress >= target,
        )

    def _look(self) -> None:
        """Take in what the sensors say; what was expected counts too where they are noisy."""
        if self.reality.physics:
            noise = self.reality.noise * NOISE
            self.belief.look(self.state + noise * self.rng.standard_normal(6))
            self.packed = self.belief.constants

    def _expected(self) -> np.ndarray:
        """Where the car will be when the next command takes hold: (7,) state and angle of the wheels."""
        s = (self.belief.state if self.reality.physics else self.state).copy()
        wheel = self.wheel
        for steer, drive in self.queue:
            wheel = _turned(wheel, steer)
            frame_on(s, wheel, drive, self.packed)
        return np.append(s, wheel)

    def _act(self, ahead: np.ndarray, frame: int) -> None:
        wanted, factor, until, later = self.choice
        now = frame - self.chosen < until
        at, beside = locate(ahead[0], ahead[1], self.table, self.at)
        self.at, self.deviation = at, max(self.deviation, abs(beside - self.aside))
        speed = float(np.hypot(ahead[3], ahead[4]))
        self.aside = moved_over(self.aside, wanted if now else later, speed, self.table, at)
        half = 0.5 * (self.packed[5] + self.packed[6])
        share = factor if now else 1.0
        self.queue.append(hands(ahead[:6], ahead[6], self.table, self.slow, at, self.aside, share, half))

    def _move(self) -> np.ndarray:
        """Let the car do what was commanded a while ago, and tell what it applied: (3,)."""
        steer, drive = self.queue.popleft()
        self.wheel = _turned(self.wheel, steer)
        frame_on(self.state, self.wheel, drive, self.real)
        if self.reality.physics:
            self.belief.move(self.wheel, drive)
        return np.array([self.wheel, max(0.0, drive), max(0.0, -drive)])

    def _think(self, ahead: np.ndarray, frame: int) -> None:
        """Try out futures from where the car will be, and choose the one that gets furthest. Where all of
        them touch something, a narrow escape will do, the widest there is.
        """
        lag = len(self.queue)
        others = self.scene.foresee(min(self.horizon, FURTHEST) + lag)
        if len(others.sizes) == 0 and not self.reality.physics:
            return
        unsure = others.widening + self.reality.doubt
        best, chosen = self._weighed(ahead, frame, others, unsure, self.half, ROOM_WORTH, self.nodes)
        if best < WORST / 2:
            narrow = np.minimum(self.half, [np.inf, np.inf, KEPT, KEPT, 0.0])
            escape, other = self._weighed(
                ahead, frame, others, 0.0 * unsure, narrow, ESCAPE_WORTH, self.nodes // 2
            )
            chosen = other if escape > best else chosen
        self.choice, self.chosen = chosen, frame

    def _weighed(
        self,
        ahead: np.ndarray,
        frame: int,
        others: Others,
        unsure: np.ndarray,
        half: np.ndarray,
        room: float,
        limit: int,
    ) -> tuple[float, np.ndarray]:
        """The best future (4,) and its worth, near `WORST` where it touches. Others may be off by `unsure`
        (m,) [m/s] ahead; `half` (5,) is the car's outline and what it keeps from walls and others; a metre of
        gap to others is worth `room` metres of progress; `limit` bounds the nodes.
        """
        growth = np.repeat(unsure[:, None] * FRAME, 2, axis=1)
        sizes = np.ascontiguousarray(others.sizes[:, :2]) / 2
        at, _ = locate(ahead[0], ahead[1], self.table, self.at)
        speed = float(np.hypot(ahead[3], ahead[4]))
        best, chosen = -np.inf, self.choice
        for level, (factor, choices) in enumerate(self._levels(frame, len(others.sizes) > 0)):
            out = np.zeros((len(choices), 4))
            took = try_all(
                choices,
                ahead[:6].copy(),
                float(ahead[6]),
                at,
                self.aside,
                min(self.horizon, FURTHEST),
                self.end,
                self.table,
                self.slow,
                self.packed,
                self.walls,
                self.over,
                half,
                others.poses,
                len(self.queue),
                sizes,
                growth,
                limit,
                out,
            )
            self.kept, limit = self.kept + took, limit - took
            tried, lost = out[:, 0] >= 0, _lost(choices, out, room)
            self.tried += int(tried.sum())
            score = self.course.hold.spacing * out[:, 2] - lost
            touched = out[:, 0] == TOUCHED
            score = np.where(
                touched, 10.0 * out[:, 1] + WORST - 0.01 * self.course.hold.spacing * out[:, 2], score
            )
            if not np.isfinite(best):
                score[0] += 1.0  # who changes plans must gain by it
            k = int(np.argmax(np.where(tried, score, -np.inf)))
            if tried[k] and score[k] > best:
                best, chosen = float(score[k]), choices[k].copy()
            # a slower future gets less far by this much, so it is better only where more than that is lost;
            # who drives on the line with room to spare asks no further
            slower = (factor - _below(factor)) * speed * HELD * FRAME if level else 0.0
            clear = tried & ~touched & (choices[:, 1] >= factor)
            if limit <= 0 or (lost[clear] <= slower).any():
                break
        return best, chosen

    def _levels(self, frame: int, crowded: bool) -> Iterator[tuple[float, np.ndarray]]:
        """Futures (n, 4): the present one and the line, then by shares of its speeds, the fastest first."""
        wanted, factor, until, later = self.choice
        present = (wanted, factor, max(0.0, until - (frame - self.chosen)), later)
        yield 1.0, np.array([present, (0.0, 1.0, 1e9, 0.0)])
        sides = [0.0]
        if crowded:
            j = min(int(self.at) + 20, len(self.table) - 1)
            right, left = self.table[j, 8], self.table[j, 9]
            found = {0.0, round(self.aside, 2)}
            found |= {share * left for share in SHARES} | {-share * right for share in SHARES}
            found |= {d for d in STEPS if d < left} | {-d for d in STEPS if d < right}
            sides = sorted(found, key=abs)
        for f in FACTORS:
            rows: list[tuple[float, float, float, float]] = []
            for side in sides:
                rows += [(side, f, HELD, 0.0), (side, f, 1e9, side)]
                if f == 1.0 and crowded:
                    rows.append((side, f, 2.5 * HELD, 0.0))
            yield f, np.array(rows)


def _lost(choices: np.ndarray, out: np.ndarray, room: float) -> np.ndarray:
    """[m] of progress (n,) that futures are worth less for being beside the line and near others."""
    gap = np.minimum(out[:, 3], ROOM_WANTED)
    return LIKED * np.abs(choices[:, 0]) + room * (ROOM_WANTED - gap)


def _below(factor: float) -> float:
    return max((f for f in FACTORS if f < factor), default=0.0)


def _turned(wheel: float, steer: float) -> float:
    most = MAX_STEER_RATE * FRAME
    return wheel + min(most, max(-most, steer - wheel))
