"""A ladder of steady turns: rungs so near to each other that any bend lies between two of them.

A tight and a wide turn at a few speeds are far apart; a bend between two of them is held only by going from
one to the other, and the wheel saws. So between the speeds of the hubs come others, `BETWEEN` to a gap, and
at each a turn at the limit and an easier one from which the car can still gain speed: one turn is at most a
sixth wider than the next. From rung to rung the wheel stays calm: a leap takes as many frames as let the car
turn by a multiple of `LATTICE` of its own accord.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .car import FRAME, CarParameters
from .hubs import LATTICE, Hub, turning_hub
from .shooting import Aim, expand, finish

SLOWEST = 15.0  # [m/s] below, bends are too short to be held
BETWEEN = 3  # speeds between those of two hubs
EASY = 0.77  # share of the side force that a car holds at a speed; 0.97 is tight
# [rad] by which the wheel may leave what lies between two turns; the least that can be had
CALM = np.radians((0.3, 0.6, 1.0))
SHORTEST, LONGEST = 5, 70  # [frames] of a leap
WIDEST = round(np.radians(120.0) / LATTICE)  # steps of the lattice that it turns by at most
NATURAL = 0.2  # of a step of the lattice, from what the car turns by of its own accord
UP, DOWN = 3, 2  # rungs to which a wide turn leads, and from which


@dataclass(frozen=True)
class Rung:
    """The turns at one speed; a `wide` one and going `straight` only at the speeds of hubs."""

    tight: Hub
    easy: Hub
    wide: Hub | None = None
    straight: Hub | None = None


def rungs(speeds: list[Hub], held: Mapping[tuple[str, str], Hub], car: CarParameters) -> list[Rung]:
    """The ladder between the hubs `speeds`, whose tight and wide turns are `held`; slowest first."""
    found: list[Rung] = []
    own = [hub for hub in speeds if hub.forward >= SLOWEST and (hub.name, "wide") in held]
    for hub, faster in zip(own, [*own[1:], None], strict=True):
        easy = turning_hub(f"{hub.name} easy left", hub.forward, EASY, car)
        if easy is None or (hub.name, "tight") not in held:
            continue
        found.append(Rung(held[hub.name, "tight"], easy, held[hub.name, "wide"], hub))
        if faster is None:
            break
        for speed in np.linspace(hub.forward, faster.forward, BETWEEN + 2)[1:-1].tolist():
            tight = turning_hub(f"{speed:g} tight left", speed, 0.97, car)
            easy = turning_hub(f"{speed:g} easy left", speed, EASY, car)
            if tight is not None and easy is not None:
                found.append(Rung(tight, easy))
    return found


def new_hubs(ladder: list[Rung]) -> list[Hub]:
    """The turns that the ladder adds to those of the hubs."""
    own = ((rung.easy,) if rung.wide is not None else (rung.tight, rung.easy) for rung in ladder)
    return [hub for turns in own for hub in turns]


def calm_ways(ladder: list[Rung]) -> Iterator[tuple[Hub, Hub]]:
    """Between the turns of a rung, to the next rungs, and from a wide turn up to easy ones of its radius."""
    for rung in ladder:
        turns = [rung.tight, rung.easy, *([rung.wide] if rung.wide else [])]
        for a, b in pairwise(turns):
            yield a, b
            yield b, a
    for slow, fast in pairwise(ladder):
        yield slow.easy, fast.easy
        yield fast.easy, slow.easy
        yield fast.tight, slow.tight
    for k, rung in enumerate(ladder):
        if rung.wide is not None:
            yield from ((rung.wide, faster.easy) for faster in ladder[k + 1 : k + 1 + UP])
            yield from ((faster.easy, rung.wide) for faster in ladder[k + 1 : k + 1 + DOWN])


def calm_leap(a: Hub, b: Hub, car: CarParameters) -> np.ndarray | None:
    """Controls (frames, 3) of a short way from a turn to another on which the wheel stays calm."""
    low, high = min(a.steer, b.steer), max(a.steer, b.steer)
    found: list[tuple[float, np.ndarray]] = []
    for frames in range(SHORTEST, LONGEST):
        natural = (0.5 * (a.yaw_rate + b.yaw_rate) * frames * FRAME + a.slip - b.slip) / LATTICE
        steps = round(natural)
        if steps > WIDEST:
            break
        if abs(steps - natural) > NATURAL or steps < 1:
            continue
        aim = Aim(a, b, steps * LATTICE, frames)
        knots = finish(aim, car)
        if knots is None:
            continue
        controls = expand(knots, aim)
        beyond = max(low - controls[:, 0].min(), controls[:, 0].max() - high)
        if beyond <= CALM[0]:
            return controls
        found.append((beyond, controls))
    return next((controls for most in CALM for beyond, controls in found if beyond <= most), None)
