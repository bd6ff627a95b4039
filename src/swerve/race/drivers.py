"""Scripted drivers: what a person with a control pad would do to make material for clips.

A driver is a function of the states (n, 6) of n cars and the time [s] that gives their controls (n, 3):
steer [rad], throttle and brake. Every number a driver is made with may be one for all cars or one for each
(n,), so a whole afternoon of practice is one batch.

>>> from swerve.race.drivers import brake_to, cruise, in_turn, record, straight_at, turn
>>> afternoon = in_turn((1.0, cruise(20.0)), (1.5, turn(20.0, 0.4)), (2.0, cruise(20.0)))
>>> take, = record(afternoon, straight_at([20.0]), seconds=4.5)
>>> bool(take.states[-1, 2] > 0.3)
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from swerve.core.clips import body_velocity
from swerve.core.errors import BadInput
from swerve.core.seeding import generator

from .car import FRAME, MAX_DRIVE, MAX_STEER, MAX_STEER_RATE, SUBSTEPS, Car, CarParameters
from .takes import Take

Driver = Callable[[np.ndarray, float], np.ndarray]
Number = float | np.ndarray


def record(
    driver: Driver, starts: np.ndarray, seconds: float, name: str = "take", car: Car | None = None
) -> list[Take]:
    """Let `driver` drive cars from `starts` (n, 6); one take a car. Hands turn the wheel at most at
    `MAX_STEER_RATE`.
    """
    if not seconds > 0:
        raise BadInput("seconds", seconds, "must be positive")
    car = car or Car()
    state = np.array(np.atleast_2d(starts), dtype=np.float64)
    frames = round(seconds / FRAME)
    states, controls = np.empty((frames + 1, *state.shape)), np.empty((frames, len(state), 3))
    states[0] = state
    wheel = np.zeros(len(state))
    for k in range(frames):
        control = np.broadcast_to(driver(state, k * FRAME), (len(state), 3)).copy()
        reach = MAX_STEER_RATE * FRAME
        wheel = np.clip(np.clip(control[:, 0], -MAX_STEER, MAX_STEER), wheel - reach, wheel + reach)
        control[:, 0] = wheel
        for _ in range(SUBSTEPS):
            state = car.step(state, control[:, 0], control[:, 1], control[:, 2], FRAME / SUBSTEPS)
        controls[k], states[k + 1] = control, state
    return [Take(f"{name} {i}", states[:, i], controls[:, i]) for i in range(len(starts))]


def straight_at(speeds: Sequence[float] | np.ndarray) -> np.ndarray:
    """States (n, 6) of cars that drive straight at `speeds` [m/s]."""
    states = np.zeros((len(speeds), 6))
    states[:, 3] = speeds
    return states


def in_turn(*phases: tuple[float, Driver]) -> Driver:
    """One driver after the other, each for so many seconds; the last goes on."""
    ends = np.cumsum([seconds for seconds, _ in phases])

    def drive(states: np.ndarray, t: float) -> np.ndarray:
        now = min(int(np.searchsorted(ends, t + 1e-9, side="right")), len(phases) - 1)
        return phases[now][1](states, t - (ends[now - 1] if now else 0.0))

    return drive


def cruise(speed: Number) -> Driver:
    """Go straight and settle at `speed` [m/s]: hold what the air takes, correct the rest."""

    def drive(states: np.ndarray, t: float) -> np.ndarray:
        u, v, yaw = body_velocity(states).T
        return _controls(_settle(u, v, yaw), _hold(speed) + 150.0 * (speed - u))

    return drive


def turn(speed: Number, yaw_rate: Number) -> Driver:
    """Hold a turn of `yaw_rate` [rad/s], positive left, at `speed` [m/s]; soft or hard by its size."""

    def drive(states: np.ndarray, t: float) -> np.ndarray:
        u, _, yaw = body_velocity(states).T
        lead = yaw_rate / np.maximum(u, 3.0) * 2.0  # the angle at which wheels would roll round the turn
        return _controls(lead + 0.5 * (yaw_rate - yaw), _hold(speed) + 150.0 * (speed - u))

    return drive


def brake_to(speed: Number, force: float = MAX_DRIVE) -> Driver:
    """Straight braking until `speed` [m/s] is reached, then holding it."""

    def drive(states: np.ndarray, t: float) -> np.ndarray:
        u, v, yaw = body_velocity(states).T
        slow = u <= speed
        return _controls(_settle(u, v, yaw), np.where(slow, _hold(speed), -force))

    return drive


def skid(side: Number, angle: Number, exit_speed: Number) -> Driver:
    """Throw the car sideways with full lock to `side` (+1 left) and brake; when its rotation will carry it
    past `angle` [rad] catch it and leave at `exit_speed` [m/s].
    """
    began: list[np.ndarray] = []

    def drive(states: np.ndarray, t: float) -> np.ndarray:
        if not began or t < FRAME / 2:
            began[:] = [states[:, 2].copy()]
        u, v, yaw = body_velocity(states).T
        turned = (states[:, 2] - began[0]) * side
        ahead = turned + 0.35 * yaw * side  # where the rotation will have carried it
        thrown = ahead < angle
        steer = np.where(thrown, MAX_STEER * np.asarray(side), _settle(u, v, yaw))
        held = _hold(exit_speed) + 150.0 * (exit_speed - u)
        return _controls(steer, np.where(thrown, np.where(u > exit_speed, -40.0, held), held))

    return drive


def back_up(lock: Number, push: float = 50.0, most: float = 2.5) -> Driver:
    """Reverse with the wheels at `lock` [rad], no faster than `most` [m/s]."""

    def drive(states: np.ndarray, t: float) -> np.ndarray:
        u = body_velocity(states)[:, 0]
        throttle = np.where(u > -most, -push, -0.01)
        return np.stack([np.broadcast_to(lock, u.shape), throttle, np.zeros_like(u)], axis=1)

    return drive


def halt(force: float = 80.0) -> Driver:
    """Brake until the car stands, forwards or backwards."""

    def drive(states: np.ndarray, t: float) -> np.ndarray:
        u, v, yaw = body_velocity(states).T
        steer = np.where(u > 2.0, _settle(u, v, yaw), 0.0)
        return np.stack([steer, np.where(u < 0, -0.01, 0.0), np.full_like(u, force)], axis=1)

    return drive


def rehearsed(controls: np.ndarray) -> Driver:
    """A manoeuvre that was practised until it came out right: `controls` (frames, 3), one after the other."""

    def drive(states: np.ndarray, t: float) -> np.ndarray:
        return np.broadcast_to(controls[min(round(t / FRAME), len(controls) - 1)], (len(states), 3))

    return drive


def practice(seed: int = 0, cars: int = 16, rounds: int = 12) -> list[Take]:
    """An afternoon of practice: every car drives `rounds` of a random turn, skid or change of speed, and
    goes straight at a round speed in between, so that the takes meet again and again.
    """
    rng = generator(seed, "practice")
    speeds = np.array([5.0, 10.0, 15.0, 20.0, 25.0, 30.0])
    now = rng.choice(speeds, cars)
    starts, phases = straight_at(now), []
    for _ in range(rounds):
        side = rng.choice([-1.0, 1.0], cars)
        kind = rng.choice(["turn", "skid", "back up"], p=[0.6, 0.25, 0.15])
        phases.append((0.4, cruise(now)))
        if kind == "turn":
            wanted = np.clip(now + rng.choice([-5.0, 0.0, 5.0, 5.0], cars), 5.0, 30.0)
            phases.append((rng.choice([0.4, 0.8]), turn(now, side * rng.uniform(0.15, 8.0 / (now + 5.0)))))
        elif kind == "skid":
            wanted = np.maximum(now - rng.choice([5.0, 10.0, 15.0], cars), 5.0)
            phases.append((rng.choice([1.2, 1.6]), skid(side, rng.uniform(0.4, 1.6, cars), wanted)))
        else:
            wanted = np.full(cars, 5.0)
            phases.append((float(now.max()) / 5.0 + 0.4, halt()))
            phases += [(1.2, back_up(side * rng.choice([0.0, 0.6], cars))), (0.8, halt())]
        phases.append((2.4, cruise(wanted)))
        now = wanted
    return record(in_turn(*phases), starts, sum(seconds for seconds, _ in phases), "practice")


def _controls(steer: np.ndarray, drive: np.ndarray) -> np.ndarray:
    """Steering and a drive in −100..100, negative for the brake."""
    drive = np.clip(drive, -MAX_DRIVE, MAX_DRIVE)
    return np.stack([steer, np.maximum(drive, 0.0), np.maximum(-drive, 0.0)], axis=1)


def _settle(u: np.ndarray, v: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """Steering that takes sideways and yaw motion out of the car: against the rotation, into the slide."""
    return -0.5 * yaw + 0.4 * np.arctan2(v, np.maximum(np.abs(u), 3.0))


def _hold(speed: Number) -> Number:
    """Throttle that balances air and rolling resistance at `speed`."""
    p = CarParameters()
    return (p.resistance * speed + p.drag * speed * speed) / p.drive_gain
