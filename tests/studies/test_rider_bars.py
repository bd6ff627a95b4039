"""What riders are held to, small."""

import numpy as np
import pytest

from swerve.studies import STUDIES, rider_bars, study


@pytest.mark.parametrize("name", [name for name in STUDIES if name.startswith("riders-")])
def test_every_one_can_be_found(name):
    assert study(name).__doc__


def test_a_street_with_discs_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(rider_bars, "BODIES", ("human",))
    monkeypatch.setattr(rider_bars, "SECONDS", {"human": 6.0})
    report = rider_bars.obstacles(tmp_path, 9000, 1)
    (row,) = report.rows
    assert row["detail"] == "map" and row["discs"] > 0 and 20 < row["last at"] < 100
    assert [told.holds for told in report.conclusions] == [True, True, False]  # 400 m take longer


def test_hairpins_that_nobody_can_ride_are_refused():
    told = [rider_bars.hairpin(("alien", seed)) for seed in (1, 2, 3)]
    assert any(one["refused"] and one["off"] is None for one in told)


def test_discs_leave_room_to_one_side():
    way = rider_bars.Course.smooth([[0.0, 0.0], [550.0, 0.0]])
    for seed in range(20):
        x, y, r = rider_bars._discs(way, np.random.default_rng(seed)).T
        assert (np.diff(x) > 80).all() and (4.0 + np.abs(y) - r >= 2.4 - 1e-9).all()


def test_nothing_ridden_shows_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(rider_bars, "_for_both", lambda *_: [{"refused": True, "off": None, "falls": 0}])
    assert [told.holds for told in rider_bars.hairpins(tmp_path, 1, 1).conclusions] == [False]
