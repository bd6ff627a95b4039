"""Shooting: find the controls that take the car from straight driving at one speed to straight driving at
another, with a given change of heading.

A few knots of steering and of drive or brake are drawn by cross-entropy over batches of simulated cars,
which finds the skids by itself: tyres that slide sideways slow the car far more than its brake. The best
draws are then closed by Gauss-Newton steps, so that forward, sideways and yaw velocity and the heading end
where they should to the last digits, and clips fit together in any order without a seam.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from swerve.core.clips import body_velocity
from swerve.core.seeding import generator

from .car import FRAME, MAX_DRIVE, MAX_STEER, MAX_STEER_RATE, CarParameters
from .hubs import Hub
from .rollout import amplification, ends, mirrored, natural_amplification, play, sideslip

PLANNED_DRIVE = 0.96 * MAX_DRIVE  # the rest is left for feedback, when the real car is weaker
MAX_AMPLIFICATION = 1.3  # growth of an error at the start, against driving straight for as long
SMOOTHING = 20  # steps of `_close` that also smooth
HOPELESS = 1.0  # how far off the end may be half-way through them
CLOSED = 1e-11  # |Δu| + |Δv| + |Δω| + |Δφ| at the end of a clip

STEER_KNOTS, DRIVE_KNOTS = 8, 6
KNOTS = STEER_KNOTS + DRIVE_KNOTS
DURATIONS = (8, 10, 13, 16, 20, 25, 30, 38, 50, 63, 75, 100)  # [frames] tried in turn


@dataclass(frozen=True)
class Aim:
    """What a clip is to do: speeds [m/s] or hubs at its ends, change of heading [rad], number of frames, the
    sideslip [rad] that it may not pass, and whether the steering rate counts across seams too.
    """

    start: float | Hub
    end: float | Hub
    turn: float
    frames: int = 25
    max_sideslip: float = np.pi
    seed: int = 0
    seams: bool = True

    @property
    def hubs(self) -> tuple[Hub, Hub]:
        start, end = (at if isinstance(at, Hub) else Hub("", at) for at in (self.start, self.end))
        return start, end


def shoot(aim: Aim, parameters: CarParameters | None = None) -> np.ndarray | None:
    """Controls (frames, 3) that fulfil `aim`, or None where none were found."""
    parameters = parameters or CarParameters()
    if aim.turn < 0:
        return _mirrored(shoot(replace(aim, turn=-aim.turn), parameters))
    if aim.turn == 0:
        return _drive_straight(aim, parameters)
    knots = _search(aim, parameters)
    return None if knots is None else expand(knots, aim)


def shortest(
    aim: Aim, parameters: CarParameters | None = None, frames: tuple[int, ...] = DURATIONS
) -> np.ndarray | None:
    """Controls for `aim` in as few frames as were found to do; None where none of `frames` does.

    The list is climbed until a duration closes; from there its knots, squeezed into one frame less at a
    time, lead down again.
    """
    parameters = parameters or CarParameters()
    if aim.turn < 0:
        return _mirrored(shortest(replace(aim, turn=-aim.turn), parameters, frames))
    if aim.turn == 0:
        tries = (_drive_straight(replace(aim, frames=n), parameters) for n in range(1, max(frames) + 1))
        return next((controls for controls in tries if controls is not None), None)
    for n in frames:
        knots = nearer = _search(replace(aim, frames=n), parameters)
        while knots is not None:
            nearer = _finish(knots, replace(aim, frames=n - 1), parameters) if n > 2 else None
            if nearer is None:
                return expand(knots, replace(aim, frames=n))
            knots, n = nearer, n - 1
    return None


def finish(aim: Aim, parameters: CarParameters) -> np.ndarray | None:
    """Knots near to what leads evenly from one hub to the other; None where those do not close."""
    knots = _close(np.zeros(KNOTS), aim, parameters.packed(), SMOOTHING)
    return knots if knots is not None and _drivable(knots, aim, parameters) else None


def expand(knots: np.ndarray, aim: Aim) -> np.ndarray:
    """Knots (..., KNOTS), each in −1..1 of its limit, as controls (..., frames, 3): what is done beyond
    leading the controls evenly from those of one hub to those of the other.
    """
    steer_of, drive_of = _bases(aim.frames)
    start, end = aim.hubs
    share = (np.arange(aim.frames) + 1) / (aim.frames + 1)
    even = (1 - share) * start.steer + share * end.steer
    push = (1 - share) * start.drive + share * end.drive
    steer = np.clip(knots[..., :STEER_KNOTS] @ steer_of + even / MAX_STEER, -1, 1) * MAX_STEER
    drive = np.clip(knots[..., STEER_KNOTS:] @ drive_of + push / PLANNED_DRIVE, -1, 1) * PLANNED_DRIVE
    return np.stack([steer, np.maximum(drive, 0), np.maximum(-drive, 0)], axis=-1)


@lru_cache(maxsize=128)
def _bases(frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Linear interpolation from knots to frames. Steering is the hub's just before and after the clip."""
    t = (np.arange(frames) + 1) / (frames + 1)
    at = np.linspace(0, 1, STEER_KNOTS + 2)
    steer = np.stack([np.interp(t, at, row) for row in np.eye(STEER_KNOTS + 2)[1:-1]])
    drive = np.stack([np.interp(t, np.linspace(0, 1, DRIVE_KNOTS), row) for row in np.eye(DRIVE_KNOTS)])
    return steer, drive


def _mirrored(controls: np.ndarray | None) -> np.ndarray | None:
    return None if controls is None else mirrored(controls)


def _drive_straight(aim: Aim, parameters: CarParameters) -> np.ndarray | None:
    """A constant drive, found by bisection, that reaches the end speed without steering."""
    controls, (start, end) = np.zeros((aim.frames, 3)), aim.hubs

    def end_speed(drive: float) -> float:
        controls[:, 1], controls[:, 2] = max(drive, 0.0), max(-drive, 0.0)
        return float(play(controls, start.state, parameters)[-1, 3])

    low, high = -PLANNED_DRIVE, PLANNED_DRIVE
    if not end_speed(low) <= end.forward <= end_speed(high):
        return None
    if end.forward == 0.0:  # the brake holds a standing car, so the hardest does too
        end_speed(low)
        return controls
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if end_speed(middle) < end.forward else (low, middle)
    return controls if abs(end_speed((low + high) / 2) - end.forward) < CLOSED else None


def _search(aim: Aim, parameters: CarParameters) -> np.ndarray | None:
    """The smoothest knots among those found that fulfil `aim`."""
    best, least = None, np.inf
    for drawn in _draw(aim, parameters.packed()):
        knots = _finish(drawn, aim, parameters)
        if knots is not None and roughness(knots) < least - 1e-3:
            best, least = knots, float(roughness(knots))
    return best


def _draw(aim: Aim, packed: np.ndarray, population: int = 320, generations: int = 30) -> np.ndarray:
    """Cross-entropy: three of the best draws of knots (3, KNOTS), near to what is aimed at."""
    start, end = aim.hubs
    rng = generator(aim.seed, f"{start.forward:g}>{end.forward:g}:{np.degrees(aim.turn):.6g}", aim.frames)
    mean, spread = np.zeros(KNOTS), np.full(KNOTS, 0.5)
    mean[: STEER_KNOTS // 2] = 0.3
    starts = np.tile(start.state, (population, 1))
    elite = population // 12
    best, best_cost = np.zeros((0, KNOTS)), np.zeros(0)
    for _ in range(generations):
        knots = np.clip(mean + spread * rng.standard_normal((population, KNOTS)), -1, 1)
        miss = np.abs(_residual(ends(expand(knots, aim), starts, packed), aim)) @ [1, 1, 1, 8]
        hurry = np.maximum(0.0, _steer_rate(knots, aim) - 0.9 * MAX_STEER_RATE)
        cost = miss + 0.3 * roughness(knots) + 2.0 * hurry
        knots, cost = np.concatenate([knots, best]), np.concatenate([cost, best_cost])
        order = np.argsort(cost, kind="stable")[:elite]
        best, best_cost = knots[order], cost[order]
        mean = 0.3 * mean + 0.7 * best.mean(axis=0)
        spread = 0.4 * spread + 0.6 * best.std(axis=0) + 1e-3
    return best[[0, elite // 3, elite - 1]]


def _finish(knots: np.ndarray, aim: Aim, parameters: CarParameters) -> np.ndarray | None:
    """Close and smooth; where that fails, as at the limits of the car, only close. None where the result
    cannot be driven.
    """
    for smooth_steps in (SMOOTHING, 0):
        closed = _close(knots, aim, parameters.packed(), smooth_steps)
        if closed is not None and _drivable(closed, aim, parameters):
            return closed
    return None


def _close(knots: np.ndarray, aim: Aim, packed: np.ndarray, smooth_steps: int) -> np.ndarray | None:
    """Sequential quadratic steps to knots x nearby that end exactly where they should, r(x) = 0.

    Each of the first `smooth_steps` finds the dx with J·dx = −r for which ½ (x+dx)ᵀH(x+dx) is least, where H
    measures roughness; the others take the shortest dx, which converges quadratically. Knots at their limit
    that would be pushed beyond it are held.
    """
    x, step = knots.copy(), 1e-5
    starts = np.tile(aim.hubs[0].state, (2 * KNOTS + 1, 1))
    for i in range(smooth_steps + 20):
        # probes stay within the limits, where the model is smooth
        up, down = np.minimum(step, 1 - x), np.minimum(step, 1 + x)
        probe = np.concatenate([np.zeros((1, KNOTS)), np.diag(up), -np.diag(down)])
        miss = _residual(ends(expand(x + probe, aim), starts, packed), aim)
        r = miss[0]
        smoothing = i < smooth_steps
        if smoothing and i > SMOOTHING // 2 and np.abs(r).sum() > HOPELESS:
            return None
        if not smoothing and np.abs(r).sum() < CLOSED:
            return x
        slope = (miss[1 : KNOTS + 1] - miss[KNOTS + 1 :]) / (up + down)[:, None]
        dx = _least_step(x, slope.T, r, smoothing)
        held = (np.abs(x) > 1 - 1e-9) & (x * dx > 0)
        if held.any() and (~held).sum() >= 4:
            dx = _least_step(x, np.where(held, 0.0, slope.T), r, smoothing, held)
        if not np.isfinite(dx).all():
            return None
        x = np.clip(x + dx * min(1.0, 0.25 / max(np.abs(dx).max(), 1e-12)), -1, 1)
    return None


def _least_step(
    x: np.ndarray, jacobian: np.ndarray, r: np.ndarray, smoothing: bool, held: np.ndarray | None = None
) -> np.ndarray:
    """The step dx of `_close`; a `held` knot goes to its limit at most."""
    h = _roughness() + 1e-3 * np.eye(KNOTS) if smoothing else np.eye(KNOTS)
    g = _roughness() @ x if smoothing else np.zeros(KNOTS)
    solved = np.linalg.solve(h, np.column_stack([jacobian.T, g]))
    try:
        force = np.linalg.solve(jacobian @ solved[:, :4] + 1e-12 * np.eye(4), jacobian @ solved[:, 4] - r)
    except np.linalg.LinAlgError:
        return np.full(KNOTS, np.nan)
    dx = solved[:, :4] @ force - solved[:, 4]
    return dx if held is None else np.where(held, np.clip(x + dx, -1, 1) - x, dx)


@lru_cache(maxsize=1)
def _roughness() -> np.ndarray:
    """H (KNOTS, KNOTS) with xᵀHx the squared steps from knot to knot, steering from zero and back to it;
    those of the drive count a tenth.
    """
    steer = 2 * np.eye(STEER_KNOTS) - np.eye(STEER_KNOTS, k=1) - np.eye(STEER_KNOTS, k=-1)
    steps = np.diff(np.eye(DRIVE_KNOTS), axis=0)
    h = np.zeros((KNOTS, KNOTS))
    h[:STEER_KNOTS, :STEER_KNOTS] = steer
    h[STEER_KNOTS:, STEER_KNOTS:] = 0.1 * steps.T @ steps
    return h


def roughness(knots: np.ndarray) -> np.ndarray:
    """Sum of squared steps between neighbouring knots (..., KNOTS)."""
    return np.einsum("...i,ij,...j->...", knots, _roughness(), knots)


def _steer_rate(knots: np.ndarray, aim: Aim) -> np.ndarray:
    """Largest speed of the steering [rad/s]. At a seam the wheel goes from where one clip leaves it to where
    the next takes it up, which may be as far on the other side of the hub's: the first and last angle count
    twice.
    """
    steer = expand(knots, aim)[..., 0]
    inside = np.abs(np.diff(steer, axis=-1)).max(axis=-1, initial=0.0)
    hubs = [hub.steer for hub in aim.hubs]
    ends = np.abs(steer[..., [0, -1]] - hubs).max(axis=-1)
    return np.maximum(inside, 2 * ends if aim.seams else ends) / FRAME


def _drivable(knots: np.ndarray, aim: Aim, parameters: CarParameters) -> bool:
    """Whether hands are quick enough for it, it does not slide too far, and errors do not grow wildly."""
    if _steer_rate(knots, aim) > MAX_STEER_RATE:
        return False
    controls, packed = expand(knots, aim), parameters.packed()
    start, end = aim.hubs
    if sideslip(body_velocity(play(controls, start.state, parameters))) > aim.max_sideslip:
        return False
    natural = max(natural_amplification(hub.forward, aim.frames, tuple(packed)) for hub in (start, end))
    return amplification(controls, start.state, packed) <= MAX_AMPLIFICATION * max(1.0, natural)


def _residual(after: np.ndarray, aim: Aim) -> np.ndarray:
    return after - [*aim.hubs[1].velocity, aim.turn]
