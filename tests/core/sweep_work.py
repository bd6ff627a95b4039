"""Work for the tests of sweeps, in a module of its own because worker processes import it."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from swerve.core.errors import BadInput


@dataclass(frozen=True)
class Outcome:
    seed: int
    rows: np.ndarray
    name: str | None = None


class Pair(NamedTuple):
    one: int
    other: tuple


def draw(count, seed):
    return Outcome(seed, np.random.default_rng(seed).normal(size=(count, 2)))


def process(_):
    time.sleep(0.05)
    return os.getpid()


def refuse(seed):
    raise BadInput("seed", seed, "is not wanted")


def vanish(seed):
    os._exit(3)


def counted(folder, seed):
    """Leaves a file for every time it was called."""
    handle = os.open(Path(folder) / f"{seed}-{os.getpid()}-{time.monotonic_ns()}", os.O_CREAT)
    os.close(handle)
    time.sleep(0.02)
    return seed / 3
