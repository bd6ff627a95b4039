"""The studies of Brogan and Hodgins: what they compare, without riding for minutes."""

from functools import partial

import numpy as np
import pytest

from swerve.riders import Glide, curve, follow, load_map, load_tuned, starts_beside
from swerve.riders.maps.reduce import Freedom
from swerve.studies import STUDIES, study
from swerve.studies.brogan import alike, same, theirs
from swerve.studies.brogan_rides import fastest_turning, figure_6, swing_after


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


def test_functions_of_other_things_are_not_alike():
    assert alike(Freedom("steer", "f(roll)", "")) and not alike(Freedom("steer", "f(yaw rate)", ""))
    assert alike(Freedom("left elbow", "f(steer)", "")) and alike(Freedom("pitch", "constant", ""))


def test_a_herd_that_swings_is_told_from_one_that_settles():
    t = np.arange(310) * 0.1
    settling = np.exp(-t / 8)[None]
    assert swing_after(settling + 0.1 * np.sin(3 * t)) > 5 * swing_after(settling)


def test_seven_curves_ridden_on_a_map_are_reported_and_drawn(tmp_path):
    report = figure_6(tmp_path, 1, 1, partial(Glide, load_map("human")))
    assert [row["curve"] for row in report.rows] == list(range(1, 8))
    assert all(row["with the map [m]"] < row["simple, no look ahead [m]"] for row in report.rows)
    assert all(row["falls"] == 0 for row in report.rows)
    printed = "corners of 49 m as printed, speed planned [m]"
    assert all(row["with the map [m]"] < row["the seed's rule [m]"] < 5 for row in report.rows)
    assert all(row[printed] < 0.15 for row in report.rows)
    assert len(report.files) == 2 and all(file.stat().st_size > 10_000 for file in report.files)
    assert len(report.conclusions) == 4


def test_how_fast_riders_turned_is_told():
    map_ = load_map("human")
    ways = [curve(7, map_.speed)]
    steering = load_tuned("human").navigator(map_, "path")
    done = follow(Glide(map_, 1), map_.speed, ways, steering, starts_beside(ways, 1))
    assert 0.2 < fastest_turning(done) < 0.5  # curve 7 asks for 0.26 rad/s
