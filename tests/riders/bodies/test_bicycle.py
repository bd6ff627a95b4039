"""The simulated bicycle against the theory, and the theory against its published values and symmetries."""

import json
import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.riders import BicycleParameters, LinearBicycle, bicycle_xml, check_bicycle, identify_bicycle


def test_theory_has_the_published_values():
    bicycle = LinearBicycle.of(BicycleParameters())
    assert bicycle.weave_speed() == pytest.approx(4.292, abs=5e-4)
    assert bicycle.capsize_speed() == pytest.approx(6.024, abs=5e-4)
    at_five = [-14.078, -0.7753 - 4.4649j, -0.7753 + 4.4649j, -0.3229]
    at_ten = [-24.625, -3.7202 - 10.907j, -3.7202 + 10.907j, 0.16105]
    np.testing.assert_allclose(bicycle.eigenvalues(5.0), at_five, rtol=2e-4)
    np.testing.assert_allclose(bicycle.eigenvalues(10.0), at_ten, rtol=2e-4)


def test_simulated_bicycle_is_the_benchmark():
    found = check_bicycle(0.0005, speeds=np.array([1.0, 2.5, 4.0, 6.0, 8.0, 10.0]))
    assert found.speed_error < 0.001
    assert found.errors.max() < 0.01


def test_at_the_step_of_the_herds():
    found = check_bicycle(0.002)
    assert found.speed_error < 0.03 and found.errors.max() < 0.03


def test_a_step_that_does_not_divide_the_period_makes_no_error_of_its_own():
    theory = LinearBicycle.of(BicycleParameters()).eigenvalues(6.0)
    assert np.abs(identify_bicycle(6.0, 0.0007).eigenvalues / theory - 1).max() < 0.012


def test_another_bicycle_is_simulated_as_truly():
    light = BicycleParameters(wheelbase=0.95, trail=0.05, tilt=0.3, body_mass=60.0, front_radius=0.3)
    errors = np.abs(
        identify_bicycle(6.0, 0.0005, light).eigenvalues / LinearBicycle.of(light).eigenvalues(6.0) - 1
    )
    assert errors.max() < 0.01


def test_masses_and_moments_reach_the_model():
    p = BicycleParameters()
    model = mujoco.MjModel.from_xml_string(bicycle_xml(p, 0.001))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert model.body_subtreemass[0] == pytest.approx(94.0)
    middle = data.subtree_com[1]
    x = (p.body_x * p.body_mass + p.fork_x * p.fork_mass + p.wheelbase * p.front_mass) / 94.0
    assert middle[0] == pytest.approx(x)
    assert middle[2] == pytest.approx(-LinearBicycle.of(p).gravity_stiffness[0, 0] / 94.0)


some = st.floats(0.5, 2.0)


@given(mass=some, length=some, speed=st.floats(1.0, 10.0))
@settings(max_examples=50, deadline=None)
def test_theory_scales_as_physics_does(mass, length, speed):
    """Heavier throughout: the same motion. Longer throughout: slower by √length, at speeds √length higher."""
    p = BicycleParameters()
    lengths = ("wheelbase", "trail", "radius", "_x", "_z")
    changed = {}
    for name, value in vars(p).items():
        if name.endswith("mass"):
            changed[name] = value * mass
        elif name.endswith(("ixx", "ixz", "iyy", "izz")):
            changed[name] = value * mass * length**2
        elif name.endswith(lengths):
            changed[name] = value * length
    bigger = LinearBicycle.of(replace(p, **changed))
    one = LinearBicycle.of(p).eigenvalues(speed) / math.sqrt(length)
    np.testing.assert_allclose(
        np.sort_complex(bigger.eigenvalues(speed * math.sqrt(length))), np.sort_complex(one), rtol=1e-6
    )


@given(speed=st.floats(0.5, 12.0))
@settings(max_examples=30, deadline=None)
def test_riding_backwards_in_time_is_riding_backwards(speed):
    """Reversing the velocity of a machine without losses reverses its motion."""
    bicycle = LinearBicycle.of(BicycleParameters())
    np.testing.assert_allclose(
        np.sort_complex(bicycle.eigenvalues(-speed)), np.sort_complex(-bicycle.eigenvalues(speed)), rtol=1e-7
    )


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"body_mass": -85.0}, "-85.0"),
        ({"trail": math.nan}, "nan"),
        ({"tilt": 2.0}, "tilt"),
        ({"rear_iyy": 5.0}, "rear_iyy"),
        ({"body_ixz": 9.0}, "body inertia"),
    ],
)
def test_impossible_bicycles_are_refused(change, named):
    with pytest.raises(BadInput, match=named):
        BicycleParameters(**change)


def test_check_command(capsys):
    assert run(["ride", "check", "--json", "--step", "0.002"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result["eigenvalues"]) == 10
    assert result["weave_speed"] == pytest.approx(4.292, rel=0.03)
    assert result["largest_eigenvalue_error"] < 0.03
    assert run(["ride", "check", "--step", "0.1"]) == 2
    assert "timestep" in capsys.readouterr().err
