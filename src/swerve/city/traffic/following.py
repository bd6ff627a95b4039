"""How fast a driver goes: smooth behind others, able to stop behind whoever brakes fully.

Two layers. The wish is the intelligent driver model with a bounded jerk: acceleration falls as the gap
falls below what is comfortable. Above it stands a bound that no wish overrides: with full braking B, step h
and reaction τ, the speed w of the next step must satisfy

    w²/2B + w (τ + h/2) ≤ gap + max(0, v²/2B - v h/2)

where v is the leader's speed: even if the leader brakes fully from now on, the follower, reacting late,
stops behind it. If the bound holds it can be kept by braking with B, so it holds for ever.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner

JAM = 2.0  # [m] gap in a standing queue
REACTION = 0.3  # [s] that the bound allows beyond the step
BRAKING = 6.0  # [m/s²] full braking that the bound counts on, for everyone
START_DELAY = 0.8  # [s] between seeing that one can start and starting
JERK_UP, JERK_DOWN = 4.0, 9.0  # [m/s³]
FAR = 1e9  # [m]


@bare
def safe_speed(gap: float, leader: float, dt: float) -> float:
    """Largest speed [m/s] of the next step from which the follower stops within `gap` [m] of free space."""
    room = gap + max(0.0, leader * leader / (2.0 * BRAKING) - 0.5 * leader * dt)
    if room <= 0.0:
        return 0.0
    delay = BRAKING * (REACTION + 0.5 * dt)
    return np.sqrt(delay * delay + 2.0 * BRAKING * room) - delay


@bare
def free_wish(speed: float, wanted: float, accelerate: float, comfort: float) -> float:
    """Acceleration [m/s²] towards the wanted speed with nobody ahead."""
    if wanted <= 0.01:
        return -comfort
    if speed <= wanted:
        share = speed / wanted
        return accelerate * (1.0 - share * share * share * share)
    share = wanted / speed
    return -comfort * (1.0 - share ** (4.0 * accelerate / comfort))


@bare
def gap_wish(
    speed: float, leader: float, gap: float, free: float, accelerate: float, comfort: float, headway: float
) -> float:
    """Acceleration [m/s²] behind a leader `gap` [m] ahead, given the free one."""
    ideal = JAM + max(0.0, speed * headway + speed * (speed - leader) / (2.0 * np.sqrt(accelerate * comfort)))
    ratio = ideal / max(gap, 0.1)
    return min(free, accelerate * (1.0 - ratio * ratio))


@inner
@bare
def stop_wish(speed: float, distance: float, free: float, start: float) -> float:
    """Acceleration [m/s²] towards a stop in `distance` [m]: one even braking, begun when it needs
    `start`."""
    if distance <= 0.05:
        return min(free, -3.0)
    need = speed * speed / (2.0 * distance)
    if need >= start:
        return min(free, -need)
    return min(free, (np.sqrt(2.0 * start * distance) - speed) / 0.5)  # creep up, no overshoot
