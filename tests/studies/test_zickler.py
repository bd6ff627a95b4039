"""The studies of the tactics wing take lanes and planners, and others refuse them."""

import numpy as np
import pytest

from swerve.cli.main import run
from swerve.studies import tactics_bars, zickler, zickler_dice, zickler_figures


@pytest.fixture
def asked(monkeypatch):
    """What the studies ask to be planned, without planning it."""
    calls = []

    def trials_of(domain, planner, seeds, options=zickler.SolveOptions()):
        calls.append((domain, planner, options))
        return {"seconds": 1.0, "nodes": 2.0, "iterations": 3.0, "success %": 100.0 * (planner == "bgt")}

    def fallen(domain, seeds, options):
        return trials_of(domain, "bgt", seeds, options) | {"distance": 0.5}

    monkeypatch.setattr(zickler, "trials_of", trials_of)
    monkeypatch.setattr(zickler_figures, "trials_of", trials_of)
    monkeypatch.setattr(zickler_dice, "trials_of", fallen)
    return calls


@pytest.mark.parametrize("name", ["zickler-6.1", "zickler-6.2", "zickler-6.3", "zickler-6.4"])
def test_lanes_and_planner_reach_the_search(asked, name, tmp_path):
    words = ["study", name, "--lanes", "3", "--planner", "uniform", "--trials", "1", "--quiet"]
    assert run([*words, "--out", str(tmp_path)]) == 0
    searched = [
        (planner, options.lanes) for _, planner, options in asked if options.tactic != "deterministic"
    ]
    assert searched and {lanes for _, lanes in searched} == {3}
    planners = {planner for planner, _ in searched}
    assert planners == ({"rrt", "bgt", "uniform"} if name in ("zickler-6.1", "zickler-6.3") else {"uniform"})


def test_the_table_has_the_rows_of_many_dice(asked, tmp_path):
    """They were missing, and nothing said so."""
    report = zickler.table_6_1(tmp_path, 3, 100)
    rows = {row["planner"]: row for row in report.rows if row["domain"] == "many-dice"}
    assert (rows["rrt"]["original's seconds"], rows["rrt"]["seconds"]) == (1278.61, None)
    assert rows["bgt"]["distance"] == 0.5 and rows["bgt"]["original's seconds"] == 304.58
    assert ("dice", "bgt", 15_000) in [(domain, planner, options.nodes) for domain, planner, options in asked]
    assert "samples places of one body" in report.notes[0]
    assert len({frozenset(row) for row in report.rows}) == 1 and report.markdown() and report.csv()


def test_the_figure_has_all_six_panels_of_the_original(asked, tmp_path):
    report = zickler_figures.figure_6_13(tmp_path, 3, 2)
    panels = [(varied, column) for varied, column, _ in zickler_figures.PANELS_6_13]
    assert panels[:3] == [("mu", "seconds"), ("mu", "success %"), ("mu", "distance")]
    assert panels[3:] == [("hybrid p", "seconds"), ("hybrid p", "nodes"), ("hybrid p", "success %")]
    assert [row["value"] for row in report.rows if row["distance"]] == list(zickler_figures.MUS)
    assert report.files[0].stat().st_size > 10_000 and report.csv()


def test_dice_are_counted_and_measured(monkeypatch):
    monkeypatch.setattr(zickler_dice, "DOMAIN", "dice-4")
    monkeypatch.setattr(zickler_dice, "NODES", 300)
    mine = {row["planner"]: row for row in zickler_dice.table_rows(5, 1, None)}["bgt"]
    assert mine["nodes"] >= 300 and 0 < mine["distance"] < 30


def test_conclusions_ask_what_the_original_concluded(asked, tmp_path):
    rollback = [c.text for c in zickler.table_6_2(tmp_path, 3, 1).conclusions]
    small = zickler.table_6_4(tmp_path, 3, 1).conclusions[1]
    assert "Rollback raises success in navigation" in rollback
    assert small.text == "It does so with relatively small trees" and "1000 nodes" in small.evidence


def test_promises_are_not_called_the_originals(monkeypatch, tmp_path):
    shapes = {"anytime": (3, 2), **dict.fromkeys(tactics_bars.NODES, (4,))}
    monkeypatch.setattr(
        tactics_bars, "sweep", lambda work, items, what: [np.ones(shapes.get(what, ())) for _ in items]
    )
    monkeypatch.setattr(tactics_bars, "_blocked", lambda seed: True)
    page = tactics_bars.run(tmp_path, 1, 2).markdown()
    assert "| what is promised | holds here |" in page and "original's conclusion" not in page


def test_other_studies_refuse_them(capsys, tmp_path):
    assert run(["study", "rimea", "--planner", "uniform", "--out", str(tmp_path)]) == 2
    assert "--planner" in capsys.readouterr().err


def test_trials_give_means_and_medians():
    found = zickler.trials_of("pool", "bgt", range(3, 5), zickler.SolveOptions(iterations=300, lanes=2))
    assert found["median nodes"] == found["nodes"] and np.isfinite(found["seconds"])
    assert 0 <= found["success %"] <= 100
