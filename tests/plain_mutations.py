"""Files that are read again and again, each time spoiled in another way."""

import numpy as np

from swerve.core.errors import BadInput


def refusals(folder, readers, mutated, count, seed):
    """How many of `count` spoiled files were refused, each in one line; the others were read.

    `readers` read the files of these names in the folder, which are good; `mutated` spoils bytes.
    """
    for name, read in readers.items():
        read(folder / name)  # as they were
    good = {name: (folder / name).read_bytes() for name in readers}
    rng = np.random.default_rng(seed)
    refused = 0
    for k in range(count):
        name = list(readers)[k % len(readers)]
        (folder / name).write_bytes(mutated(good[name], rng))
        try:
            readers[name](folder / name)
        except BadInput as error:
            refused += 1
            assert "\n" not in str(error), (k, name, str(error))
        except Exception as error:
            raise AssertionError(f"{k}, {name}: {type(error).__name__} {error}") from error
        (folder / name).write_bytes(good[name])
    return refused
