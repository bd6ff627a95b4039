"""What the skills of a search did: how often each was chosen, how that ended, and what followed what.

A domain that is not solved often has one skill that runs into something nearly every time, or a condition
that never holds. The search looks the same either way; the account tells.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.kernels import inner, kernel, plain

from .bodies import World
from .lanes import FAILED, LOST, SOLVED
from .tactic import Tactic

CHOSEN, FINISHED, GOAL, MISSED, INVALID, LATE, ENDLESS = map(plain, range(7))
WORDS = ("chosen", "finished", "goal", "missed", "failed", "too_late", "cut_off")
ENOUGH = 30  # ends of a skill, or choices after one, before anything is said of it
NEARLY_ALWAYS = 0.95  # of these that fail
MOSTLY = (
    0.5  # of the failures at which two bodies touch that never do where all is well, when these are named
)


class Account:
    """Counts by tactic and skill: `deeds` (tactics, skills, 6) by the names above; `moves` (tactics, skills
    + 1, skills) by the skill before, last the beginning; `touches` (tactics, skills, pairs) where it failed;
    `meets` (pairs,) the steps in which two touched and nothing failed.

    With several tactics a skill that is busy goes on in every branch in which another one chooses: it may
    end more often than it was chosen.
    """

    def __init__(self, world: World, tactics: tuple[Tactic, ...]):
        self.watch, self.tactics = world.watch, tactics
        n, most = len(tactics), max(len(t.order) for t in tactics)
        self.deeds = np.zeros((n, most, len(WORDS)), dtype=np.int64)
        self.moves = np.zeros((n, most + 1, most), dtype=np.int64)
        self.touches = np.zeros((n, most, len(world.watch)), dtype=np.int64)
        self.meets = np.zeros(len(world.watch), dtype=np.int64)

    @property
    def tables(self) -> tuple[np.ndarray, ...]:
        """For `count_deeds`."""
        return self.deeds, self.moves, self.touches, self.meets

    @property
    def told(self) -> list[int]:
        """Which tactics are worth telling about: those that choose."""
        return [i for i, tactic in enumerate(self.tactics) if tactic.chooses]

    @property
    def late(self) -> bool:
        """Whether anything came to its end because the horizon was over."""
        return bool(self.deeds[:, :, LATE].any())

    def table(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Of every tactic and skill the counts, `then` what followed how often, and `touching` which pairs
        touched when it failed."""
        return {
            self.tactics[i].name: {name: self._row(i, k) for k, name in enumerate(self.tactics[i].order)}
            for i in self.told
        }

    def _row(self, i: int, k: int) -> dict[str, Any]:
        row: dict[str, Any] = dict(zip(WORDS, self.deeds[i, k].tolist(), strict=True))
        then = zip(self.tactics[i].order, self.moves[i, k], strict=False)
        pairs = zip(self.watch, self.touches[i, k], strict=True)
        row["then"] = {name: int(count) for name, count in then if count}
        row["touching"] = {f"{a}, {b}": int(count) for (a, b), count in pairs if count}
        return row

    def hints(self) -> list[str]:
        """A line for each skill that nearly always fails or never gets its turn, and for each transition
        whose condition never held."""
        return [line for i in self.told for k in range(len(self.tactics[i].order)) for line in self._of(i, k)]

    def _of(self, i: int, k: int) -> list[str]:
        tactic, lines = self.tactics[i], []
        name, deeds = tactic.order[k], self.deeds[i, k]
        ends, bad = int(deeds[FINISHED:].sum()), int(deeds[INVALID:].sum())
        if ends >= ENOUGH and bad >= NEARLY_ALWAYS * ends:
            lines.append(f"skill {name} of {tactic.name} failed {bad} of {ends} times{self._cause(i, k)}")
        if deeds[CHOSEN] == 0 and self.deeds[i].sum() >= ENOUGH:
            lines.append(f"skill {name} of {tactic.name} was never chosen")
        chances = int(self.moves[i, k].sum())
        for source, target, _ in tactic.varying:
            if source == k and chances >= ENOUGH and self.moves[i, k, target] == 0:
                which = f"transition {name} to {tactic.order[target]} of {tactic.name}"
                lines.append(f"{which} never fired in {chances} choices")
        return lines

    def _cause(self, i: int, k: int) -> str:
        """What the failures have in common, in words."""
        late, endless, invalid = (int(self.deeds[i, k, what]) for what in (LATE, ENDLESS, INVALID))
        if late >= max(invalid, endless):
            return ": the horizon was over"
        if endless >= invalid:
            return ": it was busy until it was cut off"
        if self.touches.shape[2]:
            guilty = np.where(self.meets == 0, self.touches[i, k], 0)  # others touch anyway
            pair = int(np.argmax(guilty))
            share = guilty[pair] / invalid
            if share >= MOSTLY:
                return f": {self.watch[pair][0]} and {self.watch[pair][1]} touched in {share:.0%} of them"
        return ": the state was not valid"


@inner
@kernel
def count_deeds(
    before: np.ndarray,
    was_busy: np.ndarray,
    skill: np.ndarray,
    busy: np.ndarray,
    steps: np.ndarray,
    ends: np.ndarray,
    rows: np.ndarray,
    touched: np.ndarray,
    end: float,
    deeds: np.ndarray,
    moves: np.ndarray,
    touches: np.ndarray,
    meets: np.ndarray,
) -> None:
    """Count what became of n branches of at most s steps: their skills `before` and what `was_busy`, the
    `skill` (n, tactics) that acted; `busy` (n, s, tactics), `rows` (n, s, width), `touched` (n, s, pairs) of
    their steps; `end` [s] is the horizon."""
    for k in range(len(skill)):
        last = steps[k] - 1
        for step in range(last if ends[k] == FAILED else last + 1):
            for pair in range(touched.shape[2]):
                meets[pair] += touched[k, step, pair]
        for i in range(skill.shape[1]):
            now = skill[k, i]
            if not was_busy[k, i]:
                deeds[i, now, CHOSEN] += 1
                moves[i, before[k, i], now] += 1  # nobody, at the root, is the last
            if ends[k] == FAILED and rows[k, last, 0] >= end:
                deeds[i, now, LATE] += 1
            elif ends[k] == FAILED:
                deeds[i, now, INVALID] += 1
                for pair in range(touched.shape[2]):
                    touches[i, now, pair] += touched[k, last, pair]
            elif ends[k] == SOLVED:
                deeds[i, now, GOAL] += 1
            elif ends[k] == LOST:
                deeds[i, now, MISSED] += 1
            elif not busy[k, last, i]:
                deeds[i, now, FINISHED] += 1
