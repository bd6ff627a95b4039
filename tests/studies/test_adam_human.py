"""A person's drive against the planner, from any recording."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from swerve.cli.main import run
from swerve.core.recording import Recording
from swerve.race import CarParameters, load_car, load_track, plan_course
from swerve.race.takes import Take
from swerve.studies.adam_human import _car, _traffic


@pytest.fixture(scope="module")
def drive_of_a_person(tmp_path_factory):
    """Somebody careful on the sharp corners, who saws at the wheel."""
    course = plan_course(load_track("sharp-cornered"), caution=0.4)
    saw = 0.05 * np.sin(2 * np.pi * 2.0 * 0.04 * np.arange(len(course.controls)))
    controls = course.controls + saw[:, None] * [1.0, 0.0, 0.0]
    path = tmp_path_factory.mktemp("person") / "person.parquet"
    return Take("sharp-cornered", course.states, controls).to_recording().write(path), course.seconds


def test_the_planner_is_held_against_a_recording(drive_of_a_person, tmp_path, capsys):
    path, seconds = drive_of_a_person
    assert run(["study", "adam-human", "--take", str(path), "--out", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    person, planner = told["rows"]
    assert person["seconds"] == pytest.approx(seconds) and planner["seconds"] < seconds
    assert person["finished"] and planner["finished"] and planner["touches"] == 0
    assert person["reversals/s"] > 3.0 > planner["reversals/s"]
    assert [c["holds"] for c in told["conclusions"]] == [True, person["touches"] > 0, True]
    assert (tmp_path / "adam-human.png").stat().st_size > 10_000


def test_the_planner_drives_among_the_cars_of_the_recording(tmp_path, capsys):
    """Once it drove alone, and a drive that had hit a car counted as without contact."""
    road = load_track("sharp-cornered")
    times, size = 0.04 * np.arange(200), (4.2, 1.8, 1.4)
    mine, other = (road.pose(20.0 + speed * times + ahead) for speed, ahead in ((12.0, 0.0), (2.0, 40.0)))
    parts = []
    for k, (kind, pose) in enumerate((("car", mine), ("traffic", other))):
        hit = (times > 6.0) & (k == 0)
        velocity = np.gradient(pose[:, :2], 0.04, axis=0)
        parts.append(Recording.planar(times, k, kind, pose, velocity, size, contact=hit))
    rows = Recording.join(parts, {"scene": "sharp-cornered"})
    path = rows.write(tmp_path / "hit.parquet")
    assert run(["study", "adam-human", "--take", str(path), "--out", str(tmp_path), "--json"]) in (0, 1)
    person, planner = json.loads(capsys.readouterr().out)["rows"]
    assert person["touches"] == 1 and not person["finished"] and planner["touches"] == 0
    traffic = _traffic(rows, None)
    assert traffic.cars == 1 and np.hypot(*(traffic.poses[0, 100, :2] - other[100, :2])) < 0.01


def test_the_planner_drives_the_car_that_was_recorded():
    """Once it drove the thesis's car, and was quicker than a heavy one."""
    told = asdict(load_car("heavy"))
    assert _car({"car": told}) == load_car("heavy")
    assert _car({"car": asdict(CarParameters())}) is None and _car({}) is None
    assert _car({"car": {"mass": "much"}}) is None


def test_what_is_missing_is_named(drive_of_a_person, tmp_path, capsys):
    path, _ = drive_of_a_person
    recording = Recording.read(path)
    named = Recording(recording.columns, recording.meta | {"scene": "mine"}).write(tmp_path / "mine.parquet")
    for words, says in (
        (["adam-human"], "--take"),
        (["adam-human", "--take", str(path), "--track", "moon"], "track"),
        (["adam-human", "--take", str(named)], "--track: names the file of the road"),
        (["adam-4.1", "--take", str(path)], "is for the study adam-human only"),
    ):
        assert run(["study", *words, "--out", str(tmp_path)]) == 2
        assert says in capsys.readouterr().err
