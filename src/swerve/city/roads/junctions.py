"""A junction from its arms: who may turn where, on which curve, in whose way, under which light.

Everything is in the junction's own frame, so junctions of the same shape are computed once and copied.
Traffic keeps to the right here; left-hand towns are mirrored as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from swerve.core.errors import require

from .arm import Arm
from .conflicts import Conflicts, find_conflicts
from .crossings import Crossings
from .crosswalks import crosswalks_of
from .curves import LOOP_RADIUS, Curve, join, missing_room, turning_loop, wrap
from .lights import GROUPS_PER_AXIS, Lights, SignalTimes, junction_lights, no_lights
from .lights import LEFT as LEFT_GROUP
from .lights import THROUGH as THROUGH_GROUP
from .priority import ranks
from .roads import LEFT, LIGHT, RIGHT, STRAIGHT, U_TURN
from .swept import USUAL, Largest

SIDEWAYS = 2.5  # [m/s²] that drivers bear in a turn
_STRAIGHT_ON = np.radians(40.0)


@dataclass(frozen=True)
class Junction:
    """Connectors of a junction in its own frame; columns are as in `Roads`, arms and lanes as given."""

    from_arm: np.ndarray
    from_lane: np.ndarray
    to_arm: np.ndarray
    to_lane: np.ndarray
    turn: np.ndarray
    control: np.ndarray
    light: np.ndarray
    limit: np.ndarray
    width: np.ndarray
    first: np.ndarray
    x: np.ndarray
    y: np.ndarray
    heading: np.ndarray
    curvature: np.ndarray
    length: np.ndarray
    conflicts: Conflicts
    rank: np.ndarray
    lights: Lights
    crossings: Crossings


class Rules(NamedTuple):
    """What holds on the connectors of a junction, each (k,): their turns, signs, light groups, speed limits
    [m/s] and widths [m]; the `axis` of a connector's arm, and whether another arm faces it (`opposed`).
    """

    turn: np.ndarray
    control: np.ndarray
    light: np.ndarray
    limit: np.ndarray
    width: np.ndarray
    axis: np.ndarray
    opposed: np.ndarray


@lru_cache(maxsize=512)
def build_junction(
    arms: tuple[Arm, ...], signal: bool, times: SignalTimes, largest: Largest = USUAL
) -> Junction:
    """The junction where `arms` meet, numbered in the order given, for vehicles up to the `largest`."""
    moves = [move for a in range(len(arms)) for move in _moves(arms, a)]
    require(
        bool(moves), "node", None, "no lane leads through it: a one-way street begins or ends there alone"
    )
    curves = [_curve(arms, move, largest) for move in moves]
    a, i, b, j, turn = (np.array(column, np.int32) for column in zip(*moves, strict=True))
    axis, opposed = find_axes([arm.angle for arm in arms], [arm.lanes_in > 0 for arm in arms])
    axes = max(2, int(axis.max()) + 1)
    early = (turn == LEFT) & opposed[a]
    across = np.zeros(axes)
    for k, arm in enumerate(arms):
        across[axis[k]] = max(across[axis[k]], (arm.lanes_in + arm.lanes_out) * arm.width)
    advanced = [bool((early & (axis[a] == q)).any()) for q in range(axes)]
    usual = np.array([min(arms[p].width, arms[q].width) for p, q in zip(a, b, strict=True)])
    rules = Rules(
        turn,
        control=np.array([LIGHT if signal else arms[k].control for k in a]),
        light=np.where(signal, light_group(axis[a], early), -1),
        limit=np.array([min(arms[p].limit, arms[q].limit) for p, q in zip(a, b, strict=True)]),
        width=np.select(
            [turn == U_TURN, turn == STRAIGHT], [largest.loop, usual], np.maximum(usual, largest.turning)
        ),
        axis=axis[a],
        opposed=opposed[a],
    )
    lights = junction_lights(advanced, list(across), times) if signal else no_lights()
    crossings = crosswalks_of(arms, axis if signal else None, curves)
    return junction_of(curves, (a, i, b, j), rules, lights, crossings, largest=largest)


def junction_of(
    curves: list[Curve],
    ends: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    rules: Rules,
    lights: Lights,
    crossings: Crossings,
    heights: np.ndarray | None = None,
    largest: Largest = USUAL,
) -> Junction:
    """A junction from the curves of its connectors; `ends` are from arm, from lane, to arm, to lane.

    `heights` [m] are those of all points, where ways may pass over each other; `largest` is the
    largest vehicle that comes.
    """
    a, i, b, j = ends
    turn, control, light, limit, width, axis, opposed = rules
    first = np.concatenate([[0], np.cumsum([len(c.x) for c in curves])]).astype(np.int32)
    x, y, heading, curvature = (np.concatenate([c[k] for c in curves]) for k in range(4))
    length = np.array([c.length for c in curves])
    tightest = np.array([1.0 / max(np.abs(c.curvature).max(), 1e-6) for c in curves])
    conflicts = find_conflicts(first, x, y, heading, length, heights, largest)
    facing = opposed[:, None] & (axis[:, None] == axis) & (a[:, None] != a)
    return Junction(
        a,
        i,
        b,
        j,
        turn.astype(np.int8),
        control.astype(np.int8),
        light.astype(np.int32),
        np.minimum(limit, np.sqrt(SIDEWAYS * tightest)),
        width,
        first,
        x,
        y,
        heading,
        curvature,
        length,
        conflicts,
        ranks(conflicts, a * 64 + i, turn, control, axis, facing),
        lights,
        crossings,
    )


def light_group(axis: np.ndarray, early: np.ndarray) -> np.ndarray:
    """The light group of connectors: of their axis, for left turns that start early or for the rest."""
    return axis * GROUPS_PER_AXIS + np.where(early, LEFT_GROUP, THROUGH_GROUP)


@lru_cache(maxsize=512)
def missing_room_of(arms: tuple[Arm, ...], largest: Largest = USUAL) -> tuple[float, ...]:
    """How much further out [m] each arm should end, so that no turn is tighter than allowed."""
    missing = [0.0] * len(arms)
    for a, arm in enumerate(arms):
        for _, i, b, j, turn in _moves(arms, a):
            if turn != U_TURN:
                lacking = missing_room(arm.entering(i), arms[b].leaving(j), largest.tightest)
                missing[a], missing[b] = max(missing[a], lacking), max(missing[b], lacking)
    return tuple(missing)


def turn_of(arriving: float, leaving: float) -> int:
    """RIGHT, STRAIGHT or LEFT, from headings [rad] before and after."""
    by = wrap(leaving - arriving)
    return STRAIGHT if abs(by) < _STRAIGHT_ON else LEFT if by > 0 else RIGHT


def _moves(arms: tuple[Arm, ...], a: int) -> list[tuple[int, int, int, int, int]]:
    """(arm, lane, arm, lane, turn) of every way on from arm `a`.

    Right turns go from kerb lane to kerb lane, left turns from the innermost to the innermost, straight on
    from every lane to the same. A lane that is left without a way takes the turn on its side. With no other
    arm to leave by, one turns round.
    """
    arm = arms[a]
    n = arm.lanes_in
    exits = [b for b, other in enumerate(arms) if b != a and other.lanes_out]
    if not exits:
        return [(a, i, a, min(i, arm.lanes_out - 1), U_TURN) for i in range(n)] if arm.lanes_out else []
    turns = {b: turn_of(arm.angle + np.pi, arms[b].angle) for b in exits}
    if len(exits) == 1:
        b = exits[0]
        return [(a, i, b, _abreast(i, n, arms[b].lanes_out), turns[b]) for i in range(n)]
    moves = []
    for i in range(n):
        for b in exits:
            turn, out = turns[b], arms[b].lanes_out
            if arm.turns is not None:
                fits = turn in arm.turns[i]
            else:
                fits = turn == STRAIGHT or (turn == RIGHT and i == 0) or (turn == LEFT and i == n - 1)
            if fits:
                to = {RIGHT: min(i, out - 1), LEFT: max(0, out - (n - i)), STRAIGHT: _abreast(i, n, out)}
                moves.append((a, i, b, to[turn], turn))
        if not any(move[1] == i for move in moves):
            side = RIGHT if 2 * i < n else LEFT
            b = min(exits, key=lambda b: (turns[b] != side, b))
            out = arms[b].lanes_out
            moves.append((a, i, b, min(i, out - 1) if side == RIGHT else max(0, out - (n - i)), turns[b]))
    return moves


def _abreast(lane: int, lanes: int, out: int) -> int:
    """The lane straight on when the number of lanes changes: the kerb stays the kerb."""
    return min(lane, out - 1)


def loop_radius(inside: int, width: float, largest: Largest = USUAL) -> float:
    """Radius [m] of the turning loop of a lane with `inside` lanes between it and the middle."""
    return max(LOOP_RADIUS, largest.tightest) + inside * width


def _curve(arms: tuple[Arm, ...], move: tuple[int, int, int, int, int], largest: Largest) -> Curve:
    a, i, b, j, turn = move
    start, end = arms[a].entering(i), arms[b].leaving(j)
    if turn == U_TURN:
        aside = float(np.hypot(end[0] - start[0], end[1] - start[1]))
        return turning_loop(start, aside, loop_radius(arms[a].lanes_in - 1 - i, arms[a].width, largest))
    run = np.inf if largest.aloof and turn == RIGHT else max(arms[a].run, arms[b].run)
    return join(start, end, run, largest.tightest)


def find_axes(angles: list[float], enters: list[bool]) -> tuple[np.ndarray, np.ndarray]:
    """For every arm its axis, and whether another arm faces it; arms that face each other share an axis.

    `angles` [rad] point outwards, `enters` says whether traffic comes in by an arm.
    """
    pairs = sorted(
        (abs(wrap(angles[b] - angles[a] - np.pi)), a, b)
        for a in range(len(angles))
        for b in range(a + 1, len(angles))
    )
    axis = np.full(len(angles), -1)
    opposed = np.zeros(len(angles), bool)
    count = 0
    for off, a, b in pairs:
        if off < np.radians(50) and axis[a] < 0 and axis[b] < 0:
            axis[a] = axis[b] = count
            opposed[a], opposed[b] = enters[b], enters[a]
            count += 1
    for a in range(len(angles)):
        if axis[a] < 0:
            axis[a] = count
            count += 1
    return axis, opposed
