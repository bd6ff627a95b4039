"""The Python examples of the README and of the documentation run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks():
    for page in PAGES:
        for number, match in enumerate(re.finditer(r"```python\n(.*?)```", page.read_text(), re.S), start=1):
            if "out/" not in match[1]:  # needs a file that a command makes first
                yield pytest.param(match[1], id=f"{page.name}-{number}")


@pytest.mark.parametrize("code", list(blocks()))
def test_example_runs(code, capsys):
    exec(compile(code, "example", "exec"), {"__name__": "example"})
    assert "Traceback" not in capsys.readouterr().err
