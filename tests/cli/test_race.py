"""`swerve race`: what it prints and writes, and that bad input leaves nothing behind."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from swerve.cli.main import run
from swerve.cli.options import program
from swerve.cli.race import _figures
from swerve.core.errors import BadInput
from swerve.core.plan import Plan
from swerve.core.recording import Recording
from swerve.race import CarParameters, Setting, drive, fitted_tree, follow, load_car, load_track, load_tree
from swerve.race.car import different
from swerve.race.trees import DATA

KEYS = {
    "finished",
    "crashed",
    "time",
    "frames",
    "distance",
    "nodes_expanded",
    "nodes_generated",
    "plan_ms_p50",
    "plan_ms_p99",
    "max_speed",
    "max_sideslip_deg",
    "skid_seconds",
    "deviation_max",
    "recording",
}
FAST = ["--nodes", "1500", "--no-picture"]


def asked(capsys, *words: str) -> tuple[int, dict, str]:
    """Exit status, the one JSON object, and standard error without the notice of a first start."""
    status = run([*words, "--json"])
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    result = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert isinstance(result, dict)
    return status, result, "".join(line for line in err.splitlines() if "compiling" not in line)


def test_json_holds_everything_and_the_recording_is_there(capsys, tmp_path):
    out = tmp_path / "deep" / "out"
    status, result, err = asked(capsys, "race", "sharp-cornered", "--out", str(out), "--seed", "3", *FAST)
    assert status == 0 and err == ""
    assert result.keys() >= KEYS
    assert result["finished"] is True and result["crashed"] is False
    assert result["time"] == pytest.approx(result["frames"] * 0.04)
    assert result["deviation_max"] == 0
    recording = Recording.read(result["recording"])
    assert len(recording.times) == result["frames"] + 1
    assert recording.meta["seed"] == 3 and recording.meta["scene"] == "sharp-cornered"
    assert recording.meta["car"]["mass"] == 1500.0
    assert sorted(map(str, out.iterdir())) == sorted([result["plan"], result["recording"]])


def test_physics_reports_its_deviation(capsys, tmp_path):
    words = ["race", "sharp-cornered", "--execute", "physics", "--out", str(tmp_path), *FAST]
    status, result, _ = asked(capsys, *words)
    assert status in (0, 1) and 1e-4 < result["deviation_max"] < 2
    status, result, _ = asked(capsys, *words, "--mismatch", "0", "--planner", "tree")
    assert (
        status == 0 and result["deviation_max"] < 1e-6
    )  # clips hold exactly for the car they were made with


def test_a_real_car_finishes_and_records_what_it_did_itself(capsys, tmp_path):
    """Once it had finished when the plan had, and the recording held the controls of the plan."""
    words = ["race", "cornered", "--cars", "0", "--tree", "seven", "--seconds", "12", "--out", str(tmp_path)]
    words += ["--execute", "physics", "--mismatch", "0.2", "--planner", "tree", *FAST]
    status, result, _ = asked(capsys, *words)
    assert status == 1 and not result["finished"] and result["above_bound_percent"] is None
    assert result["start_speed"] > 1.0  # the seven clips do not stand
    recording = Recording.read(result["recording"])
    rows, plan = recording.whole(), Plan.load(result["plan"])
    assert recording.meta["car"] == asdict(different(CarParameters(), 0.2, result["seed"]))
    assert plan.meta["car"] == asdict(CarParameters())
    steer = np.asarray(rows["steer"])[: len(plan.controls)]
    assert np.abs(steer - plan.controls[: len(steer), 0]).max() > 1e-3


def test_it_has_finished_when_the_real_car_has(capsys, tmp_path, monkeypatch):
    """A plan that crosses the line is not enough: the real car may stay behind."""
    road = str(tmp_path / "road.csv")
    assert run(["race", "track", "--length", "100", "--corners", "0", "--out", road, "--quiet"]) == 0
    words = ["race", road, "--execute", "physics", "--planner", "tree", "--out", str(tmp_path), *FAST]
    status, result, _ = asked(capsys, *words)
    assert status == 0 and result["finished"]

    def short_of_the_line(driven, *given, **named):
        real = follow(driven, *given, **named)
        real.states[-8:] = real.states[-8]
        return real

    monkeypatch.setattr("swerve.race.follow", short_of_the_line)
    status, result, _ = asked(capsys, *words)
    assert status == 1 and not result["finished"] and result["above_bound_percent"] is None


def test_picture_is_drawn_unless_unwanted(capsys, tmp_path):
    words = ["race", "sharp-cornered", "--seconds", "2", "--nodes", "500", "--out", str(tmp_path)]
    _, result, _ = asked(capsys, *words)
    assert (tmp_path / result["picture"]).read_bytes().startswith(b"\x89PNG")


def test_no_finish_is_exit_1(capsys, tmp_path):
    status, result, _ = asked(
        capsys, "race", "sharp-cornered", "--seconds", "1", "--out", str(tmp_path), *FAST
    )
    assert status == 1 and result["finished"] is False
    assert (
        result["lap_seconds"] == []
        and result["above_bound_percent"] is None
        and result["bound_seconds"] > 20.0
    )


def test_quiet_says_nothing(capsys, tmp_path):
    assert run(["race", "sharp-cornered", "--quiet", "--seconds", "1", "--out", str(tmp_path), *FAST]) == 1
    assert capsys.readouterr() == ("", "")
    assert len(list(tmp_path.iterdir())) == 2


def test_people_get_a_table_and_a_hint_without_a_bar(capsys, tmp_path):
    assert run(["race", "sharp-cornered", "--seconds", "1", "--out", str(tmp_path), *FAST]) == 1
    out, err = capsys.readouterr()
    assert "max speed" in out and "finished" in out
    hint = [line for line in err.splitlines() if "compiling" not in line]
    assert " ".join(hint).startswith(f"See it move: {program()} show")
    assert "\x1b" not in out + err  # no bar, no colours: this is not a terminal


def test_laps_of_a_circuit_from_a_file(capsys, tmp_path):
    t = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    ring = np.column_stack([70 * np.cos(t), 50 * np.sin(t), np.full((100, 2), 8.0)])
    np.savetxt(tmp_path / "ring.csv", ring, delimiter=",", header="x_m,y_m,w_tr_right_m,w_tr_left_m")
    way = {}
    for laps in ("1", "2"):
        words = ["race", str(tmp_path / "ring.csv"), "--laps", laps, "--out", str(tmp_path / "out"), *FAST]
        status, result, _ = asked(capsys, *words)
        assert status == 0 and result["finished"]
        way[laps] = result["distance"]
    assert 250 < way["1"] < 420 and way["2"] == pytest.approx(2 * way["1"], rel=0.15)


@pytest.mark.parametrize(
    "words, planner", [((), "line"), (("--tree", "large"), "tree"), (("--weight", "2"), "tree")]
)
def test_who_asks_for_a_tree_is_driven_by_it(words, planner, capsys, tmp_path):
    """Also where nobody else is, on whose roads a rehearsed line is driven by default."""
    asked_for = ["race", "cornered", "--cars", "0", "--seconds", "2", *words, "--out", str(tmp_path)]
    _, result, _ = asked(capsys, *asked_for, *FAST)
    assert result["planner"] == planner and (result["tree"] == "large") == (planner == "tree")


def test_tree_from_a_file_and_cars_by_number(capsys, tmp_path):
    words = [
        "race",
        "cornered",
        "--tree",
        str(DATA / "seven.npz"),
        "--cars",
        "3",
        "--seconds",
        "2",
        "--out",
        str(tmp_path),
    ]
    _, result, _ = asked(capsys, *words, *FAST)
    recording = Recording.read(result["recording"])
    assert sorted(set(recording.whole()["id"].tolist())) == [0, 1, 2, 3]


def bad_file(folder, content) -> str:
    path = folder / "bad.csv"
    t = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    rows = [f"{90 * np.cos(a)},{90 * np.sin(a)},6,6" for a in t]
    rows[40] = content
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def bare_tree(folder) -> str:
    """Clips without the controls that made them."""
    with np.load(DATA / "seven.npz") as whole:
        parts = dict(whole)
    parts["controls"] = np.full_like(parts["controls"], np.nan)
    np.savez(folder / "bare.npz", **parts)
    return str(folder / "bare.npz")


def half_a_tree(folder) -> str:
    whole = (DATA / "seven.npz").read_bytes()
    (folder / "half.npz").write_bytes(whole[: len(whole) // 2])
    return str(folder / "half.npz")


BAD = {
    "missing track": lambda d: (["nowhere.csv"], "nowhere.csv: no such file"),
    "unknown track": lambda d: (["nowhere"], "'nowhere'"),
    "nan": lambda d: (
        [bad_file(d, "nan,0,6,6")],
        "bad.csv, line 41, x_m: must be a finite number, got 'nan'",
    ),
    "negative width": lambda d: (
        [bad_file(d, "0,0,-6,6")],
        "bad.csv, line 41, w_tr_right_m: must be positive, got -6.0",
    ),
    "crossing": lambda d: ([bad_file(d, "0,-100,6,6")], "bad.csv: crosses or touches itself"),
    "zero nodes": lambda d: (["final", "--nodes", "0"], "--nodes: must be between 2 and 5,000,000, got 0"),
    "too many nodes": lambda d: (["final", "--nodes", "99999999999"], "--nodes"),
    "horizon": lambda d: (["final", "--horizon", "0"], "--horizon"),
    "endless horizon": lambda d: (["final", "--horizon", "999999999"], "--horizon"),
    "cars": lambda d: (["final", "--cars", "-1"], "--cars"),
    "too many cars": lambda d: (["sharp-cornered", "--cars", "900"], "cars: the road is full"),
    "laps": lambda d: (["final", "--laps", "0"], "--laps"),
    "unknown tree": lambda d: (
        ["final", "--tree", "huge"],
        "tree: must be one of five, seven, large, bends or a file, got 'huge'",
    ),
    "missing tree": lambda d: (["final", "--tree", "huge.npz"], "huge.npz: no such file"),
    "half a tree": lambda d: (
        ["final", "--tree", half_a_tree(d)],
        "half.npz: is damaged or not a motion library",
    ),
    "no controls": lambda d: (
        ["final", "--tree", bare_tree(d), "--execute", "physics"],
        "clips without controls",
    ),
    "goal": lambda d: (
        ["final", "--goal", "moon"],
        "--goal: must be one of finish, progress, far, got 'moon'",
    ),
    "execute": lambda d: (["final", "--execute", "fly"], "--execute"),
    "heuristic": lambda d: (["final", "--heuristic", "luck"], "--heuristic"),
    "start beside the road": lambda d: (["sharp-cornered", "--start", "20,50,1.57,5"], "must be on the road"),
    "start before the road": lambda d: (["sharp-cornered", "--start", "0,-9,1.57,5"], "must be on the road"),
    "start behind the finish": lambda d: (
        ["sharp-cornered", "--start", "108.06,469.3,1.57,5"],
        "before the finish",
    ),
    "mismatch of no physics": lambda d: (["final", "--mismatch", "0.1"], "needs --execute physics"),
    "start over the edge": lambda d: (["sharp-cornered", "--start", "7.0,30,1.57,5"], "within the edges"),
    "latency": lambda d: (["final", "--latency", "100"], "--latency: needs --execute physics"),
    "mismatch": lambda d: (["final", "--mismatch", "nan"], "--mismatch"),
    "seconds": lambda d: (["final", "--seconds", "inf"], "seconds"),
    "weight": lambda d: (["final", "--weight", "nan"], "weight"),
    "value": lambda d: (["final", "--seconds", "soon"], "--seconds"),
    "option": lambda d: (["final", "--speed", "9"], "--speed"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_writes_nothing(case, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words, expected = BAD[case](tmp_path)
    before = sorted(tmp_path.iterdir())
    for more in ([], ["--json"]):
        assert run(["race", *words, "--out", str(tmp_path / "out"), *more]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and err.startswith("swerve: ")
        assert expected in err
    assert sorted(tmp_path.iterdir()) == before


def test_out_that_is_a_file_is_refused_before_driving(capsys, tmp_path):
    (tmp_path / "file").write_text("precious")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        assert run(["race", "sharp-cornered", "--out", str(place)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and "--out" in err
    assert (tmp_path / "file").read_text() == "precious"


def test_track_is_generated_written_and_driven(capsys, tmp_path):
    path = tmp_path / "mine.csv"
    words = [
        "race",
        "track",
        "--length",
        "600",
        "--corners",
        "3",
        "--width",
        "12",
        "--seed",
        "5",
        "--out",
        str(path),
    ]
    status, result, err = asked(capsys, *words)
    assert status == 0 and err == ""
    assert result["length"] == pytest.approx(600, rel=0.05) and result["narrowest"] == pytest.approx(12)
    assert result["file"] == str(path) and not result["closed"]
    status, described, _ = asked(capsys, "race", "track", str(path))
    assert described["track"] == "mine" and described["length"] == pytest.approx(result["length"], abs=2)
    status, driven, _ = asked(capsys, "race", str(path), "--out", str(tmp_path / "out"), *FAST)
    assert status == 0 and driven["finished"]


@pytest.mark.parametrize(
    "words",
    [["--length", "5"], ["--length", "1e12"], ["--sharpness", "nan"], ["--out", "mine.txt"], ["nowhere"]],
)
def test_bad_tracks_are_refused(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["race", "track", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_bound_is_told_of_cars_alone():
    """Once a cyclist's drive was held against the bound of the car."""
    tree, track = load_tree("large"), load_track("cornered")
    other = replace(tree, meta=tree.meta | {"outline": [1.8, 0.6]})
    for moves in (tree, other):
        driven = drive(track, moves, Setting(seconds=1.0, planner="tree", cars=0))
        figures = _figures(driven, 1, None, None, None)
        assert (figures["bound_seconds"] is None) == (moves is other)


def test_a_tree_that_was_made_for_a_car_is_taken_with_it():
    """Once a tree built for a car of one's own could not be named together with the car."""
    tree, car = load_tree("large"), load_car("heavy")
    made = replace(tree, meta=tree.meta | {"car": asdict(car)})
    assert fitted_tree(car, "mine.npz", made) is made
    with pytest.raises(BadInput, match="made for the car"):
        fitted_tree(car, "other.npz", tree)
