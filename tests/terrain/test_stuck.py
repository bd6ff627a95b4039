"""Profiles that cannot be driven, and what they say about it."""

import math

import numpy as np
import pytest
from plain_paths import FREE, STRONG, circle, straight

from swerve.core.errors import BadInput
from swerve.terrain import SurfacePath, Terrain, Trouble, Vehicle, speed_profile


@pytest.mark.parametrize(
    ("slope", "car", "why"),
    [
        (0.3, Vehicle(**FREE), Trouble.STALLS),
        (-0.9, Vehicle(**STRONG), Trouble.RUNS_AWAY),
    ],
)
def test_too_steep_along_the_path(slope, car, why):
    profile = speed_profile(straight(300, slope=slope), car)
    assert not profile.feasible and profile.first_trouble[1] is why
    assert why.words.split(":")[0] in profile.explain()


def test_momentum_carries_over_a_hill_the_engine_cannot_climb():
    hill = Terrain.from_function(lambda x, y: 20 * np.exp(-(((x - 500) / 60) ** 2)), (1000.0, 200.0), 10.0)
    path = SurfacePath.from_controls(hill, [[10, 100], [990, 100]])
    assert speed_profile(path, Vehicle()).feasible
    assert not speed_profile(SurfacePath.from_controls(hill, [[400, 100], [990, 100]]), Vehicle()).feasible


@pytest.mark.parametrize(
    ("bank", "car", "why"),
    [
        (0.6, Vehicle(), Trouble.TIPS_OVER),
        (0.8, Vehicle(**FREE), Trouble.SLIDES),
        (0.1, Vehicle(friction=0.0), Trouble.SLIDES),
    ],
)
def test_side_slopes_on_which_the_vehicle_cannot_stand(bank, car, why):
    n = 200
    line = np.column_stack([np.linspace(0, 100, n), np.zeros(n), np.zeros(n)])
    path = SurfacePath.from_points(line, np.tile([0, math.sin(bank), math.cos(bank)], (n, 1)))
    profile = speed_profile(path, car)
    assert profile.first_trouble == (0, why) and (profile.limit == 0).all()


def test_tight_bends_exceed_the_steering():
    assert speed_profile(circle(5.0, 200), Vehicle()).first_trouble[1] is Trouble.STEERING
    assert speed_profile(circle(12.0, 200), Vehicle()).feasible


def test_speeds_at_the_ends():
    path = straight(200)
    profile = speed_profile(path, Vehicle(**FREE), v_start=10, v_end=5)
    assert profile.speed[0] == 10 and profile.speed[-1] == pytest.approx(5)
    fast = speed_profile(straight(20), Vehicle(**FREE), v_start=40, v_end=0)
    assert fast.first_trouble == (0, Trouble.TOO_FAST)
    with pytest.raises(BadInput, match=r"v_start.*-1"):
        speed_profile(path, Vehicle(), v_start=-1)
    with pytest.raises(BadInput, match="closed"):
        speed_profile(path, Vehicle(), closed=True)


def test_wrong_vehicles_are_named():
    for field, value in (("mass", 0.0), ("friction", -0.1), ("max_steer", 4.0), ("engine_force", math.nan)):
        with pytest.raises(BadInput, match=field):
            Vehicle(**{field: value})
    for odd in (["1"], [[1, 2, 3]], 7, [["a", 1]]):
        with pytest.raises(
            BadInput, match=r"a file: vehicle force_curve: must be pairs of a speed and a force, got "
        ):
            Vehicle.given({"force_curve": odd}, "a file")
