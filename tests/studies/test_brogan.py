"""The studies of Brogan and Hodgins: what they compare, without riding for minutes."""

import numpy as np
import pytest

from swerve.riders.maps.reduce import Freedom
from swerve.studies import STUDIES, study
from swerve.studies.brogan import same, theirs
from swerve.studies.brogan_rides import swing_after


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
