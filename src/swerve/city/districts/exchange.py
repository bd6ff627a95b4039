"""What districts tell each other in a frame, by way of whoever runs them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import kernel

from ..traffic.fleet import VEHICLE, Fleet
from .cut import MOST

ABSENT, OWN, GUEST = 0, 1, 2
RECORD = np.dtype(f"V{VEHICLE.itemsize}")  # a vehicle in one piece: NumPy copies records field by field
OUTSIDE = np.int64(1) << np.int64(MOST)  # the bit of whoever runs the districts


class News(NamedTuple):
    """To a district before a step: who came over its border or is near it, and where people are."""

    numbers: np.ndarray  # (k,) rows of the fleet
    rows: np.ndarray  # (k,) their records
    busy: np.ndarray  # (crosswalks,) bool


class Report(NamedTuple):
    """From a district after a step: who is near a border or went over it, and what its cars do at
    crosswalks."""

    numbers: np.ndarray  # (k,) rows of the fleet
    bits: np.ndarray  # (k,) who must know
    rows: np.ndarray  # (k,) their records
    claims: np.ndarray  # of its crosswalks
    due: np.ndarray
    in_the_way: np.ndarray  # rows of cars that stand over one,
    cars: np.ndarray  # (m, 6), as people see them
    seconds: float  # of CPU time


def records(fleet: Fleet) -> np.ndarray:
    """The same memory, (n,) of `RECORD`."""
    return np.asarray(fleet).view(RECORD)


def strips_of(rows: np.ndarray) -> np.ndarray:
    """Strips that vehicles (n,) of `RECORD` are on."""
    return np.asarray(rows.view(VEHICLE)["strip"])


@kernel
def part(
    fleet: Fleet,
    there: np.ndarray,
    state: np.ndarray,
    owner: np.ndarray,
    interest: np.ndarray,
    me: int,
    everyone: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of `fleet`, of those `there`, that others must know of, and the bits of those.

    `state` (n,) becomes what each is from now on: who went over the border is a guest as long as it is near.
    Copies of others' vehicles are gone. A siren is heard by `everyone`.
    """
    numbers, bits = np.empty(len(there), np.int64), np.empty(len(there), np.int64)
    count = 0
    for i in there:
        if state[i] == GUEST:
            state[i] = ABSENT
        if state[i] != OWN:
            continue
        strip = fleet[i].strip
        told = OUTSIDE
        if strip < 0:
            state[i] = ABSENT
        else:
            told = interest[strip]
            if fleet[i].previous >= 0:
                told |= interest[fleet[i].previous]
            if fleet[i].earlier >= 0:
                told |= interest[fleet[i].earlier]
            if fleet[i].side >= 0:
                told |= interest[fleet[i].side]
            if fleet[i].emergency:
                told |= everyone
            if me >= 0:
                mine = np.int64(1) << np.int64(me)
                if owner[strip] != me:
                    state[i] = GUEST if told & mine else ABSENT
                told &= ~mine
        if told != 0:
            numbers[count], bits[count] = i, told
            count += 1
    return numbers[:count], bits[:count]
