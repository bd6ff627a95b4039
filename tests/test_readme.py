"""The Python examples of the README and of the documentation run, page by page, from top to bottom; the
commands they show exist, with all their options.
"""

import ast
import re
import shlex
from pathlib import Path

import pytest
import typer

from swerve.cli.main import app, run

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
    blocks = [match[1] for match in BLOCK.finditer(page.read_text())]
    runs = [block for block in blocks if "out/" not in block]  # others need what a command makes first
    for block in runs:
        exec(compile(block, page.name, "exec"), space)
    assert len(space) > 1 or not runs


COMMAND = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?swerve ([^#\n]*)|`swerve ([^`\n]*)`", re.M)
EVERY_PAGE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
QUICK = ("race track", "race tree draw", "race tree inspect", "scene docs/")


def shown_commands():
    """Words of every command that a page, the tour or the help of a command shows, and where."""
    for page in EVERY_PAGE:
        for match in COMMAND.finditer(page.read_text()):
            yield page.name, (match[1] or match[2]).replace("\\|", "|")
    for path in sorted((ROOT / "src" / "swerve" / "tour").glob("*.py")):
        for text in texts(path):
            if text.startswith("swerve "):
                yield f"tour/{path.name}", text.removeprefix("swerve ")
    for name, command in every_command(typer.main.get_command(app()), ""):
        for text in re.findall(r"(?:^|: |— (?:then: |or: )?)swerve (.*?)(?= — |$)", command.epilog or ""):
            yield f"help of {name}", text


def texts(path):
    """String constants of a file; what stands in braces is a constant of the file, or 1."""
    space = {}
    tree = ast.parse(path.read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            space[node.targets[0].id] = str(node.value.value)
    pieces = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (
                part.value if isinstance(part, ast.Constant) else space.get(ast.unparse(part.value), "1")
                for part in node.values
            )
            yield "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in pieces:
            yield node.value


def every_command(command, name):
    yield name or "swerve", command
    for word, below in getattr(command, "commands", {}).items():
        yield from every_command(below, f"{name} {word}".strip())


def as_parameters(commands):
    return [pytest.param(shlex.split(words), id=f"{where}: {words}") for where, words in commands if words]


ALL = sorted(set(shown_commands()))


@pytest.mark.parametrize("words", as_parameters(ALL))
def test_commands_that_are_shown_can_be_typed(words):
    """They are parsed to the end, values included, but not run."""
    command, context = typer.main.get_command(app()), None
    if len(words) == 1 and words[0] in command.commands:
        return  # a sentence about the command
    if any(word in ("…", "COMMAND", "--help", "--version", "--install-completion") for word in words):
        return
    name = "swerve"
    while True:
        context = command.make_context(name, list(words), parent=context)
        if not hasattr(command, "commands"):
            return
        rest = [*context._protected_args, *context.args]
        if not rest:
            return  # a group alone, as in a sentence about it
        name, command, words = command.resolve_command(context, rest)
        assert command is not None, f"{name} is no command"


def test_there_are_commands_of_every_kind():
    places = {where.partition("/")[0].partition(" ")[0] for where, _ in ALL}
    assert {"README.md", "spine.md", "scenes.md", "race.md", "tour", "help"} <= places and len(ALL) > 60


def is_quick(words):
    """Lists, pictures of what is there, and worlds of a few bodies."""
    listing = words.strip() in ("scene", "study", "plan", "bench")
    return listing or (words.startswith(QUICK) and not re.search(r"\b[A-Z]{2,}\b", words))


ONCE = {command.strip(): where for where, command in ALL if is_quick(command)}


@pytest.mark.parametrize("words", as_parameters((where, command) for command, where in ONCE.items()))
def test_quick_commands_run_as_they_are_shown(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    if "mine.csv" in words:  # made by the command above it
        run(["race", "track", "--out", "mine.csv"])
    assert run(words) == 0, capsys.readouterr().err
