"""What the studies of the closed loop conclude follows from what was measured, and could be no."""

from types import SimpleNamespace

import numpy as np
import pytest

from swerve.studies import zickler_loop, zickler_soccer
from swerve.tactics.loop import Fit
from swerve.tactics.loop.play import Score
from swerve.tactics.loop.shots import Shots


def putts(holed):
    return Shots((holed,) * 10, (9,) * 10, 10)


def game(won):
    return Score(won, 1, 0, 0.0, 0.0, (0.005,), (300,), (0.5,), 100, 0, not won)


@pytest.mark.parametrize(
    ("many", "reactive", "planned", "holds"),
    [
        (100, 50, 86, [True, True]),
        (100, 80, 60, [False, False]),
        (20, 10, 17, [None, None]),
        (1, 0, 1, [None, None]),
    ],
)
def test_who_scores(monkeypatch, tmp_path, many, reactive, planned, holds):
    def games(options, seed, count, name):
        won = reactive if name == "reactive" else planned
        return [game(k < won) for k in range(count)]

    monkeypatch.setattr(zickler_soccer, "_games", games)
    report = zickler_soccer.table_7_1(tmp_path, 1, many)
    assert [c.holds for c in report.conclusions] == holds
    assert [row["nodes a frame"] for row in report.rows] == [None, 100, 300, 1000]


def test_games_without_a_goal_do_not_say_who_scores(monkeypatch, tmp_path):
    nobody = Score(False, 1, 0, 0.0, 0.0, (0.005,), (300,), (0.5,), 100, 0)
    monkeypatch.setattr(zickler_soccer, "_games", lambda *_: [nobody] * 20)
    assert [c.holds for c in zickler_soccer.table_7_1(tmp_path, 1, 20).conclusions] == [None, False]


@pytest.mark.parametrize(
    ("games", "length", "missed", "holds"),
    [(8, 0.3, 0, [True, True]), (8, 0.2, 5, [False, False]), (1, 0.3, 0, [None, None])],
)
def test_plans_of_a_frame(monkeypatch, tmp_path, games, length, missed, holds):
    scores = [Score(True, 1, 0, 0.0, 0.0, (0.005,), (300,), (length,) * 100, 100, missed, unless=4)] * games
    monkeypatch.setattr(zickler_soccer, "_games", lambda *_: scores)
    report = zickler_soccer.table_7_2(tmp_path, 1, 1)
    assert [c.holds for c in report.conclusions] == holds and report.notes[0].startswith("In 4.0 %")


@pytest.mark.parametrize(
    ("after", "holds"),
    [
        ((8,) * 10, [True, True]),
        ((7,) * 10, [True, False]),
        ((4,) * 10, [False, False]),
        ((10, 10, 10, 10, 10, 10, 10, 5, 2, 1), [True, None]),
        ((9, 9, 9, 9, 1, 1, 1, 1, 3, 3), [None, False]),
    ],
)
def test_what_fitting_gives(monkeypatch, tmp_path, after, holds):
    found = SimpleNamespace(after={"ball.restitution": 0.8})
    monkeypatch.setattr(zickler_loop, "minigolf_episodes", lambda random: [])
    monkeypatch.setattr(zickler_loop, "fit", lambda *_: found)
    monkeypatch.setattr(zickler_loop, "measured", lambda values, seed: (values, None))
    monkeypatch.setattr(zickler_loop, "compare", lambda *_, **__: (putts(3), Shots(after, (9,) * 10, 10)))
    assert [c.holds for c in zickler_loop.table_8_2(tmp_path, 1, 10).conclusions] == holds


def test_putts_without_a_plan_are_told_from_those_that_miss(monkeypatch, tmp_path):
    monkeypatch.setattr(zickler_loop, "minigolf_episodes", lambda random: [])
    monkeypatch.setattr(zickler_loop, "fit", lambda *_: SimpleNamespace(after={}))
    monkeypatch.setattr(zickler_loop, "measured", lambda values, seed: (values, None))
    monkeypatch.setattr(zickler_loop, "compare", lambda *_, **__: (Shots((0,) * 10, (1,) * 10, 10), putts(8)))
    row = zickler_loop.table_8_2(tmp_path, 1, 10).rows[0]
    assert (row["planned before %"], row["before %"], row["planned after %"]) == (10, 0, 90)


@pytest.mark.parametrize(
    ("domain", "after", "holds"), [(0.06, 0.05, [True, True]), (0.12, 0.15, [False, False])]
)
def test_fitting_is_judged_by_other_episodes(monkeypatch, tmp_path, domain, after, holds):
    errors = iter((0.3, 0.2, 0.01, domain, 0.2, after))
    found = Fit(("ball.restitution",), {"ball.restitution": 0.6}, {"ball.restitution": 0.8}, 0.2, 0.01, 9)
    monkeypatch.setattr(zickler_loop, "minigolf_episodes", lambda random: [])
    monkeypatch.setattr(zickler_loop, "fit", lambda *_, **__: found)
    monkeypatch.setattr(zickler_loop, "simulated", lambda *_, **__: [])
    monkeypatch.setattr(zickler_loop, "total_error", lambda *_: next(errors))
    monkeypatch.setattr(zickler_loop, "draw_course", lambda found, path: path)
    report = zickler_loop.table_8_1(tmp_path, 1, 9)
    assert [c.holds for c in report.conclusions] == holds
    assert [row["domain"] for row in report.rows] == [0.75, 0.3, domain]  # the ball's own rebound, unfitted


def shots(rates):
    """20 putts in each setting, of which so many are holed."""
    return {
        setting: np.arange(20) < rate for setting, rate in zip(zickler_loop.TABLE_7_3, rates, strict=True)
    }


@pytest.mark.parametrize(
    ("rates", "holds"),
    [
        ((20, 20, 14, 14), [True, True]),
        ((8, 8, 14, 14), [False, False]),
        ((15, 15, 14, 14), [None, None]),
    ],
)
def test_a_slower_bar_must_be_surely_easier(monkeypatch, tmp_path, rates, holds):
    monkeypatch.setattr(zickler_loop, "_bar_shots", lambda seed, putts, noise: shots(rates))
    assert [c.holds for c in zickler_loop.table_7_3(tmp_path, 1, 20).conclusions] == holds


@pytest.mark.parametrize(
    ("at_tenth", "at_fifth", "holds"),
    [
        ((15, 15, 15, 15), (9, 9, 9, 9), [True, True, True]),
        ((20, 20, 19, 20), (9, 9, 9, 20), [None, True, None]),
        ((20, 20, 20, 20), (9, 9, 9, 19), [None, True, None]),
        ((20, 20, 20, 20), (20, 20, 20, 20), [None, None, None]),
    ],
)
def test_noise_must_cost_putts(monkeypatch, tmp_path, at_tenth, at_fifth, holds):
    report = noise_costs(monkeypatch, tmp_path, ((20, 20, 20, 20), at_tenth, at_fifth))
    assert [c.holds for c in report.conclusions] == holds
    assert [row["success %"] for row in report.rows][:2] == [100.0] * 2


def test_where_noise_helps_it_does_not_cost_in_all_settings(monkeypatch, tmp_path):
    report = noise_costs(monkeypatch, tmp_path, ((20, 20, 20, 5), (9, 9, 9, 9), (2, 2, 2, 18)))
    assert [c.holds for c in report.conclusions] == [True, True, False]
    assert [row["success %"] for row in report.rows][:2] == [1.25 * 65] * 2


def noise_costs(monkeypatch, tmp_path, rates):
    made = dict(zip((0.0, 0.1, 0.2), rates, strict=True))
    made[0.05] = made[0.0]
    monkeypatch.setattr(zickler_loop, "_bar_shots", lambda seed, putts, noise: shots(made[noise]))
    return zickler_loop.figure_7_10(tmp_path, 1, 20)


def test_fitting_begins_where_the_original_did():
    """A pair feels the mean of its frictions, and the ball has none here: the other has that of both."""
    ball, wood, carpet = (0.3, 0.103), (0.3, 0.336), (0.8, 0.759)
    for name, other in (("walls.friction", wood), ("floor.friction", carpet)):
        pair = [b + o for b, o in zip(ball, other, strict=True)]
        assert zickler_loop.TABLE_8_1[name] == pytest.approx(pair)
    for name, (first, _) in zickler_loop.TABLE_8_1.items():
        assert first is None or zickler_loop.GUESSED[name] == first
