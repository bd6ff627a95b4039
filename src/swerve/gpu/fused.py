"""The closed loop of `drivers` as one kernel for NVIDIA's devices: a car stays in registers for many frames.

Compiled by XLA alone, a frame becomes several kernels that hand intermediate results to each other through
memory, or compute them twice. Here a block of cars is loaded once, driven on for all frames of a call, and
stored; only what the cars see goes to memory every frame. The functions are those of `cars` and `drivers`:
tables of the road are looked up in memory where those index arrays.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from .cars import Cars, Numbers, Observation, Roads, Starts
from .drivers import Sums, one_frame

BLOCK, WARPS = 256, 8  # cars and groups of 32 threads a block


@partial(
    jax.jit,
    static_argnames=("frames", "numbers", "block", "warps", "interpret"),
    donate_argnames=("cars", "seen", "sums"),
)
def drive_fused(
    roads: Roads,
    starts: Starts,
    cars: Cars,
    seen: Observation,
    sums: Sums,
    frames: int,
    numbers: Numbers,
    block: int = BLOCK,
    warps: int = WARPS,
    interpret: bool = False,
) -> tuple[Cars, Observation, Sums]:
    """As `drivers.drive_steadily`; the number of cars must be a multiple of `block`."""
    tables, moving = (*roads, *starts), (*cars, *seen, *sums)
    kernel = partial(_drive, len(roads), len(tables), len(seen), frames, numbers)
    whole = [pl.BlockSpec(table.shape, lambda i: (0,)) for table in tables]
    each = [pl.BlockSpec((block,), lambda i: (i,)) for _ in moving]
    out = pl.pallas_call(
        kernel,
        grid=(len(cars.x) // block,),
        in_specs=[*whole, *each],
        out_specs=each,
        out_shape=[jax.ShapeDtypeStruct(column.shape, column.dtype) for column in moving],
        input_output_aliases={len(tables) + k: k for k in range(len(moving))},
        compiler_params=plgpu.CompilerParams(num_warps=warps, num_stages=1),
        interpret=interpret,
        name="drive",
    )(*tables, *moving)
    return _sorted(out, len(seen))


def _drive(roads: int, tables: int, seen: int, frames: int, numbers: Numbers, *refs: Any) -> None:
    """The kernel: `refs` are the tables, then what moves, in and out."""
    road, start = Roads(*refs[:roads]), Starts(*refs[roads:tables])
    moving = (len(refs) - tables) // 2
    given, out = refs[tables : tables + moving], refs[tables + moving :]
    first = _sorted([ref[...] for ref in given], seen)
    last = len(Cars._fields)

    def one(_: jax.Array, now: tuple[Cars, Observation, Sums]) -> tuple[Cars, Observation, Sums]:
        now = one_frame(road, start, *now, numbers)
        for ref, column in zip(out[last : last + seen], now[1], strict=True):
            ref[...] = column
        return now

    cars, _, sums = lax.fori_loop(0, frames, one, first)
    for ref, column in zip((*out[:last], *out[last + seen :]), (*cars, *sums), strict=True):
        ref[...] = column


def _sorted(columns: list[jax.Array], seen: int) -> tuple[Cars, Observation, Sums]:
    last = len(Cars._fields)
    return Cars(*columns[:last]), tuple(columns[last : last + seen]), Sums(*columns[last + seen :])


def fits(count: int) -> bool:
    """Whether so many cars can be driven by this kernel on the device that is here."""
    return jax.devices()[0].platform == "gpu" and count % BLOCK == 0 and jnp.zeros(()).dtype != jnp.float64
