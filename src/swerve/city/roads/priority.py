"""Right of way between connectors that cross or merge."""

from __future__ import annotations

import numpy as np

from .conflicts import Conflicts
from .roads import LEFT, LIGHT, U_TURN


def ranks(
    conflicts: Conflicts,
    source: np.ndarray,
    turn: np.ndarray,
    control: np.ndarray,
    axis: np.ndarray,
    facing: np.ndarray,
) -> np.ndarray:
    """For every conflict 1 when its strip goes first, -1 when the other does, 0 for first come, int8.

    Arrays are by connector; `facing` (n, n) says whether two come from arms that face each other.

    - From the same lane: whoever is ahead.
    - Lights that are never green together: whoever is still in the box.
    - A free road goes before one that yields, that before one that stops.
    - Otherwise turning across the way of the oncoming gives way to it, and turning round to all.
    """
    a, b = conflicts.strip, conflicts.other
    burden = np.where(turn == U_TURN, 2, np.where(turn == LEFT, 1, 0))
    sign = np.where(control == LIGHT, 0, control)
    by_sign = np.sign(sign[b] - sign[a])
    meeting = facing[a, b] | (burden[a] == 2) | (burden[b] == 2)
    by_turn = np.where(meeting, np.sign(burden[b] - burden[a]), 0)
    rank = np.where(by_sign != 0, by_sign, by_turn)
    rank[(control[a] == LIGHT) & (control[b] == LIGHT) & (axis[a] != axis[b])] = 0
    rank[source[a] == source[b]] = 0
    return rank.astype(np.int8)
