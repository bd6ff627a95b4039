"""`swerve bench`: measurements against other ways of doing the same, ratios in one run."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Any

import typer

from .options import Json, Quiet, answer


def register(app: typer.Typer) -> None:
    app.command("bench", epilog="Example: swerve bench race --json")(bench)


def bench(
    name: Annotated[str | None, typer.Argument(help="Which measurement, or 'all'; none lists them.")] = None,
    vehicles: Annotated[int | None, typer.Option(help="city: only this many vehicles.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure against references and peers. Absolute times depend on the machine; compare the ratios."""
    import swerve.bench
    from swerve.core.errors import BadInput
    from swerve.core.progress import be_quiet

    be_quiet(quiet)
    known = sorted(m.name for m in iter_modules(swerve.bench.__path__) if not m.name.startswith("plain_"))
    if name is None:
        answer({"bench": ", ".join(known)} if not as_json else {"benches": known}, as_json, quiet)
        return
    if name != "all" and name not in known:
        raise BadInput("bench", name, f"must be one of {', '.join(known)}")
    if vehicles is not None and name != "city":
        raise BadInput("--vehicles", vehicles, "is for the bench city only")
    options = {} if vehicles is None else {"vehicles": vehicles}
    results: dict[str, Any] = {
        one: import_module(f"swerve.bench.{one}").run(**options)
        for one in (known if name == "all" else [name])
    }
    if name != "all":
        answer(results[name], as_json, quiet, title=f"bench {name}")
    elif as_json:
        answer(results, as_json, quiet)
    else:
        for one, result in results.items():
            answer(result, as_json, quiet, title=f"bench {one}")
