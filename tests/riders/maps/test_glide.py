"""Riders on a map: near the full body for seconds, without jumps, in any batch."""

import numpy as np

from swerve.core.seeding import generator
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import load_map
from swerve.riders.maps.trials import DECIDE


def ride_both(body, map_, n, seconds, rng):
    full, light = body.start(n), Glide(map_, n)
    heading, left = np.zeros(n), np.zeros(n)
    seen = []
    for _ in range(round(seconds / 0.1)):
        left -= 0.1
        new = left <= 0
        heading = np.where(new, full.motion().yaw + 0.5 * rng.uniform(-1, 1, n), heading)
        left = np.where(new, rng.uniform(0.3, 2.0, n), left)
        for ride in (full, light):
            ride.advance(heading, np.full(n, body.speed), 0.1)
        seen.append((full.motion(), light.motion()))
    return seen


def test_it_stays_near_the_full_body_under_random_commands(standin_body, standin_map):
    seen = ride_both(standin_body, standin_map, 60, 5.0, generator(0, "glide"))
    a, b = seen[-1]
    assert np.median(np.hypot(a.x - b.x, a.y - b.y)) < 0.3
    assert np.abs(a.yaw - b.yaw).max() < 0.15 and np.abs(a.roll - b.roll).mean() < 0.05


def test_nothing_jumps(standin_body, standin_map):
    light = [b for _, b in ride_both(standin_body, standin_map, 30, 5.0, generator(1, "glide"))]
    roll = np.array([m.roll for m in light])
    place = np.array([m.x + 1j * m.y for m in light])
    step = np.abs(np.diff(place, axis=0))
    assert np.abs(np.diff(roll, axis=0)).max() < 0.2 and step.min() > 1.0 and step.max() < 1.45


def test_speed_follows_the_command(standin_map):
    ride = Glide(standin_map, 2)
    ride.advance(np.zeros(2), np.array([12.0, 13.0]), 6.0)
    motion = ride.motion()
    assert abs(motion.vx[0] - 12.0) < 0.1 and abs(motion.vx[1] - 13.0) < 0.1


def test_threads_do_not_matter(standin_map):
    heading = generator(2, "glide").uniform(-0.8, 0.8, 2000)
    rides = [Glide(standin_map, 2000, threads=k) for k in (1, 2)]
    for ride in rides:
        ride.advance(heading, np.full(2000, 12.0), 1.0)
    assert (rides[0].pose == rides[1].pose).all()


def test_who_insists_on_a_turn_that_falls_has_fallen(standin_map):
    from dataclasses import replace

    fell = np.full((100, 10), np.inf)
    fell[:, 9] = 0.6
    trap = replace(standin_map, tracks=replace(standin_map.tracks, fell=fell.ravel()))
    ride = Glide(trap, 2)
    for _ in range(10):
        motion = ride.motion()
        ride.advance(motion.yaw + np.array([1.0, 0.5]), np.full(2, 12.0), 0.1)
    assert ride.motion().fell.tolist() == [True, False]
    place = ride.motion().x.copy()
    ride.advance(np.zeros(2), np.full(2, 12.0), 0.5)
    assert ride.motion().x[0] == place[0] and ride.motion().x[1] > place[1]


def test_velocities_of_riders_on_maps_are_those_of_the_moment():
    """Steps from frame to frame and the velocities at both ends agree; those of the tick's middle were off by
    up to 3 cm."""
    map_ = load_map("human")
    ride = Glide(map_, 5)
    ride.put(np.zeros(5), 3.0 * np.arange(5), np.zeros(5))
    place, velocity = [], []
    for k in range(60):
        motion = ride.motion()
        place.append([motion.x, motion.y])
        velocity.append([motion.vx, motion.vy])
        ride.advance(0.5 * np.sin(0.15 * k + np.arange(5)), np.full(5, 12.0), DECIDE)
    step, between = np.diff(place, axis=0), 0.5 * DECIDE * (np.array(velocity)[1:] + np.array(velocity)[:-1])
    assert np.hypot(*(step - between).transpose(1, 0, 2))[5:].max() < 0.012
    again = Glide(map_, 5)
    again.restore(ride.snapshot())
    assert np.array_equal(again.motion().vx, ride.motion().vx)


def test_nobody_on_a_map_becomes_faster_than_its_fastest_trial():
    """A human that was told 30 m/s came to 32 m/s in eight minutes, on a map that ends at 14."""
    map_ = load_map("human")
    ride = Glide(map_, 2)
    ride.go_at(np.array([13.9, 12.0]))
    for _ in range(300):
        ride.advance(np.zeros(2), np.array([30.0, 30.0]), 0.1)
        assert ride.motion().speed.max() <= map_.speeds[-1] + 0.05
    assert ride.motion().speed[0] > 13.8
