"""Other cars: as many as asked for, on the road, and never into one another."""

from itertools import combinations

import numpy as np
import pytest

from plain_shapes import boxes_touch, boxes_touch_segments
from swerve.core.errors import BadInput
from swerve.race.car import FRAME, LENGTH, WIDTH
from swerve.race.others import pack_others
from swerve.race.track import Lane, Loop, Track
from swerve.race.tracks import generate, load_track
from swerve.race.traffic import FAR, Traffic, drive_lanes

SIZE = (LENGTH, WIDTH)
FRAMES = 900


def ring() -> Track:
    t = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    line = np.column_stack([90 * np.cos(t), 70 * np.sin(t)])
    return Track.from_centre(
        "ring", line, 8.0, 8.0, closed=True, lanes=(Lane(3.0, 9.0, 40.0), Lane(-3.0, 11.0, 60.0))
    )


PLACES = {"final": load_track("final"), "cornered": load_track("cornered"), "ring": ring()}


def meetings(poses: np.ndarray, every: int = 5) -> list[tuple[int, int]]:
    """Pairs of cars that touch at some frame."""
    found = []
    for a, b in combinations(range(len(poses)), 2):
        p, q = poses[a, ::every], poses[b, ::every]
        near = (np.hypot(*(p[:, :2] - q[:, :2]).T) < 5.0) & (p[:, 0] < FAR / 2)
        if near.any() and boxes_touch(p[near], SIZE, q[near], SIZE).any():
            found.append((a, b))
    return found


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_tracks_own_cars_never_touch_each_other(name, seed):
    assert meetings(drive_lanes(PLACES[name], FRAMES, seed).poses) == []


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    "name, cars", [("final", None), ("cornered", None), ("ring", None), ("ring", 25), ("cornered", 50)]
)
def test_cars_stay_between_the_walls(name, cars, seed):
    track = PLACES[name]
    poses = drive_lanes(track, FRAMES, seed, cars).poses[:, ::25].reshape(-1, 3)
    poses = poses[poses[:, 0] < FAR / 2]
    s, _ = track.progress(poses[:, :2])
    inner = (
        np.ones(len(s), bool) if track.closed else (s > 3) & (s < track.length - 4)
    )  # ends have walls across
    poses = poses[inner]
    assert len(poses) > 100
    middle = track.segments.reshape(-1, 2, 2).mean(axis=1)
    for part in np.array_split(poses, max(1, len(poses) // 50)):
        near = np.hypot(*np.moveaxis(part[:, None, :2] - middle, -1, 0)).min(axis=0) < 8.0
        if near.any():
            assert not boxes_touch_segments(part, *SIZE, track.segments[near]).any()


@pytest.mark.parametrize("cars", [0, 1, 7, 30])
@pytest.mark.parametrize("name", PLACES)
def test_as_many_cars_as_asked_for(name, cars):
    traffic = drive_lanes(PLACES[name], 50, 0, cars)
    assert traffic.cars == cars and traffic.poses.shape == (cars, 50, 3)
    assert len(np.unique(traffic.poses[:, 0], axis=0)) == cars


@pytest.mark.parametrize("name, cars", [("generated", 40), ("final", 112), ("cornered", 60), ("ring", 40)])
def test_cars_that_are_added_keep_apart(name, cars):
    track = PLACES.get(name) or generate(1200, 6, 0.3, 16, seed=5)
    poses = drive_lanes(track, FRAMES, 1, cars).poses
    assert len(poses) == cars and meetings(poses) == []


@pytest.mark.parametrize("cars", [-1, 5000])
def test_impossible_numbers_of_cars_are_refused(cars):
    with pytest.raises(BadInput, match="cars"):
        drive_lanes(PLACES["cornered"], 10, 0, cars)


@pytest.mark.parametrize("name", PLACES)
def test_same_seed_same_cars(name):
    first, again, other = (drive_lanes(PLACES[name], 60, seed).poses for seed in (4, 4, 5))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("name", PLACES)
def test_cars_move_steadily_where_they_point(name):
    """No jumps from frame to frame, and a course within a few degrees of the heading."""
    poses = drive_lanes(PLACES[name], FRAMES, 2).poses
    step = np.diff(poses[..., :2], axis=1)
    there = (poses[:, 1:, 0] < FAR / 2) & (poses[:, :-1, 0] < FAR / 2)
    way = np.hypot(step[..., 0], step[..., 1])[there]
    assert way.max() < 25 * FRAME and way.min() > 2 * FRAME
    turn = np.abs((np.diff(poses[..., 2], axis=1) + np.pi) % (2 * np.pi) - np.pi)[there]
    assert turn.max() < 0.35
    course = np.arctan2(step[..., 1], step[..., 0]) - poses[:, :-1, 2]
    off = np.abs((course + np.pi) % (2 * np.pi) - np.pi)[there]
    assert np.degrees(np.median(off)) < 3 and np.degrees(off.max()) < 25


def test_loops_of_the_final_track_stay_in_the_field():
    track = PLACES["final"]
    loops = [lane for lane in track.lanes if isinstance(lane, Loop)]
    only = Track(track.name, track.centre, track.right, track.left, False, tuple(loops))
    s, offset = track.progress(drive_lanes(only, FRAMES, 1).poses[:, ::10, :2])
    assert len(s) >= 8
    assert s.min() > 380 and s.max() < 700
    assert np.abs(offset).max() < 23 - WIDTH / 2


def test_stray_bounds_how_far_a_step_differs_from_the_mean():
    """Of any corner of any car, over any six frames."""
    traffic = drive_lanes(PLACES["ring"], 300, 0)
    bound = pack_others(traffic.others(), FRAME, 6).stray
    half = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) * [LENGTH / 2, WIDTH / 2]
    c, s = np.cos(traffic.poses[..., 2]), np.sin(traffic.poses[..., 2])
    turned = np.stack(
        [
            c[..., None] * half[:, 0] - s[..., None] * half[:, 1],
            s[..., None] * half[:, 0] + c[..., None] * half[:, 1],
        ],
        -1,
    )
    corner_steps = np.diff(traffic.poses[..., None, :2] + turned, axis=1)
    steps = np.diff(traffic.poses[..., :2], axis=1)
    for start in range(0, 290, 7):
        mean = steps[:, start : start + 6].mean(axis=1)[:, None, None]
        off = corner_steps[:, start : start + 6] - mean
        assert (np.hypot(off[..., 0], off[..., 1]).max(axis=(1, 2)) <= bound[:, start] + 1e-9).all()
    assert not np.any(pack_others(Traffic(np.zeros((2, 9, 3))).others(), FRAME, 6).stray)
