"""What rows must be to make a road."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput

BESIDE = 2.0  # [m] that a line to compare with may lie outside the edges
LONGEST = 1e6  # [m] of a road: places are kept every quarter of a metre
LEAP = 4.0  # times the longest step between rows that the last may be from the first
SHARPEST = 2.4  # [rad] that a road may turn by at a row


def must_lead_on(name: str, centre: np.ndarray, closed: bool) -> None:
    """Refuse a lap whose rows (n, 3) do not close it, and a road that turns back on itself or is endless."""
    ring = np.vstack([centre, centre[:2]]) if closed else centre
    steps = np.diff(ring[:, :2], axis=0)
    sizes = np.hypot(*steps.T)
    length = float(np.minimum(sizes, LONGEST).sum())
    if not length <= LONGEST:
        raise BadInput(name, f"{length:.3g} m", f"must be at most {LONGEST / 1e3:.0f} km long")
    longest, last = sizes[: len(centre) - 1].max(), sizes[len(centre) - 1] if closed else 0.0
    if last > LEAP * longest:
        found = f"from its last row to its first, elsewhere at most {longest:.0f} m between rows"
        raise BadInput(name, f"{last:.0f} m", f"does not close ({found}): is it an open stage?")
    (x, y), (x1, y1) = steps[:-1].T, steps[1:].T
    turns = np.abs(np.arctan2(x * y1 - y * x1, x * x1 + y * y1))
    if turns.max() > SHARPEST:
        raise BadInput(
            name, (int(np.argmax(turns)) + 1) % len(centre), "the road turns back on itself at row"
        )


def must_lie_on(what: str, road: str, points: np.ndarray, out: np.ndarray) -> None:
    """Refuse points (n, 2) that lie too far `out` (n,) [m] of a road's edges."""
    worst = int(np.argmax(out))
    if out[worst] > BESIDE:
        x, y = points[worst]
        where = f"{out[worst]:.6g} m outside {road} at ({x:.8g}, {y:.8g})"
        raise BadInput(what, None, f"is no line of this road: it lies {where}")


def must_go_round_once(what: str, beside: np.ndarray, length: float) -> None:
    """Refuse a closed line beside those places (n,) [m] of a lap, unless it goes round once, either way."""
    steps = np.diff(np.append(beside, beside[0]))
    times = round(float((steps - length * np.round(steps / length)).sum() / length))
    if abs(times) != 1:
        raise BadInput(what, None, f"must go round once, and goes round {abs(times)} times")


def chords(what: str, ring: np.ndarray) -> np.ndarray:
    """Distances (n,) along the points of a line, no two neighbours of which may coincide."""
    steps = np.linalg.norm(np.diff(ring, axis=0), axis=1)
    if not (steps > 0).all():
        raise BadInput(what, int(np.argmin(steps)), "two neighbouring points coincide, at row")
    return np.concatenate([[0.0], np.cumsum(steps)])
