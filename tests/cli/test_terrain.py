"""`swerve terrain`: what it prints and writes, and what it answers to input that cannot work."""

import json
from pathlib import Path

import numpy as np
import pytest

from swerve.cli.main import run

QUICK = ["--grid", "6", "--paths", "20"]


def answer(capsys, *arguments):
    status = run(list(arguments))
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.fixture
def flat(tmp_path):
    x, y = np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, 1, 30))
    file = tmp_path / "ground.npz"
    np.savez(file, heights=8 * np.sin(5 * x) * np.cos(4 * y), spacing=20.0)
    return file


def test_a_scene_gives_one_json_object_and_pictures(capsys, tmp_path):
    every = ("--pictures", "all")
    status, out, _ = answer(capsys, "terrain", "mountain", *QUICK, *every, "--out", str(tmp_path), "--json")
    result = json.loads(out)
    assert status == 0 and result["feasible"] and result["paths"]
    wanted = {"time", "length", "energy", "feasible", "max_speed", "peak_friction_use", "binding"}
    assert wanted <= set(result["paths"][0]) and {"seconds", "profiles_evaluated"} <= set(result)
    assert result["paths"][0]["peak_friction_use"] <= 1.005
    assert len(result["files"]) == 8 and {result["recording"], result["plan"]} <= set(result["files"])
    for file in result["files"]:
        assert (tmp_path / file.split("/")[-1]).stat().st_size > 1000


def test_the_shortest_path_is_reported_as_infeasible(capsys, tmp_path):
    status, out, _ = answer(
        capsys, "terrain", "route", "mountain", "--cost", "distance", *QUICK, "--out", str(tmp_path), "--json"
    )
    result = json.loads(out)
    assert status == 1 and not result["feasible"]
    assert result["paths"][0]["time"] is None and result["paths"][0]["trouble_at"] > 0
    assert "not drivable" in result["reason"]


def test_a_file_with_start_and_goal(capsys, flat, tmp_path):
    status, out, _ = answer(
        capsys,
        "terrain",
        str(flat),
        "--from",
        "20,20",
        "--to",
        "560,550",
        *QUICK,
        "--out",
        str(tmp_path),
        "--json",
    )
    result = json.loads(out)
    assert status == 0 and result["scene"] == "ground"
    drawn = [Path(file).name for file in result["files"] if file.endswith(".png")]
    assert drawn == ["ground-time-ground.png"]


def test_exposure_needs_a_watcher(capsys, flat, tmp_path):
    """Finding: without --watch somebody in the middle of the map watched, and nobody was told."""
    ends = ["--from", "20,20", "--to", "560,550", "--cost", "time+exposure"]
    status, _, err = answer(capsys, "terrain", str(flat), *ends, "--out", str(tmp_path))
    assert status == 2 and "--watch" in err and len(err.splitlines()) == 1


def test_a_table_for_people(capsys, flat, tmp_path):
    ends = ["--from", "20,20", "--to", "560,550"]
    status, out, err = answer(capsys, "terrain", str(flat), *ends, *QUICK, "--out", str(tmp_path))
    assert status == 0 and "time" in out and "profiles" in err
    status, out, err = answer(capsys, "terrain", str(flat), *ends, *QUICK, "--out", str(tmp_path), "--quiet")
    assert status == 0 and not out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["terrain", "moon"], "scene"),
        (["terrain", "missing.tif", "--from", "0,0", "--to", "1,1"], "no such file"),
        (["terrain", "mountain", "--from", "here"], "--from"),
        (["terrain", "mountain", "--from", "-40,0"], "outside the map"),
        (["terrain", "mountain", "--to", "nan,1"], "finite"),
        (["terrain", "mountain-obstacles", "--from", "300,600"], "obstacle"),
        (["terrain", "mountain", "--cost", "beauty"], "--cost"),
        (["terrain", "mountain", "--method", "magic"], "--method"),
        (["terrain", "mountain", "--vehicle", "none.yaml"], "no such file"),
        (["terrain", "mountain", "--paths", "0"], "paths"),
        (["terrain", "circuit", "none.csv"], "no such file"),
        (["terrain", "circuit", "none.csv", "--v-start", "30"], "--open"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(capsys, tmp_path, arguments, words):
    status, out, err = answer(capsys, *arguments, "--out", str(tmp_path / "out"), "--json")
    assert status == 2 and not out
    lines = [line for line in err.splitlines() if "compiling kernels" not in line]
    assert len(lines) == 1 and lines[0].startswith("swerve: ") and words in lines[0]
    assert "Traceback" not in err and not (tmp_path / "out").exists()


def test_files_need_a_start_and_a_goal_and_some_heights(capsys, flat, tmp_path):
    status, _, err = answer(capsys, "terrain", str(flat))
    assert status == 2 and "--from and --to" in err
    np.save(tmp_path / "void.npy", np.full((9, 9), np.nan))
    status, _, err = answer(capsys, "terrain", str(tmp_path / "void.npy"), "--from", "1,1", "--to", "5,5")
    assert status == 2 and "void" in err


def test_a_vehicle_file(capsys, flat, tmp_path):
    ends = ["--from", "20,20", "--to", "560,550", *QUICK, "--out", str(tmp_path), "--json"]
    car = tmp_path / "car.yaml"
    car.write_text("friction: 0.0\n")
    status, out, _ = answer(capsys, "terrain", str(flat), *ends, "--vehicle", str(car))
    assert status == 1 and "friction" in json.loads(out)["reason"]
    car.write_text("wheels: 3\n")
    status, _, err = answer(capsys, "terrain", str(flat), *ends, "--vehicle", str(car))
    assert status == 2 and "wheels" in err


def test_a_circuit_that_cannot_be_driven_has_no_lap_and_no_gain(capsys, tmp_path):
    """Finding: an infeasible circuit printed a lap time and a gain."""
    a = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    rows = np.column_stack([60 * np.cos(a), 60 * np.sin(a), 5 + 0 * a, 5 + 0 * a, 40 * np.sin(a)])
    file = tmp_path / "steep.csv"
    header = "x_m,y_m,w_tr_right_m,w_tr_left_m,z_m"
    np.savetxt(file, rows, delimiter=",", header=header)
    weak = tmp_path / "weak.yaml"
    weak.write_text("engine_force: 500\nheight_to_half_width: 0\n")
    asked = ["terrain", "circuit", str(file), "--vehicle", str(weak), "--out", str(tmp_path), "--json"]
    status, out, _ = answer(capsys, *asked)
    result = json.loads(out)
    assert status == 1 and not result["feasible"] and "not drivable" in result["why"]
    assert result["lap_time"] is None and result["gain_percent"] is None


def test_why_speaks_of_the_lap_and_not_of_its_baseline(capsys, tmp_path):
    """Finding: a lap that can be driven came with the reason why its baseline cannot."""
    a = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    circle = np.column_stack([60 * np.cos(a), 60 * np.sin(a)])
    file, line = tmp_path / "ring.csv", tmp_path / "zigzag.csv"
    np.savetxt(file, np.column_stack([circle, 5 + 0 * a, 5 + 0 * a]), delimiter=",")
    np.savetxt(line, circle * np.where(np.arange(60) % 2, 0.94, 1.06)[:, None], delimiter=",")
    options = ["--line", str(line), "--out", str(tmp_path), "--json"]
    status, out, _ = answer(capsys, "terrain", "circuit", str(file), *options)
    result = json.loads(out)
    assert status == 0 and result["feasible"] and result["why"] == "" and result["gain_percent"] is None
    assert result["baseline_time"] is None and "steering" in result["baseline_why"]
    (tmp_path / "empty.csv").write_text("")
    status, _, err = answer(capsys, "terrain", "circuit", str(tmp_path / "empty.csv"), *options)
    assert status == 2 and "empty.csv" in err


def test_a_circuit(capsys, tmp_path):
    a = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    r = 120 + 30 * np.cos(2 * a)
    rows = np.column_stack([r * np.cos(a), r * np.sin(a), np.full(120, 5.0), np.full(120, 5.0)])
    file, line = tmp_path / "oval.csv", tmp_path / "line.csv"
    np.savetxt(file, rows, delimiter=",", header="x_m,y_m,w_tr_right_m,w_tr_left_m")
    np.savetxt(line, rows[:, :2], delimiter=",", header="x_m,y_m")
    status, out, _ = answer(
        capsys, "terrain", "circuit", str(file), "--line", str(line), "--out", str(tmp_path), "--json"
    )
    result = json.loads(out)
    assert status == 0 and {"lap_time", "baseline_time", "peak_friction_use", "seconds"} <= set(result)
    assert result["lap_time"] < result["baseline_time"] and result["peak_friction_use"] <= 1.005
    assert (tmp_path / "oval-line.csv").exists() and (tmp_path / "oval-line.png").exists()


@pytest.mark.parametrize("head", ["# x_m,y_m,w_tr_right_m,w_tr_left_m\n", ""])
def test_a_track_file_is_sent_on_to_circuits(capsys, tmp_path, head):
    """Finding: `swerve terrain Budapest.csv` told the endings of elevation files."""
    file = tmp_path / "Budapest.csv"
    file.write_text(head + "".join(f"{k}.0,{k * k}.0,5.0,5.0\n" for k in range(9)))
    status, out, err = answer(capsys, "terrain", str(file))
    assert status == 2 and not out and f"terrain circuit {file}" in err and err.count("\n") == 1
    file.write_text("1,2\n3,4\n")
    assert "must end in one of" in answer(capsys, "terrain", str(file))[2]
