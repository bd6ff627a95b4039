"""`swerve team`: one of our teams plays in a simulator of others."""

from pathlib import Path
from typing import Annotated

import typer

from swerve.core.interrupts import INTERRUPTED, noticing_interrupts

from .choices import Colour, FieldName
from .names import team_names
from .options import Json, Quiet, Seed, answer, say


def register(app: typer.Typer) -> None:
    app.command("team", epilog="Example: swerve team swerve --connect 127.0.0.1:10300 --color yellow")(team)


def team(
    name: Annotated[
        str,
        typer.Argument(metavar="TEAM", help="A team's name, or a file of plays.", autocompletion=team_names),
    ] = "swerve",
    connect: Annotated[
        str,
        typer.Option(
            help="HOST:PORT of the simulator's control; blue's and yellow's ports are the next two."
        ),
    ] = "127.0.0.1:10300",
    color: Annotated[Colour, typer.Option(help="Which side to play.")] = Colour.BLUE,
    vision: Annotated[
        str, typer.Option(help="[HOST:]PORT where SSL-Vision's packets arrive; a multicast group is joined.")
    ] = "127.0.0.1:10020",
    referee: Annotated[
        str,
        typer.Option(help="[HOST:]PORT where the game controller's arrive; without any the game just runs."),
    ] = "127.0.0.1:10003",
    field: Annotated[
        FieldName, typer.Option(help="How many a side, and the field until the simulator has said its size.")
    ] = FieldName.DIVISION_B,
    latency: Annotated[int, typer.Option(min=0, max=12, help="Frames until what is done is seen.")] = 2,
    minutes: Annotated[
        float | None,
        typer.Option(min=0.0, help="Stop after so long. [default: at the end of the game, or Ctrl-C]"),
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Play in another program's simulator, over the league's protocols.

    The team sees by SSL-Vision, hears the game controller, and moves its robots by the simulation protocol.
    To try it with our own simulator, in two terminals:

    swerve match --listen yellow --minutes 2

    swerve team swerve --color yellow --latency 3

    In a league's network: --connect 192.168.0.5:10300 --vision 224.5.23.2:10006 --referee 224.5.23.1:10003.
    Packets that cannot be read or hold nonsense are left out and counted as ignored."""
    import time

    from swerve.core.progress import be_quiet
    from swerve.soccer import Sight, load_field
    from swerve.soccer.connect import Address, Connection

    be_quiet(quiet)
    simulator = Address.read("connect", connect, 10300)
    ears = Address.read("vision", vision, 10020), Address.read("referee", referee, 10003)
    side = 0 if color is Colour.BLUE else 1
    place, sight = load_field(field.value), Sight(latency=latency)
    with (
        noticing_interrupts() as interrupted,
        Connection(name, side, place, simulator, *ears, sight=sight, seed=seed) as connection,
    ):
        if not quiet and not as_json:
            port = simulator.port + 1 + side
            say(f"Playing {color.value} at {simulator.host}:{port}, seeing by {vision}. Ctrl-C ends it.")
        until = time.monotonic() + 60 * minutes if minutes is not None else float("inf")
        account = connection.run(lambda: time.monotonic() < until and not interrupted())
    result = {"team": Path(name).stem, "color": color.value, **vars(account)}
    answer(result, as_json, quiet, title=f"{Path(name).stem} ({color.value})")
    if interrupted():
        return INTERRUPTED
    return 0 if account.decisions else 1
