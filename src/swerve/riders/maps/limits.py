"""How far a body's map goes: the widest turns, found by trial until it falls, and what legs and brakes
give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from swerve.core.steered import Steerable

from .trials import Moments, begin, swing, try_turns

FIRST, GROWS, WIDEST = 0.2, 1.2, 2.8  # [rad] turns are tried from here, by this factor, up to here
ENOUGH = 0.15  # share of the trials of the widest turn that must fall
PROBES, PROBE_SECONDS = 8, 3.0  # states a speed from which turns are tried, and for how long [s]
TURN_SHAPE = 1.4  # turns lie denser about straight on: evenly spaced, to this power
BRAKED, PUSHED = (0.2, 0.8), (0.3, 1.5)  # [s] between which the change of speed is measured


def speeds_of(body: Steerable, count: int) -> np.ndarray:
    """(k,) speeds [m/s] that a map of `body` is built at: evenly over its range, the nominal one among
    them."""
    ends: Sequence[float] | None = getattr(body, "speeds", None)
    if ends is None or count == 1:
        return np.array([body.speed])
    found = np.linspace(ends[0], ends[1], count)
    found[np.argmin(np.abs(found - body.speed))] = body.speed
    return found


def spread(widest: float, actions: int) -> np.ndarray:
    """(a,) turns [rad] from −`widest` to `widest`, denser in the middle."""
    share = np.linspace(-1.0, 1.0, actions)
    return widest * np.sign(share) * np.abs(share) ** TURN_SHAPE


def widest_turn(
    body: Steerable, speeds: np.ndarray, threads: int = 1
) -> tuple[float, list[tuple[float, float]]]:
    """The turn [rad] to which a map should go, and every turn tried with the share of trials that fell.

    Turns grow until `ENOUGH` of the trials fall, from states of gentle swings at all `speeds`; a body that
    never falls gets the widest.
    """
    gentle = 0.6 * max(body.turns)
    rides = [swing(body, [0.4 * gentle, gentle], PROBES, 6.0, threads, float(v)) for v in speeds]
    moments = Moments(
        np.concatenate([ride.snapshots for ride in rides]), np.concatenate([ride.states for ride in rides])
    )
    pace = np.repeat(speeds, [len(ride) for ride in rides])
    both = moments.pick(np.tile(np.arange(len(moments)), 2))
    tried: list[tuple[float, float]] = []
    turn = FIRST
    while True:
        turns = np.repeat([turn, -turn], len(moments))
        fell = try_turns(body, both, turns, PROBE_SECONDS, 0.5, threads, np.tile(pace, 2)).fell
        tried.append((round(turn, 3), float(np.isfinite(fell).mean())))
        if tried[-1][1] >= ENOUGH or turn >= WIDEST:
            return tried[-1][0], tried
        turn = min(turn * GROWS, WIDEST)


def paces_of(body: Steerable, speeds: np.ndarray, threads: int = 1) -> np.ndarray:
    """(k, 3) at every speed: most push and most braking [m/s²], and by how much a second a small difference
    between speed and wish shrinks [1/s]; measured on straight rides."""
    found = []
    for speed in speeds:
        ride = begin(body, 3, threads, float(speed))
        wish = np.array([1.5 * speed + 2.0, 0.0, 0.93 * speed])
        at = {}
        for k in range(1, round(PUSHED[1] / 0.1) + 1):
            ride.advance(np.zeros(3), wish, 0.1)
            at[round(0.1 * k, 1)] = ride.motion().speed
        push = (at[PUSHED[1]][0] - at[PUSHED[0]][0]) / (PUSHED[1] - PUSHED[0])
        brake = (at[BRAKED[0]][1] - at[BRAKED[1]][1]) / (BRAKED[1] - BRAKED[0])
        off = np.maximum([at[0.2][2] - wish[2], at[1.0][2] - wish[2]], 1e-3 * speed)
        found.append(
            [max(push, 0.05), max(brake, 0.2), float(np.clip(np.log(off[0] / off[1]) / 0.8, 0.3, 5.0))]
        )
    return np.array(found)
