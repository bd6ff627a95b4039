"""A person's drive against the planner, from any recording."""

import json

import numpy as np
import pytest

from swerve.cli.main import run
from swerve.race import load_track, plan_course
from swerve.race.takes import Take


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


def test_what_is_missing_is_named(drive_of_a_person, tmp_path, capsys):
    path, _ = drive_of_a_person
    for words, says in (
        (["adam-human"], "--take"),
        (["adam-human", "--take", str(path), "--track", "moon"], "track"),
        (["adam-4.1", "--take", str(path)], "is for the study adam-human only"),
    ):
        assert run(["study", *words, "--out", str(tmp_path)]) == 2
        assert says in capsys.readouterr().err
