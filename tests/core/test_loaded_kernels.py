"""Kernels from the cache: quick to load, and still copied into what is compiled later and calls them."""

import importlib.util
import os
import subprocess
import sys

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


def test_kernels_are_kept_though_their_folder_was_cleared_away_meanwhile(tmp_path):
    script = tmp_path / "clearing.py"
    script.write_text(
        "import os, shutil\n"
        "from swerve.core.kernels import kernel\n\n"
        "@kernel\ndef one(a):\n    return a + 1\n\n"
        "@kernel\ndef two(a):\n    return a + 2\n\n"
        "one(1.0)\n"
        "for name in os.listdir(os.environ['NUMBA_CACHE_DIR']):\n"
        "    shutil.rmtree(os.path.join(os.environ['NUMBA_CACHE_DIR'], name))\n"
        "print(two(1.0))\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
    assert done.stdout == "3.0\n", done.stderr
    assert list((tmp_path / "kept").rglob("*.nbi"))
