"""A ball by itself, against closed forms."""

import numpy as np
import pytest

from swerve.soccer.match import model
from swerve.soccer.match.ball import free, stopping_distance


def thrown(vx=0.0, vz=0.0):
    ball = np.zeros((1, model.BALL_COLUMNS))
    ball[0, model.BVX], ball[0, model.BVZ] = vx, vz
    return ball


@pytest.mark.parametrize("speed", [0.3, 2.0, 6.5])
def test_a_kicked_ball_slides_then_rolls_as_far_as_it_should(speed):
    ball = thrown(speed)
    free(ball, 100.0)
    slides = speed**2 * (1 - 25 / 49) / (2 * model.SLIDING)
    rolls = (5 / 7 * speed) ** 2 / (2 * model.ROLLING)
    assert ball[0, 0] == pytest.approx(slides + rolls, rel=1e-9)
    assert ball[0, 0] == pytest.approx(stopping_distance(speed), rel=1e-9)
    assert not ball[0, model.BVX : model.BVZ + 1].any()


def test_the_way_does_not_depend_on_the_step():
    once, often = thrown(4.0, 3.0), thrown(4.0, 3.0)
    free(once, 2.0)
    for _ in range(777):
        free(often, 2.0 / 777)
    assert np.allclose(once, often, atol=1e-6)


def test_it_rolls_at_five_sevenths_of_its_speed():
    ball = thrown(3.5)
    free(ball, (3.5 * 2 / 7) / model.SLIDING)
    assert ball[0, model.BVX] == pytest.approx(2.5) and ball[0, model.UX] == pytest.approx(2.5)


def test_a_chip_lands_where_a_throw_lands_and_bounces_lower_and_slower():
    up = 4.0 * np.sin(model.CHIP_ANGLE)
    ball = thrown(up, up)
    free(ball, 2 * up / model.GRAVITY - 1e-6)
    assert ball[0, 0] == pytest.approx(4.0**2 / model.GRAVITY, abs=1e-4)
    free(ball, 1e-5)
    assert ball[0, model.BVZ] == pytest.approx(model.BOUNCE * up, rel=1e-3)
    lost = min(model.BOUNCE_FRICTION * (1 + model.BOUNCE) * up, up * 2 / 7)
    assert ball[0, model.BVX] == pytest.approx(up - lost, rel=1e-3)
