"""The ground under bodies that the traffic does not move: how a car stands on it, how high a person."""

from __future__ import annotations

import numpy as np

from swerve.core import attitude

from ..roads.roads import Roads

AXLES = 0.3  # of a car's length from its middle
UP = np.array([0.0, 0.0, 1.0])


def is_flat(roads: Roads) -> bool:
    return not (np.any(roads.z) or np.any(roads.bank))


def stance(
    roads: Roads,
    strip: int,
    station: float,
    lateral: float,
    heading: float,
    outline: np.ndarray,
) -> tuple[np.ndarray, float, float]:
    """How a car stands beside a place on a strip, upright on the ground under its wheels, which may lean.

    From there to its middle (x, y, z) [m], z being that of the world; pitch and roll [rad].
    """
    length, width, height = outline
    turned = heading - float(roads.place(np.array([strip]), np.array([station]))[2][0])
    ahead, aside = length * AXLES * np.array([1, -1, 0, 0]), width / 2 * np.array([0, 0, 1, -1])
    along = ahead * np.cos(turned) - aside * np.sin(turned)
    across = lateral + ahead * np.sin(turned) + aside * np.cos(turned)
    reach = np.abs(along).max()  # at the ends of a strip its slope there counts
    inside = np.clip(station, min(reach, roads.length[strip] / 2), max(roads.length[strip] - reach, 0.0))
    front, back, left, right = roads.height(np.full(4, strip), inside + along, across)
    pitch = float(np.arctan((front - back) / (2 * AXLES * length)))
    roll = float(np.arctan((left - right) / width * np.cos(pitch)))
    up = height / 2 * attitude.turned(attitude.quaternion(heading, pitch, roll), UP)
    ground = roads.height(np.array([strip]), np.array([station]), lateral)[0]
    return up + ground * UP, pitch, roll


def ground_at(roads: Roads, x: float, y: float) -> float:
    """Height [m] of the road at a place, or of the nearest as it goes on beside itself."""
    return float(roads.height(*roads.nearest(np.array([x]), np.array([y])))[0])
