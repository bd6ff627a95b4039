"""Shooting: find the controls that take the car from straight driving at one speed to straight driving at
another, with a given change of heading in a given number of frames.

A few knots of steering and of drive or brake are drawn by cross-entropy over batches of simulated cars,
which finds the skids by itself: tyres that slide sideways slow the car far more than its brake. The best
draws are then closed by Gauss-Newton steps, so that forward, sideways and yaw velocity and the heading end
where they should to the last digits, and clips fit together in any order without a seam.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from swerve.core.clips import Clip, body_velocity
from swerve.core.kernels import kernel
from swerve.core.seeding import generator

from .car import FRAME, SUBSTEPS, CarParameters, advance

MAX_STEER = 0.6  # [rad]
MAX_DRIVE = 100.0  # [units of throttle or brake]
MAX_STEER_RATE = 4.0  # [rad/s] what a quick driver's hands do
MAX_AMPLIFICATION = 1.3  # growth of an error at the start, against driving straight for as long
CLOSED = 1e-9  # |Δu| + |Δv| + |Δω| + |Δφ| at the end of a clip

STEER_KNOTS, DRIVE_KNOTS = 8, 6
DURATIONS = (8, 10, 13, 16, 20, 25, 30, 38, 50, 63, 75, 100)  # [frames] tried in turn


@dataclass(frozen=True)
class Aim:
    """What a clip is to do: speeds [m/s] at its ends, change of heading [rad], number of frames, and the
    sideslip [rad] that it may not pass.
    """

    start: float
    end: float
    turn: float
    frames: int = 25
    max_sideslip: float = np.pi
    seed: int = 0


def shoot(aim: Aim, parameters: CarParameters | None = None) -> np.ndarray | None:
    """Controls (frames, 3) that fulfil `aim`, or None where none were found."""
    packed = (parameters or CarParameters()).packed()
    if aim.turn < 0:
        controls = shoot(replace(aim, turn=-aim.turn), parameters)
        return None if controls is None else mirrored(controls)
    if aim.turn == 0:
        return _drive_straight(aim, packed)
    knots = _shoot(aim, packed)
    return None if knots is None else expand(knots, aim.frames)


def shortest(
    aim: Aim, parameters: CarParameters | None = None, frames: tuple[int, ...] = DURATIONS
) -> np.ndarray | None:
    """Controls for `aim` in as few frames as were found to do; None where none of `frames` does.

    The list is climbed until a duration closes; from there its knots, stretched to one frame less at a
    time, lead down again.
    """
    packed = (parameters or CarParameters()).packed()
    if aim.turn < 0:
        controls = shortest(replace(aim, turn=-aim.turn), parameters, frames)
        return None if controls is None else mirrored(controls)
    below = 0
    for n in frames:
        if aim.turn == 0:
            for m in range(below + 1, n + 1):
                controls = _drive_straight(replace(aim, frames=m), packed)
                if controls is not None:
                    return controls
        elif (knots := _shoot(replace(aim, frames=n), packed)) is not None:
            while n > below + 1:
                nearer = _closed_and_drivable(knots, replace(aim, frames=n - 1), packed)
                if nearer is None:
                    break
                knots, n = nearer, n - 1
            return expand(knots, n)
        below = n
    return None


def _shoot(aim: Aim, packed: np.ndarray) -> np.ndarray | None:
    """The smoothest knots among those found that fulfil `aim`."""
    best, least = None, np.inf
    for drawn in _draw(aim, packed):
        knots = _closed_and_drivable(drawn, aim, packed)
        if knots is not None and _smoothness(knots) < least - 1e-3:
            best, least = knots, float(_smoothness(knots))
    return best


def _closed_and_drivable(knots: np.ndarray, aim: Aim, packed: np.ndarray) -> np.ndarray | None:
    """Smooth while closing; where that fails, as near the limits of the car, close by the shortest way."""
    for smoothing in (20, 0):
        closed = _close(knots, aim, packed, smoothing)
        if closed is not None and _drivable(closed, aim, packed):
            return closed
    return None


def mirrored(controls: np.ndarray) -> np.ndarray:
    """The same drive to the other side. The car is symmetric, so its path is mirrored exactly."""
    return controls * [-1.0, 1.0, 1.0]


def play(
    controls: np.ndarray, start: np.ndarray | float, parameters: CarParameters | None = None
) -> np.ndarray:
    """States (frames + 1, 6) of a car that starts at `start`, a state (6,) or a forward speed, and is given
    `controls` (frames, 3), each held for a frame.
    """
    state = np.array(start, dtype=np.float64)
    if state.ndim == 0:
        state = np.array([0.0, 0.0, 0.0, state.item(), 0.0, 0.0])
    out = np.empty((1, len(controls) + 1, 6))
    _play(state[None], np.ascontiguousarray(controls)[None], (parameters or CarParameters()).packed(), out)
    return out[0]


def clip_of(name: str, controls: np.ndarray, start: float, parameters: CarParameters | None = None) -> Clip:
    """The clip that `controls` drive from straight driving at `start` m/s."""
    return Clip.from_states(name, play(controls, start, parameters), FRAME, controls)


def sideslip(clip: Clip) -> float:
    """Largest angle between where the car points and where it goes [rad], while faster than 3 m/s."""
    return _sideslip(clip.velocity)


def _sideslip(velocity: np.ndarray) -> float:
    u, v = velocity[:, 0], velocity[:, 1]
    return float(np.abs(np.arctan2(v, np.abs(u)))[np.hypot(u, v) > 3.0].max(initial=0.0))


def amplification(controls: np.ndarray, start: float, packed: np.ndarray) -> float:
    """How much a small error in sideways velocity and yaw rate grows until the end: the largest singular
    value of ∂(v, ω, φ)_end / ∂(v, ω)_start.
    """
    step = 1e-3
    starts = _straight(start, 4)
    starts[[0, 1], 4] = step, -step
    starts[[2, 3], 5] = step, -step
    ends = _ends(np.repeat(controls[None], 4, axis=0), starts, packed)[:, 1:]
    return float(np.linalg.norm(np.stack([ends[0] - ends[1], ends[2] - ends[3]]) / (2 * step), 2))


@lru_cache(maxsize=256)
def _amplification_straight(start: float, frames: int, packed: tuple[float, ...]) -> float:
    """That of driving straight on at the same speed."""
    drag, resistance, gain = packed[0], packed[1], packed[10]
    hold = [0.0, (drag * start * start + resistance * start) / gain, 0.0]
    return amplification(np.tile(hold, (frames, 1)), start, np.array(packed))


def expand(knots: np.ndarray, frames: int) -> np.ndarray:
    """Knots (..., STEER_KNOTS + DRIVE_KNOTS), each in −1..1 of its limit, as controls (..., frames, 3)."""
    steer_of, drive_of = _bases(frames)
    steer = np.clip(knots[..., :STEER_KNOTS] @ steer_of, -1, 1) * MAX_STEER
    drive = np.clip(knots[..., STEER_KNOTS:] @ drive_of, -1, 1) * MAX_DRIVE
    return np.stack([steer, np.maximum(drive, 0), np.maximum(-drive, 0)], axis=-1)


@lru_cache(maxsize=64)
def _bases(frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Linear interpolation from knots to frames. Steering is zero just before and after the clip."""
    t = (np.arange(frames) + 1) / (frames + 1)
    at = np.linspace(0, 1, STEER_KNOTS + 2)
    steer = np.stack([np.interp(t, at, row) for row in np.eye(STEER_KNOTS + 2)[1:-1]])
    drive = np.stack([np.interp(t, np.linspace(0, 1, DRIVE_KNOTS), row) for row in np.eye(DRIVE_KNOTS)])
    return steer, drive


def _drive_straight(aim: Aim, packed: np.ndarray) -> np.ndarray | None:
    """A constant drive, found by bisection, that reaches the end speed without steering."""
    controls = np.zeros((aim.frames, 3))

    def end_speed(drive: float) -> float:
        controls[:, 1], controls[:, 2] = max(drive, 0.0), max(-drive, 0.0)
        return float(_ends(controls[None], _straight(aim.start, 1), packed)[0, 0])

    low, high = -MAX_DRIVE, MAX_DRIVE
    if not end_speed(low) <= aim.end <= end_speed(high):
        return None
    if aim.end == 0.0:  # brakes hold a standing car, so any drive below the one sought does
        end_speed(low)
        return controls
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if end_speed(middle) < aim.end else (low, middle)
    return controls if abs(end_speed((low + high) / 2) - aim.end) < CLOSED else None


def _draw(aim: Aim, packed: np.ndarray, population: int = 320, generations: int = 30) -> np.ndarray:
    """Cross-entropy: knots (3, k) of the best draws, near to what is aimed at."""
    rng = generator(aim.seed, f"{aim.start:g}>{aim.end:g}:{np.degrees(aim.turn):.6g}", aim.frames)
    size = STEER_KNOTS + DRIVE_KNOTS
    mean, spread = np.zeros(size), np.full(size, 0.5)
    mean[: STEER_KNOTS // 2] = 0.3
    starts = _straight(aim.start, population)
    elite = population // 12
    best, best_cost = np.zeros((0, size)), np.zeros(0)
    for _ in range(generations):
        knots = np.clip(mean + spread * rng.standard_normal((population, size)), -1, 1)
        ends = _ends(expand(knots, aim.frames), starts, packed)
        miss = np.abs(_residual(ends, aim)) @ [1.0, 1.0, 1.0, 8.0]
        cost = miss + 0.3 * _smoothness(knots) + 2.0 * _excess_rate(knots, aim.frames)
        knots, cost = np.concatenate([knots, best]), np.concatenate([cost, best_cost])
        order = np.argsort(cost)[:elite]
        best, best_cost = knots[order], cost[order]
        mean = 0.3 * mean + 0.7 * best.mean(axis=0)
        spread = 0.4 * spread + 0.6 * best.std(axis=0) + 1e-3
        if spread.max() < 0.01:
            break
    return best[[0, elite // 3, elite - 1]]


def _close(knots: np.ndarray, aim: Aim, packed: np.ndarray, smooth_steps: int) -> np.ndarray | None:
    """Sequential quadratic steps: the smoothest knots nearby that end exactly where they should.

    Each of the first `smooth_steps` minimises ½ xᵀHx over dx subject to J·dx = −r, where H measures
    roughness; the others take the shortest dx instead (H = 1), which converges quadratically.
    """
    x = knots.copy()
    step = 1e-5
    probe = np.concatenate([np.zeros((1, len(x))), np.eye(len(x)) * step, -np.eye(len(x)) * step])
    starts = _straight(aim.start, len(probe))
    rough = _roughness()
    size = len(x)
    for i in range(smooth_steps + 20):
        r_all = _residual(_ends(expand(x + probe, aim.frames), starts, packed), aim)
        r = r_all[0]
        smoothing = i < smooth_steps
        if not smoothing and np.abs(r).sum() < CLOSED * 0.01:
            return x
        jacobian = ((r_all[1 : size + 1] - r_all[size + 1 :]) / (2 * step)).T
        h = rough + 1e-3 * np.eye(size) if smoothing else np.eye(size)
        g = rough @ x if smoothing else np.zeros(size)
        hj = np.linalg.solve(h, np.concatenate([jacobian.T, g[:, None]], axis=1))
        push = jacobian @ hj[:, :4]
        try:
            force = np.linalg.solve(push + 1e-12 * np.eye(4), jacobian @ hj[:, 4] - r)
        except np.linalg.LinAlgError:
            return None
        dx = hj[:, :4] @ force - hj[:, 4]
        x = np.clip(x + dx * min(1.0, 0.25 / (np.abs(dx).max() + 1e-300)), -1, 1)
        if not np.isfinite(x).all():
            return None
    return None


@lru_cache(maxsize=1)
def _roughness() -> np.ndarray:
    """H with xᵀHx the sum of squared steps between neighbouring knots; drive counts a tenth of steering."""
    differ = np.zeros((STEER_KNOTS + DRIVE_KNOTS, STEER_KNOTS + DRIVE_KNOTS))
    for k in range(STEER_KNOTS + 1):  # steering is zero beyond both ends
        if k < STEER_KNOTS:
            differ[k, k] += 1
            differ[k, k] += 1 if k == STEER_KNOTS - 1 else 0
        if 0 < k < STEER_KNOTS:
            differ[k - 1, k - 1] += 1
            differ[k, k - 1] -= 1
            differ[k - 1, k] -= 1
    for k in range(STEER_KNOTS + 1, STEER_KNOTS + DRIVE_KNOTS):
        differ[k - 1 : k + 1, k - 1 : k + 1] += 0.1 * np.array([[1, -1], [-1, 1]])
    return differ


def _smoothness(knots: np.ndarray) -> np.ndarray:
    return np.einsum("...i,ij,...j->...", knots, _roughness(), knots)


def _steer_rate(knots: np.ndarray, frames: int) -> np.ndarray:
    """Largest speed of the steering [rad/s], from straight and back to straight."""
    steer = expand(knots, frames)[..., 0]
    edge = np.zeros((*steer.shape[:-1], 1))
    return np.abs(np.diff(np.concatenate([edge, steer, edge], axis=-1), axis=-1)).max(axis=-1) / FRAME


def _excess_rate(knots: np.ndarray, frames: int) -> np.ndarray:
    return np.maximum(0.0, _steer_rate(knots, frames) - 0.9 * MAX_STEER_RATE)


def _drivable(knots: np.ndarray, aim: Aim, packed: np.ndarray) -> bool:
    """Whether hands are quick enough for it, it does not slide too far, and errors do not grow wildly."""
    if _steer_rate(knots, aim.frames) > MAX_STEER_RATE:
        return False
    controls = expand(knots, aim.frames)
    states = np.empty((1, aim.frames + 1, 6))
    _play(_straight(aim.start, 1), controls[None], packed, states)
    if _sideslip(body_velocity(states[0])) > aim.max_sideslip:
        return False
    natural = max(_amplification_straight(u, aim.frames, tuple(packed)) for u in (aim.start, aim.end))
    return amplification(controls, aim.start, packed) <= MAX_AMPLIFICATION * max(1.0, natural)


def _residual(ends: np.ndarray, aim: Aim) -> np.ndarray:
    return ends - [aim.end, 0.0, 0.0, aim.turn]


def _straight(speed: float, n: int) -> np.ndarray:
    states = np.zeros((n, 6))
    states[:, 3] = speed
    return states


def _ends(controls: np.ndarray, starts: np.ndarray, packed: np.ndarray) -> np.ndarray:
    """Forward, sideways and yaw velocity and heading (n, 4) after `controls` (n, frames, 3)."""
    out = np.empty((len(controls), 4))
    _end_all(starts, np.ascontiguousarray(controls), packed, out)
    return out


@kernel
def _frame(
    s: tuple[float, float, float, float, float, float], control: np.ndarray, p: np.ndarray
) -> tuple[float, float, float, float, float, float]:
    for _ in range(SUBSTEPS):
        s = advance(s, control[0], control[1], control[2], control[1] < 0.0, FRAME / SUBSTEPS, p)
    return s


@kernel
def _end_all(starts: np.ndarray, controls: np.ndarray, p: np.ndarray, out: np.ndarray) -> None:
    for i in range(starts.shape[0]):
        a = starts[i]
        s = (a[0], a[1], a[2], a[3], a[4], a[5])
        for k in range(controls.shape[1]):
            s = _frame(s, controls[i, k], p)
        c, d = np.cos(s[2]), np.sin(s[2])
        out[i, 0] = c * s[3] + d * s[4]
        out[i, 1] = -d * s[3] + c * s[4]
        out[i, 2] = s[5]
        out[i, 3] = s[2]


@kernel
def _play(starts: np.ndarray, controls: np.ndarray, p: np.ndarray, out: np.ndarray) -> None:
    """States (n, frames + 1, 6) of n cars."""
    for i in range(starts.shape[0]):
        a = starts[i]
        s = (a[0], a[1], a[2], a[3], a[4], a[5])
        for k in range(controls.shape[1] + 1):
            for j in range(6):
                out[i, k, j] = s[j]
            if k < controls.shape[1]:
                s = _frame(s, controls[i, k], p)
