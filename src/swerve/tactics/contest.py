"""Which of many motions to mend next: a contest in rounds.

Motions that were found one after the other, from trees of their own, end in different places when they are
mended: one turns round where the other backs up, and mending never makes the one the other. How well a motion
will do shows after a few attempts. So each gets a few; of those that came so far the best third gets three
times as many, of these the best third again, and so on (successive halving without waiting, ASHA, Li et al.
2020). Work is counted in attempts, never in seconds.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field

from .shorten import Way

FIRST, MORE = 30, 3  # attempts of the first round, and times as many in each that follows
STALE = 40  # attempts in a row that fail before a motion counts as short as it gets
ROUNDS = 12
KEPT = 64  # motions of a round that may still come on


@dataclass
class Entry:
    """A motion that takes part, the attempts it had and those that failed in a row."""

    way: Way
    attempts: int = 0
    failed: int = 0
    round: int = 0

    def tried(self, shorter: Way | None) -> None:
        """What an attempt to mend it gave."""
        self.attempts += 1
        self.way, self.failed = (shorter, 0) if shorter else (self.way, self.failed + 1)

    @property
    def stale(self) -> bool:
        return self.failed >= STALE


@dataclass
class _Round:
    """Lengths of all that were through this round, in order, those still in it, and how many came on."""

    lengths: list[int] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    gone: int = 0


class Contest:
    """Takes motions (`enter`) and tells whom to mend (`turn`), nobody if new motions are wanted."""

    def __init__(self) -> None:
        self.rounds = [_Round() for _ in range(ROUNDS)]
        self.running: Entry | None = None

    def enter(self, way: Way) -> Entry:
        self.running = Entry(way)
        return self.running

    def turn(self) -> Entry | None:
        entry = self.running
        if entry is not None and not entry.stale and entry.attempts < FIRST * MORE**entry.round:
            return entry
        if entry is not None:
            self._through(entry)
        self.running = self._next()
        return self.running

    def _through(self, entry: Entry) -> None:
        here = self.rounds[entry.round]
        insort(here.lengths, len(entry.way))
        insort(here.entries, entry, key=lambda other: len(other.way))
        del here.entries[KEPT:]

    def _next(self) -> Entry | None:
        """Of the latest round possible, somebody of its best third who is not stale."""
        for number in range(ROUNDS - 2, -1, -1):
            here = self.rounds[number]
            allowed = len(here.lengths) // MORE
            while here.gone < allowed and here.entries:
                if len(here.entries[0].way) > here.lengths[allowed - 1]:
                    break
                entry = here.entries.pop(0)
                here.gone += 1
                entry.round += 1
                if not entry.stale:
                    return entry
                self._through(entry)
        return None
