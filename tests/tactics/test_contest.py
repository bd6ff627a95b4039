"""Which of many motions is mended next."""

import numpy as np

from swerve.tactics.contest import FIRST, MORE, STALE, Contest
from swerve.tactics.shorten import Way


def way(n):
    return Way(np.zeros((n, 1)), np.zeros((n + 1, 1)))


def held(ends, work=400):
    """A contest of motions that take part one after the other, each mended by a step an attempt down to its
    end."""
    contest, entries, waiting = Contest(), {}, list(ends)
    for _ in range(work):
        entry = contest.turn()
        if entry is None:
            if not waiting:
                break
            end = waiting.pop(0)
            entries[id(contest.enter(way(end + 200)))] = end
            continue
        entry.tried(way(len(entry.way) - 1) if len(entry.way) > entries[id(entry)] else None)
    return contest


def test_all_get_a_few_attempts_and_the_best_third_more():
    contest = held([400, 100, 300, 200, 500, 600], work=10_000)
    first, second = contest.rounds[:2]
    assert len(first.lengths) == 6 and len(second.lengths) == 2
    assert [len(entry.way) for entry in second.entries] == [
        100 + 200 - FIRST * MORE,
        200 + 200 - FIRST * MORE,
    ]
    assert all(entry.attempts == FIRST for entry in first.entries)


def test_who_gets_no_shorter_is_not_mended_on():
    contest = held([100, 400, 400], work=10_000)
    (best,) = contest.rounds[1].entries
    best.failed, before = STALE, best.attempts
    for _ in range(6):  # two more come on, and it among the best three
        contest.enter(way(1000)).failed = STALE
        while (entry := contest.turn()) is not None:
            entry.failed = STALE
    assert best.attempts == before and best.round == 2


def test_new_motions_are_wanted_while_nobody_is_to_come_on():
    contest = Contest()
    assert contest.turn() is None
    entry = contest.enter(way(100))
    assert contest.turn() is entry
    entry.failed = STALE
    assert contest.turn() is None and contest.rounds[0].lengths == [100]
