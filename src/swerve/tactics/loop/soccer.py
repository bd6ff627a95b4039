"""Soccer in the loop: one against one until somebody scores (Zickler 2010, section 7.3.4)."""

from __future__ import annotations

from functools import cache

from swerve.core.seeding import generator

from ..domains import duel
from ..domains.build import place
from ..plan import SolveOptions
from .frames import Loop
from .opponents import KINDS
from .pitch import Pitch
from .play import PlayOptions, Trial
from .reality import FRAME, Drive
from .sense import Noise
from .striker import NODES, Counts, Dribbler, Reactive
from .tracker import Tracker

LONGEST = 300.0  # [s] of a game, which a goal ends; who has not scored by then has not won
DRIVE = Drive(acceleration=5.0)
FIDELITY = "both"


def trial(game: str, options: PlayOptions, seed: int) -> Trial:
    """One game. Ours plays blue in even ones and yellow in odd ones; `opponent` is the other side, the
    reactive one unless told."""
    ours = duel.TEAMS[seed % 2]
    theirs = duel.TEAMS[1 - seed % 2]
    problem = duel.build(ours)
    reality = world_of(options, seed)
    attacker: Reactive
    if options.attacker == "reactive":
        attacker = Reactive(problem, 2 * seed, DRIVE)
    else:
        fidelity, nodes = options.fidelity or FIDELITY, options.nodes or NODES
        warm_up(fidelity, nodes, options.planner)
        how = SolveOptions(fidelity=fidelity)
        attacker = Dribbler(problem, 2 * seed, DRIVE, how, nodes, options.planner)
    other = KINDS[options.opponent or "reactive"](duel.build(theirs), 2 * seed + 1, DRIVE)
    noise = Noise().times(options.noise)
    minds = (attacker, other)
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
    counts = attacker.counts if isinstance(attacker, Dribbler) else Counts()
    won, lost = reality.scored == ours, reality.scored == theirs
    return Trial(won, loop.log, problem, 0, 0, counts.engine, counts.planar, lost, counts.unless)


@cache
def warm_up(fidelity: str, nodes: int, planner: str | None) -> None:
    """Let a mind of that kind plan before the first game's clock runs: what it is compiled of is loaded then,
    which takes longer than a frame."""
    problem = duel.build()
    mind = Dribbler(problem, 0, DRIVE, SolveOptions(fidelity=fidelity), nodes, planner)
    tracker = Tracker(problem.world, problem.start, Noise(), 0.0, DRIVE)
    mind.think(problem.start, tracker)
    row, ball = problem.start.copy(), problem.world.slot("ball")
    place(
        row, problem.world, "ball", -0.5 * duel.APART + problem.world.slot("blue").radius + ball.radius, 0.0
    )
    for _ in range(3):  # anew, on from there, and anew with what was to be done
        mind.think(row, tracker)
        row = mind.ahead.rows[min(1, len(mind.ahead.rows) - 1)].copy()
        row[ball.qpos + 1] += 0.05 * mind.counts.kept
    mind.outlooks[1].look(row, mind.ahead, nodes)


def world_of(options: PlayOptions, seed: int) -> Pitch:
    """A fresh reality of a game."""
    return Pitch(duel.build(), generator(seed, "reality"), DRIVE)
