"""A drive as a recording: everybody who moved, where they were, and the road."""

import numpy as np

from swerve.core.attitude import turned
from swerve.core.recording import Recording
from swerve.race.car import FRAME
from swerve.race.follow import follow
from swerve.race.record import EGO, WHEELS, record
from swerve.race.traffic import FAR


def test_recording_holds_the_drive_and_the_cars(drives, tmp_path):
    plan = drives["final", 1]
    back = Recording.read(record(plan, {"seed": 0, "scene": "final"}).write(tmp_path / "a.parquet"))
    assert back.meta["scene"] == "final" and back.meta["ego"] == EGO
    bodies = {body: (kind, columns) for body, kind, columns in back.bodies()}
    _, ego = bodies[EGO]
    np.testing.assert_allclose(np.column_stack([ego["x"], ego["y"]]), plan.states[:, :2])
    np.testing.assert_allclose(np.exp(1j * ego["heading"]), np.exp(1j * plan.states[:, 2]), atol=1e-6)
    np.testing.assert_allclose(np.column_stack([ego["vx"], ego["vy"]]), plan.states[:, 3:5], atol=1e-4)
    np.testing.assert_allclose(ego["t"], FRAME * np.arange(len(plan.states)))
    assert not ego["contact"].any()
    n = len(plan.states)
    for k in range(plan.traffic.cars):
        poses = plan.traffic.poses[k, :n]
        there = poses[:, 0] < FAR / 2
        if there.sum() < 2:
            assert k + 1 not in bodies
            continue
        kind, columns = bodies[k + 1]
        assert kind == "traffic"
        np.testing.assert_allclose(columns["x"], poses[there, 0])
        np.testing.assert_allclose(columns["t"], FRAME * np.flatnonzero(there))
    assert np.abs(back["x"]).max() < FAR / 2


def test_recording_of_an_execution_holds_what_was_really_driven(drives):
    plan = drives["sharp-cornered", 0]
    real = follow(plan, mismatch=0.05, seed=1)
    recording = record(plan, {}, real)
    ego = recording["id"] == EGO
    np.testing.assert_allclose(recording["x"][ego], real.states[:, 0])
    roles = [line["role"] for line in recording.meta["lines"]]
    assert roles.count("wall") == 2 and {"centre", "finish"} <= set(roles)


def test_wheels_are_parts_that_steer_and_roll(drives):
    plan = drives["sharp-cornered", 0]
    recording = record(plan, {"scene": "sharp-cornered"})
    wheels = recording.parts(EGO)
    n = len(plan.states)
    assert set(wheels["part"]) == set(WHEELS) and len(wheels) == 4 * n
    assert set(wheels["parent"]) == {EGO}
    for name in WHEELS:
        wheel = wheels.where(wheels["part"] == name)
        np.testing.assert_allclose(np.hypot(wheel["x"] - plan.states[:, 0], wheel["y"] - plan.states[:, 1]),
                                   np.hypot(1.0, 0.8))  # fmt: skip
        steered = wheel["steer"][:-1]
        np.testing.assert_allclose(steered, plan.controls[:, 0] if "front" in name else 0.0)
        axle = turned(
            np.column_stack([wheel[q] for q in ("qw", "qx", "qy", "qz")]), np.array([0.0, 1.0, 0.0])
        )
        heading = plan.states[:, 2] + wheel["steer"]
        np.testing.assert_allclose(axle, np.column_stack([-np.sin(heading), np.cos(heading), 0 * heading]),
                                   atol=1e-5)  # fmt: skip
    assert len(record(plan, {}, parts=False).parts()) == 0
    assert len(recording.whole()) == len(record(plan, {}, parts=False))
