"""`swerve match`: two teams of robots play soccer."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from swerve.core.interrupts import INTERRUPTED, noticing_interrupts

from .choices import FieldName, Listened
from .names import team_names
from .options import Json, Out, Quiet, Seed, answer, refuse_unless, say, writable


def register(app: typer.Typer) -> None:
    app.command("match", epilog="Example: swerve match --blue swerve --yellow reactive --minutes 1")(match)


def match(
    context: typer.Context,
    blue: Annotated[
        str, typer.Option(help="A team's name, or a file of plays.", autocompletion=team_names)
    ] = "swerve",
    yellow: Annotated[
        str, typer.Option(help="A team's name, or a file of plays.", autocompletion=team_names)
    ] = "reactive",
    minutes: Annotated[float, typer.Option(help="Minutes of play, both halves together.")] = 2.0,
    field: Annotated[
        FieldName, typer.Option(help="division-b: six a side; seed: five, on a smaller field.")
    ] = FieldName.DIVISION_B,
    latency: Annotated[int, typer.Option(min=0, max=12, help="Frames until what was seen is known.")] = 3,
    noise: Annotated[float, typer.Option(min=0, max=50, help="Factor on the noise of what is seen.")] = 1.0,
    eyes: Annotated[
        bool, typer.Option("--eyes", help="Both sides know only what cameras above the field see. Slow.")
    ] = False,
    listen: Annotated[
        Listened | None,
        typer.Option(help="Who is played by programs of others, over the league's simulation protocol."),
    ] = None,
    port: Annotated[
        int, typer.Option(min=1024, max=65533, help="Where one listens: control, then blue, then yellow.")
    ] = 10300,
    vision_port: Annotated[
        int, typer.Option("--vision-port", min=1024, max=65535, help="Where pictures are sent to.")
    ] = 10020,
    seed: Seed = 0,
    out: Out = Path("out/match"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Two teams play soccer at 60 Hz: plays, roles, navigation, a referee, late and noisy sight.

    Writes a recording of the match and a picture of it. With --listen Ctrl-C ends it, and what was played is
    written."""
    from swerve.core.errors import require
    from swerve.core.progress import be_quiet, share_done
    from swerve.core.provenance import provenance
    from swerve.soccer import MatchOptions, Sight, play_match
    from swerve.soccer.match.picture import draw
    from swerve.soccer.match.record import record

    be_quiet(quiet)
    require(not eyes or noise == 1.0, "--noise", noise, "cannot be told with --eyes: cameras have their own")
    for name in ("port", "vision_port"):
        refuse_unless(listen is not None, context, name, "needs --listen")
    writable(out)
    plain = Sight()
    sight = Sight(noise * plain.place, noise * plain.ball, noise * plain.heading, latency)
    options = MatchOptions(place=field.value, minutes=minutes, sight=sight, eyes=eyes)
    names = [Path(name).stem for name in (blue, yellow)]
    interrupted = False
    if listen is not None:
        from swerve.soccer.league.server import Ports
        from swerve.soccer.listen import listen as play_with

        sides = {"blue": (0,), "yellow": (1,), "both": (0, 1)}[listen.value]
        names = ["guest" if side in sides else name for side, name in enumerate(names)]
        ports = Ports(port, port + 1, port + 2, vision_port)
        if not quiet and not as_json:
            say(f"Listening on 127.0.0.1, ports {port} to {port + 2}; pictures go to {vision_port}.")
        pressed: list[Callable[[], bool]] = []
        with ExitStack() as stack:
            played = play_with(
                blue,
                yellow,
                sides,
                options,
                seed,
                ports,
                started=lambda _: pressed.append(stack.enter_context(noticing_interrupts())),
                ended=lambda: pressed[0](),
            )
        interrupted = pressed[0]()
        if not played.log.frames:
            return INTERRUPTED
    else:
        with share_done("playing") as progress:
            played = play_match(blue, yellow, options, seed, progress)
    score, log = played.referee.score, played.log
    lasted = round(played.referee.t / 60, 3) if interrupted else minutes
    title = f"{names[0]} (blue) {score[0]} : {score[1]} {names[1]} (yellow), {lasted:g} min"
    meta = {**provenance("match", seed), "teams": names}
    result: dict[str, Any] = {
        **played.as_dict(),
        "picture": draw(log, played.referee, out / "match.png", title),
        "recording": record(log, played.referee, meta).write(out / "recording.parquet"),
    }
    answer(result if as_json else _in_words(result), as_json, quiet, title=title)
    return INTERRUPTED if interrupted else 0


def _in_words(result: dict[str, Any]) -> dict[str, Any]:
    """The figures for a person: pairs as blue's and yellow's, fouls counted, shares in per cent."""
    blue, yellow = (round(100 * share) for share in result["possession"])
    pairs = {name: "{} : {}".format(*result[name]) for name in ("passes", "kicks")}
    fouls = " : ".join(str(sum(fouls.values())) for fouls in result["fouls"])
    contact = f"{100 * result['most_contact']:.2f} % of the time, the pair that touched most"
    words = {"possession": f"{blue} : {yellow} %", **pairs, "fouls": fouls, "most_contact": contact}
    return {name: words.get(name, value) for name, value in result.items()}
