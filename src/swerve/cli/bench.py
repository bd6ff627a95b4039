"""`swerve bench`: measurements against other ways of doing the same, ratios in one run."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from .names import bench_names
from .options import Json, Quiet, answer


def register(app: typer.Typer) -> None:
    app.command("bench", epilog="Example: swerve bench race --json")(bench)


def bench(
    name: Annotated[
        str | None,
        typer.Argument(help="Which measurement, or 'all'; none lists them.", autocompletion=bench_names),
    ] = None,
    vehicles: Annotated[int | None, typer.Option(help="city, districts: this many vehicles.")] = None,
    circuits: Annotated[
        Path | None, typer.Option(help="terrain: a circuit, or a folder of them, for the laps.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure against references and peers. Absolute times depend on the machine; compare the ratios."""
    from swerve.core.errors import BadInput
    from swerve.core.progress import be_quiet

    be_quiet(quiet)
    names = bench_names()
    if name is None:
        words = {one: _summary(f"swerve.bench.{one}") for one in names}
        answer({"benches": names} if as_json else words, as_json, quiet)
        return
    if name != "all" and name not in names:
        raise BadInput("bench", name, f"must be one of {', '.join(names)}")
    if vehicles is not None and name not in ("city", "districts"):
        raise BadInput("--vehicles", vehicles, "is for the benches city and districts only")
    if circuits is not None and name != "terrain":
        raise BadInput("--circuits", str(circuits), "is for the bench terrain only")
    given = {"vehicles": vehicles, "circuits": circuits}
    options = {key: value for key, value in given.items() if value is not None}
    results: dict[str, Any] = {
        one: import_module(f"swerve.bench.{one}").run(**options)
        for one in (names if name == "all" else [name])
    }
    if as_json:
        answer(results if name == "all" else results[name], as_json, quiet)
    else:
        for one, result in results.items():
            answer(_flat(result), as_json, quiet, title=f"bench {one}")


def _flat(result: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Figures within figures, under all their names."""
    flat: dict[str, Any] = {}
    for key, value in result.items():
        flat |= _flat(value, f"{before}{key} ") if isinstance(value, dict) else {before + key: value}
    return flat


def _summary(module: str) -> str:
    """The first sentence of a module's own words, read without loading what it measures with."""
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None
    words = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return " ".join(words.split("\n\n")[0].split())
