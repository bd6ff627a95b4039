"""A study of a moment, in a module of its own because worker processes import it."""

import time
from functools import partial

import numpy as np

from swerve.core.sweep import remember, sweep
from swerve.studies import Conclusion, Report


def run(out, seed, trials):
    """Two sweeps, of which the second depends on the first, and a chain of trials."""
    found = sweep(draw, range(seed, seed + (trials or 10)), "drawing")
    middle = float(np.mean([one.mean() for one in found]))
    apart = sweep(partial(distance, middle), range(seed, seed + (trials or 10)), "measuring")
    place = 0.0
    for _ in range(5):
        place = remember(step, place)
    rows = [
        {"seed": seed + k, "mean": float(f.mean()), "apart": a}
        for k, (f, a) in enumerate(zip(found, apart, strict=True))
    ]
    return Report(
        "small",
        "A small study",
        [*rows, {"seed": None, "mean": place, "apart": None}],
        [Conclusion("numbers are small", middle < 1, f"{middle:.3f}")],
    )


def draw(seed):
    time.sleep(0.03)
    return np.random.default_rng(seed).normal(size=20)


def distance(middle, seed):
    time.sleep(0.03)
    return float(np.abs(np.random.default_rng(seed).normal(size=20) - middle).max())


def step(place):
    time.sleep(0.03)
    return 0.5 * place + 1 / 3
