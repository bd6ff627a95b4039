"""Circuit tables: names with and without `#`, any order, and refusals that name line and column."""

import numpy as np
import pytest

from swerve.core.circuit_file import HEIGHT, PLACE, WIDTHS, read_table, without_repeat, write_table
from swerve.core.errors import BadInput

COLUMNS = (*PLACE, *WIDTHS)


@pytest.mark.parametrize(
    "text",
    [
        "1,2,3,4\n5,6,7,8\n",
        "# x_m,y_m,w_tr_right_m,w_tr_left_m\n1,2,3,4\n5,6,7,8\n",
        "x_m, y_m, w_tr_right_m, w_tr_left_m\n1,2,3,4\n\n# a note, with commas\n5,6,7,8\n",
        "# a note\n#w_tr_left_m,s_m,y_m,x_m,w_tr_right_m\n4,0,2,1,3\n8,9,6,5,7\n",
        "\ufeffs_m,x_m,y_m,w_tr_right_m,w_tr_left_m\r\n0,1,2,3,4\r\n9,5,6,7,8\r\n",
    ],
)
def test_the_same_table_in_many_forms(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8", newline="")
    table = read_table(path, "track", COLUMNS)
    rows = np.column_stack([table[name] for name in COLUMNS])
    np.testing.assert_array_equal(rows, [[1, 2, 3, 4], [5, 6, 7, 8]])


def test_heights_are_read_where_they_are(tmp_path):
    path = tmp_path / "a.csv"
    for text in ("1,2,3,4,5\n", "# z_m,x_m,y_m,w_tr_right_m,w_tr_left_m\n5,1,2,3,4\n"):
        path.write_text(text)
        assert read_table(path, "track", COLUMNS, (HEIGHT,))[HEIGHT] == 5
    path.write_text("1,2,3,4\n")
    assert HEIGHT not in read_table(path, "track", COLUMNS, (HEIGHT,))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2,3,4\n1,2\n", "line 2: needs columns x_m, y_m"),
        ("1,2,3,4\n\n1,a,3,4\n", "line 3, y_m: must be a number, got 'a'"),
        ("1,2,3,4\n1,-1e308,3,4\n", "line 2, y_m: must be no larger than 1e+99, got '-1e308'"),
        ("1,2,3,4\n1,2,inf,4\n", "line 2, w_tr_right_m: must be a finite number, got 'inf'"),
        ("x,y,right,left\n1,2,3,4\n", "has no columns x_m, y_m"),
        ("x_m,y_m\n1,2\n", "has no columns x_m, y_m, w_tr_right_m"),
    ],
)
def test_refusals_name_line_and_column(tmp_path, text, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(BadInput) as refusal:
        read_table(path, "track", COLUMNS)
    assert str(refusal.value).startswith(f"track {path}") and words in str(refusal.value)


@pytest.mark.parametrize("mark", ["# ", ""])
def test_what_is_written_is_read(tmp_path, mark):
    rng = np.random.default_rng(1)
    columns = {name: rng.normal(size=20).round(4) for name in ("s_m", *PLACE)}
    table = read_table(write_table(tmp_path / "a.csv", columns, mark), "line", PLACE)
    for name in PLACE:
        np.testing.assert_array_equal(table[name], columns[name])


def test_a_repeated_first_point_is_left_out():
    ring = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    assert len(ring[without_repeat(ring)]) == 3 and len(ring[:3][without_repeat(ring[:3])]) == 3
