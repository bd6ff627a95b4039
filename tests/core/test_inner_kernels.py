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


def test_it_is_made_when_a_kernel_that_calls_it_is_compiled():
    """What a command loads from the cache needs none of hundreds, and half a millisecond makes one."""

    @inner
    @bare
    def doubled(a):
        return a + a

    @kernel
    def quadrupled(a):
        return doubled(doubled(a))

    assert "_held" not in vars(doubled)
    assert quadrupled(1.5) == 6.0 and "_held" in vars(doubled)
