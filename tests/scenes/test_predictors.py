"""Two predictors, one interface: what a map and a move tree foresee, held against what the bodies then do."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.core.motion import Motion
from swerve.core.predict import GoingOn, Predictor
from swerve.core.seeding import generator
from swerve.race import load_tree
from swerve.race.body import SlidingCar
from swerve.race.car import SUBSTEPS
from swerve.race.predictor import TreePredictor
from swerve.riders import load_map, load_rider

TIMES = np.array([0.4, 0.8, 1.2, 1.6])


def forecast_error(predictor, motion, commands, go):
    """How far (n, k) [m] bodies are from where any predictor saw them; `go(seconds)` moves the bodies on and
    gives their motion."""
    assert isinstance(predictor, Predictor)
    poses = predictor.foresee(motion, commands, TIMES)
    assert poses.shape == (len(motion), len(TIMES), 3)
    errors = []
    for k, step in enumerate(np.diff(TIMES, prepend=0.0)):
        now = go(step)
        errors.append(np.hypot(now.x - poses[:, k, 0], now.y - poses[:, k, 1]))
    return np.array(errors).T


def test_a_map_foresees_a_rider_in_full_physics():
    rider, map_, rng = load_rider("human"), load_map("human"), generator(3, "foresee")
    ride = rider.start(12)
    ride.put(*rng.uniform(-50, 50, (2, 12)), rng.uniform(-3, 3, 12))
    ride.advance(ride.motion().yaw + rng.uniform(-0.4, 0.4, 12), np.full(12, 12.0), 1.0)
    motion, turns = ride.motion(), rng.uniform(-0.4, 0.4, 12)

    def go(seconds):
        ride.step(np.column_stack([motion.yaw + turns, np.full(12, 12.0)]), seconds)
        return ride.motion()

    kept = ride.snapshot()
    by_map = forecast_error(map_, motion, turns, go)
    ride.restore(kept)
    by_arc = forecast_error(GoingOn(), motion, turns, go)
    assert np.median(by_map[:, -1]) < 0.15 and by_map.max() < 0.6
    assert np.median(by_map[:, -1]) < 0.3 * np.median(by_arc[:, -1])


def test_a_tree_foresees_the_sliding_car():
    tree = load_tree("large")
    predictor, rng = TreePredictor(tree), generator(5, "foresee")
    long = [k for k, clip in enumerate(tree.clips) if clip.duration >= TIMES[-1] and len(clip.controls)]
    chosen = rng.choice(long, 12)
    cars = SlidingCar().start(12)
    cars.put(*rng.uniform(-50, 50, (2, 12)), rng.uniform(-3, 3, 12))
    c, s = np.cos(cars.state[:, 2]), np.sin(cars.state[:, 2])
    u, v, rate = np.array([tree.clips[k].velocity[0] for k in chosen]).T
    cars.state[:, 3:] = np.column_stack([c * u - s * v, s * u + c * v, rate])
    cars.wheel[:] = [tree.clips[k].controls[0, 0] for k in chosen]
    motion, played = cars.motion(), 0

    def go(seconds):
        nonlocal played
        frames = round(seconds / tree.dt)
        cars.step(np.array([tree.clips[k].controls[played : played + frames] for k in chosen]), seconds)
        played += frames
        return cars.motion()

    kept = cars.snapshot()
    by_tree = forecast_error(predictor, motion, chosen, go)
    cars.restore(kept)
    played = 0
    by_arc = forecast_error(GoingOn(), motion, chosen, go)
    # the car's wheels take a while to turn to where the clip has them at once
    assert np.median(by_tree[:, -1]) < 0.3 and np.median(by_tree[:, -1]) < 0.3 * np.median(by_arc[:, -1])
    states, played = kept[:, :6].copy(), 0

    def at_once(seconds):
        nonlocal played, states
        for _ in range(round(seconds / tree.dt)):
            held = np.array([tree.clips[k].controls[played] for k in chosen]).T
            for _ in range(SUBSTEPS):
                states = cars.car.step(states, *held, tree.dt / SUBSTEPS)
            played += 1
        return Motion.planar(*states[:, :2].T)

    assert forecast_error(predictor, motion, chosen, at_once).max() < 1e-6


def test_a_tree_knows_which_clips_fit():
    tree = load_tree("large")
    predictor = TreePredictor(tree)
    u, v, w = tree.node_velocity.T
    motion = Motion.planar(
        0 * u, 0 * u, 0.3, u * np.cos(0.3) - v * np.sin(0.3), u * np.sin(0.3) + v * np.cos(0.3), w
    )
    assert predictor.nearest(motion).tolist() == list(range(len(u)))
    assert (tree.source[predictor.clips_from(motion)[3]] == 3).all()
    with pytest.raises(BadInput, match="clip"):
        predictor.foresee(motion[:1], np.array([10**6]), TIMES)


def test_beyond_its_end_a_clip_goes_on():
    tree = load_tree("five")
    predictor = TreePredictor(tree)
    one = Motion.planar([0.0], [0.0], vx=tree.node_velocity[:1, 0])
    clip = tree.clips[0]
    end = predictor.foresee(one, np.array([0]), clip.duration + np.array([0.0, 0.5]))[0]
    assert np.hypot(*(end[1] - end[0])[:2]) == pytest.approx(0.5 * np.hypot(*clip.velocity[-1, :2]), rel=0.02)


def test_what_spins_is_foreseen_to_slide_to_a_halt_and_what_turns_to_turn():
    """No ground holds 25 m/s at 1.2 rad/s (30 m/s²): its way is straight, however it spins."""
    thrown = Motion.planar(x=[0.0, 0.0], y=[0.0, 0.0], vx=[25.0, 5.0], yaw_rate=[1.2, 1.2])
    spinning, turning = GoingOn().foresee(thrown, np.zeros((2, 0)), np.array([1.0, 2.0, 60.0]))
    assert np.allclose(spinning[:, 1], 0.0)
    assert np.allclose(spinning[:, 0], [25 - 2.5, 50 - 10, 25**2 / 10])
    assert np.allclose(turning[0], [5 / 1.2 * np.sin(1.2), 5 / 1.2 * (1 - np.cos(1.2)), 1.2])
