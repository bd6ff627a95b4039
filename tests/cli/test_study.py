"""`swerve study`: lists studies, runs one, and writes its table."""

import ast
import csv
import inspect
import json
import textwrap
from types import SimpleNamespace

import pytest

from swerve import studies
from swerve.cli.main import run
from swerve.studies import Conclusion, Report, StudyEntry


@pytest.fixture
def one_study(monkeypatch):
    """A study of a moment in place of the real ones."""

    def study(out, seed, trials):
        rows = [{"seed": seed + k, "value": 0.5 * k, "missing": None} for k in range(trials or 4)]
        return Report(
            "tiny",
            "A tiny table",
            rows,
            [Conclusion("more is more", True, "0 < 1"), Conclusion("less", False, "no")],
        )

    monkeypatch.setattr(studies, "STUDIES", {"tiny": StudyEntry("tiny", "study", "what a tiny study shows")})
    monkeypatch.setattr(studies, "import_module", lambda name: SimpleNamespace(study=study))


def test_studies_are_listed(capsys):
    assert run(["study", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["studies"]
    assert {f"adam-4.{k}" for k in range(1, 9)} <= listed.keys() and all(listed.values())
    assert run(["study"]) == 0
    assert "adam-4.8" in capsys.readouterr().out


def test_study_prints_conclusions_and_writes_its_table(one_study, capsys, tmp_path):
    assert run(["study", "tiny", "--seed", "5", "--trials", "3", "--out", str(tmp_path), "--json"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert out.count("\n") == 1 and err == ""
    assert result["conclusions"] == [
        {"text": "more is more", "holds": True, "evidence": "0 < 1"},
        {"text": "less", "holds": False, "evidence": "no"},
    ]
    assert result["seconds"] >= 0
    assert result["files"] == [str(tmp_path / "tiny.csv"), str(tmp_path / "tiny.md")]
    with (tmp_path / "tiny.csv").open() as stream:
        assert [row["seed"] for row in csv.DictReader(stream)] == ["5", "6", "7"]
    text = (tmp_path / "tiny.md").read_text()
    assert "| less | **no** | no |" in text and "| 5 | 0 | – |" in text


def test_trials_are_refused_where_there_are_none(capsys, tmp_path):
    """Exactly by the studies whose functions look at no trials."""
    for name, entry in studies.STUDIES.items():
        function = ast.parse(textwrap.dedent(inspect.getsource(studies.study(name))))
        looks = any(
            isinstance(node, ast.Name) and node.id == "trials" and isinstance(node.ctx, ast.Load)
            for node in ast.walk(function)
        )
        assert entry.once != looks, name
    assert run(["study", "shiller-A", "--trials", "3", "--out", str(tmp_path / "out")]) == 2
    assert "--trials: is not for shiller-A, which is worked out once, got 3" in capsys.readouterr().err


def test_people_get_the_table_and_quiet_ones_nothing(one_study, capsys, tmp_path):
    assert run(["study", "tiny", "--out", str(tmp_path)]) == 0
    assert "A tiny table" in capsys.readouterr().out
    assert run(["study", "tiny", "--out", str(tmp_path), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "words", [["nothing"], ["tiny", "--trials", "0"], ["tiny", "--trials", "few"], ["tiny", "--seed", "-2"]]
)
def test_bad_input_is_one_line_and_writes_nothing(one_study, words, capsys, tmp_path):
    assert run(["study", *words, "--out", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert not (tmp_path / "out").exists()
