"""Hallway and maze: when plans are made again, and which of them count as collided."""

from types import SimpleNamespace

import numpy as np

from swerve.tactics import load_domain
from swerve.tactics.loop import (
    PlayOptions,
    corridor,
)
from swerve.tactics.loop.corridor import ASTRAY, Navigator
from swerve.tactics.loop.execute import Execution
from swerve.tactics.loop.frames import Thought


def test_a_navigator_plans_again_where_the_world_leads_it_astray(monkeypatch):
    problem = load_domain("hallway", 1)
    mind = Navigator(problem, PlayOptions(interval=2.0), 1)
    slot, rows = problem.world.slot(mind.robot), np.tile(problem.start, (200, 1))
    plan = SimpleNamespace(problem=problem, rows=rows, contacts=np.zeros((0, 0), dtype=bool))

    def planned(estimate):
        mind.plans, mind.due, mind.execution = mind.plans + 1, 10**6, Execution(plan, mind.robot)
        return Thought()

    monkeypatch.setattr(mind, "_plan", planned)
    for off, plans in ((0.0, 1), (0.5 * ASTRAY, 1), (1.5 * ASTRAY, 2)):
        row = problem.start.copy()
        row[slot.qpos] += off
        mind.frames = max(mind.frames, 5)
        mind.think(row, None)
        assert mind.plans == plans


def test_plans_may_be_made_once_and_for_all(monkeypatch):
    monkeypatch.setattr(corridor, "LONGEST", 0.7)
    played = [
        corridor.trial("hallway", PlayOptions(interval=interval, uncertainty=0.0), 4).intervals
        for interval in (np.inf, 0.3)
    ]
    assert played == [1, 2]


def test_every_plan_in_which_something_was_touched_counts(monkeypatch):
    class Touchy:
        def __init__(self, inner):
            self.inner, self.frames = inner, 0

        row = property(lambda self: self.inner.row)
        touched = property(lambda self: np.full_like(self.inner.touched, 20 <= self.frames < 28))

        def step(self, commands):
            self.inner.step(commands)
            self.frames += 1

    inner = corridor.world_of
    monkeypatch.setattr(corridor, "world_of", lambda *about: Touchy(inner(*about)))
    monkeypatch.setattr(corridor, "LONGEST", 0.6)
    played = corridor.trial("hallway", PlayOptions(t_lod=0.0, nodes=50), 4)
    assert played.collided == played.intervals == 2  # the second was made because of the touch, and touched
