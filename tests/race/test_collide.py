"""No tunnelling: what an independent, dense check finds to touch, the planner must refuse; and what is
clear by a distance it must take.
"""

import numpy as np
import pytest

from plain_shapes import boxes_apart, boxes_to_segments, boxes_touch, boxes_touch_segments
from swerve.core.clips import Clip, place_poses
from swerve.core.library import MotionLibrary
from swerve.core.plan import Status
from swerve.race.car import FRAME, LENGTH, WIDTH
from swerve.race.guide import far_guide
from swerve.race.route import RouteSearch, SearchOptions
from swerve.race.track import Track
from swerve.race.traffic import Traffic

BETWEEN = 40  # poses looked at in a frame
MARGIN = 0.15  # [m]
ROOM = 0.6  # [m] beyond the margin from which a clip must be accepted
SIZE = (LENGTH, WIDTH)


def smooth(rng: np.random.Generator, frames: int, most: tuple[float, float, float]) -> np.ndarray:
    """Dense poses of a random smooth motion from the origin; `most` bounds forward, sideways and yaw speed.

    Without sideways and yaw speed it is steady.
    """
    n = frames * BETWEEN
    t = (np.arange(n) + 0.5) / n
    speeds = []
    for bound in most:
        mean, swing, beat, phase = rng.uniform([-1, -1, 0, 0], [1, 1, 2, 7])
        swing *= any(most[1:])
        speeds.append(bound * np.clip(mean + swing * np.sin(2 * np.pi * beat * t + phase), -1, 1))
    u, v, w = np.array(speeds) * FRAME / BETWEEN
    heading = np.concatenate([[0.0], np.cumsum(w)])
    middle = (heading[1:] + heading[:-1]) / 2
    step = np.stack(
        [u * np.cos(middle) - v * np.sin(middle), u * np.sin(middle) + v * np.cos(middle)], axis=1
    )
    return np.column_stack([np.vstack([[0.0, 0.0], np.cumsum(step, axis=0)]), heading])


def one_clip_tree(dense: np.ndarray) -> MotionLibrary:
    pose = dense[::BETWEEN].copy()
    clip = Clip("only", FRAME, pose, np.zeros_like(pose))
    none = np.zeros(1, dtype=np.int64)
    return MotionLibrary("one", (clip,), none, none, ("any",), np.zeros((1, 3)))


def place_with(walls: np.ndarray) -> Track:
    """A track whose walls are these segments alone."""
    line = np.column_stack([np.linspace(0, 100, 51), np.zeros(51)])
    track = Track("walls", line, np.full(51, 5.0), np.full(51, 5.0))
    track.__dict__["segments"] = walls
    return track


def accepted(
    dense: np.ndarray, start: np.ndarray, walls: np.ndarray, traffic: Traffic | None, frame: int
) -> bool:
    tree = one_clip_tree(dense)
    frames = tree.clips[0].frames
    guide = far_guide(tree, np.array([1e4, 0.0]), improved=False)
    options = SearchOptions(horizon=frames, nodes=4, duplicates=False)
    route = RouteSearch(tree, place_with(walls), guide, options, traffic, MARGIN).search(start, 0, frame)
    assert len(route.clips) == 1  # there is always an answer; whether it is clear says the status
    return route.status is not Status.STUCK


FAR_WALL = np.array([[900.0, 900.0, 901.0, 900.0]])


def scene(seed: int):
    """A random motion of a random kind laid at a random pose."""
    rng = np.random.default_rng(seed)
    kind = seed % 4
    most = [(45.0, 0.5, 1.0), (60.0, 25.0, 4.0), (10.0, 4.0, 5.0), (90.0, 0.1, 0.2)][kind]
    frames = int(rng.integers(2, 45))
    start = np.array([*rng.uniform(-40, 40, 2), rng.uniform(-7, 7)])
    return rng, smooth(rng, frames, most), start


def near_the_path(rng: np.random.Generator, poses: np.ndarray, spread: float) -> np.ndarray:
    return poses[rng.integers(len(poses)), :2] + rng.normal(0, spread, 2)


def test_thin_walls_are_never_passed_through():
    touching = refused = 0
    for seed in range(120):
        rng, dense, start = scene(seed)
        world = place_poses(dense, start)
        walls = []
        for _ in range(rng.integers(1, 4)):
            middle = near_the_path(rng, world, 2.5)
            half = rng.choice([0.005, 0.3, 3.0, 30.0]) * rng.uniform(0.5, 1.5)
            angle = rng.uniform(0, np.pi)
            reach = half * np.array([np.cos(angle), np.sin(angle)])
            walls.append([*(middle - reach), *(middle + reach)])
        segments = np.array(walls)
        took = accepted(dense, start, segments, None, 0)
        if boxes_touch_segments(world, *SIZE, segments).any():
            touching += 1
            assert not took, f"seed {seed}: drove through a wall"
        refused += not took
    assert touching > 30 and refused < 120


def test_walls_that_are_clear_do_not_block():
    clear = 0
    for seed in range(160):
        rng, dense, start = scene(4 * seed)  # driving, hardly sliding
        world = place_poses(dense, start)
        middle = near_the_path(rng, world, 5.0)
        reach = rng.uniform(0.0, 2.0) * np.array([np.cos(seed), np.sin(seed)])
        segments = np.array([[*(middle - reach), *(middle + reach)]])
        if boxes_to_segments(world[:: BETWEEN // 8], *SIZE, segments) > MARGIN + ROOM:
            clear += 1
            assert accepted(dense, start, segments, None, 0), f"seed {seed}: refused without cause"
    assert clear > 30


def traffic_near(
    rng: np.random.Generator,
    world: np.ndarray,
    count: int,
    frame: int,
    most: tuple[float, float, float],
    spread: float,
) -> np.ndarray:
    """Dense poses (cars, n, 3) of random movers that come near the path at some moment after `frame`."""
    n = len(world)
    lead = frame * BETWEEN
    cars = []
    for _ in range(count):
        own = smooth(rng, (n - 1) // BETWEEN + frame, most)
        own = place_poses(own, np.array([0.0, 0.0, rng.uniform(0, 7)]))
        k = int(rng.integers(n))
        own[:, :2] += world[k, :2] + rng.normal(0, spread, 2) - own[lead + k, :2]
        cars.append(own)
    return np.array(cars)


@pytest.mark.parametrize(
    "size, most",
    [
        (SIZE, (20.0, 1.0, 1.0)),
        (SIZE, (40.0, 10.0, 4.0)),
        ((0.5, 0.3), (160.0, 0.0, 0.0)),
        ((9.0, 2.5), (25.0, 0.0, 1.0)),
    ],
    ids=["cars", "skidding cars", "small and fast", "lorries"],
)
def test_moving_cars_are_never_passed_through(size, most):
    touching = refused = clear = 0
    for seed in range(50):
        rng, dense, start = scene(1000 + seed)
        world = place_poses(dense, start)
        frame = int(rng.integers(0, 30))
        cars = traffic_near(rng, world, int(rng.integers(1, 4)), frame, most, rng.choice([1.5, 4.0, 12.0]))
        shown = cars[:, frame * BETWEEN :]
        traffic = Traffic(np.ascontiguousarray(cars[:, ::BETWEEN]), *size)
        took = accepted(dense, start, FAR_WALL, traffic, frame)
        if any(boxes_touch(world, SIZE, car, size).any() for car in shown):
            touching += 1
            assert not took, f"seed {seed}: drove through a car"
        elif min(boxes_apart(world[::5], SIZE, car[::5], size) for car in shown) > MARGIN + ROOM:
            clear += 1
            assert took, f"seed {seed}: refused without cause"
        refused += not took
    assert touching > 11 and clear > 2 and refused < 50


def test_no_car_is_forgotten_in_a_crowd():
    """Dozens of cars in one place, more than a cell of the map can name; only one of them is in the way."""
    for seed in range(20):
        rng, dense, start = scene(4 * seed)
        world = place_poses(dense, start)
        crowd = 40
        frames = (len(world) - 1) // BETWEEN + 1
        beside = np.tile(world[::BETWEEN].mean(axis=0), (crowd, frames, 1))
        beside[..., :2] += rng.normal(0, 1.0, (crowd, 1, 2)) + 30.0 * np.array(
            [-np.sin(start[2]), np.cos(start[2])]
        )
        hits = rng.integers(crowd)
        k = int(rng.integers(frames))
        poses = np.ascontiguousarray(beside)
        poses[hits, :, :2] = world[k * BETWEEN, :2]
        others = np.delete(poses, hits, axis=0)
        if not any(boxes_touch(world[::BETWEEN], SIZE, car, SIZE).any() for car in others):
            assert accepted(dense, start, FAR_WALL, Traffic(np.ascontiguousarray(others)), 0)
        assert not accepted(dense, start, FAR_WALL, Traffic(poses), 0)
