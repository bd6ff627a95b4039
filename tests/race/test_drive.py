"""Whole drives, checked from outside: nothing touched, no jumps, states that fit the poses."""

import numpy as np
import pytest

from plain_shapes import between_frames, boxes_touch_segments, touches_anything
from swerve.core.errors import BadInput
from swerve.race import Setting, Track, drive, load_track, read_circuit
from swerve.race.car import FRAME, LENGTH, WIDTH
from swerve.race.driven import Drive, sideslip
from swerve.race.entry import START, start_pose
from swerve.race.route import SearchOptions
from swerve.race.traffic import Traffic
from swerve.race.trees import SEAM

SIZE = (LENGTH, WIDTH)


def touched(result: Drive) -> bool:
    cars = result.traffic.poses[:, : len(result.states)]
    other = (result.traffic.length, result.traffic.width)
    return touches_anything(result.states[:, :3], SIZE, result.track.segments, cars, other)


RUNS = [*(("sharp-cornered", seed) for seed in (0, 1, 2)), ("final", 1), ("final", 2)]


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_finishes_without_touching_anything(drives, run):
    result = drives[run]
    assert result.finished and not result.crashed
    assert not touched(result)
    if run[0] == "final":
        assert result.traffic.cars > 20


def test_the_check_from_outside_sees_contacts(drives):
    """The same drive among cars that stand in its way, or moved sideways into the wall."""
    result = drives["sharp-cornered", 0]
    walls, nobody = result.track.segments, np.zeros((0, len(result.states), 3))
    aside = result.states[:, :3] + np.array([9.0, 0.0, 0.0])
    assert touches_anything(aside, SIZE, walls, nobody, SIZE)
    parked = np.tile(result.states[300, :3], (1, len(result.states), 1))
    assert touches_anything(result.states[:, :3], SIZE, walls, parked, SIZE)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_motion_is_continuous_and_states_fit_the_poses(drives, run):
    result = drives[run]
    states = result.states
    step = np.diff(states[:, :2], axis=0)
    assert np.hypot(*step.T).max() < 1.05 * result.tree.top_speed * FRAME
    mean = (states[1:, 3:5] + states[:-1, 3:5]) / 2
    assert np.hypot(*(step / FRAME - mean).T).max() < 0.6  # [m/s] between frames the car accelerates
    turn = np.diff(states[:, 2])
    assert np.abs(turn / FRAME - (states[1:, 5] + states[:-1, 5]) / 2).max() < 0.5
    assert len(result.controls) == len(states) - 1
    assert result.seconds == pytest.approx((len(states) - 1) * FRAME)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_velocity_is_continuous_across_seams(drives, run):
    """Every clip begins with the very velocity that the one before it ends with."""
    result = drives[run]
    tree = result.tree
    for a, b in zip(result.clips[:-1], result.clips[1:], strict=True):
        assert tree.target[a] == tree.source[b]
        assert np.abs(tree.clips[a].velocity[-1] - tree.clips[b].velocity[0]).sum() <= 2 * SEAM
    ends = np.cumsum([tree.clips[k].frames for k in result.clips])[:-1]
    for k, frame in zip(result.clips[1:], ends, strict=True):
        c, s = np.cos(result.states[frame, 2]), np.sin(result.states[frame, 2])
        vx, vy = result.states[frame, 3:5]
        seen = np.array([c * vx + s * vy, c * vy - s * vx, result.states[frame, 5]])
        assert np.abs(seen - tree.clips[k].velocity[0]).sum() <= 2 * SEAM + 1e-9


def test_figures_follow_from_the_states(drives):
    result = drives["sharp-cornered", 1]
    figures, states = result.figures(), result.states
    speed = np.hypot(states[:, 3], states[:, 4])
    assert figures["max_speed"] == pytest.approx(speed.max())
    assert figures["frames"] == len(states) - 1
    assert figures["time"] == pytest.approx(figures["frames"] * FRAME)
    assert figures["distance"] == pytest.approx(np.hypot(*np.diff(states[:, :2], axis=0).T).sum())
    course = np.angle((states[:, 3] + 1j * states[:, 4]) * np.exp(-1j * states[:, 2]))
    slip = np.where(speed < 3, 0, np.abs(np.degrees(course)))
    assert figures["max_sideslip_deg"] == pytest.approx(slip.max())
    assert figures["skid_seconds"] == pytest.approx(FRAME * (slip > 15).sum())
    assert figures["max_sideslip_deg"] > 20  # it slides into the hairpins
    assert figures["nodes_kept"] <= 4000 * figures["replans"]


def test_finish_is_where_the_line_is_crossed(drives):
    for (name, _), result in drives.items():
        track = load_track(name)
        along, _ = track.progress(result.states[-2:, :2])
        assert along[0] < track.finish <= along[1] + 1e-6
        begin, _ = track.progress(result.states[0, :2])
        assert begin == pytest.approx(START, abs=0.2)


def test_same_seed_same_drive(large, drives):
    again = drive(load_track("final"), large, seed=1)
    first = drives["final", 1]
    np.testing.assert_array_equal(again.states, first.states)
    np.testing.assert_array_equal(again.clips, first.clips)
    assert not np.array_equal(first.traffic.poses, drives["final", 2].traffic.poses)
    assert again.nodes_generated == first.nodes_generated


def test_without_cars_the_way_is_free(large):
    result = drive(load_track("cornered"), large, Setting(cars=0), seed=0)
    assert result.finished and result.traffic.cars == 0 and not touched(result)


@pytest.mark.parametrize("laps", [1, 2])
def test_laps_are_counted_on_a_ring(large, laps):
    t = np.linspace(0, 2 * np.pi, 300, endpoint=False)
    line = np.column_stack([70 * np.cos(t), 50 * np.sin(t)])
    ring = Track.from_centre("ring", line, 8.0, 8.0, closed=True)
    result = drive(ring, large, Setting(SearchOptions(nodes=1500, weight=1.1), laps=laps), seed=0)
    assert result.finished and not touched(result)
    angle = np.unwrap(np.arctan2(result.states[:, 1], result.states[:, 0]))
    assert (angle[-1] - angle[0]) / (2 * np.pi) == pytest.approx(laps, abs=0.06)


def test_time_limit_ends_a_drive(large):
    result = drive(load_track("sharp-cornered"), large, Setting(seconds=2.0), seed=0)
    assert not result.finished and not result.crashed
    assert result.seconds == pytest.approx(2.0)


def test_a_blocked_road_is_reported_as_a_crash_or_a_stop(seven):
    """Four lanes of parked cars: `seven` cannot stop, so it must crash, and say where."""
    track = load_track("sharp-cornered")
    parked = [np.tile(track.pose(110.0, offset), (9000, 1)) for offset in (-5.5, -1.9, 1.9, 5.5)]
    result = drive(track, seven, seed=0, traffic=Traffic(np.array(parked)))
    assert result.crashed and not result.finished
    assert touched(result)
    assert not touches_anything(
        result.states[:-1, :3], SIZE, track.segments, result.traffic.poses[:, : len(result.states) - 1], SIZE
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"laps": 0},
        {"seconds": 0},
        {"seconds": float("inf")},
        {"seconds": float("nan")},
        {"goal": "moon"},
        {"margin": 0.0},
    ],
    ids=str,
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(BadInput, match=next(iter(wrong))):
        Setting(**wrong)


def test_start_is_on_the_road_and_depends_on_the_seed():
    track = load_track("final")
    poses = np.array([start_pose(track, seed) for seed in range(20)])
    assert len(np.unique(poses[:, 0])) == 20
    assert not boxes_touch_segments(poses, *SIZE, track.segments).any()


def test_sideslip_is_the_angle_between_nose_and_course():
    states = np.array(
        [[0, 0, 0.5, 10 * np.cos(0.8), 10 * np.sin(0.8), 0], [0, 0, 6.2, 5, 0, 0], [0, 0, 0, 0, 1.0, 0]]
    )
    np.testing.assert_allclose(sideslip(states), [0.3, 2 * np.pi - 6.2, 0.0], atol=1e-12)


def test_lap_of_a_real_circuit_stays_between_the_walls(norisring):
    check_lap(norisring)


@pytest.mark.long
def test_lap_of_a_long_circuit_stays_between_the_walls(large, shared_data):
    track = read_circuit(shared_data / "circuits" / "Monza.csv")
    check_lap(drive(track, large, Setting(seconds=600.0), seed=0))


def check_lap(result: Drive) -> None:
    track = result.track
    assert result.finished and not result.crashed
    assert not touched(result)
    _, offset = track.progress(between_frames(result.states[:, :3], 2)[:, :2])
    assert np.abs(offset).max() < max(track.left.max(), track.right.max()) - WIDTH / 2
    assert result.states[:, 3:5].max() > 20
