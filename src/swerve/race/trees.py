"""Move trees: what the car can do next, as clips that fit together.

- `five` and `seven` are the seed's small trees: one node, clips of one second, any of which may follow any
  other. Sideways and yaw motion vanish at both ends; forward speeds differ from clip to clip, so the car
  may change speed quicker than physics allows.
- `large` has seven nodes, straight driving at seven speeds, and clips found by shooting that close exactly:
  what it drives, the physics drives. Headings change by multiples of 5°, so they live on a lattice.
- `bends` is `large` with higher speeds and steady turns as nodes (see `bends`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np

from swerve.core.clips import Clip
from swerve.core.errors import BadInput
from swerve.core.files import is_there
from swerve.core.library import MotionLibrary, keep
from swerve.core.progress import track

from .bends import build_bends
from .car import FRAME, CarParameters
from .drivers import cruise, in_turn, record, rehearsed, straight_at
from .hubs import SKID
from .parking import creep, pull_up
from .rollout import clip_of, mirrored, play, sideslip
from .shooting import PLANNED_DRIVE, Aim, shoot, shortest

NAMES = ("five", "seven", "large", "bends")
OF_ANY_CAR = ("large", "bends")
DATA = Path(__file__).parent / "data"
HUBS = {"stop": 0.0, "sm1": 5.0, "sm2": 10.0, "medium": 15.0, "mf1": 20.0, "mf2": 25.0, "fast": 30.0}  # [m/s]
SEAM = 1e-6  # |Δu| + |Δv| + |Δω| from a clip of `large` to the hub at either end
LEAST_GAIN = 1.2  # [m/s²] at a hub, so that the next is reached within a few seconds


def load_tree(name: str | Path) -> MotionLibrary:
    """A tree by its name, or from a file.

    >>> load_tree("five").node_names
    ('straight',)
    """
    if str(name) in NAMES:
        return _shipped(str(name))
    if isinstance(name, str) and not Path(name).suffix and not is_there(name):
        raise BadInput("tree", name, f"must be one of {', '.join(NAMES)} or a file")
    return MotionLibrary.load(name)


@cache
def _shipped(name: str) -> MotionLibrary:
    return MotionLibrary.load(DATA / f"{name}.npz")


def build_tree(name: str, seed: int = 0, car: CarParameters | None = None) -> MotionLibrary:
    """Make a named tree anew; the same seed gives the same tree. `large` and `bends` are made for any car."""
    if name == "large":
        return build_large(seed, car)
    if name == "bends":
        shipped = car in (None, CarParameters()) and seed == 0
        return build_bends(load_tree("large") if shipped else build_large(seed, car), seed, car)
    if car is not None:
        raise BadInput("tree", name, "must be large or bends to be made for a car of your own")
    if name in ("five", "seven"):
        return build_small(name, seed)
    raise BadInput("tree", name, f"must be one of {', '.join(NAMES)}")


def car_of(tree: MotionLibrary) -> CarParameters:
    """The car that a tree was made for: the seed's, unless its meta tells another."""
    told = tree.meta.get("car")
    try:
        return CarParameters() if told is None else CarParameters(**told)
    except (TypeError, ValueError) as error:
        raise BadInput(f"move tree {tree.name}, car", None, f"must be a car's constants: {error}") from error


def skids(tree: MotionLibrary) -> np.ndarray:
    """Which clips (k,) slide sideways by more than `SKID`."""
    return np.array([sideslip(clip.velocity) > SKID for clip in tree.clips])


def without_skids(tree: MotionLibrary) -> MotionLibrary:
    """The tree for a driver who never slides."""
    return keep(tree, np.flatnonzero(~skids(tree)), f"{tree.name} without skids")


SMALL_FRAMES = 25
SMALL = {  # name: speed at start and end [m/s], turn [°]
    "straight": (30.0, 30.0, 0),
    "soft": (29.0, 29.0, 10),  # nowhere faster than straight on
    "hard": (15.0, 15.0, 15),
    "sharp": (9.5, 9.5, 30),  # three of them make a right angle
}


def build_small(name: str, seed: int = 0) -> MotionLibrary:
    """`five` or `seven`, cut from takes: a second of straight driving, the turn, and straight on again. The
    last frame of a clip goes straight ahead, from where the wheel gets to any other clip's.
    """
    kinds = ("straight", "soft", "hard") if name == "five" else tuple(SMALL)
    clips = []
    for kind in kinds:
        start, end, degrees = SMALL[kind]
        controls = shoot(Aim(start, end, np.radians(degrees), SMALL_FRAMES - 1, seed=seed, seams=False))
        if controls is None:
            raise BadInput("seed", seed, f"found no {kind} turn for {name}")
        sides = {"": controls} if degrees == 0 else {" left": controls, " right": mirrored(controls)}
        for side, rehearsal in sides.items():
            second = SMALL_FRAMES * FRAME
            turn = (second - FRAME, rehearsed(rehearsal))
            driver = in_turn((second, cruise(start)), turn, (second, cruise(end)))
            (take,) = record(driver, straight_at([start]), 3 * second, kind)
            clips.append(take.clip(SMALL_FRAMES, 2 * SMALL_FRAMES, f"{kind}{side}"))
    only = np.zeros(len(clips), dtype=np.int64)
    speed = np.mean([[clip.velocity[0], clip.velocity[-1]] for clip in clips], axis=(0, 1))
    meta = {"kind": "move tree", "seed": seed, "speeds_continuous": False}
    return MotionLibrary(name, tuple(clips), only, only, ("straight",), speed[None], meta)


@dataclass(frozen=True)
class Turn:
    """A clip of `large` to be sought: from hub to hub, turning left by `degrees`."""

    start: str
    end: str
    degrees: int
    skid: bool = False


def wanted_turns() -> Iterator[Turn]:
    """Every turn to the left that `large` asks for."""
    constant = {
        "sm1": (5, 10, 20, 40, 60, 90),
        "sm2": (5, 10, 20, 40, 60, 90),
        "medium": (5, 10, 20, 40, 60),
        "mf1": (5, 10, 20),
        "mf2": (5, 10, 20),
        "fast": (5, 10, 20),
    }
    gain = {
        "stop": (10, 20, 40, 90),
        "sm1": (10, 20, 40),
        "sm2": (10, 20, 40),
        "medium": (10, 20),
        "mf1": (10, 20),
        "mf2": (10, 20),
    }
    lose = {
        "sm1": (20, 40),
        "sm2": (10, 20, 40),
        "medium": (20, 40),
        "mf1": (10, 20, 40),
        "mf2": (10, 20),
        "fast": (10, 20),
    }
    slides = {
        ("mf1", "mf1"): (40,),
        ("mf2", "mf2"): (40,),
        ("fast", "fast"): (40,),
        ("mf2", "mf1"): (40,),
        ("fast", "mf2"): (40,),
        ("medium", "sm1"): (90, 135, 180),
        ("mf1", "sm2"): (90, 135, 180),
        ("mf2", "sm2"): (90, 135, 180),
        ("fast", "sm2"): (90, 120, 150, 180),
        ("fast", "medium"): (45, 90),
        ("fast", "mf1"): (60,),
    }
    hubs = list(HUBS)
    for hub, angles in constant.items():
        yield from (Turn(hub, hub, a) for a in angles)
    for hub, angles in gain.items():
        yield from (Turn(hub, hubs[hubs.index(hub) + 1], a) for a in angles)
    for hub, angles in lose.items():
        yield from (Turn(hub, hubs[hubs.index(hub) - 1], a) for a in angles)
    for (hub, end), angles in slides.items():
        yield from (Turn(hub, end, a, skid=True) for a in angles)


def hubs_of(car: CarParameters) -> dict[str, float]:
    """The hubs that a car reaches: those at which it still gains `LEAST_GAIN` [m/s²]."""
    push = car.drive_gain * PLANNED_DRIVE
    return {
        name: speed
        for name, speed in HUBS.items()
        if push - car.resistance * speed - car.drag * speed**2 >= LEAST_GAIN * car.mass
    }


def build_large(seed: int = 0, car: CarParameters | None = None) -> MotionLibrary:
    """Seven hubs, fewer for a slower car; every clip closed to `SEAM`. Right turns mirror left ones, which is
    exact because the car is symmetric. Turns that do not close are left out and named in `meta`.
    """
    own = car or CarParameters()
    speeds = hubs_of(own)
    clips = list(_straight_on(speeds, own)) + list(_manoeuvres(own))
    missing = []
    turns = [turn for turn in wanted_turns() if turn.start in speeds and turn.end in speeds]
    for turn in track(turns, "shooting clips"):
        found = _find(turn, seed, own)
        clips += found
        if not found:
            missing.append(f"{turn.start}>{turn.end} {turn.degrees}")
    hubs = list(speeds)
    clips.sort(key=lambda clip: hubs.index(_ends(clip.name)[0]))
    source, target = np.array([[hubs.index(h) for h in _ends(clip.name)] for clip in clips]).T
    velocity = np.array([[speed, 0.0, 0.0] for speed in speeds.values()])
    meta = {"kind": "move tree", "seed": seed, "speeds_continuous": True, "missing": missing}
    if car is not None:
        meta["car"] = asdict(car)
    return MotionLibrary("large", tuple(clips), source, target, tuple(hubs), velocity, meta)


def _find(turn: Turn, seed: int, car: CarParameters) -> list[Clip]:
    start, end, angle = HUBS[turn.start], HUBS[turn.end], np.radians(turn.degrees)
    if turn.end == "stop":
        controls = pull_up(start, angle, car)
    else:
        slip = np.pi if turn.skid else 0.95 * SKID
        controls = shortest(Aim(start, end, angle, max_sideslip=slip, seed=seed), car)
    if controls is None:
        return []
    way = turn.start if turn.start == turn.end else f"{turn.start}>{turn.end}"
    skid = "skid " if sideslip(clip_of(way, controls, start, car).velocity) > SKID else ""
    return _both_sides(f"{way} {skid}{{side}} {turn.degrees}", controls, start, car)


def _straight_on(speeds: dict[str, float], car: CarParameters) -> Iterator[Clip]:
    """Holding the speed for 10 frames, and full throttle or brake to the next hub."""
    hubs = list(speeds.items())
    for i, (hub, speed) in enumerate(hubs):
        if speed == 0.0:
            yield clip_of("stop wait", np.tile([0.0, 0.0, 20.0], (10, 1)), speed, car)
        else:
            hold = shoot(Aim(speed, speed, 0.0, 10), car)
            assert hold is not None
            yield clip_of(f"{hub} straight", hold, speed, car)
        for other, wanted in hubs[max(0, i - 1) : i] + hubs[i + 1 : i + 2]:
            controls = shortest(Aim(speed, wanted, 0.0), car)
            assert controls is not None
            yield clip_of(f"{hub}>{other} straight", controls, speed, car)


def _manoeuvres(car: CarParameters) -> Iterator[Clip]:
    """From standstill to standstill: backwards and forwards, straight or with the wheels turned."""
    for frames in (14, 40):
        controls = creep(0.0, -frames, car)
        assert controls is not None
        way = -play(controls, 0.0, car)[-1, 0]
        yield clip_of(f"stop back {way:.1f} m", controls, 0.0, car)
    for direction, angles in ((-1, (15, 30, 60)), (1, (15, 30, 60))):
        word = "back" if direction < 0 else "forward"
        for degrees in angles:
            turn = np.radians(degrees)
            tries = (creep(turn, direction * n, car) for n in range(4, 120))
            controls = next((c for c in tries if c is not None), None)
            if controls is not None:
                yield from _both_sides(f"stop {word} {{side}} {degrees}", controls, 0.0, car)


def _both_sides(name: str, controls: np.ndarray, start: float, car: CarParameters) -> list[Clip]:
    return [
        clip_of(name.format(side="left"), controls, start, car),
        clip_of(name.format(side="right"), mirrored(controls), start, car),
    ]


def _ends(name: str) -> tuple[str, str]:
    """Hubs at the two ends of a clip of `large`, read off its name."""
    way = name.split()[0].split(">")
    return way[0], way[-1]
