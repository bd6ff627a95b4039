"""What the characters' attributes say of people, as columns of the crowd."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from swerve.core.errors import require

from .footing import WIDEST, Crowd


def copy_attributes(
    crowd: Crowd, get: Callable[[str], np.ndarray], spread: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Fill the columns that attributes say, where `get(name)` gives one of all; heights [m], paces [m/s]
    (each its own share `spread` of what is said), distances [m] to sirens, tags of crosswalks, and who walks
    by itself (n,)."""
    widest = float(get("radius").max())
    require(widest <= WIDEST, "attribute radius", widest, f"must be at most {WIDEST} m for people who walk")
    crowd.radius[:] = get("radius")
    crowd.max_speed[:] = get("max_speed")
    crowd.max_accel[:] = get("max_acceleration")
    crowd.max_brake[:] = get("max_deceleration")
    crowd.clearance[:, 0], crowd.clearance[:, 1] = get("person_clearance"), get("clearance")
    return (
        np.asarray(get("height"), float),
        np.minimum(get("walking_speed") * spread, crowd.max_speed),
        np.asarray(get("yield_distance"), float),
        np.asarray(get("crosswalk_tag"), dtype=np.str_),
        np.asarray(get("autonomous"), bool),
    )
