"""NumPy's arrays as Arrow's columns: what Arrow itself makes of them, without pandas."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from swerve.core.columns import numbers, words

WRITE = """
import numpy as np
from swerve.core.plan import Plan, Status
from swerve.core.recording import Recording
pose = ("x", "y", "heading")
plan = Plan(Status.SOLVED, np.arange(2.0), np.zeros((2, 3)), pose, np.ones((1, 1)), ("speed",))
plan.save("plan.parquet")
drive = Recording.planar(np.arange(2.0), 0, "car", np.zeros((2, 3)), np.zeros((2, 2)), (4.0, 2.0, 1.5))
drive.write("drive.parquet")
"""


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.5, np.inf, -0.0, 3.0]),
        np.zeros(0),
        np.arange(12)[::2],
        np.arange(9, dtype=np.float32),
        np.arange(3, dtype=">f8"),
        np.arange(19) % 3 == 0,
        np.broadcast_to(2.5, 4),
    ],
)
def test_numbers_are_what_arrow_makes_of_them(values):
    known, native = np.arange(len(values)) % 2 == 0, values.astype(values.dtype.newbyteorder("="))
    for mine, theirs in (
        (numbers(values), pa.array(native)),
        (numbers(values, known), pa.array(native, mask=~known)),
    ):
        mine.validate(full=True)
        assert mine.type == theirs.type and mine.equals(theirs)


@pytest.mark.parametrize("values", [["car", "bus", "car", "Fußgänger"], [], ["", ""], ["car", None]])
def test_words_are_what_arrow_makes_of_them(values):
    mine, theirs = words(np.array(values, dtype=object)), pa.array(values, pa.string()).dictionary_encode()
    mine.validate(full=True)
    assert mine.type == theirs.type and mine.equals(theirs)


def test_to_write_plans_and_recordings_does_not_load_pandas(tmp_path):
    """Finding: where pandas was installed, Arrow loaded it, a fifth of the time of a whole plan."""
    (tmp_path / "pandas.py").write_text("raise SystemExit('pandas was loaded')")
    there = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", WRITE], cwd=tmp_path, env=there, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "plan.parquet").exists() and (tmp_path / "drive.parquet").exists()
