"""Episodes for fitting: what bodies really did, seen through noise, and what a model says they would do.

Zickler's two sets for minigolf (2010, section 8.2.2) are recorded in the pymunk reality: 36 putts across the
carpet at 2 to 7.5 m/s, three of each, and 70 against a wooden bar at 11.25° to 78.75° and 3 to 7.5 m/s. Those
across the carpet last until the slowest lie: what slows a ball that hardly rolls any more decides whether it
reaches a hole, and does not show while it is fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.recording import Recording

from ..bodies import Body, Motion, Role, World
from ..domains.minigolf import Course, play_on
from ..engine import Engine
from ..planar import PlanarEngine
from ..problem import Problem
from .beginning import FIRST, STILL, begun, bodies_of, check_seen, first_state
from .pymunk_world import Carpet, PymunkReality
from .sense import Noise

SPEEDS = tuple(np.arange(2.0, 7.51, 0.5))  # [m/s]
BOUNCE_SPEEDS = tuple(np.arange(3.0, 7.51, 0.5))
ANGLES = tuple(np.radians(np.arange(11.25, 78.76, 11.25)))  # from the bar's normal
REPEATS = 3
LENGTH = 84  # frames of an episode with a bounce
ROLLING = 300  # frames of one without
RUN_UP = 1.3  # [m] from the start to the bar: more than the fastest rolls in the first frames
MOVED = 0.01  # [m] that a body of an episode moves at least
YARD = Course(
    "minigolf",
    (-1.0, 0.0),
    (24.0, 24.0),
    (0.0, 0.1),
    (1.0, 2.0),
    area=(-25.0, -25.0, 25.0, 25.0),
    inner=((0.0, -6.0, 0.08, 6.0),),
    smooth=True,
)


@dataclass(frozen=True)
class Episode:
    """Places (n, 2) of one body at frames, and the state row with which it begins. `kind` says which error
    function counts: "rolling", "bouncing" or "place"."""

    kind: str
    body: str
    xy: np.ndarray
    start: np.ndarray


def yard() -> Problem:
    """A wide carpet with one bar, x = 0."""
    return play_on(YARD)


def minigolf_episodes(random: np.random.Generator, carpet: Carpet = Carpet()) -> list[Episode]:
    """Both sets, recorded in reality."""
    world = yard().world
    found = [roll(world, carpet, random, speed) for speed in np.repeat(SPEEDS, REPEATS)]
    for angle in ANGLES:
        found += [bounce(world, carpet, random, angle, speed) for speed in BOUNCE_SPEEDS]
    return found


def roll(world: World, carpet: Carpet, random: np.random.Generator, speed: float) -> Episode:
    """A putt across the carpet."""
    return _putt(world, carpet, random, "rolling", (3.0, 0.0), speed, 0.0)


def bounce(world: World, carpet: Carpet, random: np.random.Generator, angle: float, speed: float) -> Episode:
    """A putt against the bar, at an `angle` to its normal."""
    place = -RUN_UP * np.array([np.cos(angle), np.sin(angle)]) - (world.slot("ball").radius, 0.0)
    return _putt(world, carpet, random, "bouncing", (place[0], place[1]), speed, angle)


def _putt(
    world: World,
    carpet: Carpet,
    random: np.random.Generator,
    kind: str,
    place: tuple[float, float],
    speed: float,
    angle: float,
) -> Episode:
    row, slot, robot = world.initial.copy(), world.slot("ball"), world.slot("robot")
    row[slot.qpos : slot.qpos + 2] = place
    row[robot.qpos : robot.qpos + 2] = (-20.0, -20.0)
    row[slot.qvel : slot.qvel + 2] = speed * np.cos(angle), speed * np.sin(angle)
    reality = PymunkReality(world, YARD, row, carpet)
    seen = []
    for _ in range(ROLLING if kind == "rolling" else LENGTH):
        seen.append(reality.row[slot.qpos : slot.qpos + 2] + Noise().place * random.standard_normal(2))
        reality.step({})
    return Episode(kind, "ball", np.array(seen), first_state(world, "ball", np.array(seen), row))


def recorded_episodes(problem: Problem, recording: Recording, where: str) -> list[Episode]:
    """An episode of every passive body of a domain that moves in a recording of it.

    Frames must be a planning step apart. All moving bodies begin where the recording begins, turned as they
    are there; balls that move begin rolling.
    """
    world = problem.world
    times = recording.times
    require(len(times) > FIRST, where, len(times), f"must have more than {FIRST} frames")
    if not np.allclose(np.diff(times), world.step_seconds, rtol=1e-3):
        raise BadInput(where, float(np.diff(times)[0]), f"frames must be {world.step_seconds:.4f} s apart")
    bodies, _ = bodies_of(recording, world, where)
    check_seen(recording, bodies, where)
    start, ways = problem.start.copy(), {}
    for name, columns in bodies.items():
        start = begun(world, name, columns, start, where)
        ways[name] = np.column_stack([columns["x"], columns["y"]])
    moved = [body.name for body in world.bodies if body.name in ways and _goes(world, body, ways[body.name])]
    require(bool(moved), where, None, "holds no passive body of the domain that moves")
    if not any(np.ptp(way[:FIRST], axis=0).max() > STILL for way in ways.values()):
        raise BadInput(where, None, "begins at rest: what strikes the ball later is not in the model")
    return [Episode("place", name, ways[name], start) for name in moved]


def _goes(world: World, body: Body, way: np.ndarray) -> bool:
    """Whether it is passive, not held by a hinge, and gets anywhere."""
    loose = world.slot(body.name).motion in (Motion.FREE, Motion.PLANAR)
    return body.role is Role.PASSIVE and loose and bool(np.ptp(way, axis=0).max() > MOVED)


def check_made_of(recording: Recording, domain: str, world: World, seed: int, where: str) -> None:
    """Refuse a recording that says it was made of this domain, but of another layout than that of `seed`, or
    of a game of the same name in which there are other bodies."""
    if recording.meta.get("scene") != domain:
        return
    _, unknown = bodies_of(recording, world, where)
    strangers = sorted({kind for kind in unknown if not kind.endswith((" estimate", " plan"))})
    if strangers:
        raise BadInput(where, None, f"is of another world: {domain} has no {', '.join(strangers)}")
    made = recording.meta.get("seed")
    if made not in (None, seed):
        raise BadInput(where, seed, f"was made with another seed: fit with --seed {made}")


def simulated(
    world: World, episodes: Sequence[Episode], threads: int = 1, fidelity: str = "full"
) -> list[np.ndarray]:
    """Places (n, 2) of the episodes' bodies in the model, from the same first states, without any force.

    `fidelity` "planar" is the compiled model, for worlds that it knows."""
    ways: list[np.ndarray] = [np.zeros((0, 2))] * len(episodes)
    for frames in sorted({len(e.xy) for e in episodes}):
        alike = [k for k, e in enumerate(episodes) if len(e.xy) == frames]
        found = _together(world, [episodes[k] for k in alike], frames, threads, fidelity)
        for k, way in zip(alike, found, strict=True):
            ways[k] = way
    return ways


def _together(
    world: World, episodes: Sequence[Episode], frames: int, threads: int, fidelity: str
) -> np.ndarray:
    """Places (episodes, frames, 2)."""
    lanes = np.arange(len(episodes))
    engine = Engine(world, len(lanes), threads) if fidelity == "full" else PlanarEngine(world)
    rows, none = np.array([e.start for e in episodes]), np.zeros((len(lanes), world.model.nv))
    slots = [world.slot(e.body) for e in episodes]
    columns = np.array([(slot.qpos, slot.qpos + 1) for slot in slots])
    bases = np.array([slot.base[:2] if slot.motion is Motion.PLANAR else (0.0, 0.0) for slot in slots])
    ways = np.zeros((len(lanes), frames, 2))
    for k in range(frames):
        ways[:, k] = rows[lanes[:, None], columns] + bases
        if k + 1 < frames:
            rows, _ = engine.step(rows, none)
    return ways
