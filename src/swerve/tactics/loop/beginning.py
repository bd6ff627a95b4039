"""How the bodies of a recording begin: the state row that fits their first frames best."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from swerve.core.attitude import COLUMNS
from swerve.core.errors import require
from swerve.core.recording import Recording

from ..bodies import Motion, World
from ..record import kind_of
from .reality import rolled
from .sense import one

FIRST = 8  # frames from which the first state is estimated
STILL = 0.005  # [m] that a body at rest seems to move in them
UNTURNED = 0.03  # [rad] that one which does not turn seems to turn in them
ELSEWHERE = 0.01  # [m] from where the domain has it that a link is not where it was


def bodies_of(
    recording: Recording, world: World, where: str
) -> tuple[dict[str, dict[str, np.ndarray]], list[str]]:
    """Columns of the bodies of a world that a recording holds, by name, and kinds that are none of them.

    Cubes are recorded as one of their kind, and are told by their numbers.
    """
    found: dict[str, dict[str, np.ndarray]] = {}
    strangers = []
    for number, kind, columns in recording.bodies():
        name = _name(world, number, kind)
        if name is None:
            strangers.append(kind.partition(" (")[0])
            continue
        require(name not in found, where, name, "is there twice")
        found[name] = columns
    return found, strangers


def check_seen(recording: Recording, ways: Mapping[str, Mapping[str, np.ndarray]], where: str) -> None:
    """Refuse bodies that are not in every frame, or in places that are no numbers."""
    for name, columns in ways.items():
        require(
            np.array_equal(columns["t"], recording.times), where, name, "must be in all frames, once each"
        )
        numbers = [columns[column] for column in ("x", "y", "z", *COLUMNS)]
        require(bool(np.isfinite(numbers).all()), where, name, "has places that are no numbers")


def first_state(world: World, body: str, xy: np.ndarray, row: np.ndarray) -> np.ndarray:
    """The row with the place and velocity of a free or planar body that fit its first frames best."""
    fitted = _fitted(world, xy)
    start, slot = row.copy(), world.slot(body)
    start[slot.qpos : slot.qpos + 2] = fitted[0] - (slot.base[:2] if slot.motion is Motion.PLANAR else 0.0)
    start[slot.qvel : slot.qvel + 2] = fitted[1]
    return start


def begun(
    world: World, name: str, columns: Mapping[str, np.ndarray], row: np.ndarray, where: str
) -> np.ndarray:
    """The row in which a body begins as its first frames show it: where it is, how it is turned, and how it
    moves and turns. Balls begin rolling."""
    slot = world.slot(name)
    if slot.motion is Motion.NONE:
        return row
    if slot.motion is Motion.JOINTED:
        require(
            _as_placed(world, name, columns, row),
            where,
            name,
            "must begin where the domain has it: place it so",
        )
        return row
    if slot.motion is not Motion.TURNING:
        row = first_state(world, name, np.column_stack([columns["x"], columns["y"]]), row)
    if name in world.balls:
        rolled(world, name, row)
    elif slot.motion is Motion.FREE:
        _turned(world, name, columns, row)
    else:
        angle = np.unwrap(2 * np.arctan2(columns["qz"][:FIRST], columns["qw"][:FIRST]))
        rate, first = np.polyfit(np.arange(len(angle)) * world.step_seconds, angle, 1)
        at = 2 if slot.motion is Motion.PLANAR else 0
        row = row.copy()
        row[slot.qpos + at], row[slot.qvel + at] = first, rate
    return row


def _name(world: World, number: int, kind: str) -> str | None:
    """Which body of a world it is, if any."""
    plain = kind.partition(" (")[0]
    if plain in world.slots:
        return plain
    alike = [body.name for body in world.bodies if kind_of(world, body.name) == kind]
    if 0 <= number < len(world.bodies) and world.bodies[number].name in alike:
        return world.bodies[number].name
    return alike[0] if len(alike) == 1 else None


def _fitted(world: World, values: np.ndarray) -> np.ndarray:
    """First values, rates and half the changes of rates (3, d) of values (n, d) in the first frames."""
    t = np.arange(min(FIRST, len(values))) * world.step_seconds
    return np.asarray(np.polynomial.polynomial.polyfit(t, values[: len(t)], 2))


def _turned(world: World, name: str, columns: Mapping[str, np.ndarray], row: np.ndarray) -> None:
    """Give a free body its height and its attitude, and, if it falls or turns, how fast, in place."""
    slot, z = world.slot(name), columns["z"]
    row[slot.qpos + 2] = z[0]
    row[slot.qpos + 3 : slot.qpos + 7] = [columns[q][0] for q in COLUMNS]
    if np.ptp(z[:FIRST]) > STILL:
        row[slot.qvel + 2] = _fitted(world, z[:, None])[1, 0]
    turns = Rotation.from_quat(np.column_stack([columns[q] for q in COLUMNS])[:FIRST], scalar_first=True)
    turned = np.cumsum((turns[:-1].inv() * turns[1:]).as_rotvec(), axis=0)  # about its own axes
    if np.linalg.norm(turned, axis=1).max() > UNTURNED:
        row[slot.qvel + 3 : slot.qvel + 6] = _fitted(world, np.vstack([np.zeros(3), turned]))[1]


def _as_placed(world: World, name: str, columns: Mapping[str, np.ndarray], row: np.ndarray) -> bool:
    """Whether a link is where a row has it."""
    middle = one(world, row).middle(name)[0]
    return bool(np.hypot(*(middle[:2] - [columns[axis][0] for axis in "xy"])) <= ELSEWHERE)
