"""Strips of pictures of one body: what is where in them, from every side."""

import numpy as np
import pytest

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.core.recorder import Recorder
from swerve.core.recording import Recording
from swerve.core.show import strip

TURN = np.pi / 3


def lean_on():
    """A rider that heads 60° to the left, leans to the right, and has a left and a right arm and a wheel."""
    recorder = Recorder()
    for k in range(5):
        x, y = k * np.cos(TURN), k * np.sin(TURN)
        size = {"length": 1.8, "width": 0.6, "height": 1.7}
        turn = {"yaw": TURN, "roll": 0.1 * k, "vx": 0.0, "vy": 0.0}
        recorder.add(0.1 * k, {"id": [7], "kind": "cyclist", "x": [x], "y": [y], "z": 0.85, **turn, **size})
        right = np.array([np.sin(TURN), -np.cos(TURN)])
        places = np.array([[x, y] - 0.4 * right, [x, y] + 0.4 * right, [x, y]])
        small = {"length": [0.1, 0.1, 0.7], "width": [0.1, 0.1, 0.04], "height": [0.5, 0.5, 0.7]}
        parts = {"parent": 7, "part": np.array(["left arm", "right arm", "front wheel"], dtype=object)}
        kinds = np.array(["segment", "segment", "wheel"], dtype=object)
        ids, z = [20, 21, 22], [1.2, 1.2, 0.35]
        row = {
            "id": ids,
            "kind": kinds,
            "x": places[:, 0],
            "y": places[:, 1],
            "z": z,
            **turn,
            **small,
            **parts,
        }
        recorder.add(0.1 * k, row)
    return recorder.recording({"scene": "leaning"})


def shapes(recording, side):
    return strip._frame(recording.whole(), recording.parts(7), 0, side)


def test_arms_are_on_their_sides_and_wheels_on_the_ground():
    recording = lean_on()
    behind = dict(shapes(recording, "behind"))
    left, right, wheel = behind[strip.ACCENT], behind[strip.SECOND], behind[strip.INK]
    assert left[:, 0].mean() == pytest.approx(-0.4) and right[:, 0].mean() == pytest.approx(0.4)
    assert np.ptp(wheel[:, 0]) == pytest.approx(0.04) and wheel[:, 1].min() == pytest.approx(0.0, abs=1e-6)
    side = dict(shapes(recording, "side"))
    assert np.ptp(side[strip.INK][:, 0]) == pytest.approx(0.7) and np.ptp(side[strip.ACCENT][:, 0]) < 0.11
    assert [colour for colour, _ in shapes(recording, "side")][-1] == strip.SECOND  # the right arm is nearest
    above = dict(shapes(recording, "above"))
    assert np.ptp(above[strip.INK][:, 1]) == pytest.approx(0.7) and above[strip.ACCENT][:, 0].max() < 0


def test_without_parts_the_body_itself_leans():
    whole = lean_on().whole()
    (_, first), (_, last) = (strip._frame(whole, whole.parts(), k, "behind")[0] for k in (0, 4))
    assert first[:, 0].max() == pytest.approx(-first[:, 0].min(), abs=1e-6)
    assert last[last[:, 1] > 1.2, 0].mean() > 0.15 and last[last[:, 1] < 0.5, 0].mean() < -0.15


@pytest.mark.parametrize(
    "kind, size, area", [("ball", 0.043, np.pi / 4), ("puck", 0.18, np.pi / 4), ("crate", 1, 0.92)]
)
def test_round_bodies_are_round_from_above(kind, size, area):
    t = np.array([0.0, 1.0])
    still = np.zeros((2, 2))
    recording = Recording.planar(t, 1, kind, np.zeros((2, 3)), still, (size, size, 0.83 * size))
    ((_, shadow),) = strip._frame(recording.whole(), recording.parts(), 0, "above")
    hull = strip._hull(shadow)
    after = np.roll(hull, -1, axis=0)
    seen = 0.5 * abs((hull[:, 0] * after[:, 1] - hull[:, 1] * after[:, 0]).sum())
    assert seen / size**2 == pytest.approx(area, rel=0.06)


def test_the_command_draws_from_all_sides_and_refuses_what_is_not_there(tmp_path, capsys):
    recording = lean_on()
    file = recording.write(tmp_path / "lean.parquet")
    for side in strip.SIDES:
        assert (
            run(["show", str(file), "--from", side, "--moments", "3", "--out", str(tmp_path / f"{side}.png")])
            == 0
        )
    pictures = {(tmp_path / f"{side}.png").read_bytes() for side in strip.SIDES}
    assert len(pictures) == 3
    capsys.readouterr()
    for wrong in (["--follow", "99"], ["--moments", "0"], ["--as", "mp4"]):
        assert run(["show", str(file), "--from", "side", *wrong]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
    with pytest.raises(BadInput, match="one of behind, side, above"):
        strip.write_strip(recording, tmp_path / "x.png", "below")
