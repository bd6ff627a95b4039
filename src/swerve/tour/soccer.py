"""The soccer wing's stop: a minute of a match between a team that looks ahead and one that does not."""

from __future__ import annotations

from pathlib import Path

from swerve.core.provenance import provenance
from swerve.core.show.player import write_player
from swerve.soccer import MatchOptions, play_match
from swerve.soccer.match.picture import draw
from swerve.soccer.match.record import record

from . import Figure, Stop

MINUTES = 1.0


def visit(out: Path, seed: int) -> Stop:
    folder = Path("soccer")
    match = play_match("swerve", "reactive", MatchOptions(minutes=MINUTES, keep=4), seed)
    blue, yellow = match.referee.score
    title = f"blue (swerve) {blue} : {yellow} yellow (reactive)"
    draw(match.log, match.referee, out / folder / "match.png", title)
    recording = record(match.log, match.referee, provenance("match", seed))
    write_player(recording, out / folder / "match.html", title="match")
    command = f"swerve match --minutes {MINUTES:g}"
    return Stop(
        wing="soccer",
        title="A match",
        text="Twelve robots and a ball, none of which can stop at once, sixty times a second. Roles go to "
        "robots at least cost, ways are found by random trees, and whoever has the ball plays what it could "
        "do forward, dozens of futures at once, before it does one. Both sides see late and noisily.",
        command=command,
        pictures=[(folder / "match.png", "Where the ball went in play, and everybody's last seconds.")],
        players=[(folder / "match.html", "The match, blue towards the right.")],
        figures=[
            Figure("goals, ours and theirs", f"{blue} : {yellow}", "–", command),
            Figure("passes that arrived", f"{match.log.passes[0]} : {match.log.passes[1]}", "–", command),
            Figure("frames of 1/60 s", str(match.log.frames), "60 Hz", command),
        ],
    )
