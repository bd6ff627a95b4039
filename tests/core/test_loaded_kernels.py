"""Kernels from the cache: quick to load, and still copied into what is compiled later and calls them."""

import importlib.util
import shutil

import numba
import numpy as np

SOURCE = """
import numpy as np
from swerve.core.kernels import bare, kernel

@bare
def twice(a):
    return 2.0 * a

@kernel
def doubled(a):
    result = np.empty(len(a))
    for i in range(len(a)):
        result[i] = twice(a[i])
    return result
"""


def loaded(file):
    spec = importlib.util.spec_from_file_location("kept_kernels", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_loaded_kernel_is_read_for_copying_only_when_another_is_compiled(tmp_path):
    file = tmp_path / "kept_kernels.py"
    file.write_text(SOURCE)
    three = np.arange(3.0)
    first = loaded(file)
    assert (first.doubled(three) == 2 * three).all()
    again = loaded(file)
    assert (again.doubled(three) == 2 * three).all()
    held = again.doubled
    assert sum(held.stats.cache_hits.values()) == 1
    library = next(iter(held.overloads.values())).library
    assert library._unread is not None

    fourfold = numba.njit(lambda a: held(held(a)))
    assert (fourfold(three) == 4 * three).all()
    assert library._unread is None


def test_a_cache_that_is_tidied_up_meanwhile_is_made_again(tmp_path):
    """Finding: the next kernel to be compiled ended in FileNotFoundError."""
    file = tmp_path / "kept_kernels.py"
    file.write_text(SOURCE)
    module = loaded(file)
    assert module.twice(1.0) == 2.0
    shutil.rmtree(file.parent / "__pycache__")
    assert module.twice(3) == 6.0
    assert list((file.parent / "__pycache__").glob("*.nbc"))
