"""The closed loop: robots that do as they are told, a clock of frames, and engines that are timed."""

import time

import numpy as np
import pytest
from plain_golf import COURSE

from swerve.core.seeding import generator
from swerve.tactics.domains.minigolf import play_on
from swerve.tactics.engine import Engine
from swerve.tactics.loop import (
    Command,
    MujocoReality,
    PlayOptions,
    with_materials,
)
from swerve.tactics.loop.frames import Loop, Thought
from swerve.tactics.loop.golf import world_of
from swerve.tactics.loop.pymunk_world import PymunkReality
from swerve.tactics.loop.reality import FRAME
from swerve.tactics.machine import OneEngine
from swerve.tactics.planar import PlanarEngine

pytest.importorskip("pymunk")


@pytest.fixture(scope="module")
def course():
    return COURSE


@pytest.fixture(scope="module")
def problem(course):
    return play_on(course)


def test_a_real_robot_follows_its_command_but_not_at_once(problem, course):
    for reality in (
        PymunkReality(problem.world, course, problem.start),
        MujocoReality(problem.world, problem.start, generator(1, "reality")),
    ):
        slot = problem.world.slot("robot")
        reality.step({"robot": Command(0.5, 0.2, 1.0)})
        assert 0 < reality.row[slot.qvel] < 0.45
        for _ in range(20):
            reality.step({"robot": Command(0.5, 0.2, 1.0)})
        assert reality.row[slot.qvel : slot.qvel + 3] == pytest.approx([0.5, 0.2, 1.0], abs=0.02)


def test_other_materials_make_another_world(problem):
    changed = with_materials(problem.world, {"ball.restitution": 0.5, "floor.rolling": 0.002})
    assert changed.by_name["ball"].material.restitution == 0.5
    assert changed.by_name["floor"].material.rolling == 0.002
    assert problem.world.by_name["ball"].material.restitution != 0.5


def test_frames_are_sixty_a_second(problem):
    reality = MujocoReality(problem.world, problem.start, generator(1, "reality"))
    reality.step({})
    assert reality.row[0] == pytest.approx(FRAME)


class Watcher:
    robot = "robot"

    def __init__(self):
        self.seen = []

    def think(self, estimate, tracker):
        self.seen.append(tracker.seen_at)
        return Thought(Command(1.0))


def test_nobody_acts_before_anything_is_seen(problem, course):
    watcher, slot = Watcher(), problem.world.slot("robot")
    loop = Loop(problem, world_of(course, PlayOptions(), 1), (watcher,), generator(1, "camera"), latency=0.2)
    log = loop.run(0.3)
    assert len(watcher.seen) == log.frames - 12 and None not in watcher.seen
    assert all(np.array_equal(row[slot.qpos :][:2], log.truth[0][slot.qpos :][:2]) for row in log.truth[:13])
    loop.restart()
    loop.frame()
    assert len(watcher.seen) == log.frames - 13


def test_engines_are_timed_by_the_processor(monkeypatch, problem):
    def wall():
        raise AssertionError("counts others' work, too")

    monkeypatch.setattr(time, "perf_counter", wall)
    for engine in (Engine(problem.world), OneEngine(problem.world), PlanarEngine(problem.world)):
        engine.step(problem.start[None], np.zeros((1, problem.world.model.nv)))
        assert engine.seconds > 0
