"""`swerve tour`: one scene of everything, and a page that shows it."""

import sys
import time
import traceback
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .names import stop_names
from .options import Json, Out, Quiet, Seed, program

if TYPE_CHECKING:
    from swerve.tour import Stop
    from swerve.tour.page import Failure


def register(app: typer.Typer) -> None:
    app.command("tour", epilog="Example: swerve tour --only race")(tour)


def tour(
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Visit this stop alone; repeatable.", autocompletion=stop_names),
    ] = None,
    seed: Seed = 0,
    out: Out = Path("out/tour"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Plan and simulate one scene of every wing, and write a page with pictures, animations and figures."""
    import swerve.tour
    from swerve.core.errors import BadInput
    from swerve.core.files import to_json
    from swerve.core.progress import be_quiet
    from swerve.tour.page import write_page

    be_quiet(quiet)
    for name in only or ():
        if name not in swerve.tour.STOPS:
            raise BadInput("--only", name, f"must be one of {', '.join(swerve.tour.STOPS) or 'no stops'}")
    names = [name for name in swerve.tour.STOPS if not only or name in only]
    started = time.perf_counter()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"out {out}", None, f"cannot be written ({error.strerror})") from error
    stops, failures = visit_all(names, out, seed, quiet)
    seconds = time.perf_counter() - started
    page = write_page(stops, out, seconds, failures, seed, program())
    if as_json:
        listed = [
            {"wing": stop.wing, "title": stop.title, "figures": [asdict(figure) for figure in stop.figures]}
            for stop in stops
        ]
        failed = [{"stop": failure.stop, "why": failure.line} for failure in failures]
        print(to_json({"page": page, "stops": listed, "failed": failed, "seconds": seconds}))
    else:
        print(page)
    if failures:
        raise typer.Exit(1)


def visit_all(
    names: list[str], out: Path, seed: int, quiet: bool = False
) -> "tuple[list[Stop], list[Failure]]":
    """Visit the stops one after another; one that fails does not keep the others from running."""
    from swerve.tour.page import Failure, check

    stops, failures = [], []
    for count, name in enumerate(names, 1):
        if sys.stderr.isatty() and not quiet:
            print(f"[{count}/{len(names)}] {name} …", file=sys.stderr, flush=True)
        started = time.perf_counter()
        try:
            stop = check(import_module(f"swerve.tour.{name}").visit(out, seed), out)
        except Exception as error:  # whatever it is, the other stops still run
            line = " ".join(f"{type(error).__name__}: {error}".split())
            failures.append(Failure(name, line, traceback.format_exc()))
            print(f"swerve: tour stop {name} failed: {line}", file=sys.stderr, flush=True)
            continue
        stops.append(stop)
        if not quiet:
            seconds = time.perf_counter() - started
            print(
                f"[{count}/{len(names)}] {name}: {stop.title} ({seconds:.1f} s)", file=sys.stderr, flush=True
            )
    return stops, failures
