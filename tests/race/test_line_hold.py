"""Hands that bring a car to its line from wherever it stands, slow as it may be."""

import numpy as np
import pytest

from swerve.race import load_track, plan_course
from swerve.race.car import LENGTH, WIDTH, different
from swerve.race.line_hold import locate, rehearse
from swerve.race.touch import leaving

FRAMES = 100


@pytest.fixture(scope="module")
def course():
    return plan_course(load_track("cornered"), mends=1)


@pytest.mark.parametrize("speed", [0.4, 8.0])
def test_a_slow_car_beside_the_line_gets_to_it_and_not_to_the_wall(course, speed):
    """Once a car that had stopped for somebody crept along the edge for ever: every future met the wall."""
    track, table = course.track, course.hold.table
    room = 7.5 - np.hypot(LENGTH, WIDTH) / 2
    rng = np.random.default_rng(5)
    for station in rng.uniform(30.0, track.length - 150.0, 12):
        pose = track.pose(station, rng.choice([-room, room])) + np.array([0.0, 0.0, rng.uniform(-0.1, 0.1)])
        state = np.concatenate([pose, speed * np.array([np.cos(pose[2]), np.sin(pose[2]), 0.0])])
        near = float(np.argmin(np.hypot(*(table[:, :2] - pose[:2]).T)))
        at, beside = locate(pose[0], pose[1], table, near)
        states, controls, points = np.empty((FRAMES + 1, 6)), np.empty((FRAMES, 3)), np.empty(FRAMES + 1)
        car = course.parameters.packed()
        rehearse(state, 0.0, at, 0.0, 0.0, 0.6, table, course.hold.slow, car, states, controls, points)
        assert not leaving(track, states[:, :3]).any(), (station, speed)
        assert abs(locate(*states[-1, :2], table, points[-1])[1]) < max(1.0, 0.5 * abs(beside))


@pytest.mark.parametrize("askew", [-0.7, 0.7])
def test_a_car_that_points_far_off_the_line_does_not_swing_about_it(course, askew):
    """Once the heading counted up to half a radian only, and a car that was another one swung ever wider."""
    track, table = course.track, course.hold.table
    for seed in range(4):
        car = different(course.parameters, 0.1, seed).packed()
        pose = track.pose(400.0 + 40.0 * seed) + np.array([0.0, 0.0, askew])
        state = np.concatenate([pose, 10.0 * np.array([np.cos(pose[2]), np.sin(pose[2]), 0.0])])
        near = float(np.argmin(np.hypot(*(table[:, :2] - pose[:2]).T)))
        at, beside = locate(pose[0], pose[1], table, near)
        states, controls, points = np.empty((126, 6)), np.empty((125, 3)), np.empty(126)
        rehearse(state, 0.0, at, 0.0, 0.0, 0.35, table, course.hold.slow, car, states, controls, points)
        late = [locate(*states[f, :2], table, points[f])[1] for f in range(60, 126)]
        assert np.abs(late).max() < max(1.0, 0.5 * abs(beside)), seed
