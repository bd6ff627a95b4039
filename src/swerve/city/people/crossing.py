"""Leaving the kerb: a crosswalk is reserved first, and only then stepped on.

A person at the kerb whose light shows walk, and with no siren near, *asks*: from then on the crosswalk counts
as taken, so that cars which can still stop do, and no other is let in. When, a step later or more, the
traffic says that all cars which could not stop have left, it *crosses*. Who is on a crosswalk stays counted
until it is wholly off it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from .footing import Crowd, Ground

AWAY, ASKING, CROSSING = 0, 1, 2
AT_KERB = 0.6  # [m] between body and kerb within which one asks


class Desk(NamedTuple):
    """`phase` (n,) and the crosswalk `ahead` (n,) of everybody, `to_kerb` [m] (n,); `taken` (crosswalks,)."""

    phase: np.ndarray
    ahead: np.ndarray
    to_kerb: np.ndarray
    asked: np.ndarray  # which crosswalk was asked for
    waited: np.ndarray  # [s] at the kerb
    taken: np.ndarray


def empty_desk(people: int, crosswalks: int) -> Desk:
    return Desk(
        np.zeros(people, np.int8),
        np.full(people, -1, np.int32),
        np.full(people, np.inf),
        np.full(people, -1, np.int32),
        np.zeros(people),
        np.zeros(crosswalks, np.int64),
    )


def longer_desk(desk: Desk, people: int) -> Desk:
    """The same desk for so many people; those who are new want nothing."""
    fresh = empty_desk(people - len(desk.phase), 0)
    return Desk(*(np.append(old, new) for old, new in zip(desk, fresh, strict=True)))._replace(
        taken=desk.taken
    )


@kernel
def ask_and_leave(
    ground: Ground,
    crowd: Crowd,
    desk: Desk,
    crossing_of: np.ndarray,
    free: np.ndarray,
    walk: np.ndarray,
    alarmed: np.ndarray,
    dt: float,
) -> None:
    """Before people move: who may leave the kerb now, and how many hold each crosswalk.

    `crossing_of` (cells) the crosswalk of each cell or -1; `free` (crosswalks) no car that cannot stop;
    `walk` (crosswalks) the light; `alarmed` (n,) whoever hears a siren.
    """
    desk.taken[:] = 0
    for i in range(len(crowd.x)):
        on = crossing_of[crowd.cell[i]] if crowd.cell[i] >= 0 else -1
        if desk.phase[i] == CROSSING:
            c = crowd.leave[i]
            # it has come off; or before it has left the kerb it hears a siren, or the light changes
            done = on != c and (desk.ahead[i] != c or alarmed[i] or not walk[c])
            if done and kerb_distance(ground, crowd.x[i], crowd.y[i], c) >= crowd.radius[i]:
                desk.phase[i] = AWAY
                crowd.leave[i] = -1
        c = desk.ahead[i]
        if desk.phase[i] != CROSSING:
            ready = c >= 0 and desk.to_kerb[i] < AT_KERB + crowd.radius[i] and walk[c] and not alarmed[i]
            if not ready:
                desk.phase[i] = AWAY
            elif desk.phase[i] == ASKING and desk.asked[i] == c and free[c]:
                desk.phase[i] = CROSSING
                crowd.leave[i] = c
            else:
                desk.phase[i] = ASKING
                desk.asked[i] = c
        near = c >= 0 and desk.to_kerb[i] < 2.0 and desk.phase[i] != CROSSING
        desk.waited[i] = desk.waited[i] + dt if near else 0.0
        if near:
            crowd.stuck[i] = 0.0  # waiting is not being stuck
        if desk.phase[i] == CROSSING:
            desk.taken[crowd.leave[i]] += 1
        elif desk.phase[i] == ASKING:
            desk.taken[c] += 1


@inner
@bare
def kerb_distance(ground: Ground, x: float, y: float, crossing: int) -> float:
    """Distance [m] to the nearest kerb of a crosswalk, as far as walls are listed here; else infinity."""
    a = int((x - ground.frame[0]) / ground.frame[2])
    b = int((y - ground.frame[1]) / ground.frame[2])
    if a < 0 or b < 0 or a >= ground.start.shape[0] or b >= ground.start.shape[1] - 1:
        return np.inf
    best = np.inf
    for k in range(ground.start[a, b], ground.start[a, b + 1]):
        w = ground.items[k]
        if ground.gate[w] != crossing:
            continue
        x0, y0 = ground.wall[w, 0], ground.wall[w, 1]
        dx, dy = ground.wall[w, 2] - x0, ground.wall[w, 3] - y0
        along = ((x - x0) * dx + (y - y0) * dy) / max(dx * dx + dy * dy, 1e-12)
        along = min(1.0, max(0.0, along))
        best = min(best, np.hypot(x - x0 - along * dx, y - y0 - along * dy))
    return best
