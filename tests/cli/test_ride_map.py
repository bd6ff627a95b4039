"""`swerve ride map|path|herd|tune`: what they print and write, and what they answer to bad input."""

import json
from pathlib import Path

import pytest

from swerve.cli.main import run
from swerve.cli.ride_party import map_for
from swerve.core.recording import Recording
from swerve.riders import MobilityMap, load_rider


def answer(capsys, *arguments):
    status = run(["ride", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.fixture(scope="module")
def car_map(tmp_path_factory):
    folder = tmp_path_factory.mktemp("maps")
    assert run(["ride", "map", "--rider", "car", "--check", "20", "--out", str(folder), "--quiet"]) == 0
    return folder / "car-map.npz"


def test_a_map_of_the_sliding_car_is_built_and_drawn(capsys, car_map):
    assert car_map.stat().st_size > 10_000 and car_map.with_suffix(".png").stat().st_size > 10_000


def test_a_map_says_how_well_it_predicts(capsys, tmp_path):
    status, out, _ = answer(
        capsys, "map", "--rider", "car", "--states", "40", "--check", "30", "--out", str(tmp_path), "--json"
    )
    result = json.loads(out)
    assert status == 0 and result["trajectories"] == 400 and result["error_2s_median"] < 0.5


def test_the_car_follows_a_curve_better_by_its_map(capsys, car_map, tmp_path):
    errors = {}
    for controller in ("lod", "simple"):
        options = ["--curve", "7", "--controller", controller, "--map", str(car_map), "--out", str(tmp_path)]
        status, out, _ = answer(capsys, "path", "--rider", "car", *options, "--json")
        result = json.loads(out)
        assert status == 0 and {"mean_error", "max_error", "fell", "recording"} <= set(result)
        errors[controller] = result["mean_error"]
        assert len(Recording.read(result["recording"])) > 50
    assert errors["lod"] < errors["simple"]


@pytest.mark.parametrize("detail", ["full", "map", "mixed"])
def test_a_herd_at_every_level_of_detail(capsys, car_map, tmp_path, detail):
    options = ["--riders", "9", "--seconds", "8", "--detail", detail]
    options += ["--most", "3"] if detail == "mixed" else []
    options += [] if detail == "map" else ["--spacing", "9"]  # what is usual goes with the body's length
    files = ["--map", str(car_map), "--out", str(tmp_path)]
    status, out, _ = answer(capsys, "herd", "--rider", "car", *options, *files, "--json")
    result = json.loads(out)
    assert status == 0 and result["falls"] == 0 and result["spacing"] == (8.4 if detail == "map" else 9.0)
    assert result["position_error"][-1] < result["position_error"][0]
    assert {"settling_time", "decisions_per_second", "realtime_factor", "recording"} <= set(result)
    assert Path(result["picture"]).stat().st_size > 5000


def test_tuning_writes_its_weights(capsys, car_map, tmp_path):
    options = ["--tries", "4", "--starts", "1", "--map", str(car_map), "--out", str(tmp_path)]
    status, out, _ = answer(capsys, "tune", "--rider", "car", *options, "--json")
    result = json.loads(out)
    assert status == 0 and 0 <= result["path_ratio"] <= 1
    assert "car" in json.loads((tmp_path / "weights.json").read_text())
    own = ["--weights", str(tmp_path / "weights.json"), "--map", str(car_map), "--out", str(tmp_path)]
    assert answer(capsys, "path", "--rider", "car", "--curve", "1", *own, "--json")[0] == 0


@pytest.mark.parametrize(
    "arguments, named",
    [
        (["path", "--curve", "8"], "1 to 7, got 8"),
        (["path", "--controller", "magic"], "one of lod, simple, got 'magic'"),
        (["path", "--detail", "mixed"], "full, map, got 'mixed'"),
        (["herd", "--riders", "0"], "riders: must be at least 1, got 0"),
        (["herd", "--seconds", "nan"], "seconds"),
        (["stop", "--from", "10"], "knows one speed, 20 m/s"),
        (
            ["herd", "--controller", "simple", "--obstacles", "any.csv"],
            "cannot keep to the lines round --obst",
        ),
        (["herd", "--detail", "half"], "--detail"),
        (["map", "--swings", "a,b"], "--swings"),
        (["map", "--dimensions", "pitch"], "dimensions"),
    ],
)
def test_bad_options_are_named_in_one_line(capsys, car_map, tmp_path, arguments, named):
    extra = [] if arguments[0] == "map" else ["--map", str(car_map)]
    status, out, err = answer(capsys, *arguments, "--rider", "car", *extra, "--out", str(tmp_path))
    assert status == 2 and named in err and err.count("\n") == 1 and not out
    assert not list(tmp_path.iterdir())


def test_a_map_cut_short_and_a_path_of_one_point_are_refused(capsys, car_map, tmp_path):
    cut = tmp_path / "cut.npz"
    cut.write_bytes(car_map.read_bytes()[:5000])
    status, _, err = answer(capsys, "path", "--rider", "car", "--map", str(cut))
    assert status == 2 and "cut.npz" in err and "damaged" in err and err.count("\n") == 1
    lone = tmp_path / "lone.csv"
    lone.write_text("x,y\n1,2\n")
    status, _, err = answer(capsys, "path", "--rider", "car", "--path", str(lone), "--map", str(car_map))
    assert status == 2 and "at least two points, got 1" in err
    lone.write_text("0,0\n5,nan\n9,9\n")
    status, _, err = answer(capsys, "path", "--rider", "car", "--path", str(lone), "--map", str(car_map))
    assert status == 2 and "line 2: must hold finite numbers: x, y, got" in err


def test_a_map_of_another_body_is_refused(capsys, car_map):
    status, _, err = answer(capsys, "path", "--rider", "human", "--map", str(car_map))
    assert status == 2 and "another body than human" in err


def test_a_rider_of_ones_own_says_that_its_map_is_built_first(capsys, monkeypatch):
    monkeypatch.setattr(MobilityMap, "build", lambda body, options: "a map")
    assert map_for("a body", None, 1, own="mine.yaml") == "a map"
    assert capsys.readouterr().err.startswith("swerve: a map of mine.yaml is built first")


def test_a_stop_is_recorded(capsys, tmp_path):
    status, out, _ = answer(
        capsys, "stop", "--detail", "map", "--from", "6", "--out", str(tmp_path), "--json"
    )
    result = json.loads(out)
    assert status == 0 and result["upright"] and 2 < result["distance"] < 20
    speed = Recording.read(result["recording"]).columns["vx"]
    assert speed[0] == pytest.approx(6.0, abs=0.1) and speed[-1] == 0
    status, _, err = answer(capsys, "stop", "--from", "0", "--out", str(tmp_path))
    assert status == 2 and "m/s, the rider's speeds, got 0.0" in err


def test_a_path_that_is_refused_says_what_a_ride_would_say(capsys, tmp_path):
    file = tmp_path / "tight.csv"
    file.write_text("x,y\n0,0\n40,0\n41,1\n40,2\n0,2\n")
    status, out, _ = answer(capsys, "path", "--path", str(file), "--out", str(tmp_path), "--json")
    result = json.loads(out)
    assert status == 1 and "radius" in result["infeasible"] and result["arrived"] == 0
    assert {"mean_error", "max_error", "fell_at", "left_path"} <= set(result)


def test_a_rider_of_ones_own_never_gets_the_map_of_a_namesake(monkeypatch):
    monkeypatch.setattr(MobilityMap, "build", classmethod(lambda cls, body, options: "built anew"))
    human = load_rider("human")
    assert (
        map_for(human, None, 1).name == "human" and map_for(human, None, 1, own="human.yaml") == "built anew"
    )


@pytest.mark.filterwarnings("error")
def test_one_rider_alone_is_drawn_without_a_warning(capsys, tmp_path):
    options = ["--detail", "map", "--riders", "1", "--seconds", "0.5", "--out", str(tmp_path), "--json"]
    status, _, err = answer(capsys, "herd", *options)
    assert status == 0 and "Warning" not in err
