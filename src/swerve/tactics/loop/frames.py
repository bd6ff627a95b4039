"""The closed loop: sense, think, act, sixty times a second. `Loop.frame` shows the order of events."""

from __future__ import annotations

import time
from collections.abc import Mapping
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
    """What happened, frame by frame: rows of truth and estimate, of plans where there was one, commands."""

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
    """A reality, what is seen of it, and minds that act in it."""

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
        self.camera = Camera(problem.world, random, noise, latency)
        self.tracker = Tracker(problem.world, problem.start, noise, latency, drive)
        self.log = Log()

    def frame(self) -> None:
        seen = self.camera.look(self.reality.row)
        if seen is not None:
            self.tracker.update(seen)
        estimate = self.tracker.estimate(float(self.reality.row[0]))
        thoughts = {}
        for mind in self.minds:
            began = time.perf_counter()
            thoughts[mind.robot] = thought = mind.think(estimate, self.tracker)
            self.log.missed += time.perf_counter() - began > thought.deadline
        commands = {name: thought.command for name, thought in thoughts.items()}
        self._note(estimate, thoughts, commands)
        self.reality.step(commands)
        self.tracker.sent(commands)

    def run(self, seconds: float) -> Log:
        """Frames for so long."""
        for _ in range(round(seconds / FRAME)):
            self.frame()
        return self.log

    def _note(
        self, estimate: np.ndarray, thoughts: Mapping[str, Thought], commands: dict[str, Command]
    ) -> None:
        log, mine = self.log, thoughts[self.minds[0].robot]
        log.truth.append(self.reality.row.copy())
        log.estimate.append(estimate)
        log.touched.append(self.reality.touched.copy())
        log.planned.append(mine.planned)
        log.commands.append(commands)
        if mine.nodes is not None:
            log.planning.append(mine.planning_seconds)
            log.nodes.append(mine.nodes)
        if mine.plan_length is not None:
            log.lengths.append(mine.plan_length)
