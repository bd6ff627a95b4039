"""Models that MuJoCo can simulate, no word from it where it cannot, and no clock of its own."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numba
import numpy as np

from swerve.core.errors import BadInput

MOST = float(mujoco.mjMAXVAL)  # beyond it MuJoCo takes a number for a simulation that ran away
_DERIVED = ("0", "inertia", "extent", "center")  # ends of names: found by MuJoCo from the others
_OWNERS = {"body": "body", "geom": "geom", "jnt": "joint", "site": "site", "tendon": "tendon"}


def check_model(model: mujoco.MjModel) -> None:
    """Refuse a model with a number that is none, or a place beyond what MuJoCo works with."""
    for holder in (model.opt, model):
        for field in sorted(dir(holder), key=lambda name: (name.endswith(_DERIVED), name)):
            values = getattr(holder, field) if not field.startswith("_") else None
            if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
                continue
            wrong = np.isnan(values)
            if field in ("qpos0", "key_qpos", "key_qvel", "body_pos", "geom_pos", "gravity"):
                wrong |= ~(np.abs(values) <= MOST)
            if wrong.any():
                at = int(np.argwhere(wrong)[0, 0])
                raise BadInput("MJCF", None, f"{_named(model, field, at)} has a number that cannot be")


def _named(model: mujoco.MjModel, field: str, at: int) -> str:
    kind, _, what = field.partition("_")
    if kind not in _OWNERS:
        return field
    return f"{what} of {_OWNERS[kind]} {getattr(model, _OWNERS[kind])(at).name or at}"


@cache
def hush() -> None:
    """Have MuJoCo's warnings go nowhere, unless somebody listens: it would write them to the terminal and
    into a file in the working folder, one for each branch. What runs away is known by its numbers.

    A function of C's, as threads that hold no lock of Python's call it. And `stop_clock`. All of the process
    is hushed, simulations of others too: `speak` takes it back.
    """
    heard = _variable("mju_user_warning")
    if heard is not None and not heard.value:
        heard.value = _silence.address
    stop_clock()


def speak() -> None:
    """Have MuJoCo's warnings go where they would have gone without `hush`, unless somebody listens."""
    heard = _variable("mju_user_warning")
    if heard is not None and heard.value == _silence.address:
        heard.value = None


def stop_clock() -> None:
    """Have MuJoCo read no clock, unless it is somebody's own: it would at every stage of every step, for
    `MjData.timer`, which takes up to a quarter of a small model's step. `mujoco.set_mjcb_time(None)` winds up
    MuJoCo's own again."""
    clock = _variable("mjcb_time")
    if clock is not None and mujoco.get_mjcb_time() is None:  # MuJoCo's own, or one that C code has set
        before = clock.value
        mujoco.set_mjcb_time(None)
        clock.value = None if clock.value == before else before


def _variable(name: str) -> ctypes.c_void_p | None:
    """A pointer in MuJoCo's library; none where that is not found."""
    for path in sorted(Path(mujoco.__file__).parent.glob("libmujoco*")):
        try:
            return ctypes.c_void_p.in_dll(ctypes.CDLL(str(path)), name)
        except (OSError, ValueError):
            continue
    return None


@numba.cfunc("void(voidptr)")
def _silence(message: Any) -> None:
    """Say nothing."""
