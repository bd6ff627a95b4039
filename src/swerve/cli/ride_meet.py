"""`swerve ride cross`: two riders on ways that cross."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .ride_party import Party, for_party


def register(app: typer.Typer) -> None:
    app.command("cross", epilog="Example: swerve ride cross --rider human --blind --seed 3")(cross)


@for_party("full", "map")
def cross(
    party: Party,
    blind: Annotated[bool, typer.Option(help="Neither looks where the other is going.")] = False,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long [s].")] = 8.0,
) -> None:
    """Two riders that would meet where their ways cross; who has the other on its right waits.

    Exit 1 when a rider fell.
    """
    from swerve.core.provenance import provenance
    from swerve.core.show.player import write_player
    from swerve.riders.steering.crossing import crossing, outcome

    steering = party.steering("lod", "path")
    world = crossing(lambda: party.ride(1), party.body.speed, steering, party.seed, not blind)
    world.meta |= provenance("two riders cross", party.seed, rider=party.body.name, detail=party.detail)
    recording = world.run(seconds)
    stem = party.out / f"{party.body.name}-cross{'-blind' if blind else ''}"
    result: dict[str, Any] = {"detail": party.detail, "blind": blind, **outcome(world)}
    result["recording"] = str(recording.write(f"{stem}.parquet"))
    result["page"] = str(write_player(recording, f"{stem}.html", "two riders cross"))
    party.answer(result, "two riders cross")
    if result["falls"]:
        raise typer.Exit(1)
