"""Randomness is passed in. One seed gives any number of independent, named streams."""

import zlib

import numpy as np


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """A random stream for `seed` and a name; other names give streams independent of it.

    >>> bool(generator(1, "traffic").random() == generator(1, "traffic").random())
    True
    >>> bool(generator(1, "traffic").random() == generator(1, "start").random())
    False
    """
    words = [n if isinstance(n, int) else zlib.crc32(n.encode()) for n in names]
    return np.random.default_rng([seed, *words])
