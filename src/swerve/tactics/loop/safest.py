"""Of several plans that strike a ball, the one that forgives most.

The first plan that a search finds may graze a corner. Each of a few is tried again with the ball a little
faster or slower and a little aside after the strike, on the planar model if the search used it; the one that
still works most likely is played, if strikes are off by normally distributed errors. How large these are can
be measured (`practice`); who has not measured them supposes `USUAL` ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import Engine
from ..plan import TacticsPlan
from ..planar import PlanarEngine
from ..search import Search

SOLUTIONS = 32  # to choose from
SPEEDS, ANGLES = np.linspace(-2.8, 2.0, 5), np.linspace(-2.25, 2.25, 7)  # tried, in standard deviations
AFTER = 0.5  # [s] longer than planned that a ball may need
MOVES = 0.3  # [m/s] of a ball that was struck


@dataclass(frozen=True)
class Scatter:
    """How strikes come out: the mean of the ball's speed over the planned one, the standard deviation of
    that, and of its direction [rad]."""

    factor: float
    uneven: float
    awry: float


USUAL = Scatter(0.99, 0.025, 0.016)


def safest(search: Search, robot: str, ball: str, scatter: Scatter = USUAL) -> TacticsPlan:
    """The plan among a search's solutions that works for most strikes nearby; of equals the shortest.

    A search without a solution gives what it has.
    """
    if len(search.solutions) < 2:
        return search.plan()
    tree, world = search.tree, search.world
    slot, variants = world.slot(ball), len(SPEEDS) * len(ANGLES)
    factors, angles = scatter.factor + scatter.uneven * SPEEDS, scatter.awry * ANGLES
    rows, longest = [], 0.0
    for node in search.solutions:
        way = tree.rows[tree.path(node)]
        speed = np.hypot(way[:, slot.qvel], way[:, slot.qvel + 1])
        struck = min(int(np.argmax(speed > MOVES)) + 1, len(way) - 1)
        rows += [_varied(way[struck], slot.qvel, f, a) for f in factors for a in angles]
        longest = max(longest, float(way[-1, 0] - way[struck, 0]))
    engine = Engine(world, len(rows)) if not search.on_plane else PlanarEngine(world)
    now, worked = np.array(rows), np.zeros(len(rows), dtype=bool)
    own = world.slot(robot)
    now[:, own.qvel : own.qvel + 3] = 0.0
    none = np.zeros((len(rows), world.model.nv))
    for _ in range(round((longest + AFTER) / world.step_seconds)):
        now, _ = engine.step(now, none)
    worked = np.asarray(search.problem.goal(search.problem.scene(now)), dtype=bool)
    likely = np.exp(-0.5 * (SPEEDS[:, None] ** 2 + ANGLES**2)).ravel()
    chances = worked.reshape(-1, variants) @ likely
    durations = tree.rows[search.solutions, 0]
    best = search.solutions[int(np.lexsort((durations, -chances))[0])]
    if search.on_plane:
        search.planar_seconds += engine.seconds
    else:
        search.engine.seconds += engine.seconds
    search.solutions = [best, *(n for n in search.solutions if n != best)]
    kept, search.solutions = search.solutions, [best]
    plan = search.plan()
    search.solutions = kept
    return plan


def _varied(row: np.ndarray, at: int, factor: float, angle: float) -> np.ndarray:
    """The row with the ball's velocity, and its rolling, scaled and turned."""
    changed = row.copy()
    turn = factor * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    changed[at : at + 2] = turn @ row[at : at + 2]
    changed[at + 3 : at + 5] = turn @ row[at + 3 : at + 5]
    return changed
