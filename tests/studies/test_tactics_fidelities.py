"""Pairs of games on two fidelities: as often, in less time, or undecided."""

import numpy as np
import pytest

from swerve.studies import paired, tactics_fidelities
from swerve.studies.tactics_fidelities import Frames
from swerve.tactics.loop.play import Score


def game(won, engine, planar=0.0, plans=2):
    return Score(won, 1, 0, engine, planar, (0.01,) * plans, (300,) * plans, (), 100, 0)


@pytest.mark.parametrize(
    ("differ", "planar", "holds"),
    [(0, 1.0, [True, True]), (0, 3.0, [True, False]), (24, 1.0, [False, True]), (2, 1.0, [None, True])],
)
def test_pairs_of_games(monkeypatch, tmp_path, differ, planar, holds):
    def played(what, fidelity, seed, trials):
        if fidelity == "full":
            return [game(True, 10.0) for _ in range(120)]
        return [game(k >= (differ if what == "soccer" else 0), 0.1, planar) for k in range(120)]

    def frames(seed):
        shots = {"full": 4, "planar": 4, "both": 4 - 4 * (seed < differ)}
        return {name: Frames((1.5,) * many + (0.5,) * (8 - many), 0.1, 0.1) for name, many in shots.items()}

    monkeypatch.setattr(tactics_fidelities, "_played", played)
    monkeypatch.setattr(tactics_fidelities, "sweep", lambda work, seeds, what: [frames(s) for s in seeds])
    report = tactics_fidelities.run(tmp_path, 0, 120)
    assert [c.holds for c in report.conclusions[2:4]] == holds
    assert report.conclusions[0].holds is True
    assert report.conclusions[4].holds is (differ < 24)
    assert len(report.rows) == 15


def test_seconds_are_counted_by_the_plan():
    """A game that goes on for longer does not make its model slower."""
    long, short = [game(True, 4.0, plans=40)] * 3, [game(True, 1.0, plans=10)] * 3
    assert tactics_fidelities.seconds_share(long, short).value == pytest.approx(100)


def test_a_range_is_that_of_the_mean():
    """For a mean the jackknife is the usual standard error, times Student's t."""
    values = np.array([1.0, 2.0, 4.0, 9.0])
    found = paired.spread(lambda k: float(values[k].mean()), 4)
    half = 3.182446 * values.std(ddof=1) / 2
    assert (found.low, found.value, found.high) == pytest.approx((4 - half, 4, 4 + half))
    assert paired.spread(lambda k: 1.0, 1).high == np.inf
    assert paired.spread(lambda k: 1.0, 4, 0.5).high == 1.5
    share = paired.spread(lambda k: float(np.array([100.0, 100.0, 98.0])[k].mean()), 3, within=paired.SHARE)
    assert share.high == 100.0 and share.value - share.low > 1.0


def test_pairs_that_all_end_alike_can_be_off_all_the_same():
    """By Bonett and Price: 8 pairs with no difference say little, 200 say within two points."""
    few, many = (paired.more_often(np.ones(n, bool), np.ones(n, bool)) for n in (8, 200))
    assert few.value == 0 and few.high == pytest.approx(100 * 1.96 * np.sqrt(0.2 / 10))
    assert many.high < 2 and many.low == -many.high
    won, lost = np.arange(100) < 60, np.arange(100) < 40
    found = paired.more_often(won, lost)
    p, q = 21 / 102, 1 / 102
    half = 1.96 * np.sqrt((p + q - (p - q) ** 2) / 102)
    assert (found.value, found.low) == pytest.approx((20, 100 * (p - q - half)))


def test_all_plan_from_what_was_seen_in_the_same_frames(monkeypatch):
    """A game of a second and a half; plans of the engine take seconds there, those of both little."""
    monkeypatch.setattr(tactics_fidelities.soccer, "LONGEST", 1.5)
    monkeypatch.setattr(tactics_fidelities, "EVERY", 12)
    found = tactics_fidelities.same_frames(700701)
    assert len({len(each.worth) for each in found.values()}) == 1 and len(found["full"].worth) >= 1
    assert found["full"].planar == found["planar"].engine == 0.0
    assert 0 < found["both"].engine + found["both"].planar < 0.5 * found["full"].engine
