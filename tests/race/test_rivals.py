"""Cars that surprise, and what a driver foresees of them."""

import numpy as np
import pytest

from swerve.race import load_track
from swerve.race.car import FRAME
from swerve.race.rivals import SHIFT, SHIFTING, Rivals

FAR_AWAY = np.array([0.0, -500.0, 0.0, 0.0, 0.0, 0.0])


@pytest.fixture
def rivals() -> Rivals:
    return Rivals(load_track("cornered"), 400, 3, "reacting")


def offset_of(rivals: Rivals, frames: int) -> float:
    foreseen = rivals.foresee(frames).poses[0, -1]
    return float(rivals.track.progress(foreseen[None, :2], rivals.station[:1])[1][0])


def test_who_moves_over_is_foreseen_to_go_on_with_it(rivals):
    """Once a rival that was coming over was foreseen straight ahead, until it was beside the car."""
    assert offset_of(rivals, 25) == pytest.approx(rivals.offset[0], abs=0.05)
    rivals.aim[0] += SHIFT
    for _ in range(5):
        rivals.step(FAR_AWAY)
    now, speed = rivals.offset[0], SHIFT / SHIFTING
    assert now + 0.5 * speed < offset_of(rivals, 25) < now + speed
    assert offset_of(rivals, 200) < rivals.aim[0] + 0.1  # and no further than a lane


def test_who_brakes_is_foreseen_to_go_on_with_it(rivals):
    rivals.braking[0] = 1.0
    for _ in range(5):
        rivals.step(FAR_AWAY)
    steady = rivals.station[0] + rivals.speed[0] * 25 * FRAME
    foreseen = rivals.foresee(25).poses[0, -1, :2]
    for _ in range(25):
        rivals.step(FAR_AWAY)
    stations = rivals.track.progress(foreseen[None], rivals.station[:1])[0]
    assert rivals.station[0] - 0.5 < stations[0] < steady - 0.5
    assert np.isfinite(rivals.foresee(200).poses).all()
