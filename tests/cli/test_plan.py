"""`swerve plan` answers as promised."""

import json
from pathlib import Path

import pytest

from swerve.cli.main import run
from swerve.core.plan import Plan
from swerve.core.recording import Recording


def test_plan_prints_one_object_and_writes_a_recording(tmp_path, capsys):
    assert run(["plan", "pool", "--seed", "3", "--json", "--out", str(tmp_path)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["solved"] is True
    keys = {"seconds", "engine_seconds", "nodes", "iterations", "rolled_back", "plan_duration", "recording"}
    assert keys <= set(result)
    recording = Recording.read(result["recording"])
    assert recording.times[-1] == pytest.approx(result["plan_duration"])
    assert set(recording["kind"]) >= {"cue ball", "yellow ball", "blue ball"}
    assert recording.meta["areas"] and recording.meta["seed"] == 3
    assert (tmp_path / "tree.png").stat().st_size > 10_000


def test_plan_is_the_same_on_two_threads(tmp_path, capsys):
    answers = []
    for threads in ("1", "2"):
        out = str(tmp_path / threads)
        assert run(["plan", "pool", "--seed", "3", "--threads", threads, "--json", "--out", out]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    one, two = ({k: a[k] for k in ("nodes", "iterations", "rolled_back", "plan_duration")} for a in answers)
    assert one == two


def test_the_same_command_writes_the_same_bytes(tmp_path):
    written = []
    for _ in range(2):
        assert run(["plan", "pool", "--seed", "3", "--quiet", "--out", str(tmp_path)]) == 0
        written.append(
            {name: (tmp_path / name).read_bytes() for name in ("plan.parquet", "recording.parquet")}
        )
    assert written[0] == written[1]
    assert Plan.load(tmp_path / "plan.parquet").stats["nodes"] > 1


def test_plan_that_finds_nothing_exits_1(tmp_path, capsys):
    command = ["plan", "navigation", "--iterations", "50", "--json", "--out", str(tmp_path)]
    for name in ("recording.parquet", "plan.parquet"):
        (tmp_path / name).write_bytes(b"of an earlier plan")
    assert run(command) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["solved"] is False and result["recording"] is None
    assert [path.name for path in tmp_path.iterdir()] == ["tree.png"]  # nothing of another plan stays


def test_the_exit_status_tells_whether_the_goal_was_reached(tmp_path, capsys):
    """An evaluation gives a motion to show, but that is no success unless it was what was asked for."""
    command = ["plan", "soccer", "--seed", "3", "--nodes", "60", "--json", "--out", str(tmp_path)]
    for extra, status in (([], 1), (["--anytime"], 0)):
        assert run([*command, *extra]) == status
        result = json.loads(capsys.readouterr().out)
        assert result["solved"] is False and Path(result["recording"]).exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["cricket"], "domain: must be one of navigation"),
        (["pool", "--planner", "magic"], "planner: must be one of rrt"),
        (["pool", "--tactic", "deterministic"], "tactic: pool has default, unconstrained"),
        (["pool", "--mu", "-1"], "mu: must be positive"),
        (["pool", "--planner", "bgt", "--hybrid-p", "0.5"], "--hybrid-p: is for hybrid, not for bgt"),
        (["pool", "--nodes", "0"], "nodes: must be at least 1"),
        (["pool", "--planner", "hybrid", "--hybrid-p", "2"], "hybrid-p: must be a probability"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments, word, tmp_path, capsys):
    assert run(["plan", *arguments, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err.strip()
    assert error.startswith("swerve: ") and word in error and "\n" not in error
    assert not list(tmp_path.iterdir())
