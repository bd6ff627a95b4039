"""The Python examples of the README and of the documentation run, page by page, from top to bottom; the
commands they show exist, with all their options.
"""

import re
import shlex
from pathlib import Path

import pytest
import typer

from swerve.cli.main import app

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


COMMAND = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?swerve ([^#\n]*)|`swerve ([^`\n]*)`", re.M)
EVERY_PAGE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def shown_commands():
    for page in EVERY_PAGE:
        for match in COMMAND.finditer(page.read_text()):
            words = shlex.split((match[1] or match[2]).replace("\\|", "|"))
            if words:
                yield pytest.param(words, id=f"{page.name}: {' '.join(words)}")


@pytest.mark.parametrize("words", list(shown_commands()))
def test_commands_that_are_shown_exist(words):
    command = typer.main.get_command(app)
    while hasattr(command, "commands"):
        if words and words[0] in command.commands:
            command = command.commands[words.pop(0)]
        elif hasattr(command, "default"):  # `swerve race TRACK` stands for `swerve race drive TRACK`
            command = command.commands[command.default]
        else:
            assert not words, f"{command.name} has no {words[0]}"
            return
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    assert {word.partition("=")[0] for word in words if word.startswith("-")} <= known | {"--help"}
