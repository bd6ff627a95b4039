"""Soccer in the loop: one against one until somebody scores (Zickler 2010, section 7.3.4)."""

from __future__ import annotations

from functools import cache

import numpy as np

from swerve.core.seeding import generator

from ..domains import duel
from ..domains.build import place
from ..plan import SolveOptions
from ..skills.handling import GAP
from .frames import Loop
from .opponents import KINDS
from .pitch import Pitch
from .play import PlayOptions, Trial
from .reality import FRAME, Drive
from .sense import Noise
from .striker import NODES, Counts, Dribbler, Reactive

LONGEST = 300.0  # [s] of a game, which a goal ends; who has not scored by then has not won
DRIVE = Drive(acceleration=5.0)
FIDELITY = "both"
PRACTICE = 0.2  # [s] that minds play before a process's first game


def trial(game: str, options: PlayOptions, seed: int) -> Trial:
    """One game. Ours plays blue in even ones and yellow in odd ones; `opponent` is the other side, the
    reactive one unless told."""
    ours, theirs = duel.TEAMS[seed % 2], duel.TEAMS[1 - seed % 2]
    warm_up(options.attacker, options.opponent, options.fidelity, options.nodes, options.planner)
    reality, minds = world_of(options, seed), minds_of(options, seed)
    attacker, problem = minds[0], minds[0].problem
    noise = Noise().times(options.noise)
    loop = Loop(problem, reality, minds, generator(seed, "camera"), noise, options.latency, DRIVE)
    restarts = 0
    for _ in range(round(LONGEST / FRAME)):
        loop.frame()
        if reality.restarts != restarts:
            restarts = reality.restarts
            loop.restart()
            for mind in minds:
                mind.forget()
        if reality.scored is not None:
            break
    loop.end()
    counts = attacker.counts if isinstance(attacker, Dribbler) else Counts()
    won, lost = reality.scored == ours, reality.scored == theirs
    return Trial(won, loop.log, problem, 0, 0, counts.engine, counts.planar, lost, counts.unless)


def minds_of(options: PlayOptions, seed: int) -> tuple[Reactive, Reactive]:
    """Ours and the other side's."""
    problem, other = (duel.build(duel.TEAMS[(seed + k) % 2]) for k in range(2))
    attacker: Reactive
    if options.attacker == "reactive":
        attacker = Reactive(problem, 2 * seed, DRIVE)
    else:
        how = SolveOptions(fidelity=options.fidelity or FIDELITY)
        attacker = Dribbler(problem, 2 * seed, DRIVE, how, options.nodes or NODES, options.planner)
    return attacker, KINDS[options.opponent or "reactive"](other, 2 * seed + 1, DRIVE)


@cache
def warm_up(
    attacker: str | None, opponent: str | None, fidelity: str | None, nodes: int | None, planner: str | None
) -> None:
    """Let such minds play before the first game's clock runs, in a world of their own: what they and the
    world are compiled of is made or loaded then, which takes longer than a frame."""
    options = PlayOptions(
        attacker=attacker, opponent=opponent, fidelity=fidelity, nodes=nodes, planner=planner
    )
    minds = minds_of(options, 0)
    Loop(minds[0].problem, world_of(options, 0), minds, generator(0, "camera"), drive=DRIVE).run(PRACTICE)
    for mind in minds:
        _rehearse(mind)


def _rehearse(mind: Reactive) -> None:
    """Make ready what it may do some time, and let it plan with the ball."""
    problem, other = mind.problem, next(name for name in duel.TEAMS if name != mind.robot)
    for tactic in problem.tactics[mind.tactic]:
        for skill in tactic.skills.values():
            if skill.law is not None:
                _ = skill.law.address  # compiled when it is asked for
    if not isinstance(mind, Dribbler):
        return
    world, slot = problem.world, problem.world.slot(mind.robot)
    ball, side = world.slot("ball"), 1.0 if mind.robot == duel.TEAMS[0] else -1.0
    row, reach = problem.start.copy(), slot.radius + ball.radius
    place(row, world, mind.robot, -side * reach, 0.0, np.pi * (side < 0))
    for _ in range(3):  # anew, on from there, and anew with what was to be done
        mind.plan(row)
        row = mind.ahead.rows[min(1, len(mind.ahead.rows) - 1)].copy()
        row[ball.qpos + 1] += 0.05 * mind.counts.kept
    row = problem.start.copy()
    place(row, world, other, side * (reach + GAP), 0.0, np.pi * (side > 0))
    place(row, world, mind.robot, 0.05 * side, 0.16 * side, -side * np.pi / 2)
    mind.plan(row)  # the other shoots at our goal, whatever is done


def world_of(options: PlayOptions, seed: int) -> Pitch:
    """A fresh reality of a game."""
    return Pitch(duel.build(), generator(seed, "reality"), DRIVE)


def fresh(game: str, options: PlayOptions, seed: int) -> Pitch:
    """The reality of a trial as it begins."""
    return world_of(options, seed)
