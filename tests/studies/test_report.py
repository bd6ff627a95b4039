"""Reports: what a study writes, and how a cell or a verdict reads."""

import csv
import io
import json

from swerve.core.files import to_json
from swerve.studies import Conclusion, Report
from swerve.studies.report import shown


def report() -> Report:
    rows = [
        {"tree": "five", "mean [s]": 48.25, "spread [s]": None, "finished": "3 of 3"},
        {"tree": "seven", "mean [s]": 1234.5, "spread [s]": 0.125, "finished": "0 of 3"},
    ]
    found = [Conclusion("it holds", True, "3 of 3"), Conclusion("it does not", False, "0 of 3")]
    return Report("demo", "A table", rows, found, ["A note."])


def test_writes_csv_and_markdown_and_keeps_the_pictures(tmp_path):
    made = report()
    picture = tmp_path / "demo.png"
    picture.write_bytes(b"png")
    made.files.append(picture)
    files = made.write(tmp_path)
    assert [path.name for path in files] == ["demo.csv", "demo.md", "demo.png"]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "demo.csv").read_text())))
    assert [row["tree"] for row in rows] == ["five", "seven"]
    assert float(rows[0]["mean [s]"]) == 48.25 and rows[0]["spread [s]"] == ""
    text = (tmp_path / "demo.md").read_text()
    assert "| five | 48.2 | – | 3 of 3 |" in text
    assert "| it holds | yes | 3 of 3 |" in text and "| it does not | **no** | 0 of 3 |" in text
    assert "A note." in text and "![demo](demo.png)" in text


def test_bars_in_a_cell_do_not_break_the_table():
    made = Report("demo", "A table", [{"a": "x|y"}], [Conclusion("|Δu| is small", True, "|Δu| = 0")])
    table = [line for line in made.markdown().splitlines() if line.startswith("|")]
    assert [line.replace("\\|", "").count("|") for line in table] == [2, 2, 2, 4, 4, 4]


def test_as_dict_is_json_with_verdicts():
    read = json.loads(to_json(report().as_dict()))
    assert read["conclusions"][1] == {"text": "it does not", "holds": False, "evidence": "0 of 3"}
    assert read["study"] == "demo" and read["rows"][1]["mean [s]"] == 1234.5


def test_cells_are_short():
    assert [shown(v) for v in (None, 0.123456, 1234.56, 7, "x")] == ["–", "0.123", "1235", "7", "x"]


def test_a_table_too_wide_for_the_terminal_is_left_to_the_file(tmp_path):
    rows = [{f"column-number-{k}": k for k in range(9)}]
    report = Report("wide", "Wide", rows, [])
    report.write(tmp_path)
    assert "column-number-8" in (tmp_path / "wide.md").read_text()
    assert "column-number-8" in report.markdown(widest=9 * 17)
    assert "see `wide.md`" in report.markdown(widest=80) and "column-number-8" not in report.markdown(
        widest=80
    )
