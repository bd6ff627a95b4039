"""A yard that is left backwards, laps from the generator, starts anywhere, and what a guide promises."""

import numpy as np
import pytest

from plain_shapes import touches_anything
from swerve.core.errors import BadInput
from swerve.race import Entry, SearchOptions, Setting, drive, generate, load_track
from swerve.race.car import LENGTH, WIDTH
from swerve.race.entry import along_road
from swerve.race.guide import track_guide

SIZE = (LENGTH, WIDTH)


def untouched(result) -> bool:
    nobody = np.zeros((0, len(result.states), 3))
    return not touches_anything(result.states[:, :3], SIZE, result.track.segments, nobody, SIZE)


def test_the_yard_is_left_backwards(large):
    """The bay is narrower than the car is long, so it cannot turn there."""
    yard = load_track("yard")
    assert (yard.left + yard.right).min() < LENGTH and not along_road(yard)
    result = drive(yard, large, Setting(seconds=90.0))
    assert result.finished and untouched(result)
    c, s = np.cos(result.states[:, 2]), np.sin(result.states[:, 2])
    forward = c * result.states[:, 3] + s * result.states[:, 4]
    back = forward < -0.3
    assert 0.04 * np.abs(forward[back]).sum() > 8.0  # metres in reverse
    assert result.controls[:, 1].min() < 0


@pytest.mark.parametrize("number", range(6))
def test_laps_from_the_generator_close_and_keep_to_what_was_asked(number):
    rng = np.random.default_rng(number)
    length, sharpness = rng.uniform(400, 2500), rng.uniform(0, 1)
    corners = int(rng.integers(3, 4 + int(length / 150)))
    width = float(rng.choice([6.0, 8.0, 12.0]))
    lap = generate(length, corners, sharpness, width, number, closed=True)
    assert lap.closed and abs(lap.length / length - 1.0) < 0.02
    assert lap.tightest_radius > width / 2 and np.ptp(lap.left + lap.right) < 1e-9
    again = generate(length, corners, sharpness, width, number, closed=True)
    assert np.array_equal(lap.centre, again.centre)


def test_a_generated_lap_is_driven(large):
    lap = generate(400.0, 5, 0.6, 10.0, 4, closed=True)
    result = drive(lap, large, Setting(laps=2))
    assert result.finished and untouched(result)
    assert len(result.lap_figures(2)["lap_seconds"]) == 2


def test_too_few_corners_make_no_lap():
    with pytest.raises(BadInput, match="at least 3"):
        generate(500.0, 2, 0.5, 10.0, 0, closed=True)


def test_a_tree_starts_where_and_as_fast_as_it_is_told(large):
    track = load_track("sharp-cornered")
    x, y, heading = track.pose(60.0)
    start = np.array([x, y, heading, 20 * np.cos(heading), 20 * np.sin(heading), 0.0])
    result = drive(track, large, Setting(planner="tree", seconds=3.0), entry=Entry(start=start))
    np.testing.assert_allclose(result.states[0], start, atol=1e-9)
    start[3:5] *= 0.85
    with pytest.raises(BadInput, match="must be one of 0, 5, 10"):
        drive(track, large, Setting(planner="tree"), entry=Entry(start=start))


def test_a_tree_starts_a_lap_from_the_line(large):
    lap = generate(600.0, 6, 0.4, 12.0, 1, closed=True)
    result = drive(lap, large, Setting(planner="tree", seconds=1.0))
    assert abs(lap.progress(result.states[:1, :2])[0][0]) < 0.5


@pytest.mark.parametrize("name", ["large", "bends"])
@pytest.mark.parametrize("road", [(800.0, 20, 1.0, 14.0, 3), (500.0, 10, 0.8, 6.0, 8)])
def test_what_a_guide_promises_is_about_what_is_driven(name, road, request):
    """Once it was 39 to 72 percent of it, and the car waited for better times."""
    tree, track = request.getfixturevalue(name), generate(*road)
    guide = track_guide(tree, track)
    first = int(np.searchsorted(track.s, 8.0))
    result = drive(track, tree, Setting(SearchOptions(nodes=1500, weight=1.1), planner="tree"), guide=guide)
    promised = guide.value[first, 0] * tree.dt
    assert result.finished and 0.75 < promised / result.seconds < 1.15


def test_a_line_from_a_start_that_faces_another_way_is_refused(large):
    with pytest.raises(BadInput, match="does not face along the road"):
        drive(load_track("yard"), large, Setting(planner="line"))
