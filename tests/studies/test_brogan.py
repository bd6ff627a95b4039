"""The studies of Brogan and Hodgins: what they compare, without riding for minutes."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest

from riders.standin import standin
from swerve.riders import Glide, curve, follow, load_map, load_tuned, starts_beside
from swerve.riders.maps.reduce import Freedom
from swerve.riders.steering.herd import herd, scatter
from swerve.riders.steering.tune import SEED_WEIGHTS, TASKS
from swerve.studies import STUDIES, brogan_rides, study
from swerve.studies.brogan import BODIES, alike, same, table_1, table_2, theirs
from swerve.studies.brogan_rides import fastest_turning, figure_6, swing_after
from swerve.studies.report import Conclusion, Report


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


def test_the_first_table_says_on_what_it_stands(tmp_path, monkeypatch):
    """Verdicts changed with the trials, and the report named neither them nor the seed."""
    monkeypatch.setattr("swerve.studies.brogan.load_rider", lambda name: standin())
    report = table_1(tmp_path, 7, 60)
    reasons = {row["freedom"]: row["here"] for row in report.rows}
    assert reasons["x"] == "homogeneous world" and "not removed" in reasons.values()
    assert all(row["evidence"] for row in report.rows)
    assert "60 moments, seed 7" in report.notes[0]
    by = {c.text: c for c in report.conclusions}
    assert by["roll and yaw rate are the two that tell the future"].holds is False
    undecided = Conclusion("something", None, "too few")
    assert "| undecided |" in Report("x", "X", [], [undecided]).markdown()


def test_the_second_table_tunes_both_bodies_for_both_tasks(tmp_path):
    report = table_2(tmp_path, 5, 2)
    assert [(row["body"], row["task"]) for row in report.rows] == list(product(BODIES, TASKS))
    assert all(row["cost"] < 10 and row["cost, paper's weights"] > 0 for row in report.rows)
    assert [row["paper's t_max [s]"] for row in report.rows] == [
        SEED_WEIGHTS[row["body"]][row["task"]].t_max for row in report.rows
    ]


def test_a_herd_of_the_figures_is_ridden_and_told(tmp_path, monkeypatch):
    monkeypatch.setattr(brogan_rides, "ride_herd", on_a_map)
    report = brogan_rides.figure_9(tmp_path, 3, 1)
    assert [row["controller"] for row in report.rows] == list(brogan_rides.HERDERS)
    assert all(row["error at 30 s [m]"] < 0.3 < row["error at 0 s [m]"] for row in report.rows)
    assert report.rows[0]["falls"] == 0 and len(report.files) == 2


def on_a_map(item):
    """A herd as the figures have it, on a map instead of in full physics."""
    name, controller, seed = item
    map_, tuned = load_map(name), load_tuned(name)
    simple = tuned.simple_for((map_.turns[0], map_.turns[-1]), "herd")
    steering = {"lod": tuned.navigator(map_, "herd"), "simple": simple}.get(
        controller, replace(simple, foreseeing=True)
    )
    return herd(Glide(map_, 16), map_.speed, steering, scatter(16, seed, map_.radius), 31.0)


def test_how_fast_riders_turned_is_told():
    map_ = load_map("human")
    ways = [curve(7, map_.speed)]
    steering = load_tuned("human").navigator(map_, "path")
    done = follow(Glide(map_, 1), map_.speed, ways, steering, starts_beside(ways, 1))
    assert 0.2 < fastest_turning(done) < 0.5  # curve 7 asks for 0.26 rad/s
