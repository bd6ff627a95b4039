"""Files appear whole or not at all, and JSON holds only what JSON knows."""

import errno
import json
import os

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.files import existing, is_there, replacing, to_json, write_json, write_text


def test_file_appears_whole_with_its_folders(tmp_path):
    path = write_text(tmp_path / "a" / "b.txt", "grüß\n")
    assert path.read_text(encoding="utf-8") == "grüß\n"
    assert path.stat().st_mode & 0o777 == 0o644
    assert [p.name for p in path.parent.iterdir()] == ["b.txt"]


def test_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    path = write_text(tmp_path / "kept.csv", "old")
    with pytest.raises(RuntimeError), replacing(path) as draft:
        draft.write_text("half of it")
        assert path.read_text() == "old"
        raise RuntimeError
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["kept.csv"]


def test_json_has_no_nan_and_no_numpy(tmp_path):
    value = {
        "nan": float("nan"),
        "array": np.array([[1.5, np.inf], [2.0, -np.inf]]),
        "whole": np.int64(3),
        "truth": np.bool_(True),
        "path": tmp_path,
        4: (np.float32(0.5), None, "text"),
    }
    back = json.loads(to_json(value), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert back == {
        "nan": None,
        "array": [[1.5, None], [2.0, None]],
        "whole": 3,
        "truth": True,
        "path": str(tmp_path),
        "4": [0.5, None, "text"],
    }
    assert "\n" not in to_json(value)
    assert json.loads(write_json(tmp_path / "x.json", value).read_text()) == back


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(BadInput, match=r"track .*gone: no such file"):
        existing(tmp_path / "gone", "track")
    with pytest.raises(BadInput, match="is not a file"):
        existing(tmp_path)


def test_a_full_disk_is_told_by_the_name_of_the_file(tmp_path):
    with pytest.raises(OSError, match=r"a\.txt") as caught, replacing(tmp_path / "a.txt"):
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: at length")
    assert caught.value.filename == str(tmp_path / "a.txt") and caught.value.errno == errno.ENOSPC
    assert caught.value.strerror == os.strerror(errno.ENOSPC) and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "/".join(["y" * 300] * 3)])
def test_names_that_no_file_can_have_are_of_none(name):
    assert not is_there(name)
    with pytest.raises(BadInput, match="no such file"):
        existing(name)
