"""Frustration: grows while a driver is held up, falls while it gets on, and lets it pass on the kerb
side."""

from __future__ import annotations

from swerve.core.kernels import bare, inner

from .fleet import Fleet

GROWS_IN, FALLS_IN = 40.0, 20.0  # [s] from none to all, standing; and back, at the desired speed
HELD_UP = 0.6  # share of the desired speed below which a driver is held up
STILL = 0.3  # [m/s]
MOVING_UP = 2.0  # [m/s] below this one does not get on


@inner
@bare
def feel(fleet: Fleet, i: int, dt: float) -> None:
    """Update a driver's frustration (0 to 1) and how long [s] it has been standing, or not getting on."""
    speed = fleet[i].speed
    fleet[i].waiting = fleet[i].waiting + dt if speed < STILL else 0.0
    fleet[i].delayed = fleet[i].delayed + dt if speed < MOVING_UP else 0.0
    share = min(1.0, speed / max(fleet[i].desired, 1.0))
    change = dt / GROWS_IN * (1.0 - share / HELD_UP) if share < HELD_UP else -dt / FALLS_IN
    fleet[i].frustration = min(1.0, max(0.0, fleet[i].frustration + change))
