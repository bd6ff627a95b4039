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
from .growth import Rules, Step, Test, advance, grow
from .points import near

Array = np.ndarray
MOST_BETWEEN = 1000  # states between two steps


@dataclass(frozen=True)
class Model:
    """`step`, `fine` (which states are valid), `clear` (which are on the way there from those a step before)
    and `goal` (never, where the goal is a state), and the loops over them: `grow` for branches, `roll` for
    whole motions."""

    step: Step
    fine: Test
    clear: Callable[[Array, Array], Array]
    goal: Test
    grow: Callable[[Branches, Rules, float, int, int], tuple[int, int]]
    roll: Callable[[Array, Array, float], Array]
    compiled: bool

    @classmethod
    def of(
        cls,
        step: Step,
        valid: Test | None,
        goal: Test | None,
        start: Array,
        control: Array,
        dt: float,
        between: int = 0,
        turning: Array | None = None,
    ) -> Model:
        """The model of a user's functions, tried once on the start; `control` (c,) is any. So many states
        `between` two steps are to be valid, too, columns that are `turning` the short way round."""
        turning = np.zeros(len(start), dtype=np.bool_) if turning is None else turning
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
                roll = _rolling(step)
                roll(start[None].copy(), np.zeros((1, 1, len(control))), dt)
                clear = _clearing(fine, between, tuple(turning.tolist()))
                return cls(step, fine, clear, there, _growing(step, clear, there), roll, True)
            except NumbaError:  # fine as functions of their own, but not inside a loop
                pass

        def moved(states: Array, controls: Array, dt: float) -> Array:
            return np.ascontiguousarray(step(states, controls, dt), dtype=np.float64)

        def passes(states: Array) -> Array:
            return np.asarray(fine(states), dtype=np.bool_)

        def arrives(states: Array) -> Array:
            return np.asarray(there(states), dtype=np.bool_)

        resolution = getattr(fine, "resolution", np.inf)

        def clears(before: Array, after: Array) -> Array:
            good = passes(after)
            furthest = np.abs((after - before)[:, :2]).max(initial=0.0) if resolution < np.inf else 0.0
            inside = max(between, int(min(2.0 * furthest / resolution, MOST_BETWEEN)))
            for k in range(inside):
                good &= passes(on_the_way(before, after, turning, (k + 1) / (inside + 1)))
            return good

        grows = partial(grow, moved, clears, arrives, _hold)
        return cls(moved, passes, clears, arrives, grows, partial(_roll, moved), False)


@lru_cache(maxsize=64)
def _clearing(fine: Dispatcher, between: int, turns: tuple[bool, ...]) -> Any:
    """Whether (b,) states, and so many between them and those before, are valid."""
    turning = np.array(turns)

    @numba.njit(nogil=True)
    def clear(before: Array, after: Array) -> Array:
        good = fine(after)
        for k in range(between):
            good = good & fine(on_the_way(before, after, turning, (k + 1) / (between + 1)))
        return good

    return clear


@lru_cache(maxsize=64)
def _growing(step: Dispatcher, clear: Dispatcher, goal: Dispatcher) -> Any:
    """`grow` of these functions: handed over at every call, their types would take longer than the work."""

    @numba.njit(nogil=True)
    def growing(tree: Branches, rules: Rules, bound: float, rounds: int, most: int) -> tuple[int, int]:
        made: tuple[int, int] = _grow(step, clear, goal, _hold_compiled, tree, rules, bound, rounds, most)
        return made

    return growing


@lru_cache(maxsize=64)
def _rolling(step: Dispatcher) -> Any:
    """`roll` of a function, likewise."""

    @numba.njit(nogil=True)
    def rolling(states: Array, controls: Array, dt: float) -> Array:
        rows: Array = _roll_compiled(step, states, controls, dt)
        return rows

    return rolling


def _hold(
    step: Any,
    clear: Any,
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
    there = np.empty(going, dtype=np.bool_)
    while going > 0:
        before = now[:going]
        after = step(before.copy(), given[:going].copy(), dt)  # which may work in place
        good = clear(before, after)
        if len(aim) > 0:
            near(after, aim, weights, turning, tolerance, there)
        else:
            there[:going] = goal(after)
        total += going
        going = advance(after, good, there, now, given, who, lengths, ends, lasts, taken, outcome)
    return total


def _roll(step: Any, states: Array, controls: Array, dt: float) -> Array:
    """States (n + 1, b, d) under controls (n, b, c)."""
    rows = np.empty((len(controls) + 1, *states.shape))
    rows[0] = states
    for t in range(len(controls)):
        rows[t + 1] = step(rows[t].copy(), controls[t].copy(), dt)
    return rows


@kernel
def on_the_way(before: Array, after: Array, turning: Array, share: float) -> Array:
    """States (b, d) at a share of the straight way from `before` to `after`."""
    states = np.empty_like(after)
    for k in range(len(after)):
        for i in range(after.shape[1]):
            step = after[k, i] - before[k, i]
            if turning[i]:
                step = (step + np.pi) % (2.0 * np.pi) - np.pi
            states[k, i] = before[k, i] + share * step
    return states


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
