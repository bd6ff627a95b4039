"""How high a ball flies, told from where cameras see it against the ground."""

import numpy as np
import pytest

from swerve.soccer.eyes.flight import Flight, Ray

FRAME, GRAVITY = 1 / 60, 9.81
CAMERAS = [np.array([x, 0.3, 4.2]) for x in (-2.0, 2.0)]


def seen(place, t, random):
    """Rays of the cameras that have it in view, and where the nearer one sees it on the ground."""
    rays = []
    for camera in CAMERAS:
        on_ground = camera[:2] + (place[:2] - camera[:2]) * camera[2] / (camera[2] - place[2])
        if abs(on_ground[0] - camera[0]) < 2.3:
            rays.append(Ray(t, on_ground + random.normal(0, 0.0007, 2), camera[:2], camera[2]))
    return rays, min(rays, key=lambda ray: np.hypot(*(ray.seen - ray.over))).seen


def watched(start, velocity, frames=50):
    """Where a ball was and where it was believed to be, after resting for ten frames."""
    random, flight, truth, found = np.random.default_rng(4), Flight(FRAME), [], []
    place, speed = np.array([*start, 0.0]), np.array(velocity, dtype=float)
    for k in range(frames):
        if k > 10:
            place = place + FRAME * speed
            if velocity[2] > 0:
                place[2] -= 0.5 * GRAVITY * FRAME**2
                speed[2] -= GRAVITY * FRAME
                if place[2] <= 0.0:
                    place[2], speed[2] = 0.0, -0.5 * speed[2]
            else:
                speed *= 1 - 3.0 * FRAME / max(np.hypot(*speed[:2]), 0.1)
        rays, ground = seen(place, k * FRAME, random)
        truth.append(place)
        found.append(flight.see(rays, ground, k * FRAME))
    return np.array(truth), np.array(found)


@pytest.mark.parametrize("start, way", [((-2.0, 1.0), 0.3), ((-0.5, -1.0), 1.0), ((2.5, 0.5), 2.8)])
def test_a_chipped_ball_is_where_it_is_and_not_where_it_seems(start, way):
    truth, found = watched(start, [2.5 * np.cos(way), 2.5 * np.sin(way), 3.0])
    assert np.abs(found[:11, 2]).max() == 0.0
    in_flight = slice(20, 45)
    off = np.hypot(*(found - truth)[in_flight, :2].T)
    assert np.median(off) < 0.01 and np.median(np.abs(found - truth)[in_flight, 2]) < 0.03
    assert truth[in_flight, 2].max() > 0.4


@pytest.mark.parametrize("speed", [0.5, 2.0, 6.0])
@pytest.mark.parametrize("way", [0.0, 1.2, -2.0])
def test_a_ball_on_the_ground_stays_there(speed, way):
    _, found = watched((-0.4, 0.2), [speed * np.cos(way), speed * np.sin(way), 0.0], 30)
    assert not found[:, 2].any()


def test_a_ball_that_robots_drag_about_is_not_taken_to_fly():
    """It goes in curves, is torn away now and then, and one camera sees it or two."""
    random, off, high = np.random.default_rng(7), [], []
    for _ in range(40):
        flight, place, way, fast, spin = (
            Flight(FRAME),
            random.uniform((-2.5, -0.8), (2.5, 1.4)),
            0.0,
            0.0,
            0.0,
        )
        for k in range(90):
            if random.random() < 0.05:
                way, fast, spin = random.uniform(0, 6.28), random.uniform(0, 2.5), random.normal(0, 6)
            way += spin * FRAME
            torn = random.normal(0, 1.5, 2) if random.random() < 0.03 else 0.0
            place = place + FRAME * (fast * np.array([np.cos(way), np.sin(way)]) + torn)
            if abs(place[0]) > 4.0:
                break
            rays, ground = seen(np.array([*place, 0.0]), k * FRAME, random)
            at = flight.see(rays, ground, k * FRAME)
            off.append(np.hypot(*(at[:2] - place)))
            high.append(at[2])
    assert len(off) > 3000 and np.percentile(off, 99) < 0.005
    assert np.mean(np.array(high) > 0.06) < 0.005 and max(high) < 1.0


def test_a_ball_that_nobody_sees_flies_on():
    random, flight = np.random.default_rng(1), Flight(FRAME)
    for k in range(30):
        t = max(k - 5, 0) * FRAME
        place = np.array([-1.5 + 2.0 * t, 1.0, max(3.0 * t - 0.5 * GRAVITY * t * t, 0.0)])
        if k < 25:
            rays, ground = seen(place, k * FRAME, random)
            at = flight.see(rays, ground, k * FRAME)
        else:
            at = flight.see([], None, k * FRAME)
    assert at == pytest.approx(place, abs=0.03)
