"""The studies of Brogan and Hodgins: what they compare, without riding for minutes."""

import numpy as np
import pytest

from swerve.riders import Glide, Simple, curve, follow, load_map, load_tuned, starts_beside
from swerve.riders.maps.reduce import Freedom
from swerve.studies import STUDIES, study
from swerve.studies.brogan import same, theirs
from swerve.studies.brogan_rides import curve_report, fastest_turning, swing_after


@pytest.mark.parametrize("name", [name for name in STUDIES if name.startswith("brogan")])
def test_every_study_can_be_found(name):
    assert callable(study(name))


@pytest.mark.parametrize(
    "name, reason",
    [
        ("x", "homogeneous world"),
        ("z", "f(roll)"),
        ("roll", "not removed"),
        ("yaw rate", "not removed"),
        ("roll rate", "f(roll, yaw rate)"),
        ("steer", "f(roll)"),
        ("left elbow rate", "f(fork rate)"),
        ("rear spin", "symmetrical"),
        ("right knee", "f(crank)"),
        ("antenna", None),
    ],
)
def test_freedoms_are_found_in_the_seeds_table(name, reason):
    assert theirs(name) == reason


def test_reasons_of_one_kind_are_the_same():
    assert same(Freedom("steer", "f(yaw rate)", "")) and not same(Freedom("steer", "constant", ""))
    assert same(Freedom("waist y", "constant", "")) and not same(Freedom("waist y", "f(crank)", ""))


def test_a_herd_that_swings_is_told_from_one_that_settles():
    t = np.arange(310) * 0.1
    settling = np.exp(-t / 8)[None]
    assert swing_after(settling + 0.1 * np.sin(3 * t)) > 5 * swing_after(settling)


def test_seven_curves_ridden_on_a_map_are_reported_and_drawn(tmp_path):
    map_, tuned = load_map("human"), load_tuned("human")
    ways = [curve(k, map_.speed) for k in range(1, 8)]
    turns = (float(map_.turns[0]), float(map_.turns[-1]))
    steering = {"lod": tuned.navigator(map_, "path"), "unaimed": Simple(turns, 0.8 * map_.speed)}
    steering["simple"] = tuned.simple_for(turns, "path")
    starts = starts_beside(ways, 1)
    runs = {key: follow(Glide(map_, 7), map_.speed, ways, one, starts) for key, one in steering.items()}
    errors = {key: run.mean_error.reshape(7, 1) for key, run in runs.items()}
    report = curve_report("brogan-fig6", "human", tmp_path, runs, errors, [])
    assert [row["curve"] for row in report.rows] == list(range(1, 8))
    assert all(row["with the map [m]"] < row["simple, no look ahead [m]"] for row in report.rows)
    assert len(report.files) == 2 and all(file.stat().st_size > 10_000 for file in report.files)
    assert 0.2 < fastest_turning(runs["lod"]) < 0.5  # curve 7 asks for 0.26 rad/s
