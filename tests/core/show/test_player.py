"""The player holds the numbers of the recording, cannot be broken out of, and runs in a browser."""

import base64
import html
import json
import re
import shutil
import subprocess
import zlib

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.recording import REQUIRED, Recording
from swerve.core.show.captions import caption, captions_of
from swerve.core.show.frames import BRAKE, JUMPED, LEFT, PRESENT, sideslip
from swerve.core.show.player import write_player
from swerve.core.show.tape import tape_of
from swerve.core.show.view import STATES, look


def bend(rate: float = 25.0, seconds: float = 4.0, meta: dict | None = None) -> Recording:
    """Car 5 slides round a bend of 20 m at 10 m/s with its nose 20° inside; a cyclist and a ball stand by."""
    t = np.arange(round(seconds * rate) + 1) / rate
    angle = 0.5 * t
    place = 20 * np.column_stack([np.cos(angle), np.sin(angle)])
    velocity = 10 * np.column_stack([-np.sin(angle), np.cos(angle)])
    nose = angle + np.pi / 2 + np.radians(20)
    still = np.zeros((len(t), 2))
    car = Recording.planar(
        t, 5, "car", np.column_stack([place, nose]), velocity, (4.4, 1.8, 1.4), brake=t > 2, indicator=1
    )
    others = [
        Recording.planar(t, body, kind, np.tile(pose, (len(t), 1)), still, size)
        for body, kind, pose, size in (
            (8, "cyclist", (5.0, 5.0, 1.0), (1.8, 0.6, 1.7)),
            (9, "ball", (-3.0, 2.0, 0.0), (0.2, 0.2, 0.2)),
        )
    ]
    ring = np.linspace(0, np.pi, 30)
    walls = [(r * np.column_stack([np.cos(ring), np.sin(ring)])).tolist() for r in (15, 25)]
    scene = {
        "scene": "bend",
        "ego": 5,
        "areas": [{"points": walls[0] + walls[1][::-1], "role": "road"}],
        "lines": [{"points": wall, "role": "wall"} for wall in walls],
    }
    return Recording.join([car, *others], {**scene, **(meta or {})})


def opened(path):
    """What a browser finds in the page: the scene, and the frames by name."""
    text = path.read_text(encoding="utf-8")
    block = {
        name: re.search(rf'<script id="{name}"[^>]*>(.*?)</script>', text, re.S)[1]
        for name in ("scene", "frames")
    }
    scene = json.loads(block["scene"])
    whole = np.frombuffer(zlib.decompress(base64.b64decode(block["frames"])), "<i4").reshape(
        -1, scene["frames"]
    )
    whole = whole.cumsum(1, dtype=np.int32).cumsum(1, dtype=np.int32)
    metre, radian, pace, second = scene["step"]
    names, lamps = ("x", "y", "heading", "vx", "vy", "flags"), len(scene["lamps"])
    parts = dict(zip(names, whole[1 : len(whole) - lamps].reshape(6, -1, scene["frames"]), strict=True))
    return scene, {
        "t": scene["start"] + whole[0] * second,
        "x": scene["origin"][0] + parts["x"] * metre,
        "y": scene["origin"][1] + parts["y"] * metre,
        "heading": parts["heading"] * radian,
        "vx": parts["vx"] * pace,
        "vy": parts["vy"] * pace,
        "flags": parts["flags"],
        "lamps": whole[len(whole) - lamps :],
    }


def test_the_page_holds_the_numbers_of_the_recording(tmp_path):
    recording = bend()
    scene, frames = opened(write_player(recording, tmp_path / "a.html"))
    assert [body[:2] for body in scene["bodies"]] == [[5, "car"], [8, "cyclist"], [9, "ball"]]
    assert scene["bodies"][scene["ego"]][0] == 5
    np.testing.assert_allclose(frames["t"], recording.times, atol=1e-4)
    for i, (_, _, columns) in enumerate(recording.bodies()):
        np.testing.assert_allclose(frames["x"][i], columns["x"], atol=1e-4)
        np.testing.assert_allclose(frames["y"][i], columns["y"], atol=1e-4)
        np.testing.assert_allclose(frames["vx"][i], columns["vx"], atol=1e-2)
        np.testing.assert_allclose(frames["vy"][i], columns["vy"], atol=1e-2)
        np.testing.assert_allclose(
            np.exp(1j * frames["heading"][i]), np.exp(1j * columns["heading"]), atol=2e-4
        )
        np.testing.assert_array_equal(frames["flags"][i] & BRAKE > 0, columns["brake"])
        np.testing.assert_array_equal(frames["flags"][i] & LEFT > 0, columns["indicator"] > 0)


def test_lights_hang_where_they_are_and_show_what_they_showed(tmp_path):
    recording = bend()
    t = recording.times
    lamp = Recording.planar(
        t, 90, "light", np.tile([7.0, -4.0, 0.0], (len(t), 1)), np.zeros((len(t), 2)), (0.2, 0.3, 0.9)
    )
    columns = {name: np.concatenate([recording[name], lamp[name]]) for name in REQUIRED}
    words = np.where(t < 1.5, "red", "green").astype(object)
    columns["state"] = np.concatenate([np.full(len(recording), "", object), words])
    scene, frames = opened(write_player(Recording(columns, recording.meta), tmp_path / "a.html"))
    assert 90 not in [body[0] for body in scene["bodies"]]
    np.testing.assert_allclose(np.add(scene["lamps"], scene["origin"]), [[7.0, -4.0]], atol=0.01)
    np.testing.assert_array_equal(np.array(STATES)[frames["lamps"][0]], words)


def test_far_from_the_origin_and_large_scenes_keep_their_numbers(tmp_path):
    recording = bend()
    columns = {**recording.columns, "x": recording["x"] * 3000 + 5.4e6, "y": recording["y"] + 4e5}
    _, frames = opened(write_player(Recording(columns), tmp_path / "a.html"))
    for i, (_, _, own) in enumerate(Recording(columns).bodies()):
        np.testing.assert_allclose(frames["x"][i], own["x"], atol=1e-3)
        np.testing.assert_allclose(frames["y"][i], own["y"], atol=1e-3)


@pytest.mark.parametrize(("rate", "expected"), [(10, 10), (25, 25), (100, 25), (60, 25)])
def test_no_more_than_25_frames_a_second(tmp_path, rate, expected):
    recording = bend(rate)
    scene, frames = opened(write_player(recording, tmp_path / "a.html"))
    assert scene["frames"] == 4 * expected + 1
    nearest = np.abs(frames["t"][:, None] - recording.times).argmin(1)
    car = recording["id"] == 5
    np.testing.assert_allclose(frames["x"][0], recording["x"][car][nearest], atol=1e-4)


def test_a_body_is_absent_outside_its_time_and_in_long_gaps():
    whole = bend()
    car = whole["id"] == 5
    rows = ~car | ((whole["t"] > 0.5) & ((whole["t"] < 1.2) | (whole["t"] > 2.3)))
    view = look(Recording({name: column[rows] for name, column in whole.columns.items()}))
    here = (view.times > 0.5) & ((view.times < 1.2) | (view.times > 2.3))
    np.testing.assert_array_equal(view.present[0], here)
    assert view.present[1:].all()


def test_bodies_on_clocks_of_their_own_are_interpolated():
    t = np.arange(0, 2, 0.1)
    runs = [
        Recording.planar(
            t + shift,
            body,
            "car",
            np.column_stack([3 * (t + shift), 0 * t, 0 * t]),
            np.tile([3.0, 0], (20, 1)),
            (4, 2, 1),
        )
        for body, shift in ((1, 0.0), (2, 0.05))
    ]
    view = look(Recording.join(runs))
    for i in range(2):
        np.testing.assert_allclose(view.x[i][view.present[i]], 3 * view.times[view.present[i]], atol=1e-9)


def test_a_body_that_leaves_and_comes_in_nearby_is_not_drawn_on_its_way_between():
    """It is gone for 0.3 s and comes back 10 m off, farther than it can have driven."""
    t = np.array([0.0, 0.1, 0.2, 0.3, 0.6, 0.7, 0.8])
    x = np.array([0.0, 0.9, 1.8, 2.7, 12.7, 12.6, 12.5])
    v = np.array([9.0, 9.0, 9.0, 9.0, -1.0, -1.0, -1.0])
    poses, velocities = np.column_stack([x, 0 * t, 0 * t]), np.column_stack([v, 0 * t])
    left = Recording.planar(t, 1, "car", poses, velocities, (4, 2, 1))
    clock = np.arange(0.0, 0.85, 0.1)
    other = np.tile([50.0, 0.0, 0.0], (len(clock), 1))
    stands = Recording.planar(clock, 2, "car", other, np.zeros((len(clock), 2)), (4, 2, 1))
    view = look(Recording.join([left, stands]))
    np.testing.assert_array_equal(view.present[0], (view.times < 0.35) | (view.times > 0.55))
    assert view.times[np.flatnonzero(view.flags[0] & JUMPED)].round(6).tolist() == [0.6]


def test_a_jump_is_not_joined_to_where_the_body_was():
    recording = bend()
    columns = dict(recording.columns)
    columns["x"] = columns["x"] + np.where((columns["id"] == 9) & (columns["t"] > 2), 40.0, 0.0)
    view = look(Recording(columns))
    assert np.flatnonzero(view.flags[2] & JUMPED).tolist() == [51]
    assert not view.joined()[2, 50]
    assert view.at(2.02)["x"][2] == -3.0


def test_sideslip_is_zero_when_rolling_either_way():
    heading = np.array([0.3, 0.3, 0.3, 0.3])
    way = heading + np.array([0, np.pi, np.radians(20), np.pi - np.radians(20)])
    slip = sideslip(heading, 5 * np.cos(way), 5 * np.sin(way))
    np.testing.assert_allclose(np.degrees(slip), [0, 0, 20, -20], atol=1e-9)
    assert sideslip(np.array([1.0]), np.array([0.1]), np.array([0.0])) == 0


HOSTILE = "</script><script>alert(1)</script><!-- __FRAMES__ & \"'"


def test_nothing_can_break_out_of_the_page(tmp_path):
    recording = bend(meta={"lines": [{"points": [[0, 0], [1, 1]], "role": HOSTILE}]})
    kinds = np.where(recording["id"] == 9, HOSTILE, recording["kind"])
    path = write_player(
        Recording({**recording.columns, "kind": kinds}, recording.meta), tmp_path / "a.html", HOSTILE
    )
    text = path.read_text()
    assert text.count("<script") == 3
    assert "<!--" not in text
    scene, _ = opened(path)
    assert scene["bodies"][2][1] == HOSTILE
    assert scene["title"] == HOSTILE
    assert scene["lines"][0][0] == HOSTILE
    assert not re.search(r"""(src|href)=["'](?!data:,)""", text)
    assert "http://" not in text and "https://" not in text


@pytest.mark.parametrize(
    ("meta", "words"),
    [
        ({"ego": 77}, "ego: no such body, got 77"),
        ({"lines": {"a": 1}}, "lines: must be a list"),
        ({"lines": [{"points": [[0, 0]]}]}, r"lines\[0\].points: must be at least 2 pairs"),
        ({"areas": [{"points": [[0, 0], [1, "a"], [2, 2]]}]}, r"areas\[0\].points: must be at least 3 pairs"),
        ({"lines": [{"points": [[0, 0], [None, 1]]}]}, r"lines\[0\].points: must be finite"),
        ({"lines": [[0, 1]]}, r"lines\[0\]: must have points"),
    ],
)
def test_scenes_that_cannot_be_drawn_are_refused_and_nothing_is_written(tmp_path, meta, words):
    with pytest.raises(BadInput, match=words):
        write_player(bend(meta=meta), tmp_path / "a.html")
    assert not list(tmp_path.iterdir())


def test_an_empty_recording_and_an_unknown_body_are_refused(tmp_path):
    with pytest.raises(BadInput, match="no rows"):
        write_player(
            Recording({name: column[:0] for name, column in bend().columns.items()}), tmp_path / "a.html"
        )
    with pytest.raises(BadInput, match="follow: no such body, got 6"):
        write_player(bend(), tmp_path / "a.html", follow=6)


def test_one_frame_of_one_body_is_enough(tmp_path):
    recording = Recording.planar(np.zeros(1), 1, "car", np.zeros((1, 3)), np.zeros((1, 2)), (4, 2, 1))
    scene, frames = opened(write_player(recording, tmp_path / "a.html"))
    assert scene["frames"] == 1
    assert frames["flags"].tolist() == [[PRESENT]]


def herd(seconds: float = 20.0, apart: float = 3.0, meta: dict | None = None) -> Recording:
    """Four riders side by side, ten metres a second to the east."""
    t = np.arange(round(seconds * 10) + 1) / 10
    riders = [
        Recording.planar(
            t,
            i,
            "cyclist",
            np.column_stack([10 * t, np.full(len(t), apart * i), 0 * t]),
            np.tile([10.0, 0.0], (len(t), 1)),
            (1.8, 0.6, 1.7),
        )
        for i in range(4)
    ]
    return Recording.join(riders, meta or {})


def test_a_group_that_travels_over_open_ground_is_followed(tmp_path):
    scene, _ = opened(write_player(herd(), tmp_path / "a.html"))
    assert scene["camera"] == "follow"
    assert scene["group"] == pytest.approx(9 + 2 * 1.8)


@pytest.mark.parametrize(
    "still",
    [
        herd(seconds=1.0),
        herd(apart=60.0),
        herd(meta={"ego": 2}),
        herd(meta={"areas": [{"points": [[0, -9], [200, -9], [200, 30]], "role": "road"}]}),
    ],
    ids=["hardly moves", "spread out", "has an ego", "in a place"],
)
def test_other_scenes_are_shown_whole(tmp_path, still):
    scene, _ = opened(write_player(still, tmp_path / "a.html"))
    assert scene["camera"] == "whole" and scene["group"] is None


def test_bodies_without_a_colour_in_their_name_take_one_that_no_name_has():
    view = look(herd())
    kinds = np.array(["yellow ball", "ball 1", "ball 2", "bar"], dtype=object)[herd()["id"]]
    bodies = look(Recording({**herd().columns, "kind": kinds})).bodies
    assert len({body.colour for body in bodies}) == 4
    assert [body.shape for body in bodies] == ["disc", "disc", "disc", "block"]
    assert len({body.colour for body in view.bodies}) == 1


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--enable-logging=stderr"),
    *("--virtual-time-budget=2000", "--window-size=800,600"),
]


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")
@pytest.mark.parametrize("place", ["#t=3", "#t=3&follow"])
def test_the_page_runs_in_a_browser_and_draws(tmp_path, place):
    from PIL import Image

    page, shot = write_player(bend(), tmp_path / "a.html"), tmp_path / "shot.png"
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={shot}"]
    result = subprocess.run(
        [*command, page.as_uri() + place], capture_output=True, text=True, timeout=120, check=True
    )
    assert "CONSOLE" not in result.stderr
    pixels = np.asarray(Image.open(shot).convert("RGB")).astype(int)[100:520]  # between the words and the bar
    red, road = np.array([0xD1, 0x49, 0x5B]), np.array([0xE3, 0xE1, 0xDA])
    assert (np.abs(pixels - road).max(-1) < 3).mean() > 0.03
    assert (np.abs(pixels - red).max(-1) < 6).sum() > 20


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")
def test_the_page_is_dark_where_the_reader_wants_it_dark(tmp_path):
    from PIL import Image

    page, shot = write_player(bend(), tmp_path / "a.html"), tmp_path / "shot.png"
    command = [CHROMIUM, *FLAGS, "--blink-settings=preferredColorScheme=0"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={shot}"]
    subprocess.run([*command, page.as_uri() + "#t=3"], capture_output=True, timeout=120, check=True)
    pixels = np.asarray(Image.open(shot).convert("RGB")).astype(int)
    assert np.median(pixels) < 60 and (pixels.min(-1) > 225).mean() < 0.02


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")
def test_a_group_stays_in_the_middle_of_the_page(tmp_path):
    from PIL import Image

    page, shot = write_player(herd(), tmp_path / "a.html"), tmp_path / "shot.png"
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={shot}"]
    subprocess.run([*command, page.as_uri() + "#t=15"], capture_output=True, timeout=120, check=True)
    pixels = np.asarray(Image.open(shot).convert("RGB")).astype(int)[100:520]
    down, across = np.nonzero(np.abs(pixels - [0x2E, 0x6F, 0x95]).max(-1) < 6)
    assert len(across) > 100
    assert np.abs(across - 400).max() < 60 and np.ptp(down) > 150


WORDS = [
    {"label": "score", "steps": [[0.0, "0 : 0"], [2.0, "1 : 0"]]},
    {"label": "signal", "steps": [[1.0, "<b>stop</b>"]]},
]


def test_captions_of_a_recording_are_in_both_pages(tmp_path):
    recording = bend(meta={"captions": WORDS})
    scene, _ = opened(write_player(recording, tmp_path / "a.html"))
    assert scene["captions"] == [
        ["score", [0.0, 2.0], ["0 : 0", "1 : 0"]],
        ["signal", [1.0], ["<b>stop</b>"]],
    ]
    assert tape_of(recording).scene["captions"] == scene["captions"]
    assert opened(write_player(bend(), tmp_path / "b.html"))[0]["captions"] == []


def steps(*listed):
    return [{"label": "a", "steps": list(listed)}]


@pytest.mark.parametrize(
    "captions",
    [
        *(7, [3], [{"label": 1, "steps": []}], [{"label": "a"}], steps()[0]),
        *(steps([0.0, 1]), steps([float("nan"), "x"]), steps([1.0, "x"], [1.0, "y"]), 13 * steps()),
        *(steps([float("-inf"), "x"]), steps([10**400, "x"])),
    ],
)
def test_captions_that_are_none_are_refused(tmp_path, captions):
    with pytest.raises(BadInput, match="captions"):
        write_player(bend(meta={"captions": captions}), tmp_path / "a.html")


def test_captions_of_close_times_are_told_to_pages_in_order():
    close = caption("a", [0.0, 0.0002, 0.0004, 1.0], ["x", "y", "z", "z"])
    assert captions_of({"captions": [close]}) == [["a", [0.0], ["z"]]]


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")
@pytest.mark.parametrize(("t", "told"), [(0.5, ["0 : 0", ""]), (3.0, ["1 : 0", "<b>stop</b>"])])
def test_the_page_says_what_holds_at_its_time(tmp_path, t, told):
    page = write_player(bend(meta={"captions": WORDS}), tmp_path / "a.html")
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    dom = subprocess.run(
        [*command, f"{page.as_uri()}#t={t}"], capture_output=True, text=True, timeout=120, check=True
    ).stdout
    shown = re.search(r'<div id="told">(.*?)</div></div>', dom, re.S)[1]
    assert re.findall(r"<span>(.*?)</span>", shown) == ["score", "signal"]
    assert [html.unescape(one) for one in re.findall(r"<b>(.*?)</b>", shown)] == told
