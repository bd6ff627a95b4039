"""A robot that was carried elsewhere by hand is believed to be there as soon as it is seen there."""

import numpy as np
import pytest

from swerve.core.seeding import generator
from swerve.soccer import MatchWorld, Sight, load_field
from swerve.soccer.match.model import HEADING, SPEED
from swerve.soccer.match.sight import Tracker

FIELD = load_field("division-b")


@pytest.mark.parametrize("noise", [1, 20])
@pytest.mark.parametrize("latency", [0, 3])
def test_who_is_carried_is_believed_where_it_is_seen(latency, noise):
    world = MatchWorld(FIELD)
    world.robots[0, :, 0] = np.linspace(-4, 4, 12)
    sight = Sight(noise * 0.001, noise * 0.002, noise * 0.006, latency)
    tracker = Tracker(world, sight, generator(1, "sight"))
    commands = np.zeros((12, 6))
    commands[:, 1] = 1.5  # on the way, all the time
    for k in range(80):
        if k == 40:
            world.robots[0, 5, :3] = 2.0, -2.5, np.pi
        tracker.look()
        robots = tracker.believed()[0][0]
        if k > 20 and not 40 <= k < 40 + latency:
            off = robots - world.robots[0]
            assert np.abs(off[:, :2]).max() < 0.05 + 0.006 * noise
            assert np.hypot(*robots[:, 3:5].T).max() < SPEED
            if k > 41 + latency:
                assert np.abs(off[:, HEADING]).max() < 0.05 + 0.03 * noise
        world.step(commands)
        tracker.sent(commands)
        if k % 20 == 19:
            commands[:, 1] *= -1
