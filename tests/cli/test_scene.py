"""`swerve scene`: lists, runs, writes, and keeps what there is when interrupted."""

import json
import os
import signal
import sys
import types

import pytest

import swerve.scenes
from swerve.cli.main import run
from swerve.core.recording import Recording
from swerve.scenes.plain import rolling

FILE = """
name: Three crates
seconds: 3
bodies: [{kind: crate, count: 3, size: [1, 1, 1], place: [0, 0], speed: 2}]
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "crates.yaml"
    path.write_text(FILE)
    return path


def test_a_file_becomes_a_recording_a_page_and_a_picture(file, capsys):
    assert run(["scene", str(file), "--json", "--seed", "5"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {"contacts", "min_gap", "finished", "bodies", "mean_speed", "seconds", "realtime_factor"} <= set(
        said
    )
    assert said["bodies"] == {"crate": 3} and said["mean_speed"]["crate"] == pytest.approx(2.0)
    assert said["min_gap"] == pytest.approx(9.0) and said["seed"] == 5 and said["finished"] is True
    recording = Recording.read(said["recording"])
    assert len(recording) == 3 * 31 and recording.meta["scene"] == "Three crates"
    for key in ("page", "picture"):
        assert (file.parent / said[key]).stat().st_size > 1000
    assert json.loads((file.parent / "out/scene/crates/figures.json").read_text())["contacts"] == 0


def test_a_person_gets_a_table(file, capsys):
    assert run(["scene", str(file), "--seconds", "1", "--out", "here"]) == 0
    out, _ = capsys.readouterr()
    assert "mean speed of crate" in out and "here/crates/recording.parquet" in out


def test_alone_it_lists_scenes(capsys, monkeypatch):
    monkeypatch.setattr(swerve.scenes, "SCENES", {"chase": "a car in a hurry"})
    assert run(["scene"]) == 0
    assert "chase" in capsys.readouterr().out
    assert run(["scene", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"scenes": {"chase": "a car in a hurry"}}


@pytest.mark.parametrize("reached, status", [(True, 0), (False, 1)])
def test_a_scene_of_its_own_ends_early_and_says_whether_it_did(reached, status, file, capsys, monkeypatch):
    module = types.ModuleType("swerve.scenes.trial")

    def build(seed):
        world = swerve.World()
        world.add(rolling("crate", (1, 1, 1)).start(1))
        return world

    module.build, module.SECONDS = build, 2.0
    module.figures = lambda world: {"mine": 42}
    module.finished = lambda world: reached and world.time >= 1.0
    monkeypatch.setitem(sys.modules, "swerve.scenes.trial", module)
    monkeypatch.setitem(swerve.scenes.SCENES, "trial", "a trial")
    assert run(["scene", "trial", "--json"]) == status
    said = json.loads(capsys.readouterr().out)
    assert said["mine"] == 42 and said["finished"] is reached
    assert said["seconds"] == pytest.approx(1.0 if reached else 2.0)


def test_ctrl_c_keeps_the_frames_so_far(file, capsys, monkeypatch):
    usual = swerve.World.step

    def step(world):
        usual(world)
        if world.frames == 7:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(swerve.World, "step", step)
    assert run(["scene", str(file), "--json"]) == 130
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert said["seconds"] == pytest.approx(0.7) and said["finished"] is False
    assert err.endswith("swerve: interrupted\n")
    assert len(Recording.read(said["recording"]).times) == 8
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    "words, told",
    [
        (["none.yaml"], "no such file"),
        (["nobody"], "scene: must be"),
        (["crates.yaml", "--seconds", "0"], "--seconds: must be above 0"),
        (["crates.yaml", "--seconds", "0.01"], "seconds: must be at least one frame of 0.1 s"),
        (["crates.yaml", "--out", "crates.yaml/x"], "cannot be written"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(words, told, file, capsys):
    assert run(["scene", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and told in err
    assert [path.name for path in file.parent.iterdir()] == ["crates.yaml"]
