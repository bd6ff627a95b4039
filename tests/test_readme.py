"""The Python examples of the README and of the documentation run, page by page, from top to bottom."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OWN_TESTS = {"city-roads.md", "city-simulator.md"}  # need files; tests/city runs them
PAGES = [ROOT / "README.md", *(p for p in sorted((ROOT / "docs").glob("*.md")) if p.name not in OWN_TESTS)]
BLOCK = re.compile(r"```python\n(.*?)```", re.S)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if BLOCK.search(page.read_text())], ids=lambda p: p.name
)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "example"}
    for match in BLOCK.finditer(page.read_text()):
        if "out/" in match[1]:  # needs a file that a command makes first
            continue
        exec(compile(match[1], page.name, "exec"), space)
    assert len(space) > 1 or page.name == "recordings.md"
