"""`swerve learn`: a tactic that gets better from experience."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .names import domain_names
from .options import Json, Quiet, Ray, Resume, Seed, Workers, answer, writable


def register(app: typer.Typer) -> None:
    app.command("learn", epilog="Example: swerve learn minigolf --instances 20 --out golfer.json")(learn)


def learn(
    domain: Annotated[str, typer.Argument(help="A domain or a file of one.", autocompletion=domain_names)],
    instances: Annotated[int, typer.Option(min=1, max=1_000_000, help="Instances to learn from.")] = 60,
    tries: Annotated[int, typer.Option(min=0, help="Other weights of transitions to try.")] = 10,
    unseen: Annotated[int, typer.Option(min=0, help="Other instances to measure it on afterwards.")] = 20,
    workers: Workers = None,
    ray: Ray = None,
    resume: Resume = False,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("out/learn/tactic.json"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn from solved instances how often skills should follow each other and what they should draw, for
    `swerve plan --tactic FILE`; and tell how many nodes that saves on instances it has not seen."""
    from swerve.core.files import write_json
    from swerve.core.progress import be_quiet
    from swerve.core.sweep import resumable
    from swerve.tactics.learned import learn as learn_it
    from swerve.tactics.learned import measure

    be_quiet(quiet)
    writable(out.parent)
    first = 1000 * seed + 1
    with resumable(out.with_suffix(".ledger"), resume, workers, ray):
        learned, course = learn_it(domain, range(first, first + instances), tries, seed)
        result: dict[str, Any] = {"domain": domain, "instances": instances, "tries": course, "unseen": unseen}
        if unseen:
            others = range(first + 1_000_000, first + 1_000_000 + unseen)
            before, after = measure(domain, None, others), measure(domain, learned, others)
            result |= {"nodes_before": before[0], "nodes_after": after[0], "share": after[0] / before[0]}
            result |= {"solved_before": before[1], "solved_after": after[1]}
        result["tactic"] = write_json(out, learned.model_dump())
    answer(result, as_json, quiet, title=f"learn {domain}")
