"""The move tree `bends`: what `large` holds, higher speeds, and turns that are held.

To the straight hubs come steady turns at every speed, a tight one near what the car holds and a wide one. A
clip holds a turn, leads into it or out of it, or from one to another; what it turns by is a multiple of 5°,
its steering goes on from hub to hub. So the car takes a bend in one sweep, where the clips of `large` steer
in and out again. What bends lie between is held on a `ladder` of further turns.

What the tree loses against the car is bounded, and tests hold it to that: at the speed of every straight hub
up to 0.9 of the top speed the tightest turn has at least `HELD` of the side acceleration that the car holds
there, from hub to hub it gains and loses speed in at most `SLOWER` times what full throttle and full brakes
need, and its fastest hub has at least `REACHED` of the car's top speed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np

from swerve.core.clips import Clip
from swerve.core.library import MotionLibrary
from swerve.core.progress import track

from .car import FRAME, CarParameters
from .hubs import LATTICE, SKID, Hub, turning_hub
from .ladder import SLOWEST, Rung, calm_leap, calm_ways, new_hubs, rungs
from .rollout import mirrored, play, sideslip
from .shooting import Aim, expand, finish, shoot, shortest

FASTER = {"vf1": 35.0, "vf2": 40.0, "top": 44.0}  # [m/s] beyond the hubs of `large`
LEAST_GAIN = 0.5  # [m/s²] at the fastest hub
LEVELS = {"tight": 0.97, "wide": 0.6}  # share of the side force that a car holds at a speed
HELD = 0.85  # of the car's largest steady side acceleration at a speed, the tightest turn holds at least this
SLOWER = 1.1  # times what full throttle or brakes need from hub to hub, and two frames
REACHED = 0.88  # of the car's top speed, the fastest hub has at least this
TURNS = (1, 2, 4)  # multiples of its shortest clip for which a turn is held
DURATIONS = (8, 10, 12, 14, 16, 18, 20, 23, 26, 30, 35, 41, 48, 56, 66, 80, 100)  # [frames] tried in turn
WEIGHT = 1.1  # of the estimate in a search
RESTLESS = 10.0  # [frames/rad] that a search pays for turning the wheel
CHANGED = 6.0  # [frames] that it pays for going from one turn to another
REACH = 3  # rungs up and down the ladder that are reached from straight ahead
TRIED = 3  # turns nearest to the natural one
ANGLES = 2  # different turns of a clip from hub to hub
SLIP = np.radians(26.0)  # that a clip into or out of a turn may not pass


@dataclass(frozen=True)
class Leap:
    """A clip to be sought from one hub to another."""

    start: Hub
    end: Hub
    angles: int = ANGLES


def build_bends(base: MotionLibrary, seed: int = 0, car: CarParameters | None = None) -> MotionLibrary:
    """Hubs and clips on top of those of `base`, a tree `large` made for the same car."""
    own = car or CarParameters()
    straight = {
        name: Hub(name, float(v[0]), drive=_hold(float(v[0]), own))
        for name, v in zip(base.node_names, base.node_velocity, strict=True)
    }
    slowest = {name: hub for name, hub in straight.items() if hub.forward > 0.0}
    faster = {name: Hub(name, v, drive=_hold(v, own)) for name, v in FASTER.items() if _gains(v, own)}
    ends = [(clip, int(a), int(b)) for clip, a, b in zip(base.clips, base.source, base.target, strict=True)]
    clips = [(clip, base.node_names[a], base.node_names[b]) for clip, a, b in ends]
    fast = list(slowest.values())[-1:] + list(faster.values())
    clips += list(_at_speed(fast, own, seed))
    speeds = {**slowest, **faster}
    turning = {
        (name, level): turning_hub(f"{name} {level} left", hub.forward, share, own)
        for name, hub in speeds.items()
        for level, share in LEVELS.items()
    }
    held = {key: hub for key, hub in turning.items() if hub is not None}
    ladder = rungs(list(speeds.values()), held, own)
    left = [*held.values(), *new_hubs(ladder)]
    for hub in left:
        clips += list(_holding(hub, own))
    missing = list(base.meta.get("missing", []))
    for leap in track([*_leaps(list(speeds.values()), held), *_onto(ladder)], "leading into bends"):
        found = list(_found(leap, own))
        clips += found
        if not found:
            missing.append(f"{leap.start.name}>{leap.end.name}")
    for a, b in track(list(calm_ways(ladder)), "from rung to rung"):
        controls = calm_leap(a, b, own)
        if controls is None:
            missing.append(f"{a.name}>{b.name}")
        else:
            clips += list(_both(f"{a.name}>{b.name}", controls, a, b, own))
    hubs = [*straight.values(), *faster.values(), *left, *(hub.mirrored(_other(hub.name)) for hub in left)]
    names = [hub.name for hub in hubs]
    clips.sort(key=lambda row: names.index(row[1]))
    meta = {"kind": "move tree", "seed": seed, "speeds_continuous": True, "missing": missing}
    if car is not None:
        meta["car"] = asdict(car)
    return MotionLibrary(
        "bends",
        tuple(clip for clip, _, _ in clips),
        np.array([names.index(a) for _, a, _ in clips]),
        np.array([names.index(b) for _, _, b in clips]),
        tuple(names),
        np.array([hub.velocity for hub in hubs]),
        meta
        | {"steer": [hub.steer for hub in hubs], "weight": WEIGHT}
        | {"restless": RESTLESS, "changed": CHANGED},
    )


def _leaps(speeds: list[Hub], held: dict[tuple[str, str], Hub]) -> Iterator[Leap]:
    """In and out at one speed and to the next on the way; from wide to tight and to wide where there is no
    ladder: on it they would be a way to saw round a ring.
    """
    for hub in speeds:
        own = [held[hub.name, level] for level in LEVELS if (hub.name, level) in held]
        for turn in own:
            yield Leap(hub, turn)
            yield Leap(turn, hub)
        for a, b in pairwise(own) if hub.forward < SLOWEST else ():
            yield Leap(a, b, 1)
            yield Leap(b, a, 1)
    for slow, fast in pairwise(speeds):
        for level in LEVELS:
            inner, outer = held.get((slow.name, level)), held.get((fast.name, level))
            if inner is not None:
                yield Leap(fast, inner)
                yield Leap(inner, fast)
            if inner is not None and outer is not None and (level == "tight" or slow.forward < SLOWEST):
                yield Leap(outer, inner, 1)
                yield Leap(inner, outer, 1)
        tight, wide = held.get((slow.name, "tight")), held.get((fast.name, "wide"))
        if tight is not None and wide is not None:
            yield Leap(wide, tight, 1)
            yield Leap(tight, wide, 1)


def _onto(ladder: list[Rung]) -> Iterator[Leap]:
    """From straight ahead onto the ladder, braking or gaining speed on the way too, and back."""
    for k, rung in enumerate(ladder):
        if rung.straight is not None:
            yield Leap(rung.straight, rung.easy)
            yield Leap(rung.easy, rung.straight)
            near = ladder[max(0, k - REACH) : k] + ladder[k + 1 : k + 1 + REACH]
            yield from (Leap(rung.straight, other.easy) for other in near)


def _found(leap: Leap, car: CarParameters) -> Iterator[tuple[Clip, str, str]]:
    """The shortest clips of a leap, of different turns, and their mirror images."""
    a, b = leap.start, leap.end
    turns: set[int] = set()
    first = 0
    for frames in DURATIONS:
        if turns and frames > 1.6 * first:
            return
        # the course turns evenly from one turn to the other, and the nose by the change of slip on top of it
        course = 0.5 * (a.yaw_rate + b.yaw_rate) * frames * FRAME
        natural = (course + a.slip - b.slip) / LATTICE
        for steps in sorted(range(int(natural) - 1, int(natural) + 3), key=lambda k: abs(k - natural))[
            :TRIED
        ]:
            if steps in turns:
                continue
            aim = Aim(a, b, steps * LATTICE, frames, SLIP)
            knots = finish(aim, car)
            if knots is None:
                continue
            turns.add(steps)
            first = first or frames
            yield from _both(f"{a.name}>{b.name}", expand(knots, aim), a, b, car)
            if len(turns) == leap.angles:
                return


def _holding(hub: Hub, car: CarParameters) -> Iterator[tuple[Clip, str, str]]:
    control = [hub.steer, max(hub.drive, 0.0), max(-hub.drive, 0.0)]
    for times in TURNS:
        if times * hub.turn <= np.radians(95.0):
            yield from _both(hub.name, np.tile(control, (times * hub.frames, 1)), hub, hub, car)


def _at_speed(hubs: list[Hub], car: CarParameters, seed: int) -> Iterator[tuple[Clip, str, str]]:
    """Straight on, faster, slower, and small turns, at speeds beyond those of `large`."""
    for hub in hubs[1:]:
        controls = shoot(Aim(hub.forward, hub.forward, 0.0, 10), car)
        if controls is not None:
            yield _clip(f"{hub.name} straight", controls, hub, car), hub.name, hub.name
        for degrees in (5, 10):
            controls = shortest(
                Aim(hub.forward, hub.forward, np.radians(degrees), max_sideslip=SLIP, seed=seed), car
            )
            if controls is not None:
                yield from _both(hub.name, controls, hub, hub, car)
    for slow, fast in pairwise(hubs):
        for a, b in ((slow, fast), (fast, slow)):
            controls = shortest(Aim(a.forward, b.forward, 0.0), car, (150,))
            if controls is not None:
                yield _clip(f"{a.name}>{b.name} straight", controls, a, car), a.name, b.name


def _both(
    way: str, controls: np.ndarray, a: Hub, b: Hub, car: CarParameters
) -> Iterator[tuple[Clip, str, str]]:
    """A clip and its mirror image, named by what they turn."""
    clip = _clip(way, controls, a, car)
    skid = " skid" if sideslip(clip.velocity) > SKID else ""
    degrees = round(np.degrees(clip.pose[-1, 2]))
    label = f"{way}{skid}" if "left" in way else f"{way}{skid} left"
    right, back = a.mirrored(_other(a.name)), b.mirrored(_other(b.name))
    yield _clip(f"{label} {degrees}", controls, a, car), a.name, b.name
    yield _clip(f"{_other(label)} {degrees}", mirrored(controls), right, car), right.name, back.name


def _clip(name: str, controls: np.ndarray, start: Hub, car: CarParameters) -> Clip:
    return Clip.from_states(name, play(controls, start.state, car), FRAME, controls)


def _other(name: str) -> str:
    """The name on the other side; straight hubs have none."""
    return name.replace("left", "right")


def _hold(speed: float, car: CarParameters) -> float:
    return (car.resistance * speed + car.drag * speed**2) / car.drive_gain


def _gains(speed: float, car: CarParameters) -> bool:
    push = 96.0 * car.drive_gain - car.resistance * speed - car.drag * speed**2
    return push >= LEAST_GAIN * car.mass
