"""The page of the riders and their part of the README: every Python block works, one after the other."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["riders.md", "riders-readme.md"])
def test_every_python_block_runs(page, capsys):
    if not (DOCS / page).exists():
        pytest.skip(f"{page} has moved")
    names: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert capsys.readouterr().out
