"""A match seen through cameras alone."""

import numpy as np
from plain_stand import small_stand

from swerve.core.seeding import generator
from swerve.soccer import MatchWorld, Sight, load_field
from swerve.soccer.watch import Watching


def test_the_filter_behind_the_cameras_knows_their_noise_not_another():
    world = MatchWorld(load_field("seed"))
    plain, told = (
        Watching(world, sight, generator(0, "watching"))
        for sight in (Sight(latency=2), Sight(0.05, 0.1, 0.3, 2))
    )
    assert np.array_equal(plain.noise, told.noise) and told.sight == Sight(latency=2)


def test_sides_believe_what_the_cameras_saw_and_expect_what_they_did_not():
    world = MatchWorld(load_field("seed"))
    x, y = np.meshgrid([-0.9, -0.45, 0.0, 0.45, 0.9], [-0.4, 0.4])
    world.robots[0, :, 0], world.robots[0, :, 1] = x.ravel(), y.ravel()
    world.robots[0, :, 2] = np.linspace(-3, 3, 10)
    world.robots[0, 9, :2] = 2.5, 1.5  # outside what the small camera sees
    world.place_ball(0.2, 0.0)
    watching = Watching(world, Sight(latency=0), generator(0, "watching"))
    watching._stand = small_stand()
    for _ in range(4):
        watching.look()
    robots, ball = watching.believed()
    assert np.abs(robots[0, :9, :3] - world.robots[0, :9, :3]).max() < 0.01
    assert np.hypot(*(ball[0, :2] - [0.2, 0.0])) < 0.003
    assert watching.unseen == 4 and np.isfinite(robots).all()
