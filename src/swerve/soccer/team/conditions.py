"""Words by which plays say when they apply; every word is a bit that is worked out once a frame."""

from __future__ import annotations

import numpy as np

from ..match.model import X
from ..match.referee import State
from .frame import KIND, LEAD, MINE, STOPPED

CONDITIONS = {
    "always": "at any time",
    "running": "the ball is in play",
    "stopped": "the game is stopped, and will start again",
    "our kick": "a free kick, kick-off or penalty is ours",
    "their kick": "it is theirs",
    "kick-off": "the game starts, or starts again after a goal",
    "penalty": "a penalty kick",
    "our ball": "one of us gets to the ball before any of them",
    "their ball": "one of them does",
    "ball in our half": "",
    "ball in their half": "",
    "ball near our goal": "in the third of the field before it",
    "ball near their goal": "in the third of the field before it",
    "leading": "we have more goals",
    "trailing": "they have more goals",
    "level": "both have as many",
}
RUNNING, KICK_OFF, PENALTY = int(State.RUNNING), int(State.KICK_OFF), int(State.PENALTY)
HYSTERESIS = 0.15  # [s] by which one side must be sooner at the ball before it changes hands


def holding(
    situation: np.ndarray, ball: np.ndarray, ours: float, theirs: float, had: bool, half_length: float
) -> set[str]:
    """The conditions that hold; `ours` and `theirs`: soonest times [s] to the ball; `had`: it was ours."""
    running, mine, lead = situation[KIND] == RUNNING, situation[MINE], situation[LEAD]
    our_ball = ours < theirs + (HYSTERESIS if had else -HYSTERESIS)
    if not running:
        our_ball = mine > 0
    x = float(ball[X])
    third = half_length / 3
    truth = {
        "always": True,
        "running": running,
        "stopped": situation[STOPPED] > 0,
        "our kick": not running and mine > 0,
        "their kick": not running and mine <= 0,
        "kick-off": situation[KIND] == KICK_OFF,
        "penalty": situation[KIND] == PENALTY,
        "our ball": our_ball,
        "their ball": not our_ball,
        "ball in our half": x < 0,
        "ball in their half": x >= 0,
        "ball near our goal": x < -third,
        "ball near their goal": x > third,
        "leading": lead > 0,
        "trailing": lead < 0,
        "level": lead == 0,
    }
    return {word for word, holds in truth.items() if holds}


def hold(words: tuple[str, ...], now: set[str]) -> bool:
    """Whether all words hold, `not` ones included."""
    return all((word[4:] not in now) if word.startswith("not ") else (word in now) for word in words)


def any_holds(words: tuple[str, ...], now: set[str]) -> bool:
    """Whether one of the words holds."""
    return any(hold((word,), now) for word in words)
