"""Motion libraries come back from their file as they were, and damaged files are refused in a line."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from swerve.core.clips import Clip
from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary, keep


def a_library(controls: bool = True) -> MotionLibrary:
    rng = np.random.default_rng(3)
    clips = []
    for k, frames in enumerate((3, 8, 5)):
        held = rng.normal(size=(frames, 3)) if controls or k == 1 else np.zeros((0, 0))
        pose = np.vstack([np.zeros(3), rng.normal(size=(frames, 3))])
        clips.append(Clip(f"clip {k} ↰", 0.04, pose, rng.normal(size=(frames + 1, 3)), held))
    return MotionLibrary(
        "mine",
        tuple(clips),
        np.array([0, 1, 1]),
        np.array([1, -1, 0]),
        ("slow", "fast"),
        rng.normal(size=(2, 3)),
        {"a": [1]},
    )


@pytest.mark.parametrize("controls", [True, False])
def test_file_gives_back_what_was_saved(tmp_path, controls):
    library = a_library(controls)
    back = MotionLibrary.load(library.save(tmp_path / "deep" / "mine.npz"))
    assert (back.name, back.node_names, back.meta, back.dt) == ("mine", ("slow", "fast"), {"a": [1]}, 0.04)
    np.testing.assert_array_equal(back.source, library.source)
    np.testing.assert_array_equal(back.target, library.target)
    np.testing.assert_array_equal(back.node_velocity, library.node_velocity)
    for one, other in zip(back.clips, library.clips, strict=True):
        assert one.name == other.name
        np.testing.assert_array_equal(one.pose, other.pose)
        np.testing.assert_array_equal(one.velocity, other.velocity)
        assert one.controls.size == other.controls.size
        if other.controls.size:
            np.testing.assert_array_equal(one.controls, other.controls)
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["mine.npz"]


def test_damaged_files_are_refused_by_name(tmp_path):
    """Cut anywhere, or with any byte changed: a library that holds together, or one clear line."""
    whole = a_library().save(tmp_path / "whole.npz").read_bytes()
    path = tmp_path / "cut.npz"
    rng = np.random.default_rng(0)
    for length in {0, 1, 10, len(whole) // 2, len(whole) - 1, *rng.integers(0, len(whole), 60).tolist()}:
        path.write_bytes(whole[:length])
        with pytest.raises(BadInput, match=r"cut\.npz") as refusal:
            MotionLibrary.load(path)
        assert "\n" not in str(refusal.value)
    refused = 0
    for place in rng.integers(0, len(whole), 300):
        broken = bytearray(whole)
        broken[place] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(broken))
        try:
            MotionLibrary.load(path)
        except BadInput as refusal:
            assert "cut.npz" in str(refusal) and "\n" not in str(refusal)
            refused += 1
    assert refused > 100


def test_files_of_another_kind_are_refused(tmp_path):
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    np.save(tmp_path / "array.npy", np.zeros(3))
    np.save(tmp_path / "pickle.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    (tmp_path / "text.npz").write_text("not a library\n")
    for name in ("other.npz", "array.npy", "pickle.npy", "text.npz"):
        with pytest.raises(BadInput, match="is damaged or not a motion library"):
            MotionLibrary.load(tmp_path / name)
    with pytest.raises(BadInput, match=r"none\.npz: no such file"):
        MotionLibrary.load(tmp_path / "none.npz")
    with pytest.raises(BadInput, match="is not a file"):
        MotionLibrary.load(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"clips": ()},
        {"source": np.array([0, 1])},
        {"source": np.array([0, 1, 2])},
        {"source": np.array([-1, 1, 0])},
        {"target": np.array([0, 1, 2])},
        {"node_velocity": np.zeros((3, 3))},
    ],
    ids=str,
)
def test_libraries_that_do_not_hold_together_are_refused(change):
    whole = a_library()
    parts = {name: getattr(whole, name) for name in whole.__dataclass_fields__}
    with pytest.raises(BadInput, match="motion library mine"):
        MotionLibrary(**(parts | change))


def test_keeping_some_clips():
    library = a_library()
    some = keep(library, [2, 0], "some")
    assert [clip.name for clip in some.clips] == ["clip 2 ↰", "clip 0 ↰"]
    assert some.source.tolist() == [1, 0] and some.target.tolist() == [0, 1]
    assert library.out_of(1).tolist() == [1, 2] and some.out_of(1).tolist() == [0]


def test_seams_and_top_speed_are_the_worst():
    library = a_library()
    for k, (clip, a, b) in enumerate(zip(library.clips, library.source, library.target, strict=True)):
        start = np.abs(clip.velocity[0] - library.node_velocity[a]).sum()
        end = np.abs(clip.velocity[-1] - library.node_velocity[b]).sum() if b >= 0 else 0.0
        assert library.seams()[k] == pytest.approx(max(start, end))
    fastest = max(np.linalg.norm(np.diff(clip.pose[:, :2], axis=0), axis=1).max() for clip in library.clips)
    assert library.top_speed == pytest.approx(fastest / 0.04)


def test_what_was_worked_out_is_kept_with_the_library_and_does_not_travel():
    library = a_library()
    made = []
    for key in ("a", "a", "b"):
        library.once(key, lambda: made.append(1) or len(made))
    assert len(made) == 2 and library.once("a", int) == 1
    other = pickle.loads(pickle.dumps(library))
    assert "_known" not in other.__dict__ and other.once("a", lambda: 7) == 7
    assert replace(library, name="other").once("a", lambda: 9) == 9
