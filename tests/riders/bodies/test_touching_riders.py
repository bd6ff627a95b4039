"""Riders in full physics that meet: they touch, push each other and fall; from afar nothing changes."""

import numpy as np
import pytest

from swerve.riders import load_rider


@pytest.fixture(scope="module")
def human():
    return load_rider("human")


def ride(human, x, y, yaw, seconds, together=True):
    riders = human.start(len(x))
    if together:
        riders.bring_together()
    riders.put(np.array(x), np.array(y), np.array(yaw))
    riders.advance(np.array(yaw), np.full(len(x), human.speed), seconds)
    return riders


def test_two_on_crossing_ways_touch_and_fall(human):
    met = ride(human, [-12.0, 0.0], [0.0, -12.3], [0.0, np.pi / 2], 3.0)
    assert met.touched_pairs == {(0, 1)} and met.motion().fell.any()
    alone = ride(human, [-12.0, 0.0], [0.0, -12.3], [0.0, np.pi / 2], 3.0, together=False)
    assert not alone.motion().fell.any()


def test_who_passes_is_not_pushed(human):
    where = ([-9.0, 0.0], [0.0, -13.0], [0.0, np.pi / 2])
    together, apart = ride(human, *where, 1.5), ride(human, *where, 1.5, together=False)
    assert not together.touched_pairs
    np.testing.assert_allclose(together.motion().pose, apart.motion().pose, atol=1e-9)


def test_shoulders_push_both_alike(human):
    """Side by side and drifting together: what one is pushed to the left the other is to the right."""
    met = ride(human, [0.0, 0.0], [0.0, 0.75], [0.05, -0.05], 0.4)
    free = ride(human, [0.0, 0.0], [0.0, 0.75], [0.05, -0.05], 0.4, together=False)
    push = met.motion().vy - free.motion().vy
    assert met.touched_pairs and push[0] < -0.05
    assert push[0] == pytest.approx(-push[1], rel=0.35)


def test_three_near_each_other_meet_as_two_do(human):
    """The two of the test above, and a third that rides close by without being touched."""
    met = ride(human, [0.0, 0.0, 1.0], [0.0, 0.75, -1.3], [0.05, -0.05, 0.0], 0.4)
    two = ride(human, [0.0, 0.0], [0.0, 0.75], [0.05, -0.05], 0.4)
    assert met.touched_pairs == two.touched_pairs == {(0, 1)}
    np.testing.assert_allclose(met.motion().pose[:2], two.motion().pose, atol=1e-9)
    free = ride(human, [1.0], [-1.3], [0.0], 0.4)
    np.testing.assert_allclose(met.motion().pose[2:], free.motion().pose, atol=1e-9)
