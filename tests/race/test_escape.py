"""What a driver does when every future may touch somebody."""

import numpy as np
import pytest

from swerve.race import Track, plan_course, racer
from swerve.race.scene import Scripted
from swerve.race.traffic import Traffic
from swerve.race.tryout import CLEAR, TOUCHED


def futures_that_may_touch(choices, *given):
    """All of them, for who keeps his distance; the fast ones pass by 0.1 m and the slow ones by 0.45."""
    half, out = given[11], given[-1]
    slow = choices[:, 1] < 0.7
    out[:] = np.column_stack([np.full(len(slow), CLEAR), 0 * slow + 140, 577 - 20 * slow, 0.1 + 0.35 * slow])
    if half[3] > racer.KEPT:
        out[:, 0], out[:, 1] = TOUCHED, 13
    return 10


def test_who_escapes_takes_the_wide_gap_and_not_the_fast_one(monkeypatch):
    """Once a car passed by 0.1 m at full speed whom it could have passed by 0.45 m, and was touched."""
    x = np.arange(0.0, 200.0, 2.0)
    road = Track.from_centre("street", np.column_stack([x, 0 * x]), 6.0, 6.0)
    driver = racer.Racer(plan_course(road, mends=1), Scripted(Traffic(np.zeros((1, 400, 3)))))
    monkeypatch.setattr(racer, "try_all", futures_that_may_touch)
    driver._think(np.append(driver.state, 0.0), 0)
    assert driver.choice[1] == pytest.approx(0.6)
