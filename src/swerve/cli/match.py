"""`swerve match`: two teams of robots play soccer."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .names import field_names, team_names
from .options import Json, Out, Quiet, Seed, answer, writable


def register(app: typer.Typer) -> None:
    app.command("match", epilog="Example: swerve match --blue swerve --yellow reactive --minutes 1")(match)


def match(
    blue: Annotated[
        str, typer.Option(help="A team's name, or a file of plays.", autocompletion=team_names)
    ] = "swerve",
    yellow: Annotated[
        str, typer.Option(help="A team's name, or a file of plays.", autocompletion=team_names)
    ] = "reactive",
    minutes: Annotated[float, typer.Option(help="Minutes of play, both halves together.")] = 2.0,
    field: Annotated[
        str, typer.Option(help="division-b (six a side), or seed (five).", autocompletion=field_names)
    ] = "division-b",
    latency: Annotated[int, typer.Option(min=0, max=12, help="Frames until what was seen is known.")] = 3,
    noise: Annotated[float, typer.Option(min=0, max=50, help="Factor on the noise of what is seen.")] = 1.0,
    seed: Seed = 0,
    out: Out = Path("out/match"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Two teams play soccer at 60 Hz: plays, roles, navigation, a referee, late and noisy sight.

    Writes a recording of the match and a picture of it."""
    from swerve.core.progress import be_quiet, share_done
    from swerve.core.provenance import provenance
    from swerve.soccer import MatchOptions, Sight, play_match
    from swerve.soccer.match.picture import draw
    from swerve.soccer.match.record import record

    be_quiet(quiet)
    writable(out)
    plain = Sight()
    sight = Sight(noise * plain.place, noise * plain.ball, noise * plain.heading, latency)
    options = MatchOptions(place=field, minutes=minutes, sight=sight)
    with share_done("playing") as progress:
        played = play_match(blue, yellow, options, seed, progress)
    names = [Path(name).stem for name in (blue, yellow)]
    score, log = played.referee.score, played.log
    title = f"{names[0]} (blue) {score[0]} : {score[1]} {names[1]} (yellow), {minutes:g} min"
    meta = {**provenance("match", seed), "teams": names}
    result: dict[str, Any] = {
        **played.as_dict(),
        "picture": draw(log, played.referee, out / "match.png", title),
        "recording": record(log, played.referee, meta).write(out / "recording.parquet"),
    }
    answer(result, as_json, quiet, title=title)
