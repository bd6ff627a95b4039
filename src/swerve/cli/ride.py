"""`swerve ride`: cyclists, what they can do, and what steers them."""

from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from . import ride_map, ride_meet, ride_steer
from .options import Json, Out, Quiet, answer, writable

app = typer.Typer(
    name="ride",
    help="Cyclists: check the bicycle, examine a rider's body, build mobility maps, follow paths, herd.",
    epilog="Try: swerve ride herd --riders 16 --seconds 20 — then: swerve ride path --curve 6",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


MORE: tuple[ModuleType, ...] = (
    ride_map,
    ride_steer,
    ride_meet,
)  # files with further subcommands; each has `register(app)`


def register(top: typer.Typer) -> None:
    for file in MORE:
        file.register(app)
    top.add_typer(app, name="ride")


@app.command(epilog="Example: swerve ride check --step 0.002")
def check(
    step: Annotated[float, typer.Option(help="Time step of the simulation [s].")] = 0.0005,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Hold the simulated bicycle against the closed-form theory of the benchmark bicycle.

    Weave and capsize speed, and the four eigenvalues from 1 to 10 m/s, found by pushing the simulated
    bicycle; beside each the theory and the relative error.
    """
    from swerve.core.progress import be_quiet, track
    from swerve.riders.bodies.identify import check_bicycle

    be_quiet(quiet)
    found = check_bicycle(step, watch=lambda speeds: track(speeds, "speeds"))
    result: dict[str, Any] = {
        "timestep": step,
        "weave_speed": found.weave_speed[0],
        "weave_speed_theory": found.weave_speed[1],
        "capsize_speed": found.capsize_speed[0],
        "capsize_speed_theory": found.capsize_speed[1],
        "largest_speed_error": found.speed_error,
        "largest_eigenvalue_error": float(found.errors.max()),
        "eigenvalues": [
            {
                "speed": float(v),
                "simulated": [[value.real, value.imag] for value in simulated],
                "theory": [[value.real, value.imag] for value in theory],
                "error": errors.tolist(),
            }
            for v, simulated, theory, errors in zip(
                found.speeds, found.simulated, found.theory, found.errors, strict=True
            )
        ],
    }
    answer(result, as_json, quiet, title=f"benchmark bicycle, step {1000 * step:g} ms")
    if not as_json and not quiet:
        from rich.console import Console
        from rich.table import Table

        table = Table(title="eigenvalues [1/s]", title_justify="left", box=None, pad_edge=False)
        for heading in ("m/s", "simulated", "theory", "error"):
            table.add_column(heading, justify="right")
        for v, *rows in zip(found.speeds, found.simulated, found.theory, found.errors, strict=True):
            for simulated, theory, error in zip(*rows, strict=True):
                if theory.imag >= 0:  # the other of a pair says the same
                    table.add_row(f"{v:g}", _complex(simulated), _complex(theory), f"{error:.3%}")
        Console().print(table)


def _complex(value: complex) -> str:
    return f"{value.real:.4f}" if abs(value.imag) < 1e-9 else f"{value.real:.4f} ± {abs(value.imag):.4f} i"


@app.command(epilog="Example: swerve ride body --rider alien")
def body(
    rider: Annotated[str, typer.Option(help="human, alien, or a YAML file with a rider.")] = "human",
    seconds: Annotated[float, typer.Option(min=1.0, help="How long to ride straight on [s].")] = 60.0,
    out: Out = Path("out/ride"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Examine a rider in full physics: a ride straight on, turns to the ends of its range of commands, and a
    turn nobody can make.

    Writes pictures of the body, of a turn and of it from behind, moment by moment, and recordings of the turn
    to the left and of the fall. Exit status 1 when it falls straight on or in its own turns.
    """
    from swerve.core.progress import be_quiet
    from swerve.core.provenance import provenance
    from swerve.riders.bodies.examine import examine
    from swerve.riders.bodies.rider import load_rider
    from swerve.riders.draw_bodies import draw_body, draw_strip, draw_turn
    from swerve.riders.record import record_manoeuvre

    be_quiet(quiet)
    writable(out)
    who = load_rider(rider)
    found = examine(who, float(round(seconds)))
    files = [
        draw_body(out / f"{who.name}-body.png", who),
        draw_turn(out / f"{who.name}-turn.png", found),
        *(
            record_manoeuvre(who, turn, provenance(f"{who.name} {word}s", 0)).write(
                out / f"{who.name}-{word}.parquet"
            )
            for word, turn in (("turn", found.turns[0]), ("fall", found.impossible))
        ),
        draw_strip(out / f"{who.name}-strip.png", who, who.turns[1]),
    ]
    result = {**found.summary(), "recording": str(files[2]), "files": [str(f) for f in files]}
    answer(result, as_json, quiet, title=f"rider {who.name}")
    return int(bool(result["fell_in_turns"]) or found.straight_seconds < round(seconds))
