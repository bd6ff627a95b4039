"""Laws: what a skill does, or what a problem asks, in one branch, compiled so that kernels can call it.

A law is written over plain arrays and numbers, as any kernel is:

    @law
    def keeps_left(forces, row, touched, variables, numbers):
        _, here, _, _, about = views(forces, row, touched, variables, numbers)
        return here[int(about[0])] < about[1]

It gets the forces (nv,) to add to, the state row, the collision list, its own variables and the `numbers`
that a skill or a test was made with, and gives whether the skill is busy, or whether the test holds. Chains
of busy skills whose laws are all known are simulated without returning to Python (`chains`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numba
import numpy as np
from numba import carray

from swerve.core.kernels import inner, kernel
from swerve.core.native import address_of, call

from .scene import Scene

if TYPE_CHECKING:
    from ctypes import _Pointer, c_double

    Column: TypeAlias = _Pointer[c_double]

_POINTERS = (
    "int64(CPointer(float64), CPointer(float64), CPointer(uint8), CPointer(float64), CPointer(float64))"
)
_MANY = 1 << 30  # entries that a view may have; how many there are, the law knows


class Law:
    """A compiled law; made when it is first needed."""

    def __init__(self, function: Callable[..., Any]):
        self.function, self.__doc__ = function, function.__doc__

    @cached_property
    def _compiled(self) -> Any:
        try:
            return numba.cfunc(_POINTERS, cache=True, error_model="numpy")(self.function)
        except RuntimeError:  # written at a prompt, there is no file to keep it beside
            return numba.cfunc(_POINTERS, error_model="numpy")(self.function)

    @cached_property
    def address(self) -> int:
        return int(self._compiled.address)

    def over(
        self,
        forces: np.ndarray,
        rows: np.ndarray,
        touched: np.ndarray,
        variables: np.ndarray,
        numbers: np.ndarray,
    ) -> np.ndarray:
        """(b,) answers of b branches; rows of every array must be whole in memory."""
        return _over(self.address, forces, rows, touched, variables, numbers)


def law(function: Callable[..., Any]) -> Law:
    """Make a law of a function."""
    return Law(function)


class Asked:
    """A test of states by a law: the goal of a problem, or what it takes for valid.

    A goal may tell by another such test, `lost`, from where it cannot be reached any more: a ball that rolls
    too slowly. Branches end there.
    """

    def __init__(self, asked: Law, numbers: np.ndarray | list[float], lost: Asked | None = None):
        self.law, self.numbers, self.lost = asked, np.array(numbers, dtype=float).ravel(), lost

    def __call__(self, scene: Scene) -> np.ndarray:
        nothing = np.empty((len(scene), 0))
        return self.law.over(nothing, scene.rows, scene.touched, nothing, self.numbers)


@inner
@kernel
def views(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> Any:
    """What a law is handed, as arrays."""
    return (
        carray(forces, _MANY),
        carray(row, _MANY),
        carray(touched, _MANY),
        carray(variables, _MANY),
        carray(numbers, _MANY),
    )


@kernel
def _over(
    address: int,
    forces: np.ndarray,
    rows: np.ndarray,
    touched: np.ndarray,
    variables: np.ndarray,
    numbers: np.ndarray,
) -> np.ndarray:
    answers = np.empty(len(rows), dtype=np.bool_)
    for i in range(len(rows)):
        where = (
            address_of(forces[i]),
            address_of(rows[i]),
            address_of(touched[i]),
            address_of(variables[i]),
            address_of(numbers),
        )
        answers[i] = call(address, where) != 0
    return answers
