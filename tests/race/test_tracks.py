"""Where tracks come from: files that are read or refused, and a generator that keeps its promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swerve.core.errors import BadInput
from swerve.race.track import Lane, Track
from swerve.race.tracks import NAMED, generate, load_track, read_circuit, write_circuit


def circle(radius: float = 80.0, points: int = 120, turns: float = 1.0) -> np.ndarray:
    t = np.linspace(0, 2 * np.pi * turns, points, endpoint=False)
    return np.column_stack(
        [radius * np.cos(t), radius * np.sin(t), np.full(points, 5.0), np.full(points, 6.0)]
    )


def written(path, table, header="# x_m,y_m,w_tr_right_m,w_tr_left_m\n", form="{:.6f}"):
    path.write_text(header + "".join(",".join(form.format(v) for v in row) + "\n" for row in table))
    return path


@pytest.mark.parametrize("name", NAMED)
def test_named_tracks_come_back_from_a_file(name, tmp_path):
    track = load_track(name)
    back = read_circuit(write_circuit(track, tmp_path / f"{name}.csv"))
    assert back.name == name and not back.closed
    assert back.finish == pytest.approx(track.finish, abs=2.0)
    s = np.linspace(0, back.finish, 200)
    np.testing.assert_allclose(back.pose(s)[:, :2], track.pose(s)[:, :2], atol=0.3)
    for side in ("left", "right"):
        there, here = np.interp(s, back.s, getattr(back, side)), np.interp(s, track.s, getattr(track, side))
        np.testing.assert_allclose(there, here, atol=0.3)


def test_closed_circuit_comes_back_from_a_file(tmp_path):
    track = read_circuit(written(tmp_path / "ring.csv", circle()))
    assert track.closed and track.length == pytest.approx(2 * np.pi * 80, rel=1e-3)
    back = read_circuit(write_circuit(track, tmp_path / "again.csv"))
    assert back.closed and back.length == pytest.approx(track.length, rel=1e-3)
    np.testing.assert_allclose([back.right[0], back.left[0]], [5.0, 6.0], atol=1e-3)


def test_last_point_equal_to_the_first_and_repeated_points_are_fine(tmp_path):
    table = circle()
    table = np.vstack([table[:50], table[49:], table[:1]])
    assert read_circuit(written(tmp_path / "ring.csv", table)).closed


def test_half_a_ring_is_open(tmp_path):
    assert not read_circuit(written(tmp_path / "half.csv", circle(turns=0.5))).closed


def test_spaces_blank_lines_comments_and_a_byte_order_mark_do_not_matter(tmp_path):
    path = written(tmp_path / "odd.csv", circle())
    lines = path.read_text().splitlines()
    lines[10:10] = ["", "   ", "  # a note"]
    path.write_text("\ufeff" + "\r\n".join(line.replace(",", " , ") for line in lines), encoding="utf-8")
    assert read_circuit(path).closed


def test_a_header_needs_no_hash(tmp_path):
    plain = written(tmp_path / "plain.csv", circle(), header="x_m,y_m,w_tr_right_m,w_tr_left_m\n")
    np.testing.assert_array_equal(
        read_circuit(plain).centre, read_circuit(written(tmp_path / "c.csv", circle())).centre
    )


@pytest.mark.filterwarnings("error")
def test_a_line_that_runs_back_on_itself_is_refused_without_a_warning(tmp_path):
    there = np.column_stack([np.linspace(0, 200, 60), np.zeros(60), np.full((60, 2), 5.0)])
    with pytest.raises(BadInput):
        read_circuit(written(tmp_path / "back.csv", np.vstack([there, there[-2::-1]])))


def with_line(line: str):
    return lambda rows: [*rows[:7], line, *rows[8:]]


BAD_ROWS = {
    "nan": (with_line("nan,1,5,5"), "line 8, x_m: must be a finite number, got 'nan'"),
    "inf": (with_line("1,inf,5,5"), "line 8, y_m: must be a finite number"),
    "negative": (with_line("1,1,-5,5"), "line 8, w_tr_right_m: must be positive"),
    "endless": (with_line("1,1,5,1e9"), "line 8, w_tr_left_m: must be at most 1000 m"),
    "zero": (with_line("1,1,5,0"), "line 8, w_tr_left_m: must be positive"),
    "text": (with_line("1,here,5,5"), "line 8, y_m: must be a number, got 'here'"),
    "empty field": (with_line("1,,5,5"), "line 8, y_m: must be a number"),
    "short": (with_line("1,2,5"), "line 8: needs columns x_m, y_m, w_tr_right_m, w_tr_left_m"),
    "narrow": (with_line("80,12,1.0,1.5"), "line 8, w_tr_right_m + w_tr_left_m: is too narrow for a car"),
    "few": (lambda rows: rows[:3], "needs at least 4 points"),
    "empty": (lambda rows: [], "needs at least 4 points"),
    "too short": (lambda _: ["0,0,5,5", "2,0,5,5", "6,0,5,5", "12,0,5,5"], "is too short"),
    "too long": (with_line("1e12,0,5,5"), "is too long"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_rows_are_refused_with_file_line_and_field(case, tmp_path):
    change, words = BAD_ROWS[case]
    path = written(tmp_path / "bad.csv", circle())
    path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")
    with pytest.raises(BadInput) as refusal:
        read_circuit(path)
    assert str(path) in str(refusal.value) and words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def touching_loop() -> np.ndarray:
    """A straight, a loop that comes back beside it, closer than the road is wide."""
    out = np.column_stack([np.linspace(0, 200, 100), np.zeros(100)])
    t = np.linspace(-np.pi / 2, np.pi / 2, 40)
    turn = np.column_stack([200 + 30 * np.cos(t), 30 + 30 * np.sin(t)])
    back = np.column_stack([np.linspace(200, 0, 100), np.linspace(60, 8, 100)])
    line = np.vstack([out, turn[1:-1], back])
    return np.column_stack([line, np.full((len(line), 2), 5.0)])


def same_way_twice() -> np.ndarray:
    return np.vstack([circle(), circle() * [1.01, 1.01, 1, 1]])


@pytest.mark.parametrize("shape", [touching_loop, same_way_twice])
def test_tracks_that_run_into_themselves_are_refused(shape, tmp_path):
    path = written(tmp_path / "crossing.csv", shape())
    with pytest.raises(BadInput, match="crosses or touches itself") as refusal:
        read_circuit(path)
    assert str(path) in str(refusal.value)


def test_loop_that_keeps_its_distance_is_taken(tmp_path):
    table = touching_loop()
    table[-100:, 1] += np.linspace(0, 8, 100)
    assert read_circuit(written(tmp_path / "close.csv", table)).finish > 400


def test_files_that_are_none_are_refused(tmp_path):
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "long.csv").write_text('"' + "1" * 300_000)
    for name in ("binary.csv", "long.csv"):
        with pytest.raises(BadInput, match=name):
            read_circuit(tmp_path / name)
    with pytest.raises(BadInput, match=r"none\.csv: no such file"):
        load_track(str(tmp_path / "none.csv"))
    with pytest.raises(BadInput, match="must be one of long-straight, cornered, sharp-cornered, final"):
        load_track("nowhere")


@given(st.binary(max_size=400))
@settings(max_examples=60)
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("csv") / "any.csv"
    path.write_bytes(content)
    with pytest.raises(BadInput) as refusal:
        read_circuit(path)
    assert "\n" not in str(refusal.value)


def corners_of(track: Track) -> int:
    """Stretches along which the road bends, told apart by straights."""
    s = np.arange(0.0, track.finish, 1.0)
    heading = np.unwrap(track.pose(s)[:, 2])
    bending = np.abs(np.diff(heading)) > 0.2 / 105.0  # the widest corner has a radius of 105 m
    return int(np.diff(bending.astype(int), prepend=0, append=0).clip(0).sum())


@given(
    length=st.floats(800, 3000),
    corners=st.integers(0, 7),
    sharpness=st.floats(0, 1),
    width=st.floats(6, 18),
    seed=st.integers(0, 2**40),
)
@settings(max_examples=60)
def test_generated_tracks_are_as_asked_and_drivable(length, corners, sharpness, width, seed):
    track = generate(length, corners, sharpness, width, seed)
    assert track.finish == pytest.approx(length, rel=0.05)
    assert corners_of(track) == corners
    np.testing.assert_allclose(track.left + track.right, width)
    assert track.tightest_radius > width / 2 + 2.5
    again = generate(length, corners, sharpness, width, seed)
    np.testing.assert_array_equal(track.centre, again.centre)


def test_generated_tracks_differ_by_seed_and_get_sharper():
    lines = [generate(seed=seed).centre for seed in range(5)]
    assert not any(np.array_equal(a, b) for i, a in enumerate(lines) for b in lines[:i])
    radii = [
        np.mean([generate(2000, 6, sharp, seed=k).tightest_radius for k in range(4)]) for sharp in (0, 0.5, 1)
    ]
    assert radii[0] > 1.3 * radii[1] > 1.3 * radii[2]


@pytest.mark.parametrize(
    "wrong, word",
    [
        ({"length": 10}, "length"),
        ({"length": float("nan")}, "length"),
        ({"length": 1e12}, "length"),
        ({"corners": -1}, "corners"),
        ({"sharpness": 1.5}, "sharpness"),
        ({"sharpness": float("nan")}, "sharpness"),
        ({"width": 2}, "width"),
        ({"corners": 300}, "300 corners do not fit"),
    ],
)
def test_generator_refuses_what_cannot_be(wrong, word):
    with pytest.raises(BadInput, match=word):
        generate(**wrong)


def test_named_tracks_hold_what_their_names_promise():
    tracks = {name: load_track(name) for name in NAMED}
    assert np.ptp(tracks["long-straight"].pose(np.linspace(0, 4500, 50))[:, 2]) < 1e-9
    assert tracks["sharp-cornered"].tightest_radius < 13 < tracks["cornered"].tightest_radius
    assert not tracks["sharp-cornered"].lanes
    assert all(tracks[name].lanes for name in ("long-straight", "cornered", "final"))
    assert any(not isinstance(lane, Lane) for lane in tracks["final"].lanes)
