"""`swerve study`: reproduce a table or figure of the original works."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from .choices import Planner
from .names import study_names
from .options import Json, Out, Quiet, Ray, Resume, Seed, Workers, listing, writable


def register(app: typer.Typer) -> None:
    app.command("study", epilog="Example: swerve study adam-4.1 --trials 3")(study)


def study(
    name: Annotated[
        str | None, typer.Argument(help="Which study; none lists them.", autocompletion=study_names)
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1, max=1_000_000, help="Repetitions with different seeds (default: the study's own)."
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="roads: the folder whose files are driven.", show_default=False)
    ] = None,
    take: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="adam-human: the recording of a drive.", show_default=False),
    ] = None,
    track: Annotated[
        str | None,
        typer.Option(help="adam-human: its track, where the recording does not say.", show_default=False),
    ] = None,
    body: Annotated[
        int | None, typer.Option(help="adam-human: which body of the recording.", show_default=False)
    ] = None,
    lanes: Annotated[
        int | None, typer.Option(min=1, help="zickler-6.1 to 6.4: most branches that grow side by side.")
    ] = None,
    planner: Annotated[
        Planner | None,
        typer.Option(help="zickler-6.1 and 6.3: one more planner; 6.2 and 6.4: that one instead of bgt."),
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
    resume: Resume = False,
    seed: Seed = 0,
    out: Out = Path("out/studies"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce a table or figure of the original works, and say which of its conclusions hold here.

    Finished trials are written down in NAME.ledger as they come, until the report is there. Killed at any
    moment, the study goes on from them with --resume; without it, it begins anew and puts them aside."""
    from rich.console import Console
    from rich.markdown import Markdown

    from swerve.core.errors import BadInput
    from swerve.core.files import to_json
    from swerve.core.progress import be_quiet
    from swerve.core.sweep import resumable
    from swerve.studies import STUDIES
    from swerve.studies import study as find

    be_quiet(quiet)
    if name is None:
        listing("studies", {key: entry.summary for key, entry in STUDIES.items()}, as_json)
        return
    run = find(name)
    writable(out)
    started = time.perf_counter()
    asked: dict[str, Any] = {}
    for option, value, owner in (
        ("folder", folder, "roads"),
        ("take", take, "adam-human"),
        ("track", track, "adam-human"),
        ("body", body, "adam-human"),
    ):
        if value is not None and name != owner:
            raise BadInput(f"--{option}", str(value), f"is for the study {owner} only")
        if name == owner:
            asked[option] = value
    if trials is not None and STUDIES[name].once:
        raise BadInput("--trials", trials, f"is not for {name}, which is worked out once")
    for option, given in (("lanes", lanes), ("planner", planner.value if planner else None)):
        if given is None:
            continue
        if option not in STUDIES[name].options:
            takers = ", ".join(one for one, entry in STUDIES.items() if option in entry.options)
            raise BadInput(f"--{option}", given, f"is for the studies {takers} only")
        asked[option] = given
    with resumable(out / f"{name}.ledger", resume, workers, ray):
        report = run(out, seed, trials, **asked)
        report.write(out)
    seconds = time.perf_counter() - started
    if as_json:
        print(to_json({**report.as_dict(), "seconds": seconds}))
    elif not quiet:
        console = Console()
        console.print(Markdown(report.markdown(pictures=False, widest=console.width)))
        console.print(f"{seconds:.1f} s; " + ", ".join(str(path) for path in report.files))
