"""Options that every command shares, and how a command answers."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

Seed = Annotated[int, typer.Option("--seed", min=0, help="Same seed, same result.")]
Out = Annotated[Path, typer.Option("--out", help="Folder for the files that are written.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Processes that share the trials. [default: one a core]"),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray", metavar="ADDRESS", help="Do the trials on this Ray cluster; 'local' starts one here."
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with a run in the same folder that was interrupted: its finished trials are kept.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar and no summary.")]

_UNITS = {
    "s": "seconds time duration plan_duration engine_seconds select_seconds skill_seconds skid_seconds dt "
    "timestep longest_stand settling_time position_error_step lap_time baseline_time centre_time "
    "seconds_straight_on impossible_turn_fell_after",
    "m": "length distance deviation_max narrowest tightest_radius least_margin mean_error max_error "
    "first_position_error last_position_error",
    "m/s": "speed max_speed mean_speed emergency_mean_speed weave_speed weave_speed_theory capsize_speed "
    "capsize_speed_theory",
    "kg": "rider_mass total_mass",
    "rad": "turn_left turn_left_reached turn_right turn_right_reached greatest_lean impossible_turn",
    "times": "realtime_factor",
}
UNITS = {key: unit for unit, keys in _UNITS.items() for key in keys.split()}  # of results, for people


def refuse_unless(used: bool, context: typer.Context, name: str, why: str) -> None:
    """Refuse a parameter that was given, rather than left at its default, and would not be of any use."""
    from swerve.core.errors import BadInput

    source = context.get_parameter_source(name)
    given = source is not None and not source.name.startswith("DEFAULT")
    if given and not used:
        raise BadInput("--" + name.replace("_", "-"), context.params[name], why)


class DefaultGroup(typer.core.TyperGroup):
    """A group whose first word may be left out: `swerve race cornered` means `swerve race drive cornered`."""

    default = "run"

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: typer.Context, incomplete: str) -> Any:  # type: ignore[override]
        """Its commands, and what the one that may be left out takes first."""
        first = self.commands[self.default].params[0]
        return [*super().shell_complete(ctx, incomplete), *first.shell_complete(ctx, incomplete)]


def group_with_default(name: str) -> type[DefaultGroup]:
    return type("DefaultGroup", (DefaultGroup,), {"default": name})


def answer(result: dict[str, Any], as_json: bool, quiet: bool, title: str = "") -> None:
    """Print a result: one JSON object, or for a person a table of its plain values and how to see it move."""
    from swerve.core.files import to_json

    if as_json:
        print(to_json(result))
        return
    if quiet:
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", show_header=False, box=None, pad_edge=False)
    for key, value in result.items():
        if key == "files":
            value = "\n".join(map(str, value))
        if isinstance(value, (dict, list)):
            continue
        table.add_row(f"[bold]{key.replace('_', ' ')}[/]", shown(key, value))
    Console().print(table)
    if result.get("recording"):
        say(f"See it move: {result.get('page') or f'{program()} show ' + str(result['recording'])}")


def program() -> str:
    """What one types for this command here: swerve where it is on the path, else where it lies."""
    ours = Path(sys.executable).parent / "swerve"
    found = shutil.which("swerve")
    if found is not None and Path(found).parent.absolute() == ours.parent.absolute():
        return "swerve"
    if not ours.exists():
        return f"{shlex.quote(sys.executable)} -m swerve"
    near = ours.relative_to(Path.cwd()) if ours.is_relative_to(Path.cwd()) else ours
    return shlex.quote(str(near))


def listing(what: str, words: Mapping[str, str], as_json: bool) -> None:
    """Print names with a line about each: one JSON object, or a table."""
    from swerve.core.files import to_json

    if as_json:
        print(to_json({what: dict(words)}))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    for name, line in words.items():
        table.add_row(f"[bold]{name}[/]", line)
    Console().print(table)


def shown(key: str, value: object) -> str:
    """A value for a person, with its unit.

    >>> shown("mean_speed", 6.53421), shown("updates_per_cpu_second", 82670.4), shown("settling_time", None)
    ('6.534 m/s', '82,670', '–')
    """
    if value is None:
        return "–"
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return str(value)
    number = (
        str(value) if isinstance(value, int) else f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    )
    return f"{number} {UNITS[key]}" if key in UNITS else number


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
    from rich.console import Console

    Console(stderr=True).print(text, highlight=False)
