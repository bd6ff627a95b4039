"""The studies of the tactics wing take lanes and planners, and others refuse them."""

import numpy as np
import pytest

import swerve.studies.zickler as zickler
from swerve.cli.main import run


@pytest.fixture
def asked(monkeypatch):
    """What the studies ask to be planned, without planning it."""
    calls = []

    def trials_of(domain, planner, seeds, options=zickler.SolveOptions()):
        calls.append((domain, planner, options))
        return {"seconds": 1.0, "nodes": 2.0, "iterations": 3.0, "success %": 100.0 * (planner == "bgt")}

    monkeypatch.setattr(zickler, "trials_of", trials_of)
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


def test_other_studies_refuse_them(capsys, tmp_path):
    assert run(["study", "rimea", "--planner", "uniform", "--out", str(tmp_path)]) == 2
    assert "--planner" in capsys.readouterr().err


def test_trials_give_means_and_medians():
    found = zickler.trials_of("pool", "bgt", range(3, 5), zickler.SolveOptions(iterations=300, lanes=2))
    assert found["median nodes"] == found["nodes"] and np.isfinite(found["seconds"])
    assert 0 <= found["success %"] <= 100
