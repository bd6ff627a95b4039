"""Tracks: checks at the border, places along the road and back, and walls without a gap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.path import Path
from scipy.ndimage import label

from plain_shapes import point_to_segments
from swerve.core.errors import BadInput
from swerve.race.track import RUN_OFF, Track
from swerve.race.tracks import NAMED, generate, load_track


def wavy_ring() -> Track:
    t = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    radius = 120 + 25 * np.sin(3 * t)
    width = 6 + 2 * np.sin(5 * t)
    return Track.from_centre(
        "wavy", radius[:, None] * np.column_stack([np.cos(t), np.sin(t)]), width, 12 - width, closed=True
    )


def some_tracks() -> dict[str, Track]:
    made = {name: load_track(name) for name in NAMED if name != "long-straight"}
    made |= {f"generated {k}": generate(900, 6, k / 4, 8 + 3 * k, seed=k) for k in range(5)}
    return made | {"ring": wavy_ring()}


TRACKS = some_tracks()


@pytest.mark.parametrize("name", TRACKS)
def test_progress_undoes_pose(name):
    track = TRACKS[name]
    rng = np.random.default_rng(1)
    s = rng.uniform(2.0, track.length - 2.0, 400)
    room = np.minimum(np.interp(s, track.s, track.left), np.interp(s, track.s, track.right))
    offset = rng.uniform(-0.6, 0.6, 400) * np.minimum(room, 0.8 * track.tightest_radius)
    poses = track.pose(s, offset)
    found, aside = track.progress(poses[:, :2])
    assert np.abs(found - s).max() < 1.0 and np.median(np.abs(found - s)) < 0.2
    assert np.abs(aside - offset).max() < 0.5 and np.median(np.abs(aside - offset)) < 0.05


@pytest.mark.parametrize("name", TRACKS)
def test_pose_points_along_the_road(name):
    track = TRACKS[name]
    s = np.linspace(1.0, track.finish - 1.0, 500)
    step = track.pose(s + 0.25)[:, :2] - track.pose(s - 0.25)[:, :2]
    course = np.arctan2(step[:, 1], step[:, 0])
    off = np.abs((track.pose(s)[:, 2] - course + np.pi) % (2 * np.pi) - np.pi)
    assert off.max() < 0.12
    left = track.pose(s, 1.0)[:, :2] - track.pose(s)[:, :2]
    assert (step[:, 0] * left[:, 1] - step[:, 1] * left[:, 0] > 0).all()


def test_poses_wrap_on_a_ring_and_stop_at_the_ends_of_a_road():
    ring, road = TRACKS["ring"], TRACKS["cornered"]
    np.testing.assert_allclose(ring.pose(ring.length + 30.0), ring.pose(30.0), atol=1e-9)
    np.testing.assert_allclose(ring.pose(-10.0), ring.pose(ring.length - 10.0), atol=1e-9)
    np.testing.assert_allclose(road.pose(-10.0), road.pose(0.0))
    np.testing.assert_allclose(road.pose(road.length + 10.0), road.pose(road.length))


@pytest.mark.parametrize("name", TRACKS)
def test_walls_leave_no_gap(name):
    """Paint the walls on a fine grid and pour water on the road: none may get out."""
    track, cell = TRACKS[name], 0.5
    segments = track.segments
    low = segments.reshape(-1, 2).min(axis=0) - 5
    shape = np.ceil((segments.reshape(-1, 2).max(axis=0) + 5 - low) / cell).astype(int)
    free = np.ones(shape, dtype=bool)
    for x0, y0, x1, y1 in segments:
        count = int(np.hypot(x1 - x0, y1 - y0) / (0.2 * cell)) + 2
        line = np.linspace([x0, y0], [x1, y1], count)
        free[tuple(((line - low) / cell).astype(int).T)] = False
    lakes, _ = label(free)
    margin = 2.5
    s = np.arange(margin, track.length - margin, 0.5)
    on_road = np.concatenate([track.pose(s, o)[:, :2] for o in (-1.5, 0.0, 1.5)])
    wet = set(np.unique(lakes[tuple(((on_road - low) / cell).astype(int).T)]).tolist())
    assert len(wet) == 1 and wet != {0}  # the road is in one piece, and no wall stands on it
    assert lakes[0, 0] not in wet


@pytest.mark.parametrize("name", TRACKS)
def test_walls_stand_at_the_edge_of_the_road(name):
    track = TRACKS[name]
    distance = point_to_segments(track.centre, track.segments).min(axis=1)
    s = track.s
    inner = (s > 15) & (s < track.length - 15) if not track.closed else s >= 0
    width = np.minimum(track.left, track.right)
    nearest = np.hypot(s[:, None] - s, width).min(
        axis=1
    )  # where the road widens, a narrower place may be near
    assert (distance[inner] > nearest[inner] - 1.2).all()
    assert (distance[inner] < width[inner] + 0.1).all()
    right, left = track.edges
    if track.closed:
        inside, outside = sorted((right, left), key=lambda line: np.abs(line).max())
        assert Path(outside).contains_points(track.centre).all()
        assert not Path(inside).contains_points(track.centre).any()
    else:
        assert Path(np.vstack([right, left[::-1]])).contains_points(track.centre[inner]).all()


def test_run_off_lies_straight_behind_the_finish():
    track = TRACKS["sharp-cornered"]
    assert track.length == pytest.approx(track.finish + RUN_OFF)
    behind = track.pose(np.linspace(track.finish, track.length, 20))
    assert np.ptp(behind[:, 2]) < 0.02
    way = np.hypot(*(behind[-1, :2] - behind[0, :2]))
    assert way == pytest.approx(RUN_OFF, abs=0.1)


@given(st.integers(0, 3), st.integers(0, 59), st.sampled_from([np.nan, np.inf, -np.inf, -3.0, 0.0]))
def test_numbers_that_cannot_be_are_refused_by_point_and_field(column, row, value):
    t = np.linspace(0, np.pi, 60)
    table = np.column_stack([100 * np.cos(t), 100 * np.sin(t), np.full((60, 2), 5.0)])
    table[row, column] = value
    if np.isfinite(value) and column < 2:
        return
    field = ("x", "y", "right width", "left width")[column]
    with pytest.raises(BadInput, match=f"track arc, point {row + 1}, {field}"):
        Track.from_centre("arc", table[:, :2], table[:, 2], table[:, 3])


@pytest.mark.parametrize(
    "centre",
    [np.zeros((2, 2)), np.zeros((9, 3)), np.zeros(7), np.zeros((9, 2))],
    ids=["2", "3d", "1d", "point"],
)
def test_lines_that_are_none_are_refused(centre):
    with pytest.raises(BadInput, match="track odd"):
        Track.from_centre("odd", centre, 5.0, 5.0)


def test_ring_smaller_than_its_road_is_refused():
    """The inner edge would cross the centre and there would be nothing to drive round."""
    t = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    line = 6 * np.column_stack([np.cos(t), np.sin(t)])
    with pytest.raises(BadInput, match="track dot"):
        Track.from_centre("dot", line, 8.0, 8.0, closed=True)
