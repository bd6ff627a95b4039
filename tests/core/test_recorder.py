"""Frames that were added one by one are the recording; attitude is as the angles say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from swerve.core.attitude import angles, quaternion, turned
from swerve.core.errors import BadInput
from swerve.core.recorder import Recorder

angle = st.floats(-3.1, 3.1)
BOX = {"length": 4.0, "width": 2.0, "height": 1.5}


@given(yaw=angle, pitch=st.floats(-1.5, 1.5), roll=angle)
def test_quaternions_are_yaw_then_pitch_up_then_lean_to_the_right(yaw, pitch, roll):
    q = quaternion(yaw, pitch, roll)
    theirs = Rotation.from_euler("ZYX", [yaw, -pitch, roll]).as_quat(scalar_first=True)
    assert np.abs(q @ theirs) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(angles(q), [yaw, pitch, roll], atol=1e-6)
    assert turned(q, [1, 0, 0])[2] == pytest.approx(np.sin(pitch), abs=1e-12)  # nose up
    left = turned(quaternion(0.0, 0.0, roll), [0, 1, 0])
    assert left[2] == pytest.approx(np.sin(roll), abs=1e-12)  # leaning right lifts the left side


def test_batches_of_a_frame_with_other_columns_are_joined_with_blanks():
    recorder = Recorder()
    place = np.zeros(2)
    for k in range(3):
        place += 1.0  # the caller goes on using its array
        car = {"id": [1, 2], "kind": "car", "x": place, "y": 0.0, "yaw": 0.5, "vx": 1.0, "vy": 0.0, **BOX}
        recorder.add(k, {**car, "pitch": [0.1, 0.2], "brake": [True, False]})
        lamp = {"id": [9], "kind": "light", "x": 0.0, "y": 0.0, "yaw": 0.0, "vx": 0.0, "vy": 0.0, **BOX}
        recorder.add(k, {**lamp, "state": "red", "heat": 7})
    recording = recorder.recording({"scene": "street"})
    assert len(recording) == len(recorder) == 9
    assert recording["x"].tolist() == [1, 1, 0, 2, 2, 0, 3, 3, 0]
    assert recording["state"].tolist() == ["", "", "red"] * 3
    assert recording["brake"].tolist() == [True, False, False] * 3
    assert recording["heat"].tolist() == [0, 0, 7] * 3
    q = np.column_stack([recording[name] for name in ("qw", "qx", "qy", "qz")])
    np.testing.assert_allclose(angles(q)[1], [0.1, 0.2, 0.0] * 3, atol=1e-6)
    recorder.clear()
    with pytest.raises(BadInput, match="has no frames"):
        recorder.recording()


def test_a_batch_may_give_quaternions_of_its_own():
    recorder = Recorder()
    at = {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0, "kind": "box", **BOX}
    recorder.add(0.0, {"id": [1], "yaw": 1.0, **at})
    recorder.add(0.0, {"id": [2], "qw": 0.0, "qx": 1.0, "qy": 0.0, "qz": 0.0, **at})
    recording = recorder.recording()
    assert recording["qx"].tolist() == [0.0, 1.0]
    assert recording.heading[0] == pytest.approx(1.0, abs=1e-6)
    assert "yaw" not in recording.columns


def test_frames_that_do_not_fit_are_refused_by_name():
    with pytest.raises(BadInput, match="lacks id"):
        Recorder().add(0.0, {"x": [1.0]})
    with pytest.raises(BadInput, match=r"frame at 2 s, column x: must be of shape \(2,\), got \(3,\)"):
        Recorder().add(2.0, {"id": [1, 2], "x": [1.0, 2.0, 3.0]})
