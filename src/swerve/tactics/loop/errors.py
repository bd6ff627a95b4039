"""How wrong a model is about an episode: Zickler's two error functions (2010, algorithms 14 and 15), and one
for anything else. All are without units."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from swerve.core.geometry import wrap

from .episodes import Episode
from .reality import FRAME

SLOWEST = 0.1  # [m/s] below which a ball's direction says nothing
TURNED = np.radians(8.0)  # change of direction that is a collision


def velocity_error(real: np.ndarray, model: np.ndarray) -> float:
    """Root mean square of the differences of speed, over the first speed. Places (n, 2) at frames."""
    one, other = _speeds(real), _speeds(model)
    return float(np.sqrt(np.mean((one - other) ** 2)) / max(float(one[:3].mean()), 1e-9))


def angle_error(real: np.ndarray, model: np.ndarray, normal: float = np.pi) -> float:
    """Root mean square of the differences of outgoing over incoming angle, at every frame after the bounce.

    Angles count from the wall's `normal` [rad], outwards. Where the model does not bounce, the error is 1.
    """
    c, k = collision(real), collision(model)
    if c is None:
        return 0.0
    if k is None:
        return 1.0
    one, other = _ratios(real, c, normal), _ratios(model, k, normal)
    n = min(len(one), len(other))
    return float(np.sqrt(np.mean((one[:n] - other[:n]) ** 2))) if n else 1.0


def place_error(real: np.ndarray, model: np.ndarray) -> float:
    """Root mean square distance over the length of the real way."""
    length = float(np.hypot(*np.diff(real, axis=0).T).sum())
    return float(np.sqrt(np.mean(np.sum((real - model) ** 2, axis=1))) / max(length, 1e-9))


def collision(xy: np.ndarray) -> int | None:
    """Index of the first frame after which the direction has changed significantly, while fast enough."""
    step = xy[2:] - xy[:-2]
    fast = np.hypot(*step.T) / (2 * FRAME) > 5 * SLOWEST
    angle = np.arctan2(step[:, 1], step[:, 0])
    turned = np.abs(wrap(angle[2:] - angle[:-2])) > TURNED
    found = np.flatnonzero(turned & fast[2:] & fast[:-2])
    return int(found[0]) + 2 if len(found) else None


def total_error(
    episodes: Sequence[Episode], ways: Sequence[np.ndarray], weights: dict[str, float] | None = None
) -> float:
    """√(Σ w·e²) over the kinds of episodes, each e the mean of its kind; kinds weigh the same by default."""
    kinds = sorted({episode.kind for episode in episodes})
    weights = weights or {kind: 1 / len(kinds) for kind in kinds}
    total = 0.0
    for kind in kinds:
        errors = [ERRORS[kind](e.xy, way) for e, way in zip(episodes, ways, strict=True) if e.kind == kind]
        total += weights[kind] * float(np.mean(errors)) ** 2
    return float(np.sqrt(total))


ERRORS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "rolling": velocity_error,
    "bouncing": angle_error,
    "place": place_error,
}


def _speeds(xy: np.ndarray) -> np.ndarray:
    return np.hypot(*(xy[3:] - xy[:-3]).T) / (3 * FRAME)


def _ratios(xy: np.ndarray, at: int, normal: float) -> np.ndarray:
    """Outgoing over incoming angle at the frames after a collision, until the ball is slow.

    Frames rarely show the bounce itself, so it is taken to be where the ways before and after it cross.
    """
    slow = np.flatnonzero(_speeds(xy)[at:] < SLOWEST)
    end = at + int(slow[0]) if len(slow) else len(xy)
    before, after = xy[max(at - 3, 0)] - xy[0], xy[min(at + 4, len(xy) - 1)] - xy[min(at + 2, len(xy) - 2)]
    across = np.column_stack([before, -after])
    bounce = xy[at]
    if abs(np.linalg.det(across)) > 1e-6:
        crossing = xy[0] + before * np.linalg.solve(across, xy[min(at + 2, len(xy) - 2)] - xy[0])[0]
        bounce = crossing if np.hypot(*(crossing - bounce)) < 0.2 else bounce
    back = xy[0] - bounce
    incoming = abs(wrap(float(np.arctan2(back[1], back[0])) - normal))
    out = xy[at + 3 : end] - bounce
    outgoing = np.abs(wrap(np.arctan2(out[:, 1], out[:, 0]) - normal))
    return np.asarray(outgoing / max(incoming, 1e-6))
