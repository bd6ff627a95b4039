"""A user's model, stepped: in Python where its functions are NumPy's, compiled into one loop where they are
Numba's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from swerve.core.errors import require
from swerve.core.kernels import kernel

from .branches import Branches
from .growth import Known, Rules, Step, Test, advance, grow
from .points import close

Array = np.ndarray


@dataclass(frozen=True)
class Model:
    """`step`, `fine` (which states are valid) and `goal` (never, where the goal is a state), and the loops
    over them: `grow` for branches, `roll` for whole motions."""

    step: Step
    fine: Test
    goal: Test
    grow: Callable[[Branches, Rules, Known, int, int], tuple[int, int]]
    roll: Callable[[Step, Array, Array, float], Array]
    compiled: bool

    @classmethod
    def of(
        cls, step: Step, valid: Test | None, goal: Test | None, start: Array, control: Array, dt: float
    ) -> Model:
        """The model of a user's functions, tried once on the start; `control` (c,) is any."""
        fine, there = valid or _finite, goal or _nowhere
        for what, answer, shape in (
            ("step", step(start[None].copy(), control[None].copy(), dt), (1, len(start))),
            ("valid", fine(start[None].copy()), (1,)),
            ("goal", there(start[None].copy()), (1,)),
        ):
            require(
                np.shape(answer) == shape, what, np.shape(answer), f"of one state must give the shape {shape}"
            )
        if all(isinstance(f, Dispatcher) for f in (step, fine, there)):
            try:
                _roll_compiled(step, start[None].copy(), np.zeros((1, 1, len(control))), dt)
                return cls(step, fine, there, _growing(step, fine, there), _roll_compiled, True)
            except NumbaError:  # fine as functions of their own, but not inside a loop
                pass

        def moved(states: Array, controls: Array, dt: float) -> Array:
            return np.ascontiguousarray(step(states, controls, dt), dtype=np.float64)

        def passes(states: Array) -> Array:
            return np.asarray(fine(states), dtype=np.bool_)

        def arrives(states: Array) -> Array:
            return np.asarray(there(states), dtype=np.bool_)

        return cls(moved, passes, arrives, partial(grow, moved, passes, arrives, _hold), _roll, False)


@lru_cache(maxsize=64)
def _growing(step: Dispatcher, fine: Dispatcher, goal: Dispatcher) -> Any:
    """`grow` of these functions: handed over at every call, their types would take longer than the work."""

    @numba.njit(nogil=True)
    def growing(tree: Branches, rules: Rules, known: Known, rounds: int, most: int) -> tuple[int, int]:
        made: tuple[int, int] = _grow(step, fine, goal, _hold_compiled, tree, rules, known, rounds, most)
        return made

    return growing


def _hold(
    step: Any,
    fine: Any,
    goal: Any,
    aim: Array,
    weights: Array,
    turning: Array,
    tolerance: float,
    dt: float,
    now: Array,
    given: Array,
    who: Array,
    lengths: Array,
    ends: Array,
    lasts: Array,
    taken: Array,
    outcome: Array,
) -> int:
    """Hold controls until their time is over, something is in the way or the goal is reached (`advance`);
    gives the number of steps."""
    going, total = len(now), 0
    while going > 0:
        after = step(now[:going], given[:going], dt)
        good = fine(after)
        there = close(after, aim, weights, turning, tolerance) if len(aim) > 0 else goal(after)
        total += going
        going = advance(after, good, there, now, given, who, lengths, ends, lasts, taken, outcome)
    return total


def _roll(step: Any, states: Array, controls: Array, dt: float) -> Array:
    """States (n + 1, b, d) under controls (n, b, c)."""
    rows = np.empty((len(controls) + 1, *states.shape))
    rows[0] = states
    for t in range(len(controls)):
        rows[t + 1] = step(rows[t], controls[t], dt)
    return rows


@kernel
def _finite(states: Array) -> Array:
    result = np.ones(len(states), dtype=np.bool_)
    for k in range(len(states)):
        for value in states[k]:
            result[k] = result[k] and np.isfinite(value)
    return result


@kernel
def _nowhere(states: Array) -> Array:
    return np.zeros(len(states), dtype=np.bool_)


_grow: Any = numba.njit(nogil=True)(grow)
_hold_compiled: Any = numba.njit(nogil=True)(_hold)
_roll_compiled: Any = numba.njit(nogil=True)(_roll)
