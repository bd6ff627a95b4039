"""A match seen through cameras alone."""

import numpy as np
from plain_stand import small_stand

from swerve.core.seeding import generator
from swerve.soccer import MatchWorld, Sight, Tracker, load_field
from swerve.soccer.match.model import BVX, BVZ, DRIBBLE, TOLD_VX, TOLD_VY
from swerve.soccer.watch import NOISE, Watching


def test_the_filter_behind_the_cameras_knows_their_noise_not_another():
    world = MatchWorld(load_field("seed"))
    plain, told = (
        Watching(world, sight, generator(0, "watching"))
        for sight in (Sight(latency=2), Sight(0.05, 0.1, 0.3, 2))
    )
    assert np.array_equal(plain.noise, told.noise) and told.sight == Sight(*NOISE, 2)


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


class Shown(Tracker):
    """Sees everything exactly, but not who is `unseen`."""

    def __init__(self, world):
        super().__init__(world, Sight(0.0, 0.0, 0.0, 0), generator(1, "shown"))
        self.unseen = np.zeros(self.n + 1, dtype=bool)

    def picture(self):
        self.hidden[:] = self.unseen
        seen = np.vstack([self.world.robots[0, :, :3], self.world.ball[0, :3]])
        return np.where(self.unseen[:, None], 9.0, seen)


def test_a_ball_out_of_sight_goes_with_its_robot_and_does_not_leap_when_it_is_seen_again():
    world = MatchWorld(load_field("seed"))
    world.robots[0, :, :2] = np.column_stack([np.linspace(-2.5, 2.5, 10), np.full(10, 1.8)])
    world.robots[0, 0] = -1.0, 0.0, np.pi / 2, 0.0, 0.0, 0.0
    world.place_ball(-1.0, 0.0965)
    tracker, commands = Shown(world), np.zeros((10, 6))
    commands[0, TOLD_VX], commands[0, DRIBBLE] = 0.6, 1.0
    fastest = furthest = 0.0
    for frame in range(60):
        tracker.unseen[-1] = 15 < frame < 35
        if frame == 20:
            commands[0, TOLD_VX : TOLD_VY + 1] = 0.0, 0.5
        tracker.look()
        ball = tracker.believed()[1][0]
        if frame > 15:
            furthest = max(furthest, float(np.hypot(*(ball[:2] - world.ball[0, :2]))))
            fastest = max(fastest, float(np.hypot(*(ball[BVX:BVZ] - world.ball[0, BVX:BVZ]))))
        tracker.sent(commands)
        world.step(commands)
    assert world.ball[0, 1] > 0.3  # it was taken along
    assert furthest < 0.03 and fastest < 0.5


def test_a_ball_whose_flight_is_told_is_believed_to_fly_so_at_once():
    world = MatchWorld(load_field("seed"))
    tracker = Shown(world)
    tracker.look()
    world.ball[0, [0, 1, 2]] = 0.4, 0.1, 0.3
    tracker.flies = np.array([2.0, 0.5, 1.0])
    tracker.look()
    ball = tracker.believed()[1][0]
    assert np.allclose(ball[[0, 1, 2, BVX, BVX + 1, BVZ]], [0.4, 0.1, 0.3, 2.0, 0.5, 1.0], atol=1e-9)
