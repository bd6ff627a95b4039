"""What hallway and maze conclude is compared drive by drive, and undecided where the drives cannot tell."""

import numpy as np
import pytest

from swerve.studies import zickler_detail
from swerve.studies.zickler_detail import HORIZONS, collided_more, share_of_time
from swerve.tactics.loop.play import Score


def drive(collided, seconds, plans=10):
    """Plans and collisions in hundreds."""
    return Score(True, 100 * plans, 100 * collided, 0.0, 0.0, (seconds,), (300,), (0.5,), 100, 0)


def test_drives_are_compared_by_all_their_plans():
    """A drive with many plans weighs more than one with few."""
    few, many = [drive(1, 1.0, 2), drive(8, 3.0, 18)], [drive(0, 2.0, 10), drive(3, 2.0, 10)]
    assert collided_more(few, many).value == pytest.approx(45 - 15)
    assert share_of_time(few, many).value == pytest.approx(100)
    assert collided_more(few, many).low < 30 < collided_more(few, many).high


@pytest.mark.parametrize(
    ("share", "more", "wavering", "holds"),
    [
        (0.4, 0, 0, [True, True, None]),
        (0.7, 0, 0, [True, False, None]),
        (0.95, 0, 0, [False, False, None]),
        (0.4, 2, 0, [False, False, True]),
        (0.4, 0, 4, [None, None, None]),
    ],
)
def test_a_horizon_must_save_time_and_be_as_safe(monkeypatch, tmp_path, share, more, wavering, holds):
    def driven(game, options, seed, trials):
        full = options.t_lod == HORIZONS[-1]
        off = (1, 1, -1, -1) * 5
        hit = [4 if full else 4 + more + wavering * sign for sign in off]
        return [drive(k, (1.0 if full else share) * (1 + 0.01 * k)) for k in hit]

    monkeypatch.setattr(zickler_detail, "driven", driven)
    report = zickler_detail.figure_9_7(tmp_path, 1, 20)
    assert [c.holds for c in report.conclusions[:3]] == holds
    assert report.conclusions[3].text.startswith("maze")
    assert [row["t_LOD [s]"] for row in report.rows] == [*HORIZONS, *HORIZONS]
    assert [path.name for path in report.files] == ["zickler-9.7.png"] and report.files[0].exists()


def test_the_best_horizon_is_not_judged_by_the_drives_it_was_chosen_on(monkeypatch, tmp_path):
    """One that is safe on every other drive only."""

    def driven(game, options, seed, trials):
        full = options.t_lod == HORIZONS[-1]
        return [drive(3 if full else 6 * (k % 2), 1.0 if full else 0.4) for k in range(20)]

    monkeypatch.setattr(zickler_detail, "driven", driven)
    fifth, half, *_ = zickler_detail.figure_9_7(tmp_path, 1, 20).conclusions
    assert fifth.holds is half.holds is False


@pytest.mark.parametrize(("wavering", "share"), [(0, 100.0), (3, 80.0)])
def test_the_table_tells_how_sure_it_is_which_horizon_is_best(monkeypatch, tmp_path, wavering, share):
    """One that is best on all drives is so in all samples; one that is lucky on a few drives is not."""

    def driven(game, options, seed, trials):
        good = options.t_lod == HORIZONS[2]
        hit = [(5 - (wavering or 1) * good * (k < 4 or not wavering)) for k in range(20)]
        return [drive(h, 1.0 if options.t_lod == HORIZONS[-1] else 0.5) for h in hit]

    monkeypatch.setattr(zickler_detail, "driven", driven)
    found = [row["best in % of samples"] for row in zickler_detail.figure_9_7(tmp_path, 1, 20).rows[:7]]
    assert sum(found) == pytest.approx(100) and int(np.argmax(found)) == 2
    assert found[2] == 100.0 if not wavering else share < found[2] < 100.0


def test_of_one_drive_nobody_can_tell_which_horizon_is_best(monkeypatch, tmp_path):
    """All samples of one drive are that drive: the best was best in 100 % of them."""
    monkeypatch.setattr(zickler_detail, "driven", lambda *_: [drive(3, 1.0)])
    report = zickler_detail.figure_9_7(tmp_path, 1, 1)
    assert {row["best in % of samples"] for row in report.rows} == {None}
    assert len(report.markdown().splitlines()) > len(report.rows) == 2 * len(HORIZONS)


@pytest.mark.parametrize(
    ("wild", "calm", "holds"),
    [(4, 0, [True, True, True, True]), (0, 4, [False, None, True, False])],
)
def test_long_intervals(monkeypatch, tmp_path, wild, calm, holds):
    """Of collisions and planning, which is scarcer the rarer the plans."""

    def driven(game, options, seed, trials):
        more = round((wild * options.uncertainty + calm * (1 - options.uncertainty)) * options.interval)
        return [drive(1 + more, 1.0 / options.interval) for _ in range(4)]

    monkeypatch.setattr(zickler_detail, "driven", driven)
    report = zickler_detail.figure_9_6(tmp_path, 1, 4)
    assert [c.holds for c in report.conclusions] == holds
    assert len(report.rows) == 20
    assert np.isfinite([row["performance"] for row in report.rows]).all()


@pytest.mark.parametrize(
    ("drives", "wavering", "holds"), [(4, False, True), (1, False, None), (5, True, None)]
)
def test_the_best_interval_must_be_so_on_most_samples_of_drives(
    monkeypatch, tmp_path, drives, wavering, holds
):
    """With uncertainty, one drive of five bumps often in plans made every two seconds, the others never."""

    def driven(game, options, seed, trials):
        bad = [not wavering or k == 0 for k in range(drives)]
        often = [options.uncertainty == 1.0 and options.interval == 2.0 and b for b in bad]
        return [drive(9 if hit else 1, 1.0 / options.interval) for hit in often]

    monkeypatch.setattr(zickler_detail, "driven", driven)
    last = zickler_detail.figure_9_6(tmp_path, 1, drives).conclusions[-1]
    assert last.holds is holds and last.evidence == "2.0 s at 0, 1.0 s at 1"


def test_drives_without_any_collision_do_not_say_that_there_are_none():
    calm = [Score(True, 10, 0, 0.0, 0.0, (1.0,), (300,), (0.5,), 100, 0)] * 3
    found = collided_more(calm, calm)
    assert (found.low, found.value, found.high) == (-10, 0, 10)
