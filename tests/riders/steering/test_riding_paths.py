"""Ways and following them: the map's controller against the simple one, and input that cannot work."""

import numpy as np
import pytest

from swerve.core.errors import BadInput
from swerve.riders.maps.glide import Glide
from swerve.riders.steering.curves import CORNER, SPACING, TURNS, Way, Ways, curve
from swerve.riders.steering.decide import Navigator, Weights
from swerve.riders.steering.follow import follow, follow_in_full, starts_beside
from swerve.riders.steering.simple import Simple


@pytest.mark.parametrize("number", range(1, 8))
def test_a_curve_turns_by_its_angle_within_its_corner(number):
    way = curve(number, 12.0)
    steps = np.diff(way.points, axis=0)
    assert np.allclose(np.hypot(steps[:, 0], steps[:, 1]), SPACING, atol=1e-3)
    assert np.allclose(np.arctan2(steps[:, 1], steps[:, 0]), way.points[:-1, 2], atol=0.01)
    assert way.points[-1, 2] == pytest.approx(TURNS[number - 1])
    assert way.corner[1] - way.corner[0] == pytest.approx(CORNER * 12.0)


def test_riders_are_found_on_their_ways():
    ways = [curve(7, 12.0), curve(1, 12.0)]
    lines = Ways(ways)
    for at in range(0, 500, 20):
        here = np.array([way.points[min(at, len(way.points) - 1)] for way in ways])
        left = np.array([0.3, -1.0])
        x, y = here[:, 0] - left * np.sin(here[:, 2]), here[:, 1] + left * np.cos(here[:, 2])
        along, aside = lines.locate(x, y)
        assert np.allclose(aside, left, atol=0.02)
        assert np.allclose(along, np.minimum(at, [len(w.points) - 1 for w in ways]) * SPACING, atol=0.05)


def test_what_lies_ahead_is_the_way_and_then_straight_on():
    way = curve(7, 12.0)
    lines = Ways([way])
    reference = lines.ahead(10.0, 20)
    assert np.allclose(reference[0, :, 0], np.arange(1, 21) * 1.0) and np.allclose(reference[0, :, 1:], 0)
    lines.at[:] = lines.last
    beyond = lines.ahead(10.0, 5)[0]
    assert np.allclose(np.diff(beyond[:, 0]), np.cos(TURNS[6]), atol=1e-6)


def test_the_map_follows_sharp_curves_better_than_the_simple_controller(standin_body, standin_map):
    ways = [curve(k, 12.0) for k in (1, 3, 5, 6, 7) for _ in range(3)]
    lod, simple, aiming_ahead = (
        follow_in_full(standin_body, ways, steering, seed=3)
        for steering in (
            Navigator(standin_map, Weights(0.8, 0.8)),
            Simple(standin_body.turns, 10.0),
            Simple(standin_body.turns, 10.0, ahead=0.9),
        )
    )
    assert not lod.fell.any() and not simple.fell.any()
    by_curve = [run.mean_error.reshape(5, 3).mean(axis=1) for run in (lod, simple)]
    assert (by_curve[0] < 0.3 * by_curve[1]).all()
    assert lod.mean_error.mean() < aiming_ahead.mean_error.mean()
    assert (lod.max_error >= lod.mean_error).all() and lod.judged.any(axis=0).all()


def test_riders_on_a_map_follow_too(standin_map):
    ways = [curve(k, 12.0) for k in (2, 6)]
    done = follow(
        Glide(standin_map, 2), 12.0, ways, Navigator(standin_map, Weights(0.8, 0.5)), starts_beside(ways, 0)
    )
    assert (done.mean_error < 0.3).all()


def test_a_way_through_points_is_smooth_and_passes_them():
    points = np.array([[0, 0], [20, 5], [40, -5], [60, 0.0]])
    way = Way.through(points)
    apart = np.hypot(*(way.points[:, None, :2] - points[None]).transpose(2, 0, 1)).min(axis=0)
    assert apart.max() <= SPACING and np.abs(np.diff(way.points[:, 2])).max() < 0.1


@pytest.mark.parametrize(
    "points, why",
    [
        ([[1.0, 2.0]], "at least two points"),
        ([[0, 0], [np.nan, 1], [2, 2]], "point 1: must be finite"),
        ([[0, 0], [0, 0], [2, 2]], "point 1"),
        ([0.0, 1.0], "points"),
    ],
)
def test_paths_that_cannot_be_ridden_are_refused(points, why):
    with pytest.raises(BadInput, match=why):
        Way.through(np.array(points))


def test_a_file_with_a_word_in_it_names_the_line(tmp_path):
    file = tmp_path / "way.csv"
    file.write_text("x,y\n0,0\n10,zero\n")
    with pytest.raises(BadInput, match="line 3"):
        Way.read(file)
    file.write_text("x,y\n0,0\n10,0\n20,3\n")
    assert Way.read(file).length == pytest.approx(20.4, abs=0.5)
    file.write_text("x,y\n0,0\n")
    with pytest.raises(BadInput, match="at least two points"):
        Way.read(file)


def test_there_are_seven_curves():
    with pytest.raises(BadInput, match="1 to 7, got 8"):
        curve(8, 12.0)
