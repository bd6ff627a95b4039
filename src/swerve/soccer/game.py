"""A match from kick-off to the end: sixty times a second see, decide, move, judge, keep a log."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from swerve.core.collecting import tidy, undisturbed
from swerve.core.errors import BadInput, require
from swerve.core.seeding import generator

from .match.field import Field, load_field
from .match.log import Log
from .match.model import FRAME
from .match.referee import Referee, State
from .match.sight import Sight, Tracker
from .match.world import MatchWorld
from .team.plays import Playbook, load_playbook
from .team.team import Team, situation_of
from .watch import Watching

LONGEST = 120.0  # [min]
TIDY_EVERY = 60  # frames
LARGEST = 1e6  # of a command: what is beyond any robot is driven as fast as it goes, but this is a mistake


class Side(Protocol):
    """Whoever plays: `Team`, or a mind of your own."""

    def decide(self, robots: np.ndarray, ball: np.ndarray, situation: np.ndarray) -> np.ndarray:
        """Commands (n, 6) from all robots (2n, 6), blue first, the ball (8,), and what the referee says."""


@dataclass(frozen=True)
class MatchOptions:
    """How to play: which field, how long [min], how well one sees."""

    place: str = "division-b"  # a field by its name
    minutes: float = 2.0
    sight: Sight = field(default_factory=Sight)
    keep: int = 2  # frames from one row of the recording to the next
    eyes: bool = False  # whether sides know only what cameras above the field see


class Match:
    """Two sides on a field. `frame` plays a sixtieth of a second; `watch`, if there is one, is called in each
    before anything moves, with the match, robots (2, n, 6) and the ball (2, 8) as blue and yellow believe
    they are."""

    def __init__(
        self,
        field: Field,
        sides: tuple[Side, Side],
        seconds: float,
        sight: Sight,
        seed: int,
        keep: int = 2,
        tracker: type[Tracker] = Tracker,
    ):
        self.world = MatchWorld(field, seed)
        first = int(generator(seed, "coin").integers(2))
        self.referee = Referee(field, seconds, first)
        self.sides = sides
        line_up(self.world)
        self.tracker = tracker(self.world, sight, generator(seed, "sight"))
        self.log = Log(field, keep)
        self.missed = 0  # decisions that took more processor time than a frame lasts
        self.slowest = 0.0  # [s] of processor time that one took
        self.watch: Callable[[Match, np.ndarray, np.ndarray], None] | None = None
        for mind in sides:
            if isinstance(mind, Team):
                mind.rehearse()

    def frame(self) -> None:
        """See, decide, move, judge."""
        self.tracker.look()
        robots, ball = self.tracker.believed()
        if self.watch is not None:
            self.watch(self, robots, ball)
        n = self.world.field.robots
        commands = np.zeros((2 * n, 6))
        for side, mind in enumerate(self.sides):
            began = time.thread_time()
            told = mind.decide(robots[side], ball[side], situation_of(self.referee, side))
            took = time.thread_time() - began
            commands[side * n : (side + 1) * n] = _commands(told, side, n)
            self.missed += took > FRAME
            self.slowest = max(self.slowest, took)
        if self.referee.state is State.OVER:
            commands[:, 3:] = 0.0
        happened = self.world.step(commands)
        self.tracker.sent(commands)
        self.referee.judge(self.world, happened)
        self.log.note(self.world, happened, self.referee, self.sides)
        if self.log.frames % TIDY_EVERY == 0:
            tidy()

    def as_dict(self) -> dict[str, Any]:
        """The figures of the match; pairs are blue's and yellow's."""
        log, referee = self.log, self.referee
        return {
            "score": list(referee.score),
            "minutes": round(referee.t / 60, 4),
            "possession": [round(share, 4) for share in log.possession],
            "passes": list(log.passes),
            "kicks": list(log.kicks),
            "fouls": [dict(sorted(fouls.items())) for fouls in referee.fouls],
            "most_contact": log.most_contact,
            "frames": log.frames,
            "frames_missed": self.missed,
            "slowest_decision_ms": round(1000 * self.slowest, 2),
        }

    def play(self, progress: Callable[[float], None] | None = None) -> Match:
        """To the end."""
        frames = round(self.referee.seconds / FRAME)
        with undisturbed():
            for k in range(frames):
                self.frame()
                if progress is not None and k % 60 == 0:
                    progress(k / frames)
        return self


def _commands(told: object, side: int, n: int) -> np.ndarray:
    """What a side's mind gave, if it can be done: (n, 6) numbers."""
    what = ("blue", "yellow")[side] + "'s commands"
    try:
        commands = np.asarray(told, dtype=float)
    except (TypeError, ValueError) as error:
        raise BadInput(what, told, f"must be an array of numbers ({n}, 6)") from error
    require(commands.shape == (n, 6), what, commands.shape, f"must have the shape ({n}, 6)")
    fit = np.isfinite(commands).all() and np.abs(commands).max() <= LARGEST
    require(bool(fit), what, commands.tolist(), f"must be finite, and at most {LARGEST:g}")
    return commands


def check_minutes(minutes: float) -> None:
    """A match lasts at least a second."""
    least = 1 / 60
    require(least <= minutes <= LONGEST, "minutes", minutes, f"must be {least:.3g} (a second) to {LONGEST:g}")


def line_up(world: MatchWorld) -> None:
    """Both sides in their halves, keepers at their goals."""
    n, f = world.field.robots, world.field
    for side, sign in ((0, -1.0), (1, 1.0)):
        mine = world.robots[0, side * n : (side + 1) * n]
        mine[:, 0] = sign * 0.25 * f.length
        mine[:, 1] = np.linspace(-0.35, 0.35, n) * f.width
        mine[0, :2] = sign * (f.length / 2 - 0.15), 0.0
        mine[:, 2] = 0.0 if side == 0 else np.pi


def play_match(
    blue: str | Playbook = "swerve",
    yellow: str | Playbook = "reactive",
    options: MatchOptions = MatchOptions(),
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Match:
    """Play a match between two teams, by name, file or playbook. The same seed gives the same game."""
    check_minutes(options.minutes)
    place = load_field(options.place)
    books = [book if isinstance(book, Playbook) else load_playbook(book) for book in (blue, yellow)]
    sides = tuple(Team(book, place, side, seed) for side, book in enumerate(books))
    tracker = Watching if options.eyes else Tracker
    match = Match(
        place, (sides[0], sides[1]), 60 * options.minutes, options.sight, seed, options.keep, tracker
    )
    return match.play(progress)
