"""What a motion along a path takes: forces, time, energy, how much of each limit, and which limit decides."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import NO, inlined, inner, kernel, plain

from .limits import STEP, UNBOUNDED
from .steps import drive_at
from .vehicle import BEND_RATE, BRAKE, DRAG, LEAST_LOAD, PITCH, TIP, TOP


@kernel
def account(
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    closed: bool,
    points: np.ndarray,
    mark: np.ndarray,
    out: np.ndarray,
    codes: np.ndarray,
    totals: np.ndarray,
) -> None:
    """From v² and its limit in out[1] and out[0], everything else that a `Profile` reports: out[2] to out[8]
    as its fields stand, out[10] the use of the loads, out[11] to out[14] the loads of the wheels."""
    n = len(path)
    mass, drag, brake, beta = car[0], car[DRAG], car[BRAKE], car[TIP]
    top = min(car[TOP], UNBOUNDED) * (1.0 - 1e-6)
    pitch, roll, least = car[PITCH], 1.0 / beta, car[LEAST_LOAD]
    leans, turns = beta < 1e6, car[BEND_RATE] < UNBOUNDED
    shifts = leans or pitch > 0.0
    x, steps = out[1], n if closed else n - 1
    clock = distance = energy = 0.0
    x_first, x_here, v_here = x[0], x[0], np.sqrt(x[0])
    push_here = drive_at(x_here, drive)
    before, drove = plain(0), NO  # the index of the step before, and whether all drive is used in it
    if closed:
        before = n - 1
        out[2, n - 1] = (x_first - x[n - 1]) / (2.0 * path[n - 1, STEP])
        drove = driven(
            out[2, n - 1], points[n - 1, 0] + drag * x[n - 1], points[0, 0] + drag * x_first,
            drive_at(x[n - 1], drive), push_here,
        )  # fmt: skip
    for i in range(n):
        ahead, step = i + 1 if i + 1 < n else 0, path[i, STEP]
        x_ahead = x[ahead] if ahead > 0 else x_first
        v_ahead, push_ahead = np.sqrt(x_ahead), drive_at(x_ahead, drive)
        resist = points[i, 0] + drag * x_here
        drives = NO
        out[8, i] = clock
        a = out[2, before]
        if i < steps:
            a = (x_ahead - x_here) / (2.0 * step)
            resist_ahead, pace = points[ahead, 0] + drag * x_ahead, v_here + v_ahead
            clock += 2.0 * step / pace if pace > 0.0 else np.inf
            distance += step
            energy += step * max(a + 0.5 * (resist + resist_ahead), 0.0)
            drives = driven(a, resist, resist_ahead, push_here, push_ahead)
        b = a if i == 0 and not closed else out[2, before]
        out[2, i] = a
        q, r = points[i, 1] + points[i, 2] * x_here, points[i, 3] + points[i, 4] * x_here
        f1, f2 = a + resist, b + resist
        out[3, i], out[4, i], out[5, i] = mass * f1, mass * q, mass * r
        f, grip = max(abs(f1), abs(f2)), points[i, 5] * r
        use = np.sqrt(f * f + q * q) / grip if grip > 0.0 else np.inf
        tip_use, load_use = 0.0, 0.0 if r > least else np.inf
        if shifts:
            s, c = points[i, 6], points[i, 7]
            along1, along2 = pitch * (f1 * c - q * s), pitch * (f2 * c - q * s)
            across1, across2 = roll * (f1 * s + q * c), roll * (f2 * s + q * c)
            if r > 0.0 and leans:
                tip_use = max(abs(across1), abs(across2)) / r
            if r > least:
                shift = max(abs(along1), abs(along2))
                if least > 0.0:
                    shift = max(abs(along1) + abs(across1), abs(along2) + abs(across2))
                load_use = shift / (r - least)
            for wheel in range(4):
                front, left = -1.0 if wheel < 2 else 1.0, -1.0 if wheel % 2 == 0 else 1.0
                out[11 + wheel, i] = mass * carried(r, front * along1, left * across1)
        else:
            out[11, i] = out[12, i] = out[13, i] = out[14, i] = 0.25 * mass * r
        out[6, i], out[7, i], out[10, i] = use, tip_use, load_use
        binds = plain(0)
        if x_here >= top:
            binds = plain(6)
        elif load_use > 0.999 and load_use >= max(use, tip_use):
            binds = plain(9) if least > 0.0 else plain(8)
        elif tip_use > 0.999 and tip_use >= use:
            binds = plain(4)
        elif use > 0.999:
            binds = plain(5) if r < 1e-3 * points[i, 3] else plain(3)
        elif drives or drove:
            binds = plain(1)
        elif f1 <= -0.999 * brake or f2 <= -0.999 * brake:
            binds = plain(2)
        elif turns and x_here >= out[0, i] * (1.0 - 1e-6):
            binds = plain(7)
        codes[0, i] = binds
        out[0, i] = speed(out[0, i])
        x[i] = v_here
        before, drove = i, drives
        x_here, v_here, push_here = x_ahead, v_ahead, push_ahead
    lend(codes[0], closed)
    totals[0], totals[1], totals[2] = clock, distance, mass * energy


@inner
@kernel
def carried(load: float, along: float, across: float) -> float:
    """What a wheel carries of a load that is shifted to its axle and to its side, each from −load to load.

    Tyres do not pull: where one lifts, the two beside it carry their axle and their side alone.
    """
    if load <= 0.0:
        return 0.25 * load
    along, across = min(max(along, -load), load), min(max(across, -load), load)
    if abs(along) + abs(across) <= load:
        return 0.25 * (load + along + across)
    if along > 0.0 and across > 0.0:
        return 0.5 * (along + across)
    if along > 0.0:
        return 0.5 * (load + across)
    return 0.5 * (load + along) if across > 0.0 else 0.0


@inner
@inlined
def driven(a: float, resist: float, resist_ahead: float, push: float, push_ahead: float) -> bool:
    """Whether all drive that a step may take is used in it: the least that the engine gives at its ends."""
    return a + max(resist, resist_ahead) >= 0.999 * min(push, push_ahead)


@inner
@kernel
def lend(binding: np.ndarray, closed: bool) -> None:
    """Where nothing binds at a point itself, what binds at the far end of the step after it, or of the one
    before, holds there too: a step's acceleration is one number, decided at either of its ends."""
    n = len(binding)
    first, before = binding[0], binding[n - 1] if closed else 0
    for i in range(n):
        here = binding[i]
        after = binding[i + 1] if i + 1 < n else (first if closed else 0)
        if here == 0:
            binding[i] = after if after != 0 else before
        before = here


@kernel
def speed(x: float) -> float:
    """√x, infinite for the number that stands for no limit."""
    return np.inf if x >= UNBOUNDED else np.sqrt(x)
