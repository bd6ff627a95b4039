"""Speeds of least cost where energy counts: time has a price, and so has the work of the engine.

Without a price on energy the largest speed everywhere is best, and the sweep finds it. With one, a vehicle
should coast, gather speed downhill and arrive without braking. The cost of a step is convex in v² at both
its ends, and what the limits allow is convex too; so a table of the least cost to go over v² gives the best
motion, backwards once, forwards once. At every point it has `LEVELS` of v², from the slowest with which the
rest can be climbed to the fastest, closest together at low speeds; between them the cost to go is taken as
bent as it is there, because what straight lines add at every step sums up, and the forward pass chooses
freely.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inlined, inner, kernel, plain

from .costs import ENERGY, EXPOSURE, PATIENCE, TIME
from .limits import STEP, allowed, force_range
from .regions import between
from .steps import drive_at, drive_between, step_ahead
from .sweep import FINE
from .vehicle import BRAKE, DRAG, MASS, TIP

LEVELS = 48
TRIES = 5  # speeds between the slowest and the fastest next one that are tried, backwards
GOLDEN = 0.6180339887498949
NEVER = 1e30  # the cost of what cannot be done
INSIDE = 1.0 - 1e-7  # of a limit, for round-off
COARSELY, FINELY = plain(0), plain(12)  # rounds in which the next speed is sought


@kernel
def spend(
    path: np.ndarray,
    where: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    points: np.ndarray,
    ceiling: np.ndarray,
    mark: np.ndarray,
    exposure: np.ndarray,
    extent: np.ndarray,
    weights: np.ndarray,
    x_end: float,
    x: np.ndarray,
) -> None:
    """Change the fastest v², `x` (n,), to that of the least weighted sum of time, energy and exposure."""
    for i in range(len(mark)):
        if mark[i] != FINE:
            return  # it cannot be driven at all
    patience = weights[TIME]
    if patience <= 0.0 and weights[EXPOSURE] <= 0.0:
        patience = weights[ENERGY] * PATIENCE * car[MASS]
    prices = np.full(len(x), patience)
    if exposure.size > 1 and weights[EXPOSURE] > 0.0:
        for i in range(len(x)):
            prices[i] += weights[EXPOSURE] * between(where[i, 0], where[i, 1], exposure, extent)
    economise(path, car, drive, points, ceiling, prices, weights[ENERGY], x_end, x)


@inner
@kernel
def economise(
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    points: np.ndarray,
    ceiling: np.ndarray,
    prices: np.ndarray,
    work_price: float,
    x_end: float,
    x: np.ndarray,
) -> None:
    """Lower `x` (n,), the fastest v², to the cheapest: `prices` (n,) of a second, `work_price` of a joule."""
    n = len(path)
    floor = np.zeros(n)
    floor[n - 1] = min(x_end, x[n - 1])
    for i in range(n - 2, -1, -1):
        floor[i] = slowest(i, floor[i + 1], path, car, drive, points, ceiling, x[i])
    to_go, bent = np.zeros((n, LEVELS)), np.zeros((n, LEVELS))
    top = x.copy()
    price = work_price * car[MASS]
    for i in range(n - 2, -1, -1):
        for k in range(LEVELS):
            now = floor[i] + (top[i] - floor[i]) * level(k)
            _, to_go[i, k] = cheapest(
                i, now, path, car, drive, points, ceiling, prices[i], price, floor, top, to_go, bent, COARSELY
            )
        see_bends(to_go[i], top[i] - floor[i], bent[i])
    for i in range(n - 1):
        ahead, cost = cheapest(
            i, x[i], path, car, drive, points, ceiling, prices[i], price, floor, top, to_go, bent, FINELY
        )
        x[i + 1] = ahead if cost < NEVER else top[i + 1]


@bare
def slowest(
    i: int,
    ahead: float,
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    points: np.ndarray,
    ceiling: np.ndarray,
    top: float,
) -> float:
    """The least v² at point i from which `ahead` is reached at the next: above zero before steep climbs."""
    two = 2.0 * path[i, STEP]
    goal = ahead * (1.0 + 1e-9) + 1e-9
    goal = min(goal, ceiling[i + 1])
    if step_ahead(points, i, i + 1, 0.0, ceiling[i + 1], two, car, drive) >= goal:
        return 0.0
    low, high = 0.0, top
    for _ in range(30):
        middle = 0.5 * (low + high)
        if step_ahead(points, i, i + 1, middle, ceiling[i + 1], two, car, drive) >= goal:
            high = middle
        else:
            low = middle
    return high


@inner
@bare
def cheapest(
    i: int,
    now: float,
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    points: np.ndarray,
    ceiling: np.ndarray,
    second: float,
    price: float,
    floor: np.ndarray,
    top: np.ndarray,
    to_go: np.ndarray,
    bent: np.ndarray,
    rounds: int,
) -> tuple[float, float]:
    """The next v² of least cost from `now` at point i, and that cost; `rounds` of golden section on it."""
    j, two = i + 1, 2.0 * path[i, STEP]
    high = step_ahead(points, i, j, now, ceiling[j], two, car, drive)
    high = max(min(high, top[j]), 0.0)
    resist = points[i, 0] + car[DRAG] * now
    least, _ = force_range(now, points, i, drive_at(now, drive), car[BRAKE], car[TIP])
    low = max(floor[j], now + two * (least - resist))
    coast = now - two * 0.5 * (resist + points[j, 0] + car[DRAG] * now)
    best, at = NEVER, high
    if low > high:
        low = high
    for t in range(TRIES + 2):
        ahead = high
        if t == 1:
            ahead = min(max(coast, low), high)
        elif t == 2:
            ahead = min(max(now, low), high)
        elif t > 2:
            share = (t - 3.0) / (TRIES - 1.0)
            ahead = low + (high - low) * share * share
        cost = step_cost(i, now, ahead, path, car, drive, points, second, price, floor, top, to_go, bent)
        if cost < best:
            best, at = cost, ahead
    if rounds > 0 and best < NEVER and high > low:
        reach = (high - low) / (TRIES - 1.0)
        a, b = max(low, at - reach), min(high, at + reach)
        p, q = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        at_p = step_cost(i, now, p, path, car, drive, points, second, price, floor, top, to_go, bent)
        at_q = step_cost(i, now, q, path, car, drive, points, second, price, floor, top, to_go, bent)
        for _ in range(rounds):
            if at_p <= at_q:
                b, q, at_q = q, p, at_p
                p = b - GOLDEN * (b - a)
                at_p = step_cost(i, now, p, path, car, drive, points, second, price, floor, top, to_go, bent)
            else:
                a, p, at_p = p, q, at_q
                q = a + GOLDEN * (b - a)
                at_q = step_cost(i, now, q, path, car, drive, points, second, price, floor, top, to_go, bent)
        if at_p < best:
            best, at = at_p, p
        if at_q < best:
            best, at = at_q, q
    return at, best


@inlined
def step_cost(
    i: int,
    now: float,
    ahead: float,
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    points: np.ndarray,
    second: float,
    price: float,
    floor: np.ndarray,
    top: np.ndarray,
    to_go: np.ndarray,
    bent: np.ndarray,
) -> float:
    """Cost of the step from v² = `now` to `ahead` and of what follows; NEVER when it is not allowed."""
    j, step = i + 1, path[i, STEP]
    pace = np.sqrt(now) + np.sqrt(ahead)
    if pace <= 0.0:
        return NEVER
    a = (ahead - now) / (2.0 * step)
    here, there = a + points[i, 0] + car[DRAG] * now, a + points[j, 0] + car[DRAG] * ahead
    brake, beta = car[BRAKE], car[TIP]
    if not allowed(now * INSIDE, here * INSIDE, points, i, drive_at(now, drive), brake, beta):
        return NEVER
    if not allowed(ahead * INSIDE, there * INSIDE, points, j, drive_between(now, ahead, drive), brake, beta):
        return NEVER
    rest = value_at(ahead, floor, top, to_go, bent, j)
    return second * 2.0 * step / pace + price * step * max(0.5 * (here + there), 0.0) + rest


@inner
@kernel
def see_bends(to_go: np.ndarray, span: float, bent: np.ndarray) -> None:
    """Fill `bent` (levels,) with how the cost to go (levels,) over a `span` of v² is bent upwards; nowhere
    beside what cannot be done."""
    for k in range(1, LEVELS - 1):
        bent[k] = 0.0
        one, two = level(k) - level(k - 1), level(k + 1) - level(k)
        if span > 1e-12 and max(to_go[k - 1], to_go[k], to_go[k + 1]) < NEVER:
            rise = (to_go[k + 1] - to_go[k]) / two - (to_go[k] - to_go[k - 1]) / one
            bent[k] = max(2.0 * rise / (one + two), 0.0)
    bent[0], bent[LEVELS - 1] = bent[1], bent[LEVELS - 2]


@inlined
def level(k: int) -> float:
    """Where level k lies between the slowest (0) and the fastest v² (1)."""
    share = k / (LEVELS - 1.0)
    return share * share


@inner
@inlined
def value_at(
    x: float, floor: np.ndarray, top: np.ndarray, to_go: np.ndarray, bent: np.ndarray, j: int
) -> float:
    """The cost to go at v² = x of point j: between two levels straight, less what it is bent at both."""
    span = top[j] - floor[j]
    if span <= 1e-12:
        return to_go[j, LEVELS - 1]
    share = min(max((x - floor[j]) / span, 0.0), 1.0)
    k = min(int(np.sqrt(share) * (LEVELS - 1.0)), LEVELS - 2)
    below, above = level(k), level(k + 1)
    part = (share - below) / (above - below)
    sags = 0.5 * (share - below) * (above - share) * min(bent[j, k], bent[j, k + 1])
    return to_go[j, k] + part * (to_go[j, k + 1] - to_go[j, k]) - sags
