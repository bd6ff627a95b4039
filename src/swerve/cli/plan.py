"""`swerve plan`: solve a physics-based planning problem with skills and tactics."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .choices import Measure, Planner, TacticKind
from .names import domain_names
from .options import Json, Out, Quiet, Seed, answer, refuse_unless, say, writable


def register(app: typer.Typer) -> None:
    app.command("plan", epilog="Example: swerve plan minigolf --seed 3")(plan)


def plan(
    context: typer.Context,
    domain: Annotated[
        str | None,
        typer.Argument(help="A domain or a file of one; none lists them.", autocompletion=domain_names),
    ] = None,
    planner: Annotated[
        Planner | None, typer.Option(help="How the tree is grown. [default: the domain's]")
    ] = None,
    mu: Annotated[
        float | None, typer.Option(help="Balance of bgt: leaf depth over branching. [default: adapts]")
    ] = None,
    hybrid_p: Annotated[float, typer.Option(help="Share of bgt in hybrid.")] = 0.5,
    tactic: Annotated[
        str,
        typer.Option(help="How skills follow each other: default, unconstrained, deterministic, or a file."),
    ] = TacticKind.DEFAULT.value,
    layout: Annotated[
        int | None, typer.Option(min=0, help="Instance of the domain. [default: the seed]")
    ] = None,
    nodes: Annotated[int | None, typer.Option(help="Most nodes in the tree. [default: the domain's]")] = None,
    iterations: Annotated[int | None, typer.Option(help="Most expansions. [default: the domain's]")] = None,
    solutions: Annotated[int, typer.Option(help="Solutions to find before choosing the best.")] = 1,
    measure: Annotated[Measure, typer.Option(help="What the best has least of.")] = Measure.DURATION,
    budget: Annotated[float | None, typer.Option(help="Most seconds to plan.")] = None,
    anytime: Annotated[
        bool | None,
        typer.Option(help="Improve the evaluation until a limit is reached. [default: the domain's]"),
    ] = None,
    lanes: Annotated[
        int | None, typer.Option(help="Most branches that grow side by side. [default: the domain's]")
    ] = None,
    threads: Annotated[int, typer.Option(help="Engine threads; the result does not depend on it.")] = 1,
    allow_import: Annotated[
        bool, typer.Option("--allow-import", help="Let a file name skills of your own code, as module:Class.")
    ] = False,
    seed: Seed = 0,
    out: Out = Path("out/plan"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Plan a motion through real physics, and write its recording and a picture of the search tree.

    Ends with 0 if the goal was reached, or something was found where an evaluation is improved (--anytime);
    else with 1.
    """
    from dataclasses import replace
    from difflib import get_close_matches

    from swerve.core.errors import BadInput, require
    from swerve.core.progress import be_quiet, share_done
    from swerve.core.provenance import provenance
    from swerve.tactics import DOMAINS, SolveOptions, load_domain, solve
    from swerve.tactics.learned import read_learned, with_learned
    from swerve.tactics.picture import draw_tree
    from swerve.tactics.record import record

    be_quiet(quiet)
    if domain is None:
        answer({"domains": list(DOMAINS)} if as_json else {"domains": ", ".join(DOMAINS)}, as_json, quiet)
        return
    require(0 <= hybrid_p <= 1, "--hybrid-p", hybrid_p, "must be a probability")
    if tactic not in list(TacticKind) and not Path(tactic).exists():
        near = get_close_matches(tactic, list(TacticKind), 1)
        hint = f". Did you mean '{near[0]}'?" if near else ""
        raise BadInput("--tactic", tactic, f"must be one of {', '.join(TacticKind)}, or a file{hint}")
    learned = None if tactic in list(TacticKind) else read_learned(tactic)
    options = SolveOptions(
        tactic=tactic if learned is None else TacticKind.DEFAULT.value,
        mu=mu,
        hybrid_p=hybrid_p,
        nodes=nodes,
        iterations=iterations,
        solutions=solutions,
        budget=budget,
        measure=measure,
        anytime=anytime,
        lanes=lanes,
    )
    writable(out)
    problem = load_domain(domain, seed if layout is None else layout, allow_import=allow_import)
    if learned is not None:
        problem = with_learned(problem, learned)
    used = planner or problem.planner
    refuse_unless(used in ("bgt", "hybrid"), context, "mu", f"is for bgt and hybrid, not for {used}")
    refuse_unless(used == "hybrid", context, "hybrid_p", f"is for hybrid, not for {used}")
    with share_done(f"planning {problem.name}") as show:
        found = solve(
            problem,
            used,
            options,
            seed=seed,
            threads=threads,
            progress=show,
        )
    result: dict[str, Any] = {
        "domain": problem.name,
        "planner": used,
        "solved": found.solved,
        "status": found.status.value,
        **found.stats,
        "plan_duration": found.duration if found.status.usable else None,
        "cost": found.cost,
        "tree_picture": draw_tree(found, out / "tree.png"),
        "recording": None,
        "plan": None,
    }
    if found.status.usable:
        meta = provenance(problem.name, seed)
        result["recording"] = record(found, meta).write(out / "recording.parquet")
        told = {name: told for name, told in found.stats.items() if not name.endswith("seconds")}
        result["plan"] = replace(found.with_meta(**meta), stats=told).save(
            out / "plan.parquet"
        )  # same bytes again
    else:
        for old in ("recording.parquet", "plan.parquet"):  # of another plan
            (out / old).unlink(missing_ok=True)
    for name, count in found.stats.get("cut_off", {}).items():
        say(f"swerve: skill {name} was busy without end and was cut off {count} times")
    for name, count in found.stats.get("at_horizon", {}).items():
        say(f"swerve: skill {name} had been busy for long when the horizon came {count} times")
    for hint in found.stats["hints"]:
        say(f"swerve: {hint}")
    answer(result if as_json else _told(result), as_json, quiet, title=problem.name)
    improving = problem.anytime if anytime is None else anytime
    if not found.solved and not (improving and found.status.usable):
        raise typer.Exit(1)


def _told(result: dict[str, Any]) -> dict[str, Any]:
    """The result with a line for each skill, for a person."""
    told = dict(result)
    for tactic, skills in result["skills"].items():
        for skill, counts in skills.items():
            words = [
                f"{n} {what.replace('_', ' ')}" for what, n in counts.items() if isinstance(n, int) and n
            ]
            told[f"{tactic}, {skill}"] = ", ".join(words) or "never chosen"
    return told
