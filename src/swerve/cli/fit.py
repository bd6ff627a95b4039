"""`swerve fit`: fit the materials of a planner's model to what really happened."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .choices import FitFidelity, FitMethod
from .names import domain_names
from .options import Json, Out, Quiet, Ray, Resume, Seed, Workers, answer, shown, writable

if TYPE_CHECKING:
    from swerve.tactics.loop.fit import Fit


def register(app: typer.Typer) -> None:
    app.command("fit", epilog="Example: swerve fit minigolf --evaluations 100 --courses 2 --shots 2")(fit)


def fit(
    domain: Annotated[
        str, typer.Argument(help="minigolf, or a domain or its file.", autocompletion=domain_names)
    ],
    recordings: Annotated[
        list[Path] | None,
        typer.Argument(help="Recordings of what really happened; minigolf makes its own."),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(help="BODY.FIELD:LOW:HIGH, repeated. [default for minigolf: six]"),
    ] = None,
    method: Annotated[FitMethod, typer.Option(help="Optimiser, or both.")] = FitMethod.NELDER_MEAD,
    evaluations: Annotated[int, typer.Option(min=1, help="Most evaluations of all episodes.")] = 600,
    fidelity: Annotated[
        FitFidelity | None,
        typer.Option(help="Repeat episodes in the engine, or on a planar model. [default: planar if it can]"),
    ] = None,
    courses: Annotated[int, typer.Option(min=0, help="minigolf: courses to try it on afterwards.")] = 10,
    shots: Annotated[int, typer.Option(min=1, help="minigolf: shots a course, before and after.")] = 10,
    threads: Annotated[int, typer.Option(min=1, help="Engine threads.")] = 2,
    workers: Workers = None,
    ray: Ray = None,
    resume: Resume = False,
    seed: Seed = 0,
    out: Out = Path("out/fit"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit parameters so that the model repeats episodes; tell how much better plans work on new courses.

    With both optimisers, the numbers of the one that ends with less error count."""
    from dataclasses import asdict, replace

    from swerve.core.errors import require
    from swerve.core.files import write_json
    from swerve.core.progress import be_quiet, share_done
    from swerve.core.recording import Recording
    from swerve.core.seeding import generator
    from swerve.core.sweep import resumable
    from swerve.tactics import load_domain
    from swerve.tactics.loop import with_materials
    from swerve.tactics.loop.episodes import check_made_of, minigolf_episodes, recorded_episodes, yard
    from swerve.tactics.loop.fit import GUESSED, METHODS, MINIGOLF, draw_course, parse_bounds
    from swerve.tactics.loop.fit import fit as fit_it
    from swerve.tactics.loop.practice import measured
    from swerve.tactics.loop.shots import compare

    be_quiet(quiet)
    writable(out)
    bounds = parse_bounds(parameter or [])
    if recordings:
        problem = load_domain(domain, seed)
        episodes = []
        for path in recordings:
            recording = Recording.read(path)
            check_made_of(recording, domain, problem.world, seed, str(path))
            episodes += recorded_episodes(problem, recording, str(path))
        require(bool(bounds), "--parameter", None, "is needed: which numbers of which bodies to fit")
    else:
        require(domain == "minigolf", "domain", domain, "needs recordings; only minigolf makes its own")
        problem = yard()
        problem = replace(problem, world=with_materials(problem.world, GUESSED))
        episodes = minigolf_episodes(generator(seed, "episodes"))
        bounds = bounds or MINIGOLF
    with resumable(out / "fit.ledger", resume, workers, ray):
        fits = {}
        for name in METHODS if method is FitMethod.BOTH else (method.value,):
            with share_done(f"fitting {domain}, {name}") as show:
                fits[name] = fit_it(
                    problem.world, episodes, bounds, name, evaluations, seed, threads, show, fidelity
                )
        best = min(fits, key=lambda name: fits[name].error_after)
        found = fits[best]
        before, after = found.before, found.after
        said = {name: value for name, value in before.items() if value is not None}
        scatter = None
        if not recordings:  # what the robot's own strike gives is measured, not fitted
            before, said = {**GUESSED, **before}, {**GUESSED, **said}
            after, scatter = measured({**said, **after}, seed)
        result: dict[str, Any] = {
            "domain": domain,
            "method": best,
            "episodes": len(episodes),
            "evaluations": found.evaluations,
            "parameters_before": before,
            "parameters_after": after,
            "scatter": asdict(scatter) if scatter is not None else None,
            "error_before": found.error_before,
            "error_after": found.error_after,
            "without_influence": list(found.unfelt),
            "at_ends": list(found.at_ends),
            "success_before": None,
            "success_after": None,
        }
        if len(fits) > 1:
            result["methods"] = {name: _beside(each) for name, each in fits.items()}
        if not recordings and courses:
            first, then = compare(said, after, courses, shots, seed, scatter=scatter)
            result |= {"success_before": first.rate, "success_after": then.rate}
            result |= {"interval_95_before": first.interval_95, "interval_95_after": then.interval_95}
            result |= {"planned_before": first.planned_rate, "planned_after": then.planned_rate}
            result |= {"courses": courses, "shots": shots}
        result["picture"] = draw_course(fits if len(fits) > 1 else found, out / "fit.png")
        result["course"] = found.course
        result["parameters"] = write_json(out / "parameters.json", result)
    answer(result if as_json else _readable(result), as_json, quiet, title=f"fit {domain}")


def _readable(result: dict[str, Any]) -> dict[str, Any]:
    """The result as a table shows it to a person: a line a number, as it was and as it was fitted."""
    before, after = result["parameters_before"], result["parameters_after"]
    lines = [f"{name}  {shown(name, before.get(name))} → {shown(name, after[name])}" for name in after]
    told: dict[str, Any] = {"fitted": "\n".join(lines)}
    told |= {name: ", ".join(result[name]) or None for name in ("without_influence", "at_ends")}
    ranges = {
        name: "{:.2f} to {:.2f}".format(*result[name]) for name in result if name.startswith("interval")
    }
    return {**result, **told, **ranges}


def _beside(found: "Fit") -> dict[str, Any]:
    """What one optimiser found, to be read beside the other's."""
    return {
        "evaluations": found.evaluations,
        "error_after": found.error_after,
        "evaluations_to_best": int(found.course[-1]["evaluation"]),
        "parameters_after": found.after,
        "course": found.course,
    }
