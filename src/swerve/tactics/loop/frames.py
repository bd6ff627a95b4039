"""The closed loop: sense, think, act, sixty times a second. `Loop.frame` shows the order of events."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ..problem import Problem
from .reality import FRAME, Command, Drive, Reality
from .sense import Camera, Noise
from .tracker import Tracker


@dataclass
class Thought:
    """What a mind decided in a frame. `planned` is the state it expects now, if it follows a plan."""

    command: Command = field(default_factory=Command)
    planned: np.ndarray | None = None
    planning_seconds: float = 0.0
    nodes: int | None = None  # of the tree, in frames with a plan
    plan_length: float | None = None  # [s]
    deadline: float = FRAME  # [s] that this thought was allowed


class Mind(Protocol):
    """Whoever moves a robot."""

    robot: str

    def think(self, estimate: np.ndarray, tracker: Tracker) -> Thought:
        """What to do now, from the estimated state row."""


@dataclass
class Log:
    """What happened, frame by frame: rows of truth and estimate, of plans where there was one, commands; and
    the rows in which it ended, where nobody was told anything any more."""

    truth: list[np.ndarray] = field(default_factory=list)
    estimate: list[np.ndarray] = field(default_factory=list)
    planned: list[np.ndarray | None] = field(default_factory=list)
    touched: list[np.ndarray] = field(default_factory=list)
    commands: list[dict[str, Command]] = field(default_factory=list)
    planning: list[float] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    missed: int = 0

    @property
    def frames(self) -> int:
        return len(self.commands)


class Loop:
    """A reality, what is seen of it, and minds that act in it once anything is seen. How long a mind thinks
    is measured by the processor's time, so that others on the same machine do not count."""

    def __init__(
        self,
        problem: Problem,
        reality: Reality,
        minds: tuple[Mind, ...],
        random: np.random.Generator,
        noise: Noise = Noise(),
        latency: float = 0.05,
        drive: Drive = Drive(),
    ):
        self.problem, self.reality, self.minds = problem, reality, minds
        self.noise, self.latency, self.drive, self.random = noise, latency, drive, random
        self.log = Log()
        self.restart()

    def restart(self) -> None:
        """Bodies were put somewhere else: nothing that was seen or believed before counts."""
        about = self.noise, self.latency
        self.camera = Camera(self.problem.world, self.random, *about)
        self.trackers = {
            mind.robot: Tracker(self.problem.world, self.problem.start, *about, self.drive)
            for mind in self.minds
        }

    def frame(self) -> None:
        estimates, thoughts = self._sense(), {}
        for mind in self.minds:
            tracker = self.trackers[mind.robot]
            if tracker.seen_at is None:
                thoughts[mind.robot] = Thought()
                continue
            began = time.thread_time()
            thoughts[mind.robot] = thought = mind.think(estimates[mind.robot], tracker)
            late = time.thread_time() - began > thought.deadline
            self.log.missed += late and mind is self.minds[0]
        commands = {name: thought.command for name, thought in thoughts.items()}
        self._note(estimates[self.minds[0].robot], thoughts[self.minds[0].robot])
        self.log.commands.append(commands)
        self.reality.step(commands)
        for name, tracker in self.trackers.items():  # nobody knows what others were told
            tracker.sent({name: commands[name]})

    def end(self) -> None:
        """Look once more, without doing anything: what the last frame led to is what games are judged by."""
        self._note(self._sense()[self.minds[0].robot], Thought())

    def run(self, seconds: float) -> Log:
        """Frames for so long."""
        for _ in range(round(seconds / FRAME)):
            self.frame()
        return self.log

    def _sense(self) -> dict[str, np.ndarray]:
        """What everybody believes, once what arrives now is known."""
        seen, now = self.camera.look(self.reality.row), float(self.reality.row[0])
        if seen is not None:
            for tracker in self.trackers.values():
                tracker.update(seen)
        return {name: tracker.estimate(now) for name, tracker in self.trackers.items()}

    def _note(self, estimate: np.ndarray, mine: Thought) -> None:
        log = self.log
        log.truth.append(self.reality.row.copy())
        log.estimate.append(estimate)
        log.touched.append(self.reality.touched.copy())
        log.planned.append(mine.planned)
        if mine.nodes is not None:
            log.planning.append(mine.planning_seconds)
            log.nodes.append(mine.nodes)
        if mine.plan_length is not None:
            log.lengths.append(mine.plan_length)
