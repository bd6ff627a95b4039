"""Light programs of SUMO: phases of letters, one letter a link."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from swerve.core.errors import require

from ..opendrive.records import Program
from ..opendrive.xml import number, text
from ..roads.lights import GREEN, RED, YELLOW

LETTERS = {"G": GREEN, "g": GREEN, "y": YELLOW, "Y": YELLOW, "r": RED, "u": RED, "s": RED}
OFF = "oO"  # lights that are out: signs hold


def read_programs(root: Element, where: str, unused: list[str]) -> dict[str, Program]:
    """The program of every link, by the name of its light and its number: `"A1 3"`."""
    found: dict[str, Program] = {}
    seen: set[str] = set()
    for logic in root.findall("tlLogic"):
        name = text(logic, "id", where)
        place = f"{where}, tlLogic {name}"
        if name in seen:
            unused.append("further programs of a light (the first is used)")
            continue
        seen.add(name)
        if logic.get("type", "static") != "static":
            unused.append(f"{logic.get('type')} lights (their phases last as long as they say)")
        phases = [
            (number(phase, "duration", place, least=0.0), text(phase, "state", place))
            for phase in logic.findall("phase")
        ]
        phases = [(seconds, letters) for seconds, letters in phases if seconds > 0]
        if not phases:
            continue
        links = len(phases[0][1])
        for _, letters in phases:
            require(len(letters) == links, f"{place}, state", letters, f"must have {links} letters")
            unknown = set(letters) - set(LETTERS) - set(OFF)
            require(not unknown, f"{place}, state", letters, f"must be of {''.join(LETTERS)}{OFF}")
        offset = number(logic, "offset", place, 0.0)
        for k in range(links):
            own = [state[k] for _, state in phases]
            if not any(letter in OFF for letter in own):
                states = [LETTERS[letter] for letter in own]
                found[f"{name} {k}"] = _program([seconds for seconds, _ in phases], states, offset)
    return found


def _program(seconds: list[float], states: list[int], offset: float) -> Program:
    """Switches of one light; phases in which nothing changes are one."""
    starts = np.concatenate([[0.0], np.cumsum(seconds)])
    kept = [k for k in range(len(states)) if k == 0 or states[k] != states[k - 1]]
    return Program(
        float(starts[-1]), -offset, tuple(float(starts[k]) for k in kept), tuple(states[k] for k in kept)
    )
