"""Recordings come back from their files as they were, and files that are none are refused in one line."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from swerve.core.errors import BadInput
from swerve.core.recording import OPTIONAL, REQUIRED, Recording

finite = st.floats(-1e4, 1e4, width=32)
words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)


@st.composite
def planar_recordings(draw):
    n = draw(st.integers(1, 12))
    t = draw(arrays(float, n, elements=finite, unique=True))
    pose = draw(arrays(float, (n, 3), elements=finite))
    velocity = draw(arrays(np.float32, (n, 2), elements=finite))
    size = draw(st.tuples(*[st.floats(0.125, 20, width=32)] * 3))
    extra = {
        "brake": draw(arrays(bool, n)),
        "indicator": draw(arrays(np.int8, n, elements=st.integers(-1, 1))),
    }
    meta = draw(
        st.dictionaries(words, st.one_of(st.integers(-(2**53), 2**53), words, st.booleans(), st.none()))
    )
    return Recording.planar(
        t, draw(st.integers(0, 999)), draw(words), pose, velocity, size, meta=meta, **extra
    )


def simple(body=1, rows=4, meta=None, **extra):
    t = np.arange(rows) * 0.1
    pose = np.column_stack([t, 2 * t, 0 * t + 0.5])
    return Recording.planar(t, body, "car", pose, np.ones((rows, 2)), (4, 2, 1.5), meta=meta, **extra)


@given(recording=planar_recordings())
@settings(max_examples=40)
def test_round_trip_keeps_values_types_order_and_metadata(tmp_path_factory, recording):
    back = Recording.read(recording.write(tmp_path_factory.mktemp("recording") / "a.parquet"))
    assert list(back.columns) == list(recording.columns)
    assert back.meta == recording.meta
    assert np.all(np.diff(back["t"]) > 0)
    for name, column in recording.columns.items():
        assert column.dtype == np.dtype({**REQUIRED, **OPTIONAL}[name])
        assert back[name].dtype == column.dtype
        np.testing.assert_array_equal(back[name], column)


@given(heading=arrays(float, 5, elements=st.floats(-50, 50)))
def test_heading_is_that_of_the_pose(heading):
    pose = np.column_stack([np.zeros(5), np.zeros(5), heading])
    recording = Recording.planar(np.arange(5.0), 1, "car", pose, np.zeros((5, 2)), (4, 2, 1))
    np.testing.assert_allclose(np.exp(1j * recording.heading), np.exp(1j * heading), atol=1e-6)


def test_joined_rows_are_sorted_by_time_and_id_and_gaps_are_blank(tmp_path):
    extra = {"brake": True, "parent": 7, "part": "wheel", "steer": 0.25, "indicator": 1}
    joined = Recording.join([simple(7), simple(3, **extra)], {"scene": "two"})
    assert joined["id"].tolist() == [3, 7] * 4
    back = Recording.read(joined.write(tmp_path / "joined.parquet"))
    for recording in (joined, back):
        assert recording["brake"].tolist() == [True, False] * 4
        assert recording["parent"].tolist() == [7, -1] * 4
        assert recording["part"].tolist() == ["wheel", ""] * 4
        assert recording["indicator"].tolist() == [1, 0] * 4
        np.testing.assert_array_equal(recording["steer"], [0.25, np.nan] * 4)


def test_wholes_parts_and_lights_are_told_apart():
    car, wheel = simple(1), simple(2, parent=1, part="front left wheel")
    light = Recording({**simple(9, state="red").columns, "kind": ["light"] * 4})
    joined = Recording.join([car, wheel, light], {"scene": "street"})
    assert [body for body, _, _ in joined.bodies()] == [1]
    assert set(joined.whole()["id"]) == {1} and joined.whole().meta == joined.meta
    assert set(joined.parts()["id"]) == set(joined.parts(1)["id"]) == {2} and len(joined.parts(9)) == 0
    assert set(joined.lights()["id"]) == {9} and set(joined.lights()["state"]) == {"red"}


def test_bodies_of_a_joined_recording_keep_their_own_rows():
    joined = Recording.join([simple(7), simple(3)])
    ids = {body: columns["x"] for body, _, columns in joined.bodies()}
    np.testing.assert_allclose(ids[3], ids[7])


def test_same_recording_gives_same_bytes(tmp_path):
    a, b = (
        simple(meta={"seed": 3}).write(tmp_path / name).read_bytes() for name in ("a.parquet", "b.parquet")
    )
    assert a == b


def test_metadata_may_hold_numpy_and_what_json_lacks_becomes_null(tmp_path):
    meta = {"speed": np.float32(1.5), "points": np.arange(3), "best": float("nan")}
    back = Recording.read(simple(meta=meta).write(tmp_path / "a.parquet"))
    assert back.meta == {"speed": 1.5, "points": [0, 1, 2], "best": None}


def replaced(table, name, values):
    return table.set_column(table.schema.get_field_index(name), name, pa.array(values))


DAMAGE = {
    "lacks columns, got \\['x', 'qw'\\]": lambda table: table.drop_columns(["x", "qw"]),
    "column x: holds no numbers": lambda table: replaced(table, "x", list("abcd")),
    "column y holds lists": lambda table: replaced(table, "y", [[1.0]] * 4),
    "column id: has rows without a value": lambda table: replaced(table, "id", [1, None, 1, 1]),
    "column kind: has rows without a value": lambda table: replaced(table, "kind", ["a", None, "a", "a"]),
    "not a readable": lambda table: table.replace_schema_metadata({"swerve": "{nope"}),
    "metadata: must be an object": lambda table: table.replace_schema_metadata({"swerve": json.dumps([1])}),
}


@pytest.mark.parametrize("words", DAMAGE)
def test_what_is_no_recording_is_refused_by_name(tmp_path, words):
    path = simple().write(tmp_path / "a.parquet")
    pq.write_table(DAMAGE[words](pq.read_table(path)), path)
    with pytest.raises(BadInput, match=words) as caught:
        Recording.read(path)
    assert "a.parquet" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("keep", [0, 10, 300, -20])
def test_truncated_files_are_refused(tmp_path, keep):
    path = simple().write(tmp_path / "a.parquet")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(BadInput, match="not a readable"):
        Recording.read(path)


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        Recording.read(tmp_path / "none.parquet")
    with pytest.raises(BadInput, match="is not a file"):
        Recording.read(tmp_path)


def test_columns_of_unequal_length_are_refused():
    columns = dict(simple().columns)
    columns["x"] = columns["x"][:-1]
    with pytest.raises(BadInput, match="column x: must have 4 rows, got 3"):
        Recording(columns)
