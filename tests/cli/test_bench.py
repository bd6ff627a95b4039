"""`swerve bench`: lists what there is, and measures the search against plain Python on the same question."""

import json
from unittest.mock import MagicMock

import numpy as np
import pytest

import swerve
import swerve.bench.plain_unicycle as unicycle
import swerve.bench.pursuit as pursuit
import swerve.bench.race as bench
import swerve.bench.tactics as tactics
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
    monkeypatch.setattr(bench, "PURSUED", {"cornered": None})
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


def test_tactics_gives_the_figures_of_each_domain(capsys, monkeypatch):
    for name, value in (("DOMAINS", ("pool",)), ("SEEDS", 1), ("ITERATIONS", 200)):
        monkeypatch.setattr(tactics, name, value)
    planner = {"ours_ms": 1.0, "theirs_ms": 2.0, "ratio": 2.0}
    monkeypatch.setattr(tactics, "against_ompl", lambda sweep, trials: {"RRT": planner})
    assert run(["bench", "tactics", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    pool = result["pool"]
    assert pool["expansions"] >= pool["nodes_default"] > 1 < pool["nodes_one_lane"]
    assert min(pool[key] for key in ("seconds_to_first", "overhead", "overhead_by_nodes")) > 0
    assert pool["round8_overhead"] > -1
    assert result["two_thread_gain"] == pool["two_thread_gain"] > 0
    assert result["ompl"]["RRT"]["ratio"] == 2.0
    monkeypatch.setattr(tactics, "of_domain", lambda name: {"round8_overhead": 0.5, "two_thread_gain": 1.5})
    assert run(["bench", "tactics"]) == 0
    assert "pool round8 overhead" in capsys.readouterr().out


def test_ompl_is_compared_on_equal_terms():
    assert swerve.PlanOptions().goal_bias == unicycle.GOAL_BIAS  # ours by default, given to RRT
    assert set(unicycle.CELLS) == {"RRT", "EST", "KPIECE1"}
    assert len(unicycle.RANGES) >= 3  # their best of a sweep


def test_ompl_moves_the_unicycle_as_we_do():
    """What OMPL calls back steps and tests states like our kernels, in coordinates times their weights."""
    rng = np.random.default_rng(1)
    setup = MagicMock()
    base, control = MagicMock(), MagicMock()
    control.SimpleSetup.return_value = setup
    unicycle._setup(base, control, (1, 10), 0.1)
    propagate, free = setup.setStatePropagator.call_args[0][0], setup.setStateValidityChecker.call_args[0][0]
    states = rng.uniform(unicycle.LOW, unicycle.HIGH, (200, 5))
    controls = rng.uniform(-3, 3, (200, 2))
    ours = unicycle.step(states, controls, unicycle.STEP)
    theirs = np.zeros_like(ours)
    for k, row in enumerate(theirs):
        propagate(states[k] * unicycle.WEIGHTS, controls[k], unicycle.STEP, row)
    assert theirs / unicycle.WEIGHTS == pytest.approx(ours, abs=1e-9)
    assert [free(s * unicycle.WEIGHTS) for s in states] == unicycle.free(states).tolist()
    assert setup.setStartAndGoalStates.call_args[0][2] == unicycle.NEAR
    setup.getSpaceInformation().setPropagationStepSize.assert_called_with(unicycle.STEP)
