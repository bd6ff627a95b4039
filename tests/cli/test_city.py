"""`swerve city` says what happened in one JSON object, writes what it promises, and refuses nonsense."""

import json

import pytest

from swerve.cli.main import run
from swerve.core.plan import Plan
from swerve.core.recording import Recording

KEYS = {
    "agents",
    "updates_per_cpu_second",
    "realtime_factor",
    "step_ms_p99",
    "collisions",
    "red_light_violations",
    "off_road",
    "arrivals",
    "mean_speed",
    "emergency_mean_speed",
    "deadlocks",
    "recording",
}


def test_a_grid_with_a_siren(tmp_path, capsys):
    words = ["city", "grid", "--vehicles", "40", "--emergency", "2", "--seconds", "5", "--out", str(tmp_path)]
    assert run([*words, "--json", "--quiet"]) == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert set(result) >= KEYS and result["agents"] == 40 and captured.err == ""
    assert result["collisions"] == result["off_road"] == result["red_light_violations"] == 0
    recording = Recording.read(result["recording"])
    assert len(recording.lights()) and Plan.load(result["plan"]).meta["wing"] == "city"
    recording = recording.whole()
    assert len(recording) == 40 * 51 and set(recording.columns) >= {"brake", "indicator", "emergency"}
    assert recording["emergency"].sum() == 2 * 51
    assert recording.meta["areas"] and recording.meta["seed"] == 0
    assert (tmp_path / "grid-40-0.html").read_text().startswith("<!doctype html>")


def test_a_recording_goes_where_it_is_asked_for(tmp_path, capsys):
    place = tmp_path / "deep" / "mine.parquet"
    words = ["city", "grid", "--vehicles", "10", "--seconds", "1", "--dt", "0.05", "--left-hand", "--no-page"]
    assert run([*words, "--record", str(place), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["recording"] == str(place) and result["steps"] == 20 and "page" not in result
    assert Recording.read(place).times[1] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["grid", "--vehicles", "-1"], "--vehicles: must be between 0 and 200,000, got -1"),
        (
            ["grid", "--vehicles", "3", "--emergency", "4"],
            "--emergency: must be at most --vehicles (3), got 4",
        ),
        (["grid", "--dt", "0.5"], "--dt: must be from 0.0001 to 0.25, got 0.5"),
        (["grid", "--seconds", "0"], "--seconds: must be above 0"),
        (["grid", "--vehicles", "0"], "--vehicles: with no pedestrians must be at least 1, got 0"),
        (["grid", "--blocks", "1"], "--blocks: must be between 3 and 200, got 1"),
        (["town", "--blocks", "4"], "--blocks: is for the scene grid only, got 4"),
        (["nowhere.xodr"], "nowhere.xodr"),
        (["grid", "--record", "a.csv"], "--record: must end in .parquet, got 'a.csv'"),
        (["grid", "--vehicles", "2000", "--blocks", "3"], "vehicles: there is room for"),
    ],
)
def test_nonsense_is_refused_in_one_line(words, message, tmp_path, capsys):
    assert run(["city", *words, "--out", str(tmp_path / "out"), "--quiet"]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.err.count("\n") == 1 and captured.out == ""
    assert not (tmp_path / "out").exists()


def test_bench_city_takes_vehicles_only_for_itself(capsys):
    assert run(["bench", "race", "--vehicles", "5"]) == 2
    assert "--vehicles: is for the benches city and districts only, got 5" in capsys.readouterr().err
