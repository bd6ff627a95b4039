"""`swerve bench`: lists what there is, and measures the search against plain Python on the same question."""

import json

import pytest

import swerve.bench.pursuit as pursuit
import swerve.bench.race as bench
from swerve.bench.plain_route import plain_search
from swerve.cli.main import run
from swerve.race.route import RouteSearch, SearchOptions


def test_names_are_listed(capsys):
    assert run(["bench"]) == 0 and "race" in capsys.readouterr().out
    assert run(["bench", "--json"]) == 0
    assert "race" in json.loads(capsys.readouterr().out)["benches"]


def test_both_searches_find_the_same(capsys):
    """Small, so that plain Python keeps up: same nodes, same cost, from several places on the ring."""
    tree, track, traffic, guide = bench.setting()
    search = RouteSearch(tree, track, guide, SearchOptions(horizon=1000, nodes=250, exhaustive=True), traffic)
    for s in (2.0, 210.0, track.length - 30.0):
        ours, plain = search.search(track.pose(s), 0), plain_search(search, track.pose(s), 0)
        assert ours.cost == pytest.approx(plain.cost, abs=1e-6)
        assert ours.kept == plain.kept
    assert traffic.cars == 30 and len(track.segments) == 200


def test_json_holds_the_figures(capsys, monkeypatch):
    monkeypatch.setattr(bench, "KEPT", 3000)
    monkeypatch.setattr(bench, "REFERENCE_KEPT", 250)
    monkeypatch.setattr(bench, "ROUNDS", 2)
    monkeypatch.setattr(pursuit, "AHEADS", (0.25,))
    monkeypatch.setattr(pursuit, "SIDES", (7.0,))
    monkeypatch.setattr(pursuit, "BRAKES", (5.0,))
    assert run(["bench", "race", "--json"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert out.count("\n") == 1 and "Traceback" not in err
    wanted = {"kept_nodes_per_second", "expansions_per_second", "ms_45000_kept", "ratio_to_plain_python"}
    assert wanted <= result.keys() and all(result[key] > 0 for key in wanted)
    assert result["same_route_cost"] is True
    cornered = result["pursuit"]["cornered"]
    assert 30 < cornered["planner_s"] < cornered["pursuit_s"] < 80
    assert result["ratio_to_plain_python"] > 2  # `swerve bench race` says by how much more
