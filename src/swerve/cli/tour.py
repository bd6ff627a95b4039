"""`swerve tour`: one scene of everything, and a page that shows it."""

import os
import sys
import time
import traceback
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swerve.core.workers import Workers

from .names import stop_names
from .options import Json, Out, Quiet, Seed, program

if TYPE_CHECKING:
    from swerve.tour import Stop
    from swerve.tour.page import Failure


WORKERS = min(2, os.cpu_count() or 1)  # stops that are visited at once
FIRST = ("world", "terrain")  # what takes longest while kernels are compiled


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
    stops, failures = visit_all(names, out, seed, quiet, WORKERS)
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
    names: list[str], out: Path, seed: int, quiet: bool = False, workers: int = 1
) -> "tuple[list[Stop], list[Failure]]":
    """Visit the stops, as many at once as there are workers; one that fails does not keep the others from
    running, but a full disk does. Both lists are in the order of the names."""
    from swerve.tour.page import Failure

    order = sorted(range(len(names)), key=lambda k: (names[k] not in FIRST, k))
    items = [(k, (names[k], out, seed, quiet)) for k in order]
    crew = Workers(workers) if workers > 1 and len(names) > 1 else None
    visits = crew.run(_visit, items) if crew else ((k, _visit(item)) for k, item in items)
    found: dict[int, Stop | Failure] = {}
    try:
        for k, (one, seconds) in visits:
            if isinstance(one, OSError):
                raise one
            found[k] = one
            if isinstance(one, Failure):
                print(f"swerve: tour stop {names[k]} failed: {one.line}", file=sys.stderr, flush=True)
            elif not quiet:
                done = f"[{len(found)}/{len(names)}] {names[k]}: {one.title} ({seconds:.1f} s)"
                print(done, file=sys.stderr, flush=True)
    finally:
        if crew:
            crew.close()
    ended = [found[k] for k in range(len(names))]
    failed = [one for one in ended if isinstance(one, Failure)]
    return [one for one in ended if not isinstance(one, Failure)], failed


def _visit(asked: tuple[str, Path, int, bool]) -> "tuple[Stop | Failure | OSError, float]":
    """One stop, or why there is none, and the seconds it took; here or in a worker process."""
    from swerve.core.files import no_room
    from swerve.core.progress import be_quiet
    from swerve.tour.page import Failure, check

    name, out, seed, quiet = asked
    be_quiet(quiet)
    if sys.stderr.isatty() and not quiet:
        print(f"{name} …", file=sys.stderr, flush=True)
    started = time.perf_counter()
    try:
        stop: Stop | Failure | OSError = check(import_module(f"swerve.tour.{name}").visit(out, seed), out)
    except Exception as error:  # whatever it is, the other stops still run
        if (full := no_room(error)) is not None:
            return full, time.perf_counter() - started
        line = " ".join(f"{type(error).__name__}: {error}".split())
        stop = Failure(name, line, traceback.format_exc())
    return stop, time.perf_counter() - started
