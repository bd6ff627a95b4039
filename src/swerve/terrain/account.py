"""What a motion along a path takes: forces, time, energy, how much of each limit, and which limit decides."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

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
    top = min(car[TOP], UNBOUNDED)
    pitch, roll, least = car[PITCH], 1.0 / beta, car[LEAST_LOAD]
    x = out[1]
    steps = n if closed else n - 1
    clock = distance = energy = 0.0
    out[8, 0] = 0.0
    for i in range(n):
        step = path[i, STEP]
        a = out[2, i - 1] if i == n - 1 and not closed else (x[(i + 1) % n] - x[i]) / (2.0 * step)
        out[2, i] = a
        q, r = points[i, 1] + points[i, 2] * x[i], points[i, 3] + points[i, 4] * x[i]
        f = a + points[i, 0] + drag * x[i]
        out[3, i], out[4, i], out[5, i] = mass * f, mass * q, mass * r
        if i < steps:
            ahead_x = x[(i + 1) % n]
            pace = np.sqrt(x[i]) + np.sqrt(ahead_x)
            took = 2.0 * step / pace if pace > 0.0 else np.inf
            f_end = a + points[(i + 1) % n, 0] + drag * ahead_x
            clock += took
            distance += step
            energy += mass * step * max(0.5 * (f + f_end), 0.0)
            if i + 1 < n:
                out[8, i + 1] = clock
    for i in range(n):
        a, b = out[2, i], out[2, i - 1] if (i > 0 or closed) else out[2, i]
        q, r = points[i, 1] + points[i, 2] * x[i], points[i, 3] + points[i, 4] * x[i]
        f1, f2 = a + points[i, 0] + drag * x[i], b + points[i, 0] + drag * x[i]
        f = f1 if abs(f1) > abs(f2) else f2
        grip = points[i, 5] * r
        use = np.sqrt(f * f + q * q) / grip if grip > 0.0 else np.inf
        lean = max(abs(f1 * points[i, 6] + q * points[i, 7]), abs(f2 * points[i, 6] + q * points[i, 7]))
        tip_use = lean / (beta * r) if r > 0.0 and beta < 1e6 else 0.0
        out[6, i], out[7, i] = use, tip_use
        s, c = points[i, 6], points[i, 7]
        shift = max(abs(f1 * c - q * s), abs(f2 * c - q * s)) * pitch
        if least > 0.0:
            shift = max(
                abs(f1 * c - q * s) * pitch + abs(f1 * s + q * c) * roll,
                abs(f2 * c - q * s) * pitch + abs(f2 * s + q * c) * roll,
            )
        load_use = shift / (r - least) if r > least else np.inf
        out[10, i] = load_use
        back, right = pitch * (f1 * c - q * s), roll * (f1 * s + q * c)
        for wheel in range(4):
            front, left = -1.0 if wheel < 2 else 1.0, -1.0 if wheel % 2 == 0 else 1.0
            out[11 + wheel, i] = mass * carried(r, front * back, left * right)
        codes[0, i] = 0
        if x[i] >= top * (1.0 - 1e-6):
            codes[0, i] = 6
        elif load_use > 0.999 and load_use >= max(use, tip_use):
            codes[0, i] = 9 if least > 0.0 else 8
        elif tip_use > 0.999 and tip_use >= use:
            codes[0, i] = 4
        elif use > 0.999:
            codes[0, i] = 5 if r < 1e-3 * points[i, 3] else 3
        elif driven(i, x, points, drag, drive, out[2], closed):
            codes[0, i] = 1
        elif f1 <= -0.999 * brake or f2 <= -0.999 * brake:
            codes[0, i] = 2
        elif car[BEND_RATE] < UNBOUNDED and x[i] >= out[0, i] * (1.0 - 1e-6):
            codes[0, i] = 7
    lend(codes[0], closed)
    for i in range(n):
        out[0, i] = speed(out[0, i])
        x[i] = np.sqrt(x[i])
    totals[0], totals[1], totals[2] = clock, distance, energy


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
@bare
def driven(
    i: int,
    x: np.ndarray,
    points: np.ndarray,
    drag: float,
    drive: np.ndarray,
    speeding: np.ndarray,
    closed: bool,
) -> bool:
    """Whether all drive that a step may take is used in the step after point i or in the one before.

    Over a step that is the least of what the engine gives at its two ends.
    """
    n = len(x)
    for start in (i, i - 1):
        if not closed and (start < 0 or start > n - 2):
            continue
        a, end = start % n, (start + 1) % n
        least = min(drive_at(x[a], drive), drive_at(x[end], drive))
        begin, finish = points[a, 0] + drag * x[a], points[end, 0] + drag * x[end]
        if speeding[a] + max(begin, finish) >= 0.999 * least:
            return True
    return False


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
