"""The page of the tour: what every stop found, with its pictures and animations, in one HTML file.

The page loads nothing but the pictures and players that lie beside it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from swerve.core.errors import BadInput
from swerve.core.files import write_text

from . import Figure, Stop

IDEA = (
    "Some things cannot stop at once: a car sliding into a hairpin, a ball on its way off two cushions, a "
    "vehicle on a mountainside, a cyclist who must steer right to turn left, an ambulance in traffic. To "
    "move them with skill one has to know what momentum will allow. Swerve does it with one idea: predict "
    "what a body can do from here, for many bodies at once, and then choose."
)


@dataclass(frozen=True)
class Failure:
    """A stop that did not come to its end: its name, one line that says why, and where it happened."""

    stop: str
    line: str
    trace: str = ""


def write_page(
    stops: Sequence[Stop],
    out: str | Path,
    seconds: float,
    failures: Sequence[Failure] = (),
    seed: int = 0,
    program: str = "swerve",
) -> Path:
    """Write `out/index.html` in one go, after everything it shows is in place.

    `program` is what a reader must type for `swerve`: commands on the page work as they are printed.
    """
    from swerve import __version__

    stops = [_typed(stop, program) for stop in stops]
    names = [_slug(stop.wing) for stop in stops]
    parts = {
        "IDEA": html.escape(IDEA),
        "NAV": "".join(
            f'<a href="#{name}">{html.escape(stop.wing)}</a>' for name, stop in zip(names, stops, strict=True)
        ),
        "FAILURES": "".join(map(_failure, failures)),
        "STOPS": "\n".join(_section(stop, name) for name, stop in zip(names, stops, strict=True)),
        "NOTE": html.escape(
            f"Made by swerve {__version__} in {_duration(seconds)} on this machine, with seed {seed}."
        ),
    }
    template = files("swerve.tour").joinpath("page.html").read_text(encoding="utf-8")
    text = re.sub(r"__([A-Z]+)__", lambda found: parts[found[1]], template)
    return write_text(Path(out) / "index.html", text)


def check(stop: Stop, out: str | Path) -> Stop:
    """The stop, if everything it wants to show lies in `out`."""
    for path, words in [*stop.pictures, *stop.players]:
        if path.is_absolute() or ".." in path.parts:
            raise BadInput(f"tour stop {stop.wing}", str(path), "must be a path relative to the page")
        if not (Path(out) / path).is_file():
            raise BadInput(f"tour stop {stop.wing}", str(path), "was not written")
        if not words.strip():
            raise BadInput(f"tour stop {stop.wing}", str(path), "needs words for people who cannot see it")
    return stop


def _typed(stop: Stop, program: str) -> Stop:
    """The stop with its commands as they must be typed."""

    def typed(command: str) -> str:
        return re.sub(r"^swerve\b", lambda _: program, command)

    figures = [replace(figure, command=typed(figure.command)) for figure in stop.figures]
    return replace(stop, command=typed(stop.command), figures=figures)


def _section(stop: Stop, name: str) -> str:
    shown = "".join(_player(path, words) for path, words in stop.players[:1])
    shown += "".join(_picture(path, words, True) for path, words in stop.pictures[:1])
    folded = "".join(_picture(path, words, False) for path, words in stop.pictures[1:])
    more = f'<div class="pictures">{folded}</div>' if folded else ""
    more += "".join(_player(path, words) for path, words in stop.players[1:])
    left = [_many(len(stop.pictures) - 1, "picture"), _many(len(stop.players) - 1, "animation")]
    counted = " and ".join(words for words in left if words)
    fold = f"<details><summary>{counted} more</summary>{more}</details>" if counted else ""
    paragraphs = "".join(f"<p>{_prose(part)}</p>" for part in re.split(r"\n\s*\n", stop.text.strip()) if part)
    return f"""<section id="{name}" aria-labelledby="{name}-title">
<p class="wing">{html.escape(stop.wing)}</p>
<h2 id="{name}-title">{html.escape(stop.title)}</h2>
<div class="words">{paragraphs}</div>
{_command(stop.command) if stop.command else ""}
{shown}
{_table(stop.figures) if stop.figures else ""}
{fold}
</section>"""


def _many(count: int, thing: str) -> str:
    """
    >>> _many(0, "picture"), _many(1, "picture"), _many(3, "picture")
    ('', '1 picture', '3 pictures')
    """
    return "" if count < 1 else f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _picture(path: Path, words: str, large: bool) -> str:
    link = quote(path.as_posix())
    return (
        f'<figure class="{"large" if large else "small"}"><a href="{link}">'
        f'<img src="{link}" alt="{html.escape(words)}" loading="lazy"></a>'
        f"<figcaption>{_prose(words)}</figcaption></figure>"
    )


def _player(path: Path, words: str) -> str:
    """A frame that loads when it comes near, and starts to play when it is seen."""
    link = quote(path.as_posix())
    return (
        f'<figure class="player"><iframe src="{link}" title="{html.escape(words)}" loading="lazy" '
        f'allowfullscreen></iframe><figcaption>{_prose(words)} <a href="{link}">Open it alone</a>'
        "</figcaption></figure>"
    )


def _table(figures: Sequence[Figure]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{_prose(figure.what)}</th><td data-label="here">{_prose(figure.here)}</td>'
        f'<td data-label="in the paper">{_prose(figure.seed) or "–"}</td>'
        f'<td data-label="see it again">{_command(figure.command) if figure.command else "–"}</td></tr>'
        for figure in figures
    )
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("what", "here", "in the paper", "see it again")
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _command(command: str) -> str:
    text = html.escape(command)
    return (
        f'<div class="command"><code>{text}</code>'
        f'<button type="button" aria-label="Copy: {text}" title="Copy">copy</button></div>'
    )


def _failure(failure: Failure) -> str:
    trace = f"<details><summary>Where</summary><pre>{html.escape(failure.trace)}</pre></details>"
    return (
        f'<div class="failure" role="alert"><b>{html.escape(failure.stop)}</b> did not come to its end: '
        f"{html.escape(failure.line)}{trace if failure.trace else ''}</div>"
    )


def _prose(text: str) -> str:
    """Escaped text in which `words` between backticks are code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text.strip()))


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or "stop"


def _duration(seconds: float) -> str:
    """
    >>> _duration(8.25), _duration(125.0)
    ('8.2 s', '2 min 5 s')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
