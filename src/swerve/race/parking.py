"""Manoeuvres that end at standstill: pulling up, backing out, edging forward with the wheels turned.

Brakes hold a standing car, so these need no shooting: the drive is a fixed push and brake, and the steering
is one shape whose height is bisected until the heading has changed by what was asked.
"""

from __future__ import annotations

import numpy as np

from .car import FRAME, MAX_DRIVE, MAX_STEER, MAX_STEER_RATE, CarParameters
from .rollout import play

PUSH, HOLD = 60.0, 80.0  # [units of throttle, of brake] gentle enough to look like parking
PUSH_FRAMES = 14  # to little more than walking pace; from there the car rolls
IN_REVERSE = -0.01  # [units of throttle] keeps the reverse gear in while braking
RAMP = int(np.ceil(MAX_STEER / (MAX_STEER_RATE * FRAME)))  # [frames] from straight to full lock


def creep(turn: float, frames: int, car: CarParameters | None = None) -> np.ndarray | None:
    """Controls (n, 3) from standstill to standstill: roll for |frames|, backwards where `frames` is
    negative, then brake; heading changes by `turn` [rad]. None where full lock does not turn so far.
    """
    direction = 1.0 if frames > 0 else -1.0
    rolling = abs(frames)
    drive = np.zeros((rolling + 24, 3))
    drive[:, 1] = 0.0 if direction > 0 else IN_REVERSE
    drive[: min(rolling, PUSH_FRAMES), 1] = direction * PUSH
    drive[rolling:, 2] = HOLD
    return _with_steering(_until_still(drive, 0.0, car), turn, 0.0, direction, car)


def pull_up(speed: float, turn: float, car: CarParameters | None = None) -> np.ndarray | None:
    """Controls (n, 3) from `speed` [m/s] to standstill, turning by `turn` [rad] on the way."""
    p = car or CarParameters()
    for brake in np.linspace(MAX_DRIVE, 10.0, 19):
        frames = int(2 * speed / (brake * p.drive_gain / p.mass) / FRAME) + 8
        drive = np.tile([0.0, 0.0, brake], (frames, 1))
        controls = _with_steering(_until_still(drive, speed, car), turn, speed, 1.0, car)
        if controls is not None:
            return controls
    return None


def _until_still(drive: np.ndarray, speed: float, car: CarParameters | None) -> np.ndarray:
    """The controls up to a little after the car stands again; with the wheels turned it takes longer."""
    moving = np.abs(play(drive, speed, car)[1:, 3]) > 0
    return drive[: int(np.flatnonzero(moving)[-1]) + 4]


def _with_steering(
    drive: np.ndarray, turn: float, speed: float, direction: float, car: CarParameters | None
) -> np.ndarray | None:
    frames = len(drive)
    ends = np.minimum(np.arange(1, frames + 1), np.arange(frames, 0, -1))
    # half a step at either end: the next clip may begin with half a step to the other side
    shape = np.minimum(1.0, (ends - 0.5) / RAMP) * np.sign(turn) * direction

    def steered(height: float) -> np.ndarray:
        controls = drive.copy()
        controls[:, 0] = height * shape
        return controls

    def heading(height: float) -> float:
        return abs(play(steered(height), speed, car)[-1, 2])

    if turn == 0.0:
        return drive
    low, high = 0.0, MAX_STEER
    if heading(high) < abs(turn):
        return None
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if heading(middle) < abs(turn) else (low, middle)
    controls = steered((low + high) / 2)
    still = not play(controls, speed, car)[-1, 3:].any()
    return controls if still and abs(heading((low + high) / 2) - abs(turn)) < 1e-9 else None
