"""What pages tell beside a picture, in words that change with time: a score, a signal, what is being played.

A recording's metadata may hold `captions`, each `{"label": word, "steps": [[t, text], …]}` with times [s]
that grow; a text holds from its time to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import require

MOST_CAPTIONS, MOST_STEPS = 12, 100_000
LATEST = 1e12  # [s]: whole numbers in JSON may be larger than any float


def caption(label: str, times: Iterable[float], texts: Iterable[str]) -> dict[str, Any]:
    """One caption from a text for each time, of which only changes are kept.

    >>> caption("score", [0.0, 0.5, 1.0], ["0 : 0", "0 : 0", "1 : 0"])
    {'label': 'score', 'steps': [[0.0, '0 : 0'], [1.0, '1 : 0']]}
    """
    steps: list[list[Any]] = []
    for t, text in zip(times, texts, strict=True):
        at = round(float(t), 3)
        if steps and steps[-1][0] == at:  # of what changes within a thousandth of a second, the last holds
            steps[-1][1] = text
        elif not steps or steps[-1][1] != text:
            steps.append([at, text])
    return {"label": label, "steps": steps}


def captions_of(meta: Mapping[str, Any]) -> list[list[Any]]:
    """The captions of a recording's metadata as pages take them: `[label, [t, …], [text, …]]`."""
    listed = meta.get("captions") or []
    kind = type(listed).__name__
    require(isinstance(listed, (list, tuple)), "recording, captions", kind, "must be a list")
    require(
        len(listed) <= MOST_CAPTIONS, "recording, captions", len(listed), f"must be {MOST_CAPTIONS} at most"
    )
    return [_row(entry, f"recording, captions[{k}]") for k, entry in enumerate(listed)]


def _row(entry: Any, where: str) -> list[Any]:
    known = isinstance(entry, Mapping) and isinstance(entry.get("label"), str)
    require(
        known and isinstance(entry.get("steps"), (list, tuple)), where, None, "must have a label and steps"
    )
    steps = entry["steps"]
    require(len(steps) <= MOST_STEPS, f"{where}.steps", len(steps), f"must be {MOST_STEPS} at most")
    times: list[float] = []
    for step in steps:
        pair = isinstance(step, (list, tuple)) and len(step) == 2 and isinstance(step[1], str)
        number = pair and isinstance(step[0], (int, float)) and abs(step[0]) < LATEST
        require(number, f"{where}.steps", None, "must be pairs of a finite time and a text")
        require(not times or step[0] > times[-1], f"{where}.steps", step[0], "must be in order of time")
        times.append(float(step[0]))
    return [entry["label"], times, [step[1] for step in steps]]
