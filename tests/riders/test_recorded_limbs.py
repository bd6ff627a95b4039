"""Recordings of riders: true lean, heights that follow it, limbs with parents; a car's slip is no roll."""

import numpy as np
import pytest

from swerve.core.attitude import angles
from swerve.core.recording import Recording
from swerve.core.steered import SteeredBody
from swerve.riders import load_rider
from swerve.riders.bodies.outline import HEIGHT
from swerve.riders.record import record_paths
from swerve.riders.steering.curves import curve
from swerve.riders.steering.follow import follow


class Turning:
    """Commands a turn to the left, always."""

    ticks = 1

    def turns(self, motion, reference):
        return np.full(len(motion.x), 0.15)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    body = load_rider("human")
    way = curve(3, body.speed)
    done = follow(body.start(1), body.speed, [way], Turning(), way.place(np.zeros(1)), parts=True)
    recording = record_paths(done, body.name, body.radius, {"scene": "turn"})
    return done, Recording.read(recording.write(tmp_path_factory.mktemp("ride") / "a.parquet"))


def quaternions(recording):
    return np.column_stack([recording[name] for name in ("qw", "qx", "qy", "qz")]).astype(float)


def test_the_lean_of_a_turning_rider_is_the_roll_of_its_body(full):
    done, recording = full
    whole = recording.whole()
    _, _, roll = angles(quaternions(whole))
    np.testing.assert_allclose(roll, done.roll[:, 0], atol=1e-5)
    np.testing.assert_allclose(whole["roll_angle"], done.roll[:, 0])
    assert roll.min() < -0.1  # to the left
    np.testing.assert_allclose(whole["z"], HEIGHT / 2 * np.cos(roll), atol=0.03)
    assert np.ptp(whole["z"]) > 0.005
    assert np.isfinite(whole["steer"]).all() and whole["steer"].max() > 0.01


def test_limbs_and_wheels_are_rows_whose_parents_exist(full):
    done, recording = full
    parts = recording.parts(0)
    names = set(parts["part"])
    assert {"frame", "front wheel", "rear wheel", "left shank", "right forearm"} <= names
    assert len(names) == 17 and len(parts) == 17 * len(done.t)
    assert set(parts["parent"]) <= set(recording.whole()["id"])
    assert len(set(zip(recording["t"], recording["id"], strict=True))) == len(recording)
    frame = parts.where(parts["part"] == "frame")
    _, _, roll = angles(quaternions(frame))
    np.testing.assert_allclose(roll, done.roll[:, 0], atol=0.02)
    far = np.hypot(frame["x"] - done.pose[:, 0, 0], frame["y"] - done.pose[:, 0, 1])
    assert far.max() < 1.0
    foot = parts.where(parts["part"] == "left foot")
    assert np.ptp(foot["z"]) > 0.2  # it pedals
    moved = np.gradient(foot["x"], foot["t"])[5:-5]
    assert np.corrcoef(moved, foot["vx"][5:-5])[0, 1] > 0.5
    for name in ("front wheel", "rear wheel"):
        wheel = parts.where(parts["part"] == name)
        assert wheel["z"].min() > 0.25 and wheel["z"].max() < 0.4


def test_what_slides_is_recorded_as_slip_and_not_as_roll():
    def slide(rows, commands, step):
        rows = rows.copy()
        rows[:, :2] += step * rows[:, 3:5]
        return rows

    names = ("x", "y", "yaw", "vx", "vy", "yaw_rate", "slip")
    start = (0.0, 0.0, 0.0, 12.0, 0.0, 0.0, 0.2)
    body = SteeredBody("car", (4.2, 1.8, 1.4), names, start, slide, speed=12.0, turns=(-1.0, 1.0))
    way = curve(1, body.speed)
    done = follow(body.start(1), body.speed, [way], Turning(), way.place(np.zeros(1)))
    whole = record_paths(done, body.name, body.radius, {}).whole()
    _, _, roll = angles(quaternions(whole))
    assert np.abs(roll).max() < 1e-6
    np.testing.assert_allclose(whole["slip"], 0.2)
