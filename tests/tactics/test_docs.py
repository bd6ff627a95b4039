"""The examples of the page and of the README section run, and do what they say."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def python_blocks(page):
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(
    ("page", "count", "starts"), [("tactics.md", 2, "True ('putt',)"), ("tactics-readme.md", 1, "True ")]
)
def test_examples_run(page, count, starts, capsys):
    blocks = python_blocks(page)
    assert len(blocks) == count
    names = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert capsys.readouterr().out.startswith(starts)
