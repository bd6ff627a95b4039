"""The command that examines a rider."""

import json
import os

import numpy as np
import yaml

from swerve.cli.main import run
from swerve.core.recording import Recording
from swerve.riders.bodies.rider import DATA


def test_body_command_shows_what_a_rider_can_do(capsys, tmp_path):
    assert run(["ride", "body", "--seconds", "3", "--json", "--out", str(tmp_path)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["segments"], result["controlled_freedoms"]) == (12, 17)
    assert result["seconds_straight_on"] == 3 and not result["fell_in_turns"]
    assert result["counter_steer_left_degrees"] > 2 and result["counter_steer_right_degrees"] > 2
    assert 0 < result["impossible_turn_fell_after"] < 3
    assert all(os.path.getsize(file) > 1000 for file in result["files"])
    recording = Recording.read(result["recording"])
    rider = recording.whole()
    assert set(rider["kind"]) == {"cyclist"} and rider["roll_angle"].min() < -0.3  # it leans to the left
    np.testing.assert_allclose(np.hypot(rider["vx"], rider["vy"]), 12.0, rtol=0.1)
    assert rider["steer"][:20].min() < -0.03 and rider["steer"].max() > 0.03  # first the other way
    limbs = recording.parts(0)
    torso = limbs.where(limbs["part"] == "torso")
    assert len(torso) == len(rider) and len(set(limbs["part"])) == 17
    gap = np.hypot(rider["x"] - torso["x"], rider["y"] - torso["y"])
    assert gap.max() < 1.0  # it stays on
    seen = tmp_path / "seen.png"
    assert run(["show", result["recording"], "--from", "behind", "--out", str(seen)]) == 0
    assert seen.stat().st_size > 70_000  # limbs, not a box


def test_bad_riders_end_in_one_line(capsys, tmp_path):
    rider = yaml.safe_load((DATA / "human.yaml").read_text())
    rider["bicycle"]["fork_mass"] = -1.6
    file = tmp_path / "odd.yaml"
    file.write_text(yaml.safe_dump(rider))
    for name, named in (
        (str(file), "-1.6"),
        ("horse", "horse"),
        (str(tmp_path / "none.yaml"), "no such file"),
    ):
        assert run(["ride", "body", "--rider", name]) == 2
        error = capsys.readouterr().err
        assert named in error and len(error.strip().splitlines()) == 1
