"""Conditions of domain files as laws: a domain whose goal and validity are such is simulated chain by chain
in one kernel (`chains`), as the shipped ones are.

A condition becomes a list of instructions, one after the other in an array of numbers: what is asked of a
body puts a bit onto a stack, `all`, `any` and `not` take theirs off it and put the answer on. One law reads
all of them, so that no file compiles anything. Where links of arms stand is not in a state's numbers as such:
conditions about them are asked in Python, and so is how fast a bar on a hinge moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..bodies import Motion, World
from ..law import Asked, law, views
from ..problem import Test
from .conditions import Condition

INSIDE, NEAR, SLOWER, FASTER, BELOW, ABOVE, TOUCHING, AFTER, ALL, ANY, NOT = range(11)
WIDTH = 8  # numbers of an instruction
DEEPEST = 60  # bits that may be on the stack
FIXED = 0  # in place of a column (which holds the time): the body stays where it is
Numbers = tuple[float, ...]


def test_of(conditions: Sequence[Condition], world: World) -> Test:
    """The test of a problem whether all of some conditions hold: a law where it can be one."""
    moved = {world.slot(name).motion for c in conditions for name in c.bodies() if name != "*"}
    speeds = {world.slot(name).motion for c in conditions for name in c.speeds()}
    steps = [step for c in conditions for step in _instructions(c, world)] + [(ALL, len(conditions))]
    if Motion.JOINTED in moved or Motion.TURNING in speeds or _depth(steps) > DEEPEST:
        return lambda scene: np.all(
            [np.ones(len(scene), bool), *(c.holds(scene) for c in conditions)], axis=0
        )
    table = np.zeros((len(steps), WIDTH))
    for row, step in zip(table, steps, strict=True):
        row[: len(step)] = step
    return Asked(_holds, [len(steps), *table.ravel()])


def _depth(steps: list[Numbers]) -> int:
    """Most bits on the stack at any time."""
    now = most = 0
    for op, many, *_ in steps:
        now += 1 - (int(many) if op in (ALL, ANY) else 1 if op == NOT else 0)
        most = max(most, now)
    return most


def _instructions(condition: Condition, world: World) -> Iterator[Numbers]:
    for op, parts in ((ALL, condition.every), (ANY, condition.some)):
        if parts is not None:
            for part in parts:
                yield from _instructions(part, world)
            yield op, len(parts)
    if condition.none is not None:
        yield from _instructions(condition.none, world)
        yield NOT, 1
    body = condition.body or ""
    if condition.inside is not None:
        yield INSIDE, *_place(world, body), *condition.inside
    if condition.near is not None:
        to = condition.near
        yield (
            NEAR,
            *_place(world, body),
            *(_place(world, to) if isinstance(to, str) else (FIXED, *to)),
            (condition.within or 0.0),
        )
    for op, speed in ((SLOWER, condition.slower), (FASTER, condition.faster)):
        if speed is not None:
            slot = world.slot(body)
            many = {Motion.FREE: 3, Motion.PLANAR: 2}.get(slot.motion, 0)
            yield op, slot.qvel, many, speed
    for op, height in ((BELOW, condition.below), (ABOVE, condition.above)):
        if height is not None:
            slot = world.slot(body)
            free = slot.motion is Motion.FREE
            yield op, slot.qpos + 2 if free else FIXED, 0.0 if free else slot.base[2], height
    if condition.touching is not None:
        yield TOUCHING, world.pair(*condition.touching)
    if condition.after is not None:
        yield AFTER, condition.after


def _place(world: World, body: str) -> tuple[float, float, float]:
    """The column of a body's x, before that of its y, and what they count from."""
    slot = world.slot(body)
    if slot.motion is Motion.FREE:
        return slot.qpos, 0.0, 0.0
    return slot.qpos if slot.motion is Motion.PLANAR else FIXED, slot.base[0], slot.base[1]


@law
def _holds(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: how many instructions, and these."""
    _, here, touches, _, about = views(forces, row, touched, variables, numbers)
    stack = 0
    for k in range(int(about[0])):
        at = 1 + WIDTH * k
        op, column = int(about[at]), int(about[at + 1])
        true = False
        if op <= NEAR:
            x = about[at + 2] + (here[column] if column != FIXED else 0.0)
            y = about[at + 3] + (here[column + 1] if column != FIXED else 0.0)
            if op == INSIDE:
                true = about[at + 4] < x < about[at + 6] and about[at + 5] < y < about[at + 7]
            else:
                other = int(about[at + 4])
                x -= about[at + 5] + (here[other] if other != FIXED else 0.0)
                y -= about[at + 6] + (here[other + 1] if other != FIXED else 0.0)
                true = np.sqrt(x * x + y * y) < about[at + 7]
        elif op <= FASTER:
            square = 0.0
            for i in range(int(about[at + 2])):
                square += here[column + i] ** 2
            speed = np.sqrt(square)
            true = speed < about[at + 3] if op == SLOWER else speed > about[at + 3]
        elif op <= ABOVE:
            height = about[at + 2] + (here[column] if column != FIXED else 0.0)
            true = height < about[at + 3] if op == BELOW else height > about[at + 3]
        elif op == TOUCHING:
            true = touches[column] != 0
        elif op == AFTER:
            true = here[0] >= about[at + 1]
        else:
            every = (1 << column) - 1
            seen = stack & every
            stack >>= column
            true = seen == every if op == ALL else seen != 0 if op == ANY else seen == 0
        stack = (stack << 1) | int(true)
    return stack == 1
