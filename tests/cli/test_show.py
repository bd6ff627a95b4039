"""`swerve show` writes what it is asked for, where it is asked to, and refuses the rest in one line."""

import builtins
import inspect
import json

import numpy as np
import pytest
from PIL import Image

from swerve.cli.main import run
from swerve.core.recording import Recording


@pytest.fixture
def recording(tmp_path):
    t = np.arange(0, 1, 0.04)
    pose = np.column_stack([10 * t, 5 * t * t, t])
    velocity = np.column_stack([10 + 0 * t, 10 * t])
    meta = {"scene": "test", "lines": [{"points": [[0, -3], [12, -3]], "role": "wall"}]}
    car = Recording.planar(t, 1, "car", pose, velocity, (4.4, 1.8, 1.4), meta=meta, brake=True)
    return car.write(tmp_path / "in" / "run.parquet")


HEADS = {
    "html": lambda data: data.startswith(b"<!doctype html>"),
    "png": lambda data: data.startswith(b"\x89PNG"),
    "svg": lambda data: b"<svg" in data[:2000],
    "mp4": lambda data: data[4:8] == b"ftyp",
    "gif": lambda data: data.startswith(b"GIF89a"),
}


@pytest.mark.parametrize("kind", HEADS)
def test_each_kind_lands_beside_the_recording_and_its_path_is_printed(recording, capsys, kind):
    assert run(["show", str(recording), "--as", kind]) == 0
    path = recording.with_suffix(f".{kind}")
    assert capsys.readouterr().out.strip() == str(path)
    assert HEADS[kind](path.read_bytes())
    assert sorted(file.name for file in path.parent.iterdir()) == sorted(["run.parquet", path.name])


@pytest.mark.parametrize("kind", ["png", "svg", "gif"])
def test_a_picture_that_the_run_drew_itself_is_left_alone(recording, capsys, kind):
    own = recording.with_suffix(f".{kind}")
    own.write_bytes(b"the run's own")
    for _ in range(2):
        assert run(["show", str(recording), "--as", kind]) == 0
        path = capsys.readouterr().out.strip()
        assert path == str(recording.with_name(f"run-shown.{kind}"))
        assert HEADS[kind](recording.with_name(f"run-shown.{kind}").read_bytes())
    assert own.read_bytes() == b"the run's own"


def test_a_page_is_the_default(recording):
    assert run(["show", str(recording), "--quiet"]) == 0
    assert recording.with_suffix(".html").is_file()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--out", "new"], "new/run.html"),
        (["--out", "new", "--as", "png"], "new/run.png"),
        (["--out", "new/other.PNG"], "new/other.PNG"),
        (["--out", "new/other.svg", "--as", "svg"], "new/other.svg"),
    ],
)
def test_out_is_a_file_or_a_folder(recording, tmp_path, monkeypatch, capsys, options, expected):
    monkeypatch.chdir(tmp_path)
    assert run(["show", str(recording), "--json", *options]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["file"] == expected
    assert (tmp_path / expected).stat().st_size == result["bytes"]
    assert result["bodies"] == 1
    assert result["seconds"] == pytest.approx(np.ptp(Recording.read(recording).whole()["t"]))


def test_the_examples_name_the_file_that_a_scene_writes():
    from swerve.cli import export, scene, show

    written = inspect.signature(scene.scene).parameters["out"].default / "chase" / "recording.parquet"
    for module in (show, export):
        assert str(written) in inspect.getsource(module.register)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--as", "avi"], "--as: must be one of html, png, svg, mp4, gif, got 'avi'"),
        (["--out", "a.avi"], "must be a folder or end in one of"),
        (["--out", "a.png", "--as", "gif"], "does not end in .gif"),
        (["--follow", "9"], "follow: no such body, got 9"),
        (["--follow", "1", "--as", "png"], "--follow: is for pages, films and --from, not for png, got 1"),
        (["--moments", "3"], "--moments: needs --from, got 3"),
        (["--follow", "x"], "'--follow'"),
        (["--out", "run.parquet/below"], "cannot be written"),
    ],
)
def test_bad_options_exit_2_with_one_line_and_write_nothing(recording, monkeypatch, capsys, options, words):
    monkeypatch.chdir(recording.parent)
    assert run(["show", str(recording), *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert [file.name for file in recording.parent.iterdir()] == ["run.parquet"]


@pytest.mark.parametrize("kind", HEADS)
def test_bad_files_exit_2_with_one_line_and_write_nothing(tmp_path, capsys, kind):
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1 this is no recording PAR1")
    assert run(["show", str(bad), "--as", kind]) == 2
    assert run(["show", str(tmp_path / "none.parquet"), "--as", kind]) == 2
    lines = capsys.readouterr().err.strip().split("\n")
    assert len(lines) == 2
    assert "bad.parquet" in lines[0] and "none.parquet: no such file" in lines[1]
    assert list(tmp_path.iterdir()) == [bad]


def test_without_the_encoder_mp4_says_what_to_install(recording, monkeypatch, capsys):
    usual = builtins.__import__

    def lacking(name, *rest, **named):
        if name == "imageio_ffmpeg":
            raise ImportError(name)
        return usual(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", lacking)
    assert run(["show", str(recording), "--as", "mp4"]) == 2
    assert "pip install 'swerve[video]'" in capsys.readouterr().err
    assert not recording.with_suffix(".mp4").exists()


def test_a_film_lasts_as_long_as_the_recording_and_moves(recording):
    assert run(["show", str(recording), "--as", "gif", "--quiet"]) == 0
    film = Image.open(recording.with_suffix(".gif"))
    assert film.n_frames == 13  # 0.96 s at 12.5 frames a second
    first = np.asarray(film.convert("RGB")).astype(int)
    film.seek(film.n_frames - 1)
    last = np.asarray(film.convert("RGB")).astype(int)
    red = [np.argwhere(np.abs(image - [0xD1, 0x49, 0x5B]).max(-1) < 40).mean(0) for image in (first, last)]
    assert red[1][1] - red[0][1] > 100  # pixels to the right
    assert red[1][0] - red[0][0] < -20  # and up


def test_a_followed_film_keeps_the_body_in_the_middle(recording):
    assert run(["show", str(recording), "--as", "gif", "--follow", "1", "--quiet"]) == 0
    film = Image.open(recording.with_suffix(".gif"))
    film.seek(film.n_frames - 1)
    image = np.asarray(film.convert("RGB")).astype(int)
    red = np.argwhere(np.abs(image - [0xD1, 0x49, 0x5B]).max(-1) < 40)
    middle = np.median(red, axis=0)
    assert abs(middle[1] - image.shape[1] / 2) < 0.05 * image.shape[1]
    assert abs(middle[0] - image.shape[0] / 2) < 0.08 * image.shape[0]


@pytest.mark.parametrize("kind", ["png", "svg", "html", "gif", "mp4"])
def test_the_same_recording_gives_the_same_bytes(recording, tmp_path, kind):
    for name in ("a", "b"):
        assert run(["show", str(recording), "--out", str(tmp_path / f"{name}.{kind}"), "--quiet"]) == 0
    assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
