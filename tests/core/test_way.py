"""Ways: stations and offsets there and back, curvature of circles, grades, and ways that meet themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from swerve.core.errors import BadInput
from swerve.core.way import Way


def circle(radius=40.0, n=2000):
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return Way.through(radius * np.column_stack([np.cos(a), np.sin(a)]), 3.0, 5.0, closed=True, spacing=0.5)


@given(st.floats(0, 251), st.floats(-3, 5))
@settings(max_examples=60, deadline=None)
def test_a_place_on_a_closed_way_is_found_again(station, offset):
    way = circle()
    s, d = way.locate(way.place(station, offset)[:2])
    assert (s - station + way.length / 2) % way.length - way.length / 2 == pytest.approx(0.0, abs=0.03)
    assert d == pytest.approx(offset, abs=0.01)


def test_a_circle_bends_by_one_over_its_radius_everywhere():
    way = circle(25.0)
    assert way.length == pytest.approx(2 * np.pi * 25, rel=1e-3)
    assert way.curvature == pytest.approx(np.full(len(way.points), 1 / 25), rel=0.06)
    right, left = way.edges()
    assert np.hypot(*right.T) == pytest.approx(28.0, rel=1e-3)
    assert np.hypot(*left.T) == pytest.approx(20.0, rel=1e-3)


def test_beyond_its_ends_an_open_way_goes_on_straight():
    way = Way.through([[0, 0], [10, 0], [10, 10]])
    assert way.place(25.0) == pytest.approx([10.0, 15.0, np.pi / 2])
    assert way.place(-3.0)[:2] == pytest.approx([-3.0, 0.0])


def test_grade_is_the_slope_along_the_way():
    x = np.arange(0, 101.0, 2.0)
    way = Way.through(np.column_stack([x, 0 * x]), z=5 * np.sin(x / 20))
    assert way.at(way.grade, 50.0) == pytest.approx(0.25 * np.cos(2.5), abs=0.01)
    part = way.part(20.0, 60.0)
    assert part.length == pytest.approx(40.0) and part.z[0] == pytest.approx(5 * np.sin(1.0), abs=0.01)


def test_where_a_way_crosses_itself_the_expected_station_decides():
    a = np.linspace(0, 2 * np.pi, 300)
    eight = Way.through(np.column_stack([60 * np.sin(a), 60 * np.sin(a) * np.cos(a)]))
    middle = eight.length / 2
    near_half = eight.locate([[1.0, 0.5]], np.array([middle]))[0][0]
    near_start = eight.locate([[1.0, 0.5]], np.array([0.0]))[0][0]
    assert abs(near_half - middle) < 5 and abs(near_start) < 5


def test_what_is_no_way_is_refused_by_name():
    with pytest.raises(BadInput, match="road, points"):
        Way.through([[0, 0]], name="road")
    with pytest.raises(BadInput, match="road, point 2"):
        Way.through([[0, 0], [np.nan, 1]], name="road")
    with pytest.raises(BadInput, match="widths: must not be negative, got -1"):
        Way.through([[0, 0], [5, 0]], left=-1.0)
    with pytest.raises(BadInput, match="must lie apart"):
        Way.through([[0, 0], [0, 0]])


def test_speeds_go_along():
    way = Way.through([[0, 0], [10, 0], [20, 0]], speed=np.array([0.0, 10.0, 20.0]))
    assert way.speed == pytest.approx(way.station)
    assert way.part(5.0, 15.0).speed[[0, -1]] == pytest.approx([5.0, 15.0])
    assert Way.through([[0, 0], [10, 0]]).speed is None


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_place_beside_bends_and_corners_is_found_again(seed, smooth):
    rng = np.random.default_rng(seed)
    corners = np.cumsum(rng.normal((25, 0), 6, (8, 2)), axis=0)
    line = CubicSpline(np.arange(8), corners)(np.linspace(0, 7, 400)) if smooth else corners
    way = Way.through(line)
    station = rng.uniform(1, way.length - 1, 50)
    room = 0.4 / np.maximum(np.abs(way.at(way.curvature, station)), 0.15)  # beyond it normals cross
    places = way.place(station, rng.uniform(-1, 1, 50) * room)
    again = way.place(*way.locate(places[:, :2], station))
    assert np.hypot(*(again - places)[:, :2].T).max() < 0.1


@pytest.mark.parametrize("closed", [False, True])
def test_places_are_found_alike_one_by_one_and_in_any_shape(closed):
    way = Way.through([[0, 0], [40, 0], [40, 30], [0, 30]], closed=closed)
    places = np.random.default_rng(1).uniform(-10, 50, (2, 3, 2))
    station, offset = way.locate(places)
    assert station.shape == offset.shape == (2, 3)
    for k in np.ndindex(2, 3):
        assert way.locate(places[k]) == (station[k], offset[k])
        assert way.locate(places[k][None])[0].tolist() == [station[k]]
    frozen = places.copy()
    frozen.setflags(write=False)
    assert way.locate(frozen, station)[1].shape == (2, 3)
