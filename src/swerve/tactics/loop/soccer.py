"""Soccer in the loop: one against one until somebody scores (Zickler 2010, section 7.3.4)."""

from __future__ import annotations

from swerve.core.seeding import generator

from ..domains import duel
from ..plan import SolveOptions
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
        how = SolveOptions(fidelity=options.fidelity or FIDELITY)
        attacker = Dribbler(problem, 2 * seed, DRIVE, how, options.nodes or NODES, options.planner)
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


def world_of(options: PlayOptions, seed: int) -> Pitch:
    """A fresh reality of a game."""
    return Pitch(duel.build(), generator(seed, "reality"), DRIVE)
