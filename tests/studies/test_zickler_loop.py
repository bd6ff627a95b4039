"""What the studies of the closed loop conclude follows from what was measured, and could be no."""

from types import SimpleNamespace

import pytest

from swerve.studies import zickler_loop, zickler_soccer
from swerve.tactics.loop.play import Score
from swerve.tactics.loop.shots import Shots


def game(won):
    return Score(won, 1, 0, 0.0, 0.0, (0.005,), (300,), (0.5,), 100, 0, not won)


@pytest.mark.parametrize(("reactive", "planned", "holds"), [(5, 8, [True, True]), (8, 6, [False, False])])
def test_who_scores(monkeypatch, tmp_path, reactive, planned, holds):
    def games(options, seed, count, name):
        won = reactive if name == "reactive" else planned
        return [game(k < won) for k in range(count)]

    monkeypatch.setattr(zickler_soccer, "_games", games)
    report = zickler_soccer.table_7_1(tmp_path, 1, 10)
    assert [c.holds for c in report.conclusions] == holds
    assert [row["nodes a frame"] for row in report.rows] == [None, 100, 300, 1000]


@pytest.mark.parametrize(("length", "missed", "holds"), [(0.3, 0, [True, True]), (0.2, 5, [False, False])])
def test_plans_of_a_frame(monkeypatch, tmp_path, length, missed, holds):
    scores = [Score(True, 1, 0, 0.0, 0.0, (0.005,), (300,), (length,), 100, missed)]
    monkeypatch.setattr(zickler_soccer, "_games", lambda *_: scores)
    assert [c.holds for c in zickler_soccer.table_7_2(tmp_path, 1, 1).conclusions] == holds


@pytest.mark.parametrize(("collided", "seconds", "holds"), [(11, 4, True), (13, 4, False), (11, 6, False)])
def test_what_a_horizon_saves(collided, seconds, holds):
    rows = [
        {"t_LOD [s]": 0.7, "collision %": collided, "planning [s]": seconds},
        {"t_LOD [s]": 5.7, "collision %": 10, "planning [s]": 10},
    ]
    assert zickler_loop._saving(rows).holds is holds


@pytest.mark.parametrize(("after", "holds"), [(8, [True, True]), (7, [True, False]), (4, [False, False])])
def test_what_fitting_gives(monkeypatch, tmp_path, after, holds):
    found = SimpleNamespace(after={"ball.restitution": 0.8})
    monkeypatch.setattr(zickler_loop, "minigolf_episodes", lambda random: [])
    monkeypatch.setattr(zickler_loop, "fit", lambda *_: found)
    monkeypatch.setattr(zickler_loop, "measured_strikes", lambda random: (0.5, 0.2))
    monkeypatch.setattr(zickler_loop, "compare", lambda *_: (Shots((3,) * 10, 10), Shots((after,) * 10, 10)))
    assert [c.holds for c in zickler_loop.table_8_2(tmp_path, 1, 10).conclusions] == holds
