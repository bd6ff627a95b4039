"""The entry of the command: assembles the commands and turns errors into one line and an exit status."""

import os
import re
import sys
from functools import cache
from importlib import import_module
from typing import Any

import typer

from swerve.core.errors import SwerveError
from swerve.core.interrupts import INTERRUPTED, ending_by_interrupts

COMMANDS = (
    "race",
    "plan",
    "play",
    "fit",
    "learn",
    "terrain",
    "ride",
    "city",
    "match",
    "team",
    "see",
    "scene",
    "study",
    "bench",
    "show",
    "export",
    "studio",
    "tour",
)


class InOrder(typer.core.TyperGroup):
    """Lists its commands in the order of `COMMANDS`, wings first."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return sorted(super().list_commands(ctx), key=COMMANDS.index)


def _version(value: bool) -> None:
    if value:
        from swerve import __version__

        print(f"swerve {__version__}")
        raise typer.Exit


def _top(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


@cache
def app(*names: str) -> typer.Typer:
    """The command with the commands of these names, or with all: to load them takes longer than many do."""
    whole = typer.Typer(
        name="swerve",
        cls=InOrder,
        help="Plan and simulate the motion of things that cannot stop at once.",
        epilog="Start with: swerve tour — or: swerve race final",
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    whole.callback()(_top)
    for name in names or COMMANDS:
        import_module(f"swerve.cli.{name}").register(whole)
    return whole


def main(arguments: list[str] | None = None) -> None:
    """Run the command and exit: 0 done, 1 ran without an answer, 2 bad input, 130 interrupted."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """As `main`, but give the status back."""
    with ending_by_interrupts() as pressed:
        try:
            return _run(arguments)
        except (Exception, KeyboardInterrupt):
            if not pressed():
                raise
            return _interrupted()  # it came late, or out of somebody else's code as another error


def _run(arguments: list[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    asked = [word for word in words[:1] if word in COMMANDS]
    try:
        result: Any = app(*asked)(arguments, prog_name="swerve", standalone_mode=False)
    except SwerveError as error:
        return _refuse(str(error))
    except typer.TyperException as error:  # wrong options and arguments
        message = " ".join(error.format_message().split())
        if not message:  # help was asked for by giving no arguments
            return 0
        choice = _CHOICE.search(message)
        said = _not_one_of(*choice.groups()) if choice else f"{message}{_given(error)} (see --help)"
        return _refuse(said, error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a disk that is full, a folder that cannot be written
        where = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{where}{error.strerror or error}")
    if result == INTERRUPTED:
        return _interrupted()
    return result if isinstance(result, int) else 0


def _interrupted() -> int:
    print("swerve: interrupted", file=sys.stderr)
    return INTERRUPTED


_CHOICE = re.compile(r"Invalid value for '([^']*)': .*?'(.*)' is not one of ('.*')")


def _not_one_of(option: str, given: str, choices: str) -> str:
    """A word that an option does not know, as our own errors say it, with the nearest that it knows.

    >>> _not_one_of("--goal", "finsh", "'finish', 'far'")
    "--goal: must be one of finish, far, got 'finsh'. Did you mean 'finish'?"
    """
    words = re.findall(r"'([^']*)'", choices)
    from difflib import get_close_matches

    near = get_close_matches(given, words, 1)
    hint = f". Did you mean '{near[0]}'?" if near else ""
    return f"{option}: must be one of {', '.join(words)}, got {given!r}{hint}"


def _given(error: Exception) -> str:
    """The value that an option could not take, where it is known: messages about types leave it out."""
    try:
        return f", got {error.__cause__.errors()[0]['input']!r}"  # type: ignore[union-attr]
    except (AttributeError, LookupError, TypeError):
        return ""


def _refuse(message: str, status: int = 2) -> int:
    print(f"swerve: {message}", file=sys.stderr)
    return status
