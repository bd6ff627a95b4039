"""What is thought of a car whose sensors are noisy and whose constants are others."""

import numpy as np
import pytest

from swerve.race import CarParameters, Entry, Reality, Setting, Track, drive
from swerve.race.car import different
from swerve.race.driven import steering_figures
from swerve.race.estimate import NOISE, foretold, seen, stray_of
from swerve.race.line_hold import frame_on


@pytest.mark.parametrize(("noise", "left"), [(0.1, 0.65), (1.0, 0.35)])
def test_what_is_thought_is_much_better_than_what_is_seen(noise, left):
    """Once a third of the difference was believed, which leaves 0.46 of the noise, however much it is."""
    rng = np.random.default_rng(4)
    known, real = CarParameters().packed(), different(CarParameters(), 0.1, 2).packed()
    state = np.array([0.0, 0.0, 0.0, 20.0, 0.0, 0.0])
    thought, spread = state.copy(), np.diag((noise * NOISE) ** 2)
    errors = []
    for frame in range(500):
        steer, drive = 0.05 * np.sin(0.02 * frame), 40.0 + 30.0 * np.sin(0.05 * frame)
        frame_on(state, steer, drive, real)
        foretold(thought, spread, steer, drive, known, stray_of(0.1))
        seen(thought, spread, state + noise * NOISE * rng.standard_normal(6) - thought, noise * NOISE)
        errors.append(thought - state)
    rms = np.sqrt(np.square(errors).mean(axis=0)) / (noise * NOISE)
    assert (rms < 1.0).all() and rms[[0, 1, 3, 4]].max() < left  # place and velocity
    assert np.isfinite(spread).all() and (np.diag(spread) > 0).all()


@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_noise_hardly_makes_hands_saw_on_a_steady_bend(large, noise):
    """Once the wheel went to and fro three times a second on a ring, with every blink of the sensors. Calmer
    hands than these lose cars whose constants are off.
    """
    angle = np.linspace(0.0, 2 * np.pi, 120, endpoint=False)
    ring = 40.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    track = Track.from_centre("ring", ring, 6.0, 6.0, closed=True)
    reality = Reality(True, latency=0.1, noise=noise, mismatch=0.1)
    result = drive(track, large, Setting(laps=2), 3, entry=Entry(reality=reality))
    steady = steering_figures(result.controls[200:])
    assert result.finished and steady["steer_reversals_per_second"] < 1.3
