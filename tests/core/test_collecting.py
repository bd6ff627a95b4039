"""Garbage is collected when it does not stand in the way."""

import gc

from swerve.core.collecting import tidy, undisturbed


class Knot:
    """Refers to itself, so that only the collector can free it."""

    alive = 0

    def __init__(self):
        self.me = self
        Knot.alive += 1

    def __del__(self):
        Knot.alive -= 1


def test_nothing_is_collected_but_by_tidy():
    gc.collect()
    with undisturbed():
        for _ in range(20_000):
            Knot()
        assert Knot.alive == 20_000 and not gc.isenabled()
        tidy()
        assert Knot.alive == 0
    assert gc.isenabled()
