"""`swerve see`, from a recording and from pictures of one's own."""

import json
import socket
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageOps
from plain_stand import CAMERA, PITCH, small_stand

from swerve.cli.main import run
from swerve.cli.see_own import read_rig
from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.core.seeding import generator
from swerve.soccer import MatchWorld, Referee, load_field
from swerve.soccer.eyes import PITCHES, Disturbance, Scene, field_of, measure, scenes_of, stand, take
from swerve.soccer.eyes.camera import Camera
from swerve.soccer.eyes.detect import Detection
from swerve.soccer.eyes.labels import known_pixels
from swerve.soccer.eyes.own import load_camera, on_carpet, save_camera
from swerve.soccer.eyes.scene import COLOURS
from swerve.soccer.eyes.stand import PLAIN_LIGHT, nobody
from swerve.soccer.league import read_detection
from swerve.soccer.match.log import Log
from swerve.soccer.match.record import record


def recorded(frames=4, **meta):
    """A ball that rolls and robots that drive, as swerve match writes them."""
    names, t = ("ball", "blue-3", "yellow-12"), np.arange(frames) / 60
    parts = []
    for k, (name, x, y, turn) in enumerate(
        zip(names, (0.1, -0.5, 0.6), (0.4, 0, -0.3), (0, 3.1, -1), strict=True)
    ):
        pose = np.column_stack([x + t, np.full(frames, y), turn + 2 * t])
        velocity = np.tile([1.0, 0.0], (frames, 1))
        size = (0.043,) * 3 if name == "ball" else (0.18, 0.18, 0.15)
        kind = "orange ball" if name == "ball" else f"{name.split('-')[0]} robot (disc)"
        parts.append(Recording.planar(t, k, kind, pose, velocity, size, z=size[2] / 2))
    return Recording.join(parts, {"names": list(names), "field": "seed", **meta})


@pytest.fixture
def small(monkeypatch):
    """The command looks through the small camera."""
    monkeypatch.setattr(measure, "build_stand", lambda *_: small_stand())
    monkeypatch.setattr(stand, "build_stand", lambda *_: small_stand())


def test_scenes_are_what_was_recorded():
    scenes = list(scenes_of(recorded(), step=2))
    assert [t for t, _ in scenes] == pytest.approx([0, 2 / 60])
    scene = scenes[1][1]
    assert scene.team.tolist() == [0, 1] and scene.number.tolist() == [3, 12]
    assert scene.pose[0] == pytest.approx([-0.5 + 1 / 30, 0, 3.1 + 2 / 30 - 2 * np.pi], abs=1e-6)
    assert scene.velocity[0] == pytest.approx([1, 0, 2], abs=1e-4)
    assert scene.ball == pytest.approx([0.1 + 1 / 30, 0.4, 0.0215], abs=1e-6)
    assert field_of(recorded()) == "seed" and field_of(recorded(field="?")) == "seed"


@pytest.mark.parametrize(
    "meta, told",
    [
        ({"names": None}, "must say which body"),
        ({"names": ["ball", "car", "bus"]}, "name no robot"),
        ({"names": ["ball", "blue-3", "blue-3"]}, "name a robot twice"),
        ({"names": ["ball", "blue-3", "blue-16"]}, "must have a number below 16"),
    ],
)
def test_recordings_of_other_things_are_refused(meta, told):
    with pytest.raises(BadInput, match=told):
        list(scenes_of(recorded(**meta)))


def test_who_is_turned_round_by_hand_does_not_spin():
    """At half time teams change ends: from one frame to the next robots are elsewhere, headings half a turn
    on."""
    world = MatchWorld(load_field("seed"))
    world.robots[0, :, 2] = np.linspace(-3.0, 3.0, 10)
    log, judge = Log(world.field, keep=1), Referee(world.field, 0.2)
    orders = np.zeros((10, 6))
    orders[:, 2] = 1.0
    for _ in range(12):
        happened = world.step(orders)
        judge.judge(world, happened)
        log.note(world, happened, judge, (None, None))
    assert judge.turned
    spins = np.array([scene.velocity[:, 2] for _, scene in scenes_of(record(log, judge, {}))])
    assert np.abs(spins[3:] - 1.0).max() < 0.01  # they need a moment to turn so fast


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e9])
def test_places_that_are_none_are_refused(value):
    spoilt = recorded()
    spoilt.columns["x"][3] = value
    with pytest.raises(BadInput, match="column x: must be finite and below"):
        list(scenes_of(spoilt))


def test_a_recording_without_rows_is_refused():
    empty = recorded().where(np.zeros(12, dtype=bool))
    empty.meta["field"] = "elsewhere"
    with pytest.raises(BadInput, match="has no rows"):
        field_of(empty)


def test_see_a_recording(small, tmp_path, capsys):
    path = recorded().write(tmp_path / "match.parquet")
    pytest.importorskip("google.protobuf")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as team:
        team.bind(("127.0.0.1", 0))
        team.settimeout(1.0)
        words = ["--send", str(team.getsockname()[1]), "--out", str(tmp_path / "out")]
        assert run(["see", str(path), *words, "--json", "--quiet"]) == 0
        t, sent = read_detection(team.recv(65536))
        assert t == 0 and set(sent.robots) == {(0, 3), (1, 12)} and sent.ball is not None
    result = json.loads(capsys.readouterr().out)
    assert result["robots"] == 8 and result["balls"] == 4 and result["frames"] == 4
    assert result["missed"] == 0 and result["wrong_identity"] == 0
    assert result["position_error_mm"]["p99"] < 12 and result["angle_error_deg"]["p99"] < 1.5
    assert result["tracked_position_error_mm"]["p99"] < 12 and result["tracked_missed"] == 0
    assert result["ms_per_frame"] > 0
    for file in result["files"]:
        assert Image.open(file).size[0] > 900


def test_what_is_no_recording_is_one_line(tmp_path, capsys):
    (tmp_path / "x.parquet").write_bytes(b"nothing")
    for words in (
        [str(tmp_path / "x.parquet")],
        [str(tmp_path / "none.parquet")],
        ["synthetic", "--drift", "9"],
    ):
        assert run(["see", *words, "--out", str(tmp_path / "out")]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_ones_own_pictures_table_and_camera(tmp_path, capsys, monkeypatch):
    view = small_stand().views[0]
    random = generator(1, "own")
    x, y = np.meshgrid([-0.8, 0.0, 0.8], [-0.5, 0.5])
    pose = np.column_stack([x.ravel(), y.ravel(), np.linspace(0, 5, 6)])
    numbers, teams = np.array([0, 9, 8, 3, 5, 12]), np.array([0, 0, 0, 1, 1, 1])
    scene = Scene(pose, np.zeros((6, 3)), teams, numbers, np.array([0.4, 0.0, 0.0215]))
    for name, shown in (("empty", nobody()), ("robots", scene)):
        Image.fromarray(take(view, shown, PLAIN_LIGHT, random)[0]).save(tmp_path / f"{name}.png")
    pixels = known_pixels(CAMERA, scene, PITCH)
    rows = [f"{u},{v},{COLOURS[colour]}" for u, v, colour in pixels]
    (tmp_path / "labels.csv").write_text("\n".join(["u,v,colour", *rows]) + "\n")
    words = ["see", "table", *(str(tmp_path / name) for name in ("empty.png", "robots.png", "labels.csv"))]
    assert run([*words, "--out", str(tmp_path / "out"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["labels_right"] > 0.97 and result["pixels"] == len(pixels)
    points = PITCH.corners()[CAMERA.sees(PITCH.corners(), 5)]
    table = np.column_stack([points, CAMERA.project(points).round()])
    np.savetxt(tmp_path / "points.csv", table, delimiter=",", header="x,y,u,v", comments="")
    monkeypatch.setitem(PITCHES, "seed", PITCH)
    words_of_camera = [str(tmp_path / "empty.png"), str(tmp_path / "points.csv"), "--field", "seed"]
    out = ["--out", str(tmp_path / "out"), "--json"]
    assert run(["see", "camera", *words_of_camera, "--height", "2.6", *out]) == 0
    assert json.loads(capsys.readouterr().out)["lines_error"] < 0.1
    own = [str(tmp_path / name) for name in ("robots.png", "out/camera.json", "out/colours.npz")]
    assert run(["see", "picture", *own, *out]) == 0
    seen = json.loads(capsys.readouterr().out)
    assert set(seen["robots"]) == {"blue-0", "blue-9", "blue-8", "yellow-3", "yellow-5", "yellow-12"}
    assert seen["robots"]["blue-9"]["x"] == pytest.approx(0.0, abs=0.005)
    assert seen["balls"][0]["x"] == pytest.approx(0.4, abs=0.005)
    assert run(["see", "picture", *own, *out, "--robot-height", "0.13"]) == 0
    lower = json.loads(capsys.readouterr().out)["robots"]["blue-0"]  # then it must stand farther out
    assert lower["x"] - seen["robots"]["blue-0"]["x"] == pytest.approx(-0.85 * 0.02 / 2.45, abs=0.001)
    with Image.open(own[0]) as shown:
        ImageOps.mirror(shown).save(tmp_path / "mirrored.png")
    assert run(["see", "picture", str(tmp_path / "mirrored.png"), *own[1:], *out]) == 2
    assert "is mirrored" in capsys.readouterr().err
    with Image.open(tmp_path / "empty.png") as shown:  # the same with pixels that are not square
        wide = shown.resize((shown.width, round(1.02 * shown.height))).crop((0, 0, *shown.size))
        wide.save(tmp_path / "empty.png")
    table[:, 3] *= 1.02
    np.savetxt(tmp_path / "points.csv", table, delimiter=",", header="x,y,u,v", comments="")
    assert run(["see", "camera", *words_of_camera, "--height", "2.6", *out]) == 0
    assert "do not fit the lines" in json.loads(capsys.readouterr().out)["doubtful"]
    (tmp_path / "points.csv").write_text("x,y,u,v\n0,0,100,100\n1,0,200,100\n")
    assert run(["see", "camera", *words_of_camera, "--height", "2.6", *out]) == 2
    assert "points.csv: must be at least" in capsys.readouterr().err
    (tmp_path / "labels.csv").write_text("u,v,colour\n1,1,blue\n")
    assert run([*words, "--out", str(tmp_path / "other")]) == 2
    assert "fewer than 20" in capsys.readouterr().err


def test_places_beyond_the_carpet_are_no_robots():
    robots = np.zeros((3, 9))
    robots[:, 2:4] = [(1.0, 0.5), (-4.39, 0.0), (0.0, 3.0)]
    seen = on_carpet(Detection(robots, np.array([[0.0, 0.0, 0.9, 1, 1], [5.0, 0.0, 0.8, 1, 1]])), PITCH)
    assert len(seen.robots) == 1 and seen.balls[:, 0].tolist() == [0.0]


def test_cameras_of_ones_own_from_files_and_from_packets_are_hung(tmp_path, monkeypatch):
    pytest.importorskip("google.protobuf")
    from swerve.soccer.league.packets import geometry

    flat = replace(CAMERA, lens=np.array([*CAMERA.lens[:4], 0.0]))
    other = flat.turned_round
    save_camera(flat, tmp_path / "one.json")
    (tmp_path / "rig.bin").write_bytes(geometry(PITCH, [flat, other]))
    rows = read_rig([tmp_path / "one.json", tmp_path / "rig.bin"])
    for row, true in zip(rows, (flat, flat, other), strict=True):
        assert Camera.from_row(row).project(PITCH.corners()) == pytest.approx(
            true.project(PITCH.corners()), abs=0.01
        )
    hung = []
    monkeypatch.setattr(stand, "stand_of", lambda pitch, cameras, *_: hung.append(cameras))
    stand.build_stand("seed", Disturbance(), 901, rows)
    stand.build_stand.cache_clear()
    assert [camera.row for camera in hung[0]] == [pytest.approx(row) for row in rows]
    (tmp_path / "other.bin").write_bytes(b"nothing at all")
    for path, why in (
        (tmp_path / "other.bin", "hold no camera|neither"),
        (tmp_path / "none.json", "no such"),
    ):
        with pytest.raises(BadInput, match=why):
            read_rig([path])


def test_a_camera_seen_from_the_other_end_shows_the_same_there():
    points = np.column_stack([PITCH.corners(), np.linspace(0, 0.15, len(PITCH.corners()))])
    assert np.allclose(CAMERA.turned_round.project(points * [-1, -1, 1]), CAMERA.project(points), atol=1e-9)


@pytest.mark.parametrize(
    "text, told",
    [
        ("[]", "must be an object"),
        ("{", "is no JSON"),
        ('{"lens": [1, 2], "turn": [0, 0, 0], "place": [0, 0, 3]}', "lens: must be 5 finite numbers"),
        ('{"lens": [1, 2, 3, 0, 0], "turn": [0, 0, 0], "place": [0, 0, 3], "width": "x"}', "width: must be"),
    ],
)
def test_a_file_that_is_no_camera_is_refused(tmp_path, text, told):
    (tmp_path / "camera.json").write_text(text)
    with pytest.raises(BadInput, match=told):
        load_camera(tmp_path / "camera.json")
