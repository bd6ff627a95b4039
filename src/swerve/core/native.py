"""C functions called from kernels by their address: what a library gives, and what Numba compiled apart.

An address is a number at run time, so kernels that call one are cached on disk like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .kernels import bare, inner


@intrinsic
def _call(_: Any, address: Any, arguments: Any) -> Any:
    signature = types.int64(address, arguments)

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:
        word = ir.IntType(64)
        function = ir.FunctionType(word, [word] * len(made.args[1]))
        given = [builder.extract_value(values[1], k) for k in range(len(made.args[1]))]
        return builder.call(builder.inttoptr(values[0], function.as_pointer()), given)

    return signature, generate


call = cast(Callable[[int, tuple[int, ...]], int], _call)
"""Call what lies at an address with a tuple of whole numbers and addresses; gives a whole number, which means
nothing where the function gives none."""


@inner
@bare
def address_of(array: np.ndarray) -> int:
    """Where an array begins."""
    return np.int64(array.ctypes.data)  # type: ignore[return-value]
