"""How the bodies of a recording begin: the state row that fits their first frames best."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from swerve.core.attitude import COLUMNS
from swerve.core.errors import require
from swerve.core.recording import Recording

from ..bodies import Motion, Role, World
from ..record import kind_of
from .reality import rolled
from .sense import one

FIRST = 8  # frames from which the first state is estimated, or more
FURTHER = (32, 24, 16, 12)  # frames from which it is where they are as smooth as the noise lets them be
ROUGH = 1.15  # times the noise that such frames may be off a parabola
STILL = 0.005  # [m] that a body at rest seems to move in them
UNTURNED = 0.03  # [rad] that one which does not turn seems to turn in them
STRUCK = 6.0  # times the noise, and more than what rests, that a body is off one which is struck
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


def first_state(world: World, body: str, xy: np.ndarray, row: np.ndarray, frames: int = FIRST) -> np.ndarray:
    """The row with the place and velocity of a free or planar body that fit its first frames best."""
    fitted = _fitted(world, xy, frames)
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
        xy = np.column_stack([columns["x"], columns["y"]])
        frames, struck = smooth(xy)
        free = not struck or world.by_name[name].role is not Role.PASSIVE
        why = f"is struck or bounces within its first {FIRST} frames: cut them off"
        require(free, where, name, why)
        row = first_state(world, name, xy, row, frames)
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


def smooth(xy: np.ndarray) -> tuple[int, bool]:
    """How many first frames of places (n, 2) are a parabola but for the noise, and whether not even the least
    that are looked at are: their body is struck there.

    Noise is told by third differences over all frames, as most of them see no strike.
    """
    if len(xy) < FIRST + 3:
        return FIRST, False
    noise = float(np.median(np.abs(np.diff(xy, 3, axis=0)))) / (0.6745 * 20**0.5)
    for frames in FURTHER:
        if frames <= len(xy) and np.sqrt(np.sum(_off(xy, frames) ** 2) / (2 * frames - 6)) < ROUGH * noise:
            return frames, False
    return FIRST, bool(np.abs(_off(xy, FIRST)).max() > max(STILL, STRUCK * noise))


def _off(xy: np.ndarray, frames: int) -> np.ndarray:
    """How far first places are off the parabola that fits them best."""
    t = np.linspace(-1.0, 1.0, frames)
    found = np.polynomial.polynomial.polyfit(t, xy[:frames], 2)
    return np.asarray(xy[:frames] - np.polynomial.polynomial.polyval(t, found).T)


def _name(world: World, number: int, kind: str) -> str | None:
    """Which body of a world it is, if any."""
    plain = kind.partition(" (")[0]
    if plain in world.slots:
        return plain
    alike = [body.name for body in world.bodies if kind_of(world, body.name) == kind]
    if 0 <= number < len(world.bodies) and world.bodies[number].name in alike:
        return world.bodies[number].name
    return alike[0] if len(alike) == 1 else None


def _fitted(world: World, values: np.ndarray, frames: int = FIRST) -> np.ndarray:
    """First values, rates and half the changes of rates (3, d) of values (n, d) in the first frames."""
    t = np.arange(min(frames, len(values))) * world.step_seconds
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
