"""The examples in the documentation run."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["terrain.md", "terrain-readme.md"])
def test_examples_run(page, capsys):
    if not (DOCS / page).exists():
        pytest.skip(f"{page} was moved")
    space: dict = {}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.S):
        exec(block, space)
    assert "drivable in" in capsys.readouterr().out
    assert space["routes"].feasible
