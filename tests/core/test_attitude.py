"""Attitudes: the convention, checked on what a person would see, and the way there and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from swerve.core import attitude

turn = st.floats(-3.1, 3.1)
grade = st.floats(-1.5, 1.5)
vector = st.tuples(*[st.floats(-10, 10)] * 3).map(np.array)
FORWARD, LEFT, UP = np.eye(3)


def test_positive_yaw_turns_left():
    np.testing.assert_allclose(attitude.turned(attitude.quaternion(np.pi / 2), FORWARD), LEFT, atol=1e-12)


@given(turn, st.floats(0.01, 1.5))
def test_positive_pitch_lifts_the_nose_at_any_heading(yaw, pitch):
    nose = attitude.turned(attitude.quaternion(yaw, pitch), FORWARD)
    assert nose[2] == pytest.approx(np.sin(pitch))
    assert np.arctan2(nose[1], nose[0]) == pytest.approx(yaw)


@given(turn, st.floats(0.01, 1.5))
def test_positive_roll_leans_right_at_any_heading(yaw, roll):
    up = attitude.turned(attitude.quaternion(yaw, 0.0, roll), UP)
    right = np.array([np.sin(yaw), -np.cos(yaw), 0.0])
    assert up @ right == pytest.approx(np.sin(roll)) and up[2] == pytest.approx(np.cos(roll))


@given(turn, grade, turn)
def test_there_and_back(yaw, pitch, roll):
    back = attitude.angles(attitude.quaternion(yaw, pitch, roll))
    np.testing.assert_allclose(back, [yaw, pitch, roll], atol=1e-6)


@given(turn, grade, turn, vector)
def test_the_same_as_turning_about_z_then_y_then_x(yaw, pitch, roll, v):
    expected = Rotation.from_euler("ZYX", [yaw, -pitch, roll])
    mine = attitude.quaternion(yaw, pitch, roll)
    np.testing.assert_allclose(attitude.turned(mine, v), expected.apply(v), atol=1e-9)
    assert attitude.yaw_of(mine) == pytest.approx(yaw, abs=1e-6)


@given(turn, grade, turn, turn, grade, turn)
def test_products_turn_one_after_the_other(a, b, c, d, e, f):
    first, second = attitude.quaternion(a, b, c), attitude.quaternion(d, e, f)
    both = attitude.turned(first, attitude.turned(second, FORWARD))
    np.testing.assert_allclose(attitude.turned(attitude.multiply(first, second), FORWARD), both, atol=1e-9)


@given(turn, st.floats(-1.2, 1.2), st.floats(-1.2, 1.2))
def test_axes_give_the_attitude_back(yaw, pitch, roll):
    q = attitude.quaternion(yaw, pitch, roll)
    forward, up = attitude.turned(q, FORWARD), attitude.turned(q, UP)
    got, upright = attitude.from_axes(3 * forward[None], (up + 0.3 * forward)[None])
    np.testing.assert_allclose(attitude.angles(got[0]), [yaw, pitch, roll], atol=1e-6)
    np.testing.assert_allclose(upright[0], up, atol=1e-9)


def test_batches_keep_their_shape():
    q = attitude.quaternion(np.zeros((5, 3)), 0.1, np.ones(3))
    assert q.shape == (5, 3, 4) and attitude.angles(q)[1].shape == (5, 3)
    assert set(attitude.columns(q.reshape(-1, 4))) == {"qw", "qx", "qy", "qz"}
