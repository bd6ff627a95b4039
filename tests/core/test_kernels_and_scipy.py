"""Every command loads kernels; scipy's linear algebra takes longer than that and is seldom needed."""

import subprocess
import sys

import numba
import numpy as np

import swerve.core.kernels  # noqa: F401

PROGRAM = """
import sys
import swerve.core.kernels, numba.np.arraymath, numba.np.linalg

assert not any(name.startswith("scipy.linalg") for name in sys.modules)
numba.np.linalg.ensure_blas()
assert "scipy.linalg.cython_blas" in sys.modules
"""


def test_kernels_are_loaded_without_scipy():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_products_of_matrices_still_compile():
    product = numba.njit(lambda a, b: a @ b)
    assert (product(2 * np.eye(2), np.ones(2)) == 2.0).all()
