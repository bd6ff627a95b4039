"""What is to be least: a sum of time [s], distance [m], energy [J] of the engine and exposure [s].

parse("time+0.1*energy")
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

import numpy as np

from swerve.core.errors import BadInput

TIME, DISTANCE, ENERGY, EXPOSURE = range(4)
NAMES = {"time": TIME, "distance": DISTANCE, "energy": ENERGY, "exposure": EXPOSURE}
PATIENCE = 0.005  # [W/kg] a second's price where energy alone counts: at no price nobody would arrive

_TERM = re.compile(r"(?:(?P<factor>[0-9.]+(?:e[+-]?[0-9]+)?)\*)?(?P<name>[a-z]+)")


def parse(text: str, what: str = "cost") -> np.ndarray:
    """Weights (4,) of a sum such as `time`, `time+0.1*energy`, `2*time+1e-5*energy+exposure`.

    >>> parse("time+0.1*energy").tolist()
    [1.0, 0.0, 0.1, 0.0]
    """
    return np.array(_weights(str(text), what))


@lru_cache
def _weights(text: str, what: str) -> tuple[float, ...]:
    weights = [0.0] * len(NAMES)
    terms = re.split(r"(?<![0-9.]e)\+", text.replace(" ", "").lower())
    for term in terms:
        found = _TERM.fullmatch(term)
        if found is None or found["name"] not in NAMES:
            known = ", ".join(NAMES)
            raise BadInput(what, text, f"must be one of {known}, or a sum such as time+0.1*energy")
        try:
            factor = float(found["factor"] or 1.0)
        except ValueError:
            factor = math.nan
        if not 0.0 < factor < math.inf:
            raise BadInput(what, text, "its factors must be finite and above zero")
        weights[NAMES[found["name"]]] += factor
    return tuple(weights)
