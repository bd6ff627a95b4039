"""Kernels that kernels alone call: as quick to call as others, and refused in Python in one line."""

import pytest

from swerve.core.kernels import bare, inner, kernel


@inner
@bare
def _added(a, b):
    return a + b


@kernel
def _two_more(a):
    return _added(a, 2.0)


def test_kernels_call_it_and_python_may_not():
    assert _two_more(1.0) == 3.0 and _added.py_func(1.0, 2.0) == 3.0
    with pytest.raises(TypeError, match="_added is called by kernels only"):
        _added(1.0, 2.0)
