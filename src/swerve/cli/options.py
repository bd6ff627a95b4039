"""Options that every command shares, and how a command answers."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

Seed = Annotated[int, typer.Option("--seed", min=0, help="Same seed, same result.")]
Out = Annotated[Path, typer.Option("--out", help="Folder for the files that are written.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar and no summary.")]


class DefaultGroup(typer.core.TyperGroup):
    """A group whose first word may be left out: `swerve race cornered` means `swerve race drive cornered`."""

    default = "run"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [self.default, *args]
        return super().parse_args(ctx, args)


def group_with_default(name: str) -> type[DefaultGroup]:
    return type("DefaultGroup", (DefaultGroup,), {"default": name})


def answer(result: dict[str, Any], as_json: bool, quiet: bool, title: str = "") -> None:
    """Print a result: one JSON object, or a two-column table of its plain values for a person."""
    from swerve.core.files import to_json

    if as_json:
        print(to_json(result))
        return
    if quiet:
        return
    table = Table(title=title, title_justify="left", show_header=False, box=None, pad_edge=False)
    for key, value in result.items():
        if isinstance(value, (dict, list)):
            continue
        shown = f"{value:.4g}" if isinstance(value, float) else str(value)
        table.add_row(f"[bold]{key.replace('_', ' ')}[/]", shown)
    Console().print(table)


def writable(folder: Path) -> None:
    """Refuse, before long work, a folder that cannot be one; it is not made yet."""
    from swerve.core.errors import BadInput

    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise BadInput("--out", str(folder), f"cannot be written: {nearest} is not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise BadInput("--out", str(folder), f"cannot be written: no permission in {nearest}")


def say(text: str) -> None:
    """A line for a person, on standard error."""
    Console(stderr=True).print(text, highlight=False)
