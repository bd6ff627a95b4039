"""The examples of the page and of the README section run, and do what they say."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def python_blocks(page):
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_tutorial_prints_what_it_says(capsys):
    blocks = python_blocks("tactics.md")
    assert len(blocks) == 2
    names = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, "tactics.md", "exec"), names)
    assert capsys.readouterr().out.startswith("True ('putt',)")
