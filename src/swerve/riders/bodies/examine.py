"""What a rider can do: a minute straight on, turns to the ends of its range, the impossible; how fast it is
simulated."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.core.bodies import Parts
from swerve.core.steered import Steerable, SteeredBodies

from .engine import CyclistRide
from .rider import Rider

IMPOSSIBLE = 3.0  # [rad] a turn that nobody can make at once
LONG, TURN = 60.0, 6.0  # [s]
STANDING = 0.05  # [m/s] of a rider that has come to a stand
FRAME = 0.04  # [s] between the frames that are kept
COLUMNS = ("t", "x", "y", "z", "vx", "vy", "yaw", "roll", "steer", "fell")


@dataclass(frozen=True)
class Manoeuvre:
    """One ride: the command, its track (frames, columns), and the limbs and machine in every frame."""

    command: float  # [rad]
    track: np.ndarray
    parts: tuple[Parts, ...]

    def column(self, name: str) -> np.ndarray:
        return self.track[:, COLUMNS.index(name)]

    @property
    def fell(self) -> float | None:
        """When it fell [s], if it did."""
        fell = self.column("fell") > 0
        return float(self.column("t")[np.argmax(fell)]) if fell.any() else None

    @property
    def counter_steer(self) -> float:
        """How far the bar first turned the other way [rad]."""
        first = self.column("t") <= 1.0
        return float(max(0.0, (np.sign(self.command) * self.column("steer"))[first].max()))


@dataclass(frozen=True)
class Examination:
    rider: Rider
    straight_seconds: float  # ridden straight on without a fall
    realtime_factor: float  # seconds ridden for a second of one processor, one rider
    turns: tuple[Manoeuvre, Manoeuvre]  # to the ends of its range of commands, left and right
    impossible: Manoeuvre

    def summary(self) -> dict[str, object]:
        left, right = self.turns
        return {
            "rider": self.rider.name,
            "segments": len(self.rider.definition.limbs()),
            "controlled_freedoms": self.rider.definition.freedoms,
            "rider_mass": self.rider.definition.mass,
            "total_mass": float(self.rider.cyclist.model.body_subtreemass[0]),
            "speed": self.rider.speed,
            "seconds_straight_on": self.straight_seconds,
            "turn_left": left.command,
            "turn_left_reached": float(left.column("yaw")[-1]),
            "turn_right": right.command,
            "turn_right_reached": float(right.column("yaw")[-1]),
            "fell_in_turns": left.fell is not None or right.fell is not None,
            "greatest_lean": float(max(np.abs(m.column("roll")).max() for m in self.turns)),
            "counter_steer_left_degrees": float(np.degrees(left.counter_steer)),
            "counter_steer_right_degrees": float(np.degrees(right.counter_steer)),
            "impossible_turn": self.impossible.command,
            "impossible_turn_fell_after": self.impossible.fell,
            "realtime_factor": self.realtime_factor,
        }


def examine(rider: Rider, long: float = LONG) -> Examination:
    """Put a rider through its manoeuvres; `long` [s] is the ride straight on."""
    ride = rider.start(1)
    ride.advance(np.zeros(1), np.full(1, rider.speed), 0.1)  # kernels are compiled by now
    began, stood = time.process_time(), 0.0
    while stood < long - 1e-9 and not ride.motion().fell[0]:
        ride.advance(np.zeros(1), np.full(1, rider.speed), 1.0)
        stood += 1.0
    took = time.process_time() - began
    left, right = perform(rider, rider.turns[1]), perform(rider, rider.turns[0])
    return Examination(rider, stood, stood / took, (left, right), perform(rider, IMPOSSIBLE, seconds=3.0))


def perform(rider: Rider, command: float, seconds: float = TURN, before: float = 0.4) -> Manoeuvre:
    """One turn by `command` [rad], after `before` seconds of riding straight on."""
    ride = rider.start(1)
    frames = [_frame(ride, -before)]
    for i in range(round((before + seconds) / FRAME)):
        t = (i + 1) * FRAME - before
        ride.advance(np.full(1, command if t > 1e-9 else 0.0), np.full(1, rider.speed), FRAME)
        frames.append(_frame(ride, t))
    track, parts = zip(*frames, strict=True)
    return Manoeuvre(command, np.array(track), parts)


def _frame(ride: CyclistRide, t: float) -> tuple[list[float], Parts]:
    now = ride.motion()
    row = [t, now.x[0], now.y[0], now.z[0], now.vx[0], now.vy[0], now.yaw[0], now.roll[0], ride.steer[0]]
    return [*row, float(now.fell[0])], ride.parts()


def stop_from(
    body: Steerable,
    ride: SteeredBodies,
    speed: float,
    watch: Callable[[SteeredBodies], None] | None = None,
) -> dict[str, Any]:
    """Brake from `speed` [m/s] to a stand: how far and how long it took, and whether the rider stands
    upright, 2 s later too; `watch` is called with the ride every 0.1 s."""
    see = watch or (lambda ride: None)
    if speed != body.speed:
        start: Callable[..., SteeredBodies] = body.start  # a body of several speeds takes one
        settled = start(1, 1, speed)
        if hasattr(ride, "take"):
            ride.take(np.arange(1), settled.motion())
        else:
            ride = settled
    first, ticks = ride.motion(), 0
    see(ride)
    while ticks < 300:
        ride.advance(ride.told[:, 0], np.zeros(1), 0.1)
        ticks += 1
        see(ride)
        if ride.motion().speed[0] < STANDING:
            break
    seconds, stood = 0.1 * ticks, ride.motion()
    for _ in range(20):
        ride.advance(ride.told[:, 0], np.zeros(1), 0.1)
        see(ride)
    last = ride.motion()
    upright = bool(not last.fell[0] and abs(last.roll[0]) < 0.2 and stood.speed[0] < STANDING)
    far = float(np.hypot(stood.x[0] - first.x[0], stood.y[0] - first.y[0]))
    return {"distance": far, "seconds": round(seconds, 1), "upright": upright}
